// Nearest-common-ancestor routing on the k-ary n-tree: up to the nearest switch that is above the
// destination, and down from there; deterministic, or adaptive on the way up.
#include <cstdint>
#include <memory>
#include <vector>

#include "model/graph.h"
#include "model/topology.h"
#include "params/parameter.h"
#include "routers/routing/routing.h"

namespace flitscope {
namespace {

/// The links of a k-ary n-tree by digit. Node p has the digits p_0 .. p_(n-1). Below a switch of level l are
/// the nodes whose first l digits are its own. A link down from level l selects digit l of a node, a link up
/// the same digit of the upper switch.
class TreePorts {
 public:
  explicit TreePorts(const Topology& topology);

  /// Switches that a switch is joined to on the next level.
  [[nodiscard]] std::uint32_t k() const { return k_; }
  /// Of a switch.
  [[nodiscard]] bool is_above(NodeId at, NodeId node) const {
    return node / below_[level_[at]] == prefix_[at];
  }
  /// The digit of `node` that a link down or up from `at` selects.
  [[nodiscard]] std::uint32_t digit(NodeId at, NodeId node) const {
    return node / below_[level_[at] + 1] % k_;
  }
  /// The port that leads down to a node, or else, of D-mod-k, up to the switch with its digit at this level.
  [[nodiscard]] unsigned next(NodeId at, NodeId node) const {
    if (at < nodes_) return out_[at];
    return is_above(at, node) ? ports_[slot(at) + digit(at, node)] : up(at, digit(at, node));
  }
  /// The port that leads up to the switch with that digit. Requires a switch that is not at the top.
  [[nodiscard]] unsigned up(NodeId at, std::uint32_t digit) const { return ports_[slot(at) + k_ + digit]; }

 private:
  [[nodiscard]] std::size_t slot(NodeId at) const { return std::size_t{at - nodes_} * 2 * k_; }

  NodeId nodes_;
  std::uint32_t k_;
  std::vector<std::uint32_t> below_;   ///< by level: nodes below a switch; at the end 1, that of a node
  std::vector<std::uint8_t> level_;    ///< by router
  std::vector<std::uint32_t> prefix_;  ///< by router: its first digits, as many as its level, as a number
  std::vector<std::uint8_t> out_;      ///< by node: its only port
  std::vector<std::uint8_t> ports_;    ///< by switch: down by digit, then up by digit
};

TreePorts::TreePorts(const Topology& topology)
    : nodes_(topology.nodes()),
      k_(static_cast<std::uint32_t>(topology.graph()->parameters().integer("k"))),
      level_(topology.routers()),
      prefix_(topology.routers()),
      out_(nodes_),
      ports_(std::size_t{topology.routers() - nodes_} * 2 * k_) {
  const Graph& graph = *topology.graph();
  const auto levels = static_cast<std::size_t>(graph.parameters().integer("n"));
  below_.assign(levels + 1, 1);
  for (std::size_t level = levels; level > 0; --level) below_[level - 1] = below_[level] * k_;
  for (NodeId router = 0; router < topology.routers(); ++router) {
    const auto at = graph.coordinates(router);
    level_[router] = static_cast<std::uint8_t>(at[0]);
    for (std::uint32_t i = 0; i < at[0]; ++i) prefix_[router] = prefix_[router] * k_ + at[i + 1];
    topology.for_each_link_from(router, [&](unsigned port, NodeId to) {
      if (router < nodes_) {
        out_[router] = static_cast<std::uint8_t>(port);
        return;
      }
      // Both links between two levels change the digit of the upper one.
      const auto end = graph.coordinates(to);
      const bool is_down = end[0] > at[0];
      const std::uint32_t changed = is_down ? end[at[0] + 1] : end[at[0]];
      ports_[slot(router) + (is_down ? 0 : k_) + changed] = static_cast<std::uint8_t>(port);
    });
  }
}

/// A routing function that goes up to a switch above the destination and down from there, with one class.
/// `Base` is DeterministicRouting or AdaptiveRouting.
template <typename Base>
class TreeRouting : public WithoutRoutes<Base> {
 public:
  using WithoutRoutes<Base>::WithoutRoutes;

  unsigned classes() const final { return 1; }
  void build_tables() final {
    if (tree_ == nullptr) tree_ = std::make_unique<const TreePorts>(this->topology());
  }

 protected:
  /// A node, not a switch.
  [[nodiscard]] bool is_node(NodeId router) const { return router < this->topology().nodes(); }
  [[nodiscard]] const TreePorts& tree() const { return *tree_; }

 private:
  std::unique_ptr<const TreePorts> tree_;
};

/// The path down is unique. The path up selects the upper switch by the digit of the destination at this
/// level, so all messages to a node descend from one switch at the top, and nodes of one switch have
/// different ones (D-mod-k).
class NearestCommonAncestor final : public TreeRouting<DeterministicRouting> {
 public:
  using TreeRouting::TreeRouting;

  NodesOfRouter nodes_of_router() const override { return NodesOfRouter::send_alike; }
  Candidate first_candidate(NodeId node, Arrival /*arrival*/, const Head& head) const override {
    return {tree().next(node, head.destination), 0};
  }
};

const RoutingRegistry::Entry nearest_common_ancestor_entry{{
    .name = "nearest-common-ancestor",
    .summary = "on a k-ary n-tree: up to the nearest switch above the destination, by links that the "
               "destination's digits choose, and down; one class",
    .source = "F. Petrini, M. Vanneschi: k-ary n-trees: high performance networks for massively parallel "
              "architectures, 1997; E. Zahavi: D-Mod-K routing providing non-blocking traffic for shift "
              "permutations on real life fat trees, 2010",
    .families = {"k-ary-n-tree"},
    .minimal = false,
    .make = [](const Topology& topology) { return std::make_unique<NearestCommonAncestor>(topology); },
}};

/// Any link up is a candidate; the one of nearest-common-ancestor is first, then the others in turn. The path
/// down is unique. Links are always travelled up, level by level, and then down.
class NearestCommonAncestorAdaptive final : public TreeRouting<AdaptiveRouting> {
 public:
  using TreeRouting::TreeRouting;

  ClassMask escape_classes() const override { return 1; }
  void add_candidates(NodeId node, Arrival /*arrival*/, const Head& head,
                      std::vector<Candidate>& candidates) const override {
    candidates.push_back({tree().next(node, head.destination), 0});
    if (is_node(node) || tree().is_above(node, head.destination)) return;
    const std::uint32_t digit = tree().digit(node, head.destination);
    for (std::uint32_t i = 1; i < tree().k(); ++i) {
      candidates.push_back({tree().up(node, (digit + i) % tree().k()), 0});
    }
  }
};

const RoutingRegistry::Entry nearest_common_ancestor_adaptive_entry{{
    .name = "nearest-common-ancestor-adaptive",
    .summary = "on a k-ary n-tree: up to the nearest switch above the destination, by any links, and down; "
               "one class",
    .source = "F. Petrini, M. Vanneschi: k-ary n-trees: high performance networks for massively parallel "
              "architectures, 1997",
    .families = {"k-ary-n-tree"},
    .minimal = false,
    .make =
        [](const Topology& topology) { return std::make_unique<NearestCommonAncestorAdaptive>(topology); },
}};

}  // namespace
}  // namespace flitscope
