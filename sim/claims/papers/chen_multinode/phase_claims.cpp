// Chen, Chiang and Chen: the partition, and the phases of the multinode broadcast: aggregation, and
// distribution of the data.
#include <fmt/format.h>

#include <set>

#include "algorithms/chen/multinode.h"
#include "algorithms/chen/partition.h"
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

// Chen, Chiang and Chen, Section 2: the networks into which the torus is divided.

using chen::mod;
using chen::Partition;

Sizes<Size> partition_sizes(Extent extent) {
  return sizes_between(3, extent == Extent::quick ? 10 : 18);
}

/// The measurement of a claim of Properties 2 to 5: what check_properties says.
Measure property(std::size_t number, const std::string& kept = "kept") {
  const auto test = [=](Trial& t, const Size& size) {
    const auto each = check_properties(Partition(size.n, size.h))[number - 1];
    t.printed.add(each.holds(), size, each.counterexample);
  };
  return trying(partition_sizes, test, kept + " in {held} partitions");
}

/// Channels by the letter of C_{u,v}: along x where x = u + v, along y where y = v, along z where z = u, all
/// mod h. The DDNs that have the channels from node (x, y, z) along a dimension.
int ddns_as_printed(Size size, int x, int y, int z, unsigned dimension) {
  int count = 0;
  for (int u = 0; u < size.h; ++u) {
    for (int v = 0; v < size.h; ++v) {
      const int difference = dimension == 0 ? x - u - v : dimension == 1 ? y - v : z - u;
      if (mod(difference, size.h) == 0) ++count;
    }
  }
  return count;
}

/// DDNs and blocks by the definitions with ceil(n/h), for an h that need not divide n: nodes beyond n - 1
/// are left out.
struct Rounded {
  std::set<int> ddn_sizes;
  int whole_blocks = 0;
  int blocks = 0;
  int meeting_pairs = 0;
  int pairs = 0;
};

Rounded rounded(int n, int h) {
  const int side = (n + h - 1) / h;
  Rounded result;
  result.blocks = side * side * side;
  result.pairs = h * h * result.blocks;
  const auto along = [&](int offset) {  // coordinates a h + offset < n
    return (n - offset + h - 1) / h;
  };
  for (int u = 0; u < h; ++u) {
    for (int v = 0; v < h; ++v) {
      const int nodes = along((u + v) % h) * along(v) * along(u);
      result.ddn_sizes.insert(nodes);
      result.meeting_pairs += nodes;  // one node a block
    }
  }
  result.whole_blocks = (n / h) * (n / h) * (n / h);
  return result;
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
         t.printed.add(twice == 0, Size{n, h},
                       "{} of {} nodes off the diagonals are collected more than once", twice, senders);
       }
       for (const Size size :
            t.over(phase_sizes, "", "as printed: h = 2..7, n = 2h (4 for h = 2); repaired: ")) {
         const Volume volume = broadcast(size, size.nodes());
         t.repaired.at_most(size, "units in the longest messages of the stage", lemma_2_units(size.h),
                            volume.stage("aggregate").units);
       }
       t.repair = "a collection tree cut for each h, with the same three offsets on either side at most";
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
                       "{} messages for {} links into the {} diagonal nodes of a block", messages, links,
                       h * h);
       }
       for (const Size size : t.over(phase_sizes, "", "as printed: h = 2..7, n = 2h; repaired: ")) {
         const Volume volume = broadcast(size, size.nodes());
         t.repaired.equal(size, "steps", size.log_h(), volume.stage("aggregate").steps);
       }
       t.repair = "messages may end on the diagonal of a neighbouring block";
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
       for (const Size size : t.over(phase_sizes, "", "the sum: h = 2, 7, 8, 49, 50; the steps: ")) {
         const Volume volume = broadcast(size, size.nodes());
         t.repaired.equal(size, "start-ups", size.log_h(), volume.stage("aggregate").steps);
         t.repaired.at_most(size, "units", lemma_2_units(size.h), volume.stage("aggregate").units);
       }
       t.repair = "the sum ends at ceil(log_7 h) - 1";
       t.measured = "ceil(log_7 h) start-ups, at most (7^b - 1)/6 units with all nodes as sources";
     }},
};

