// Traffic in the background of a schedule: its deliveries, counters and end.
#include "sim/driver/traffic_driver.h"

#include <gtest/gtest.h>

#include <vector>

#include "sim/driver/dataflow_driver.h"
#include "sim/driver/schedule_driver.h"
#include "tests/support/fake_transport.h"
#include "tests/support/small_schedules.h"

namespace flitscope::test::background_driver_test {
namespace {

/// A ring of 6 nodes, each of which sends a flit to its neighbour every 4 cycles beside a schedule.
struct Beside {
  explicit Beside(Schedule& of) : collective(of, machine) {}

  static TrafficConfig every_four_cycles() {
    TrafficConfig config;
    config.pattern = TrafficRegistry::find("neighbour");
    config.load = *parse_decimal("0.25").value;
    config.message = {{{8, Decimal(1)}}};
    config.process = Injection::periodic;
    return config;
  }

  Topology topology{TopologyKind::torus, {6}};
  MachineConfig machine;
  TrafficConfig traffic = every_four_cycles();
  std::unique_ptr<TrafficPattern> pattern = traffic.pattern->make({topology, {}, {}});
  BarrierDriver collective;
  BackgroundDriver driver{collective, topology, machine, traffic, *pattern};
  FakeTransport network{driver};

  /// Calls the driver in the cycles it asks for, up to `last`.
  void pass(Cycle last) {
    for (Cycle now = driver.next_event(); now <= last; now = driver.next_event()) {
      network.arrive(now, {});
      driver.at(network, now);
    }
  }
};

MemorySchedule two_hops() {
  MemorySchedule schedule(broadcast({TopologyKind::torus, {6}}, 1));
  schedule.begin_step().add(0, 1, kPlus);
  schedule.begin_step().add(1, 2, kPlus);
  return schedule;
}

TEST(BackgroundDriver, EndOfTheSchedule_EndsTheTraffic) {
  MemorySchedule schedule = two_hops();
  Beside beside(schedule);
  beside.network.start();
  EXPECT_EQ(beside.network.sent(), Names{"1.1"});
  beside.pass(11);
  EXPECT_EQ(beside.network.sent().size(), 6U * 3);  // 6 nodes, every 4 cycles
  beside.network.arrive(12, {"1.1"});
  EXPECT_EQ(beside.network.sent(), Names{"2.1"});
  EXPECT_FALSE(beside.driver.finished());
  EXPECT_NE(beside.driver.next_event(), kNever);
  beside.network.arrive(20, {"2.1"});
  EXPECT_TRUE(beside.driver.finished());
  EXPECT_EQ(beside.driver.next_event(), kNever);
  EXPECT_EQ(beside.collective.last_arrival(), 20U);
}

TEST(BackgroundDriver, BackgroundMessages_AreCountedSeparately) {
  MemorySchedule schedule = two_hops();
  Beside beside(schedule);
  std::vector<NodeId> arrived;
  beside.driver.on_arrival([&](const ArrivedMessage& message) {
    EXPECT_EQ(message.message.destination, (message.message.source + 1) % 6);
    arrived.push_back(message.message.source);
  });
  beside.network.start();
  beside.pass(3);
  // Both kinds in one cycle.
  beside.network.arrive(10, {"0.1", "0.4", "1.1"});
  EXPECT_EQ(arrived.size(), 2U);
  EXPECT_EQ(beside.driver.tally().generated_messages, 6U);
  EXPECT_EQ(beside.driver.tally().arrived_messages, 2U);
  EXPECT_EQ(beside.driver.tally().arrived_flits, 2U);
  EXPECT_EQ(beside.collective.messages_arrived(), 1U);
  EXPECT_EQ(beside.collective.in_flight(), 1U);
}

TEST(BackgroundDriver, BlockedSchedule_EndsTheTraffic) {
  MemorySchedule schedule(broadcast({TopologyKind::torus, {6}}, 1));
  schedule.begin_step().add(0, 1, kPlus);
  schedule.begin_step().add(3, 4, kPlus);  // 3 never has anything to send
  Beside beside(schedule);
  DataflowDriver collective(schedule, beside.machine, 100);
  BackgroundDriver driver(collective, beside.topology, beside.machine, beside.traffic, *beside.pattern);
  FakeTransport network(driver);
  network.start();
  EXPECT_FALSE(driver.finished());
  network.arrive(5, {"1.1"});
  EXPECT_TRUE(driver.finished());
  EXPECT_FALSE(collective.finished());
}

TEST(BackgroundDriver, Schedule_StartsAfterTheWarmUp) {
  MemorySchedule schedule = two_hops();
  Beside beside(schedule);
  TrafficConfig traffic = Beside::every_four_cycles();
  traffic.warmup = 40;
  BackgroundDriver driver(beside.collective, beside.topology, beside.machine, traffic, *beside.pattern);
  FakeTransport network(driver);
  const auto pass = [&](Cycle last) {
    for (Cycle now = driver.next_event(); now <= last; now = driver.next_event()) {
      network.arrive(now, {});
      driver.at(network, now);
    }
  };
  network.start();
  pass(39);
  EXPECT_FALSE(driver.finished());
  EXPECT_EQ(network.sent().size(), 6U * 10);
  EXPECT_EQ(driver.next_event(), 40U);
  pass(40);
  EXPECT_EQ(network.sent().front(), "1.1") << "in one cycle the schedule first";
  network.arrive(50, {"1.1"});
  network.arrive(60, {"2.1"});
  EXPECT_TRUE(driver.finished());
  EXPECT_EQ(beside.collective.steps().front().begin, 40U);
  EXPECT_EQ(beside.collective.last_arrival(), 60U);
}

}  // namespace
}  // namespace flitscope::test::background_driver_test
