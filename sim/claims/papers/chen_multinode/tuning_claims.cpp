// Chen, Chiang and Chen, Section 3.2.2 with Lemma 3: prefix sums, tuning, and the whole aggregation phase.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "algorithms/chen/multinode.h"
#include "algorithms/chen/tree_packing.h"
#include "sim/analysis/channel_load.h"
#include "sim/claims/measure.h"
#include "sim/claims/papers/chen_multinode/cases.h"

namespace flitscope::claims::chen_multinode {

namespace {

using chen::Cube;
using chen::Moves;
using chen::Partition;

/// Destination of the third pair of T1: by +-3 along z and then along y.
void third_pair(Trial& t) {
  const int most = t.quick() ? 9 : 16;
  for (int h = 6; h <= most; ++h) {  // the first h with a distance of 3
    const Partition partition(2 * h, h);
    const Cube& cube = partition.cube();
    const auto arrive = [&](auto to) {
      int right = 0;
      const auto nodes = diagonal_nodes(partition);
      for (const NodeId node : nodes) {
        for (const int step : {3, -3}) {
          const NodeId end = to(node, step);
          const int wanted = partition.ddn_of_row(cube.y(node) + step, cube.z(node));
          if (partition.ddn_of(end) == wanted) ++right;
        }
      }
      return std::pair(right, static_cast<int>(2 * nodes.size()));
    };
    const auto [as_printed, all] = arrive(
        [&](NodeId node, int step) { return cube.moved(cube.moved(node, chen::kZ, step), chen::kY, step); });
    t.printed.add(as_printed == all, Size{2 * h, h}, "{} of {} messages of the pair do not reach their DDN",
                  all - as_printed, all);
    Moves moves(cube);
    const auto [ours, total] =
        arrive([&](NodeId node, int step) { return moves.within_plane(node, chen::kY, step, 3, {}); });
    t.repaired.add(ours == total, Size{2 * h, h}, "{} of {} do not", total - ours, total);
  }
  t.repair = "the pair goes to (x +- 3, y +- 3, z) directly, in the second step";
  t.sizes = fmt::format("h = 6..{}, n = 2h", most);
  t.measured = "then all of them reach their DDN";
}

/// All six offsets of T2 from all diagonal nodes at once, as printed.
std::uint32_t load_of_six_offsets(Size size) {
  const Partition partition(size.n, size.h);
  Moves moves(partition.cube());
  const ChunkId any = 0;
  for (const NodeId node : diagonal_nodes(partition)) {
    for (int track = 1; track <= 3; ++track) {
      for (const int sign : {1, -1}) {
        moves.within_plane(node, chen::kZ, sign * track, static_cast<unsigned>(track), std::span(&any, 1));
      }
    }
  }
  const auto side = static_cast<std::uint32_t>(size.n);
  ChannelLoad load(Topology(TopologyKind::torus, {side, side, side}));
  std::uint32_t most = 0;
  for (const unsigned number : {1U, 2U}) {
    most = std::max(most, load.count(moves.step(number).messages()).max_load);
  }
  return most;
}

void tuning_units(Trial& t) {
  std::map<std::string, std::uint64_t> most;
  auto sizes = phase_sizes(t.extent).list;
  std::erase_if(sizes, [](Size size) { return size.h > 7; });
  for (const Size size : t.over(named(sizes), "; all nodes sources, and a third of them at random")) {
    for (const char* const prefix : {"scalar", "vector"}) {
      for (const std::uint64_t sources : {size.nodes(), size.nodes() / 3}) {
        const Volume volume(multinode(size, sources, "chen-multinode", fmt::format(", prefix: {}", prefix)));
        const std::uint64_t units = volume.stage("tune").most_units;
        if (std::string_view(prefix) == "scalar") {
          t.printed.at_most(fmt::format("{}, {} sources", name_of(size), sources), "units in a message", 1,
                            units);
        }
        std::uint64_t& seen =
            most[fmt::format("{}, {}", prefix, sources == size.nodes() ? "all sources" : "a third")];
        seen = std::max(seen, units);
      }
    }
  }
  for (const auto& [what, units] : most) append(t.measured, ", ", fmt::format("{} with {}", units, what));
  t.measured = "units at most: " + t.measured;
}

// Chen, Chiang and Chen, Introduction and Section 4.1: Theorem 5, Table 1, and the trees.

/// A bound O(f) says nothing of single sizes. It is taken to hold if the quotient of what is measured and f
/// is at most so many times that of the first, smallest size.
constexpr double kMaxGrowth = 2;

std::string growth_criterion() {
  return fmt::format("measured over bound at most {} times what it is for the smallest size", kMaxGrowth);
}

class Growth {
 public:
  void add(Cases& cases, const std::string& size, double measured, double f) {
    const double quotient = measured / f;
    if (quotients_.empty()) first_ = quotient;
    cases.add(quotient <= kMaxGrowth * first_, size,
              "{:.1f} times the bound, which was {:.1f} times at first", quotient, first_);
    quotients_.push_back(fmt::format("{:.2f}", quotient));
  }
  [[nodiscard]] std::string text() const { return fmt::format("{}", fmt::join(quotients_, ", ")); }

