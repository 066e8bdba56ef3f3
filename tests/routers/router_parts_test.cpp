// Routers of parts (docs/timing.md, "Router parts") do what the reference model does.
//
// FLITSCOPE_CASES sets how many random cases are compared (default 400).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/routers/engine_record.h"
#include "tests/routers/flit_record.h"
#include "tests/support/random_cases.h"

namespace flitscope::router_parts_test {
namespace {

using reference::RandomCase;

/// Deliveries and stalls.
std::string by_reference(const RandomCase& random_case, Cycle& until) {
  reference::ReferenceNetwork slow(random_case.topology, random_case.machine);
  reference::TimedDriver driver(random_case.messages);
  const reference::Outcome end = slow.run(driver, test::kRecordLimit);
  until = slow.now();
  return test::text_of(driver.deliveries()) + test::FlitRecord(slow).text() +
         fmt::format("stalls {}\n", fmt::join(end.stalls, " "));
}

std::string by_engine(const RandomCase& random_case, Cycle until) {
  return run_isolated([&] {
    Network network("network", random_case.topology, random_case.machine);
    test::FlitRecord record;
    network.clock().observe({.stalls = &record, .flits = &record});
    reference::TimedDriver driver(random_case.messages);
    network.run(driver, until - 1);  // heads that speculate never rest
    RouterGroups& core = network.clock().core();
    core.settle_stalls(until);
    return test::text_of(driver.deliveries()) + record.text() +
           fmt::format("stalls {}\n", fmt::join(core.stalls(), " "));
  });
}

void expect_agreement(const RandomCase& random_case) {
  Cycle until = 0;
  const std::string expected = by_reference(random_case, until);
  EXPECT_EQ(test::first_difference(expected, by_engine(random_case, until)), "")
      << reference::description(random_case);
}

TEST(RouterParts, RandomCases_HaveTheFlitsAndStallsOfTheReferenceModel) {
  for (std::uint64_t seed = 0; seed < test::cases(400) / 2 && !HasFailure(); ++seed)
    expect_agreement(reference::with_router_parts(reference::random_case(21'000'000 + seed)));
}

TEST(RouterParts, SmallNetworksThatMayDeadlock_HaveTheFlitsAndStallsOfTheReferenceModel) {
  for (std::uint64_t seed = 0; seed < test::cases(400) && !HasFailure(); ++seed)
    expect_agreement(reference::with_router_parts(reference::deadlock_case(22'000'000 + seed)));
}

TEST(RouterParts, UnequalLinks_HaveTheFlitsAndStallsOfTheReferenceModel) {
  for (std::uint64_t seed = 0; seed < test::cases(400) / 40 && !HasFailure(); ++seed) {
    expect_agreement(reference::with_router_parts(
        reference::with_unequal_links(reference::random_case(23'000'000 + seed))));
  }
}

TEST(RouterParts, MoreThan64InputVcs_HaveTheFlitsAndStallsOfTheReferenceModel) {
  std::uint64_t cases = 0;
  for (std::uint64_t seed = 26'000'000; cases < test::cases(400) / 4 && !HasFailure(); ++seed) {
    const RandomCase narrow = seed % 4 == 0 ? reference::deadlock_case(seed) : reference::random_case(seed);
    const auto wide = reference::with_many_vcs(reference::with_router_parts(narrow));
    if (!wide) continue;
    ++cases;
    expect_agreement(*wide);
  }
}

TEST(RouterParts, MoreThan64InputsOrOutputsOfTheSwitch_HaveTheFlitsAndStallsOfTheReferenceModel) {
  std::uint64_t cases = 0;
  for (std::uint64_t seed = 27'000'000; cases < test::cases(400) / 20 && !HasFailure(); ++seed) {
    RandomCase one = reference::with_router_parts(reference::random_case(seed));
    RouterParts& parts = one.machine.parts;
    const unsigned ports = one.topology.link_ports() + node_channels(one.topology, one.machine);
    if (parts.bypass || ports < 5) continue;
    parts.input_speedup = kMaxInputVcs / ports;
    if (parts.output_queue != 0 && parts.output_speedup != 1) {
      parts.output_speedup = kMaxInputVcs / ports;
      parts.output_queue += parts.output_speedup;
    }
    ++cases;
    expect_agreement(one);
  }
}

TEST(RouterParts, RoutersThatReadQueuesOfOthers_HaveTheFlitsAndStallsOfTheReferenceModel) {
  for (std::uint64_t seed = 0; seed < test::cases(400) / 16 && !HasFailure(); ++seed) {
    const char* const routing = seed % 2 == 0 ? "ugal-g" : "piggyback";
    expect_agreement(reference::with_router_parts(reference::dragonfly_case(25'000'000 + seed, {routing})));
  }
}

// --- Exact cycles and flits -----------------------------------------------------------------------------

struct Sent {
  NodeId from = 0;
  NodeId to = 0;
  std::uint32_t flits = 1;
};

/// All messages are ready in cycle 0. Returns when each arrives, in the order given, and what leaves.
std::pair<std::vector<Cycle>, std::vector<reference::Traversal>> run_messages(const MachineConfig& machine,
                                                                              const std::vector<Sent>& sent,
                                                                              Cycle limit = 1000) {
  std::vector<Cycle> arrivals(sent.size());
  std::vector<reference::Traversal> moves;
  const std::string text = run_isolated([&] {
    Network network("network", Topology(TopologyKind::mesh, {4}), machine);
    test::FlitRecord record;
    network.clock().observe({.stalls = &record, .flits = &record});
    std::vector<reference::TimedMessage> messages;
    for (const Sent& each : sent) {
      messages.push_back({{messages.size(), each.from, each.to, {}, each.flits, 0}, 0, std::nullopt});
    }
    reference::TimedDriver driver(messages);
    network.run(driver, limit);
    std::string result;
    for (const Delivery& delivery : driver.deliveries())
      result += fmt::format("{} {}\n", delivery.id, delivery.arrived);
    for (const reference::Traversal& move : record.moves)
      result += fmt::format("{} {} {} {} {} {}\n", move.cycle, move.node, move.output_port, move.vc,
                            move.message, move.flit);
    return result;
  });
  std::istringstream lines(text);
  for (std::size_t i = 0; i < sent.size(); ++i) {
    std::size_t id = 0;
    Cycle arrived = 0;
    lines >> id >> arrived;
    arrivals.at(id) = arrived;
  }
  reference::Traversal move;
  while (lines >> move.cycle >> move.node >> move.output_port >> move.vc >> move.message >> move.flit)
    moves.push_back(move);
  return {arrivals, moves};
}

TEST(RouterParts, RoutingDelay_CountsInEveryRouter) {
  MachineConfig machine;
  machine.router_delay = 2;
  machine.parts.routing_delay = 3;
  const auto [arrivals, moves] = run_messages(machine, {{0, 3, 4}});
  EXPECT_EQ(arrivals.front(), 4 * (2 + 3 + 1) + 3U);
}

/// How often another message's flit leaves by a link than the one before.
unsigned changes_of_message(const MachineConfig& machine) {
  const auto [arrivals, moves] = run_messages(machine, {{0, 3, 8}, {1, 3, 8}});
  std::vector<std::uint64_t> messages;
  for (const reference::Traversal& move : moves) {
    if (move.node == 1 && move.output_port < 2) messages.push_back(move.message);
  }
  EXPECT_EQ(messages.size(), 16U);
  unsigned changes = 0;
  for (std::size_t i = 1; i < messages.size(); ++i) changes += messages[i] != messages[i - 1] ? 1 : 0;
  return changes;
}

TEST(RouterParts, Hold_MessagesThatShareALinkLeaveOneAfterTheOther) {
  MachineConfig machine;
  machine.buffer = 16;
  machine.parts.arbiter = Arbiter::matrix;
  EXPECT_GT(changes_of_message(machine), 4U);
  machine.parts.hold = true;
  EXPECT_EQ(changes_of_message(machine), 1U);
}

TEST(RouterParts, InjectionCreditDelay_ShortInjectionBufferSendsAFlitInEveryRound) {
  MachineConfig machine;
  machine.buffer = 1;
  const auto [usual, moves] = run_messages(machine, {{0, 0, 5}});
  machine.parts.injection_credit_delay = 2;
  const auto [later, more_moves] = run_messages(machine, {{0, 0, 5}});
  EXPECT_EQ(later.front(), usual.front() + 4 * 2);
}

/// The cycles in which flits leave a node by its link to the next one, in order.
std::vector<Cycle> leaving(const std::vector<reference::Traversal>& moves, NodeId node) {
  std::vector<Cycle> cycles;
  for (const reference::Traversal& move : moves) {
    if (move.node == node && move.output_port == 0) cycles.push_back(move.cycle);
  }
  std::ranges::sort(cycles);
  return cycles;
}

TEST(RouterParts, OutputSpeedup_TwoInputPortsFillAQueueThatTheLinkEmptiesFlitByFlit) {
  // Both messages have a flit for the link from node 1 to node 2 in cycle 3; that of node 0 is 2 cycles away.
  MachineConfig machine;
  machine.parts.output_queue = 2;
  machine.parts.output_speedup = 2;
  const std::vector<Sent> sent{{0, 2, 3}, {1, 2, 5}};
  const auto [arrivals, moves] = run_messages(machine, sent);
  EXPECT_EQ(leaving(moves, 1), (std::vector<Cycle>{1, 2, 3, 4, 5, 6, 7, 8}));
  // The last flit of node 1 crosses the switch in cycle 5 or 6, as if it were alone, and then waits.
  machine.parts.output_queue = 8;
  const auto [later_arrivals, later_moves] = run_messages(machine, sent);
  EXPECT_EQ(leaving(later_moves, 1), (std::vector<Cycle>{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(RouterParts, OutputQueue_FlitThatLeavesAtOnceWaitsForNothing) {
  MachineConfig machine;
  const auto [without, moves] = run_messages(machine, {{0, 3, 4}});
  machine.parts.output_queue = 1;
  const auto [with, more_moves] = run_messages(machine, {{0, 3, 4}});
  EXPECT_EQ(with, without);
  EXPECT_EQ(more_moves, moves);
}

TEST(RouterParts, OutputQueueOfASlowLink_FlitsLeaveItAtTheLinksInterval) {
  for (const std::uint32_t queue : {0U, 1U, 8U}) {
    MachineConfig machine;
    machine.link_cycles_per_flit = {5, 2};
    machine.parts.arbiter = Arbiter::matrix;
    machine.parts.output_queue = queue;
    const auto [arrivals, moves] = run_messages(machine, {{0, 2, 5}});
    EXPECT_EQ(leaving(moves, 0), (std::vector<Cycle>{1, 3, 6, 8, 11})) << queue;
    EXPECT_EQ(arrivals.front(), 3 * (1 + 1) + 10U) << queue;
  }
}

TEST(RouterParts, LimitWhileFlitsWaitInAnOutputQueue_TheyAreCountedOnNoLink) {
  for (Cycle limit = 1; limit < 12; ++limit) {
    const std::string counts = run_isolated([&] {
      MachineConfig machine;
      machine.link_cycles_per_flit = {5, 2};
      machine.parts.output_queue = 8;
      Network network("network", Topology(TopologyKind::mesh, {4}), machine);
      const std::vector<reference::TimedMessage> messages{{{0, 0, 1, {}, 5, 0}, 0, std::nullopt}};
      reference::TimedDriver driver(messages);
      network.run(driver, limit);
      const RouterGroups& core = network.clock().core();
      return fmt::format("{} {} {}", core.flit_hops(), core.counts(0, 0).flits, core.counts(0, 0).messages);
    });
    // They leave in cycles 1, 3, 6, 8 and 11.
    const unsigned left = (limit >= 1) + (limit >= 3) + (limit >= 6) + (limit >= 8) + (limit >= 11);
    EXPECT_EQ(counts, fmt::format("{0} {0} {1}", left, left == 5 ? 1 : 0)) << limit;
  }
}

/// Flits that leave node 0 before node 1 has ejected two flits of their message.
std::int64_t sent_to_a_slow_node(MachineConfig machine) {
  machine.ejection_interval = 300;
  const auto [arrivals, moves] = run_messages(machine, {{0, 1, 40}}, 100'000);
  return std::ranges::count_if(leaving(moves, 0), [](Cycle each) { return each < 300; });
}

/// The first message of a VC waits in the queue for so long that its head is known to come beyond the wheel
/// when that of the second one comes within it.
TEST(RouterParts, OutputQueue_MissingSlotIsThatOfTheFlitThatLeftTheSwitchFirst) {
  RandomCase example{0, Topology(TopologyKind::mesh, {3}), {}, {}};
  MachineConfig& machine = example.machine;
  machine.routing = "dimension-order";
  machine.virtual_channels = 3;
  machine.buffer = 2;
  machine.router_delay = 3;
  machine.link_delay = 3;
  machine.ports = 2;
  machine.parts.output_queue = 6;
  machine.parts.output_speedup = 2;
  struct Given {
    NodeId to;
    std::uint32_t flits;
    Cycle ready;
  };
  for (const auto& [to, flits, ready] :
       std::vector<Given>{{1, 2, 3}, {0, 2, 0}, {0, 1, 2}, {0, 1, 0}, {1, 1, 0}, {1, 2, 0}}) {
    const Route route = shortest_route(example.topology, 2, to);
    example.messages.push_back({{example.messages.size(), 2, to, route, flits, 0}, ready, std::nullopt});
  }
  expect_agreement(example);
}

/// The head of the last message loses the switch to the first one twice, while a slot of the ejection buffer
/// comes.
TEST(RouterParts, HeadWithoutEjectionVc_HasOneStallAsLongAsItLosesToTheSameMessage) {
  RandomCase example{0, Topology(TopologyKind::mesh, {3}), {}, {}};
  MachineConfig& machine = example.machine;
  machine.routing = "dimension-order";
  machine.virtual_channels = 2;
  machine.buffer = 4;
  machine.ports = 1;
  machine.ejection_buffer = 3;
  machine.vc_allocation = VcAllocation::with_slot;
  machine.parts.vc_allocator = VcAllocator::switch_winner;
  machine.parts.arbiter = Arbiter::fixed;
  for (const auto& [from, flits] :
       std::vector<std::pair<NodeId, std::uint32_t>>{{2, 1}, {0, 3}, {2, 1}, {0, 1}, {2, 2}, {2, 3}}) {
    example.messages.push_back(
        {{example.messages.size(), from, 1, shortest_route(example.topology, from, 1), flits, 0}, 0, {}});
  }
  expect_agreement(example);
}

TEST(RouterParts, SharedBuffer_ABlockedMessageFillsAllButTheReservesOfOthers) {
  MachineConfig machine;
  machine.buffer = 4;
  const auto blocked = [&](Buffers buffers, std::uint32_t reserve) {
    machine.parts.buffers = buffers;
    machine.parts.buffer_reserve = reserve;
    return sent_to_a_slow_node(machine);
  };
  // One of these flits has been ejected.
  EXPECT_EQ(blocked(Buffers::of_vcs, 1), 1 + 4);
  EXPECT_EQ(blocked(Buffers::shared, 1), 1 + 7);
  EXPECT_EQ(blocked(Buffers::shared, 3), 1 + 5);
  EXPECT_EQ(blocked(Buffers::shared, 4), 1 + 4);
}

TEST(RouterParts, OnOffCredits_ABlockedMessageStopsBeforeFlitsAreLost) {
  // 2D + K = 5 flits are on their way when the sender stops.
  MachineConfig machine;
  machine.buffer = 9;
  machine.link_delay = 2;
  machine.credit_delay = 1;
  machine.parts.credits = Credits::on_off;
  const auto blocked = [&](std::optional<std::uint32_t> threshold) {
    machine.parts.stop_threshold = threshold;
    return sent_to_a_slow_node(machine);
  };
  EXPECT_EQ(blocked(std::nullopt), 1 + 9);
  EXPECT_EQ(blocked(5), 1 + 9);
  EXPECT_EQ(blocked(7), 1 + 7);
}

TEST(RouterParts, OnOffCredits_AMessageStreamsWithTheThresholdAndTheRouterDelay) {
  MachineConfig machine;
  machine.router_delay = 2;
  machine.link_delay = 2;
  machine.parts.credits = Credits::on_off;
  const auto last = [&](std::uint32_t buffer) {
    machine.buffer = buffer;
    return run_messages(machine, {{0, 3, 30}}).first.front();
  };
  const Cycle streamed = 4 * (2 + 2) + 29;
  EXPECT_EQ(last(4 + 2), streamed);
  EXPECT_GT(last(4 + 1), streamed);
}

}  // namespace
}  // namespace flitscope::router_parts_test
