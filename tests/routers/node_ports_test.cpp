// How many messages a node can send and receive at once, to the cycle; and which machines cannot be built.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "model/error.h"
#include "routers/modules/limits.h"
#include "sim/network/network.h"
#include "sim/run/experiment.h"
#include "tests/reference/timed_driver.h"

namespace flitscope::node_ports_test {
namespace {

using reference::TimedDriver;
using reference::TimedMessage;

TimedMessage message(std::uint64_t id, NodeId source, NodeId destination, Route route, std::uint32_t flits) {
  return {{id, source, destination, route, flits, 0}, 0, std::nullopt};
}

/// "id entered arrived" of every message, in order of arrival.
std::string times(const Topology& topology, const MachineConfig& machine,
                  const std::vector<TimedMessage>& messages) {
  return run_isolated([&] {
    Network network("network", topology, machine);
    TimedDriver driver(messages);
    network.run(driver);
    std::string text;
    for (const Delivery& delivery : driver.deliveries()) {
      text += fmt::format("{}: {} {}\n", delivery.id, delivery.head_entered, delivery.arrived);
    }
    return text;
  });
}

constexpr std::uint32_t kFlits = 10;
constexpr Cycle kStartup = 7;
constexpr Route kForward{};
const Route kBackward = Route::cyclic(0, Sign::minus);
const Topology kRing(TopologyKind::torus, {8});

MachineConfig machine_with(std::optional<unsigned> ports, std::uint32_t interval) {
  MachineConfig machine;
  machine.ports = ports;
  machine.injection_interval = machine.ejection_interval = interval;
  machine.startup = kStartup;
  return machine;
}

/// From the head's entry to the tail's arrival over one link, all delays 1.
constexpr Cycle one_hop(std::uint32_t interval) {
  return 2 * 2 + Cycle{kFlits - 1} * interval;
}

TEST(OnePortNode, Messages_LeaveOneAfterTheOther) {
  const std::vector<TimedMessage> messages{message(0, 0, 1, kForward, kFlits),
                                           message(1, 0, 7, kBackward, kFlits)};
  for (std::uint32_t interval = 1; interval <= 3; ++interval) {
    const Cycle first = kStartup;
    const Cycle second = first + kFlits * interval + kStartup;
    EXPECT_EQ(times(kRing, machine_with(1, interval), messages),
              fmt::format("0: {} {}\n1: {} {}\n", first, first + one_hop(interval), second,
                          second + one_hop(interval)));
  }
}

TEST(TwoPortNode, ThirdMessage_LeavesAfterTheFirst) {
  const Topology torus(TopologyKind::torus, {8, 8});
  const std::vector<TimedMessage> messages{message(0, 0, 1, kForward, kFlits),
                                           message(1, 0, 7, kBackward, kFlits + 5),
                                           message(2, 0, 8, kForward, kFlits)};
  const Cycle third = kStartup + kFlits + kStartup;
  EXPECT_EQ(times(torus, machine_with(2, 1), messages),
            fmt::format("0: {} {}\n1: {} {}\n2: {} {}\n", kStartup, kStartup + one_hop(1), kStartup,
                        kStartup + one_hop(1) + 5, third, third + one_hop(1)));
}

TEST(TwoPortNode, OneMessageForTwoIdlePorts_LeavesOnce) {
  const Topology torus(TopologyKind::torus, {8, 8});
  const std::vector<TimedMessage> messages{message(0, 0, 1, kForward, kFlits),
                                           message(1, 0, 7, kBackward, kFlits),
                                           message(2, 0, 8, kForward, kFlits)};
  const Cycle third = kStartup + kFlits + kStartup;
  EXPECT_EQ(times(torus, machine_with(2, 1), messages),
            fmt::format("0: {0} {1}\n1: {0} {1}\n2: {2} {3}\n", kStartup, kStartup + one_hop(1), third,
                        third + one_hop(1)));
}

TEST(AllPortNode, MessagesForAllLinks_LeaveAtOnce) {
  const std::vector<TimedMessage> messages{message(0, 0, 1, kForward, kFlits),
                                           message(1, 0, 7, kBackward, kFlits)};
  const Cycle arrived = kStartup + one_hop(2);
  EXPECT_EQ(times(kRing, machine_with(std::nullopt, 2), messages),
            fmt::format("0: {0} {1}\n1: {0} {1}\n", kStartup, arrived));
}

TEST(AllPortNode, MessagesForOneLink_LeaveOneAfterTheOther) {
  const std::vector<TimedMessage> messages{message(0, 0, 1, kForward, kFlits),
                                           message(1, 0, 1, kForward, kFlits)};
  const Cycle second = kStartup + kFlits + kStartup;
  EXPECT_EQ(
      times(kRing, machine_with(std::nullopt, 1), messages),
      fmt::format("0: {} {}\n1: {} {}\n", kStartup, kStartup + one_hop(1), second, second + one_hop(1)));
}

TEST(OnePortNode, Messages_AreReceivedOneAfterTheOther) {
  const std::vector<TimedMessage> messages{message(0, 7, 0, kForward, kFlits),
                                           message(1, 1, 0, kBackward, kFlits)};
  for (std::uint32_t interval = 1; interval <= 3; ++interval) {
    const Cycle first = kStartup + one_hop(interval);
    // The tail leaves the node's router; the channel is free in the next cycle, and due `interval` later. The
    // other message has piled up in the buffer of 8 meanwhile.
    const Cycle second = first + kFlits * interval;
    EXPECT_EQ(times(kRing, machine_with(1, interval), messages),
              fmt::format("0: {0} {1}\n1: {0} {2}\n", kStartup, first, second));
  }
}

TEST(AllPortNode, MessagesOnAllLinks_AreReceivedAtOnce) {
  const std::vector<TimedMessage> messages{message(0, 7, 0, kForward, kFlits),
                                           message(1, 1, 0, kBackward, kFlits)};
  EXPECT_EQ(times(kRing, machine_with(std::nullopt, 1), messages),
            fmt::format("0: {0} {1}\n1: {0} {1}\n", kStartup, kStartup + one_hop(1)));
}

// --- Machines that cannot be built ---

constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30;

/// "key: message" of the refusal, or "" if the machine can be built.
std::string refusal(const Topology& topology, const MachineConfig& machine,
                    std::uint64_t memory = kGibibyte) {
  try {
    require_buildable(topology, machine, memory);
    return "";
  } catch (const Inadmissible& error) {
    return error.key() + ": " + error.what();
  }
}

TEST(Buildable, TooFewVirtualChannels_AreRefused) {
  const Topology torus(TopologyKind::torus, {4, 4});
  const Topology mesh(TopologyKind::mesh, {4, 4});
  MachineConfig machine;
  machine.virtual_channels = 1;
  EXPECT_EQ(refusal(mesh, machine), "");
  EXPECT_EQ(
      refusal(torus, machine),
      "router.virtual_channels: dimension-order on a torus needs at least 2 virtual channels to be free of "
      "deadlock, not 1 (or 'allow_deadlock: true', to watch one)");
  machine.routing = "cyclic-dimension-order";
  EXPECT_NE(refusal(mesh, machine).find("at least 2 virtual channels"), std::string::npos);
  machine.virtual_channels = 3;
  EXPECT_EQ(refusal(mesh, machine), "");
  EXPECT_NE(refusal(torus, machine).find("at least 4 virtual channels"), std::string::npos);
  machine.allow_deadlock = true;
  EXPECT_EQ(refusal(torus, machine), "");
}

TEST(Buildable, MoreThan256InputBuffers_AreRefused) {
  const Topology torus(TopologyKind::torus, {2, 2, 2, 2, 2, 2});
  MachineConfig machine;
  machine.virtual_channels = 20;
  EXPECT_EQ(refusal(torus, machine), "");  // 12 * 20 + 12 = 252
  machine.virtual_channels = 21;
  EXPECT_EQ(
      refusal(torus, machine),
      "router.virtual_channels: 12 links with 21 virtual channels and 12 injection channels make 264 input "
      "buffers a router; at most 256 are possible, so at most 20 virtual channels here, or 21 with 'node: "
      "{ports: 1}'");
  for (const SwitchAllocator allocator : {SwitchAllocator::separable_input_first, SwitchAllocator::islip}) {
    machine.parts.switch_allocator = allocator;
    machine.ports = 4;
    EXPECT_EQ(refusal(torus, machine), "");  // exactly 256
    machine.ports = 5;
    EXPECT_NE(refusal(torus, machine), "");
  }
}

TEST(Buildable, ClassesWithMoreThan256InputBuffers_AreToldHowManyTheyCanHave) {
  MachineConfig machine;
  machine.ports = 1;
  machine.classes = {{"a", 0xFFFFFF}, {"b", 0xFFFFFF000000}};
  machine.virtual_channels = 48;
  const Topology mesh(TopologyKind::mesh, {3, 3, 3});
  EXPECT_EQ(
      refusal(mesh, machine),
      "classes: 6 links with 48 virtual channels and 1 injection channel with 2 make 290 input buffers a "
      "router; at most 256 are possible, so the classes have together at most 42 virtual channels here");
  machine.node_queues = NodeQueues::shared;
  EXPECT_EQ(
      refusal(mesh, machine),
      "classes: 6 links with 48 virtual channels and 1 injection channel make 289 input buffers a "
      "router; at most 256 are possible, so the classes have together at most 42 virtual channels here");
}

TEST(Buildable, ClassesWithTooFewVirtualChannels_AreNamed) {
  MachineConfig machine;
  machine.routing = "valiant";
  machine.classes = {{"a", 0b0011}, {"b", 0b0100}};
  machine.virtual_channels = 3;
  const std::string error =
      "classes[1]: classes[1]: valiant on a mesh needs at least 2 virtual channels in each message class";
  EXPECT_EQ(refusal(Topology(TopologyKind::mesh, {4, 4}), machine).substr(0, error.size()), error);
  machine.classes = {{"a", 0b1}};
  machine.virtual_channels = 1;
  EXPECT_EQ(refusal(Topology(TopologyKind::mesh, {4, 4}), machine).substr(0, 10), "classes[0]");
}

TEST(Buildable, MorePortsThanLinks_AreRefused) {
  const Topology torus(TopologyKind::torus, {4, 4});
  EXPECT_EQ(refusal(torus, machine_with(4, 1)), "");
  EXPECT_EQ(refusal(torus, machine_with(5, 1)),
            "node.ports: a node has as many ports as its router to others: on a 4x4 torus at most 4, not 5");
}

TEST(Buildable, PartsThatAreNotSimulatedWithClassesOrEjectionBuffers_AreRefused) {
  const Topology torus(TopologyKind::torus, {4, 4});
  const auto refused = [&](RouterParts parts, std::uint32_t priority = 0,
                           std::optional<std::uint32_t> ejection_buffer = {}) {
    MachineConfig machine;
    machine.classes = {{"request", 0b0011, priority}, {"reply", 0b1100, 0}};
    machine.virtual_channels = 4;
    machine.credit_delay = 1;
    machine.parts = parts;
    machine.ejection_buffer = ejection_buffer;
    if (parts.vc_allocator == VcAllocator::switch_winner) machine.vc_allocation = VcAllocation::with_slot;
    const std::string text = refusal(torus, machine);
    return text.substr(0, text.find(':'));
  };
  EXPECT_EQ(refused({.vc_allocator = VcAllocator::separable_input_first,
                     .switch_allocator = SwitchAllocator::islip,
                     .arbiter = Arbiter::age}),
            "");
  EXPECT_EQ(refused({.speculation = Speculation::requests}), "");
  EXPECT_EQ(refused({.early_credits = true}), "");
  EXPECT_EQ(refused({.output_queue = 1}, 0, 8), "");
  EXPECT_EQ(refused({.arbiter = Arbiter::age}, 1), "");
  EXPECT_EQ(refused({.vc_allocator = VcAllocator::switch_winner}, 0, 8), "");
  EXPECT_EQ(refused({.early_credits = true}, 0, 8), "router.early_credits");
}

TEST(Buildable, MachineBeyondMemory_IsRefused) {
  const Topology torus(TopologyKind::torus, {1024, 1024});
  EXPECT_EQ(refusal(torus, MachineConfig{}, 64 * kGibibyte), "");
  const std::string text = refusal(torus, MachineConfig{}, kGibibyte);
  EXPECT_TRUE(
      text.starts_with("topology.shape: not enough memory: a 1024x1024 torus with 2 virtual channels of 8 "
                       "flits needs 1.6 GiB"))
      << text;
  EXPECT_TRUE(text.ends_with("GiB, 1.0 GiB available")) << text;
}

TEST(Buildable, PartsBeyondMemory_AreRefused) {
  const Topology torus(TopologyKind::torus, {64, 64});
  MachineConfig machine;
  machine.virtual_channels = 63;
  EXPECT_EQ(refusal(torus, machine, kGibibyte / 4), "");
  machine.parts.vc_allocator = VcAllocator::separable_input_first_flat;
  machine.parts.arbiter = Arbiter::matrix;  // 2 * 256 arbiters over 256 VCs a router
  EXPECT_NE(refusal(torus, machine, kGibibyte / 4).find("not enough memory"), std::string::npos);
  EXPECT_EQ(refusal(torus, machine, kGibibyte), "");
}

TEST(Buildable, Network_RefusesAnUnbuildableMachine) {
  EXPECT_EQ(run_isolated([]() -> std::string {
              MachineConfig machine;
              machine.virtual_channels = 1;
              try {
                const Network network("network", Topology(TopologyKind::torus, {4}), machine);
              } catch (const Inadmissible& error) {
                return error.key();
              }
              return "built";
            }),
            "router.virtual_channels");
}

}  // namespace
}  // namespace flitscope::node_ports_test