 private:
  double first_ = 0;
  std::vector<std::string> quotients_;
};

/// Sides in which h grows as n does, and sides in which it does not.
Sizes<Size> growing_blocks(Extent extent) {
  if (extent == Extent::quick) return named({{4, 4}, {8, 8}, {12, 12}, {16, 16}});
  return named({{4, 4}, {6, 6}, {8, 8}, {10, 10}, {12, 12}, {14, 14}, {16, 16}, {20, 20}});
}
Sizes<Size> fixed_blocks(Extent extent) {
  if (extent == Extent::quick) return named({{4, 2}, {8, 2}, {12, 2}});
  return named({{4, 2}, {6, 2}, {8, 2}, {10, 2}, {12, 2}, {14, 2}, {16, 2}, {20, 2}});
}
std::string both_texts(Extent extent) {
  return growing_blocks(extent).text + "; " + fixed_blocks(extent).text;
}

/// The data of all nodes, or of a single source.
template <typename Bound>
std::string add_volumes(Cases& cases, const Sizes<Size>& sizes, bool single, const Bound& bound) {
  Growth growth;
  for (const Size size : sizes) {
    const std::uint64_t sources = single ? 1 : size.nodes();
    const Volume volume = broadcast(size, sources);
    growth.add(cases, fmt::format("{}, s = {}", name_of(size), sources), static_cast<double>(volume.units()),
               bound(size, static_cast<double>(sources)));
  }
  return growth.text();
}

constexpr std::uint64_t kAttempts = 20'000'000;

}  // namespace

const Claims tuning_claims{
    {"prefix-sum-cost", "Section 3.2.2.1",
     "The prefix sums take at most 8 ceil(log_7 n) + 2 ceil(log_7 R) + 1 steps of a word each.",
     "at most that many steps",
     [](Trial& t) {
       std::uint64_t least_spare = ~std::uint64_t{0};
       for (const Size size : t.over(phase_sizes)) {
         const Volume volume = broadcast(size, 2);
         const std::uint64_t claimed = 8 * size.log_n() + 2 * size.log_blocks() + 1;
         const std::uint64_t measured = volume.stage("prefix sums").steps;
         t.printed.at_most(size, "steps of one word", claimed, measured);
         if (measured <= claimed) least_spare = std::min(least_spare, claimed - measured);
       }
       t.measured = fmt::format("at least {} fewer: the extra step that the formula adds is never needed",
                                least_spare);
     }},
    {"destination-list", "Section 3.2.2.2, S1",
     "A node with prefix sum alpha and beta messages has the destinations alpha .. alpha + beta.",
     "equal to the paper's example",
     [](Trial& t) {
       // The example of the paper: F = {47, 48, 0, 1, 2, 3} on 49 DDNs.
       constexpr int alpha = 47;
       constexpr int beta = 6;
       const std::vector<int> example{47, 48, 0, 1, 2, 3};
       const auto list = [](int last) {
         std::vector<int> destinations;
         for (int rank = alpha; rank <= last; ++rank) destinations.push_back(rank % 49);
         return destinations;
       };
       const std::string size = fmt::format("alpha = {}, beta = {}", alpha, beta);
       const auto compare = [&](Cases& cases, const std::vector<int>& destinations) {
         cases.add(destinations == example, size, "{} elements, not {}", destinations.size(), example.size());
       };
       compare(t.printed, list(alpha + beta));
       compare(t.repaired, list(alpha + beta - 1));
       t.repair = "the last element is alpha + beta - 1";
       t.sizes = size;
       t.measured = "one element for each of the beta messages";
     }},
    {"destination-pair", "Section 3.2.2.2, S1",
     "Rank t goes to DDN_{i,j} with (i, j) = (t mod h, t div h), while DDN_{u,v} is number u h + v.",
     "every rank t leads to DDN t",
     [](Trial& t) {
       const int most = t.quick() ? 16 : 64;
       for (int h = 1; h <= most; ++h) {
         int wrong = -1;
         bool right = true;
         for (int rank = 0; rank < h * h; ++rank) {
           const int i = rank % h;
           const int j = rank / h;
           if (wrong < 0 && i * h + j != rank) wrong = rank;
           right = right && j * h + i == rank;
         }
         t.printed.add(wrong < 0, fmt::format("h = {}", h), "t = {} leads to DDN_{{{},{}}}, which is DDN {}",
                       wrong, wrong % h, wrong / h, wrong % h * h + wrong / h);
         t.repaired.add(right, fmt::format("h = {}", h), "wrong");
       }
       t.repair = "the pair is (v, u): u = t div h is moved along z, v = t mod h along y";
       t.sizes = fmt::format("h = 1..{}", most);
       t.measured = "with (v, u) rank t leads to DDN t of Section 2.2";
     }},
    {"third-pair", "Section 3.2.2.2, T1",
     "The third pair of a row tuning goes by +-3 along z and then along y.", "every message reaches its DDN",
     third_pair},
    {"tuning-congestion", "Section 3.2.2.2", "Row and column tuning with six offsets are free of congestion.",
     "at most one message on a link",
     [](Trial& t) {
       for (int h = 4; h <= 7; ++h) {
         const Size size{2 * h, h};
         t.printed.equal(size, "messages on a link", 1U, load_of_six_offsets(size));
       }
       for (const Size size :
            t.over(phase_sizes, ", all nodes sources", "six offsets: h = 4..7, n = 2h; the algorithms: ")) {
         for (const char* const algorithm : {"chen-multinode", "chen-multinode-fast"}) {
           const CheckReport report = check(multinode(size, size.nodes(), algorithm));
           t.repaired.add(report.legal && report.max_channel_load == 1, size,
                          report.legal ? fmt::format("{} messages on a link", report.max_channel_load)
                                       : violation_of(report));
         }
       }
       t.repair = "only the offsets that occur in the window of h are sent";
       t.measured = fmt::format("with all six offsets {} h fail", t.printed.share_failed());
     }},
    {"tuning-startups", "Section 3.2.2.2", "The tuning takes at most 4 ceil(log_7 h) start-ups.",
     "at most that many start-ups", phase_sizes,
     [](Trial& t, const Size& size) {
       const Volume volume = broadcast(size, 2);
       t.printed.at_most(size, "steps", 4 * size.log_h(), volume.stage("tune").steps);
     },
     "never more than 4 ceil(log_7 h) steps"},
    {"tuning-units", "Section 3.2.2.2", "Every step of the tuning carries one unit message, for h <= 7.",
     "at most one unit in a message", tuning_units},
    {"lemma-3-startups", "Lemma 3",
     "The aggregation phase takes at most 8 ceil(log_7 n) + 5 ceil(log_7 h) + 2 ceil(log_7 R) + 1 start-ups.",
     "at most that many start-ups", phase_startups(chen::lemma_3_startups, &Volume::aggregation_phase)},
    {"lemma-3-volume", "Lemma 3", "Its data is at most 4 ceil(log_7 h) + (7^ceil(log_7 h) - 1)/6 units.",
     "at most that many units", phase_sizes,
     [](Trial& t, const Size& size) {
       for (const std::uint64_t sources : {size.nodes(), size.nodes() / 3}) {
         const Volume volume = broadcast(size, sources);
         t.printed.at_most(fmt::format("{}, {} sources", name_of(size), sources), "units",
                           4 * size.log_h() + lemma_2_units(size.h), volume.aggregation_phase().units);
       }
     },
     "{held} cases stay within", "", "; all nodes sources, and a third of them at random"},
    {"lemma-3-bracket", "Lemma 3", "The bracket: T_c belongs to the control words only.",
     "at most that much time",
     [](Trial& t) {
       // The bracket as printed multiplies only the words by T_c: with T_s = 0 the data would take (..) m,
       // whatever T_c is.
       constexpr std::uint64_t per_byte = 1000;
       constexpr std::uint64_t m = 1000;
       for (const Size size : {Size{4, 2}, Size{6, 3}, Size{7, 7}}) {
         const Volume volume = broadcast(size, size.nodes());
         const std::uint64_t units = 4 * size.log_h() + lemma_2_units(size.h);
         const std::uint64_t words = 8 * size.log_n() + 2 * size.log_blocks() + 1;
         const auto phase = volume.aggregation_phase();
         const std::uint64_t measured = phase.units * m * per_byte;
         t.at_most(size, "units of time for the data alone", units * m + words * per_byte,
                   (units * m + words) * per_byte, measured);
       }
       t.repair = "T_c stands outside of the bracket, m inside its first part only";
       t.sizes = "n = 4, h = 2; n = 6, h = 3; n = 7, h = 7; all nodes sources, m = T_c = 1000, T_s = 0";
       t.measured = "data takes T_c for every byte";
     }},
};

const Claims analysis_claims{
    {"introduction-lengths", "Section 1", "The combined messages have n/h^2 and n/h units.", "equal",
     [](const Trial& t) { return sizes_between(4, t.quick() ? 9 : 16); },
     [](Trial& t, const Size& size) {
       if (size.h == size.n) return;
       const std::uint64_t sources = size.nodes();
       const auto h2 = static_cast<std::uint64_t>(size.h) * size.h;
       const auto measured = broadcast(size, sources).stage("broadcast").most_units;
       const auto n = static_cast<std::uint64_t>(size.n);
       t.equal(size, "units in a message of a DDN", (n + h2 - 1) / h2, (sources + h2 - 1) / h2, measured);
     },
     "s/h^2 units, rounded up", "s/h^2 and s/h in place of n/h^2 and n/h",
     ", all nodes sources (h = n has no such stage)"},
    {"theorem-5-startups", "Theorem 5", "The broadcast takes O(max(log_7 n, h)) start-ups.",
     growth_criterion(),
     [](Trial& t) {
       t.measured = "start-ups over max(ceil(log_7 n), h):";
       for (const auto& sizes : {growing_blocks(t.extent), fixed_blocks(t.extent)}) {
         Growth growth;
         for (const Size size : sizes) {
           const Volume volume = broadcast(size, 1);
           growth.add(t.printed, name_of(size), static_cast<double>(volume.steps()),
                      static_cast<double>(
                          std::max<std::uint64_t>(size.log_n(), static_cast<std::uint64_t>(size.h))));
         }
         t.measured += fmt::format(" {};", growth.text());
       }
       t.measured.pop_back();
       t.sizes = both_texts(t.extent);
     }},
    {"theorem-5-volume", "Theorem 5", "Its data is O(max(log_7(n/h) s/h^2, s)) units.", growth_criterion(),
     [](Trial& t) {
       const auto as_printed = [](Size size, double s) {
         return std::max(static_cast<double>(size.log_blocks()) * s / (size.h * size.h), s);
       };
       const auto with_h = [](Size size, double s) {
         return static_cast<double>(size.log_blocks()) * std::ceil(s / (size.h * size.h)) + s + size.h;
       };
       t.measured = "units over max(log_7(R) s/h^2, s):";
       for (const bool single : {true, false}) {
         for (const auto& sizes : {growing_blocks(t.extent), fixed_blocks(t.extent)}) {
           t.measured += fmt::format(" {};", add_volumes(t.printed, sizes, single, as_printed));
           (void)add_volumes(t.repaired, sizes, single, with_h);
         }
       }
       t.measured.pop_back();
       t.repair =
           "s/h^2 rounded up, and s + h in place of s: few messages still pass h - 1 nodes of a column one "
           "after the other";
       t.sizes = both_texts(t.extent) + "; one source, then all nodes";
     }},
    {"table-1", "Table 1", "The data is O(max(log_7(n/h), s/h)) units.", growth_criterion(),
     [](Trial& t) {
       const auto sizes = growing_blocks(t.extent);
       const std::string growing = add_volumes(t.printed, sizes, false, [](Size size, double s) {
         return std::max<double>(static_cast<double>(size.log_blocks()), s / size.h);
       });
       const std::string ours = add_volumes(t.repaired, sizes, false, [](Size size, double s) {
         return std::max(static_cast<double>(size.log_blocks()), s);
       });
       t.repair = "sm in place of sm/h, as in Theorem 5";
       t.sizes = sizes.text + "; all nodes sources";
       t.measured = fmt::format("units over sm/h: {}; over sm: {}", growing, ours);
     }},
    {"six-trees", "Section 4.1",
     "A 3-D torus has six edge-disjoint spanning trees of height D + 2, D = 3 floor(n/2).",
     "height at most D + 2, no common channel",
     [](Trial& t) {
       std::vector<std::uint64_t> lower;
       const int most = t.quick() ? 10 : 16;
       for (int n = 4; n <= most; ++n) {
         const unsigned claimed = chen::height_in_paper(n);
         const std::string size = fmt::format("n = {}", n);
         t.printed.at_most(size, "is the height", claimed,
                           chen::searched_packing(n, claimed, 1, kAttempts).height());
         const CheckReport report = check(multinode({n, 1}, 6, "edge-disjoint-trees", ", packing: searched"));
         t.printed.add(report.legal && report.max_channel_load == 1, size, "the trees share a channel");
         t.note("{}", chen::explicit_packing(n).height());
         const std::uint64_t attempts = t.up_to(300'000, kAttempts);
         if (n % 2 == 0 && chen::searched_packing(n, claimed - 1, 1, attempts).height() < claimed) {
           lower.push_back(static_cast<std::uint64_t>(n));
         }
       }
       t.sizes = fmt::format("n = 4..{}", most);
       t.measured = fmt::format(
           "found by search for every n (the paper gives no trees); D + 1 for n = {}; by rule the heights "
           "are {}",
           ranges(lower), fmt::join(t.seen, ", "));
     }},
    {"less-transmission", "Section 4.1",
     "The scheme needs less transmission time than edge-disjoint spanning trees.",
     "no more units than the paper's formula for the trees; if so, than trees that pipeline",
     [](Trial& t) {
       Cases formula, pipelined;
       auto sizes = growing_blocks(t.extent).list;
       std::erase_if(sizes, [](Size size) { return size.n > 16; });
       for (const Size size : t.over(named(sizes), ", all nodes sources, batch 1")) {
         const std::uint64_t sources = size.nodes();
         const std::uint64_t ours = broadcast(size, sources).units();
         const std::uint64_t steps = 3 * (static_cast<std::uint64_t>(size.n) / 2);
         formula.at_most(size, "units", steps * ((sources + 5) / 6), ours);
         const std::uint64_t trees =
             Volume(multinode(size, sources, "edge-disjoint-trees", ", packing: searched")).units();
         pipelined.at_most(size, "units", trees, ours);
         t.note("{:.2f}", quotient(ours, trees));
       }
       t.printed = formula.hold() ? pipelined : formula;
       t.measured = fmt::format(
           "against the formula it is true in {} cases; trees that pipeline carry less: ours over theirs, "
           "gather included, {}",
           formula.share_held(), fmt::join(t.seen, ", "));
     }},
};

}  // namespace flitscope::claims::chen_multinode
