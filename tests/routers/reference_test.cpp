// Is the reference model itself right? Formulas, examples done by hand, conservation, deadlock.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <ostream>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "model/route.h"
#include "routers/routing/routing.h"
#include "tests/reference/brute_force_deadlock.h"
#include "tests/reference/random_case.h"
#include "tests/reference/reference_network.h"
#include "tests/reference/timed_driver.h"

namespace flitscope::reference {

// GoogleTest prints events with these.
void PrintTo(const Traversal& event, std::ostream* out) {
  *out << "cycle " << event.cycle << ": node " << event.node << ", output port " << event.output_port
       << ", VC " << event.vc << ", message " << event.message << ", flit " << event.flit;
}
void PrintTo(const Injection& event, std::ostream* out) {
  *out << "cycle " << event.cycle << ": node " << event.node << ", channel " << event.channel << ", message "
       << event.message << ", flit " << event.flit;
}

namespace reference_test {
namespace {

constexpr Cycle kLimit = 1'000'000;

TimedMessage message(std::uint64_t id, NodeId source, NodeId destination, Route route, std::uint32_t flits) {
  return {{id, source, destination, route, flits, 0}, 0, std::nullopt};
}

std::uint64_t stalls(const Outcome& outcome, StallCause cause) {
  return outcome.stalls[static_cast<std::size_t>(cause)];
}

Cycle head_stalls(const Delivery& delivery, StallCause cause) {
  return delivery.head_stalls[static_cast<std::size_t>(cause)];
}

/// A machine of one cycle for everything.
MachineConfig plain_machine(unsigned virtual_channels, std::uint32_t buffer) {
  MachineConfig machine;
  machine.virtual_channels = virtual_channels;
  machine.buffer = buffer;
  return machine;
}

// --- One message in an empty network ---

Cycle latency_of_one(const MachineConfig& machine, std::uint32_t hops, std::uint32_t flits) {
  const Topology line(TopologyKind::mesh, {13});
  const std::vector<TimedMessage> messages{message(7, 0, hops, {}, flits)};
  TimedDriver driver(messages);
  ReferenceNetwork network(line, machine);
  const Outcome outcome = network.run(driver, kLimit);
  EXPECT_EQ(outcome.ending, Ending::completed);
  EXPECT_EQ(outcome.flits_moved, flits * (hops + 1));
  EXPECT_EQ(stalls(outcome, StallCause::vc_taken), 0U);
  EXPECT_EQ(stalls(outcome, StallCause::switch_lost), 0U);
  EXPECT_EQ(outcome.cycles, network.deliveries().at(0).arrived);
  return network.deliveries().at(0).arrived - network.deliveries().at(0).ready;
}

class OneMessageInTheModel : public testing::TestWithParam<Switching> {};

TEST_P(OneMessageInTheModel, AnyMachine_TakesTheTimeOfTheFormula) {
  const bool stored = GetParam() == Switching::store_and_forward;
  for (const std::uint32_t hops : {1U, 2U, 5U, 12U}) {
    for (const std::uint32_t flits : {1U, 2U, 3U, 7U, 16U, 64U}) {
      for (std::uint32_t delays = 0; delays < 9; ++delays) {
        for (const std::uint32_t interval : {1U, 2U, 3U}) {
          MachineConfig machine = plain_machine(1, 0);
          machine.switching = GetParam();
          machine.router_delay = 1 + delays / 3;
          machine.link_delay = 1 + delays % 3;
          machine.injection_interval = machine.ejection_interval = interval;
          machine.startup = (delays * 5 + interval) % 11;
          if (delays % 2 == 1) machine.ports = 1;
          const std::uint32_t loop = machine.router_delay + 2 * machine.link_delay;
          machine.buffer = (loop + interval - 1) / interval;
          if (GetParam() != Switching::wormhole) machine.buffer = std::max(machine.buffer, flits);
          const Cycle expected = machine.startup +
                                 Cycle{hops + 1} * (machine.router_delay + machine.link_delay) +
                                 Cycle{flits - 1} * (stored ? 2 * interval + hops : interval);
          ASSERT_EQ(latency_of_one(machine, hops, flits), expected)
              << hops << " hops, " << flits << " flits, router " << machine.router_delay << ", link "
              << machine.link_delay << ", interval " << interval;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Switching, OneMessageInTheModel,
                         testing::Values(Switching::wormhole, Switching::virtual_cut_through,
                                         Switching::store_and_forward),
                         [](const auto& instance) {
                           std::string name = flitscope::name_of(instance.param);
                           std::erase(name, '-');
                           return name;
                         });

TEST(OneMessageInAShortBuffer, ShortBuffer_IsSentOncePerRoundTrip) {
  MachineConfig machine = plain_machine(1, 2);
  machine.router_delay = 3;
  machine.link_delay = 2;  // a slot is taken for 7 cycles
  // Flits 0, 2, ... 18 leave the source 7 cycles apart, flit 19 one cycle behind flit 18.
  EXPECT_EQ(latency_of_one(machine, 3, 20), 4U * 5 + 9 * 7 + 1);
}

// --- Examples done by hand ---

TEST(ByHand, ThreeFlitsInBuffersOfTwo_TakeTheirCycles) {
  const Topology line(TopologyKind::mesh, {3});
  const std::vector<TimedMessage> messages{message(5, 0, 2, {}, 3)};
  TimedDriver driver(messages);
  ReferenceNetwork network(line, plain_machine(1, 2));
  const Outcome outcome = network.run(driver, kLimit);

  EXPECT_EQ(network.injections(),
            (std::vector<Injection>{{0, 0, 0, 5, 0}, {1, 0, 0, 5, 1}, {2, 0, 0, 5, 2}}));
  EXPECT_EQ(network.traversals(), (std::vector<Traversal>{
                                      {1, 0, 0, 0, 5, 0},
                                      {2, 0, 0, 0, 5, 1},
                                      {3, 1, 0, 0, 5, 0},  // flit 2 waits in node 0 for the slot of flit 0
                                      {4, 0, 0, 0, 5, 2},
                                      {4, 1, 0, 0, 5, 1},
                                      {5, 2, 2, 0, 5, 0},
                                      {6, 1, 0, 0, 5, 2},
                                      {6, 2, 2, 0, 5, 1},
                                      {8, 2, 2, 0, 5, 2},
                                  }));
  EXPECT_EQ(outcome.ending, Ending::completed);
  EXPECT_EQ(outcome.cycles, 9U);
  EXPECT_EQ(outcome.stalls, (StallCounts{0, 1, 0, 0}));
  const Delivery& delivery = network.deliveries().at(0);
  EXPECT_EQ(delivery.ready, 0U);
  EXPECT_EQ(delivery.head_entered, 0U);
  EXPECT_EQ(delivery.head_arrived, 6U);
  EXPECT_EQ(delivery.arrived, 9U);
}

TEST(ByHand, HeadBehindATail_GetsTheVcInTheNextCycle) {
  const Topology line(TopologyKind::mesh, {3});
  const std::vector<TimedMessage> messages{message(0, 0, 2, {}, 1), message(1, 1, 2, {}, 4)};
  TimedDriver driver(messages);
  ReferenceNetwork network(line, plain_machine(1, 4));
  const Outcome outcome = network.run(driver, kLimit);

  // Message 1 leaves node 1 in cycles 1 to 4; message 0 is there from cycle 3, gets the VC in cycle 5.
  ASSERT_EQ(network.deliveries().size(), 2U);
  EXPECT_EQ(network.deliveries()[0].id, 1U);
  EXPECT_EQ(network.deliveries()[0].arrived, 7U);
  EXPECT_EQ(network.deliveries()[1].arrived, 8U);
  EXPECT_EQ(head_stalls(network.deliveries()[1], StallCause::vc_taken), 2U);
  EXPECT_EQ(outcome.stalls, (StallCounts{2, 0, 0, 0}));
}

TEST(ByHand, HeadWithTwoCandidates_AvoidsAHeldVc) {
  const Topology mesh(TopologyKind::mesh, {3, 3});
  MachineConfig machine = plain_machine(1, 8);
  machine.routing = "minimal-adaptive";
  // From [1, 1] to [2, 1]; from [0, 1] to [2, 2] by way of [1, 1].
  const std::vector<TimedMessage> messages{message(1, 4, 5, {}, 10), message(2, 3, 8, {}, 1)};
  TimedDriver driver(messages);
  ReferenceNetwork network(mesh, machine);
  EXPECT_EQ(network.run(driver, kLimit).ending, Ending::completed);
  std::vector<Traversal> way;
  std::ranges::copy_if(network.traversals(), std::back_inserter(way),
                       [](const Traversal& event) { return event.message == 2; });
  const std::vector<Traversal> expected{
      {1, 3, 0, 0, 2, 0}, {3, 4, 2, 0, 2, 0}, {5, 7, 0, 0, 2, 0}, {7, 8, 4, 0, 2, 0}};
  EXPECT_EQ(way, expected);
}

TEST(ByHand, TwoVirtualChannels_ShareALinkFlitByFlit) {
  const Topology line(TopologyKind::mesh, {3});
  const std::vector<TimedMessage> messages{message(0, 0, 2, {}, 1), message(1, 1, 2, {}, 4)};
  TimedDriver driver(messages);
  ReferenceNetwork network(line, plain_machine(2, 4));
  const Outcome outcome = network.run(driver, kLimit);

  EXPECT_EQ(network.traversals(), (std::vector<Traversal>{
                                      {1, 0, 0, 0, 0, 0},
                                      {1, 1, 0, 0, 1, 0},
                                      {2, 1, 0, 0, 1, 1},
                                      {3, 1, 0, 1, 0, 0},  // message 1 loses the switch once
                                      {3, 2, 2, 0, 1, 0},
                                      {4, 1, 0, 0, 1, 2},
                                      {4, 2, 2, 0, 1, 1},
                                      {5, 1, 0, 0, 1, 3},
                                      {6, 2, 2, 0, 1, 2},  // message 0 waits for the ejection channel, 5 to 7
                                      {7, 2, 2, 0, 1, 3},
                                      {8, 2, 2, 0, 0, 0},
                                  }));
  EXPECT_EQ(outcome.stalls, (StallCounts{0, 0, 1, 3}));
  EXPECT_EQ(head_stalls(network.deliveries().at(1), StallCause::ejection_busy), 3U);
}

TEST(ByHand, MessageReleasedByADelivery_IsReadyInItsCycle) {
  const Topology line(TopologyKind::mesh, {2});
  std::vector<TimedMessage> messages{message(0, 0, 1, {}, 1),
                                     message(1, 1, 0, Route::cyclic(0, Sign::minus), 1)};
  messages[1].released_by = 0;
  MachineConfig machine = plain_machine(1, 3);
  machine.startup = 10;
  TimedDriver driver(messages);
  ReferenceNetwork network(line, machine);
  EXPECT_EQ(network.run(driver, kLimit).cycles, 28U);
  EXPECT_EQ(network.deliveries().at(1).ready, 14U);
  EXPECT_EQ(network.deliveries().at(1).head_entered, 24U);
}

TEST(ByHand, LaterMessage_IsSentAfterAnIdlePhase) {
  const Topology line(TopologyKind::mesh, {2});
  std::vector<TimedMessage> messages{message(0, 0, 1, {}, 1), message(1, 0, 1, {}, 1)};
  messages[1].ready = 100;
  TimedDriver driver(messages);
  ReferenceNetwork network(line, plain_machine(1, 3));
  const Outcome outcome = network.run(driver, kLimit);
  EXPECT_EQ(outcome.ending, Ending::completed);
  EXPECT_EQ(outcome.cycles, 104U);
  EXPECT_EQ(network.deliveries().at(1).ready, 100U);
}

TEST(ByHand, InjectionInterval_HoldsAcrossMessages) {
  const Topology line(TopologyKind::mesh, {2});
  const std::vector<TimedMessage> messages{message(0, 0, 1, {}, 2), message(1, 0, 1, {}, 1)};
  MachineConfig machine = plain_machine(1, 8);
  machine.injection_interval = machine.ejection_interval = 3;
  TimedDriver driver(messages);
  ReferenceNetwork network(line, machine);
  network.run(driver, kLimit);
  EXPECT_EQ(network.injections(),
            (std::vector<Injection>{{0, 0, 0, 0, 0}, {3, 0, 0, 0, 1}, {6, 0, 0, 1, 0}}));
}

// --- Deadlock ---

std::vector<TimedMessage> two_hops_clockwise(std::uint32_t flits) {
  std::vector<TimedMessage> messages;
  for (NodeId node = 0; node < 4; ++node) messages.push_back(message(node, node, (node + 2) % 4, {}, flits));
  return messages;
}

TEST(RingDeadlock, OneVirtualChannel_DeadlocksEveryMessage) {
  const Topology ring(TopologyKind::torus, {4});
  const auto messages = two_hops_clockwise(40);
  MachineConfig machine = plain_machine(1, 4);
  machine.allow_deadlock = true;
  TimedDriver driver(messages);
  ReferenceNetwork network(ring, machine);
  const Outcome outcome = network.run(driver, kLimit);
  EXPECT_EQ(outcome.ending, Ending::stuck);
  EXPECT_EQ(outcome.messages_injected, 4U);
  EXPECT_EQ(outcome.messages_delivered, 0U);

  // At every node: a head from the link (input VC 0), and behind it the worm from the node itself (input VC
  // 2).
  std::set<InputVcName> everything;
  for (NodeId node = 0; node < 4; ++node) everything.insert({{node, 0U}, {node, 2U}});
  EXPECT_EQ(brute_force_deadlocked(network.waiting()), everything);
  EXPECT_EQ(network.waiting().at(0), (Waiting{{0, 0}, 3, {{{0, 2}}}}));
  EXPECT_EQ(network.waiting().at(1), (Waiting{{0, 2}, 0, {{{1, 0}}}}));
}

TEST(RingDeadlock, TwoVirtualChannels_DeliverTheSameMessages) {
  const Topology ring(TopologyKind::torus, {4});
  const auto messages = two_hops_clockwise(40);
  TimedDriver driver(messages);
  ReferenceNetwork network(ring, plain_machine(2, 4));
  const Outcome outcome = network.run(driver, kLimit);
  EXPECT_EQ(outcome.ending, Ending::completed);
  EXPECT_EQ(outcome.messages_delivered, 4U);
}

TEST(RingDeadlock, VirtualCutThrough_MakesHeadsWaitForPacketSpace) {
  const Topology ring(TopologyKind::torus, {4});
  // Two rounds of messages that fill the buffers: the second round sits in the injection FIFOs.
  auto messages = two_hops_clockwise(4);
  for (NodeId node = 0; node < 4; ++node) messages.push_back(message(4 + node, node, (node + 2) % 4, {}, 4));
  MachineConfig machine = plain_machine(1, 4);
  machine.switching = Switching::virtual_cut_through;
  machine.allow_deadlock = true;
  TimedDriver driver(messages);
  ReferenceNetwork network(ring, machine);
  const Outcome outcome = network.run(driver, kLimit);
  EXPECT_EQ(outcome.ending, Ending::stuck);
  EXPECT_EQ(network.waiting().at(0), (Waiting{{0, 0}, 3, {{{1, 0}}}}));
  EXPECT_EQ(network.waiting().at(1), (Waiting{{0, 2}, 4, {{{1, 0}}}}));
  EXPECT_EQ(brute_force_deadlocked(network.waiting()).size(), 8U);
}

TEST(Stuck, DriverWithoutItsPromisedMessages_IsStuck) {
  const Topology line(TopologyKind::mesh, {2});
  std::vector<TimedMessage> messages{message(0, 0, 1, {}, 1)};
  messages[0].released_by = 0;  // by itself: never
  TimedDriver driver(messages);
  ReferenceNetwork network(line, plain_machine(1, 1));
  EXPECT_EQ(network.run(driver, kLimit).ending, Ending::stuck);
}

TEST(Limit, CycleLimit_EndsTheRun) {
  const Topology line(TopologyKind::mesh, {3});
  const std::vector<TimedMessage> messages{message(0, 0, 2, {}, 3)};
  for (const Cycle limit : {9U, 10U}) {
    TimedDriver driver(messages);
    ReferenceNetwork network(line, plain_machine(1, 2));
    EXPECT_EQ(network.run(driver, limit).ending, limit == 9 ? Ending::limit : Ending::completed);
  }
}

/// Numbers of the deadlocked ones, if input VC `vc` of node 0 waits for others of node 0.
using Numbers = std::set<unsigned>;
Numbers deadlocked_numbers(const std::map<unsigned, std::vector<std::vector<unsigned>>>& waits) {
  std::vector<Waiting> waiting;
  for (const auto& [vc, alternatives] : waits) {
    Waiting& one = waiting.emplace_back(Waiting{{0, vc}, vc, {}});
    for (const std::vector<unsigned>& required : alternatives) {
      Alternative& members = one.alternatives.emplace_back();
      for (const unsigned other : required) members.emplace_back(0, other);
    }
  }
  Numbers numbers;
  for (const auto& [node, vc] : brute_force_deadlocked(waiting)) numbers.insert(vc);
  return numbers;
}

TEST(BruteForce, ClosedSets_GiveTheirUnion) {
  EXPECT_EQ(deadlocked_numbers({}), Numbers{});
  EXPECT_EQ(deadlocked_numbers({{1, {}}}), Numbers{}) << "it can move";
  EXPECT_EQ(deadlocked_numbers({{1, {{2}}}}), Numbers{}) << "2 does not wait";
  EXPECT_EQ(deadlocked_numbers({{1, {{1}}}}), Numbers{1}) << "it waits for itself";
  EXPECT_EQ(deadlocked_numbers({{1, {{2}}}, {2, {{1}}}}), (Numbers{1, 2})) << "a dependency cycle";
  EXPECT_EQ(deadlocked_numbers({{1, {{2}}}, {2, {{3}}}, {3, {}}}), Numbers{}) << "a chain that moves";
  EXPECT_EQ(deadlocked_numbers({{1, {{2}}}, {2, {{1}}}, {3, {{1}}}}), (Numbers{1, 2, 3}))
      << "behind a dependency cycle";
  EXPECT_EQ(deadlocked_numbers({{1, {{2}}}, {2, {{1}}}, {3, {{4}}}, {4, {{3}}}, {5, {{1}, {6}}}}),
            (Numbers{1, 2, 3, 4}))
      << "two dependency cycles, and one that has a way out";
  EXPECT_TRUE(brute_force_deadlocked({{{0, 1}, 1, {{{1, 1}}}}, {{0, 2}, 2, {{{0, 1}}}}}).empty())
      << "the same number at another node";
}

TEST(BruteForce, OneFreeAlternative_PreventsDeadlock) {
  EXPECT_EQ(deadlocked_numbers({{1, {{2}, {3}}}, {2, {{1}}}, {3, {}}}), Numbers{}) << "3 can move";
  EXPECT_EQ(deadlocked_numbers({{1, {{2}, {3}}}, {2, {{1}}}}), Numbers{}) << "3 does not wait";
  EXPECT_EQ(deadlocked_numbers({{1, {{2}, {}}}, {2, {{1}}}}), Numbers{}) << "an alternative without members";
  EXPECT_EQ(deadlocked_numbers({{1, {{2}, {3}}}, {2, {{1}}}, {3, {{2}}}}), (Numbers{1, 2, 3}))
      << "both ways out lead back";
}

TEST(BruteForce, Alternative_RequiresAllOfItsMembers) {
  EXPECT_EQ(deadlocked_numbers({{1, {{2, 3}}}, {2, {{1}}}}), (Numbers{1, 2})) << "3 goes on, 2 does not";
  EXPECT_EQ(deadlocked_numbers({{1, {{2, 3}}}, {2, {{1}}}, {3, {}}}), (Numbers{1, 2}));
  EXPECT_EQ(deadlocked_numbers({{1, {{2, 3}, {4, 5}}}, {2, {{1}}}}), Numbers{}) << "4 and 5 go on";
  EXPECT_EQ(deadlocked_numbers({{1, {{2, 3}, {4, 5}}}, {2, {{1}}}, {5, {{1}}}}), (Numbers{1, 2, 5}))
      << "each alternative lacks one member";
}

TEST(BruteForce, MoreThanSixteenInputVcs_AreRefused) {
  std::vector<Waiting> waiting;
  for (unsigned vc = 0; vc < 17; ++vc) waiting.push_back({{0, vc}, vc, {{{0, (vc + 1) % 17}}}});
  EXPECT_THROW((void)brute_force_deadlocked(waiting), std::length_error);
  waiting.push_back({{1, 0}, 0, {}});
  waiting.erase(waiting.begin());
  EXPECT_EQ(brute_force_deadlocked(waiting).size(), 0U);
}

// --- Random cases ---

/// Everything that must hold for every run that completed.
void check_run(const RandomCase& random, const ReferenceNetwork& network, const Outcome& outcome) {
  const MachineConfig& machine = random.machine;
  std::map<std::uint64_t, const Packet*> packets;
  std::uint64_t flits = 0;
  for (const TimedMessage& message : random.messages) {
    packets[message.packet.id] = &message.packet;
    flits += message.packet.flits;
  }

  EXPECT_EQ(outcome.messages_delivered, random.messages.size());
  EXPECT_EQ(outcome.messages_injected, random.messages.size());
  EXPECT_EQ(network.injections().size(), flits);
  EXPECT_EQ(std::ranges::count_if(
                network.traversals(),
                [&](const Traversal& event) { return event.output_port >= random.topology.link_ports(); }),
            static_cast<std::ptrdiff_t>(flits));
  EXPECT_EQ(outcome.flits_moved, network.traversals().size());

  for (std::size_t i = 0; i < network.deliveries().size(); ++i) {
    const Delivery& delivery = network.deliveries()[i];
    const Packet& packet = *packets.at(delivery.id);
    const auto hops =
        static_cast<Cycle>(std::ranges::count_if(network.traversals(), [&](const Traversal& event) {
          return event.message == packet.id && event.flit == 0 &&
                 event.output_port < random.topology.link_ports();
        }));
    const Cycle empty_network = (hops + 1) * (machine.head_delay() + machine.link_delay);
    const Cycle stalled = std::accumulate(delivery.head_stalls.begin(), delivery.head_stalls.end(), Cycle{0});
    EXPECT_GE(delivery.head_entered, delivery.ready + machine.startup);
    EXPECT_GE(delivery.arrived, delivery.head_arrived + Cycle{packet.flits - 1} * machine.ejection_interval);
    if (machine.switching == Switching::store_and_forward) continue;
    EXPECT_EQ(delivery.head_arrived - delivery.head_entered,
              empty_network + stalled + network.head_behind_others()[i]);
  }
}

/// The head of every message travels links that follow each other from its source to its destination, as many
/// as its route has if the routing function is minimal, and every flit behind it the same.
void check_paths(const RandomCase& random, const ReferenceNetwork& network) {
  const Topology& topology = random.topology;
  const bool minimal = RoutingRegistry::find(random.machine.routing)->minimal;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::vector<Traversal>> way_of;
  for (const Traversal& event : network.traversals()) way_of[{event.message, event.flit}].push_back(event);
  for (const TimedMessage& message : random.messages) {
    const Packet& packet = message.packet;
    const auto& path = way_of[{packet.id, 0}];
    const std::size_t hops = path.size() - 1;
    NodeId at = packet.source;
    for (std::size_t hop = 0; hop < hops; ++hop) {
      ASSERT_EQ(path[hop].node, at);
      at = topology.neighbour(at, path[hop].output_port).value();
    }
    ASSERT_EQ(at, packet.destination);
    ASSERT_EQ(path.back().node, packet.destination);
    if (minimal) {
      ASSERT_EQ(hops, route_length(topology, packet.source, packet.destination, packet.route));
    }
    if (!random.machine.ports) {
      ASSERT_EQ(path.back().output_port, topology.link_ports() + path[hops - 1].output_port);
    }
    for (std::uint32_t flit = 1; flit < packet.flits; ++flit) {
      const auto& before = way_of[{packet.id, flit - 1}];
      const auto& way = way_of[{packet.id, flit}];
      ASSERT_EQ(way.size(), path.size());
      for (std::size_t hop = 0; hop < way.size(); ++hop) {
        ASSERT_EQ(way[hop].node, path[hop].node);
        ASSERT_EQ(way[hop].output_port, path[hop].output_port);
        ASSERT_EQ(way[hop].vc, path[hop].vc);
        ASSERT_LT(before[hop].cycle, way[hop].cycle);
      }
    }
  }
}

TEST(RandomCases, SameSeed_GivesTheSameCase) {
  const RandomCase one = random_case(11);
  const RandomCase again = random_case(11);
  EXPECT_EQ(description(one), description(again));
  ASSERT_EQ(one.messages.size(), again.messages.size());
  for (std::size_t i = 0; i < one.messages.size(); ++i) {
    EXPECT_EQ(one.messages[i].packet.id, again.messages[i].packet.id);
    EXPECT_EQ(one.messages[i].packet.flits, again.messages[i].packet.flits);
    EXPECT_EQ(one.messages[i].ready, again.messages[i].ready);
    EXPECT_EQ(one.messages[i].released_by, again.messages[i].released_by);
  }
  EXPECT_NE(description(one), description(random_case(12)));
}

TEST(RandomCases, CompletedCases_AccountForEveryCycleAndFlit) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const RandomCase random = seed % 3 == 0 ? with_router_stages(random_case(seed)) : random_case(seed);
    SCOPED_TRACE(description(random));
    TimedDriver driver(random.messages);
    ReferenceNetwork network(random.topology, random.machine);
    const Outcome outcome = network.run(driver, kLimit);
    if (outcome.ending == Ending::stuck && random.machine.allow_deadlock) continue;
    ASSERT_EQ(outcome.ending, Ending::completed);
    check_run(random, network, outcome);
    check_paths(random, network);
    if (HasFailure()) return;
  }
}

/// A ring on which few VCs exist, so that all sets of them can be tried.
RandomCase small_ring(std::uint64_t seed) {
  RandomCase random = random_case(seed);
  const NodeId nodes = 3 + static_cast<NodeId>(seed % 3);
  random.topology = Topology(TopologyKind::torus, {nodes});
  random.machine.routing = "dimension-order";
  random.machine.allow_deadlock = true;
  random.machine.virtual_channels = 1;
  for (TimedMessage& message : random.messages) {
    Packet& packet = message.packet;
    packet.source %= nodes;
    packet.destination = (packet.source + 1 + static_cast<NodeId>(packet.id % (nodes - 1))) % nodes;
    packet.route = shortest_route(random.topology, packet.source, packet.destination);
  }
  return random;
}

TEST(RandomCases, DeadlockedFlits_NeverMoveAgain) {
  unsigned stuck_runs = 0;
  unsigned runs_deadlocked_before_stuck = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const RandomCase random = small_ring(seed);
    SCOPED_TRACE(description(random));
    TimedDriver driver(random.messages);
    ReferenceNetwork network(random.topology, random.machine);
    network.begin(driver);
    std::set<InputVcName> deadlocked;
    while (!network.completed() && !network.stuck() && network.now() < kLimit) {
      network.step();
      const auto waiting = network.waiting();
      for (const InputVcName& one : deadlocked) {
        ASSERT_TRUE(std::ranges::count(waiting, one, &Waiting::input_vc) == 1) << "it moved";
      }
      // Trying all sets takes long.
      if (blocked(waiting).size() > (network.now() % 8 == 0 ? kMaxBlocked : 12)) continue;
      const auto present = brute_force_deadlocked(waiting);
      ASSERT_TRUE(std::ranges::includes(present, deadlocked)) << "no longer deadlocked";
      deadlocked = present;
    }
    if (network.completed()) {
      EXPECT_TRUE(deadlocked.empty());
      continue;
    }
    ASSERT_TRUE(network.stuck());
    ++stuck_runs;
    if (!deadlocked.empty()) ++runs_deadlocked_before_stuck;
    const auto waiting = network.waiting();
    EXPECT_FALSE(waiting.empty());
    if (waiting.size() <= kMaxBlocked) {
      EXPECT_EQ(brute_force_deadlocked(waiting).size(), waiting.size());
    }
  }
  EXPECT_GT(stuck_runs, 5U);
  EXPECT_GT(runs_deadlocked_before_stuck, 0U);
}

}  // namespace
}  // namespace reference_test
}  // namespace flitscope::reference
