// Tables of routes: refusals with their places.
#include "sim/formats/routes_file.h"

#include <gtest/gtest.h>

#include "model/error.h"

namespace flitscope::routes_file_test {
namespace {

/// The errors of a table for the ring of three nodes.
std::string refusal(const std::string& text) {
  Diagnostics diagnostics;
  const auto routes = read_routes(text, "given", Topology(TopologyKind::torus, {3}), diagnostics);
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
            "given:1:14: from [1] messages to [0], or to a node that hangs on the same router, go by [1]-0 "
            "already; a "
            "route has one next link");
}

}  // namespace
}  // namespace flitscope::routes_file_test
