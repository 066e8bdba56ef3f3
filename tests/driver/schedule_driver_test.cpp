// The common part of both drivers of schedules, and the steps of the barrier driver, without a network.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "model/error.h"
#include "sim/config/config_source.h"
#include "sim/driver/dataflow_driver.h"
#include "sim/driver/schedule_driver.h"
#include "tests/support/fake_transport.h"
#include "tests/support/flit_runs.h"
#include "tests/support/small_schedules.h"

namespace flitscope::test::schedule_driver_test {
namespace {

using Json = nlohmann::json;

TEST(BarrierDriver, LastArrivalOfAStep_StartsTheNextStep) {
  // Node 0 sends to 1 and 3, then both send to their other neighbour.
  MemorySchedule schedule(broadcast({TopologyKind::torus, {6}}, 2));
  schedule.begin_step().add(0, 1, kPlus).add(0, 5, kMinus);
  schedule.begin_step().add(1, 2, kPlus).add(5, 4, kMinus);
  schedule.begin_step().add(2, 3, kPlus);
  const MachineConfig machine;
  BarrierDriver driver(schedule, machine);
  FakeTransport network(driver);

  network.start();
  EXPECT_EQ(network.sent(), (Names{"1.1", "1.2"}));
  network.arrive(10, {"1.1"});
  EXPECT_EQ(network.sent(), Names{});  // node 1 has the data, but the step is not over
  network.arrive(12, {"1.2"});
  EXPECT_EQ(network.sent(), (Names{"2.1", "2.2"}));
  network.arrive(20, {"2.1", "2.2"});
  EXPECT_EQ(network.sent(), Names{"3.1"});
  EXPECT_FALSE(driver.finished());
  network.arrive(25, {"3.1"});
  EXPECT_TRUE(driver.finished());
  EXPECT_EQ(driver.messages_arrived(), 5U);
  EXPECT_EQ(driver.in_flight(), 0U);
  EXPECT_FALSE(driver.possession().first_missing(schedule.facts().collective).has_value());
}

TEST(BarrierDriver, EveryStep_HasItsMeasurements) {
  MemorySchedule schedule(broadcast({TopologyKind::torus, {6}}, 2));
  schedule.begin_step().add(0, 1, kPlus).add(0, 5, kMinus);
  schedule.begin_step();
  schedule.begin_step().add(1, 2, kPlus);
  const MachineConfig machine{.flit_bytes = 10};
  BarrierDriver driver(schedule, machine);
  FakeTransport network(driver);

  network.start();
  network.arrive(10, {"1.2"});
  ASSERT_EQ(driver.steps().size(), 1U);
  EXPECT_EQ(driver.steps()[0].messages, 2U);
  EXPECT_EQ(driver.steps()[0].arrived, 1U);
  EXPECT_EQ(driver.in_flight(), 1U);
  network.arrive(17, {"1.1"});
  network.arrive(30, {"3.1"});

  ASSERT_EQ(driver.steps().size(), 3U);
  const StepRecord& first = driver.steps()[0];
  EXPECT_EQ(first.arrived, 2U);
  EXPECT_EQ(first.flits, 2U * 7);  // 64 bytes
  EXPECT_EQ(first.begin, 0U);
  EXPECT_EQ(first.end, 17U);
  EXPECT_EQ(first.cycles(), 17U);
  const StepRecord& empty = driver.steps()[1];
  EXPECT_EQ(empty.messages, 0U);
  EXPECT_EQ(empty.cycles(), 0U);
  const StepRecord& last = driver.steps()[2];
  EXPECT_EQ(last.begin, 17U);
  EXPECT_EQ(last.end, 30U);
  EXPECT_EQ(last.cycles(), 13U);
}

TEST(BarrierDriver, StepWithoutMessages_TakesNoTime) {
  MemorySchedule schedule(broadcast({TopologyKind::torus, {6}}, 2));
  schedule.begin_step();
  schedule.begin_step().add(0, 1, kPlus);
  schedule.begin_step();
  schedule.begin_step();
  const MachineConfig machine;
  BarrierDriver driver(schedule, machine);
  FakeTransport network(driver);
  network.start();
  EXPECT_EQ(network.sent(), Names{"2.1"});
  network.arrive(9, {"2.1"});
  EXPECT_TRUE(driver.finished());
  EXPECT_EQ(driver.steps().size(), 4U);
}

template <typename Driver>
std::unique_ptr<ScheduleDriver> make(Schedule& schedule, const MachineConfig& machine);
template <>
std::unique_ptr<ScheduleDriver> make<BarrierDriver>(Schedule& schedule, const MachineConfig& machine) {
  return std::make_unique<BarrierDriver>(schedule, machine);
}
template <>
std::unique_ptr<ScheduleDriver> make<DataflowDriver>(Schedule& schedule, const MachineConfig& machine) {
  return std::make_unique<DataflowDriver>(schedule, machine, 1000);
}

template <typename Driver>
class ScheduleDrivers : public testing::Test {};
using Both = testing::Types<BarrierDriver, DataflowDriver>;
TYPED_TEST_SUITE(ScheduleDrivers, Both);

TYPED_TEST(ScheduleDrivers, FinishAtOnceWhenThereIsNothingToDo) {
  for (const unsigned steps : {0U, 3U}) {
    MemorySchedule schedule(broadcast({TopologyKind::torus, {6}}, 2));
    for (unsigned step = 0; step < steps; ++step) schedule.begin_step();
    const MachineConfig machine;
    const auto driver = make<TypeParam>(schedule, machine);
    FakeTransport network(*driver);
    EXPECT_FALSE(driver->finished());
    network.start();
    EXPECT_TRUE(driver->finished());
    EXPECT_EQ(driver->steps().size(), steps);
    EXPECT_TRUE(network.packets().empty());
  }
}

TYPED_TEST(ScheduleDrivers, HandOverWhatTheNetworkMustKnowOfAMessage) {
  MemorySchedule schedule(broadcast({TopologyKind::torus, {4, 4}}, 4));
  schedule.begin_step();
  schedule.begin_step().add(0, 5, Route::cyclic(1, Sign::minus));
  const MachineConfig machine{.flit_bytes = 60};
  const auto driver = make<TypeParam>(schedule, machine);
  FakeTransport network(*driver);
  network.start();
  ASSERT_EQ(network.packets().size(), 1U);
  const Packet& packet = network.packets().front();
  EXPECT_EQ(packet.id, message_id(2, 0));
  EXPECT_EQ(packet.step, 2U);
  EXPECT_EQ(packet.source, 0U);
  EXPECT_EQ(packet.destination, 5U);
  EXPECT_EQ(packet.route, Route::cyclic(1, Sign::minus));
  EXPECT_EQ(packet.flits, 2U);  // 64 bytes
}

TYPED_TEST(ScheduleDrivers, MessagesMayCarryControlDataOnlyOrBesidesChunks) {
  MemorySchedule schedule(broadcast({TopologyKind::torus, {6}}, 2));
  // Node 3 holds nothing and may send counts all the same.
  schedule.begin_step().add(3, 4, kPlus, {}, 17).add(0, 1, kPlus, {0}, 1).add(2, 3, kPlus, {}, 0);
  const MachineConfig machine;
  const auto driver = make<TypeParam>(schedule, machine);
  FakeTransport network(*driver);
  network.start();
  ASSERT_EQ(network.packets().size(), 3U);
  EXPECT_EQ(network.packets()[0].flits, 3U);
  EXPECT_EQ(network.packets()[1].flits, 9U);
  EXPECT_EQ(network.packets()[2].flits, 1U);  // a head must be there
  network.arrive(5, {"1.1", "1.2", "1.3"});
  EXPECT_TRUE(driver->finished());
  EXPECT_FALSE(driver->possession().holds(4, 0));
  EXPECT_TRUE(driver->possession().holds(1, 0));
}

TYPED_TEST(ScheduleDrivers, TellOfEveryArrival) {
  MemorySchedule schedule(broadcast({TopologyKind::torus, {6}}, 2));
  schedule.begin_step().add(0, 1, kPlus).add(0, 5, kMinus);
  const MachineConfig machine;
  const auto driver = make<TypeParam>(schedule, machine);
  FakeTransport network(*driver);
  std::vector<NodeId> destinations;
  driver->on_arrival([&](const ArrivedMessage& arrived) {
    destinations.push_back(arrived.message.destination);
    EXPECT_EQ(arrived.flits, 8U);
    EXPECT_EQ(arrived.delivery.arrived, 7U);
  });
  network.start();
  network.arrive(7, {"1.2", "1.1"});
  EXPECT_EQ(destinations, (std::vector<NodeId>{1, 5}));
}

TYPED_TEST(ScheduleDrivers, RefuseClassesThatTheMachineLacks) {
  MemorySchedule schedule(broadcast({TopologyKind::torus, {6}}, 2));
  schedule.edit().classes = {"reply"};
  schedule.begin_step().add(0, 1, kPlus).of_class(1);
  MachineConfig machine;
  machine.classes = {{"request", 0b01, 0}, {"answer", 0b10, 0}};
  EXPECT_EQ(
      complaint<Inadmissible>([&] { static_cast<void>(make<TypeParam>(schedule, machine)); }),
      "the schedule has messages of a class 'reply', but the machine has no class of this name; name one "
      "so, or leave classes out");
  machine.classes.clear();
  EXPECT_NO_THROW(static_cast<void>(make<TypeParam>(schedule, machine)));
}

TYPED_TEST(ScheduleDrivers, RefuseMessagesThatTheMachineCannotCarry) {
  MemorySchedule schedule(broadcast({TopologyKind::torus, {6}}, 2));
  schedule.begin_step().add(0, 1, kPlus);
  const MachineConfig machine{.switching = Switching::virtual_cut_through, .buffer = 7};
  const auto driver = make<TypeParam>(schedule, machine);
  FakeTransport network(*driver);
  EXPECT_EQ(
      complaint<Inadmissible>([&] { network.start(); }),
      "virtual-cut-through needs room for whole messages: step 1, message 1 ([0] to [1]) has 8 flits, so "
      "'router.buffer' must be at least 8, not 7");

  const MachineConfig bubble{
      .switching = Switching::virtual_cut_through, .flow = FlowControl::bubble, .buffer = 15};
  MemorySchedule again(broadcast({TopologyKind::torus, {6}}, 2));
  again.begin_step().add(0, 1, kPlus);
  const auto driver_of_rings = make<TypeParam>(again, bubble);
  FakeTransport rings(*driver_of_rings);
  EXPECT_EQ(complaint<Inadmissible>([&] { rings.start(); }),
            "bubble flow control needs room for two messages: step 1, message 1 ([0] to [1]) has 8 flits, so "
            "'router.buffer' must be at least 16, not 15");

  MemorySchedule huge(broadcast({TopologyKind::torus, {6}}, 2));
  huge.edit().collective.chunk_bytes = {std::uint64_t{1} << 40};
  huge.begin_step().add(0, 1, kPlus);
  const MachineConfig small_flits{.flit_bytes = 1};
  const auto other = make<TypeParam>(huge, small_flits);
  FakeTransport other_network(*other);
  EXPECT_EQ(complaint<Inadmissible>([&] { other_network.start(); }),
            "step 1, message 1 ([0] to [1]) has 1099511627776 flits; at most 536870911 are possible: use "
            "larger flits");
}

TEST(BarrierDriver, SendWithoutData_IsRefusedByName) {
  MemorySchedule schedule(broadcast({TopologyKind::torus, {4, 4}}, 4));
  schedule.edit().collective.chunk_bytes = {8, 8, 8};
  schedule.edit().collective.initial = {{0, {0, 2}}};
  schedule.begin_step().add(0, 1, kPlus, {0, 2});
  schedule.begin_step().add(0, 4, kPlus, {0}).add(1, 2, kPlus, {0, 1, 2});
  const MachineConfig machine;
  BarrierDriver driver(schedule, machine);
  FakeTransport network(driver);
  network.start();
  EXPECT_EQ(
      complaint<ScheduleError>([&] { network.arrive(9, {"1.1"}); }),
      "step 2, message 2 ([1, 0] to [2, 0]) sends what it does not hold: [1, 0] does not hold chunk 1 when "
      "the step starts");
  EXPECT_EQ(network.sent(), Names{"1.1"});  // nothing of the step was sent
}

/// A message that waits for room is not handed over, so its step may begin later.
TYPED_TEST(ScheduleDrivers, MessagesThatWaitForRoom_AreNotHandedOver) {
  MemorySchedule schedule(broadcast({TopologyKind::torus, {6}}, 2));
  schedule.begin_step().add(0, 1, kPlus).add(0, 5, kMinus);
  schedule.begin_step().add(0, 1, kPlus);
  const MachineConfig machine{.injection_queue = 1, .flit_bytes = 10};
  const auto driver = make<TypeParam>(schedule, machine);
  FakeTransport network(*driver);
  network.limit_room(0);

  network.start();
  EXPECT_EQ(network.sent(), Names{});
  EXPECT_EQ(driver->steps()[0].messages, 0U);
  EXPECT_EQ(driver->steps()[0].flits, 0U);
  EXPECT_EQ(driver->steps()[0].begin, kNever);
  network.make_room(3, 0, 1);
  EXPECT_EQ(network.sent(), Names{"1.1"});
  EXPECT_EQ(driver->steps()[0].messages, 1U);
  EXPECT_EQ(driver->steps()[0].flits, 7U);  // 64 bytes
  network.arrive(20, {"1.1"});
  network.make_room(21, 0, 1);
  network.arrive(40, {"1.2"});
  network.make_room(43, 0, 1);
  network.arrive(50, {"2.1"});

  EXPECT_TRUE(driver->finished());
  ASSERT_EQ(driver->steps().size(), 2U);
  const StepRecord& first = driver->steps()[0];
  EXPECT_EQ(first.messages, 2U);
  EXPECT_EQ(first.flits, 2U * 7);
  EXPECT_EQ(first.begin, 3U);
  EXPECT_EQ(first.end, 40U);
  EXPECT_EQ(driver->steps()[1].begin, 43U);
  EXPECT_EQ(driver->steps()[1].cycles(), 7U);
}

TYPED_TEST(ScheduleDrivers, RearrangedData_BeginsItsStep) {
  MemorySchedule schedule(broadcast({TopologyKind::torus, {6}}, 2));
  schedule.begin_step().add(0, 1, kPlus).rearrange(10);
  MachineConfig machine{.injection_queue = 1};
  machine.copy_cycles_per_byte = Decimal(1);
  const auto driver = make<TypeParam>(schedule, machine);
  FakeTransport network(*driver);
  network.limit_room(0);
  network.start();
  driver->at(network, 10);
  EXPECT_EQ(driver->steps()[0].begin, 0U);
  EXPECT_EQ(driver->steps()[0].messages, 0U);
  network.make_room(15, 0, 1);
  EXPECT_EQ(driver->steps()[0].begin, 0U);
  EXPECT_EQ(driver->steps()[0].messages, 1U);
}

ExperimentConfig with_one_message_queued(const std::string& rest) {
  return parse_config(
      "flitscope: 1\ntopology: {kind: torus, shape: [4]}\n"
      "node: {injection_queue: 1, ports: 1, startup: 40}\n" +
          rest,
      "queue.yaml", "/");
}

/// The queue takes the second message of a node in cycle 1, the third one in cycle 43.
TEST(InjectionQueue, Steps_BeginWhenTheirFirstMessageIsHandedOver) {
  const Json result = run_on_flits(
      with_one_message_queued("workload: {algorithm: all-to-all-direct, message: 64, advance: dataflow}\n"));
  EXPECT_EQ(result.at("step_cycles"), Json({45, 88, 86}));
  EXPECT_EQ(result.at("messages"), 12);
}

TEST(InjectionQueue, LimitOfCycles_CountsTheMessagesHandedOver) {
  for (const char* const advance : {"barrier", "dataflow"}) {
    const Json result = run_on_flits(with_one_message_queued(
        std::string("workload: {algorithm: all-to-all-direct, message: 64, advance: ") + advance +
        "}\nlimits: {cycles: 30}\n"));
    const bool is_barrier = std::string(advance) == "barrier";
    EXPECT_EQ(result.at("messages"), is_barrier ? 4 : 8) << advance;
    EXPECT_EQ(result.at("flits"), is_barrier ? 8 : 16) << advance;
  }
}

}  // namespace
}  // namespace flitscope::test::schedule_driver_test
