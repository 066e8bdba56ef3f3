// Requests and replies: exact cycles, and the driver in the engine against the plain model of docs/timing.md
// in the reference network.
#include "sim/driver/protocol_driver.h"

#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <tuple>

#include "sim/network/network.h"
#include "sim/run/experiment.h"
#include "tests/reference/protocol_model.h"
#include "tests/reference/random_case.h"
#include "tests/reference/reference_network.h"
#include "tests/support/random_cases.h"

namespace flitscope::protocol_driver_test {
namespace {

using reference::ProtocolModel;

constexpr Cycle kLimit = 60'000;

/// A workload on a network.
struct Case {
  Topology topology{TopologyKind::mesh, {2}};
  MachineConfig machine;
  TrafficConfig traffic;
  ProtocolConfig protocol;
  std::vector<NodeId> targets;
  std::vector<NodeId> sources;

  [[nodiscard]] RequestPattern pattern() const {
    return {traffic.pattern->make({topology, traffic.parameters, {}, "workload.requests", traffic.self}),
            targets, sources, traffic.self};
  }
  [[nodiscard]] std::string name() const {
    std::ostringstream out;
    out << reference::description({0, topology, machine, {}}) << "; " << traffic.pattern->name << ", "
        << (protocol.closed_loop ? "closed" : "open") << ", outstanding " << protocol.outstanding.value_or(0)
        << ", latency " << protocol.service.latency << ", rate "
        << (protocol.service.rate ? protocol.service.rate->text() : "any") << ", queue "
        << protocol.service.queue.value_or(0) << ", shared " << protocol.service.shared << ", batch "
        << protocol.batch.value_or(0) << ", think " << protocol.think << ", reads " << protocol.reads.text()
        << ", targets " << targets.size() << ", sources " << sources.size() << ", self " << traffic.self;
    return out.str();
  }
};

using Trips = std::vector<std::array<std::uint64_t, 8>>;

std::string text_of(Trips trips, Cycle last_delivery) {
  std::ranges::sort(trips);
  std::ostringstream out;
  for (const auto& trip : trips) {
    for (const std::uint64_t number : trip) out << number << ' ';
    out << '\n';
  }
  out << "last delivery " << last_delivery << '\n';
  return out.str();
}

/// "source target generated issued arrived begun replied done" of every round trip, and whether the network
/// counted as saturated, from which cycle on the two need not agree.
std::string by_engine(const Case& one) {
  Network network("network", one.topology, one.machine);
  const RequestPattern pattern = one.pattern();
  ProtocolDriver driver(one.topology, one.machine, one.traffic, one.protocol, pattern);
  Trips trips;
  driver.on_round_trip([&](const RoundTrip& trip) {
    trips.push_back({trip.source, trip.target, trip.generated, trip.issued, trip.arrived, trip.begun,
                     trip.replied, trip.done});
  });
  network.run(driver, kLimit);
  if (driver.phases().saturated()) return "saturated";
  EXPECT_EQ(driver.tally().message_cycles, driver.tally().latencies) << one.name();
  return text_of(std::move(trips), network.clock().last_delivery());
}

std::string by_model(const Case& one, bool& completed) {
  reference::ReferenceNetwork network(one.topology, one.machine);
  const RequestPattern pattern = one.pattern();
  ProtocolModel model(one.topology, one.machine, one.traffic, one.protocol, pattern);
  const auto outcome = network.run(model, kLimit);
  completed = outcome.ending == reference::Ending::completed;
  Trips trips;
  for (const auto& trip : model.trips()) {
    trips.push_back({trip.source, trip.target, trip.generated, trip.issued, trip.arrived, trip.begun,
                     trip.replied, trip.done});
  }
  return text_of(std::move(trips), outcome.cycles);
}

Case two_nodes() {
  Case one;
  one.machine.ports = 1;
  one.machine.routing = "dimension-order";
  one.traffic.pattern = TrafficRegistry::find("uniform");
  one.traffic.warmup = 0;
  one.sources = {0};
  one.targets = {1};
  one.protocol.outstanding = 1;
  one.protocol.service.latency = 10;
  one.protocol.batch = 2;
  offer(one.protocol, one.traffic, one.machine.flit_bytes);
  return one;
}

void expect_trips(const Case& one, const Trips& trips, Cycle last) {
  const std::string expected = text_of(trips, last);
  EXPECT_EQ(run_isolated([&] { return by_engine(one); }), expected);
  bool completed = false;
  EXPECT_EQ(by_model(one, completed), expected);
}

TEST(ProtocolDriver, OneOutstanding_TakesTheCyclesOfTheExample) {
  // A request takes (1+1)(1+1) cycles, the reply 7 more.
  expect_trips(two_nodes(), {{0, 1, 0, 0, 4, 4, 14, 25}, {0, 1, 25, 25, 29, 29, 39, 50}}, 50);
}

TEST(ProtocolDriver, ThinkTime_DelaysTheNextRequest) {
  Case one = two_nodes();
  one.protocol.think = 5;
  expect_trips(one, {{0, 1, 0, 0, 4, 4, 14, 25}, {0, 1, 30, 30, 34, 34, 44, 55}}, 55);
}

TEST(ProtocolDriver, RateBelowOne_SpacesServicesExactly) {
  Case one = two_nodes();
  one.protocol.outstanding = 4;
  one.protocol.batch = 4;
  one.protocol.service.rate = Decimal(0, 400'000'000'000'000'000);  // 2 in 5 cycles
  one.protocol.reply = 8;
  // Requests arrive in cycles 4 to 7; services begin 2.5 cycles after one another.
  expect_trips(one,
               {{0, 1, 0, 0, 4, 4, 14, 18},
                {0, 1, 0, 0, 5, 6, 16, 20},
                {0, 1, 0, 0, 6, 9, 19, 23},
                {0, 1, 0, 0, 7, 11, 21, 25}},
               25);
}

TEST(ProtocolDriver, RateAboveOne_BeginsSeveralServicesInACycle) {
  ServiceRate rate(Decimal(2, 500'000'000'000'000'000));
  std::vector<int> begins;
  for (Cycle now = 10; now < 14; ++now) {
    begins.push_back(0);
    for (; rate.is_free(now); rate.begin(now)) ++begins.back();
  }
  EXPECT_EQ(begins, (std::vector{3, 2, 3, 2}));
}

TEST(ProtocolDriver, WritesApart_DoNotWaitForReads) {
  Case one = two_nodes();
  one.protocol.reads = Decimal(0, 500'000'000'000'000'000);
  one.protocol.outstanding = 8;
  one.protocol.batch = 8;
  one.protocol.write_request = one.protocol.write_reply = one.protocol.reply = 8;
  one.protocol.service.rate = Decimal(0, 10'000'000'000'000'000);  // one in 100 cycles
  offer(one.protocol, one.traffic, one.machine.flit_bytes);
  const auto last = [&](bool shared) {
    one.protocol.service.shared = shared;
    bool completed = false;
    const std::string model = by_model(one, completed);
    EXPECT_EQ(run_isolated([&] { return by_engine(one); }), model);
    return std::stoul(model.substr(model.rfind(' ')));
  };
  EXPECT_EQ(last(true), 4 + 7 * 100 + 10 + 4U);
  EXPECT_LT(last(false), 4 + 7 * 100U);
}

/// Keeps the routes of what is sent, and delivers requests.
class RouteKeeper final : public Transport {
 public:
  void send(const Packet& packet) override { packets.push_back(packet); }
  std::vector<Packet> packets;
};

TEST(ProtocolDriver, OneWayTorus_RepliesGoOnInItsDirection) {
  Case one = two_nodes();
  one.topology = {TopologyKind::torus, {4, 4}, LinkDirections::plus};
  one.sources = {1};
  one.targets = {14};
  one.protocol.service.latency = 0;
  const RequestPattern pattern = one.pattern();
  ProtocolDriver driver(one.topology, one.machine, one.traffic, one.protocol, pattern);
  RouteKeeper network;
  driver.start(network);
  ASSERT_EQ(network.packets.size(), 1U);
  driver.delivered(network, std::vector{Delivery{.id = network.packets.front().id, .arrived = 9}}, 9);
  driver.at(network, 9);
  ASSERT_EQ(network.packets.size(), 2U);
  for (const Packet& packet : network.packets) {
    EXPECT_TRUE(route_exists(one.topology, packet.source, packet.destination, packet.route));
    EXPECT_EQ(packet.route, shortest_route(one.topology, packet.source, packet.destination));
  }
}

constexpr std::uint32_t kMostFlits = 9;  // of a message

/// Sizes that the machine carries, one to `most` flits.
std::uint64_t bytes(RandomNumbers& random, const MachineConfig& machine, std::uint32_t most) {
  while (true) {
    const std::uint64_t flits = 1 + random.below(most);
    const bool fits = (machine.switching == Switching::wormhole || flits <= machine.buffer) &&
                      (machine.flow != FlowControl::bubble || 2 * flits <= machine.buffer);
    if (fits) return flits * machine.flit_bytes;
  }
}

std::vector<NodeId> some_nodes(RandomNumbers& random, NodeId nodes) {
  std::vector<NodeId> chosen;
  for (NodeId node = 0; node < nodes; ++node) {
    if (random.below(4) == 0) chosen.push_back(node);
  }
  return chosen;
}

std::optional<Case> random_protocol(std::uint64_t seed) {
  const auto network = reference::random_case(9'000'000 + seed);
  for (NodeId node = 0; node < network.topology.nodes(); ++node) {
    if (network.topology.is_missing(node)) return std::nullopt;
  }
  RandomNumbers random(static_cast<std::uint32_t>(seed));
  Case one;
  one.topology = network.topology;
  one.machine = network.machine;
  if (random.below(2) == 0) {
    const auto with_ends = reference::with_message_classes(network);
    if (!with_ends) return std::nullopt;
    one.topology = with_ends->topology;
    one.machine = with_ends->machine;
    if (one.machine.message_classes() > 1) {
      one.machine.classes[0].name = "request";
      one.machine.classes[1].name = "reply";
    }
    if (one.machine.ejection_buffer) one.machine.ejection_buffer = kMostFlits + random.below(kMostFlits);
  }
  const auto tenths = [](std::uint32_t number) {
    return Decimal(number / 10, number % 10 * 100'000'000'000'000'000);
  };
  one.traffic.pattern = TrafficRegistry::find("uniform");
  one.traffic.seed = seed;
  one.traffic.self = random.below(3) == 0;
  one.traffic.ties = random.below(3) == 0 ? Ties::plus : Ties::random;
  one.traffic.warmup = random.below(150);
  one.traffic.measure = 100 + random.below(300);
  ProtocolConfig& protocol = one.protocol;
  protocol.closed_loop = random.below(2) == 0;
  protocol.outstanding = 1 + random.below(6);
  if (!protocol.closed_loop && random.below(3) == 0) protocol.outstanding.reset();
  protocol.request = bytes(random, one.machine, 3);
  protocol.reply = bytes(random, one.machine, kMostFlits);
  protocol.write_request = bytes(random, one.machine, kMostFlits);
  protocol.write_reply = bytes(random, one.machine, 3);
  protocol.reads = tenths(random.below(11));
  protocol.think = random.below(2) == 0 ? 0 : random.below(30);
  if (random.below(2) == 0) protocol.batch = 1 + random.below(20);
  protocol.service.latency = random.below(3) == 0 ? 0 : random.below(50);
  if (random.below(2) == 0) protocol.service.rate = tenths(1 + random.below(25));
  if (random.below(2) == 0) protocol.service.queue = 1 + random.below(4);
  protocol.service.shared = random.below(2) == 0;
  if (random.below(2) == 0) one.targets = some_nodes(random, one.topology.nodes());
  if (random.below(3) == 0) one.sources = some_nodes(random, one.topology.nodes());
  if (one.targets.empty() && random.below(3) == 0) {
    one.traffic.pattern = TrafficRegistry::find("hotspot");
    one.traffic.parameters.set("nodes", NodeSet::drawn(1, seed));
    one.traffic.parameters.set("share", Decimal(0, 500'000'000'000'000'000));
  }
  one.traffic.load = Decimal(0, 5'000'000'000'000'000);  // 0.005
  offer(protocol, one.traffic, one.machine.flit_bytes);
  return one;
}

TEST(ProtocolDriver, RandomProtocols_HaveTheCyclesOfTheModel) {
  unsigned compared = 0;
  unsigned drawn = 0;
  unsigned with_finite_ends = 0;
  for (std::uint64_t seed = 0; seed < test::cases(60) && !HasFailure(); ++seed) {
    const auto one = random_protocol(seed);
    if (!one) continue;
    ++drawn;
    bool completed = false;
    const std::string expected = by_model(*one, completed);
    if (!completed) continue;  // a deadlock, or a target that is slower than its requests
    const std::string actual = run_isolated([&] { return by_engine(*one); });
    if (actual == "saturated") continue;
    EXPECT_EQ(test::first_difference(expected, actual), "") << one->name() << ", seed " << seed;
    ++compared;
    with_finite_ends += one->machine.ejection_buffer && one->machine.injection_queue ? 1 : 0;
  }
  EXPECT_GT(compared, drawn / 2);
  EXPECT_GT(with_finite_ends, drawn / 20);
}

}  // namespace
}  // namespace flitscope::protocol_driver_test
