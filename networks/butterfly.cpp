// The butterfly: stages of switches with links in one direction, from the nodes through all stages back to
// the nodes.
#include "networks/grid.h"
#include "networks/network_family.h"

namespace flitscope::butterfly {
namespace {

/// Switch {stage, w} has the numbers w = 0 .. k^(n-1) - 1, of n-1 digits below k. From stage i its links lead
/// to those of stage i+1 that differ from it, at most, in digit i, the first digit 0. Node p sends to switch
/// p / k of stage 0, and switch p / k of the last stage sends to it.
GraphPlan make(const ParameterValues& values) {
  const auto k = static_cast<std::uint32_t>(values.integer("k"));
  const auto n = static_cast<std::uint32_t>(values.integer("n"));
  std::uint64_t size = k + n;
  for (std::uint32_t i = 1; i < n; ++i) {
    size *= k;
    require_routers("topology.n", size);
  }
  const auto width = static_cast<std::uint32_t>(size / (k + n));
  GraphPlan plan{.name = fmt::format("{}-ary {}-fly of {} nodes", k, n, std::uint64_t{width} * k)};
  const auto digits = [&](std::uint32_t stage, std::uint32_t w) {
    std::vector<std::uint32_t> at{stage};
    for (std::uint32_t weight = width / k; weight > 0; weight /= k) at.push_back(w / weight % k);
    return at;
  };
  const double apart = std::max(2.0, static_cast<double>(width) * k / (n + 1));
  for (std::uint32_t stage = 0; stage < n; ++stage) {
    for (std::uint32_t w = 0; w < width; ++w) {
      plan.add_router({fmt::format("s{}.{}", stage, w), false, Point{apart * (stage + 1), (w + 0.5) * k},
                       digits(stage, w)});
    }
  }
  std::uint32_t weight = width;
  for (std::uint32_t stage = 0; stage + 1 < n; ++stage) {
    weight /= k;
    for (std::uint32_t w = 0; w < width; ++w) {
      const std::uint32_t first = w - w / weight % k * weight;
      for (std::uint32_t digit = 0; digit < k; ++digit) {
        plan.links.push_back({.from = stage * width + w,
                              .to = (stage + 1) * width + first + digit * weight,
                              .kind = "switch"});
      }
    }
  }
  for (std::uint32_t p = 0; p < width * k; ++p) {
    auto at = digits(n, p / k);
    at.push_back(p % k);
    const std::uint32_t node =
        plan.add_router({fmt::format("n{}", p), true, Point{0, p + 0.5}, std::move(at), p / k});
    plan.links.push_back({.from = node, .to = p / k, .kind = "node"});
    plan.links.push_back({.from = (n - 1) * width + p / k, .to = node, .kind = "node"});
  }
  return plan;
}

const FamilyRegistry::Entry entry{{
    .name = "butterfly",
    .summary = "k-ary n-fly: n stages of k^(n-1) switches with k links to the next stage, in one direction; "
               "k^n nodes send to the first stage and get from the last",
    .source = "W. Dally, B. Towles: Principles and practices of interconnection networks, 2004, Chapter 4",
    .coordinates = "stage (n: nodes), then n-1 digits below k, and of a node its place at the switch",
    .parameters = {Parameter::integer("k", "links of a switch to the next stage", {2, 63}),
                   Parameter::integer("n", "stages of switches", {1, 16})},
    .routing = "shortest",
    .make = make,
}};

}  // namespace
}  // namespace flitscope::butterfly
