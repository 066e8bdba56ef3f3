// Valiant's routing on the dragonfly: the minimal way to the group of a node drawn for each pair of nodes,
// and on from there by the minimal way.
#include "routers/routing/dragonfly_routes.h"
#include "routers/routing/drawn_node.h"
#include "routers/routing/routing.h"

namespace flitscope::dragonfly_valiant {
namespace {

/// The class is the number of global links behind a message: links in order are those of groups and global
/// ones in class 0, the same in class 1, those of groups in class 2.
class DragonflyValiant final : public DeterministicRouting {
 public:
  explicit DragonflyValiant(const Topology& topology) : topology_(topology) {}

  bool follows_routes() const override { return false; }
  unsigned classes() const override { return 3; }
  void build_tables() override {
    if (table_ == nullptr) table_ = dragonfly_routes(topology_);
  }
  void prepare(Head& head, NodeId source) const override {
    head.target[0] = drawn_node(topology_, source, head.destination);
  }
  Candidate first_candidate(NodeId node, Arrival arrival, const Head& head) const override {
    const std::uint32_t here = group(node);
    unsigned global_links = arrival.channel_class;
    if (arrival.port < topology_.link_ports() && group(*topology_.feeder(node, arrival.port)) != here) {
      ++global_links;
    }
    const bool first_part =
        global_links == 0 && here != group(head.target[0]) && here != group(head.destination);
    return {table_->next(node, first_part ? head.target[0] : head.destination), global_links};
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
    .name = "dragonfly-valiant",
    .summary = "on a dragonfly: as dragonfly-minimal to the group of a node drawn for each pair, and on from "
               "there; a class for every global link and one more",
    .source = "L. Valiant, G. Brebner: Universal schemes for parallel communication, 1981; J. Kim, W. Dally, "
              "S. Scott, D. Abts: Technology-driven, highly-scalable dragonfly topology, 2008",
    .families = {"dragonfly"},
    .minimal = false,
    .may_share_classes = false,
    .make = [](const Topology& topology) { return std::make_unique<DragonflyValiant>(topology); },
}};

}  // namespace
}  // namespace flitscope::dragonfly_valiant
