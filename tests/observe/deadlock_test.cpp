// Deadlock detection: against brute force, which tries every set of input VCs, and on examples done by hand.
//
// FLITSCOPE_CASES sets how many random cases are compared (default 1500).
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/graph.h"
#include "model/route.h"
#include "model/schedule.h"
#include "sim/network/network.h"
#include "sim/observe/deadlock/deadlock.h"
#include "sim/run/experiment.h"
#include "tests/reference/brute_force_deadlock.h"
#include "tests/reference/deadlock_looks.h"
#include "tests/reference/random_case.h"
#include "tests/reference/reference_network.h"
#include "tests/support/random_cases.h"

namespace flitscope::deadlock_test {
namespace {

using reference::DeadlockLook;
using reference::InputVcName;
using reference::RandomCase;
using reference::ReferenceNetwork;
using reference::TimedDriver;
using reference::TimedMessage;
using reference::Waiting;

constexpr Cycle kLimit = 2'000'000;

// --- Against brute force ---

/// Counts of a case.
using Kinds = std::set<std::string>;

/// Of all dependency cycles as short as this the first input VC that lies on one.
InputVcName first_on_a_cycle_of(std::size_t length, const reference::Hindrances& hindrances) {
  for (const auto& [start, first] : hindrances) {
    std::set<InputVcName> reached = first;
    for (std::size_t steps = 1; steps < length; ++steps) {
      std::set<InputVcName> next;
      for (const InputVcName& each : reached) {
        const auto& others = hindrances.at(each);
        next.insert(others.begin(), others.end());
      }
      reached = std::move(next);
    }
    // No cycle is shorter, so this walk passes no input VC twice.
    if (reached.contains(start)) return start;
  }
  throw std::logic_error("there is no such cycle");
}

/// The same input VCs are deadlocked, and the dependency cycle is one and as short as can be.
void compare_state(const DeadlockLook& look, const std::vector<Waiting>& waiting, Kinds& kinds) {
  const std::set<InputVcName> deadlocked = reference::brute_force_deadlocked(waiting);
  ASSERT_EQ(look.input_vcs(), deadlocked);
  const auto hindrances = reference::hindrances(waiting, deadlocked);
  ASSERT_EQ(look.dependency_cycle.size(), reference::shortest_cycle(hindrances));
  ASSERT_TRUE(look.dependency_cycle.empty() ||
              reference::is_dependency_cycle(hindrances, look.dependency_cycle));
  if (!look.dependency_cycle.empty()) {
    ASSERT_EQ(std::ranges::count(look.dependency_cycle,
                                 first_on_a_cycle_of(look.dependency_cycle.size(), hindrances)),
              1);
  }

  std::set<InputVcName> in_dependency_cycles;
  const auto groups = reference::groups_in_cycles(hindrances);
  for (const auto& group : groups) in_dependency_cycles.insert(group.begin(), group.end());
  if (groups.size() == 1) kinds.insert("one deadlocked group");
  if (groups.size() > 1) kinds.insert("several deadlocked groups");
  if (in_dependency_cycles != deadlocked) kinds.insert("worms behind a deadlock");

  std::set<InputVcName> not_deadlocked;
  for (const Waiting& one : waiting) {
    if (!deadlocked.contains(one.input_vc)) {
      not_deadlocked.insert(one.input_vc);
      continue;
    }
    ASSERT_EQ(look.deadlocked.at(one.input_vc).first, one.message);
    if (one.alternatives.size() > 1) kinds.insert("deadlocked with a choice of VCs");
    if (one.alternatives[0].size() > 1) kinds.insert("deadlocked for want of a VC and of room");
  }
  if (!deadlocked.empty() && !not_deadlocked.empty()) kinds.insert("others wait, but not for ever");
  if (reference::shortest_cycle(reference::hindrances(waiting, not_deadlocked)) > 0) {
    kinds.insert("a dependency cycle with a way out");
  }
}

/// Everything that is reached from `start` along hindrances.
std::set<InputVcName> reached(const reference::Hindrances& hindrances,
                              const std::vector<InputVcName>& start) {
  std::set<InputVcName> result(start.begin(), start.end());
  std::vector<InputVcName> open(start);
  while (!open.empty()) {
    const InputVcName from = open.back();
    open.pop_back();
    for (const InputVcName& to : hindrances.at(from)) {
      if (result.insert(to).second) open.push_back(to);
    }
  }
  return result;
}

/// Nothing of the dependency cycle could move from the standstill on, and before it something could. `slow`
/// has come to rest; all of `stuck` are deadlocked.
void compare_standstill(const RandomCase& random_case, const std::vector<DeadlockLook>& looks,
                        const ReferenceNetwork& slow, const std::set<InputVcName>& stuck) {
  const DeadlockLook& last = looks.back();
  const auto hindrances = reference::hindrances(slow.waiting(), stuck);
  Cycle latest = 0;
  for (const InputVcName& one : reached(hindrances, last.dependency_cycle)) {
    latest = std::max(latest, slow.waiting_since(one));
  }
  ASSERT_EQ(last.standstill, latest);

  const Cycle deadlocked = reference::first_deadlocked(looks, last.dependency_cycle);
  const MachineConfig& machine = random_case.machine;
  if (machine.switching != Switching::wormhole) {
    // What is on its way to a buffer still takes room there afterwards.
    ASSERT_LE(last.standstill, deadlocked);
    return;
  }
  // Who holds what a deadlocked head lacks room for may stop later.
  if (machine.vc_allocation != VcAllocation::non_atomic || machine.parts.limits_room()) return;
  if (machine.requests) {
    // A reply may fill its injection VC later.
    ASSERT_LE(last.standstill, deadlocked);
    return;
  }
  ASSERT_EQ(last.standstill, deadlocked);
  // Into the buffers in which the dependency cycle wants room nothing comes any more.
  for (std::size_t i = 0; i < last.dependency_cycle.size(); ++i) {
    const InputVcName& full = last.dependency_cycle[(i + 1) % last.dependency_cycle.size()];
    if (full.first == last.dependency_cycle[i].first) continue;
    for (const reference::Traversal& move : slow.traversals()) {
      if (move.cycle < last.standstill || move.output_port >= random_case.topology.link_ports()) continue;
      const InputVcName entered{*random_case.topology.neighbour(move.node, move.output_port),
                                move.output_port * machine.virtual_channels + move.vc};
      ASSERT_NE(entered, full) << "in cycle " << move.cycle;
    }
  }
}

void compare_case(const RandomCase& random_case, Kinds& kinds) {
  const std::vector<DeadlockLook> looks = reference::looks_of_engine(random_case, kLimit);
  TimedDriver driver(random_case.messages);
  ReferenceNetwork slow(random_case.topology, random_case.machine);
  slow.begin(driver);
  const DeadlockLook* before = &looks.front();
  for (const DeadlockLook& look : looks) {
    SCOPED_TRACE(fmt::format("after cycle {}", look.cycle));
    ASSERT_TRUE(std::ranges::includes(look.deadlocked, before->deadlocked)) << "a deadlocked flit moved";
    before = &look;
    while (slow.now() <= look.cycle) slow.step();
    const std::vector<Waiting> waiting = slow.waiting();
    // Trying all sets takes long.
    const bool at_length = look.cycle % 16 == 0 || &look == &looks.back();
    if (reference::blocked(waiting).size() > (at_length ? reference::kMaxBlocked : 12)) continue;
    ASSERT_NO_FATAL_FAILURE(compare_state(look, waiting, kinds));
  }

  // At the end everything has arrived, or nothing moves and whatever waits is deadlocked.
  while (!slow.completed() && !slow.stuck() && slow.now() < kLimit) slow.step();
  std::set<InputVcName> all;
  for (const Waiting& one : slow.waiting()) all.insert(one.input_vc);
  ASSERT_EQ(before->input_vcs(), all);
  ASSERT_EQ(all.empty(), slow.completed());
  if (all.empty()) {
    kinds.insert("no deadlock");
    return;
  }
  kinds.insert(fmt::format("deadlock with {}", name_of(random_case.machine.switching)));
  const unsigned link_vcs = random_case.topology.link_ports() * random_case.machine.virtual_channels;
  const auto injects = [&](const InputVcName& one) { return one.second >= link_vcs; };
  if (std::ranges::any_of(before->dependency_cycle, injects))
    kinds.insert("deadlock through the end of a node");
  ASSERT_NO_FATAL_FAILURE(compare_standstill(random_case, looks, slow, all));
}

TEST(DeadlockAgainstBruteForce, RandomCases_AgreeAfterEveryCycle) {
  constexpr unsigned kEnough = 4000;
  const unsigned cases = test::cases(kEnough);
  std::map<std::string, unsigned> cases_with;
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    RandomCase random_case = reference::deadlock_case(seed);
    if (seed % 4 == 3) random_case = reference::with_router_stages(random_case);
    SCOPED_TRACE(description(random_case));
    Kinds kinds;
    ASSERT_NO_FATAL_FAILURE(compare_case(random_case, kinds));
    for (const std::string& kind : kinds) ++cases_with[kind];
  }
  if (cases < kEnough) return;
  for (const char* const kind :
       {"no deadlock", "one deadlocked group", "several deadlocked groups", "worms behind a deadlock",
        "others wait, but not for ever", "a dependency cycle with a way out",
        "deadlocked with a choice of VCs", "deadlocked for want of a VC and of room",
        "deadlock with wormhole", "deadlock with virtual-cut-through", "deadlock with store-and-forward"}) {
    EXPECT_GE(cases_with[kind], 5U) << kind;
  }
}

/// With parts in which heads come to rest.
RandomCase with_resting_parts(std::uint64_t seed) {
  auto random_case = reference::with_router_parts(reference::deadlock_case(seed));
  RouterParts& parts = random_case.machine.parts;
  parts.speculation = Speculation::none;
  parts.bypass = false;
  if (parts.vc_allocator == VcAllocator::switch_winner) parts.vc_allocator = VcAllocator::circular;
  return random_case;
}

TEST(DeadlockAgainstBruteForce, StopAfterALostSwitch_StandstillBeginsWithTheStop) {
  const RandomCase random_case = with_resting_parts(25'000'816);
  ASSERT_EQ(random_case.machine.parts.credits, Credits::on_off);
  Kinds kinds;
  ASSERT_NO_FATAL_FAILURE(compare_case(random_case, kinds));
  EXPECT_FALSE(kinds.contains("no deadlock"));
}

TEST(DeadlockAgainstBruteForce, RouterParts_AgreeAfterEveryCycle) {
  std::map<std::string, unsigned> deadlocks_with;
  constexpr unsigned kEnough = 400;
  const unsigned cases = test::cases(kEnough);
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    const RandomCase random_case = with_resting_parts(25'000'000 + seed);
    const RouterParts& parts = random_case.machine.parts;
    SCOPED_TRACE(description(random_case));
    Kinds kinds;
    ASSERT_NO_FATAL_FAILURE(compare_case(random_case, kinds));
    if (kinds.contains("no deadlock")) continue;
    ++deadlocks_with[name_of(parts.buffers)];
    ++deadlocks_with[name_of(parts.credits)];
    if (parts.output_queue != 0) ++deadlocks_with["output queues"];
  }
  if (cases < kEnough) return;
  for (const char* const part : {"of-vcs", "shared", "counts", "on-off", "output queues"})
    EXPECT_GE(deadlocks_with[part], 1U) << part;
}

