// Routers of parts (docs/timing.md, "Router parts") do what the reference model does.
//
// FLITSCOPE_CASES sets how many random cases are compared (default 400).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <set>
#include <sstream>
#include <tuple>

#include "model/error.h"
#include "routers/modules/limits.h"
#include "routers/parts/arbiters.h"
#include "routers/parts/slot_tracker.h"
#include "routers/parts/switch_allocators.h"
#include "tests/reference/reference_network.h"
#include "tests/routers/engine_record.h"
#include "tests/support/random_cases.h"

namespace flitscope::router_parts_test {
namespace {

using reference::RandomCase;

std::string line_of(const FlitStall& stall) {
  return fmt::format(
      "cycle {} node {} input VC {}: message {} flit {} {} cycles {} port {} vc {} culprit {}\n", stall.from,
      stall.node, stall.input_vc, stall.message, stall.index, stall.cycles, name_of(stall.cause), stall.port,
      stall.vc ? fmt::format("{}", *stall.vc) : "-", stall.culprit ? fmt::format("{}", *stall.culprit) : "-");
}

std::string text_of(std::vector<FlitStall> stalls) {
  std::ranges::sort(stalls, {},
                    [](const FlitStall& each) { return std::tuple(each.from, each.node, each.input_vc); });
  std::string text;
  for (const FlitStall& stall : stalls) text += line_of(stall);
  return text;
}

/// Flits that leave routers and that network interfaces put.
std::string text_of(std::vector<reference::Traversal> moves, std::vector<reference::Injection> puts) {
  std::ranges::sort(moves, {}, [](const reference::Traversal& each) {
    return std::tuple(each.cycle, each.node, each.output_port);
  });
  std::ranges::sort(puts, {}, [](const reference::Injection& each) {
    return std::tuple(each.cycle, each.node, each.channel);
  });
  std::string text;
  for (const auto& [cycle, node, port, vc, message, flit] : moves)
    text += fmt::format("cycle {} node {}: flit {} of {} leaves by {}.{}\n", cycle, node, flit, message, port,
                        vc);
  for (const auto& [cycle, node, channel, message, flit] : puts)
    text +=
        fmt::format("cycle {} node {}: flit {} of {} is put by {}\n", cycle, node, flit, message, channel);
  return text;
}

class Recorder final : public StallObserver, public FlitObserver {
 public:
  void stalled(const FlitStall& stall) override { stalls.push_back(stall); }
  void injected(Cycle now, NodeId node, unsigned channel, std::uint64_t message, std::uint32_t index,
                bool /*tail*/) override {
    puts.push_back({now, node, channel, message, index});
  }
  void moved(Cycle now, NodeId node, unsigned port, unsigned vc, std::uint64_t message, std::uint32_t index,
             bool /*tail*/) override {
    moves.push_back({now, node, port, vc, message, index});
  }
  std::vector<FlitStall> stalls;
  std::vector<reference::Traversal> moves;
  std::vector<reference::Injection> puts;
};

/// Deliveries and stalls.
std::string by_reference(const RandomCase& random_case, Cycle& until) {
  reference::ReferenceNetwork slow(random_case.topology, random_case.machine);
  reference::TimedDriver driver(random_case.messages);
  const reference::Outcome end = slow.run(driver, test::kRecordLimit);
  until = slow.now();
  return test::text_of(driver.deliveries()) + text_of(slow.traversals(), slow.injections()) +
         fmt::format("stalls {}\n", fmt::join(end.stalls, " ")) + text_of(slow.stalls());
}

std::string by_engine(const RandomCase& random_case, Cycle until) {
  return run_isolated([&] {
    Network network("network", random_case.topology, random_case.machine);
    Recorder recorder;
    network.clock().observe({.stalls = &recorder, .flits = &recorder});
    reference::TimedDriver driver(random_case.messages);
    network.run(driver, until - 1);  // heads that speculate never rest
    RouterCore& core = network.clock().core();
    core.settle_stalls(until);
    return test::text_of(driver.deliveries()) + text_of(recorder.moves, recorder.puts) +
           fmt::format("stalls {}\n", fmt::join(core.stalls(), " ")) + text_of(recorder.stalls);
  });
}

void expect_agreement(const RandomCase& random_case) {
  Cycle until = 0;
  const std::string expected = by_reference(random_case, until);
  EXPECT_EQ(test::first_difference(expected, by_engine(random_case, until)), "")
      << reference::description(random_case);
}

TEST(RouterParts, RandomCases_HaveTheFlitsAndStallsOfTheReferenceModel) {
  std::uint64_t compared = 0;
  for (std::uint64_t seed = 0; seed < test::cases(400) / 2 && !HasFailure(); ++seed) {
    const auto random_case = reference::with_router_parts(reference::random_case(21'000'000 + seed));
    if (!random_case) continue;
    ++compared;
    expect_agreement(*random_case);
  }
  EXPECT_GT(compared, test::cases(400) / 8);
}

TEST(RouterParts, SmallNetworksThatMayDeadlock_HaveTheFlitsAndStallsOfTheReferenceModel) {
  for (std::uint64_t seed = 0; seed < test::cases(400) && !HasFailure(); ++seed) {
    const auto random_case = reference::with_router_parts(reference::deadlock_case(22'000'000 + seed));
    if (random_case) expect_agreement(*random_case);
  }
}

TEST(RouterParts, UnequalLinks_HaveTheFlitsAndStallsOfTheReferenceModel) {
  for (std::uint64_t seed = 0; seed < test::cases(400) / 40 && !HasFailure(); ++seed) {
    const auto random_case = reference::with_router_parts(
        reference::with_unequal_links(reference::random_case(23'000'000 + seed)));
    if (random_case) expect_agreement(*random_case);
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
    Recorder recorder;
    network.clock().observe({.stalls = &recorder, .flits = &recorder});
    std::vector<reference::TimedMessage> messages;
    for (const Sent& each : sent) {
      messages.push_back({{messages.size(), each.from, each.to, {}, each.flits, 0}, 0, std::nullopt});
    }
    reference::TimedDriver driver(messages);
    network.run(driver, limit);
    std::string result;
    for (const Delivery& delivery : driver.deliveries())
      result += fmt::format("{} {}\n", delivery.id, delivery.arrived);
    for (const reference::Traversal& move : recorder.moves)
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

/// Flits that leave node 0 before node 1 has ejected two flits of their message.
std::int64_t sent_to_a_slow_node(MachineConfig machine) {
  machine.ejection_interval = 300;
  const auto [arrivals, moves] = run_messages(machine, {{0, 1, 40}}, 100'000);
  return std::ranges::count_if(leaving(moves, 0), [](Cycle each) { return each < 300; });
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

// --- Switch allocators ------------------------------------------------------------------------------------

constexpr RouterShape kFivePorts{
    .link_ports = 4, .virtual_channels = 3, .channels = 1, .node_vcs = 3, .classes = 1};

/// Flits that leave in each of so many cycles with the same requests: output ports by input VC.
std::vector<std::uint64_t> granted(const RouterParts& parts, RouterShape shape, std::uint64_t flits,
                                   const std::vector<std::uint8_t>& ports, unsigned cycles = 1,
                                   const std::vector<std::uint8_t>& ranks = {}) {
  shape.input_speedup = parts.input_speedup;
  const auto matcher = SwitchMatcher::make(parts, shape);
  std::vector<std::uint8_t> state(matcher->bytes());
  std::vector<std::uint64_t> result;
  for (unsigned i = 0; i < cycles; ++i)
    result.push_back(matcher->allocate(state.data(), {.flits = flits, .ports = ports, .ranks = ranks}).moved);
  return result;
}

/// The most pairs of input and output ports that `flits` admit.
unsigned largest_match(std::uint64_t flits, const std::vector<std::uint8_t>& ports, unsigned port,
                       unsigned taken) {
  if (port == kFivePorts.ports()) return 0;
  unsigned most = largest_match(flits, ports, port + 1, taken);
  for (unsigned i = 0; i < kFivePorts.vcs_of(port); ++i) {
    const unsigned vc = kFivePorts.first_vc(port) + i;
    if ((flits >> vc & 1) == 0 || (taken >> ports[vc] & 1) != 0) continue;
    most = std::max(most, 1 + largest_match(flits, ports, port + 1, taken | 1U << ports[vc]));
  }
  return most;
}

TEST(SwitchAllocators, RandomRequests_MaxSizeMovesAsManyFlitsAsPossibleAndOthersNoMore) {
  std::mt19937 random(7);
  for (unsigned i = 0; i < 300; ++i) {
    const std::uint64_t flits = random() & ((std::uint64_t{1} << kFivePorts.vcs()) - 1);
    std::vector<std::uint8_t> ports(kFivePorts.vcs());
    for (std::uint8_t& port : ports) port = static_cast<std::uint8_t>(random() % kFivePorts.ports());
    const unsigned most = largest_match(flits, ports, 0, 0);
    for (const SwitchAllocator allocator : kSwitchAllocators) {
      for (const std::uint64_t moved :
           granted({.switch_allocator = allocator}, kFivePorts, flits, ports, 3)) {
        const auto count = static_cast<unsigned>(std::popcount(moved));
        EXPECT_EQ(moved & ~flits, 0U);
        EXPECT_LE(count, most) << name_of(allocator);
        if (allocator == SwitchAllocator::max_size) {
          EXPECT_EQ(count, most);
        }
      }
    }
  }
}

TEST(SwitchAllocators, InputSpeedup_FlitsOfDifferentVcsLeaveAnInputPortTogether) {
  const std::vector<std::uint8_t> ports{1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  for (const SwitchAllocator allocator : kSwitchAllocators) {
    const auto leave = [&](std::uint32_t speedup) {
      return std::popcount(
          granted({.switch_allocator = allocator, .input_speedup = speedup}, kFivePorts, 0b111, ports)
              .front());
    };
    EXPECT_EQ(leave(1), 1) << name_of(allocator);
    EXPECT_EQ(leave(2), 2) << name_of(allocator);
    EXPECT_EQ(leave(3), 3) << name_of(allocator);
  }
}

TEST(SwitchAllocators, OutputSpeedup_FlitsOfDifferentInputPortsComeToAnOutputPortTogether) {
  // Outputs 6, 7 and 8 of the switch are those of output port 3 with a speed-up of 2: of ports 0, 2, and
  // of 1.
  RouterShape shape = kFivePorts;
  shape.output_speedup = 2;
  std::vector<std::uint8_t> outputs(15);
  for (unsigned vc = 0; vc < outputs.size(); ++vc)
    outputs[vc] = static_cast<std::uint8_t>(shape.output_of(3, vc));
  const std::uint64_t flits = 0b001'001'001;  // VC 0 of ports 0, 1 and 2
  for (const SwitchAllocator allocator : kSwitchAllocators) {
    for (const std::uint64_t moved :
         granted({.switch_allocator = allocator, .output_speedup = 2}, shape, flits, outputs, 4)) {
      EXPECT_EQ(std::popcount(moved), 2) << name_of(allocator);
      EXPECT_NE(moved & 0b001'000, 0U) << name_of(allocator);
    }
  }
}

TEST(SwitchAllocators, Age_TheFlitOfTheOldestMessageLeavesInEveryCycle) {
  // VC 0 of port 0, VC 4 of port 1, and both VC 6 and VC 7 of port 2 request output port 3.
  const std::vector<std::uint8_t> ports(15, 3);
  const std::vector<std::uint8_t> ranks{3, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0};
  for (const SwitchAllocator allocator : kSwitchAllocators) {
    if (allocator == SwitchAllocator::wavefront || allocator == SwitchAllocator::max_size) continue;
    for (const std::uint64_t moved : granted({.switch_allocator = allocator, .arbiter = Arbiter::age},
                                             kFivePorts, 0b11010001, ports, 3, ranks))
      EXPECT_EQ(moved, std::uint64_t{1} << 7) << name_of(allocator);
  }
}

// --- Refusals ----------------------------------------------------------------------------------------------

using Change = void (*)(MachineConfig&);
/// A machine and the error of require_buildable for it in a mesh, "" if there is none, or the error's
/// beginning.
struct Refusal {
  Change change;
  std::string error;
};

/// Machines that are changed by `base` first.
void expect_refusals(Change base, const std::vector<Refusal>& refusals) {
  for (const auto& [change, expected] : refusals) {
    MachineConfig machine;
    base(machine);
    change(machine);
    std::string error;
    try {
      require_buildable(Topology(TopologyKind::mesh, {4, 4}), machine, std::uint64_t{1} << 40);
    } catch (const Inadmissible& refused) {
      error = refused.key() + ": " + refused.what();
    }
    EXPECT_EQ(error.substr(0, expected.empty() ? std::string::npos : expected.size()), expected) << error;
  }
}
void expect_refusals(const std::vector<Refusal>& refusals) {
  expect_refusals([](auto&) {}, refusals);
}

TEST(RouterParts, PartsWithoutMeaningTogether_AreRefused) {
  expect_refusals(
      {{[](auto& machine) { machine.parts.switch_iterations = 2; },
        "router.switch_iterations: a separable-input-first switch allocator has one iteration, not 2; islip "
        "has "
        "several"},
       {[](auto& machine) {
          machine.parts.speculation = Speculation::requests;
          machine.vc_delay = 1;
        },
        "router.vc_delay: a router that speculates allocates VCs and the switch in one cycle: 'vc_delay' "
        "must be "
        "0, not 1, or 'speculation' none"},
       {[](auto& machine) {
          machine.parts.speculation = Speculation::prioritised;
          machine.parts.switch_allocator = SwitchAllocator::islip;
        },
        "router.speculation: prioritised speculation is for a separable-input-first switch allocator; with "
        "islip "
        "it can be 'requests' or 'grants'"},
       {[](auto& machine) { machine.parts.early_credits = true; },
        "router.early_credits: a credit can be seen a cycle early only if 'router.credit_delay' is 1 or "
        "more"},
       {[](auto& machine) { machine.parts.input_speedup = 9; },
        "router.input_speedup: 8 input ports with an input speed-up of 9 make 72 inputs of the switch; at "
        "most 64 "
        "are possible"},
       {[](auto& machine) { machine.parts.bypass = true; },
        "router.bypass: a bypass is for a switch-winner VC allocator with prioritised speculation, not for a "
        "circular one with none speculation"}});
}

TEST(RouterParts, SwitchWinnerVcAllocatorsOfOtherRouters_AreRefused) {
  expect_refusals(
      [](auto& machine) {
        machine.parts.vc_allocator = VcAllocator::switch_winner;
        machine.parts.speculation = Speculation::prioritised;
        machine.vc_allocation = VcAllocation::with_slot;
      },
      {{[](auto& machine) { machine.parts.bypass = true; }, ""},
       {[](auto& machine) { machine.parts.speculation = Speculation::grants; },
        "router.speculation: with a switch-winner VC allocator heads ask for the switch if there is a "
        "virtual "
        "channel for them (none) or always (prioritised), not by 'grants'"},
       {[](auto& machine) { machine.vc_allocation = VcAllocation::non_atomic; },
        "router.vc_allocation: a head that wins the switch leaves at once, so a switch-winner VC allocator "
        "needs "
        "'vc_allocation: with-slot' or 'atomic'"},
       {[](auto& machine) {
          machine.parts.bypass = true;
          machine.parts.hold = true;
        },
        "router.hold: a router with a bypass holds no ports"}});
}

TEST(RouterParts, QueuesAndBuffersWithoutMeaning_AreRefused) {
  expect_refusals(
      {{[](auto& machine) { machine.parts.output_speedup = 2; },
        "router.output_speedup: a link takes a flit in a cycle, so an output speed-up of 2 needs an "
        "'output_queue' "
        "of 2 flits or more, not 0"},
       {[](auto& machine) {
          machine.parts.output_speedup = 9;
          machine.parts.output_queue = 9;
        },
        "router.output_speedup: 8 output ports with an output speed-up of 9 make 72 outputs of the switch; "
        "at most "
        "64 are possible"},
       {[](auto& machine) {
          machine.parts.output_queue = 2;
          machine.ejection_interval = 2;
        },
        "router.output_queue: a flit leaves an output queue in every cycle: 'node.ejection_interval' must be "
        "1, "
        "not 2, or 'output_queue' 0"},
       {[](auto& machine) {
          machine.parts.output_queue = 2;
          machine.parts.early_credits = true;
          machine.credit_delay = 1;
        },
        "router.output_queue: a router with early credits has no output queues: 'early_credits' must be "
        "false, or "
        "'output_queue' 0"},
       {[](auto& machine) { machine.parts.buffer_reserve = 2; },
        "router.buffer_reserve: a reserve is a part of a shared buffer: set 'buffers: shared' too"},
       {[](auto& machine) {
          machine.parts.buffers = Buffers::shared;
          machine.parts.buffer_reserve = 9;
        },
        "router.buffer_reserve: a virtual channel has 8 flits of the shared buffer, so its reserve is at "
        "most "
        "that, not 9"},
       {[](auto& machine) { machine.parts.stop_threshold = 2; },
        "router.stop_threshold: credits that count have no threshold: set 'credits: on-off'"}});
}

TEST(RouterParts, OnOffCreditsThatCannotWork_AreRefused) {
  expect_refusals(
      [](auto& machine) { machine.parts.credits = Credits::on_off; },
      {{[](auto&) {}, ""},
       {[](auto& machine) { machine.parts.stop_threshold = 1; },
        "router.stop_threshold: 2 flits can leave before a sender stops (twice the link delay and the credit "
        "delay), so with a threshold of 1 flits would be lost: at least 2"},
       {[](auto& machine) { machine.parts.stop_threshold = 9; },
        "router.stop_threshold: a sender goes on with 9 free slots, which a buffer of 8 flits never has"},
       {[](auto& machine) { machine.link_delay = 5; },
        "router.buffer: a sender goes on with 10 free slots, which a buffer of 8 flits never has"},
       {[](auto& machine) { machine.vc_allocation = VcAllocation::atomic; },
        "router.vc_allocation: a sender with on-off credits does not know when a buffer is empty: VC "
        "allocation "
        "is 'non-atomic' or 'with-slot'"},
       {[](auto& machine) { machine.parts.buffers = Buffers::shared; },
        "router.credits: a sender with on-off credits knows no slots of a shared buffer: 'buffers' must be "
        "of-vcs"}});
}

TEST(RouterParts, MachinesThatAreNotSimulatedWithParts_AreRefused) {
  expect_refusals([](auto& machine) { machine.parts.arbiter = Arbiter::matrix; },
                  {{[](auto&) {}, ""},
                   {[](auto& machine) { machine.switching = Switching::virtual_cut_through; },
                    "router.switching: routers with a circular VC allocator"},
                   {[](auto& machine) { machine.routing = "odd-even"; },
                    "router.routing: routers with a circular VC allocator"},
                   {[](auto& machine) { machine.link_cycles_per_flit = 2; },
                    "link.cycles_per_flit: routers with a circular VC allocator"}});
}

// --- Arbiters ----------------------------------------------------------------------------------------------

/// Winners of so many arbitrations among inputs that always ask.
std::vector<unsigned> winners(Arbiter kind, unsigned inputs, unsigned times) {
  const Arbiters arbiters(kind);
  std::vector<std::uint8_t> state(arbiters.bytes(inputs));
  std::vector<unsigned> result;
  for (unsigned i = 0; i < times; ++i) {
    result.push_back(arbiters.pick(state.data(), inputs, (std::uint64_t{1} << inputs) - 1));
    arbiters.update(state.data(), inputs, result.back());
  }
  return result;
}

TEST(Arbiters, RoundRobinAndMatrix_ServeInputsThatAlwaysAskInTurn) {
  for (const Arbiter kind : {Arbiter::round_robin, Arbiter::matrix}) {
    EXPECT_EQ(winners(kind, 3, 7), (std::vector<unsigned>{0, 1, 2, 0, 1, 2, 0}));
  }
}

TEST(Arbiters, RoundRobinBinary_OfFourInputsServesTwoOnly) {
  const std::vector<unsigned> served = winners(Arbiter::round_robin_binary, 4, 8);
  EXPECT_EQ(std::set(served.begin(), served.end()), (std::set<unsigned>{1, 3}));
}

TEST(Arbiters, RoundRobinBinary_OfTwoInputsServesTheLastWinner) {
  EXPECT_EQ(winners(Arbiter::round_robin_binary, 2, 4), (std::vector<unsigned>{1, 1, 1, 1}));
}

TEST(Arbiters, Matrix_ServesTheOneThatWonLeastRecently) {
  const Arbiters arbiters(Arbiter::matrix);
  std::vector<std::uint8_t> state(arbiters.bytes(4));
  for (const unsigned winner : {2U, 0U, 3U}) arbiters.update(state.data(), 4, winner);
  EXPECT_EQ(arbiters.pick(state.data(), 4, 0b1111), 1U);
  EXPECT_EQ(arbiters.pick(state.data(), 4, 0b1101), 2U);
  EXPECT_EQ(arbiters.pick(state.data(), 4, 0b1001), 0U);
}

TEST(Arbiters, Fixed_ServesTheLowestNumber) {
  EXPECT_EQ(winners(Arbiter::fixed, 4, 3), (std::vector<unsigned>{0, 0, 0}));
}

TEST(SlotTracker, LastSlotLeft_IsSeenAtOnce) {
  SlotTracker tracker;
  EXPECT_FALSE(tracker.step(true, false));
  EXPECT_FALSE(tracker.step(false, false));
  EXPECT_TRUE(tracker.step(false, true));
}

TEST(SlotTracker, FlitPutAsTheOtherSlotIsLeft_LosesTheFlagAndShowsTheEmptyVcACycleLater) {
  SlotTracker tracker;
  EXPECT_FALSE(tracker.step(true, false));
  EXPECT_FALSE(tracker.step(true, true));
  EXPECT_FALSE(tracker.step(false, true));
  EXPECT_TRUE(tracker.step(false, false));
}

}  // namespace
}  // namespace flitscope::router_parts_test
