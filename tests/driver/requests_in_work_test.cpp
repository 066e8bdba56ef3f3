// Nodes that work on a limited number of requests: exact cycles of the engine and of the slow model.
#include <gtest/gtest.h>

#include "sim/network/clock_domain.h"
#include "tests/reference/reference_network.h"
#include "tests/reference/timed_driver.h"

namespace flitscope::requests_in_work_test {
namespace {

const Topology kLine(TopologyKind::mesh, {3});

/// All delays are 1.
MachineConfig machine_with(std::optional<std::uint32_t> requests) {
  MachineConfig machine;
  machine.routing = "dimension-order";
  machine.ports = 1;
  machine.buffer = 4;
  machine.virtual_channels = 2;
  machine.classes = {{.name = "request", .vcs = 0b01}, {.name = "reply", .vcs = 0b10}};
  machine.requests = requests;
  return machine;
}

/// [1] and [2] request something of [0]. Each reply of 8 flits is ready when its request arrives.
std::vector<reference::TimedMessage> two_requests(bool are_answered = true) {
  std::vector<reference::TimedMessage> messages(4);
  for (std::size_t i = 0; i < 2; ++i) {
    Packet& request = messages[i].packet;
    request.id = 1 + i;
    request.source = static_cast<NodeId>(1 + i);
    request.destination = 0;
    request.route = shortest_route(kLine, request.source, 0);
    request.is_answered = are_answered;
    Packet& reply = messages[2 + i].packet;
    reply.id = 3 + i;
    reply.source = 0;
    reply.destination = request.source;
    reply.route = shortest_route(kLine, 0, reply.destination);
    reply.flits = 8;
    reply.message_class = 1;
    if (are_answered) reply.answers = request.id;
    messages[2 + i].released_by = i;
  }
  return messages;
}

/// Cycles of the deliveries, by id.
std::vector<Cycle> arrivals(const std::vector<reference::TimedMessage>& messages,
                            const MachineConfig& machine) {
  const auto by_id = [&](const std::vector<Delivery>& deliveries) {
    std::vector<Cycle> cycles(messages.size());
    for (const Delivery& each : deliveries) cycles[each.id - 1] = each.arrived;
    return cycles;
  };
  reference::TimedDriver driver(messages);
  ClockDomain clock(sc_core::sc_gen_unique_name("requests"), kLine, machine,
                    sc_core::sc_time(1, sc_core::SC_NS), ClockTrigger::caller);
  clock.drive(driver);
  clock.tick_at(0);
  clock.run_to(1000);
  reference::TimedDriver slow_driver(messages);
  reference::ReferenceNetwork slow(kLine, machine);
  static_cast<void>(slow.run(slow_driver, 1000));
  EXPECT_EQ(by_id(driver.deliveries()), by_id(slow_driver.deliveries()));
  return by_id(driver.deliveries());
}

TEST(RequestsInWork, OneAtATime_TheOtherWaitsInTheNetworkUntilTheReplyHasLeft) {
  // Over one link a request takes (1+1)(1+1) = 4 cycles. Its reply is put in cycles 4 to 11, so the ejection
  // VC is free from 12 on. The other one is usable there from cycle 5 on, and leaves in 12.
  const std::vector<Cycle> cycles = arrivals(two_requests(), machine_with(1));
  EXPECT_EQ(cycles[0], 4U);
  EXPECT_EQ(cycles[1], 13U);
  EXPECT_EQ(cycles[2], 15U);
}

TEST(RequestsInWork, AsManyAsArrive_DoNotWait) {
  for (const std::optional<std::uint32_t> requests : {std::optional<std::uint32_t>(), std::optional(2U)}) {
    const std::vector<Cycle> cycles = arrivals(two_requests(), machine_with(requests));
    EXPECT_EQ(cycles[0], 4U);
    EXPECT_EQ(cycles[1], 6U);
  }
}

TEST(RequestsInWork, MessagesWithoutAnswer_DoNotWait) {
  EXPECT_EQ(arrivals(two_requests(false), machine_with(1))[1], 6U);
}

TEST(RequestsInWork, TwoEjectionVcs_EachHasTheNumberByWhichARequestCame) {
  // Both come by VC 0 of their class, of [1]: only its ejection VC is used, and it works on one.
  MachineConfig machine = machine_with(1);
  machine.node_vcs = 2;
  EXPECT_EQ(arrivals(two_requests(), machine)[1], 13U);
  // With two VCs a link the second one comes by VC 1.
  machine.virtual_channels = 4;
  machine.classes = {{.name = "request", .vcs = 0b0011}, {.name = "reply", .vcs = 0b1100}};
  EXPECT_EQ(arrivals(two_requests(), machine)[1], 6U);
}

}  // namespace
}  // namespace flitscope::requests_in_work_test
