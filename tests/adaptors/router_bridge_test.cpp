// A router of the user's at the wires of a bridge: every cycle of a message that passes it, begins or ends
// there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "sim/adaptors/router_bridge.h"
#include "sim/run/experiment.h"
#include "tests/reference/timed_driver.h"

namespace flitscope::router_bridge_test {
namespace {

using reference::TimedDriver;
using reference::TimedMessage;

const Topology kLine(TopologyKind::mesh, {5});
constexpr NodeId kHere = 2;
constexpr unsigned kLinks = 2;

/// A synchronous router of a line with one virtual channel and a router delay of R, for worms that do not
/// meet.
struct LineRouter final : sc_core::sc_module {
  SC_HAS_PROCESS(LineRouter);
  sc_core::sc_in<bool> clock{"clock"};
  LineRouter(const sc_core::sc_module_name&, RouterBridge& at, unsigned router_delay)
      : bridge(at), delay(router_delay), credits(kLinks) {
    SC_METHOD(step);
    dont_initialize();
    sensitive << clock.pos();
  }
  void step() {
    const bool begins = cycle++ == 0;
    if (begins) {
      for (unsigned port = 0; port < kLinks; ++port) credits[port] = bridge.room(port);
    }
    for (unsigned port = 0; port < bridge.ports(); ++port) {
      LinkWires& from = bridge.from_router(port);
      from.valid.write(false);
      bridge.to_router(port).credit.write(false);
      if (port < kLinks && from.credit.read() && !begins) ++credits[port];
    }
    for (unsigned port = 0; port < bridge.ports(); ++port) {
      LinkWires& to = bridge.to_router(port);
      const unsigned pipeline = port < kLinks ? delay : delay - 1;
      if (to.valid.read() && !begins) fifo[port].push_back({cycle + pipeline, to.flit.read()});
      if (fifo[port].empty() || fifo[port].front().first > cycle) continue;
      LinkFlit flit = fifo[port].front().second;
      unsigned out = flit.destination == kHere ? kLinks + port % kLinks : flit.destination > kHere ? 0 : 1;
      if (out < kLinks && credits[out] == 0) continue;
      if (out < kLinks) --credits[out];
      if (fault) fault(flit, out);
      fifo[port].pop_front();
      to.credit.write(true);
      bridge.from_router(out).valid.write(true);
      bridge.from_router(out).vc.write(0);
      bridge.from_router(out).flit.write(flit);
    }
  }
  void reset() {
    cycle = 0;
    fifo.clear();
  }
  RouterBridge& bridge;
  unsigned delay;
  std::function<void(LinkFlit&, unsigned&)> fault;  ///< in a flit that leaves, or its port
  Cycle cycle = 0;
  std::vector<std::uint32_t> credits;
  std::map<unsigned, std::deque<std::pair<Cycle, LinkFlit>>> fifo;
};

/// Ready, head entered, head arrived, arrived of one message.
std::string times(const MachineConfig& machine, NodeId source, NodeId destination, std::uint32_t flits,
                  bool bridged) {
  return run_isolated([&]() -> std::string {
    sc_core::sc_clock clock("clock", 2, sc_core::SC_NS);
    Network network("network", kLine, machine, clock);
    std::optional<RouterBridge> bridge;
    std::optional<LineRouter> router;
    if (bridged) {
      bridge.emplace("bridge", network, kHere);
      router.emplace("router", *bridge, machine.router_delay);
      router->clock(clock);
    }
    const std::vector<TimedMessage> messages{
        {{7, source, destination, shortest_route(kLine, source, destination), flits, 0}, 3, std::nullopt},
        {{8, source, destination, shortest_route(kLine, source, destination), flits, 0}, 200, std::nullopt}};
    TimedDriver driver(messages);
    network.clock().drive(driver);
    sc_core::sc_start(2000, sc_core::SC_NS);
    std::string text;
    for (const Delivery& each : driver.deliveries()) {
      text += fmt::format("{} {} {} {}; ", each.ready, each.head_entered, each.head_arrived, each.arrived);
    }
    if (bridge && bridge->flits() != 2 * flits) text += "not through the bridge";
    return text + fmt::format("{} open", network.clock().messages().open_messages());
  });
}

TEST(RouterBridge, SameRouterBehindTheBridge_TakesTheSameTime) {
  for (const std::uint32_t router_delay : {1U, 2U}) {
    for (const std::uint32_t link_delay : {1U, 3U}) {
      for (const auto& [source, destination] : {std::pair{0U, 4U}, {4U, 1U}, {2U, 4U}, {0U, 2U}, {2U, 2U}}) {
        for (const std::uint32_t buffer : {2U, 16U}) {
          MachineConfig machine;
          machine.virtual_channels = 1;
          machine.router_delay = router_delay;
          machine.link_delay = link_delay;
          machine.buffer = buffer;
          machine.startup = 5;
          EXPECT_EQ(times(machine, source, destination, 12, true),
                    times(machine, source, destination, 12, false))
              << fmt::format("R {} D {} B {} from {} to {}", router_delay, link_delay, buffer, source,
                             destination);
        }
      }
    }
  }
}

TEST(RouterBridge, Message_TakesTheTimeOfTheFormula) {
  MachineConfig machine;
  machine.virtual_channels = 1;
  EXPECT_EQ(times(machine, 0, 4, 6, true),
            fmt::format("3 3 {} {}; 200 200 {} {}; 0 open", 3 + 10, 3 + 10 + 5, 200 + 10, 200 + 10 + 5));
}

/// Links 1 to 2 and back, and 2 to 3 and back, have delays of their own, longer and shorter than the others'.
TEST(RouterBridge, LinksWithOwnDelays_AreExact) {
  MachineConfig machine;
  machine.virtual_channels = 1;
  machine.link_delay = 4;
  const auto delay = [&](NodeId node, unsigned port, std::uint32_t cycles) {
    machine.links.single[kLine.channel(node, port)].delay = cycles;
  };
  delay(1, 0, 2);
  delay(2, 1, 7);
  delay(2, 0, 3);
  delay(3, 1, 1);
  for (const std::uint32_t buffer : {2U, 16U}) {
    machine.buffer = buffer;
    for (const auto& [source, destination] : {std::pair{0U, 4U}, {4U, 0U}, {2U, 4U}, {0U, 2U}, {4U, 2U}}) {
      EXPECT_EQ(times(machine, source, destination, 12, true), times(machine, source, destination, 12, false))
          << fmt::format("B {} from {} to {}", buffer, source, destination);
    }
  }
}

TEST(RouterBridge, LinkSlowerThanItsWires_IsRefused) {
  EXPECT_EQ(run_isolated([]() -> std::string {
              MachineConfig machine;
              machine.links.single[kLine.channel(3, 1)].cycles_per_flit = 2;
              Network network("network", kLine, machine);
              try {
                RouterBridge elsewhere("elsewhere", network, 1);
                RouterBridge bridge("bridge", network, kHere);
              } catch (const sc_core::sc_report& report) {
                return fmt::format("{}: {}", report.get_msg_type(), report.get_msg());
              }
              return "none";
            }),
            "/flitscope/binding: bridge: the wires of a bridge carry a flit a cycle, but [3]-0 takes one "
            "every 2 cycles");
}

TimedMessage message(std::uint64_t id, NodeId source, NodeId destination, Cycle ready) {
  return {{id, source, destination, shortest_route(kLine, source, destination), 3, 0}, ready, std::nullopt};
}

/// What is reported of a router with a fault while messages pass it.
std::string report_of(const std::vector<TimedMessage>& messages,
                      const std::function<void(LinkFlit&, unsigned&)>& fault,
                      std::uint32_t ejection_interval = 1) {
  return run_isolated([&]() -> std::string {
    sc_core::sc_clock clock("clock", 2, sc_core::SC_NS);
    MachineConfig machine;
    machine.virtual_channels = 1;
    machine.ejection_interval = ejection_interval;
    Network network("network", kLine, machine, clock);
    RouterBridge bridge("bridge", network, kHere);
    LineRouter router("router", bridge, 1);
    router.clock(clock);
    router.fault = fault;
    TimedDriver driver(messages);
    network.clock().drive(driver);
    try {
      sc_core::sc_start(200, sc_core::SC_NS);
    } catch (const sc_core::sc_report& report) {
      return fmt::format("{}: {}", report.get_msg_type(), report.get_msg());
    }
    return fmt::format("{} open", network.clock().messages().open_messages());
  });
}

/// The same with three flits from the first node of the line to another one.
std::string report_of(NodeId destination, const std::function<void(LinkFlit&, unsigned&)>& fault,
                      std::uint32_t ejection_interval = 1) {
  return report_of({message(7, 0, destination, 0)}, fault, ejection_interval);
}

TEST(RouterBridge, FaultyRouter_IsReported) {
  const std::string bridge = "/flitscope/protocol: bridge: ";
  EXPECT_EQ(report_of(4, {}), "0 open");
  for (const NodeId destination : {4U, 2U}) {
    const unsigned port = destination == 4 ? 0 : 2;
    EXPECT_EQ(
        report_of(destination, [](LinkFlit& flit, unsigned&) { flit.message = 12345; }),
        bridge + fmt::format("a flit of message slot 12345 leaves by port {} without having come in", port));
    EXPECT_EQ(
        report_of(destination, [](LinkFlit& flit, unsigned&) { flit.index += flit.index; }),
        bridge + fmt::format("flit 2 of message 7 leaves by port {}; the next one of its 3 is flit 1", port));
    EXPECT_EQ(
        report_of(destination, [](LinkFlit& flit, unsigned&) { flit.tail = true; }),
        bridge + fmt::format(
                     "flit 0 of message 7, a head, a tail leaves by port {}; the next one of its 3 is flit 0",
                     port));
  }
  EXPECT_EQ(report_of(4, [](LinkFlit&, unsigned& out) { out = 3; }),
            bridge + "message 7 leaves by port 3 at node 2, but its destination is node 4");
  EXPECT_EQ(report_of(4, [](LinkFlit& flit, unsigned& out) { out = flit.index == 1 ? 1 : 0; }),
            bridge + "flit 1 of message 7 leaves by port 1, VC 0, its head by port 0, VC 0");
  // What comes to port 1 is written last, so a head takes the place of the second flit of the other message.
  EXPECT_EQ(report_of({message(7, 0, 4, 0), message(8, 4, 0, 1)}, [](LinkFlit&, unsigned& out) { out = 0; }),
            bridge + "message 8 leaves by port 0, VC 0, between flits of message 7");
  const std::string early = report_of(2, {}, 3);
  EXPECT_NE(early.find("before cycle"), std::string::npos) << early;
}

/// Two messages of three flits, one through the bridge and one from it, after a reset at a time at which two
/// others are under way.
std::string times_after_reset(const sc_core::sc_time& time) {
  return run_isolated([&] {
    sc_core::sc_clock clock("clock", 2, sc_core::SC_NS);
    MachineConfig machine;
    machine.virtual_channels = 1;
    Network network("network", kLine, machine, clock);
    RouterBridge bridge("bridge", network, kHere);
    LineRouter router("router", bridge, 1);
    router.clock(clock);
    const std::vector<TimedMessage> before{message(7, 0, 4, 0), message(8, kHere, 0, 3)};
    TimedDriver first(before);
    network.clock().drive(first);
    sc_core::sc_start(time);
    std::string text = fmt::format("{} open; ", network.clock().messages().open_messages());
    network.reset();
    router.reset();
    const std::vector<TimedMessage> after{message(9, 0, 4, 3), message(10, kHere, 0, 3)};
    TimedDriver second(after);
    network.clock().drive(second);
    sc_core::sc_start(100, sc_core::SC_NS);
    for (const Delivery& each : second.deliveries())
      text += fmt::format("{} after {}, ", each.id, each.arrived - each.ready);
    return text +
           fmt::format("{} flits, {} open", bridge.flits(), network.clock().messages().open_messages());
  });
}

TEST(RouterBridge, ResetWithFlitsOnTheWires_BeginsAgain) {
  for (unsigned half_ns = 21; half_ns < 29; ++half_ns) {
    EXPECT_EQ(times_after_reset(sc_core::sc_time(half_ns * 500, sc_core::SC_PS)),
              fmt::format("2 open; 10 after {}, 9 after {}, 6 flits, 0 open", 3 * 2 + 2, 5 * 2 + 2))
        << half_ns / 2.0 << " ns";
  }
}

}  // namespace
}  // namespace flitscope::router_bridge_test
