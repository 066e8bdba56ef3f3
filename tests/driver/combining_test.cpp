// When nodes send and combine chunks of which every node has an operand, to the cycle; and what is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/decimal.h"
#include "model/error.h"
#include "sim/driver/barrier_driver.h"
#include "sim/driver/dataflow_driver.h"
#include "sim/network/network.h"
#include "sim/run/isolated.h"
#include "tests/support/fake_transport.h"
#include "tests/support/small_schedules.h"

namespace flitscope::combining_test {
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

TEST(Combining, ANodeWaitsForAllThatEarlierStepsBringIntoItsValue) {
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

TEST(Combining, WhatComesInTheSameStepIsNotWaitedFor) {
  MemorySchedule schedule = line_of_operands(1, {});
  schedule.begin_step().reduce(0, 1, kPlus).reduce(1, 0, kMinus).reduce(2, 3, kPlus).reduce(3, 2, kMinus);
  schedule.begin_step().reduce(0, 2, kPlus).reduce(2, 0, kMinus);
  Dataflow play(schedule, machine_with("0"), kAhead);
  EXPECT_EQ(play.network.sent(), (Names{"1.1", "1.2", "1.3", "1.4"}));
  play.network.arrive(10, {"1.2"});
  EXPECT_EQ(play.network.sent(), (Names{"2.1"}));
}

TEST(Combining, OnlyTheChunkThatIsSentIsWaitedFor) {
  MemorySchedule schedule = line_of_operands(2, {{0, {0, 1}}});
  schedule.begin_step().reduce(3, 2, kMinus, {0});
  schedule.begin_step().reduce(2, 1, kMinus, {1}).reduce(2, 1, kMinus, {0});
  Dataflow play(schedule, machine_with("0"), kAhead);
  EXPECT_EQ(play.network.sent(), (Names{"1.1", "2.1"}));
}

TEST(Combining, TakesItsTimeBeforeAMessageCounts) {
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

TEST(Combining, ABarrierWaitsUntilAllIsCombined) {
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

TEST(Combining, TheMemoryServesOneAtATime) {
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

TEST(Combining, RearrangingAndCombiningShareTheMemory) {
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

TEST(Combining, TheExampleOfTheTimingPage) {
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

TEST(Combining, AnOperandThatIsCountedTwiceEndsTheRun) {
  MemorySchedule schedule = line_of_operands(1, {});
  schedule.begin_step().reduce(0, 1, kPlus);
  schedule.begin_step().reduce(0, 1, kPlus);
  Dataflow play(schedule, machine_with("0"), kAhead);
  play.network.arrive(10, {"1.1"});
  EXPECT_EQ(test::complaint<ScheduleError>([&] { play.network.arrive(20, {"2.1"}); }),
            "step 2, message 1 ([0] to [1]) counts an operand of [0] twice in chunk 0");
}

TEST(Combining, AnUnfinishedValueThatReplacesEndsTheRun) {
  MemorySchedule schedule = line_of_operands(1, {});
  schedule.begin_step().add(0, 1, kPlus);
  Barrier play(schedule, machine_with("0"));
  EXPECT_EQ(test::complaint<ScheduleError>([&] { play.network.arrive(10, {"1.1"}); }),
            "step 1, message 1 ([0] to [1]) replaces chunk 0 by a value that lacks an operand of [1]");
}

TEST(Combining, ChunksWithoutOperandsCannotBeCombined) {
  MemorySchedule schedule = line();
  schedule.begin_step().reduce(0, 1, kPlus);
  EXPECT_EQ(test::complaint<ScheduleError>([&] { Dataflow(schedule, machine_with("0"), kAhead); }),
            "step 3, message 1 ([0] to [1]) reduces chunk 0, which no node contributes to");
}

}  // namespace
}  // namespace flitscope::combining_test
