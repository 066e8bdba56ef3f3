// The dataflow driver: every node sends as soon as it can, in its own order; no network, no SystemC.
#include <gtest/gtest.h>

#include "model/error.h"
#include "sim/driver/dataflow_driver.h"
#include "tests/support/fake_transport.h"
#include "tests/support/small_schedules.h"

namespace flitscope::test::dataflow_driver_test {
namespace {

constexpr std::uint64_t kFar = 1'000'000;

TEST(DataflowDriver, Data_IsSentOnArrival) {
  MemorySchedule schedule(broadcast({TopologyKind::torus, {6}}, 2));
  schedule.begin_step().add(0, 1, kPlus).add(0, 5, kMinus);
  schedule.begin_step().add(1, 2, kPlus).add(5, 4, kMinus);
  schedule.begin_step().add(2, 3, kPlus);
  const MachineConfig machine;
  DataflowDriver driver(schedule, machine, kFar);
  FakeTransport network(driver);
  network.start();
  EXPECT_EQ(network.sent(), (Names{"1.1", "1.2"}));
  network.arrive(10, {"1.1"});
  EXPECT_EQ(network.sent(), Names{"2.1"});  // while 1.2 is still on its way
  network.arrive(20, {"2.1"});
  EXPECT_EQ(network.sent(), Names{"3.1"});
  network.arrive(30, {"3.1"});
  network.arrive(40, {"1.2"});
  EXPECT_EQ(network.sent(), Names{"2.2"});
  EXPECT_FALSE(driver.finished());
  network.arrive(50, {"2.2"});
  EXPECT_TRUE(driver.finished());

  ASSERT_EQ(driver.steps().size(), 3U);
  EXPECT_EQ(driver.steps()[0].begin, 0U);
  EXPECT_EQ(driver.steps()[0].end, 40U);
  EXPECT_EQ(driver.steps()[1].begin, 10U);
  EXPECT_EQ(driver.steps()[1].end, 50U);
  EXPECT_EQ(driver.steps()[2].begin, 20U);
  EXPECT_EQ(driver.steps()[2].end, 30U);
}

TEST(DataflowDriver, ControlMessage_PrecedesLaterSendsOfItsReceiver) {
  MemorySchedule schedule(broadcast({TopologyKind::torus, {6}}, 2));
  schedule.edit().collective.initial = {{0, {0}}, {5, {0}}};
  schedule.begin_step()
      .add(1, 0, kMinus, {}, 4)
      .add(2, 0, kMinus, {}, 4)
      .add(0, 1, kPlus);                                     // 0 sends at once
  schedule.begin_step().add(0, 2, kPlus).add(5, 4, kMinus);  // 0 waits for both, 5 for nothing
  schedule.begin_step().add(3, 0, kPlus, {}, 4);
  schedule.begin_step().add(0, 3, kMinus);
  const MachineConfig machine;
  DataflowDriver driver(schedule, machine, kFar);
  FakeTransport network(driver);
  network.start();
  EXPECT_EQ(network.sent(), (Names{"1.1", "1.2", "1.3", "2.2", "3.1"}));
  network.arrive(5, {"3.1"});
  EXPECT_EQ(network.sent(), Names{});
  network.arrive(6, {"1.2"});
  EXPECT_EQ(network.sent(), Names{});
  network.arrive(7, {"1.1"});
  EXPECT_EQ(network.sent(), (Names{"2.1", "4.1"}));
  network.arrive(9, {"1.3", "2.1", "2.2", "4.1"});
  EXPECT_TRUE(driver.finished());
}

/// Chunk 0 is at node 0 from the beginning, chunk 1 arrives from node 5.
MemorySchedule two_chunks() {
  MemorySchedule schedule(broadcast({TopologyKind::torus, {6}}, 2));
  schedule.edit().collective.chunk_bytes = {8, 8};
  schedule.edit().collective.initial = {{0, {0}}, {5, {1}}};
  schedule.begin_step().add(5, 0, kPlus, {1});
  schedule.begin_step().add(0, 1, kPlus, {1});   // has to wait
  schedule.begin_step().add(0, 2, kPlus, {0});   // could go, but stands behind it on the same link
  schedule.begin_step().add(0, 5, kMinus, {0});  // leaves by the other link
  return schedule;
}

TEST(DataflowDriver, AllPorts_KeepTheOrderOfEveryLinkPort) {
  MemorySchedule schedule = two_chunks();
  const MachineConfig machine;
  DataflowDriver driver(schedule, machine, kFar);
  FakeTransport network(driver);
  network.start();
  EXPECT_EQ(network.sent(), (Names{"1.1", "4.1"}));
  network.arrive(6, {"1.1"});
  EXPECT_EQ(network.sent(), (Names{"2.1", "3.1"}));
}

TEST(DataflowDriver, FirstPortOfTheRoutingFunction_ChoosesTheQueue) {
  MemorySchedule schedule = two_chunks();
  const MachineConfig machine;
  // The one to node 2 leaves by the other link, whatever its route.
  const auto first_port = [](const Message& message, unsigned) { return message.destination == 1 ? 0U : 1U; };
  DataflowDriver driver(schedule, machine, kFar, first_port);
  FakeTransport network(driver);
  network.start();
  EXPECT_EQ(network.sent(), (Names{"1.1", "3.1", "4.1"}));
}

TEST(DataflowDriver, PoolOfPorts_KeepsTheOrderOfTheNode) {
  for (const unsigned ports : {1U, 2U}) {
    MemorySchedule schedule = two_chunks();
    const MachineConfig machine{.ports = ports};
    DataflowDriver driver(schedule, machine, kFar);
    FakeTransport network(driver);
    network.start();
    EXPECT_EQ(network.sent(), Names{"1.1"});
    network.arrive(6, {"1.1"});
    EXPECT_EQ(network.sent(), (Names{"2.1", "3.1", "4.1"}));
  }
}

TEST(DataflowDriver, ArrivalsOfACycle_PrecedeItsSends) {
  MemorySchedule schedule(broadcast({TopologyKind::torus, {6}}, 2));
  schedule.edit().collective.chunk_bytes = {8, 8};
  schedule.edit().collective.initial = {{0, {0}}, {2, {1}}};
  schedule.begin_step().add(0, 1, kPlus, {0}).add(2, 1, kMinus, {1});
  schedule.begin_step().add(1, 2, kPlus, {0, 1}).add(1, 0, kMinus, {0});
  const MachineConfig machine{.ports = 1};
  DataflowDriver driver(schedule, machine, kFar);
  FakeTransport network(driver);
  network.start();
  static_cast<void>(network.sent());
  network.arrive(5, {"1.1", "1.2"});
  EXPECT_EQ(network.sent(), (Names{"2.1", "2.2"}));
}

TEST(DataflowDriver, Lookahead_BoundsTheReadSteps) {
  // A chain of single messages: each step is read when the one before it has arrived, or earlier.
  const auto steps_read_at_start = [](std::uint64_t lookahead) {
    MemorySchedule schedule(broadcast({TopologyKind::torus, {8}}, 2));
    for (NodeId node = 0; node < 7; ++node) schedule.begin_step().add(node, node + 1, kPlus);
    const MachineConfig machine;
    DataflowDriver driver(schedule, machine, lookahead);
    FakeTransport network(driver);
    network.start();
    return driver.steps().size();
  };
  EXPECT_EQ(steps_read_at_start(1), 1U);
  EXPECT_EQ(steps_read_at_start(3), 3U);
  EXPECT_EQ(steps_read_at_start(7), 7U);
  EXPECT_EQ(steps_read_at_start(kFar), 7U);
}

TEST(DataflowDriver, ArrivalOfTheOldestStep_ReadsTheNext) {
  MemorySchedule schedule(broadcast({TopologyKind::torus, {8}}, 2));
  schedule.begin_step().add(0, 1, kPlus).add(0, 7, kMinus);
  schedule.begin_step();
  schedule.begin_step().add(1, 2, kPlus);
  const MachineConfig machine;
  DataflowDriver driver(schedule, machine, 1);
  FakeTransport network(driver);
  network.start();
  EXPECT_EQ(network.sent(), (Names{"1.1", "1.2"}));
  network.arrive(5, {"1.1"});
  EXPECT_EQ(network.sent(), Names{});
  network.arrive(8, {"1.2"});
  EXPECT_EQ(network.sent(), Names{"3.1"});
}

/// Plays a schedule to its end; the message that arrives next is drawn by chance.
Names play(Schedule& schedule, const MachineConfig& machine, std::uint64_t lookahead, std::uint32_t seed) {
  DataflowDriver driver(schedule, machine, lookahead);
  FakeTransport network(driver);
  RandomNumbers random(seed);
  network.start();
  for (Cycle now = 1; !network.on_their_way().empty(); ++now) {
    const Names candidates = network.on_their_way();
    network.arrive(now, {candidates[random.below(static_cast<std::uint32_t>(candidates.size()))]});
  }
  EXPECT_TRUE(driver.finished()) << driver.hindrance();
  EXPECT_EQ(driver.messages_arrived(), schedule.facts().messages);
  EXPECT_EQ(driver.steps().size(), schedule.facts().steps);
  return network.sent();
}

TEST(DataflowDriver, AnyLookaheadAndArrivals_Complete) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    MemorySchedule schedule = random_traffic({TopologyKind::torus, {4, 3}}, 1 + seed % 9, seed % 7, seed);
    for (const std::optional<unsigned> ports : {std::optional<unsigned>(), std::optional(1U)}) {
      for (const std::uint64_t lookahead : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{5}, kFar}) {
        schedule.rewind();
        const MachineConfig machine{.ports = ports};
        Names sent = play(schedule, machine, lookahead, seed);
        EXPECT_EQ(sent.size(), schedule.facts().messages);
        std::ranges::sort(sent);
        EXPECT_EQ(std::ranges::adjacent_find(sent), sent.end());  // none twice
      }
    }
  }
}