/// Nodes work on few requests at once: most messages are answered, and until then keep an ejection VC. Heads
/// that weigh their candidates do so in every cycle, so that a network of theirs never rests.
std::optional<RandomCase> with_requests(std::uint64_t seed) {
  RandomCase made = reference::deadlock_case(seed);
  const bool weighs = made.machine.routing.starts_with("ugal");
  if (weighs || !made.topology.is_grid() || made.topology.has_faults()) return std::nullopt;
  RandomNumbers random(static_cast<std::uint32_t>(seed));
  made.machine.requests = 1 + random.below(2);
  const std::size_t count = made.messages.size();
  for (std::size_t i = 0; i < count; ++i) {
    Packet& asked = made.messages[i].packet;
    if (random.below(4) == 0) continue;
    asked.is_answered = true;
    Packet answer = asked;
    answer.id = message_id(2, i);
    std::swap(answer.source, answer.destination);
    answer.route = shortest_route(made.topology, answer.source, answer.destination);
    answer.is_answered = false;
    answer.answers = asked.id;
    made.messages.push_back({answer, 0, i});
  }
  return made;
}

TEST(DeadlockAgainstBruteForce, RequestsInWork_AgreeAfterEveryCycle) {
  constexpr unsigned kEnough = 1000;
  const unsigned cases = test::cases(kEnough);
  std::map<std::string, unsigned> cases_with;
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    const auto random_case = with_requests(seed);
    if (!random_case) continue;
    SCOPED_TRACE(description(*random_case));
    Kinds kinds;
    ASSERT_NO_FATAL_FAILURE(compare_case(*random_case, kinds));
    for (const std::string& kind : kinds) ++cases_with[kind];
  }
  if (cases < kEnough) return;
  for (const char* const kind : {"no deadlock", "deadlock through the end of a node"})
    EXPECT_GE(cases_with[kind], 5U) << kind;
}

