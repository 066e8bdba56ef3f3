// Phases of the multinode broadcast: aggregation, and distribution of the data.
#include <fmt/format.h>

#include "algorithms/chen/multinode.h"
#include "sim/claims/measure.h"
#include "sim/claims/papers/chen_multinode/cases.h"

namespace flitscope::claims::chen_multinode {

namespace {

/// Number of times that class c of h is collected by class 0 from the six offsets +-1, +-2, +-3.
int times_collected(int c, int h) {
  int times = 0;
  for (int offset = -3; offset <= 3; ++offset) {
    if (offset != 0 && chen::mod(offset, h) == c) ++times;
  }
  return times;
}

}  // namespace

const Claims aggregation_claims{
    {"aggregation-offsets", "Section 3.2.1",
     "The diagonal collects from the nodes at +-1, +-2, +-3 (times powers of 7), for all h.",
     "no class collected more than once",
     [](Trial& t) {
       for (int h = 2; h <= 7; ++h) {
         const int n = h < 3 ? 4 : 2 * h;
         const int senders = n * n * n - n * n * n / h;
         int twice = 0;
         for (int c = 1; c < h; ++c) {
           if (times_collected(c, h) > 1) twice += n * n * n / h;
         }
         t.printed.add(
             twice == 0, Size{n, h},
             fmt::format("{} of {} nodes off the diagonals are collected more than once", twice, senders));
       }
       const Sizes<Size> sizes = phase_sizes(t.extent);
       for (const Size size : sizes) {
         const Volume volume = broadcast(size, size.nodes());
         t.repaired.at_most(size, "units in the longest messages of the stage", lemma_2_units(size.h),
                            volume.stage("aggregate").units);
       }
       t.repair = "a collection tree cut for each h, with the same three offsets on either side at most";
       t.sizes = "as printed: h = 2..7, n = 2h (4 for h = 2); repaired: " + sizes.text;
       t.measured = "with the trees every class is collected once; all nodes are sources";
     }},
    {"aggregation-in-block", "Section 3.2.1",
     "Every block aggregates its messages into its own diagonal in ceil(log_7 h) steps.",
     "in a step no more messages than links into the diagonal from within the block",
     [](Trial& t) {
       // All nodes of a block are sources; in one step its diagonal nodes can take in what comes over the
       // links that enter them from within the block.
       for (int h = 2; h <= 7; ++h) {
         int links = 0;
         for (int u = 0; u < h; ++u) {
           for (int v = 0; v < h; ++v) {
             for (const int coordinate : {(u + v) % h, v, u}) {
               links += (coordinate > 0 ? 1 : 0) + (coordinate < h - 1 ? 1 : 0);
             }
           }
         }
         const int messages = h * h * h - h * h;
         t.printed.add(messages <= links, Size{2 * h, h},
                       fmt::format("{} messages for {} links into the {} diagonal nodes of a block", messages,
                                   links, h * h));
       }
       const Sizes<Size> sizes = phase_sizes(t.extent);
       for (const Size size : sizes) {
         const Volume volume = broadcast(size, size.nodes());
         t.repaired.equal(size, "steps", size.log_h(), volume.stage("aggregate").steps);
       }
       t.repair = "messages may end on the diagonal of a neighbouring block";
       t.sizes = "as printed: h = 2..7, n = 2h; repaired: " + sizes.text;
       t.measured = "on the torus ceil(log_7 h) steps, each link used at most once";
     }},
    {"lemma-2", "Lemma 2",
     "The aggregation takes ceil(log_7 h) start-ups and the sum of 7^i, i = 0 .. ceil(log_7 h), which is "
     "(7^ceil(log_7 h) - 1)/6, units of data.",
     "the two forms of the sum equal",
     [](Trial& t) {
       for (const int h : {2, 7, 8, 49, 50}) {
         const unsigned b = ceil_log(7, h);
         const auto sum = [](unsigned last) {  // of 7^i, i = 0 .. last
           std::uint64_t total = 0;
           std::uint64_t power = 1;
           for (unsigned i = 0; i <= last; ++i, power *= 7) total += power;
           return total;
         };
         t.printed.equal(fmt::format("h = {}", h), "is the sum", lemma_2_units(h), sum(b));
         t.repaired.equal(fmt::format("h = {}", h), "is the sum", lemma_2_units(h), sum(b - 1));
       }
       const Sizes<Size> sizes = phase_sizes(t.extent);
       for (const Size size : sizes) {
         const Volume volume = broadcast(size, size.nodes());
         t.repaired.equal(size, "start-ups", size.log_h(), volume.stage("aggregate").steps);
         t.repaired.at_most(size, "units", lemma_2_units(size.h), volume.stage("aggregate").units);
       }
       t.repair = "the sum ends at ceil(log_7 h) - 1";
       t.sizes = "the sum: h = 2, 7, 8, 49, 50; the steps: " + sizes.text;
       t.measured = "ceil(log_7 h) start-ups, at most (7^b - 1)/6 units with all nodes as sources";
     }},
};

const Claims distribution_claims{
    {"stage-startups", "Sections 3.3.1 to 3.3.3",
     "Start-ups at most: align c, rows and columns 4c together, broadcast c, rows of blocks ceil(log_3 h), "
     "columns and horizontal lines h - 1 each; c = ceil(log_7 R).",
     "at most that many steps in each stage",
     [](Trial& t) {
       // The stages that move data towards all nodes, each against its cost in Sections 3.3.1 to 3.3.3.
       for (const Size size : t.over(phase_sizes)) {
         const Volume volume = broadcast(size, 2);
         const std::uint64_t c = size.log_blocks();
         const auto at_most = [&](const char* stage, std::uint64_t claimed) {
           t.printed.at_most(size, fmt::format("steps of '{}'", stage), claimed, volume.stage(stage).steps);
         };
         at_most("align", c);
         at_most("rows", 2 * c);
         at_most("columns", 2 * c);
         at_most("broadcast", c);
         at_most("collect rows", ceil_log(3, size.h));
         at_most("collect columns", static_cast<std::uint64_t>(size.h) - 1);
         at_most("collect horizontally", static_cast<std::uint64_t>(size.h) - 1);
       }
       t.measured = "each stage takes at most what the paper says";
     }},
    {"row-in-block", "Section 3.3.3",
     "A row of a block, an h-mesh, is informed from any of its nodes in ceil(log_3 h) steps.",
     "equal to the fewest steps from the end of a row",
     [](Trial& t) {
       // Most nodes of a line that a node at its border can have informed after t steps, if every informed
       // node sends one message in each direction and no two share a link: the border informs one node, which
       // is inside and can triple what it has, and goes on like before.
       const int most = t.quick() ? 32 : 1000;
       for (int h = 2; h <= most; ++h) {
         unsigned steps = 0;
         for (int reached = 1, tripled = 1; reached < h; ++steps) {
           reached += tripled;
           tripled *= 3;
         }
         t.printed.equal(fmt::format("h = {}", h), "steps at least", ceil_log(3, h), steps);
       }
       const Sizes<Size> sizes = phase_sizes(t.extent);
       for (const Size size : sizes) {
         const Volume volume = broadcast(size, 2);
         t.repaired.equal(size, "steps", ceil_log(3, size.h), volume.stage("collect rows").steps);
       }
       t.repair = "rows are lines of the torus, and messages cross the borders of blocks";
       t.sizes = fmt::format("from the border of a block: h = 2..{}; on the torus: {}", most, sizes.text);
       t.measured = "from the border of a block it takes ceil(log_3 (2h - 1)) steps";
     }},
    {"congestion-free", "Sections 3.2 and 3.3",
     "The whole broadcast reaches all nodes without congestion, for any number of sources at any places.",
     "legal, one message on a link, the same steps for any sources", phase_sizes,
     [](Trial& t, const Size& size) {
       for (const char* const algorithm : {"chen-multinode", "chen-multinode-fast"}) {
         const std::uint64_t steps = Volume(multinode(size, 1, algorithm)).steps();
         const auto n = static_cast<std::uint64_t>(size.n);
         for (const std::uint64_t sources : {2 * n, n * n, n * n * n}) {
           const CheckReport report = check(multinode(size, sources, algorithm));
           const std::string name = fmt::format("{}, {} sources, {}", name_of(size), sources, algorithm);
           t.printed.add(report.legal, name, violation_of(report));
           t.printed.equal(name, "messages on a link", 1U, report.max_channel_load);
           t.printed.equal(name, "steps", steps, report.steps);
         }
       }
     },
     "every node gets every message, no step puts two messages on a link, and the number of steps does not "
     "depend on the sources; also for chen-multinode-fast",
     "", "; 1, 2n, n^2 and n^3 sources"},
    {"lemma-4-startups", "Lemma 4",
     "The distribution phase takes at most 6 ceil(log_7 R) + ceil(log_3 h) + 2h - 2 start-ups.",
     "at most that many start-ups", phase_startups(chen::lemma_4_startups, &Volume::distribution_phase)},
    {"lemma-4-volume", "Lemma 4",
     "Its data is at most (6 ceil(log_7 R) + ceil(log_3 h) + h - 1) s/h^2 + (h - 1) s/h units.",
     "at most that many units",
     [](Trial& t) {
       std::uint64_t exceeded_though_divisible = 0;
       for (const Size size : t.over(phase_sizes, "; 1, n^2 and n^3 sources")) {
         const auto n = static_cast<std::uint64_t>(size.n);
         const auto h = static_cast<std::uint64_t>(size.h);
         for (const std::uint64_t sources : {std::uint64_t{1}, n * n, n * n * n}) {
           const Volume volume = broadcast(size, sources);
           const std::uint64_t measured = volume.distribution_phase().units;
           const std::uint64_t ddn_steps = 6 * size.log_blocks() + ceil_log(3, size.h) + h - 1;
           const std::string name = fmt::format("{}, {} sources", name_of(size), sources);
           // (.. s/h^2 + (h-1) s/h), multiplied by h^2 to stay among whole numbers
           const std::uint64_t bound = ddn_steps * sources + (h - 1) * h * sources;
           t.printed.add(measured * h * h <= bound, name,
                         fmt::format("{} units, more than {:.2f}", measured, quotient(bound, h * h)));
           if (measured * h * h > bound && sources % (h * h) == 0) ++exceeded_though_divisible;
           const std::uint64_t of_ddn = (sources + h * h - 1) / (h * h);
           t.repaired.at_most(name, "units", ddn_steps * of_ddn + (h - 1) * h * of_ddn, measured);
         }
       }
       t.repair = "with ceil(s/h^2) in place of s/h^2";
       t.measured = fmt::format("as printed exceeded in {} cases; where h^2 divides s, in {}",
                                t.printed.share_failed(), exceeded_though_divisible);
     }},
};

}  // namespace flitscope::claims::chen_multinode
