// What a node takes that rearranges data before it sends (node.copy_cycles_per_byte), to the cycle.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/units.h"
#include "sim/driver/dataflow_driver.h"
#include "sim/driver/schedule_driver.h"
#include "sim/network/network.h"
#include "sim/run/isolated.h"
#include "tests/support/seidel.h"
#include "tests/support/small_schedules.h"

namespace flitscope::rearranging_test {
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

TEST(Rearranging, DelaysAMessageByItsBytesTimesTheCostOfAByteRoundedUp) {
  EXPECT_EQ(with_barriers(line_with(0, 0), one_port("2")), "1.1: 13, 2.1: 24");
  EXPECT_EQ(with_barriers(line_with(64, 0), one_port("0")), "1.1: 13, 2.1: 24");
  EXPECT_EQ(with_barriers(line_with(64, 0), one_port("2")), "1.1: 141, 2.1: 152");
  EXPECT_EQ(with_barriers(line_with(64, 10), one_port("0.125")), "1.1: 21, 2.1: 34");
}

TEST(Rearranging, TakesTheExactProductOfTwoDecimalNumbers) {
  // In binary floating point all of these products are a little more than 7.
  for (const auto& [copy, bytes] :
       {std::pair("0.07", 100U), std::pair("0.14", 50U), std::pair("0.28", 25U)}) {
    EXPECT_EQ(with_barriers(line_with(bytes, 0), one_port(copy)), "1.1: 20, 2.1: 31") << copy;
  }
}

TEST(Rearranging, KeepsTheOrderOfANodeThatNeedsNoBarrier) {
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

TEST(Rearranging, OfOneNodeDoesNotHoldUpOthers) {
  MemorySchedule schedule(broadcast({TopologyKind::mesh, {4}}, 1));
  schedule.edit().collective.initial.push_back({3, {0}});
  schedule.begin_step().add(0, 1, kPlus).rearrange(100).add(3, 2, kMinus);
  EXPECT_EQ(with_barriers(schedule, one_port("1")), "1.2: 11, 1.1: 111");
}

TEST(Rearranging, CountsAsTimeOfTheStep) {
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

TEST(Rearranging, IsTheSourcesInRecursiveHalvingAndNobodysInTrees) {
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

TEST(Rearranging, PutsMessagesTogetherWhenTheMostSignificantBitsExchangeFirst) {
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
}  // namespace flitscope::rearranging_test
