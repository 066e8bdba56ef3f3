// Stages of switches that are joined as in a butterfly. The k-ary n-tree: a fat tree with nodes on its last
// stage and links in both directions. The butterfly: links in one direction, from the nodes through all
// stages to the nodes.
#include "networks/grid.h"
#include "networks/network_family.h"

namespace flitscope::butterflies {
namespace {

/// Switch {stage, w} has the numbers w = 0 .. k^(n-1) - 1, of n-1 digits below k. From stage i links lead to
/// those of stage i+1 that differ from it, at most, in digit i, the first digit 0. Node p is at switch p / k
/// of a stage.
class Stages {
 public:
  Stages(std::uint32_t k, std::uint32_t n) : k_(k), n_(n) {
    for (std::uint32_t i = 1; i < n; ++i) width_ *= k;
  }

  [[nodiscard]] std::uint32_t width() const { return width_; }  ///< switches of a stage
  [[nodiscard]] std::uint32_t nodes() const { return width_ * k_; }

  /// Adds the switches, each at at(stage, its place in the stage).
  template <typename At>
  void add_switches(GraphPlan& plan, At at) const {
    for (std::uint32_t stage = 0; stage < n_; ++stage) {
      for (std::uint32_t w = 0; w < width_; ++w) {
        plan.add_router(
            {fmt::format("s{}.{}", stage, w), false, at(stage, (w + 0.5) * k_), coordinates(stage, w)});
      }
    }
  }
  /// Calls visit(from, to) for the links between switches.
  template <typename Visit>
  void for_each_link(Visit visit) const {
    std::uint32_t weight = width_;  // of the digit that changes
    for (std::uint32_t stage = 0; stage + 1 < n_; ++stage) {
      weight /= k_;
      for (std::uint32_t w = 0; w < width_; ++w) {
        const std::uint32_t first = w - w / weight % k_ * weight;
        for (std::uint32_t digit = 0; digit < k_; ++digit)
          visit(stage * width_ + w, (stage + 1) * width_ + first + digit * weight);
      }
    }
  }
  [[nodiscard]] GraphPlan::Router node(std::uint32_t p, Point at) const {
    auto coordinates_of_node = coordinates(n_, p / k_);
    coordinates_of_node.push_back(p % k_);
    return {fmt::format("n{}", p), true, at, std::move(coordinates_of_node)};
  }

 private:
  [[nodiscard]] std::vector<std::uint32_t> coordinates(std::uint32_t stage, std::uint32_t w) const {
    std::vector<std::uint32_t> result{stage};
    for (std::uint32_t weight = width_ / k_; weight > 0; weight /= k_) result.push_back(w / weight % k_);
    return result;
  }

  std::uint32_t k_;
  std::uint32_t n_;
  std::uint32_t width_ = 1;
};

GraphPlan make_tree(const ParameterValues& values) {
  constexpr std::uint64_t kMaxSwitches = std::uint64_t{1} << 20;
  const auto k = static_cast<std::uint32_t>(values.integer("k"));
  const auto n = static_cast<std::uint32_t>(values.integer("n"));
  require_links("topology.k", std::uint64_t{k} * (n == 1 ? 1 : 2));
  std::uint64_t switches = n;
  for (std::uint32_t i = 1; i < n; ++i) {
    switches *= k;
    refuse_if(switches > kMaxSwitches, "topology.n", "a {}-ary {}-tree has more than {} switches", k, n,
              kMaxSwitches);
  }
  const Stages stages(k, n);
  GraphPlan plan{.name = fmt::format("{}-ary {}-tree of {} nodes", k, n, stages.nodes())};
  stages.add_switches(plan, [](std::uint32_t level, double across) { return Point{across, 2.0 * level}; });
  stages.for_each_link(
      [&](std::uint32_t up, std::uint32_t down) { plan.join(up, down, {.kind = "switch"}); });
  for (std::uint32_t p = 0; p < stages.nodes(); ++p)
    plan.add_node((n - 1) * stages.width() + p / k, stages.node(p, {p + 0.5, 2.0 * n}));
  return plan;
}

/// Every permutation has paths that share no link, so half of the nodes can send to the others at full rate.
std::optional<std::uint64_t> bisection_of_tree(const ParameterValues& values) {
  std::int64_t nodes = 1;
  for (std::int64_t i = 0; i < values.integer("n"); ++i) nodes *= values.integer("k");
  return static_cast<std::uint64_t>(nodes / 2);
}

const FamilyRegistry::Entry tree_entry{{
    .name = "k-ary-n-tree",
    .summary =
        "fat tree: n levels of k^(n-1) switches, each with k links down and, but at the top, k up; k^n nodes",
    .source = "F. Petrini, M. Vanneschi: k-ary n-trees: high performance networks for massively parallel "
              "architectures, 1997",
    .coordinates =
        "level (0: the top, n: nodes), then n-1 digits below k, and of a node its place at the switch",
    .parameters = {Parameter::integer("k", "links of a switch down, and up", {2, Graph::kMaxPorts}),
                   Parameter::integer("n", "levels of switches; 1: a single one", {1, 16})},
    .routing = "nearest-common-ancestor",
    .bisection = bisection_of_tree,
    .make = make_tree,
}};

/// Node p sends to switch p / k of stage 0, and switch p / k of the last stage sends to it.
GraphPlan make_butterfly(const ParameterValues& values) {
  const auto k = static_cast<std::uint32_t>(values.integer("k"));
  const auto n = static_cast<std::uint32_t>(values.integer("n"));
  std::uint64_t size = k + n;
  for (std::uint32_t i = 1; i < n; ++i) {
    size *= k;
    require_routers("topology.n", size);
  }
  const Stages stages(k, n);
  GraphPlan plan{.name = fmt::format("{}-ary {}-fly of {} nodes", k, n, stages.nodes())};
  const double apart = std::max(2.0, static_cast<double>(stages.nodes()) / (n + 1));
  stages.add_switches(plan, [&](std::uint32_t stage, double down) {
    return Point{apart * (stage + 1), down};
  });
  stages.for_each_link([&](std::uint32_t from, std::uint32_t to) {
    plan.links.push_back({.from = from, .to = to, .kind = "switch"});
  });
  for (std::uint32_t p = 0; p < stages.nodes(); ++p) {
    GraphPlan::Router at_switch = stages.node(p, {0, p + 0.5});
    at_switch.group = p / k;
    const std::uint32_t node = plan.add_router(std::move(at_switch));
    plan.links.push_back({.from = node, .to = p / k, .kind = "node"});
    plan.links.push_back({.from = (n - 1) * stages.width() + p / k, .to = node, .kind = "node"});
  }
  return plan;
}

const FamilyRegistry::Entry butterfly_entry{{
    .name = "butterfly",
    .summary = "k-ary n-fly: n stages of k^(n-1) switches with k links to the next stage, in one direction; "
               "k^n nodes send to the first stage and get from the last",
    .source = "W. Dally, B. Towles: Principles and practices of interconnection networks, 2004, Chapter 4",
    .coordinates = "stage (n: nodes), then n-1 digits below k, and of a node its place at the switch",
    .parameters = {Parameter::integer("k", "links of a switch to the next stage", {2, Graph::kMaxPorts}),
                   Parameter::integer("n", "stages of switches", {1, 16})},
    .routing = "shortest",
    .make = make_butterfly,
}};

}  // namespace
}  // namespace flitscope::butterflies
