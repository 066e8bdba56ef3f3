// The k-ary n-tree: a fat tree of n levels of switches with k links down and k links up.
#include <fmt/format.h>

#include "model/error.h"
#include "networks/network_family.h"

namespace flitscope::k_ary_n_tree {
namespace {

constexpr std::uint64_t kMaxSwitches = std::uint64_t{1} << 20;

/// A switch has the coordinates {level, w_0, .., w_(n-2)}, digits below k; level 0 is the top. Switch w of a
/// level has links to those of the level below that differ from it, at most, in digit `level`. A node {n,
/// p_0, .., p_(n-1)} hangs on switch {n-1, p_0, .., p_(n-2)}.
class Tree {
 public:
  Tree(std::uint32_t k, std::uint32_t n) : k_(k), n_(n), width_(1) {
    for (std::uint32_t i = 1; i < n; ++i) width_ *= k;
  }

  [[nodiscard]] GraphPlan plan() const {
    GraphPlan plan{.name = fmt::format("{}-ary {}-tree of {} nodes", k_, n_, std::uint64_t{width_} * k_)};
    for (std::uint32_t level = 0; level < n_; ++level) {
      for (std::uint32_t w = 0; w < width_; ++w) {
        const double x = (w + 0.5) * k_;
        plan.add_router(
            {fmt::format("s{}.{}", level, w), false, Point{x, 2.0 * level}, coordinates(level, w)});
      }
    }
    for (std::uint32_t level = 0; level + 1 < n_; ++level) {
      for (std::uint32_t w = 0; w < width_; ++w) {
        for (std::uint32_t digit = 0; digit < k_; ++digit) {
          plan.join(level * width_ + w, (level + 1) * width_ + with_digit(w, level, digit),
                    {.kind = "switch"});
        }
      }
    }
    for (std::uint32_t p = 0; p < width_ * k_; ++p) {
      auto at = coordinates(n_, p / k_);
      at.push_back(p % k_);
      plan.add_node((n_ - 1) * width_ + p / k_,
                    {fmt::format("n{}", p), true, Point{p + 0.5, 2.0 * n_}, std::move(at)});
    }
    return plan;
  }

 private:
  /// Weight of a digit of w; digit 0 is the first.
  [[nodiscard]] std::uint32_t weight(std::uint32_t digit) const {
    std::uint32_t weight = 1;
    for (std::uint32_t i = digit + 2; i < n_; ++i) weight *= k_;
    return weight;
  }
  [[nodiscard]] std::uint32_t with_digit(std::uint32_t w, std::uint32_t digit, std::uint32_t value) const {
    const std::uint32_t present = w / weight(digit) % k_;
    return w - present * weight(digit) + value * weight(digit);
  }
  [[nodiscard]] std::vector<std::uint32_t> coordinates(std::uint32_t level, std::uint32_t w) const {
    std::vector<std::uint32_t> result{level};
    for (std::uint32_t digit = 0; digit + 1 < n_; ++digit) result.push_back(w / weight(digit) % k_);
    return result;
  }

  std::uint32_t k_;
  std::uint32_t n_;
  std::uint32_t width_;  ///< switches of a level
};

GraphPlan make(const ParameterValues& values) {
  const auto k = static_cast<std::uint32_t>(values.integer("k"));
  const auto n = static_cast<std::uint32_t>(values.integer("n"));
  std::uint64_t switches = n;
  for (std::uint32_t i = 1; i < n; ++i) {
    switches *= k;
    if (switches <= kMaxSwitches) continue;
    throw Inadmissible("topology.n", "a {}-ary {}-tree has more than {} switches", k, n, kMaxSwitches);
  }
  return Tree(k, n).plan();
}

/// Every permutation has paths that share no link, so half of the nodes can send to the others at full rate.
std::optional<std::uint64_t> bisection(const ParameterValues& values) {
  std::int64_t nodes = 1;
  for (std::int64_t i = 0; i < values.integer("n"); ++i) nodes *= values.integer("k");
  return static_cast<std::uint64_t>(nodes / 2);
}

const FamilyRegistry::Entry entry{{
    .name = "k-ary-n-tree",
    .summary =
        "fat tree: n levels of k^(n-1) switches, each with k links down and, but at the top, k up; k^n nodes",
    .source = "F. Petrini, M. Vanneschi: k-ary n-trees: high performance networks for massively parallel "
              "architectures, 1997",
    .coordinates =
        "level (0: the top, n: nodes), then n-1 digits below k, and of a node its place at the switch",
    .parameters = {Parameter::integer("k", "links of a switch down, and up", {2, 31}),
                   Parameter::integer("n", "levels of switches", {2, 16})},
    .routing = "nearest-common-ancestor",
    .bisection = bisection,
    .make = make,
}};

}  // namespace
}  // namespace flitscope::k_ary_n_tree
