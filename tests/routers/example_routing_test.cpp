// docs/adding-a-routing-function.md: its example is compiled from the page; what it declares counts.
#include <gtest/gtest.h>

#include "model/error.h"
#include "routers/modules/limits.h"
#include "routers/routing/routing.h"

namespace flitscope::example_routing_test {
namespace {

TEST(ExampleOfARoutingFunction, IsRegistered) {
  const Routing* const routing = RoutingRegistry::find("north-last");
  ASSERT_NE(routing, nullptr);
  const Topology mesh(TopologyKind::mesh, {4, 4});
  EXPECT_TRUE(routing->serves(mesh));
  EXPECT_FALSE(routing->serves(Topology(TopologyKind::torus, {4, 4})));
  EXPECT_FALSE(routing->make(mesh)->deterministic());
}

TEST(ExampleOfARoutingFunction, IsRefusedWhereItDoesNotServe) {
  MachineConfig machine;
  machine.routing = "north-last";
  constexpr std::uint64_t kPlenty = std::uint64_t{1} << 40;
  EXPECT_NO_THROW(require_buildable(Topology(TopologyKind::mesh, {4, 4}), machine, kPlenty));
  try {
    require_buildable(Topology(TopologyKind::torus, {4, 4}), machine, kPlenty);
    FAIL() << "a torus is no mesh";
  } catch (const Inadmissible& error) {
    EXPECT_STREQ(error.what(), "north-last does not serve a torus, only a mesh");
  }
}

}  // namespace
}  // namespace flitscope::example_routing_test
