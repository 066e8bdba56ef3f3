// Nearest-common-ancestor routing on the k-ary n-tree, adaptive on the way up.
#include <memory>

#include "routers/routing/routing.h"
#include "routers/routing/tree_ports.h"

namespace flitscope::nearest_common_ancestor_adaptive {
namespace {

/// On the way up any link will do; the one that nearest-common-ancestor takes comes first, then the others in
/// turn. The way down is given. Links are travelled in one order whatever is chosen: up, level by level, and
/// then down.
class NearestCommonAncestorAdaptive final : public TreeRouting<AdaptiveRouting> {
 public:
  using TreeRouting::TreeRouting;

  ClassMask escape_classes() const override { return 1; }
  void add_candidates(NodeId node, Arrival /*arrival*/, const Head& head,
                      std::vector<Candidate>& candidates) const override {
    if (is_node(node)) {
      candidates.push_back({tree().out(node), 0});
      return;
    }
    const std::uint32_t digit = tree().digit(node, head.destination);
    if (tree().is_above(node, head.destination)) {
      candidates.push_back({tree().down(node, digit), 0});
      return;
    }
    for (std::uint32_t i = 0; i < tree().k(); ++i) {
      candidates.push_back({tree().up(node, (digit + i) % tree().k()), 0});
    }
  }
};

const RoutingRegistry::Entry entry{{
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
}  // namespace flitscope::nearest_common_ancestor_adaptive
