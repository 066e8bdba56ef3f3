// Valiant's routing on the dragonfly: the minimal way to the group of a node drawn for each pair of nodes,
// and on from there by the minimal way.
#include "routers/routing/dragonfly_routes.h"
#include "routers/routing/random_intermediate.h"

namespace flitscope::dragonfly_valiant {
namespace {

/// The class is the number of global links behind a message: links in order are those of groups and global
/// ones in class 0, the same in class 1, those of groups in class 2.
class DragonflyValiant final : public DragonflyRouting {
 public:
  using DragonflyRouting::DragonflyRouting;

  unsigned classes() const override { return 3; }
  void prepare(Head& head, NodeId source) const override {
    head.prepared = random_intermediate(topology(), source, head.destination);
  }
  Candidate first_candidate(NodeId node, Arrival arrival, const Head& head) const override {
    const std::uint32_t here = group(node);
    unsigned global_links = arrival.channel_class;
    if (arrival.port < topology().link_ports() && group(*topology().upstream(node, arrival.port)) != here) {
      ++global_links;
    }
    const auto drawn = static_cast<NodeId>(head.prepared);
    const bool first_part = global_links == 0 && here != group(drawn) && here != group(head.destination);
    return {port_to(node, first_part ? drawn : head.destination), global_links};
  }
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
