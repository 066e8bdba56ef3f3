// VC allocation as a stage of its own, credits that take longer, and channels of nodes with several VCs:
// exact cycles. docs/timing.md, stages 3 to 7.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "model/error.h"
#include "routers/modules/limits.h"
#include "sim/network/network.h"
#include "sim/run/isolated.h"
#include "tests/reference/timed_driver.h"

namespace flitscope::router_stages_test {
namespace {

using reference::TimedDriver;
using reference::TimedMessage;

constexpr Route kForward{};
const Route kBackward = Route::cyclic(0, Sign::minus);
const Topology kRing(TopologyKind::torus, {8});

TimedMessage message(std::uint64_t id, NodeId source, NodeId destination, Route route, std::uint32_t flits,
                     Cycle ready = 0) {
  return {{id, source, destination, route, flits, 0}, ready, std::nullopt};
}

/// "id entered arrived" of every message, in order of arrival.
std::string times(const MachineConfig& machine, const std::vector<TimedMessage>& messages) {
  return run_isolated([&] {
    Network network("network", kRing, machine);
    TimedDriver driver(messages);
    network.run(driver);
    std::string text;
    for (const Delivery& delivery : driver.deliveries()) {
      text += fmt::format("{}: {} {}\n", delivery.id, delivery.head_entered, delivery.arrived);
    }
    return text;
  });
}

TEST(VcDelay, IsPaidByTheHeadInEveryRouter) {
  MachineConfig machine;
  machine.buffer = 16;
  for (machine.router_delay = 1; machine.router_delay <= 3; ++machine.router_delay) {
    for (machine.vc_delay = 0; machine.vc_delay <= 3; ++machine.vc_delay) {
      for (machine.credit_delay = 0; machine.credit_delay <= 2; ++machine.credit_delay) {
        for (NodeId hops = 1; hops <= 3; ++hops) {
          const Cycle arrived = (hops + 1) * (machine.router_delay + machine.vc_delay + 1) + 29;
          EXPECT_EQ(times(machine, {message(0, 0, hops, kForward, 30)}), fmt::format("0: 0 {}\n", arrived))
              << "router " << machine.router_delay << " + " << machine.vc_delay << ", credit "
              << machine.credit_delay;
        }
      }
    }
  }
}

TEST(VcDelay, IsPaidAgainByAHeadThatComesToTheFrontBehindATail) {
  // Both come in by the one injection FIFO of node 0. The tail of the first leaves in cycle 1 + A + 3; the
  // second head asks in the next one, and leaves A cycles later.
  MachineConfig machine;
  machine.ports = 1;
  for (machine.vc_delay = 0; machine.vc_delay <= 3; ++machine.vc_delay) {
    const Cycle first = 2 * (2 + machine.vc_delay) + 3;
    const Cycle second = first + machine.vc_delay + 4;
    EXPECT_EQ(times(machine, {message(0, 0, 1, kForward, 4), message(1, 0, 1, kForward, 4)}),
              fmt::format("0: 0 {}\n1: 4 {}\n", first, second));
  }
}

TEST(VcDelay, LongerThanTheCalendarIsKeptTo) {
  MachineConfig machine;
  machine.vc_delay = 1000;
  machine.credit_delay = 700;
  EXPECT_EQ(times(machine, {message(0, 0, 3, kForward, 8)}), fmt::format("0: 0 {}\n", 4 * 1002 + 7));
}

TEST(CreditDelay, LengthensTheRoundTripOfASlot) {
  MachineConfig machine;
  machine.link_delay = 2;
  for (machine.buffer = 1; machine.buffer <= 4; ++machine.buffer) {
    for (machine.credit_delay = 0; machine.credit_delay <= 3; ++machine.credit_delay) {
      const Cycle round = 1 + 2 * 2 + machine.credit_delay;
      const Cycle arrived = 2 * 3 + 11 / machine.buffer * round + 11 % machine.buffer;
      EXPECT_EQ(times(machine, {message(0, 0, 1, kForward, 12)}), fmt::format("0: 0 {}\n", arrived))
          << "buffer " << machine.buffer << ", credit " << machine.credit_delay;
    }
  }
}

TEST(NodeVcs, ShareTheEjectionChannelFlitByFlit) {
  // Both heads are usable in cycle 3. From then on the channel moves a flit of each in turn.
  const std::vector<TimedMessage> messages{message(0, 7, 0, kForward, 10), message(1, 1, 0, kBackward, 10)};
  MachineConfig machine;
  machine.ports = 1;
  machine.node_vcs = 2;
  EXPECT_EQ(times(machine, messages), "0: 0 22\n1: 0 23\n");
  machine.node_vcs = 1;
  EXPECT_EQ(times(machine, messages), "0: 0 13\n1: 0 23\n");
}

TEST(NodeVcs, LetAMessagePassOneThatWaits) {
  // Message 0 holds VC 0 of link [0]+0 until its tail leaves in cycle 41, so the head of message 1 waits for
  // a VC in the FIFO of its own, and message 2 in the other direction passes it.
  MachineConfig machine;
  machine.ports = 1;
  machine.virtual_channels = 2;
  machine.buffer = 4;
  const std::vector<TimedMessage> messages{message(0, 7, 1, kForward, 40), message(1, 0, 1, kForward, 4, 5),
                                           message(2, 0, 7, kBackward, 4, 5)};
  machine.node_vcs = 1;
  const std::string one = times(machine, messages);
  machine.node_vcs = 2;
  const std::string two = times(machine, messages);
  EXPECT_NE(one, two);
  EXPECT_NE(two.find("2: 9 16\n"), std::string::npos) << two;
}

TEST(NodeVcs, CountAmongThe64InputBuffers) {
  MachineConfig machine;
  machine.virtual_channels = 6;
  machine.node_vcs = 11;
  const Topology torus(TopologyKind::torus, {4, 4});
  const auto refusal = [&]() -> std::string {
    try {
      require_buildable(torus, machine, std::uint64_t{1} << 30);
      return "";
    } catch (const Inadmissible& error) {
      return error.key() + ": " + error.what();
    }
  };
  EXPECT_EQ(
      refusal(),
      "node.vcs: 4 links with 6 virtual channels and 4 injection channels with 11 make 68 input buffers a "
      "router; at most 64 are possible");
  machine.node_vcs = 10;
  EXPECT_EQ(refusal(), "");
  machine.injection_interval = machine.ejection_interval = 3;
  EXPECT_EQ(
      refusal(),
      "node.vcs: several virtual channels share an ejection channel that takes a flit in every cycle, not in "
      "every 3: 'node.ejection_interval' must be 1, or 'node.vcs'");
  machine.ejection_interval = 1;
  machine.link_delay = 65535;
  machine.credit_delay = 1;
  EXPECT_EQ(
      refusal(),
      "router.credit_delay: a credit's delay and that of its link may be 65535 cycles together, not 65536");
}

}  // namespace
}  // namespace flitscope::router_stages_test
