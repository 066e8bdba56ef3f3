// Networks that a program steps: the same cycles as a simulation's, with messages that stay until taken.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <any>
#include <deque>
#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/adaptors/stepped_network.h"
#include "sim/network/network.h"
#include "sim/run/experiment.h"
#include "tests/reference/random_case.h"
#include "tests/support/random_cases.h"

namespace flitscope::stepped_network_test {
namespace {

using reference::RandomCase;
using reference::TimedMessage;

const Topology kMesh(TopologyKind::mesh, {4, 4});

/// docs/timing.md, with all delays 1, from when it is ready.
Cycle time_of(unsigned links, std::uint32_t flits) {
  return (links + 1) * 2 + flits - 1;
}

TEST(SteppedNetwork, Message_ArrivesInTheCycleOfTheFormula) {
  SteppedNetwork network(kMesh, MachineConfig{});
  network.advance_to(7);
  network.send(0, {.destination = 15, .flits = 9, .content = std::string("hello")});
  const Cycle arrives = 7 + time_of(6, 9);
  network.advance_to(arrives);
  EXPECT_EQ(network.peek(15), nullptr);
  EXPECT_EQ(network.in_flight(), 1U);
  network.step();
  ASSERT_NE(network.peek(15), nullptr);
  EXPECT_EQ(network.in_flight(), 0U);
  const IncomingMessage message = network.take(15);
  EXPECT_EQ(std::any_cast<std::string>(message.content), "hello");
  EXPECT_EQ(message.source, 0U);
  EXPECT_EQ(message.ready, 7U);
  EXPECT_EQ(message.arrived, arrives);
  EXPECT_EQ(network.peek(15), nullptr);
}

TEST(SteppedNetwork, NextEvent_LeadsToEveryArrivalWithoutCyclesInBetween) {
  MachineConfig machine;
  machine.link_delay = 50;
  SteppedNetwork network(kMesh, machine);
  EXPECT_EQ(network.next_event(), kNever);
  network.send(0, {.destination = 1});
  EXPECT_EQ(network.next_event(), 0U);
  unsigned calls = 0;
  for (; network.peek(1) == nullptr; ++calls) network.advance_to(network.next_event() + 1);
  EXPECT_EQ(network.take(1).arrived, 102U);
  EXPECT_LT(calls, 10U);
  EXPECT_EQ(network.next_event(), kNever);
}

TEST(SteppedNetwork, NodesWithArrivals_AreToldOnceInOrder) {
  SteppedNetwork network(kMesh, MachineConfig{});
  for (int i = 0; i < 3; ++i) network.send(3, {.destination = 12});
  network.send(0, {.destination = 5});
  network.advance_to(100);
  EXPECT_EQ(network.take_arrived_nodes(), (std::vector<NodeId>{5, 12}));
  EXPECT_TRUE(network.take_arrived_nodes().empty());
  network.send(5, {.destination = 12});
  network.advance_to(200);
  EXPECT_EQ(network.take_arrived_nodes(), std::vector<NodeId>{12});
}

TEST(SteppedNetwork, MessagesOfOneNode_ArriveInTheOrderOfTheirSends) {
  SteppedNetwork network(kMesh, MachineConfig{});
  for (int i = 0; i < 20; ++i) network.send(3, {.destination = 12, .content = i});
  network.advance_to(100);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(std::any_cast<int>(network.take(12).content), i);
}

/// Every second cycle is like the last two, and is not run until a message comes between them.
TEST(SteppedNetwork, MessageSentWhileCyclesRepeat_IsReadyInItsCycle) {
  MachineConfig machine;
  machine.injection_interval = 2;
  for (Cycle ready = 500; ready < 520; ++ready) {
    SteppedNetwork network(kMesh, machine);
    network.send(0, {.destination = 3, .flits = 400});
    network.advance_to(ready);
    network.send(15, {.destination = 12});
    while (network.peek(12) == nullptr) network.advance_to(network.next_event() + 1);
    EXPECT_EQ(network.take(12).arrived, ready + time_of(3, 1));
  }
}

/// Messages that are not taken fill the ejection buffer, then the network, then the injection queue.
TEST(SteppedNetwork, MessagesThatAreNotTaken_StopTheSender) {
  MachineConfig machine;
  machine.ports = 1;
  machine.virtual_channels = 1;
  machine.buffer = 4;
  machine.ejection_buffer = 8;
  machine.injection_queue = 2;
  SteppedNetwork network(Topology(TopologyKind::mesh, {2}), machine);
  unsigned sent = 0;
  for (; network.now() < 200; network.step()) {
    if (!network.can_send(0)) continue;
    network.send(0, {.destination = 1, .flits = 4});
    ++sent;
  }
  // 2 in the ejection buffer, 1 in each router's buffer, 1 in the injection channel, 2 in the queue.
  EXPECT_EQ(sent, 7U);
  EXPECT_FALSE(network.can_send(0));
  EXPECT_EQ(network.next_event(), kNever);
  // The message in the buffer of the last router waits for the ejection buffer.
  EXPECT_GT(network.stalls()[static_cast<std::size_t>(StallCause::sink_full)], 150U);
  network.take(1);
  network.advance_to(300);
  EXPECT_TRUE(network.can_send(0));
  EXPECT_EQ(network.in_flight(), sent - 3);
}

TEST(SteppedNetwork, ImpossibleCalls_AreRefused) {
  MachineConfig machine;
  machine.ejection_buffer = 8;
  machine.injection_queue = 1;
  SteppedNetwork network(kMesh, machine);
  const auto refusal = [&](auto act) {
    try {
      act();
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refusal([&] { network.send(16, {.destination = 0}); }), "there is no node 16: a 4x4 mesh has 16");
  EXPECT_EQ(refusal([&] { network.send(0, {.destination = 16}); }), "there is no node 16 to send to");
  EXPECT_EQ(refusal([&] { network.send(0, {.destination = 1, .flits = 0}); }),
            "a message has 1 to 536870911 flits, not 0");
  EXPECT_EQ(refusal([&] { network.send(0, {.destination = 1, .flits = 9}); }),
            "a message of 9 flits does not fit into an ejection buffer of 8");
  EXPECT_EQ(refusal([&] { network.send(0, {.destination = 1, .message_class = 1}); }),
            "there is no message class 1: the machine has 1");
  network.send(0, {.destination = 1});
  EXPECT_EQ(refusal([&] { network.send(0, {.destination = 1}); }),
            "the injection queue of node 0 is full: ask can_send() first");
  EXPECT_EQ(refusal([&] { network.take(3); }), "no message has arrived at node 3");
  network.advance_to(5);
  EXPECT_EQ(refusal([&] { network.advance_to(4); }), "cycle 4 is over: the next one is 5");
  EXPECT_EQ(refusal([&] { network.advance_to(kNever); }),
            "there is no cycle 18446744073709551615: a network runs 1000000000000000 cycles");
  network.advance_to(kMaxCycles);
  EXPECT_EQ(refusal([&] { network.step(); }),
            "there is no cycle 1000000000000001: a network runs 1000000000000000 cycles");
  EXPECT_EQ(network.now(), kMaxCycles);
  MachineConfig around;
  around.routing = "layered";
  SteppedNetwork holed(kMesh.without({{}, {5}}), around);
  EXPECT_EQ(refusal([&] { holed.send(0, {.destination = 5}); }), "node [1, 1] is missing");
  EXPECT_EQ(refusal([&] { holed.send(5, {.destination = 0}); }), "node [1, 1] is missing");
  EXPECT_EQ(holed.in_flight(), 0U);
  machine.virtual_channels = 65;
  EXPECT_ANY_THROW(SteppedNetwork(kMesh, machine));
}

constexpr Cycle kLimit = 3000;

/// Whether a node takes a message of each class in this cycle.
bool takes(NodeId node, Cycle now) {
  return (node + now) % 3 == 0;
}

/// The messages of a case in a simulation. Its nodes take those that arrived in earlier cycles, now and then.
class SlowTaker final : public Driver {
 public:
  explicit SlowTaker(const RandomCase& random_case)
      : case_(random_case), lines_(random_case.topology.nodes()) {
    for (auto& classes : lines_) classes.resize(random_case.machine.message_classes());
    for (const TimedMessage& each : random_case.messages) packets_[each.packet.id] = each.packet;
  }
  void start(Transport& network) override { at(network, 0); }
  void delivered(Transport&, std::span<const Delivery> deliveries, Cycle) override {
    for (const Delivery& delivery : deliveries) {
      const Packet& packet = packets_.at(delivery.id);
      lines_[packet.destination][packet.message_class].push_back(delivery);
    }
  }
  [[nodiscard]] Cycle next_event() const override { return 0; }
  void at(Transport& network, Cycle now) override {
    for (NodeId node = 0; node < lines_.size(); ++node) {
      for (auto& line : lines_[node]) {
        if (!takes(node, now) || line.empty() || line.front().arrived == now) continue;
        network.take(line.front().id);
        text += fmt::format("{} at {}\n", line.front().id, line.front().arrived);
        line.pop_front();
      }
    }
    const auto& messages = case_.messages;
    for (; next_ < messages.size() && messages[next_].ready <= now; ++next_) {
      network.send(messages[next_].packet);
    }
  }
  [[nodiscard]] bool holds_deliveries() const override { return true; }
  [[nodiscard]] bool finished() const override { return false; }

  std::string text;

 private:
  const RandomCase& case_;
  std::map<std::uint64_t, Packet> packets_;
  std::vector<std::vector<std::deque<Delivery>>> lines_;  ///< by node and class
  std::size_t next_ = 0;
};

std::string in_a_simulation(const RandomCase& random_case) {
  return run_isolated([&] {
    Network network("network", random_case.topology, random_case.machine);
    SlowTaker driver(random_case);
    network.run(driver, kLimit);
    return driver.text;
  });
}

/// The same messages in a network that is stepped, or led from event to event while no message waits.
std::string stepped(const RandomCase& random_case, bool by_events) {
  SteppedNetwork network(random_case.topology, random_case.machine);
  std::string text;
  auto next = random_case.messages.begin();
  std::set<NodeId> nodes;  // with messages that have not been taken
  for (Cycle now = 0; now <= kLimit; network.advance_to(now)) {
    for (NodeId node = 0; node < random_case.topology.nodes(); ++node) {
      for (std::uint32_t each = 0; each < random_case.machine.message_classes(); ++each) {
        if (!takes(node, now) || network.peek(node, each) == nullptr) continue;
        const IncomingMessage message = network.take(node, each);
        text += fmt::format("{} at {}\n", std::any_cast<std::uint64_t>(message.content), message.arrived);
      }
    }
    for (; next != random_case.messages.end() && next->ready <= now; ++next) {
      const Packet& packet = next->packet;
      network.send(packet.source, {.destination = packet.destination,
                                   .flits = packet.flits,
                                   .content = packet.id,
                                   .message_class = packet.message_class});
    }
    ++now;
    if (!by_events) continue;
    for (const NodeId node : network.take_arrived_nodes()) nodes.insert(node);
    std::erase_if(nodes, [&](NodeId node) {
      for (std::uint32_t each = 0; each < random_case.machine.message_classes(); ++each) {
        if (network.peek(node, each) != nullptr) return false;
      }
      return true;
    });
    if (!nodes.empty()) continue;
    const Cycle ready = next == random_case.messages.end() ? kLimit + 1 : next->ready;
    now = std::max(now, std::min(ready, network.next_event()));
  }
  return text;
}

TEST(SteppedNetwork, RandomMachines_DeliverEveryMessageInTheCycleOfASimulation) {
  unsigned with_classes = 0;
  for (std::uint64_t seed = 0; seed < test::cases(100) && !HasFailure(); ++seed) {
    RandomCase random_case = reference::random_case(11'000'000 + seed);
    if (seed % 2 == 0) {
      if (auto changed = reference::with_message_classes(random_case)) {
        random_case = *changed;
        ++with_classes;
      }
    }
    random_case.machine.injection_queue.reset();  // these messages are handed over in any case
    for (TimedMessage& each : random_case.messages) {
      const Topology own =
          random_case.topology.network(random_case.machine.network_of(each.packet.message_class));
      each.packet.route = shortest_route(own, each.packet.source, each.packet.destination);
      each.ready %= kLimit / 2;
    }
    std::ranges::stable_sort(random_case.messages, {}, &TimedMessage::ready);
    for (std::size_t i = 0; i < random_case.messages.size(); ++i) random_case.messages[i].packet.id = i;
    const std::string expected = in_a_simulation(random_case);
    EXPECT_EQ(stepped(random_case, false), expected) << reference::description(random_case);
    EXPECT_EQ(stepped(random_case, true), expected) << reference::description(random_case);
  }
  EXPECT_GT(with_classes, test::cases(100) / 8);
}

TEST(SteppedNetwork, MachineThatItsRoutingRefuses_IsRefusedWhenItIsMade) {
  const Topology one_way(TopologyKind::torus, {3, 3}, LinkDirections::plus);
  MachineConfig machine;
  machine.routing = "up-down";
  EXPECT_THROW(SteppedNetwork(one_way, machine), Inadmissible);
}

}  // namespace
}  // namespace flitscope::stepped_network_test
