// Atomic VC allocation and bubble flow control by hand (docs/timing.md, "Buffer space before a grant"), and what they
// are not defined for.
#include <gtest/gtest.h>

#include <vector>

#include "model/error.h"
#include "routers/modules/limits.h"
#include "tests/reference/reference_network.h"
#include "tests/reference/timed_driver.h"

namespace flitscope::room_before_a_grant_test {
namespace {

using reference::ReferenceNetwork;
using reference::TimedDriver;
using reference::TimedMessage;

constexpr Cycle kLimit = 1000;

TimedMessage message(std::uint64_t id, NodeId source, NodeId destination, std::uint32_t flits) {
  return {{id, source, destination, {}, flits, 1}, 0, std::nullopt};
}

/// One cycle for everything.
MachineConfig plain_machine(std::uint32_t buffer) {
  MachineConfig machine;
  machine.virtual_channels = 1;
  machine.buffer = buffer;
  return machine;
}

/// The cycles in which messages leave `node` by port 0.
std::vector<Cycle> leave(const MachineConfig& machine, const Topology& topology, NodeId node,
                         const std::vector<TimedMessage>& messages) {
  TimedDriver driver(messages);
  ReferenceNetwork network(topology, machine);
  EXPECT_EQ(network.run(driver, kLimit).ending, reference::Ending::completed);
  std::vector<Cycle> cycles;
  for (const reference::Traversal& event : network.traversals()) {
    if (event.node == node && event.output_port == 0) cycles.push_back(event.cycle);
  }
  return cycles;
}

TEST(AtomicAllocation, TheNextMessageWaitsUntilTheBufferIsEmpty) {
  // Two messages of one flit from [0] to [1]. The first leaves in cycle 1, is usable at [1] in cycle 3,
  // leaves for the ejection channel, and its slot can be used by [0] again in cycle 4.
  const Topology line(TopologyKind::mesh, {2});
  const std::vector<TimedMessage> messages{message(1, 0, 1, 1), message(2, 0, 1, 1)};
  MachineConfig machine = plain_machine(4);
  EXPECT_EQ(leave(machine, line, 0, messages), (std::vector<Cycle>{1, 2}));
  machine.vc_allocation = VcAllocation::atomic;
  EXPECT_EQ(leave(machine, line, 0, messages), (std::vector<Cycle>{1, 4}));
}

TEST(BubbleFlowControl, AMessageEntersARingOnlyIfThereIsRoomForTwo) {
  // Two messages of two flits from [0] to [1], buffers of five flits. Without bubbles the second is granted
  // the VC in cycle 3, when the first has left. With them it needs four slots: the first flit's slot is back
  // in cycle 4.
  const Topology ring(TopologyKind::torus, {4});
  const std::vector<TimedMessage> messages{message(1, 0, 1, 2), message(2, 0, 1, 2)};
  MachineConfig machine = plain_machine(5);
  machine.allow_deadlock = true;
  machine.switching = Switching::virtual_cut_through;
  EXPECT_EQ(leave(machine, ring, 0, messages), (std::vector<Cycle>{1, 2, 3, 4}));
  machine.flow = FlowControl::bubble;
  EXPECT_EQ(leave(machine, ring, 0, messages), (std::vector<Cycle>{1, 2, 4, 5}));
}

/// What require_buildable says against a machine.
std::string refusal(const Topology& topology, const MachineConfig& machine) {
  try {
    require_buildable(topology, machine, std::uint64_t{1} << 40);
  } catch (const Inadmissible& error) {
    return error.key() + ": " + error.what();
  }
  return "";
}

TEST(BubbleFlowControl, IsRefusedWhereItIsNotDefined) {
  const Topology torus(TopologyKind::torus, {4, 4});
  MachineConfig machine = plain_machine(8);
  machine.switching = Switching::virtual_cut_through;
  machine.flow = FlowControl::bubble;
  EXPECT_EQ(refusal(torus, machine), "");  // with one VC, and nothing allowed
  EXPECT_EQ(refusal(Topology(TopologyKind::mesh, {4, 4}), machine),
            "router.flow: bubble flow control is for the rings of a torus; a 4x4 mesh has none");
  machine.routing = "duato";
  EXPECT_EQ(refusal(torus, machine),
            "router.flow: bubble flow control needs dimension-order routing, not duato");
  machine.routing = "dimension-order";
  machine.switching = Switching::wormhole;
  EXPECT_EQ(refusal(torus, machine),
            "router.flow: bubble flow control needs virtual-cut-through or store-and-forward switching and "
            "non-atomic VC allocation, so that a buffer can hold two messages");
}

TEST(RoutingFunctions, OfTwoDimensionsAreRefusedOnThree) {
  MachineConfig machine = plain_machine(8);
  machine.routing = "odd-even";
  EXPECT_EQ(refusal(Topology(TopologyKind::mesh, {2, 2, 2}), machine),
            "router.routing: odd-even serves at most 2 dimensions, not a 2x2x2 mesh");
  EXPECT_EQ(refusal(Topology(TopologyKind::torus, {4, 4}), machine),
            "router.routing: odd-even does not serve a torus, only a mesh");
}

}  // namespace
}  // namespace flitscope::room_before_a_grant_test