const Claims distribution_claims{
    {"stage-startups", "Sections 3.3.1 to 3.3.3",
     "Start-ups at most: align c, rows and columns 4c together, broadcast c, rows of blocks ceil(log_3 h), "
     "columns and horizontal lines h - 1 each; c = ceil(log_7 R).",
     "at most that many steps in each stage", phase_sizes,
     [](Trial& t, const Size& size) {
       // The stages that move data towards all nodes, each against its cost in Sections 3.3.1 to 3.3.3.
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
     },
     "each stage takes at most what the paper says"},
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
       const std::string before = fmt::format("from the border of a block: h = 2..{}; on the torus: ", most);
       for (const Size size : t.over(phase_sizes, "", before)) {
         const Volume volume = broadcast(size, 2);
         t.repaired.equal(size, "steps", ceil_log(3, size.h), volume.stage("collect rows").steps);
       }
       t.repair = "rows are lines of the torus, and messages cross the borders of blocks";
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
     "at most that many units", phase_sizes,
     [](Trial& t, const Size& size) {
       const auto n = static_cast<std::uint64_t>(size.n);
       const auto h = static_cast<std::uint64_t>(size.h);
       for (const std::uint64_t sources : {std::uint64_t{1}, n * n, n * n * n}) {
         const Volume volume = broadcast(size, sources);
         const std::uint64_t measured = volume.distribution_phase().units;
         const std::uint64_t ddn_steps = 6 * size.log_blocks() + ceil_log(3, size.h) + h - 1;
         const std::string name = fmt::format("{}, {} sources", name_of(size), sources);
         // (.. s/h^2 + (h-1) s/h), multiplied by h^2 to stay among whole numbers
         const std::uint64_t bound = ddn_steps * sources + (h - 1) * h * sources;
         t.printed.add(measured * h * h <= bound, name, "{} units, more than {:.2f}", measured,
                       quotient(bound, h * h));
         if (measured * h * h > bound && sources % (h * h) == 0) ++t.count;
         const std::uint64_t of_ddn = (sources + h * h - 1) / (h * h);
         t.repaired.at_most(name, "units", ddn_steps * of_ddn + (h - 1) * h * of_ddn, measured);
       }
     },
     "as printed exceeded in {failed} cases; where h^2 divides s, in {count}",
     "with ceil(s/h^2) in place of s/h^2", "; 1, n^2 and n^3 sources"},
};