// --- By hand ---

/// A worm that leaves its source in direction + of dimension 0. They are named 1.1, 1.2 and so on.
TimedMessage worm(std::uint64_t number, NodeId source, NodeId destination, std::uint32_t flits,
                  Cycle ready = 0) {
  return {{message_id(1, number - 1), source, destination, {}, flits, 1}, ready, std::nullopt};
}

/// From every node of a ring of four to the next but one.
std::vector<TimedMessage> four_worms(std::uint32_t flits) {
  return {worm(1, 0, 2, flits), worm(2, 1, 3, flits), worm(3, 2, 0, flits), worm(4, 3, 1, flits)};
}

/// Around a ring of four: each holds two links and wants the third.
std::vector<TimedMessage> two_worms() {
  return {worm(1, 0, 3, 40), worm(2, 2, 1, 40)};
}

Topology ring_of(NodeId nodes) {
  return {TopologyKind::torus, {nodes}};
}

/// One cycle for everything, buffers of four flits.
MachineConfig plain_machine(unsigned virtual_channels, Switching switching = Switching::wormhole) {
  MachineConfig machine;
  machine.switching = switching;
  machine.virtual_channels = virtual_channels;
  machine.buffer = 4;
  machine.allow_deadlock = true;
  return machine;
}

std::string text_of(const std::optional<Deadlock>& deadlock, const Topology& topology) {
  if (!deadlock) return "no deadlock";
  return fmt::format("deadlocked since cycle {}, {} messages stuck in {} buffers\n{}", deadlock->standstill,
                     deadlock->blocked_messages, deadlock->blocked_buffers,
                     fmt::join(describe(*deadlock, topology), "\n"));
}

