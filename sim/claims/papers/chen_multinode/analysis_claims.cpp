// Chen, Chiang and Chen, Introduction and Section 4.1: Theorem 5, Table 1, and the trees.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "algorithms/chen/tree_packing.h"
#include "sim/claims/measure.h"
#include "sim/claims/papers/chen_multinode/cases.h"

namespace flitscope::claims::chen_multinode {

namespace {

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
              fmt::format("{:.1f} times the bound, which was {:.1f} times at first", quotient, first_));
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

const Claims analysis_claims{
    {"introduction-lengths", "Section 1", "The combined messages have n/h^2 and n/h units.", "equal",
     [](const Trial& t) { return sizes_between(4, t.quick() ? 9 : 16); },
     [](Trial& t, const Size& size) {
       if (size.h == size.n) return;
       const std::uint64_t sources = size.nodes();
       const auto h2 = static_cast<std::uint64_t>(size.h) * size.h;
       const auto measured = broadcast(size, sources).stage("broadcast").most_units;
       const auto n = static_cast<std::uint64_t>(size.n);
       t.printed.equal(size, "units in a message of a DDN", (n + h2 - 1) / h2, measured);
       t.repaired.equal(size, "units in a message of a DDN", (sources + h2 - 1) / h2, measured);
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
           "s/h^2 rounded up, and s + h in place of s: few messages still pass h - 1 nodes of a column "
           "one after the other";
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
       std::vector<std::string> by_rule;
       std::vector<std::uint64_t> lower;
       const int most = t.quick() ? 10 : 16;
       for (int n = 4; n <= most; ++n) {
         const unsigned claimed = chen::height_in_paper(n);
         const std::string size = fmt::format("n = {}", n);
         t.printed.at_most(size, "is the height", claimed,
                           chen::searched_packing(n, claimed, 1, kAttempts).height());
         const CheckReport report = check(multinode({n, 1}, 6, "edge-disjoint-trees", ", packing: searched"));
         t.printed.add(report.legal && report.max_channel_load == 1, size, "the trees share a channel");
         by_rule.push_back(fmt::format("{}", chen::explicit_packing(n).height()));
         const std::uint64_t attempts = t.up_to(300'000, kAttempts);
         if (n % 2 == 0 && chen::searched_packing(n, claimed - 1, 1, attempts).height() < claimed) {
           lower.push_back(static_cast<std::uint64_t>(n));
         }
       }
       t.sizes = fmt::format("n = 4..{}", most);
       t.measured = fmt::format(
           "found by search for every n (the paper gives no trees); D + 1 for n = {}; by "
           "rule the heights are {}",
           ranges(lower), fmt::join(by_rule, ", "));
     }},
    {"less-transmission", "Section 4.1",
     "The scheme needs less transmission time than edge-disjoint spanning trees.",
     "no more units than the paper's formula for the trees; if so, than trees that pipeline",
     [](Trial& t) {
       Cases formula, pipelined;
       std::vector<std::string> quotients;
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
         quotients.push_back(fmt::format("{:.2f}", quotient(ours, trees)));
       }
       t.printed = formula.hold() ? pipelined : formula;
       t.measured = fmt::format(
           "against the formula it is true in {} cases; trees that pipeline carry less: ours over theirs, "
           "gather included, {}",
           formula.share_held(), fmt::join(quotients, ", "));
     }},
};

}  // namespace flitscope::claims::chen_multinode
