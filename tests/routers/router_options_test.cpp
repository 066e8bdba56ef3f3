// Options of routers and links in exact cycles: VC allocation as a stage of its own, slow credits, several
// VCs of a node channel, atomic VC allocation, bubble flow control, links that differ. docs/timing.md, stages
// 3 to 7.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <vector>

#include "model/error.h"
#include "routers/modules/limits.h"
#include "sim/network/network.h"
#include "sim/run/experiment.h"
#include "tests/reference/reference_network.h"
#include "tests/reference/timed_driver.h"

namespace flitscope::router_options_test {
namespace {

using reference::TimedDriver;
using reference::TimedMessage;

constexpr Route kForward{};
const Route kBackward = Route::cyclic(0, Sign::minus);
const Topology kRing(TopologyKind::torus, {8});

TimedMessage message(std::uint64_t id, NodeId source, NodeId destination, Route route, std::uint32_t flits,
                     Cycle ready = 0) {
  return {{id, source, destination, route, flits, 0}, ready, std::nullopt};
}

/// "id entered arrived" of every message, in order of arrival.
std::string times(const MachineConfig& machine, const std::vector<TimedMessage>& messages) {
  return run_isolated([&] {
    Network network("network", kRing, machine);
    TimedDriver driver(messages);
    network.run(driver);
    std::string text;
    for (const Delivery& delivery : driver.deliveries()) {
      text += fmt::format("{}: {} {}\n", delivery.id, delivery.head_entered, delivery.arrived);
    }
    return text;
  });
}

TEST(VcDelay, Head_PaysInEveryRouter) {
  MachineConfig machine;
  machine.buffer = 16;
  for (machine.router_delay = 1; machine.router_delay <= 3; ++machine.router_delay) {
    for (machine.vc_delay = 0; machine.vc_delay <= 3; ++machine.vc_delay) {
      for (machine.credit_delay = 0; machine.credit_delay <= 2; ++machine.credit_delay) {
        for (NodeId hops = 1; hops <= 3; ++hops) {
          const Cycle arrived = (hops + 1) * (machine.router_delay + machine.vc_delay + 1) + 29;
          EXPECT_EQ(times(machine, {message(0, 0, hops, kForward, 30)}), fmt::format("0: 0 {}\n", arrived))
              << "router " << machine.router_delay << " + " << machine.vc_delay << ", credit "
              << machine.credit_delay;
        }
      }
    }
  }
}

TEST(VcDelay, HeadBehindATail_PaysAgain) {
  // Both come in by the one injection FIFO of node 0. The tail of the first leaves in cycle 1 + A + 3; the
  // second head asks in the next one, and leaves A cycles later.
  MachineConfig machine;
  machine.ports = 1;
  for (machine.vc_delay = 0; machine.vc_delay <= 3; ++machine.vc_delay) {
    const Cycle first = 2 * (2 + machine.vc_delay) + 3;
    const Cycle second = first + machine.vc_delay + 4;
    EXPECT_EQ(times(machine, {message(0, 0, 1, kForward, 4), message(1, 0, 1, kForward, 4)}),
              fmt::format("0: 0 {}\n1: 4 {}\n", first, second));
  }
}

TEST(VcDelay, DelayBeyondTheCalendar_IsExact) {
  MachineConfig machine;
  machine.vc_delay = 1000;
  machine.credit_delay = 700;
  EXPECT_EQ(times(machine, {message(0, 0, 3, kForward, 8)}), fmt::format("0: 0 {}\n", 4 * 1002 + 7));
}

TEST(CreditDelay, SlowCredit_LengthensTheRoundTrip) {
  MachineConfig machine;
  machine.link_delay = 2;
  for (machine.buffer = 1; machine.buffer <= 4; ++machine.buffer) {
    for (machine.credit_delay = 0; machine.credit_delay <= 3; ++machine.credit_delay) {
      const Cycle round = 1 + 2 * 2 + machine.credit_delay;
      const Cycle arrived = 2 * 3 + 11 / machine.buffer * round + 11 % machine.buffer;
      EXPECT_EQ(times(machine, {message(0, 0, 1, kForward, 12)}), fmt::format("0: 0 {}\n", arrived))
          << "buffer " << machine.buffer << ", credit " << machine.credit_delay;
    }
  }
}

TEST(NodeVcs, NodeVcs_ShareTheEjectionChannelFlitByFlit) {
  // Both heads are usable in cycle 3. From then on the channel moves a flit of each in turn.
  const std::vector<TimedMessage> messages{message(0, 7, 0, kForward, 10), message(1, 1, 0, kBackward, 10)};
  MachineConfig machine;
  machine.ports = 1;
  machine.node_vcs = 2;
  EXPECT_EQ(times(machine, messages), "0: 0 22\n1: 0 23\n");
  machine.node_vcs = 1;
  EXPECT_EQ(times(machine, messages), "0: 0 13\n1: 0 23\n");
}

TEST(NodeVcs, SecondVc_PassesAWaitingMessage) {
  // Message 0 holds VC 0 of link [0]+0 until its tail leaves in cycle 41, so the head of message 1 waits for
  // a VC in the FIFO of its own, and message 2 in the other direction passes it.
  MachineConfig machine;
  machine.ports = 1;
  machine.virtual_channels = 2;
  machine.buffer = 4;
  const std::vector<TimedMessage> messages{message(0, 7, 1, kForward, 40), message(1, 0, 1, kForward, 4, 5),
                                           message(2, 0, 7, kBackward, 4, 5)};
  machine.node_vcs = 1;
  const std::string one = times(machine, messages);
  machine.node_vcs = 2;
  const std::string two = times(machine, messages);
  EXPECT_NE(one, two);
  EXPECT_NE(two.find("2: 9 16\n"), std::string::npos) << two;
}

TEST(NodeVcs, NodeVcs_CountAmongTheInputBuffers) {
  MachineConfig machine;
  machine.virtual_channels = 24;
  machine.node_vcs = 41;
  const Topology torus(TopologyKind::torus, {4, 4});
  const auto refusal = [&]() -> std::string {
    try {
      require_buildable(torus, machine, std::uint64_t{1} << 30);
      return "";
    } catch (const Inadmissible& error) {
      return error.key() + ": " + error.what();
    }
  };
  EXPECT_EQ(
      refusal(),
      "node.vcs: 4 links with 24 virtual channels and 4 injection channels with 41 make 260 input buffers a "
      "router; at most 256 are possible, so at most 23 virtual channels here, or more with fewer 'node.vcs', "
      "or 53 with 'node: {ports: 1}'");
  machine.node_vcs = 40;
  EXPECT_EQ(refusal(), "");
  machine.injection_interval = machine.ejection_interval = 3;
  EXPECT_EQ(
      refusal(),
      "node.vcs: several virtual channels share an ejection channel that takes a flit in every cycle, not in "
      "every 3: 'node.ejection_interval' must be 1, or 'node.vcs'");
  machine.ejection_interval = 1;
  machine.link_delay = 65535;
  machine.credit_delay = 1;
  EXPECT_EQ(
      refusal(),
      "router.credit_delay: a credit's delay and that of its link may be 65535 cycles together, not 65536");
}

using reference::ReferenceNetwork;

constexpr Cycle kLimit = 1000;

TimedMessage forward_message(std::uint64_t id, NodeId source, NodeId destination, std::uint32_t flits) {
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

TEST(AtomicAllocation, NextMessage_WaitsUntilTheBufferIsEmpty) {
  // Two messages of one flit from [0] to [1]. The first leaves in cycle 1, is usable at [1] in cycle 3,
  // leaves for the ejection channel, and its slot can be used by [0] again in cycle 4.
  const Topology line(TopologyKind::mesh, {2});
  const std::vector<TimedMessage> messages{forward_message(1, 0, 1, 1), forward_message(2, 0, 1, 1)};
  MachineConfig machine = plain_machine(4);
  EXPECT_EQ(leave(machine, line, 0, messages), (std::vector<Cycle>{1, 2}));
  machine.vc_allocation = VcAllocation::atomic;
  EXPECT_EQ(leave(machine, line, 0, messages), (std::vector<Cycle>{1, 4}));
}

TEST(BubbleFlowControl, RingEntry_NeedsSlotsForTwoMessages) {
  // Two messages of two flits from [0] to [1], buffers of five flits. Without bubbles the second is granted
  // the VC in cycle 3, when the first has left. With them it needs four slots: the first flit's slot is back
  // in cycle 4.
  const Topology ring(TopologyKind::torus, {4});
  const std::vector<TimedMessage> messages{forward_message(1, 0, 1, 2), forward_message(2, 0, 1, 2)};
  MachineConfig machine = plain_machine(5);
  machine.allow_deadlock = true;
  machine.switching = Switching::virtual_cut_through;
  EXPECT_EQ(leave(machine, ring, 0, messages), (std::vector<Cycle>{1, 2, 3, 4}));
  machine.flow = FlowControl::bubble;
  EXPECT_EQ(leave(machine, ring, 0, messages), (std::vector<Cycle>{1, 2, 4, 5}));
}

/// The error of require_buildable for a machine.
std::string refusal(const Topology& topology, const MachineConfig& machine) {
  try {
    require_buildable(topology, machine, std::uint64_t{1} << 40);
  } catch (const Inadmissible& error) {
    return error.key() + ": " + error.what();
  }
  return "";
}

TEST(BubbleFlowControl, UndefinedMachine_IsRefused) {
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

TEST(RoutingFunctions, FunctionOfTwoDimensions_IsRefusedOnThree) {
  MachineConfig machine = plain_machine(8);
  machine.routing = "odd-even";
  EXPECT_EQ(refusal(Topology(TopologyKind::mesh, {2, 2, 2}), machine),
            "router.routing: odd-even serves at most 2 dimensions, not a 2x2x2 mesh");
  EXPECT_EQ(refusal(Topology(TopologyKind::torus, {4, 4}), machine),
            "router.routing: odd-even does not serve a torus, only a mesh");
}

/// Cycles of one message alone, from node 0 along a line of nodes.
Cycle time_of_one(const Topology& line, const MachineConfig& machine, NodeId destination,
                  std::uint32_t flits) {
  const std::vector<TimedMessage> messages{
      {{0, 0, destination, shortest_route(line, 0, destination), flits, 0}, 0, std::nullopt}};
  return std::stoull(run_isolated([&] {
    Network network("network", line, machine);
    TimedDriver driver(messages);
    network.run(driver);
    return std::to_string(driver.deliveries().at(0).arrived);
  }));
}

const Topology kLine(TopologyKind::mesh, {5});

/// Links 0, 1, 2 and 3 lead from node to node in direction +.
MachineConfig unequal() {
  MachineConfig machine;
  machine.buffer = 64;
  machine.link_delay = 2;
  machine.links.single[kLine.channel(0, 0)] = {7, std::nullopt};
  machine.links.single[kLine.channel(1, 0)] = {1, 3};
  machine.links.single[kLine.channel(2, 0)] = {std::nullopt, 2};
  machine.startup = 11;
  return machine;
}

/// Delays of links 0 .. hops-1, of hops + 1 routers, and of the ejection channel.
Cycle head_time(const MachineConfig& machine, unsigned hops) {
  Cycle time = machine.startup + Cycle{hops + 1} * machine.router_delay + machine.link_delay;
  for (NodeId node = 0; node < hops; ++node) time += machine.link(kLine, kLine.channel(node, 0)).delay;
  return time;
}

TEST(UnequalLinks, Message_TakesTheDelaysAndTheLongestInterval) {
  const MachineConfig machine = unequal();
  const std::uint64_t paces[] = {1, 3, 3, 3};
  for (unsigned hops = 1; hops <= 4; ++hops) {
    for (const std::uint32_t flits : {1U, 2U, 9U, 30U}) {
      EXPECT_EQ(time_of_one(kLine, machine, hops, flits),
                head_time(machine, hops) + (flits - 1) * paces[hops - 1])
          << hops << " links, " << flits << " flits";
    }
  }
}

TEST(UnequalLinks, StoreAndForward_PaysEveryInterval) {
  MachineConfig machine = unequal();
  machine.switching = Switching::store_and_forward;
  machine.injection_interval = 2;
  machine.ejection_interval = 4;
  // The links take a flit every 1, 3, 2 and 1 cycles.
  EXPECT_EQ(time_of_one(kLine, machine, 4, 20), head_time(machine, 4) + 19 * (2 + 1 + 3 + 2 + 1 + 4));
}

TEST(UnequalLinks, InjectionOrEjection_CanBeTheSlowest) {
  MachineConfig machine = unequal();
  machine.injection_interval = 5;
  EXPECT_EQ(time_of_one(kLine, machine, 3, 10), head_time(machine, 3) + 9 * 5);
  machine.injection_interval = 1;
  machine.ejection_interval = 6;
  EXPECT_EQ(time_of_one(kLine, machine, 3, 10), head_time(machine, 3) + 9 * 6);
}

TEST(UnequalLinks, DelaysBeyondTheCalendarsWheel_AreExact) {
  MachineConfig machine = unequal();
  machine.buffer = 2;
  machine.links.single[kLine.channel(3, 0)] = {5000, 700};
  EXPECT_EQ(time_of_one(kLine, machine, 4, 1), head_time(machine, 4));
  // Two flits every R+2D cycles.
  EXPECT_EQ(time_of_one(kLine, machine, 4, 3), head_time(machine, 4) + 1 + 2 * 5000);
  machine.buffer = 64;
  EXPECT_EQ(time_of_one(kLine, machine, 4, 11), head_time(machine, 4) + 10 * 700);
  machine.router_delay = 1000;
  EXPECT_EQ(time_of_one(kLine, machine, 4, 11), head_time(machine, 4) + 10 * 700);
}

TEST(LongDelays, Memory_FollowsTheFlitsInFlight) {
  const Topology torus(TopologyKind::torus, {8, 8, 8});
  MachineConfig machine;
  machine.link_delay = 65'535;
  std::vector<TimedMessage> messages;
  for (NodeId node = 0; node < torus.nodes(); ++node) {
    const NodeId opposite = torus.nodes() - 1 - node;
    messages.push_back(
        {{node, node, opposite, shortest_route(torus, node, opposite), 20, 0}, 0, std::nullopt});
  }
  const std::string megabytes = run_isolated([&] {
    Network network("network", torus, machine);
    TimedDriver driver(messages);
    network.run(driver);
    if (driver.deliveries().size() != messages.size()) return std::string("not everything arrived");
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return std::to_string(usage.ru_maxrss / 1024);
  });
  EXPECT_LT(std::stoul(megabytes), 128U);
}

}  // namespace
}  // namespace flitscope::router_options_test