/// What the end of a run looks like to `ask`.
template <typename Ask>
std::string at_the_end(const Topology& topology, const MachineConfig& machine,
                       const std::vector<TimedMessage>& messages, Ask ask) {
  return run_isolated([&]() -> std::string {
    Network network("network", topology, machine);
    TimedDriver driver(messages);
    if (network.run(driver, kLimit) != ClockStop::quiet) return "it did not come to rest";
    return ask(network);
  });
}

std::string verdict(const Network& network) {
  return text_of(find_deadlock(network.clock()), network.topology());
}

TEST(Deadlock, RoomOfASharedBuffer_IsKeptByAWormInAnotherVc) {
  MachineConfig machine = plain_machine(2);
  machine.routing = "shortest";
  machine.buffer = 2;
  machine.ports = 1;
  machine.parts.buffers = Buffers::shared;
  machine.parts.buffer_reserve = 1;
  // Each has VC 0 of its first link, and VC 1 of the second, behind which it lacks room.
  EXPECT_EQ(
      at_the_end({TopologyKind::torus, {4}, LinkDirections::plus}, machine,
                 {worm(1, 0, 3, 11), worm(2, 1, 0, 6), worm(3, 2, 1, 11), worm(4, 3, 2, 5)}, verdict),
      "deadlocked since cycle 7, 4 messages stuck in 12 buffers\n"
      "worm 1.4 ([3] to [2], 5 flits) holds channel [3]+0 VC 0, waits at [0] since cycle 7 for room behind "
      "channel [0]+0 VC 1, held by worm 1.1\n"
      "worm 1.1 ([0] to [3], 11 flits) holds channel [0]+0 VC 0, waits at [1] since cycle 7 for room behind "
      "channel [1]+0 VC 1, held by worm 1.2\n"
      "worm 1.2 ([1] to [0], 6 flits) holds channel [1]+0 VC 0, waits at [2] since cycle 7 for room behind "
      "channel [2]+0 VC 1, held by worm 1.3\n"
      "worm 1.3 ([2] to [1], 11 flits) holds channel [2]+0 VC 0, waits at [3] since cycle 7 for room behind "
      "channel [3]+0 VC 1, held by worm 1.4");
}

