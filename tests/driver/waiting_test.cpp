// Messages that wait for other messages (Step::wait), to the cycle.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/schedule.h"
#include "model/units.h"
#include "sim/analysis/schedule_checker.h"
#include "sim/driver/dataflow_driver.h"
#include "sim/driver/schedule_driver.h"
#include "sim/network/network.h"
#include "sim/run/experiment.h"
#include "tests/support/small_schedules.h"

namespace flitscope::waiting_test {
namespace {

/// "step.place" and arrival of every message, in order of arrival.
template <typename DriverType, typename... More>
std::string arrivals(const MemorySchedule& schedule, const MachineConfig& machine, More... more) {
  return run_isolated([&] {
    MemorySchedule played = schedule;
    Network network("network", played.facts().topology, machine);
    DriverType driver(played, machine, more...);
    std::string text;
    driver.on_arrival([&](const ArrivedMessage& arrived) {
      text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", message_label(arrived.delivery.id),
                          arrived.delivery.arrived);
    });
    network.run(driver);
    EXPECT_TRUE(driver.finished());
    return text;
  });
}

MachineConfig one_port() {
  MachineConfig machine;
  machine.ports = 1;
  machine.virtual_channels = 1;
  return machine;
}

std::string with_barriers(const MemorySchedule& schedule) {
  return arrivals<BarrierDriver>(schedule, one_port());
}
std::string on_their_own(const MemorySchedule& schedule, std::uint64_t lookahead = 1000) {
  return arrivals<DataflowDriver>(schedule, one_port(), lookahead);
}

/// On a line of four nodes, flits of 8 bytes: nodes 0 and 3 have 64 bytes. Alone a message takes 4 + 7 cycles
/// to a neighbour and 6 + 7 to the node behind.
MemorySchedule line_of_four() {
  MemorySchedule schedule(broadcast({TopologyKind::mesh, {4}}, 1));
  schedule.edit().collective.initial.push_back({3, {0}});
  return schedule;
}

constexpr std::uint64_t k11 = message_id(1, 0);
constexpr std::uint64_t k12 = message_id(1, 1);

TEST(Waiting, Wait_CountsFromTheDelivery) {
  for (const auto& [wait, there] : {std::pair(0U, 24U), std::pair(1U, 25U), std::pair(100U, 124U)}) {
    MemorySchedule schedule = line_of_four();
    schedule.begin_step().add(0, 2, kPlus).announce();
    schedule.begin_step().add(0, 1, kPlus).wait({{k11, wait}});
    const std::string expected = fmt::format("1.1: 13, 2.1: {}", there);
    EXPECT_EQ(with_barriers(schedule), expected);
    EXPECT_EQ(on_their_own(schedule), expected);
  }
}

TEST(Waiting, CountedBarrier_EndsWithTheLastOfTheNumber) {
  // Two of the three messages of kind 7 are there in cycles 11 and 19; the third one does not count.
  for (const auto& [count, there] : {std::pair(1U, 11U), std::pair(2U, 19U), std::pair(3U, 27U)}) {
    for (const unsigned wait : {0U, 5U}) {
      MemorySchedule schedule = line_of_four();
      schedule.begin_step().add(0, 1, kPlus).kind(7).add(3, 1, kMinus).kind(7).add(0, 1, kPlus).kind(7);
      schedule.add(3, 2, kMinus).kind(7);  // counted at another node
      schedule.add(1, 0, kMinus, {}, 64).wait({{7, wait, false, count}});
      const std::string last = fmt::format("1.5: {}", there + wait + 11);
      EXPECT_NE(with_barriers(schedule).find(last), std::string::npos) << last << with_barriers(schedule);
      EXPECT_NE(on_their_own(schedule).find(last), std::string::npos) << last << on_their_own(schedule);
    }
  }
}

TEST(Waiting, CountReachedBeforeItsStep_CountsFromThatCycle) {
  MemorySchedule schedule = line_of_four();
  schedule.begin_step().add(0, 1, kPlus).kind(7).add(3, 1, kMinus);
  schedule.begin_step().add(1, 0, kMinus, {}, 64).wait({{7, 30, false, 1}});
  EXPECT_EQ(with_barriers(schedule), "1.1: 11, 1.2: 19, 2.1: 52");
}

TEST(Waiting, MoreOfAKindThanComeBefore_AreRefused) {
  MemorySchedule schedule = line_of_four();
  schedule.begin_step().add(0, 1, kPlus).kind(7).add(1, 0, kMinus, {}, 8).wait({{7, 0, false, 2}});
  schedule.add(3, 1, kMinus).kind(7);
  const CheckReport report = check_schedule(schedule);
  ASSERT_FALSE(report.violations.empty());
  EXPECT_EQ(
      report.violations.front().text,
      "step 1, message 2: [1] -> [0]: waits for 2 messages of kind 7 at [1], but there are 1 before it");
  EXPECT_EQ(report.violations.front().kind, ViolationKind::waits);
}

TEST(Waiting, MessageToItsOwnNode_TakesItsRouter) {
  // R + A + D + (L-1)s, and then 4 + 7 to the neighbour.
  MemorySchedule schedule = line_of_four();
  schedule.begin_step().add(0, 0, kPlus).announce();
  schedule.begin_step().add(0, 1, kPlus).wait({{k11, 3}});
  EXPECT_EQ(with_barriers(schedule), "1.1: 9, 2.1: 23");
  EXPECT_EQ(on_their_own(schedule), "1.1: 9, 2.1: 23");
}

TEST(Waiting, ReplyToItsOwnNode_IsCounted) {
  MemorySchedule schedule = line_of_four();
  schedule.begin_step().add(0, 0, kPlus, {}, 8).reply(64, 10).kind(1);
  schedule.add(0, 1, kPlus).wait({{1, 0, false, 1}});
  // 2, then 2 + 10 + 9, then 11 more.
  EXPECT_EQ(with_barriers(schedule), "1.1: 2, 1.2: 21, 1.3: 32");
}

TEST(Waiting, SeveralWaits_EndWithTheLatest) {
  // 1.1 is there in cycle 11 and counts until 31, 1.2 in cycle 13 and counts until 18; the beginning
  // until 25.
  for (const auto& [from_start, there] : {std::pair(25U, 42U), std::pair(32U, 43U)}) {
    MemorySchedule schedule = line_of_four();
    schedule.begin_step().add(0, 1, kPlus).announce().add(3, 1, kMinus).announce();
    schedule.begin_step().add(1, 2, kPlus).wait({{k11, 20}, {k12, 5}, {0, from_start}});
    const std::string expected = fmt::format("1.1: 11, 1.2: 19, 2.1: {}", there);
    EXPECT_EQ(on_their_own(schedule), expected);
    EXPECT_EQ(with_barriers(schedule), expected);
  }
}

TEST(Waiting, Wait_MayCountFromTheBeginning) {
  MemorySchedule schedule = line_of_four();
  schedule.begin_step().add(0, 1, kPlus).wait({{0, 30}});
  EXPECT_EQ(with_barriers(schedule), "1.1: 41");
  EXPECT_EQ(on_their_own(schedule), "1.1: 41");
}

TEST(Waiting, DeliveryElsewhere_EndsTheWait) {
  // 3 gets nothing, and its message to 2 waits for one between 0 and 1.
  MemorySchedule schedule = line_of_four();
  schedule.begin_step().add(0, 1, kPlus).announce();
  schedule.begin_step().add(3, 2, kMinus).wait({{k11, 4}});
  EXPECT_EQ(on_their_own(schedule), "1.1: 11, 2.1: 26");
}

TEST(Waiting, WaitWithinAStep_IsKept) {
  MemorySchedule schedule = line_of_four();
  schedule.begin_step().add(0, 1, kPlus).announce().add(3, 2, kMinus).wait({{k11, 0}});
  EXPECT_EQ(with_barriers(schedule), "1.1: 11, 1.2: 22");
  EXPECT_EQ(on_their_own(schedule), "1.1: 11, 1.2: 22");
}

TEST(Waiting, WaitForASend_EndsWithTheSend) {
  // 1.1 is handed over in cycle 30, because it waits itself, and delivered in 41.
  MemorySchedule schedule = line_of_four();
  schedule.begin_step().add(0, 1, kPlus).wait({{0, 30}}).announce();
  schedule.add(3, 2, kMinus).wait({{k11, 0, true}}).announce().add(3, 1, kMinus).wait({{k12, 20, true}});
  // 1.2 goes in the same cycle 30, 1.3 in cycle 50.
  EXPECT_EQ(with_barriers(schedule), "1.1: 41, 1.2: 41, 1.3: 63");
  EXPECT_EQ(on_their_own(schedule), "1.1: 41, 1.2: 41, 1.3: 63");
}

/// The delivery of 1.1 ends the waiting of 1.2, 1.3 and 1.5, the sending of 1.3 that of 1.4. A queue keeps
/// its order.
TEST(Waiting, MessagesReleasedInOneCycle_GoByNumberAndGeneration) {
  MemorySchedule schedule(broadcast({TopologyKind::mesh, {4}}, 8));
  schedule.edit().collective.initial.push_back({3, {0}});
  constexpr std::uint64_t k13 = message_id(1, 2);
  schedule.begin_step().add(0, 1, kPlus).announce();
  schedule.add(3, 2, kMinus).wait({{k11, 0}});
  schedule.add(3, 2, kMinus).wait({{k11, 0}}).announce();
  schedule.add(3, 2, kMinus).wait({{k13, 0, true}});
  schedule.add(3, 2, kMinus).wait({{k11, 0}});
  // 64 bytes are 8 flits, and one channel takes them one message after the other.
  EXPECT_EQ(with_barriers(schedule), "1.1: 11, 1.2: 22, 1.3: 30, 1.5: 38, 1.4: 46");
  EXPECT_EQ(on_their_own(schedule), "1.1: 11, 1.2: 22, 1.3: 30, 1.4: 38, 1.5: 46");
}

TEST(Waiting, WaitingMessage_BlocksItsQueueAndNoStep) {
  MemorySchedule schedule = line_of_four();
  schedule.begin_step().add(0, 1, kPlus).wait({{0, 50}}).add(0, 2, kPlus);
  // With a queue 1.2 is ready in cycle 50 and finds the channel busy for 8 cycles.
  EXPECT_EQ(on_their_own(schedule), "1.1: 61, 1.2: 71");
  // A step's messages start with the step, each when it may.
  EXPECT_EQ(with_barriers(schedule), "1.2: 13, 1.1: 61");
}

TEST(Waiting, MessageOfARemovedStep_IsKnown) {
  MemorySchedule schedule = line_of_four();
  schedule.begin_step().add(0, 1, kPlus).announce();
  schedule.begin_step().add(3, 2, kMinus);
  schedule.begin_step().add(1, 2, kPlus).wait({{k11, 40}});
  EXPECT_EQ(on_their_own(schedule, 1), "1.1: 11, 2.1: 22, 3.1: 62");
  EXPECT_EQ(with_barriers(schedule), "1.1: 11, 2.1: 22, 3.1: 62");
}

TEST(Waiting, Wait_CountsFromTheEndOfCombining) {
  MemorySchedule schedule(broadcast({TopologyKind::mesh, {4}}, 1));
  schedule.edit().collective.initial = {};
  schedule.edit().collective.operands = {{0, {0}}, {1, {0}}};
  schedule.edit().collective.goal = {{{1, {0}}}};
  schedule.begin_step().reduce(0, 1, kPlus).announce();
  schedule.begin_step().add(1, 2, kPlus).wait({{k11, 3}});
  MachineConfig machine = one_port();
  machine.reduce_cycles_per_byte = *parse_decimal("0.5").value;
  const std::string expected = "1.1: 11, 2.1: 57";  // combined in cycle 43, ready in 46
  EXPECT_EQ(arrivals<BarrierDriver>(schedule, machine), expected);
  EXPECT_EQ((arrivals<DataflowDriver>(schedule, machine, std::uint64_t{1000})), expected);
}

TEST(Waiting, WaitForALaterMessage_IsRefused) {
  for (const std::uint64_t other : {message_id(1, 0), message_id(2, 0), message_id(2, 1), message_id(3, 0)}) {
    MemorySchedule schedule = line_of_four();
    schedule.begin_step().add(3, 2, kMinus);
    schedule.begin_step().add(0, 1, kPlus).wait({{other, 0}}).announce();
    MemorySchedule checked = schedule;
    const CheckReport report = check_schedule(checked);
    ASSERT_EQ(report.violation_count, 1U);
    EXPECT_EQ(report.violations.front().kind, ViolationKind::waits);
    EXPECT_EQ(report.violations.front().text, "step 2, message 1: [0] -> [1]: waits for message " +
                                                  message_label(other) +
                                                  ", which is no earlier message that can be waited for");
    const MachineConfig machine;
    EXPECT_THROW(static_cast<void>(arrivals<BarrierDriver>(schedule, machine)), std::exception);
  }
}

}  // namespace
}  // namespace flitscope::waiting_test