const Claims partition_claims{
    {"ddns-independent", "Section 2.2, Property 1",
     "The h^2 DDNs are mutually independent: no node and no channel belongs to two of them.",
     "every channel in at most one DDN", partition_sizes,
     [](Trial& t, const Size& size) {
       int most = 0;
       for (int x = 0; x < size.h; ++x) {
         for (int y = 0; y < size.h; ++y) {
           for (unsigned dimension = 0; dimension < 3; ++dimension) {
             most = std::max(most, ddns_as_printed(size, x, y, 0, dimension));
           }
         }
       }
       t.printed.add(most == 1, size, "a channel belongs to {} DDNs", most);
       const auto property = check_properties(Partition(size.n, size.h)).front();
       t.repaired.add(property.holds(), size, property.counterexample);
     },
     "by the repaired channels every channel belongs to exactly one DDN",
     "C_{u,v} is the full lines through the nodes of V_{u,v}: along x those with (y, z) = (v, u), along y "
     "(x, z) = (u+v, u), along z (x, y) = (u+v, v), mod h"},
    {"dcn-indices", "Section 2.2",
     "The indices a, b, c of the data-collecting networks run from 0 to n-1; Section 3.2.1 counts h^2/h^3.",
     "all blocks lie in the torus", partition_sizes,
     [](Trial& t, const Size& size) {
       // The index ranges of V_{a,b,c} as printed, 0 .. n-1, and as they must be, 0 .. n/h - 1.
       const auto inside = [&](int indices) {
         std::uint64_t count = 0;
         for (int a = 0; a < indices; ++a) count += a * size.h + size.h - 1 < size.n ? 1U : 0U;
         return count * count * count;
       };
       const auto cubed = [](int number) { return static_cast<std::uint64_t>(number) * number * number; };
       t.printed.equal(size, "of the blocks lie in the torus", cubed(size.n), inside(size.n));
       t.repaired.equal(size, "of the blocks lie in the torus", cubed(size.blocks()), inside(size.blocks()));
     },
     "n^3/h^3 blocks, as the text says itself",
     "a, b, c = 0 .. n/h - 1, and k = n^3/h^3 in Section 3.2.1 too"},
    {"dcns-independent", "Section 2.2, Property 2",
     "The DCNs are mutually independent and together contain all nodes.", "every node in exactly one DCN",
     property(2)},
    {"ddn-meets-dcn", "Section 2.2, Property 3", "Every DDN intersects every DCN in at least one node.",
     "exactly one node in common, more than is claimed", property(3, "exactly one node in common")},
    {"ddns-isomorphic", "Section 2.2, Property 4", "The DDNs are isomorphic: tori of dilation h.",
     "no exception", property(4)},
    {"dcns-isomorphic", "Section 2.2, Property 5", "The DCNs are isomorphic.", "no exception", property(5)},
    {"diagonal-span", "Section 3.2.1",
     "The diagonal plane of a block is the span of its corner by (1,0,1) and (1,1,0) over h by h points.",
     "every point of the span inside of the block", partition_sizes,
     [](Trial& t, const Size& size) {
       // SPAN of the corner of block 0 by (1,0,1) and (1,1,0), h points in each direction.
       const Partition partition(size.n, size.h);
       std::string outside;
       std::set<NodeId> folded;
       for (int a = 0; a < size.h; ++a) {
         for (int b = 0; b < size.h; ++b) {
           if (a + b >= size.h && outside.empty()) {
             outside = fmt::format("[{}, {}, {}] lies outside of the block", a + b, b, a);
           }
           folded.insert(partition.cube().node((a + b) % size.h, b, a));
         }
       }
       t.printed.faultless(size, outside);
       std::set<NodeId> wanted;
       for (int ddn = 0; ddn < partition.ddn_count(); ++ddn) wanted.insert(partition.ddn_node(ddn, 0, 0, 0));
       t.repaired.add(folded == wanted, size, "not the nodes of the DDNs");
     },
     "then the span has one node of every DDN", "x is taken mod h inside the block"},
    {"simulated-sizes", "Section 4.2", "The scheme is simulated on 16^3 with h = 7 and h = 14.",
     "h divides n and every DDN meets every DCN",
     [](Trial& t) {
       for (const int h : {7, 14}) {
         const Rounded torus = rounded(16, h);
         std::string sizes;
         for (auto size = torus.ddn_sizes.rbegin(); size != torus.ddn_sizes.rend(); ++size) {
           append(sizes, ", ", fmt::format("{}", *size));
         }
         append(t.measured, "; ",
                fmt::format(
                    "h = {}: DDNs of {} nodes, {} of {} blocks whole, {} of {} pairs of DDN and DCN meet", h,
                    sizes, torus.whole_blocks, torus.blocks, torus.meeting_pairs, torus.pairs));
         t.printed.add(16 % h == 0 && torus.meeting_pairs == torus.pairs, fmt::format("n = 16, h = {}", h),
                       "{} does not divide 16, and {} of {} pairs of DDN and DCN do not meet", h,
                       torus.pairs - torus.meeting_pairs, torus.pairs);
       }
       t.sizes = "n = 16, h = 7 and 14";
       t.measured +=
           "; Figures 7 and 8 cannot be reproduced. Here: n = 14 with h = 2, 7, 14, n = 16 with h = 2, 4, 8, "
           "16";
     }},
};

}  // namespace flitscope::claims::chen_multinode