TEST(Deadlock, FourWormsAroundARing_AreADependencyCycle) {
  // Heads meet the next worm in cycle 3; with the buffer behind its head full, a worm stops in cycle 5.
  EXPECT_EQ(
      at_the_end(ring_of(4), plain_machine(1), four_worms(40), verdict),
      "deadlocked since cycle 5, 4 messages stuck in 8 buffers\n"
      "worm 1.1 ([0] to [2], 40 flits) holds channel [0]+0 VC 0, waits at [1] since cycle 3 for channel "
      "[1]+0 VC 0, held by worm 1.2\n"
      "worm 1.2 ([1] to [3], 40 flits) holds channel [1]+0 VC 0, waits at [2] since cycle 3 for channel "
      "[2]+0 VC 0, held by worm 1.3\n"
      "worm 1.3 ([2] to [0], 40 flits) holds channel [2]+0 VC 0, waits at [3] since cycle 3 for channel "
      "[3]+0 VC 0, held by worm 1.4\n"
      "worm 1.4 ([3] to [1], 40 flits) holds channel [3]+0 VC 0, waits at [0] since cycle 3 for channel "
      "[0]+0 VC 0, held by worm 1.1");
}

/// A ring of four routers, which have the last ports: 70 others are joined to each router.
TEST(Deadlock, RingOfRoutersWithManyPorts_IsADependencyCycle) {
  GraphPlan plan;
  plan.routers.resize(4 + 4 * 70);
  for (std::uint32_t node = 0; node < plan.routers.size(); ++node)
    plan.routers[node].name = fmt::format("r{}", node);
  for (std::uint32_t node = 4; node < plan.routers.size(); ++node) {
    plan.links.push_back({node, node % 4});
    plan.links.push_back({node % 4, node});
  }
  for (std::uint32_t node = 0; node < 4; ++node) plan.links.push_back({node, (node + 1) % 4});
  const Topology ring = Topology::of(std::make_shared<const Graph>(std::move(plan)));
  EXPECT_EQ(ring.link_ports(), 71U);
  MachineConfig machine = plain_machine(1);
  machine.routing = "shortest";
  std::string expected = "deadlocked since cycle 5, 4 messages stuck in 8 buffers";
  for (unsigned worm = 0; worm < 4; ++worm) {
    const auto router = [&](unsigned links) { return (worm + links) % 4; };
    expected += fmt::format(
        "\nworm 1.{} (r{} to r{}, 40 flits) holds channel r{}>r{} VC 0, waits at r{} since cycle 3 for "
        "channel r{}>r{} VC 0, held by worm 1.{}",
        worm + 1, worm, router(2), worm, router(1), router(1), router(1), router(2), router(1) + 1);
  }
  EXPECT_EQ(at_the_end(ring, machine, four_worms(40), verdict), expected);
}

