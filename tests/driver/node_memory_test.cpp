// The memory of a node: when data is combined and rearranged, to the cycle, and errors of schedules that
// combine.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <tuple>

#include "model/error.h"
#include "model/random.h"
#include "model/units.h"
#include "sim/driver/dataflow_driver.h"
#include "sim/driver/schedule_driver.h"
#include "sim/network/network.h"
#include "sim/run/experiment.h"
#include "tests/support/fake_transport.h"
#include "tests/support/seidel.h"
#include "tests/support/small_schedules.h"

namespace flitscope::node_memory_test {
namespace {

using test::Names;

/// A line of four nodes with an operand of each of `chunks` chunks at every node.
MemorySchedule line_of_operands(std::size_t chunks, const std::vector<Holding>& goal) {
  ScheduleFacts facts = broadcast({TopologyKind::mesh, {4}}, 2);
  facts.collective = {std::vector<std::uint64_t>(chunks, 64), {}, goal, {}, true};
  return MemorySchedule(facts);
}

MachineConfig machine_with(const char* reduce, const char* copy = "0") {
  MachineConfig machine;
  machine.reduce_cycles_per_byte = *parse_decimal(reduce).value;
  machine.copy_cycles_per_byte = *parse_decimal(copy).value;
  return machine;
}

/// A driver and the network it believes in.
template <typename DriverType>
struct Play {
  template <typename... More>
  Play(MemorySchedule played, MachineConfig with, More... more)
      : schedule(std::move(played)),
        machine(std::move(with)),
        driver(schedule, machine, more...),
        network(driver) {
    network.start();
  }
  MemorySchedule schedule;
  MachineConfig machine;
  DriverType driver;
  test::FakeTransport network;
};
using Dataflow = Play<DataflowDriver>;
using Barrier = Play<BarrierDriver>;
constexpr std::uint64_t kAhead = 1000;

MemorySchedule chain() {
  MemorySchedule schedule = line_of_operands(1, {{0, {0}}});
  schedule.begin_step().reduce(3, 2, kMinus);
  schedule.begin_step().reduce(2, 1, kMinus);
  schedule.begin_step().reduce(1, 0, kMinus);
  return schedule;
}

TEST(Combining, MessageBlockedByValues_SaysSo) {
  const Dataflow play(chain(), machine_with("0"), kAhead);
  EXPECT_EQ(
      play.driver.hindrance(),
      "step 2, message 1 ([2] to [1]) waits for values of earlier steps to its source, which never arrive");
}

TEST(Combining, Sender_WaitsForMessagesOfEarlierSteps) {
  Dataflow play(chain(), machine_with("0"), kAhead);
  EXPECT_EQ(play.network.sent(), (Names{"1.1"}));
  play.network.arrive(10, {"1.1"});
  EXPECT_EQ(play.network.sent(), (Names{"2.1"}));
  play.network.arrive(20, {"2.1"});
  EXPECT_EQ(play.network.sent(), (Names{"3.1"}));
  play.network.arrive(30, {"3.1"});
  EXPECT_TRUE(play.driver.finished());
  EXPECT_FALSE(play.driver.operands()->unfinished(play.schedule.facts().collective));
}

TEST(Combining, MessageOfTheSameStep_IsNotAwaited) {
  MemorySchedule schedule = line_of_operands(1, {});
  schedule.begin_step().reduce(0, 1, kPlus).reduce(1, 0, kMinus).reduce(2, 3, kPlus).reduce(3, 2, kMinus);
  schedule.begin_step().reduce(0, 2, kPlus).reduce(2, 0, kMinus);
  Dataflow play(schedule, machine_with("0"), kAhead);
  EXPECT_EQ(play.network.sent(), (Names{"1.1", "1.2", "1.3", "1.4"}));
  play.network.arrive(10, {"1.2"});
  EXPECT_EQ(play.network.sent(), (Names{"2.1"}));
}

TEST(Combining, Sender_WaitsForItsOwnChunkOnly) {
  MemorySchedule schedule = line_of_operands(2, {{0, {0, 1}}});
  schedule.begin_step().reduce(3, 2, kMinus, {0});
  schedule.begin_step().reduce(2, 1, kMinus, {1}).reduce(2, 1, kMinus, {0});
  Dataflow play(schedule, machine_with("0"), kAhead);
  EXPECT_EQ(play.network.sent(), (Names{"1.1", "2.1"}));
}

TEST(Combining, CombiningTime_DelaysTheArrival) {
  Dataflow play(chain(), machine_with("0.5"), kAhead);
  (void)play.network.sent();
  play.network.arrive(10, {"1.1"});
  EXPECT_EQ(play.network.sent(), Names());
  EXPECT_EQ(play.driver.next_event(), 42U);  // 64 bytes at half a cycle each
  play.driver.at(play.network, 42);
  EXPECT_EQ(play.network.sent(), (Names{"2.1"}));
  EXPECT_EQ(play.driver.last_arrival(), 42U);
  EXPECT_EQ(play.driver.next_event(), kNever);
}

TEST(Combining, Barrier_WaitsUntilAllIsCombined) {
  MemorySchedule schedule = line_of_operands(1, {});
  schedule.begin_step().reduce(0, 1, kPlus).reduce(3, 2, kMinus);
  schedule.begin_step().reduce(2, 1, kMinus);
  Barrier play(schedule, machine_with("1"));
  EXPECT_EQ(play.network.sent(), (Names{"1.1", "1.2"}));
  play.network.arrive(10, {"1.1"});
  play.network.arrive(30, {"1.2"});
  EXPECT_EQ(play.driver.next_event(), 74U);
  play.driver.at(play.network, 74);
  EXPECT_EQ(play.network.sent(), Names());
  EXPECT_EQ(play.driver.next_event(), 94U);
  play.driver.at(play.network, 94);
  EXPECT_EQ(play.network.sent(), (Names{"2.1"}));
  EXPECT_EQ(play.driver.steps().front().end, 94U);
}

TEST(Combining, Memory_ServesOneMessageAtATime) {
  MemorySchedule schedule = line_of_operands(1, {});
  schedule.begin_step().reduce(0, 1, kPlus).reduce(2, 1, kMinus);
  schedule.begin_step().add(3, 2, kMinus);
  Dataflow play(schedule, machine_with("1"), kAhead);
  (void)play.network.sent();
  play.network.arrive(10, {"1.1", "1.2"});
  EXPECT_EQ(play.driver.next_event(), 74U);
  play.driver.at(play.network, 74);
  EXPECT_EQ(play.driver.next_event(), 138U);
}

TEST(Combining, RearrangingAndCombining_ShareTheMemory) {
  MemorySchedule schedule = line_of_operands(2, {});
  schedule.begin_step().reduce(0, 1, kPlus, {0});
  schedule.begin_step().reduce(1, 2, kPlus, {1}).rearrange(10);
  schedule.begin_step().reduce(1, 2, kPlus, {0}).rearrange(5);
  Dataflow play(schedule, machine_with("1", "2"), kAhead);
  EXPECT_EQ(play.network.sent(), (Names{"1.1"}));
  EXPECT_EQ(play.driver.next_event(), 20U);
  play.network.arrive(10, {"1.1"});
  play.driver.at(play.network, 20);
  EXPECT_EQ(play.network.sent(), (Names{"2.1"}));
  EXPECT_EQ(play.driver.next_event(), 84U);  // 64 bytes from cycle 20 on
  play.driver.at(play.network, 84);
  EXPECT_EQ(play.driver.next_event(), 94U);
  play.driver.at(play.network, 94);
  EXPECT_EQ(play.network.sent(), (Names{"3.1"}));
}

TEST(Combining, TimingPageExample_TakesItsCycles) {
  EXPECT_EQ(run_isolated([] {
              MemorySchedule schedule = line_of_operands(1, {});
              schedule.edit().collective.operands_everywhere = false;
              schedule.edit().collective.operands = {{0, {0}}, {1, {0}}, {2, {0}}};
              schedule.begin_step().reduce(0, 1, kPlus).reduce(2, 1, kMinus);
              schedule.begin_step().add(1, 0, kMinus).add(1, 2, kPlus);
              const MachineConfig machine = machine_with("0.5");
              Network network("network", schedule.facts().topology, machine);
              BarrierDriver driver(schedule, machine);
              std::string text;
              driver.on_arrival([&](const ArrivedMessage& arrived) {
                text +=
                    fmt::format("{} in {}, ", message_label(arrived.delivery.id), arrived.delivery.arrived);
              });
              network.run(driver);
              return fmt::format("{}done in {}", text, driver.last_arrival());
            }),
            "1.1 in 11, 1.2 in 11, 2.1 in 86, 2.2 in 86, done in 86");
}

TEST(Combining, OperandCountedTwice_EndsTheRun) {
  MemorySchedule schedule = line_of_operands(1, {});
  schedule.begin_step().reduce(0, 1, kPlus);
  schedule.begin_step().reduce(0, 1, kPlus);
  Dataflow play(schedule, machine_with("0"), kAhead);
  play.network.arrive(10, {"1.1"});
  EXPECT_EQ(test::complaint<ScheduleError>([&] { play.network.arrive(20, {"2.1"}); }),
            "step 2, message 1 ([0] to [1]) counts an operand of [0] twice in chunk 0");
}

TEST(Combining, UnfinishedReplacement_EndsTheRun) {
  MemorySchedule schedule = line_of_operands(1, {});
  schedule.begin_step().add(0, 1, kPlus);
  Barrier play(schedule, machine_with("0"));
  EXPECT_EQ(test::complaint<ScheduleError>([&] { play.network.arrive(10, {"1.1"}); }),
            "step 1, message 1 ([0] to [1]) replaces chunk 0 by a value that lacks an operand of [1]");
}

TEST(Combining, ChunkWithoutOperands_CannotBeCombined) {
  MemorySchedule schedule = line();
  schedule.begin_step().reduce(0, 1, kPlus);
  EXPECT_EQ(test::complaint<ScheduleError>([&] { Dataflow(schedule, machine_with("0"), kAhead); }),
            "step 3, message 1 ([0] to [1]) reduces chunk 0, which no node contributes to");
}

TEST(AwaitedOperands, RandomArrivals_AgreeWithAMap) {
  constexpr NodeId kNodes = 3;
  constexpr std::size_t kChunks = 4;
  // Chunk 1 is not combined.
  Collective collective{.chunk_bytes = {8, 8, 8, 8}, .initial = {{0, {1}}}, .goal = std::nullopt};
  for (NodeId node = 0; node < kNodes; ++node) collective.operands.push_back({node, {0, 2, 3}});
  AwaitedOperands awaited(OperandLedger(collective, kNodes), kNodes, kChunks);
  /// Messages by node, chunk and step.
  std::map<std::tuple<NodeId, ChunkId, std::uint64_t>, unsigned> expected;
  const auto first_step = [&](NodeId node, ChunkId chunk) {
    const auto found = expected.lower_bound({node, chunk, 0});
    return found == expected.end() || std::get<0>(found->first) != node || std::get<1>(found->first) != chunk
               ? ~std::uint64_t{0}
               : std::get<2>(found->first);
  };
  std::mt19937_64 random(22);
  std::uint64_t step = 1;
  for (unsigned turn = 0; turn < 5000; ++turn) {
    if (random_below(random, 8) == 0) ++step;
    if (expected.empty() || random_below(random, 20) >= turn / 250) {
      const auto node = static_cast<NodeId>(random_below(random, kNodes));
      const ChunkId chunk = std::array<ChunkId, 3>{0, 2, 3}[random_below(random, 3)];
      awaited.await(node, chunk, step);
      ++expected[{node, chunk, step}];
    } else {
      const auto come =
          std::next(expected.begin(), static_cast<std::ptrdiff_t>(random_below(random, expected.size())));
      const auto [node, chunk, of_step] = come->first;
      awaited.accept(node, chunk, of_step);
      if (--come->second == 0) expected.erase(come);
    }
    for (NodeId node = 0; node < kNodes; ++node) {
      for (const ChunkId chunk : {0U, 2U, 3U}) {
        const std::uint64_t first = first_step(node, chunk);
        ASSERT_FALSE(awaited.is_awaited_before(node, chunk, std::min(first, step + 1))) << turn;
        ASSERT_EQ(awaited.is_awaited_before(node, chunk, step + 1), first <= step) << turn;
        ASSERT_TRUE(first > step || awaited.is_awaited_before(node, chunk, first + 1)) << turn;
      }
    }
  }
}

/// "step.place" and arrival of every message, in order of arrival.
template <typename DriverType, typename... More>
std::string arrivals(const MemorySchedule& schedule, const MachineConfig& machine, More... more) {
  return run_isolated([&] {
    MemorySchedule played = schedule;
    Network network("network", played.facts().topology, machine);
    DriverType driver(played, machine, more...);
    std::string text;
    driver.on_arrival([&](const ArrivedMessage& arrived) {
      const MessageName name = message_name(arrived.delivery.id);
      text += fmt::format("{}{}.{}: {}", text.empty() ? "" : ", ", name.step, name.place,
                          arrived.delivery.arrived);
    });
    network.run(driver);
    EXPECT_TRUE(driver.finished());
    return text;
  });
}

std::string with_barriers(const MemorySchedule& schedule, const MachineConfig& machine) {
  return arrivals<BarrierDriver>(schedule, machine);
}

std::string on_their_own(const MemorySchedule& schedule, const MachineConfig& machine) {
  return arrivals<DataflowDriver>(schedule, machine, std::uint64_t{1000});
}

/// On a line of four nodes, flits of 8 bytes: node 0 sends 64 bytes to node 2 in step 1, to node 1 in step 2,
/// and rearranges `first` and `second` bytes before. Alone they take 6 + 7 and 4 + 7 cycles.
MemorySchedule line_with(std::uint64_t first, std::uint64_t second) {
  MemorySchedule schedule(broadcast({TopologyKind::mesh, {4}}, 1));
  schedule.begin_step().add(0, 2, kPlus).rearrange(first);
  schedule.begin_step().add(0, 1, kPlus).rearrange(second);
  return schedule;
}

MachineConfig one_port(const char* copy) {
  MachineConfig machine;
  machine.ports = 1;
  machine.virtual_channels = 1;
  machine.copy_cycles_per_byte = *parse_decimal(copy).value;
  return machine;
}

TEST(Rearranging, Bytes_DelayAMessageByTheirCostRoundedUp) {
  EXPECT_EQ(with_barriers(line_with(0, 0), one_port("2")), "1.1: 13, 2.1: 24");
  EXPECT_EQ(with_barriers(line_with(64, 0), one_port("0")), "1.1: 13, 2.1: 24");
  EXPECT_EQ(with_barriers(line_with(64, 0), one_port("2")), "1.1: 141, 2.1: 152");
  EXPECT_EQ(with_barriers(line_with(64, 10), one_port("0.125")), "1.1: 21, 2.1: 34");
}

TEST(Rearranging, DecimalCost_GivesTheExactProduct) {
  // In binary floating point all of these products are a little more than 7.
  for (const auto& [copy, bytes] :
       {std::pair("0.07", 100U), std::pair("0.14", 50U), std::pair("0.28", 25U)}) {
    EXPECT_EQ(with_barriers(line_with(bytes, 0), one_port(copy)), "1.1: 20, 2.1: 31") << copy;
  }
}

TEST(Rearranging, Dataflow_KeepsTheOrderOfTheNode) {
  // Without barriers both messages are ready in cycle 0; the channel is busy with the first one for 8 cycles.
  EXPECT_EQ(on_their_own(line_with(0, 0), one_port("1")), "1.1: 13, 2.1: 19");
  // The first is rearranged until cycle 100; the second, which needs nothing, does not overtake it.
  EXPECT_EQ(on_their_own(line_with(100, 0), one_port("1")), "1.1: 113, 2.1: 119");
  // The second is rearranged while the first is sent.
  EXPECT_EQ(on_their_own(line_with(0, 5), one_port("1")), "1.1: 13, 2.1: 19");
  EXPECT_EQ(on_their_own(line_with(0, 50), one_port("1")), "1.1: 13, 2.1: 61");
  // One after the other, since both need the same memory.
  EXPECT_EQ(on_their_own(line_with(100, 50), one_port("1")), "1.1: 113, 2.1: 161");
}

/// On a line of two nodes node 0 rearranges 4 bytes for 1.2 from cycle 0 on; the waiting of 1.1 ends in cycle
/// 1, and it is ready behind 1.2.
TEST(Rearranging, ReadyInTheSameCycle_KeepsTheOrderOfHandingOver) {
  MemorySchedule schedule(broadcast({TopologyKind::mesh, {2}}, 2));
  schedule.edit().collective.chunk_bytes = {8};
  schedule.begin_step().add(0, 1, kPlus).wait({{0, 1, false}}).add(0, 1, kPlus).rearrange(4);
  EXPECT_EQ(with_barriers(schedule, one_port("1")), "1.2: 8, 1.1: 9");
}

/// As long as a node combines, a message that needs no time of its memory is handed over at once.
TEST(Rearranging, MessageWithoutMemoryTime_DoesNotWaitForCombining) {
  MemorySchedule schedule = line_of_operands(2, {});
  schedule.begin_step().reduce(0, 1, kPlus, {0});
  schedule.begin_step().reduce(1, 2, kPlus, {1}).wait({{0, 20, false}});
  Dataflow play(schedule, machine_with("1"), kAhead);
  EXPECT_EQ(play.network.sent(), Names{"1.1"});
  play.network.arrive(10, {"1.1"});
  EXPECT_EQ(play.driver.next_event(), 20U);
  play.driver.at(play.network, 20);
  EXPECT_EQ(play.network.sent(), Names{"2.1"}) << "the node combines until cycle 74";
}

TEST(Rearranging, MessageStillRearranged_IsNotCounted) {
  MemorySchedule schedule(broadcast({TopologyKind::mesh, {2}}, 2));
  schedule.begin_step().add(0, 1, kPlus).rearrange(4).add(0, 1, kPlus);
  Barrier play(schedule, machine_with("0", "1"));
  EXPECT_EQ(play.driver.steps().front().messages, 0U);
  EXPECT_EQ(play.driver.steps().front().flits, 0U);
  EXPECT_EQ(play.driver.in_flight(), 2U);
  play.driver.at(play.network, 4);
  EXPECT_EQ(play.driver.steps().front().messages, 2U);
  EXPECT_EQ(play.driver.steps().front().flits, 16U);
}

TEST(Rearranging, OneNode_DoesNotDelayOthers) {
  MemorySchedule schedule(broadcast({TopologyKind::mesh, {4}}, 1));
  schedule.edit().collective.initial.push_back({3, {0}});
  schedule.begin_step().add(0, 1, kPlus).rearrange(100).add(3, 2, kMinus);
  EXPECT_EQ(with_barriers(schedule, one_port("1")), "1.2: 11, 1.1: 111");
}

TEST(Rearranging, RearrangingTime_IsTimeOfTheStep) {
  const Cycle cycles = std::stoull(run_isolated([] {
    MemorySchedule schedule = line_with(100, 0);
    const MachineConfig machine = one_port("1");
    Network network("network", schedule.facts().topology, machine);
    BarrierDriver driver(schedule, machine);
    network.run(driver);
    return fmt::format("{}", driver.steps()[0].cycles());
  }));
  EXPECT_EQ(cycles, 113U);
}

TEST(Rearranging, RecursiveHalving_RearrangesAtTheSourceOnly) {
  const auto rearranged = [](const std::string& algorithm, std::vector<std::uint32_t> shape) {
    const auto schedule = test::make({algorithm, std::move(shape), {}, 0, "none", "st", 1000});
    std::vector<std::uint64_t> bytes;
    for (Step step; schedule->next(step);) {
      std::uint64_t sum = 0;
      for (const Message& message : step.messages()) sum += message.rearranged_bytes;
      bytes.push_back(sum);
    }
    return bytes;
  };
  using Bytes = std::vector<std::uint64_t>;
  EXPECT_EQ(rearranged("seidel-rh-linear", {8}), (Bytes{1000, 0, 0, 0, 0, 0}));
  EXPECT_EQ(rearranged("seidel-rh-mesh", {2, 2}), (Bytes{1000, 0, 0, 0}));
  EXPECT_EQ(rearranged("seidel-bst-linear", {8}), (Bytes{0, 0, 0, 0}));
  EXPECT_EQ(rearranged("seidel-bst-mesh", {4, 4}), (Bytes(7, 0)));
}

TEST(Rearranging, MostSignificantBitsFirst_RearrangesMessages) {
  ParameterValues values;
  values.set("message", std::int64_t{80});
  for (const char* const order : {"least-first", "most-first"}) {
    values.set("order", std::string(order));
    const auto schedule =
        AlgorithmRegistry::find("dimensional-exchange")->make({TopologyKind::mesh, {8}}, values);
    std::vector<std::uint64_t> of_node_0;
    for (Step step; schedule->next(step);) of_node_0.push_back(step.messages().front().rearranged_bytes);
    const bool least_first = values.text("order") == "least-first";
    EXPECT_EQ(of_node_0,
              least_first ? (std::vector<std::uint64_t>{0, 0, 0}) : (std::vector<std::uint64_t>{0, 20, 40}));
  }
}

}  // namespace
}  // namespace flitscope::node_memory_test
