// Tori whose links lead in one direction of every dimension only.
#include <gtest/gtest.h>

#include "model/error.h"
#include "model/route.h"
#include "model/topology.h"

namespace flitscope {
namespace {

Topology one_way(std::vector<std::uint32_t> sides, LinkDirections directions) {
  return {TopologyKind::torus, std::move(sides), directions};
}

TEST(OneWayTorus, Ports_HaveLinksInItsDirectionOnly) {
  for (const LinkDirections directions : {LinkDirections::plus, LinkDirections::minus}) {
    const Topology topology = one_way({4, 3}, directions);
    const Topology whole(TopologyKind::torus, {4, 3});
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      for (unsigned port = 0; port < topology.link_ports(); ++port) {
        const bool leads = topology.leads(sign_of_port(port));
        EXPECT_EQ(leads, (sign_of_port(port) == Sign::plus) == (directions == LinkDirections::plus));
        EXPECT_EQ(topology.neighbour(node, port), leads ? whole.neighbour(node, port) : std::nullopt);
        EXPECT_EQ(topology.upstream(node, port), leads ? whole.upstream(node, port) : std::nullopt);
      }
    }
  }
}

TEST(OneWayTorus, ShortestRoute_GoesRoundInItsDirection) {
  const Topology plus = one_way({10, 12}, LinkDirections::plus);
  const Topology minus = one_way({10, 12}, LinkDirections::minus);
  for (NodeId node = 1; node < plus.nodes(); ++node) {
    const std::uint32_t links =
        (plus.coordinate(node, 0) != 0 ? 10 : 0) + (plus.coordinate(node, 1) != 0 ? 12 : 0);
    // There and back is once round every ring in which the two nodes differ.
    for (const Topology& topology : {plus, minus}) {
      EXPECT_EQ(route_length(topology, 0, node, shortest_route(topology, 0, node)) +
                    route_length(topology, node, 0, shortest_route(topology, node, 0)),
                links);
    }
    EXPECT_EQ(route_length(plus, 0, node, shortest_route(plus, 0, node)),
              route_length(minus, node, 0, shortest_route(minus, node, 0)));
  }
}

TEST(OneWayTorus, RouteAgainstTheLinks_DoesNotExist) {
  const Topology topology = one_way({5}, LinkDirections::plus);
  EXPECT_TRUE(route_exists(topology, 0, 4, Route::cyclic(0, Sign::plus)));
  EXPECT_FALSE(route_exists(topology, 0, 4, Route::cyclic(0, Sign::minus)));
  EXPECT_FALSE(topology.hops(0, 0, 4, Sign::minus));
  EXPECT_EQ(topology.hops(0, 0, 4, Sign::plus), 4U);
}

TEST(OneWayTorus, LinkThatIsMissing_LeavesTheOthers) {
  const Topology whole = one_way({3, 3}, LinkDirections::plus);
  const Topology topology = whole.without({.links = {whole.channel(0, 0)}, .nodes = {}});
  EXPECT_FALSE(topology.has_link(0, 0));
  EXPECT_EQ(topology.neighbour(1, 0), 2U);
  EXPECT_FALSE(topology.has_link(1, 1));
  EXPECT_NE(topology, whole);
  EXPECT_NE(whole, Topology(TopologyKind::torus, {3, 3}));
}

TEST(OneWayTorus, MeshWithLinksOfOneDirection_IsRefused) {
  try {
    const Topology mesh(TopologyKind::mesh, {2, 2}, LinkDirections::plus);
    FAIL() << "accepted";
  } catch (const Inadmissible& reason) {
    EXPECT_EQ(reason.key(), "topology.directions");
    EXPECT_STREQ(reason.what(), "links of one direction are for tori: on a mesh they lead no message back");
  }
}

TEST(OneWayTorus, Name_SaysSo) {
  EXPECT_EQ(one_way({10, 12}, LinkDirections::plus).name(), "10x12 one-way torus");
  EXPECT_EQ(one_way({8}, LinkDirections::minus).name(), "one-way ring of 8 nodes");
}

}  // namespace
}  // namespace flitscope