TEST(Deadlock, WormOnSeveralLinks_IsListedOnce) {
  EXPECT_EQ(at_the_end(ring_of(8), plain_machine(1),
                       {worm(1, 0, 3, 40), worm(2, 2, 5, 40), worm(3, 4, 7, 40), worm(4, 6, 1, 40)}, verdict),
            "deadlocked since cycle 9, 4 messages stuck in 12 buffers\nworm 1.1 ([0] to [3], 40 flits) holds "
            "channels [0]+0 VC 0, [1]+0 VC 0, waits at [2] since cycle 5 for channel [2]+0 VC 0, held by "
            "worm 1.2\nworm 1.2 ([2] to [5], 40 flits) holds channels [2]+0 VC 0, [3]+0 VC 0, waits at [4] "
            "since cycle 5 for channel [4]+0 VC 0, held by worm 1.3\nworm 1.3 ([4] to [7], 40 flits) holds "
            "channels [4]+0 VC 0, [5]+0 VC 0, waits at [6] since cycle 5 for channel [6]+0 VC 0, held by "
            "worm 1.4\nworm 1.4 ([6] to [1], 40 flits) holds channels [6]+0 VC 0, [7]+0 VC 0, waits at [0] "
            "since cycle 5 for channel [0]+0 VC 0, held by worm 1.1");
}

const char* const kTwoWorms =
    "worm 1.1 ([0] to [3], 40 flits) holds channels [0]+0 VC 0, [1]+0 VC 0, waits at [2] since cycle 5 for "
    "channel [2]+0 VC 0, held by worm 1.2\nworm 1.2 ([2] to [1], 40 flits) holds channels [2]+0 VC 0, [3]+0 "
    "VC 0, waits at [0] since cycle 5 for channel [0]+0 VC 0, held by worm 1.1";

TEST(Deadlock, WormBehindTheCycle_IsBlockedButNotListed) {
  std::vector<TimedMessage> messages = two_worms();
  EXPECT_EQ(at_the_end(ring_of(4), plain_machine(1), messages, verdict),
            std::string("deadlocked since cycle 9, 2 messages stuck in 6 buffers\n") + kTwoWorms);
  messages.push_back(worm(3, 1, 2, 1, 10));
  EXPECT_EQ(at_the_end(ring_of(4), plain_machine(1), messages, verdict),
            std::string("deadlocked since cycle 9, 3 messages stuck in 7 buffers\n") + kTwoWorms);
}

TEST(Deadlock, LastVcGranted_IsTheStandstill) {
  // The tail of 1.1 leaves [1, 0] in cycle 10 for the buffer that 1.2 finds full when it is granted the VC,
  // in cycle 11.
  MachineConfig machine = plain_machine(1);
  machine.routing = "cyclic-dimension-order";
  machine.buffer = 3;
  machine.router_delay = 2;
  machine.link_delay = 3;
  machine.injection_interval = machine.ejection_interval = 2;
  machine.ports = 4;
  std::vector<TimedMessage> messages{worm(1, 1, 3, 4), worm(2, 0, 2, 4), worm(3, 2, 1, 2)};
  messages[1].packet.route = Route::cyclic(1, Sign::plus);
  const std::string text = at_the_end({TopologyKind::torus, {3, 2}}, machine, messages, verdict);
  EXPECT_TRUE(text.starts_with("deadlocked since cycle 11, ")) << text;
}

