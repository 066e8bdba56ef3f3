// Minimal routing on the dragonfly: in the group to a router with a link to the other group, over that link,
// and in that group to the destination.
#include "routers/routing/dragonfly_routes.h"
#include "routers/routing/routing.h"

namespace flitscope::dragonfly_minimal {
namespace {

/// Class 0 until a message is in the group of its destination, class 1 from there on: links in order are
/// those of a group in class 0, global ones, those of a group in class 1.
class DragonflyMinimal final : public DeterministicRouting {
 public:
  explicit DragonflyMinimal(const Topology& topology) : topology_(topology) {}

  bool follows_routes() const override { return false; }
  unsigned classes() const override { return 2; }
  void build_tables() override {
    if (table_ == nullptr) table_ = dragonfly_routes(topology_);
  }
  void prepare(Head& head, NodeId /*source*/) const override { head.target[0] = group(head.destination); }
  Candidate first_candidate(NodeId node, Arrival /*arrival*/, const Head& head) const override {
    return {table_->next(node, head.destination), group(node) == head.target[0] ? 1U : 0U};
  }
  std::optional<std::string> objection(NodeId /*source*/, NodeId /*destination*/,
                                       Route /*route*/) const override {
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::uint32_t group(NodeId router) const { return dragonfly_group(topology_, router); }

  Topology topology_;
  std::shared_ptr<const RouteTable> table_;
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
