// Tables of routes: refusals with their places.
#include "sim/formats/routes_file.h"

#include <gtest/gtest.h>

#include <memory>

#include "model/error.h"
#include "model/graph.h"
#include "sim/formats/graph_file.h"

namespace flitscope::routes_file_test {
namespace {

/// The errors of a table, by default for the ring of three nodes.
std::string refusal(const std::string& text, const Topology& topology = {TopologyKind::torus, {3}}) {
  Diagnostics diagnostics;
  const auto routes = read_routes(text, "given", topology, diagnostics);
  EXPECT_EQ(routes == nullptr, !diagnostics.none());
  try {
    diagnostics.throw_if_any();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

const std::string kToOthers = "to [1] [0]+0 [2]-0\nto [2] [0]-0 [1]+0\n";

TEST(RoutesFile, RouteOfEveryPair_IsAccepted) {
  EXPECT_EQ(refusal("to [0] [1]-0 [2]+0\n" + kToOthers), "");
}

TEST(RoutesFile, LinkFromTheDestination_IsRefused) {
  EXPECT_EQ(refusal("to [0] [0]+0\n" + kToOthers),
            "given:1:8: '[0]+0' starts at the destination, where the route ends");
}

TEST(RoutesFile, NodeWithoutLink_IsADeadEnd) {
  EXPECT_EQ(refusal("to [0] [1]-0\n" + kToOthers),
            "given: the route from [2] to [0] reaches a dead end at [2]");
}

TEST(RoutesFile, RouteThroughANodeTwice_IsRefusedAsALoop) {
  EXPECT_EQ(refusal("to [0] [1]+0 [2]-0\n" + kToOthers),
            "given: the route from [1] to [0] loops through [1]");
}

TEST(RoutesFile, SecondLinkForADestination_IsRefused) {
  EXPECT_EQ(refusal("to [0] [1]-0 [1]+0 [2]+0\n" + kToOthers),
            "given:1:14: from [1] messages to [0], or to a node attached to the same router, go by [1]-0 "
            "already; a "
            "route has one next link");
}

/// Nodes h and i are attached to router a, which is a node itself; j to b.
TEST(RoutesFile, LayerOfSomeNodesOfARouter_IsRefused) {
  Diagnostics diagnostics;
  const auto plan = read_graph_yaml(
      "graph: 1\nrouters: [{name: a, node: true}, {name: b, node: true}]\n"
      "nodes: [{name: h, router: a}, {name: i, router: a}, {name: j, router: b}]\nlinks: [{between: [a, "
      "b]}]\n",
      "graph.yaml", diagnostics);
  ASSERT_TRUE(plan);
  const Topology topology = Topology::of(std::make_shared<const Graph>(*plan));
  const std::string routes = "to a b>a\nto b a>b\n";
  EXPECT_EQ(refusal(routes + "layer 1 to b from a h i\nlayer 1 to j from h i a\n", topology), "");
  EXPECT_EQ(refusal(routes + "layer 1 to b from h\nlayer 1 to j from a h i\n", topology),
            "given:3:19: the nodes of a router share their layers: layer 1 must also be that of messages "
            "from a to b");
  EXPECT_EQ(refusal(routes + "layer 1 to i from h\n", topology),
            "given:3:19: messages from h to i, which are attached to one router, travel in layer 0");
}

}  // namespace
}  // namespace flitscope::routes_file_test