TEST(Deadlock, TwoVirtualChannels_HaveNone) {
  for (const Switching switching :
       {Switching::wormhole, Switching::virtual_cut_through, Switching::store_and_forward}) {
    const auto messages = four_worms(switching == Switching::wormhole ? 40 : 4);
    EXPECT_EQ(at_the_end(ring_of(4), plain_machine(2, switching), messages, verdict), "no deadlock");
  }
}

TEST(Deadlock, VirtualCutThrough_HeadsWaitForRoom) {
  const auto wanted = [](const Network& network) {
    const auto deadlock = find_deadlock(network.clock());
    std::string text;
    for (const DeadlockedWorm& worm : deadlock->dependency_cycle) {
      text += fmt::format("at {} {} behind {}; ", worm.node, worm.wants_room ? "room" : "?", worm.wants.node);
    }
    return text;
  };
  EXPECT_EQ(at_the_end(ring_of(4), plain_machine(1, Switching::virtual_cut_through), four_worms(3), wanted),
            "at 0 room behind 0; at 1 room behind 1; at 2 room behind 2; at 3 room behind 3; ");
}

TEST(Deadlock, ShortMessageEnters_StandstillStays) {
  std::vector<TimedMessage> messages = four_worms(3);
  messages.push_back(worm(5, 0, 1, 1, 20));  // there is room for it; all heads of its group are asked again
  const auto looks = reference::looks_of_engine(
      {0, ring_of(4), plain_machine(1, Switching::virtual_cut_through), messages}, kLimit);
  const std::set<InputVcName> heads{{0, 0}, {1, 0}, {2, 0}, {3, 0}};
  for (const DeadlockLook& look : looks) {
    EXPECT_EQ(look.input_vcs(), look.cycle < 3 ? std::set<InputVcName>{} : heads)
        << "after cycle " << look.cycle;
  }
  EXPECT_GT(looks.back().cycle, 20U);
}

TEST(Deadlock, RestOfTheNetworkMoves_IsDetected) {
  const Topology torus(TopologyKind::torus, {4, 4});
  std::vector<TimedMessage> messages = two_worms();
  messages.push_back(worm(3, 8, 9, 5000));  // in another row
  const std::string noticed = run_isolated([&] {
    Network network("network", torus, plain_machine(1));
    DeadlockWatch watch(network.clock());
    network.clock().watch(watch, DeadlockWatch::kFirstLook);
    TimedDriver driver(messages);
    const bool halted = network.run(driver, kLimit) == ClockStop::halted;
    return fmt::format("{} after cycle {}, {} flits delivered, {}", halted ? "halted" : "went on",
                       network.clock().last_cycle(), network.clock().flits_delivered(),
                       text_of(watch.deadlock(), torus));
  });
  const std::string unwatched = at_the_end(torus, plain_machine(1), messages, [](const Network& network) {
    return fmt::format("{} flits delivered, {}", network.clock().flits_delivered(), verdict(network));
  });
  const std::string expected =
      "deadlocked since cycle 9, 2 messages stuck in 6 buffers\n"
      "worm 1.1 ([0, 0] to [3, 0], 40 flits) holds channels [0, 0]+0 VC 0, [1, 0]+0 VC 0, waits at [2, 0] "
      "since cycle 5 for "
      "channel [2, 0]+0 VC 0, held by worm 1.2\n"
      "worm 1.2 ([2, 0] to [1, 0], 40 flits) holds channels [2, 0]+0 VC 0, [3, 0]+0 VC 0, waits at [0, 0] "
      "since cycle 5 for "
      "channel [0, 0]+0 VC 0, held by worm 1.1";
  EXPECT_EQ(noticed, "halted after cycle 1024, 0 flits delivered, " + expected);
  EXPECT_EQ(unwatched, "5000 flits delivered, " + expected);
}

}  // namespace
}  // namespace flitscope::deadlock_test
