// Minimal routing on the dragonfly: in the group to a router with a link to the other group, over that link,
// and in that group to the destination.
#include "routers/routing/dragonfly_routes.h"

namespace flitscope::dragonfly_minimal {
namespace {

/// Class 0 until a message is in the group of its destination, class 1 from there on: links in order are
/// those of a group in class 0, global ones, those of a group in class 1.
class DragonflyMinimal final : public DragonflyRouting {
 public:
  using DragonflyRouting::DragonflyRouting;

  unsigned classes() const override { return 2; }
  void prepare(Head& head, NodeId /*source*/) const override { head.prepared = group(head.destination); }
  Candidate first_candidate(NodeId node, Arrival /*arrival*/, const Head& head) const override {
    return {port_to(node, head.destination), group(node) == head.prepared ? 1U : 0U};
  }
};

const RoutingRegistry::Entry entry{{
    .name = "dragonfly-minimal",
    .summary = "on a dragonfly: one link of a group, a global one, one of a group at most; a second class in "
               "the group of the destination",
    .source = "J. Kim, W. Dally, S. Scott, D. Abts: Technology-driven, highly-scalable dragonfly topology, "
              "2008",
    .families = {"dragonfly"},
    .minimal = false,
    .make = [](const Topology& topology) { return std::make_unique<DragonflyMinimal>(topology); },
}};

}  // namespace
}  // namespace flitscope::dragonfly_minimal