TEST(DataflowDriver, BlockedMessage_IsNamed) {
  MemorySchedule schedule(broadcast({TopologyKind::torus, {4, 4}}, 4));
  schedule.edit().collective.chunk_bytes = {8, 8};
  schedule.begin_step().add(0, 1, kPlus);
  schedule.begin_step().add(0, 2, kPlus).add(1, 2, kPlus, {0, 1});
  schedule.begin_step().add(2, 3, kPlus, {1});
  const MachineConfig machine;
  DataflowDriver driver(schedule, machine, kFar);
  FakeTransport network(driver);
  network.start();
  network.arrive(4, {"1.1", "2.1"});
  EXPECT_EQ(driver.in_flight(), 0U);
  EXPECT_FALSE(driver.finished());
  EXPECT_EQ(
      driver.hindrance(),
      "step 2, message 2 ([1, 0] to [2, 0]) waits for data that never arrives: [1, 0] does not hold chunk 1");
}

TEST(DataflowDriver, MessageBlockedByControlData_NamesItsStep) {
  MemorySchedule schedule(broadcast({TopologyKind::torus, {4, 4}}, 4));
  schedule.begin_step().add(0, 1, kPlus);
  schedule.begin_step().add(0, 1, kPlus, {}, 8);
  schedule.begin_step().add(1, 2, kPlus);
  const MachineConfig machine;
  DataflowDriver driver(schedule, machine, kFar);
  FakeTransport network(driver);
  network.start();
  network.arrive(4, {"1.1"});
  EXPECT_FALSE(driver.finished());
  EXPECT_EQ(
      driver.hindrance(),
      "step 3, message 1 ([1, 0] to [2, 0]) waits for control data of step 2 to its source, which never "
      "arrives");
}

}  // namespace
}  // namespace flitscope::test::dataflow_driver_test
