// Nearest-common-ancestor routing on the k-ary n-tree: up to the nearest switch that is above the
// destination, and down from there.
#include <memory>

#include "routers/routing/routing.h"
#include "routers/routing/tree_ports.h"

namespace flitscope::nearest_common_ancestor {
namespace {

/// There is one way down, and a choice at every switch on the way up: the switch whose digit is the one that
/// a way down from the same level would choose. So all messages to a node come down from one switch of the
/// top, and nodes that hang on one switch have switches of their own up there (D-mod-k).
class NearestCommonAncestor final : public TreeRouting<DeterministicRouting> {
 public:
  using TreeRouting::TreeRouting;

  Candidate first_candidate(NodeId node, Arrival /*arrival*/, const Head& head) const override {
    if (is_node(node)) return {tree().out(node), 0};
    const std::uint32_t digit = tree().digit(node, head.destination);
    const bool is_above = tree().is_above(node, head.destination);
    return {is_above ? tree().down(node, digit) : tree().up(node, digit), 0};
  }
};

const RoutingRegistry::Entry entry{{
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

}  // namespace
}  // namespace flitscope::nearest_common_ancestor
