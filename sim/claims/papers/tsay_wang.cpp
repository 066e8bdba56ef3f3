// Tsay and Wang: broadcast on the d-dimensional all-port wormhole torus.
#include <vector>

#include "sim/claims/evidence.h"
#include "sim/claims/measure.h"
#include "sim/experiment/workload.h"

namespace flitscope::claims {
namespace {

struct Torus {
  std::uint64_t n = 0;  ///< nodes of a side
  unsigned d = 0;       ///< dimensions

  [[nodiscard]] std::string size() const { return fmt::format("d = {}, n = {}", d, n); }
};

/// Tori of at most `nodes` nodes, smallest dimension first, n >= 3.
std::vector<Torus> tori(unsigned dimensions, std::uint64_t nodes) {
  std::vector<Torus> list;
  for (unsigned d = 1; d <= dimensions; ++d) {
    const auto fits = [&](std::uint64_t n) {
      std::uint64_t count = 1;
      for (unsigned k = 0; k < d; ++k) count *= n;
      return count <= nodes;
    };
    for (std::uint64_t n = 3; fits(n); ++n) list.push_back({n, d});
  }
  return list;
}

/// "d = 1: n = 3..29; d = 2: n = 3..40"
std::string sizes_of(const std::vector<Torus>& list) {
  std::string text;
  for (std::size_t first = 0; first < list.size();) {
    std::vector<std::uint64_t> sides;
    const unsigned d = list[first].d;
    for (; first < list.size() && list[first].d == d; ++first) sides.push_back(list[first].n);
    text += fmt::format("{}d = {}: n = {}", text.empty() ? "" : "; ", d, ranges(sides));
  }
  return text;
}

Finding lower_bound(Extent extent) {
  Cases cases;
  const auto tried = tori(4, extent == Extent::quick ? 500 : 30'000);
  for (const Torus& torus : tried) {
    const auto schedule =
        make_schedule(experiment(equal_torus(torus.n, torus.d), "{algorithm: tsay-wang-direct}"));
    const ScheduleFacts& facts = schedule->facts();
    cases.add(facts.steps >= facts.lower_bound_steps, torus.size(),
              fmt::format("{} steps, fewer than {}", facts.steps, *facts.lower_bound_steps));
  }
  return judge(cases, sizes_of(tried), "never fewer steps than the bound");
}

const PaperRegistry::Entry entry{{
    .name = "tsay-wang",
    .citation = "Jyh-Jong Tsay and Wen-Tsong Wang: Nearly Optimal Algorithms for Broadcast on d-Dimensional "
                "All-Port and Wormhole-Routed Torus",
    .claims =
        {
            {"lower-bound", "Lemma 1", "Every broadcast takes at least ceil(d log_{2d+1} n) steps.",
             lower_bound},
        },
}};

}  // namespace
}  // namespace flitscope::claims
