// Banks that the networks of a node read from: exact cycles of the engine and of the slow model.
#include <gtest/gtest.h>

#include "sim/network/clock_domain.h"
#include "tests/reference/reference_network.h"
#include "tests/reference/timed_driver.h"

namespace flitscope::banks_test {
namespace {

const Topology kLine = Topology(TopologyKind::mesh, {3}).in_networks({{}, {}});

/// All delays are 1.
MachineConfig machine_with(unsigned banks, std::uint32_t hold = 16) {
  MachineConfig machine;
  machine.routing = "dimension-order";
  machine.ports = 1;
  machine.buffer = 4;
  machine.virtual_channels = 2;
  machine.classes = {{.name = "first", .vcs = 0b11}, {.name = "second", .vcs = 0b11, .network = 1}};
  machine.banks = banks;
  machine.bank_hold = hold;
  return machine;
}

reference::TimedMessage message(std::uint64_t id, NodeId source, NodeId destination, std::uint32_t flits,
                                std::uint32_t network) {
  reference::TimedMessage made;
  made.packet.id = id;
  made.packet.source = source;
  made.packet.destination = destination;
  made.packet.route = shortest_route(kLine, source, destination);
  made.packet.flits = flits;
  made.packet.message_class = network;
  return made;
}

/// Cycles of the deliveries, by id.
std::vector<Cycle> arrivals(const std::vector<reference::TimedMessage>& messages,
                            const MachineConfig& machine) {
  const auto by_id = [&](const std::vector<Delivery>& deliveries) {
    std::vector<Cycle> cycles(messages.size());
    for (const Delivery& each : deliveries) cycles[each.id] = each.arrived;
    return cycles;
  };
  reference::TimedDriver driver(messages);
  ClockDomain clock(sc_core::sc_gen_unique_name("banks"), kLine, machine, sc_core::sc_time(1, sc_core::SC_NS),
                    ClockTrigger::caller);
  clock.drive(driver);
  clock.tick_at(0);
  clock.run_to(5000);
  reference::TimedDriver slow_driver(messages);
  reference::ReferenceNetwork slow(kLine, machine);
  static_cast<void>(slow.run(slow_driver, 5000));
  EXPECT_EQ(by_id(driver.deliveries()), by_id(slow_driver.deliveries()));
  return by_id(driver.deliveries());
}

TEST(Banks, TwoMessagesAtOnce_TheSecondReadsABankBehind) {
  const std::vector messages{message(0, 0, 1, 8, 0), message(1, 0, 1, 8, 1)};
  EXPECT_EQ(arrivals(messages, machine_with(0)), (std::vector<Cycle>{11, 11}));
  EXPECT_EQ(arrivals(messages, machine_with(8)), (std::vector<Cycle>{11, 12}));
}

TEST(Banks, MessagesOfOneFlit_AreNotRead) {
  EXPECT_EQ(arrivals({message(0, 0, 1, 1, 0), message(1, 0, 1, 1, 1)}, machine_with(1)),
            (std::vector<Cycle>{4, 4}));
}

/// Two messages share the link to [2] on the first network, flit by flit; a third one leaves [0] on the
/// second.
std::vector<reference::TimedMessage> waiting_network() {
  return {message(0, 0, 2, 300, 0), message(1, 1, 2, 300, 0), message(2, 0, 1, 300, 1)};
}

TEST(Banks, NetworkThatWaits_KeepsTheOtherBack) {
  EXPECT_EQ(arrivals(waiting_network(), machine_with(0))[2], 303U);
  // The third message is read as the first one: a flit in two cycles.
  MachineConfig machine = machine_with(8);
  machine.node_vcs = 2;
  const std::vector<Cycle> cycles = arrivals(waiting_network(), machine);
  EXPECT_GT(cycles[2], 570U);
  EXPECT_LT(cycles[2], 610U);
  EXPECT_GT(cycles[0], 600U);
}

TEST(Banks, FlitThatIsReadForLong_GivesItsBankBack) {
  // With one ejection VC the first message stands until the second one has arrived.
  EXPECT_EQ(arrivals(waiting_network(), machine_with(8, 16))[2], 303U + 16);
  EXPECT_EQ(arrivals(waiting_network(), machine_with(8, 40))[2], 303U + 40);
}

TEST(Banks, FlitThatArrives_KeepsAReadOfItsBankBackForACycle) {
  // The first flit of the first message moves to the ejection channel of [1] in cycle 3, with 8 flits left.
  std::vector messages{message(0, 0, 1, 8, 0), message(1, 1, 2, 8, 1)};
  const auto latency = [&](Cycle ready) {
    messages[1].ready = ready;
    return arrivals(messages, machine_with(8))[1] - ready;
  };
  EXPECT_EQ(latency(2), 11U);
  EXPECT_EQ(latency(3), 12U);
  EXPECT_EQ(latency(4), 11U);
  // 300 flits: the numbers of those that are left go beyond those that the planes count.
  messages = {message(0, 0, 1, 300, 0), message(1, 1, 2, 8, 1)};
  for (Cycle ready = 10; ready < 18; ++ready) EXPECT_EQ(latency(ready), ready == 15 ? 12U : 11U) << ready;
}

TEST(Banks, MessagesOfOneFlit_AreNotWritten) {
  std::vector messages{message(0, 0, 1, 1, 0), message(1, 1, 2, 8, 1)};
  for (messages[1].ready = 0; messages[1].ready < 8; ++messages[1].ready)
    EXPECT_EQ(arrivals(messages, machine_with(1))[1], messages[1].ready + 11);
}

}  // namespace
}  // namespace flitscope::banks_test
