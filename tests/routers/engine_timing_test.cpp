// Does the engine keep to docs/timing.md in networks that are empty but for a message or two? Exact cycles.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "sim/network/network.h"
#include "sim/run/experiment.h"
#include "tests/reference/timed_driver.h"

namespace flitscope::engine_timing_test {
namespace {

using reference::TimedDriver;
using reference::TimedMessage;

Cycle hop(const MachineConfig& machine) {
  return Cycle{machine.router_delay} + machine.link_delay;
}

/// Cycles from the put of a flit until its slot of a link's FIFO can be used again.
Cycle round_trip(const MachineConfig& machine) {
  return hop(machine) + machine.link_delay;
}

/// Time of one message in an empty network, for buffers that cover the round trip.
Cycle zero_load_latency(const MachineConfig& machine, std::uint64_t hops, std::uint32_t flits) {
  const bool stored = machine.switching == Switching::store_and_forward;
  const std::uint64_t each = stored ? 2 * machine.injection_interval + hops : machine.injection_interval;
  return machine.startup + (hops + 1) * hop(machine) + (flits - 1) * each;
}

/// The same without interval, for wormhole switching and a shorter buffer: B flits every R+2D cycles.
Cycle latency_in_short_buffers(const MachineConfig& machine, std::uint64_t hops, std::uint32_t flits) {
  const std::uint32_t last = flits - 1;
  return machine.startup + (hops + 1) * hop(machine) + last / machine.buffer * round_trip(machine) +
         last % machine.buffer;
}

TimedMessage message(std::uint64_t id, NodeId source, NodeId destination, Route route, std::uint32_t flits) {
  return {{id, source, destination, route, flits, 0}, 0, std::nullopt};
}

/// Every message is sent when the one before has arrived.
std::vector<TimedMessage> one_after_the_other(std::vector<TimedMessage> messages) {
  for (std::size_t place = 1; place < messages.size(); ++place) messages[place].released_by = place - 1;
  return messages;
}

/// Runs messages that never meet. Returns the first whose latency is not `expected(hops, flits)`, or "".
template <typename Expected>
std::string first_wrong_latency(const Topology& topology, const MachineConfig& machine,
                                const std::vector<TimedMessage>& messages, Expected expected) {
  return run_isolated([&]() -> std::string {
    Network network("network", topology, machine);
    TimedDriver driver(messages);
    network.run(driver);
    if (driver.deliveries().size() != messages.size()) return "not everything arrived";
    std::uint64_t flits = 0;
    for (const TimedMessage& each : messages) flits += each.packet.flits;
    if (network.clock().flits_delivered() != flits) return "flits are missing";
    for (const Delivery& delivery : driver.deliveries()) {
      const Packet& packet = messages[delivery.id].packet;
      const std::uint64_t hops = route_length(topology, packet.source, packet.destination, packet.route);
      const Cycle right = expected(hops, packet.flits);
      if (delivery.arrived - delivery.ready == right &&
          delivery.head_entered - delivery.ready == machine.startup)
        continue;
      return fmt::format("{} hops, {} flits: {} cycles, not {}", hops, packet.flits,
                         delivery.arrived - delivery.ready, right);
    }
    return "";
  });
}

std::string first_wrong_latency(const Topology& topology, const MachineConfig& machine,
                                const std::vector<TimedMessage>& messages) {
  return first_wrong_latency(topology, machine, messages, [&](std::uint64_t hops, std::uint32_t flits) {
    return zero_load_latency(machine, hops, flits);
  });
}

/// Lengths 1 to `most_flits` over 1 to `most_hops` links of a ring, in both directions, from all nodes.
std::vector<TimedMessage> lengths_and_distances(const Topology& ring, std::uint32_t most_flits,
                                                std::uint32_t most_hops) {
  std::vector<TimedMessage> messages;
  for (std::uint32_t hops = 1; hops <= most_hops; ++hops) {
    for (std::uint32_t flits = 1; flits <= most_flits; ++flits) {
      const Sign sign = flits % 2 == 0 ? Sign::plus : Sign::minus;
      const auto source = static_cast<NodeId>(7 * messages.size() % ring.nodes());
      messages.push_back(
          message(messages.size(), source, ring.moved(source, 0, sign, hops), Route::cyclic(0, sign), flits));
    }
  }
  return one_after_the_other(std::move(messages));
}

class OneMessage : public testing::TestWithParam<Switching> {};

TEST_P(OneMessage, AnyMachine_TakesTheTimeOfTheFormula) {
  const Topology ring(TopologyKind::torus, {26});
  const auto messages = lengths_and_distances(ring, 64, 12);
  MachineConfig machine;
  machine.switching = GetParam();
  for (machine.router_delay = 1; machine.router_delay <= 3; ++machine.router_delay) {
    for (machine.link_delay = 1; machine.link_delay <= 3; ++machine.link_delay) {
      for (const std::uint32_t interval : {1U, 2U, 3U}) {
        machine.injection_interval = machine.ejection_interval = interval;
        const Cycle enough =
            (round_trip(machine) + machine.injection_interval - 1) / machine.injection_interval;
        machine.buffer = GetParam() == Switching::wormhole ? static_cast<std::uint32_t>(enough) : 64;
        for (machine.startup = 0; machine.startup <= 7; machine.startup += 7) {
          const unsigned ports = (machine.injection_interval + machine.link_delay) % 3;
          machine.ports = ports == 0 ? std::nullopt : std::optional(ports);
          EXPECT_EQ(first_wrong_latency(ring, machine, messages), "")
              << fmt::format("router {}, link {}, startup {}, interval {}, ports {}", machine.router_delay,
                             machine.link_delay, machine.startup, machine.injection_interval, ports);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Switching, OneMessage,
                         testing::Values(Switching::wormhole, Switching::virtual_cut_through,
                                         Switching::store_and_forward),
                         [](const auto& instance) {
                           std::string name = flitscope::name_of(instance.param);
                           std::erase(name, '-');
                           return name;
                         });

TEST(OneMessageInAShortBuffer, ShortBuffer_IsSentOncePerRoundTrip) {
  const Topology ring(TopologyKind::torus, {26});
  const auto messages = lengths_and_distances(ring, 40, 4);
  MachineConfig machine;
  for (machine.router_delay = 1; machine.router_delay <= 3; ++machine.router_delay) {
    for (machine.link_delay = 1; machine.link_delay <= 3; ++machine.link_delay) {
      for (machine.buffer = 1; machine.buffer <= round_trip(machine); machine.buffer += 2) {
        EXPECT_EQ(first_wrong_latency(ring, machine, messages,
                                      [&](std::uint64_t hops, std::uint32_t flits) {
                                        return latency_in_short_buffers(machine, hops, flits);
                                      }),
                  "")
            << fmt::format("router {}, link {}, buffer {}", machine.router_delay, machine.link_delay,
                           machine.buffer);
      }
    }
  }
}

TEST(OneMessageWithLargeDelays, LargeDelays_TakeTheTimeOfTheFormula) {
  const Topology ring(TopologyKind::torus, {26});
  const auto messages = lengths_and_distances(ring, 12, 4);
  MachineConfig machine;
  machine.router_delay = 100;
  machine.link_delay = 1000;
  machine.startup = 12345;
  machine.buffer = 5;
  EXPECT_EQ(first_wrong_latency(ring, machine, messages,
                                [&](std::uint64_t hops, std::uint32_t flits) {
                                  return latency_in_short_buffers(machine, hops, flits);
                                }),
            "");
  machine.buffer = 2100;
  for (const Switching switching :
       {Switching::wormhole, Switching::virtual_cut_through, Switching::store_and_forward}) {
    machine.switching = switching;
    EXPECT_EQ(first_wrong_latency(ring, machine, messages), "") << flitscope::name_of(switching);
  }
}

TEST(OneMessageOverFractionalLinks, TakesTheTimeOfTheFormula) {
  const Topology ring(TopologyKind::torus, {26});
  const auto messages = lengths_and_distances(ring, 64, 12);
  for (const Ratio interval : {Ratio(3, 2), Ratio(4, 3), Ratio(7, 5), Ratio(1025, 1024), Ratio(11, 4)}) {
    for (const Switching switching : {Switching::wormhole, Switching::store_and_forward}) {
      MachineConfig machine;
      machine.link_cycles_per_flit = interval;
      machine.switching = switching;
      machine.buffer = 64;
      EXPECT_EQ(first_wrong_latency(ring, machine, messages,
                                    [&](std::uint64_t hops, std::uint32_t flits) -> Cycle {
                                      const Cycle behind = interval.times_rounded_down(flits - 1);
                                      const Cycle head = (hops + 1) * hop(machine);
                                      if (switching == Switching::wormhole) return head + behind;
                                      return head + 2 * (flits - 1) + hops * behind;
                                    }),
                "")
          << interval.text() << ' ' << name_of(switching);
    }
  }
}

/// Only heads wait for VC allocation: where a channel before that is slow, the flits behind close up.
TEST(OneMessageWithSlowHeads, TakesTheTimeOfTheSlowestChannelBehindThem) {
  const Topology ring(TopologyKind::torus, {26});
  const auto messages = lengths_and_distances(ring, 12, 5);
  for (const std::uint32_t waits : {1U, 2U, 5U, 20U}) {
    for (const std::uint32_t injection : {1U, 3U}) {
      for (const std::uint32_t ejection : {1U, 2U, 4U}) {
        for (const Ratio link : {Ratio(1), Ratio(3, 2), Ratio(5)}) {
          MachineConfig machine;
          machine.vc_delay = waits;
          machine.injection_interval = injection;
          machine.ejection_interval = ejection;
          machine.link_cycles_per_flit = link;
          machine.buffer = 64;
          EXPECT_EQ(first_wrong_latency(ring, machine, messages,
                                        [&](std::uint64_t hops, std::uint32_t flits) -> Cycle {
                                          const std::uint32_t behind = flits - 1;
                                          return (hops + 1) * hop(machine) +
                                                 std::max({Cycle{behind} * injection,
                                                           hops * waits + link.times_rounded_down(behind),
                                                           (hops + 1) * waits + Cycle{behind} * ejection});
                                        }),
                    "")
              << fmt::format("waits {}, injection {}, ejection {}, link {}", waits, injection, ejection,
                             link.text());
        }
      }
    }
  }
}

TEST(OneMessageInManyDimensions, EveryNode_IsReachedInTheTimeOfTheFormula) {
  for (const char* const routing : {"dimension-order", "cyclic-dimension-order"}) {
    for (const TopologyKind kind : {TopologyKind::torus, TopologyKind::mesh}) {
      const Topology topology(kind, {4, 5, 3});
      MachineConfig machine;
      machine.routing = routing;
      machine.virtual_channels = 4;
      std::vector<TimedMessage> messages;
      // A mesh has these one-signed ways only in one direction of each, so both ends of it send.
      for (NodeId other = 1; other < topology.nodes(); ++other) {
        for (const Sign sign : {Sign::plus, Sign::minus}) {
          const NodeId source = sign == Sign::plus ? 0 : topology.nodes() - 1;
          const NodeId destination = sign == Sign::plus ? other : topology.nodes() - 1 - other;
          const bool cyclic = machine.routing == "cyclic-dimension-order";
          unsigned first = cyclic ? other % 3 : 0;
          while (cyclic && topology.coordinate(source, first) == topology.coordinate(destination, first)) {
            first = (first + 1) % 3;
          }
          messages.push_back(message(messages.size(), source, destination, Route::cyclic(first, sign), 9));
        }
      }
      EXPECT_EQ(first_wrong_latency(topology, machine, one_after_the_other(messages)), "")
          << routing << " on a " << topology.name();
    }
  }
}

TEST(LargeNetwork, RingOf1024Nodes_ObeysTheFormulaAtAnyDistance) {
  const Topology ring(TopologyKind::torus, {1024});
  std::vector<TimedMessage> messages;
  for (const std::uint32_t hops : {1U, 63U, 64U, 511U, 512U, 1023U}) {
    const auto source = static_cast<NodeId>(200 * messages.size());
    messages.push_back(
        message(messages.size(), source, ring.moved(source, 0, Sign::plus, hops), Route{}, 1 + hops % 50));
  }
  EXPECT_EQ(first_wrong_latency(ring, MachineConfig{}, one_after_the_other(messages)), "");
}

TEST(LargeNetwork, AllOf1024Nodes_SendToANeighbourAtOnce) {
  const Topology ring(TopologyKind::torus, {1024});
  std::vector<TimedMessage> messages;
  for (NodeId node = 0; node < ring.nodes(); ++node) {
    messages.push_back(
        message(node, node, ring.moved(node, 0, Sign::minus, 1), Route::cyclic(0, Sign::minus), 20));
  }
  EXPECT_EQ(first_wrong_latency(ring, MachineConfig{}, messages), "");
}

TEST(LargeNetwork, SixDimensionsWithFourVcs_DeliverEverything) {
  const Topology torus(TopologyKind::torus, {3, 3, 3, 3, 3, 3});
  MachineConfig machine;
  machine.routing = "cyclic-dimension-order";
  machine.virtual_channels = 4;
  std::vector<TimedMessage> single;
  std::vector<TimedMessage> all;
  for (NodeId node = 0; node < torus.nodes(); ++node) {
    NodeId destination = node;
    for (unsigned dimension = 0; dimension < 6; ++dimension) {
      destination = torus.moved(destination, dimension, Sign::plus, 1 + dimension % 2);
    }
    all.push_back(message(node, node, destination, Route::cyclic(node % 6, Sign::plus), 16));
  }
  for (NodeId node = 0; node < 20; ++node) single.push_back(all[node]);
  EXPECT_EQ(first_wrong_latency(torus, machine, one_after_the_other(single)), "");
  const std::string totals = run_isolated([&] {
    Network network("network", torus, machine);
    TimedDriver driver(all);
    network.run(driver, 100'000);
    return fmt::format("{} messages, {} flit-hops", driver.deliveries().size(),
                       network.clock().core().flit_hops());
  });
  EXPECT_EQ(totals, fmt::format("{} messages, {} flit-hops", 729, 729 * 16 * 9));
}

}  // namespace
}  // namespace flitscope::engine_timing_test
