// Minimal routing and Valiant's routing on the dragonfly.
#include <algorithm>
#include <memory>

#include "model/graph.h"
#include "model/route_table.h"
#include "model/topology.h"
#include "routers/routing/routing.h"
#include "routers/routing/table_routing.h"

namespace flitscope {

DragonflyRoutes::DragonflyRoutes(const Topology& topology) : RouteTable(topology) {
  for (NodeId router = 0; router < topology.routers(); ++router) {
    groups_.push_back(topology.graph()->coordinates(router)[0]);
  }
  const CoreLinks links(topology, *this);
  std::vector<std::uint32_t> group(cores());
  for (std::uint32_t core = 0; core < cores(); ++core) group[core] = groups_[router(core)];
  BalancedLinks balanced(links, *this);
  std::vector<bool> has_link(cores());
  for (std::uint32_t to = 0; to < cores(); ++to) {
    const auto leads_there = [&](const CoreLink& link) { return group[link.to] == group[to]; };
    for (std::uint32_t core = 0; core < cores(); ++core) {
      has_link[core] = std::ranges::any_of(links.leaving(core), leads_there);
    }
    balanced.begin(to);
    for (std::uint32_t at = 0; at < cores(); ++at) {
      if (group[at] == group[to] || has_link[at]) continue;
      balanced.settle(at,
                      [&](const CoreLink& link) { return group[link.to] == group[at] && has_link[link.to]; });
    }
    for (std::uint32_t at = 0; at < cores(); ++at) {
      if (group[at] != group[to] && has_link[at]) balanced.settle(at, leads_there);
    }
    for (std::uint32_t at = 0; at < cores(); ++at) {
      if (group[at] == group[to] && at != to) {
        balanced.settle(at, [&](const CoreLink& link) { return link.to == to; });
      }
    }
  }
}

std::shared_ptr<const DragonflyRoutes> dragonfly_routes(const Topology& topology) {
  return topology.graph()->computed("dragonfly-minimal",
                                    [&] { return std::make_shared<const DragonflyRoutes>(topology); });
}

namespace {

/// A routing function along minimal paths, from group to group.
class DragonflyRouting : public WithoutRoutes<DeterministicRouting> {
 public:
  using WithoutRoutes::WithoutRoutes;

  void build_tables() final { table_ = dragonfly_routes(topology()); }

 protected:
  [[nodiscard]] const DragonflyRoutes& table() const { return *table_; }

 private:
  std::shared_ptr<const DragonflyRoutes> table_;
};

/// Class 0 until a message is in the group of its destination, class 1 there. Links are ordered: those of a
/// group in class 0, global ones, those of a group in class 1.
class DragonflyMinimal final : public DragonflyRouting {
 public:
  using DragonflyRouting::DragonflyRouting;

  unsigned classes() const override { return 2; }
  NodesOfRouter nodes_of_router() const override { return NodesOfRouter::alike; }
  void prepare(Head& head, NodeId /*source*/) const override {
    head.prepared = table().group(head.destination);
  }
  Candidate first_candidate(NodeId node, Arrival /*arrival*/, const Head& head) const override {
    return {table().next(node, head.destination), table().group(node) == head.prepared ? 1U : 0U};
  }
};

const RoutingRegistry::Entry dragonfly_minimal_entry{{
    .name = "dragonfly-minimal",
    .summary = "on a dragonfly: one link of a group, a global one, one of a group at most; a second class in "
               "the group of the destination",
    .source =
        "J. Kim, W. Dally, S. Scott, D. Abts: Technology-driven, highly-scalable dragonfly topology, 2008",
    .families = {"dragonfly"},
    .minimal = false,
    .make = [](const Topology& topology) { return std::make_unique<DragonflyMinimal>(topology); },
}};

/// The class is the number of global links behind a message. Links are ordered: those of groups and global
/// ones in class 0, then those in class 1, then those of groups in class 2.
class DragonflyValiant final : public DragonflyRouting {
 public:
  using DragonflyRouting::DragonflyRouting;

  unsigned classes() const override { return 3; }
  void prepare(Head& head, NodeId source) const override {
    head.prepared = random_intermediate(topology(), source, head.destination, head.route.draw);
  }
  Candidate first_candidate(NodeId node, Arrival arrival, const Head& head) const override {
    const std::uint32_t here = table().group(node);
    unsigned global_links = arrival.channel_class;
    if (arrival.port < topology().link_ports() &&
        table().group(*topology().upstream(node, arrival.port)) != here) {
      ++global_links;
    }
    const auto drawn = static_cast<NodeId>(head.prepared);
    const std::uint32_t there = table().group(head.destination);
    const bool first_part =
        global_links == 0 && here != there && here != table().group(drawn) && there != table().group(drawn);
    return {table().next(node, first_part ? drawn : head.destination), global_links};
  }
};

const RoutingRegistry::Entry dragonfly_valiant_entry{over_drawn_nodes({
    .name = "dragonfly-valiant",
    .summary = "on a dragonfly: as dragonfly-minimal to the group of a node drawn for each pair, and on from "
               "there; a class for every global link and one more",
    .source = "L. Valiant, G. Brebner: Universal schemes for parallel communication, 1981; J. Kim, W. Dally, "
              "S. Scott, D. Abts: Technology-driven, highly-scalable dragonfly topology, 2008",
    .families = {"dragonfly"},
    .make = [](const Topology& topology) { return std::make_unique<DragonflyValiant>(topology); },
})};

}  // namespace
}  // namespace flitscope
