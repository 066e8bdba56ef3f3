// When traffic is handed over, and the phases of its measurement.
#include "sim/driver/traffic_driver.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <vector>

#include "tests/support/fake_transport.h"

namespace flitscope::traffic_driver_test {
namespace {

/// A network in which every message takes `latency` cycles, or never arrives from some cycle on.
class SteadyNetwork final : public Transport {
 public:
  SteadyNetwork(Driver& driver, Cycle latency) : driver_(driver), latency_(latency) {}

  void send(const Packet& packet) override {
    sent.push_back({now_, packet});
    if (now_ < stops_at) on_their_way_.push_back({packet.id, now_, now_, 0, now_ + latency_, {}});
  }
  /// Runs to the end, or to cycle `limit`.
  void run(Cycle limit) {
    driver_.start(*this);
    for (now_ = 1; now_ <= limit; ++now_) {
      std::vector<Delivery> arriving;
      std::erase_if(on_their_way_, [&](const Delivery& delivery) {
        if (delivery.arrived != now_) return false;
        arriving.push_back(delivery);
        return true;
      });
      std::ranges::sort(arriving, {}, &Delivery::id);
      if (!arriving.empty()) driver_.delivered(*this, arriving, now_);
      if (driver_.next_event() <= now_) driver_.at(*this, now_);
      if (driver_.finished() && on_their_way_.empty()) return;
    }
  }

  struct Sent {
    Cycle cycle = 0;
    Packet packet;
  };
  std::vector<Sent> sent;
  Cycle stops_at = kNever;

 private:
  Driver& driver_;
  Cycle latency_;
  Cycle now_ = 0;
  std::vector<Delivery> on_their_way_;
};

struct Bench {
  explicit Bench(const TrafficConfig& with)
      : config(with),
        pattern(config.pattern->make({topology, config.parameters, {}, "workload", config.self})),
        driver(topology, machine, config, std::array{OfferedTraffic{config, *pattern}}) {}

  Topology topology{TopologyKind::torus, {4, 4}};
  MachineConfig machine;
  TrafficConfig config;
  std::unique_ptr<TrafficPattern> pattern;
  TrafficDriver driver;
};

TrafficConfig uniform() {
  TrafficConfig config;
  config.pattern = TrafficRegistry::find("uniform");
  config.load = Decimal(0, 500'000'000'000'000'000);
  config.message.sizes = {{32, Decimal(1)}};  // 4 flits
  config.warmup = 100;
  config.measure = 400;
  return config;
}

TEST(TrafficDriver, GeneratedMessages_AreSentInTheirCycle) {
  Bench bench(uniform());
  SteadyNetwork network(bench.driver, 10);
  network.run(100'000);
  // The source alone, with the same configuration.
  TrafficSource source(bench.topology, bench.machine, bench.config, *bench.pattern);
  std::size_t place = 0;
  std::map<NodeId, std::uint64_t> numbers;
  while (source.next() < bench.driver.phases().end()) {
    const Cycle now = source.next();
    source.generate(now, [&](const GeneratedMessage& message) {
      ASSERT_LT(place, network.sent.size());
      const auto& [cycle, packet] = network.sent[place++];
      EXPECT_EQ(cycle, now);
      EXPECT_EQ(packet.source, message.source);
      EXPECT_EQ(packet.destination, message.destination);
      EXPECT_EQ(packet.flits, 4U);
      EXPECT_EQ(packet.id, message_id(++numbers[message.source], message.source));
    });
  }
  EXPECT_GT(place, 500U);
}

TEST(TrafficDriver, Phases_MeasureAndDrain) {
  Bench bench(uniform());
  SteadyNetwork network(bench.driver, 10);
  std::uint64_t measured = 0;
  std::uint64_t all = 0;
  bench.driver.on_arrival([&](const ArrivedMessage& message, std::size_t, bool counts) {
    ++all;
    measured += counts ? 1 : 0;
    const Cycle generated = message.delivery.ready;
    EXPECT_EQ(counts, generated >= 100 && generated < 500);
  });
  std::vector<Cycle> changes;
  bench.driver.on_phase([&](TrafficPhase, Cycle now) { changes.push_back(now); });
  network.run(100'000);
  const TrafficPhases& phases = bench.driver.phases();
  EXPECT_EQ(phases.phase(), TrafficPhase::emptying);
  EXPECT_EQ(changes, (std::vector<Cycle>{100, 500}));
  EXPECT_EQ(phases.begin(), 100U);
  EXPECT_EQ(phases.end(), 500U);
  EXPECT_FALSE(phases.saturated());
  EXPECT_EQ(phases.outstanding(), 0U);
  EXPECT_EQ(all, network.sent.size());
  std::uint64_t generated = 0;
  for (const auto& [cycle, packet] : network.sent) generated += cycle >= 100 && cycle < 500 ? 1 : 0;
  EXPECT_EQ(measured, generated);
  // Sources stop in the cycle in which the last measured message arrives.
  EXPECT_LT(network.sent.back().cycle, 510U);
  EXPECT_GT(network.sent.back().cycle, 500U);
  ASSERT_TRUE(phases.interval());
  EXPECT_DOUBLE_EQ(phases.interval()->mean, 10);
  EXPECT_DOUBLE_EQ(phases.interval()->half_width, 0);
  EXPECT_EQ(bench.driver.tally().message_cycles, bench.driver.tally().latencies) << "Little's law";
}

/// Without a warm-up the network fills in the measurement: 200 cycles of 0.5 flits a node are more than two
/// messages.
TEST(TrafficDriver, FillingOfTheNetwork_IsNotSaturation) {
  TrafficConfig config = uniform();
  config.warmup = 0;
  config.measure = 1000;
  Bench filling(config);
  SteadyNetwork(filling.driver, 200).run(100'000);
  EXPECT_FALSE(filling.driver.phases().saturated());

  Bench growing(config);
  SteadyNetwork(growing.driver, 5000).run(100'000);
  EXPECT_TRUE(growing.driver.phases().saturated());
}

TEST(TrafficDriver, TwoSteadyWindows_EndTheWarmUp) {
  TrafficConfig config = uniform();
  config.warmup.reset();
  config.window = 200;
  Bench bench(config);
  SteadyNetwork(bench.driver, 10).run(100'000);
  EXPECT_EQ(bench.driver.phases().begin(), 600U);  // the second and third windows are like the first
  EXPECT_TRUE(bench.driver.phases().steady());
}

/// Phases of two classes; latencies are those that the test says.
struct TwoClasses {
  TwoClasses(const TrafficConfig& config, SendingTime first, SendingTime second)
      : phases(config, {first, second}) {}

  /// A message a cycle of the first class, and one of the second from its start on. `latency(c)` is that of
  /// class c now. Returns when the measurement begins.
  Cycle warm_up(Cycle second_start, const std::function<std::uint64_t(std::size_t, Cycle)>& latency) {
    TrafficTally tally;
    for (Cycle now = 0; now < 100'000; ++now) {
      if (phases.next() == now) phases.advance(now, tally, 1);
      if (phases.phase() == TrafficPhase::measurement) return now;
      for (std::size_t each = 0; each < (now >= second_start ? 2 : 1); ++each) {
        ++tally.arrived_messages;
        tally.latencies += latency(each, now);
      }
    }
    return kNever;
  }

  TrafficPhases phases;
};

/// By itself the first class is steady at 600. The second one starts at 1500 and takes long at first.
TEST(TrafficPhases, LateClass_DelaysTheAutomaticWarmUp) {
  TrafficConfig config;
  config.window = 200;
  const auto latency = [](std::size_t traffic_class, Cycle now) -> std::uint64_t {
    return traffic_class == 0 || now >= 1700 ? 10 : 1000;
  };
  TwoClasses late(config, {}, {.start = 1500});
  EXPECT_EQ(late.warm_up(1500, latency), 1500U + 4 * 200);  // the first window is unlike the others
  EXPECT_TRUE(late.phases.steady());
  TwoClasses from_the_beginning(config, {}, {});
  EXPECT_EQ(from_the_beginning.warm_up(0, [](std::size_t, Cycle) { return 10; }), 600U);
  TwoClasses burst(config, {}, {.start = 1500, .ends = true});
  EXPECT_EQ(burst.warm_up(1500, latency), 600U) << "what comes to an end is not waited for";
  config.warmup = 300;
  TwoClasses given(config, {}, {.start = 1500});
  EXPECT_EQ(given.warm_up(1500, latency), 300U);
}

TEST(TrafficPhases, MeanThatDiffersByExactlyFivePercent_IsSteady) {
  TrafficConfig config;
  config.window = 10;
  TrafficPhases phases(config, {{}}, false);
  TrafficTally tally;
  // Means of 8, 8.4 and 8.0625.
  for (const auto& [latencies, messages] :
       std::vector<std::pair<std::uint64_t, std::uint64_t>>{{80, 10}, {168, 20}, {129, 16}}) {
    EXPECT_EQ(phases.phase(), TrafficPhase::warm_up);
    tally.latencies += latencies;
    tally.arrived_messages += messages;
    phases.advance(phases.next(), tally, 1);
  }
  EXPECT_EQ(phases.begin(), 30U);
  EXPECT_TRUE(phases.steady());
}

/// The first class' latencies are equal; those of the second one differ by `spread` from batch to batch.
std::size_t prolongations(SendingTime second, std::uint64_t spread) {
  TrafficConfig config;
  config.warmup = 0;
  config.measure = 400;
  config.precision = *parse_decimal("0.01").value;
  TwoClasses two(config, {}, second);
  TrafficTally tally;
  two.phases.advance(0, tally, 1);
  for (Cycle now = 0; two.phases.phase() == TrafficPhase::measurement; ++now) {
    if (two.phases.next() == now) two.phases.advance(now, tally, 1);
    if (two.phases.phase() != TrafficPhase::measurement) break;
    const bool few = now % 10 == 0;  // of a hundred times the messages the second class has one
    for (int i = 0; i < 100; ++i) {
      two.phases.measured_generated();
      two.phases.measured_arrived(now, now + 50, 0);
    }
    if (!few) continue;
    two.phases.measured_generated();
    two.phases.measured_arrived(now, now + 50 + (now / 20 % 2) * spread, 1);
  }
  EXPECT_DOUBLE_EQ(two.phases.interval(0)->half_width, 0);
  EXPECT_LT(two.phases.interval()->half_width, 0.01 * 50);
  return static_cast<std::size_t>(two.phases.end() / 400);
}

TEST(TrafficPhases, Precision_IsReachedByEveryClass) {
  EXPECT_GT(prolongations({}, 10), 1U) << "all together are precise at once";
  EXPECT_EQ(prolongations({.ends = true}, 10), 1U) << "who goes within the measurement has no precision";
  EXPECT_EQ(prolongations({.start = 5}, 10), 1U) << "nor who comes within it";
}

TEST(TrafficDriver, BlockedNetwork_IsSaturated) {
  Bench bench(uniform());
  SteadyNetwork network(bench.driver, 10);
  network.stops_at = 300;
  network.run(100'000);
  const TrafficPhases& phases = bench.driver.phases();
  EXPECT_EQ(phases.phase(), TrafficPhase::over);
  EXPECT_TRUE(phases.saturated());
  EXPECT_EQ(phases.end(), 500U);
  EXPECT_LT(network.sent.back().cycle, 500U);
  EXPECT_GT(phases.outstanding(), 0U);
}

TEST(TrafficDriver, LostMessage_EndsTheDrain) {
  Bench bench(uniform());
  SteadyNetwork network(bench.driver, 10);
  network.stops_at = 499;  // too late for the flits that wait to rise by much
  network.run(100'000);
  const TrafficPhases& phases = bench.driver.phases();
  EXPECT_EQ(phases.phase(), TrafficPhase::over);
  EXPECT_TRUE(phases.saturated());
  EXPECT_LT(network.sent.back().cycle, 10'500U);
  EXPECT_GT(network.sent.back().cycle, 10'400U);
}

TEST(TrafficDriver, Precision_ProlongsTheMeasurement) {
  TrafficConfig config = uniform();
  config.precision = Decimal();  // never reached by latencies that differ; reached at once by equal ones
  Bench equal(config);
  SteadyNetwork(equal.driver, 10).run(100'000);
  EXPECT_EQ(equal.driver.phases().end(), 500U);
  EXPECT_EQ(equal.driver.phases().reached_precision(), true);
}

TEST(TrafficPhases, Precision_IsReportedAsReachedOrNot) {
  TrafficConfig config;
  config.warmup = 0;
  config.measure = 400;
  const auto measured = [&](std::uint64_t spread) {
    TrafficPhases phases(config, {SendingTime{}});
    for (Cycle now = 0; phases.phase() <= TrafficPhase::measurement; ++now) {
      if (phases.next() == now) phases.advance(now, {}, 1);
      if (phases.phase() != TrafficPhase::measurement) continue;
      phases.measured_generated();
      phases.measured_arrived(now, now + 50 + (now < 20 ? spread : 0), 0);
    }
    return std::pair(phases.end(), phases.reached_precision());
  };
  EXPECT_EQ(measured(10), std::pair(Cycle{400}, std::optional<bool>()));
  config.precision = Decimal();
  EXPECT_EQ(measured(0), std::pair(Cycle{400}, std::optional(true)));
  EXPECT_EQ(measured(10), std::pair(Cycle{50 * 400}, std::optional(false)));
}

TEST(SentMessages, AnyOrderOfArrivals_FindsEachMessage) {
  SentMessages sent;
  for (NodeId node = 1; node <= 100; ++node) sent.add({0, node, 1, {}});
  EXPECT_EQ(sent.take(100).destination, 100U);
  EXPECT_EQ(sent.take(1).destination, 1U);
  for (NodeId node = 101; node <= 300; ++node) sent.add({0, node, 1, {}});
  for (NodeId node = 2; node < 100; ++node) EXPECT_EQ(sent.take(node).destination, node);
  for (NodeId node = 101; node <= 300; ++node) EXPECT_EQ(sent.take(node).destination, node);
  EXPECT_EQ(sent.next_number(), 301U);
}

TEST(TrafficDriver, Classes_TakeTurnsAndAreCountedSeparately) {
  TrafficConfig second = uniform();
  second.pattern = TrafficRegistry::find("neighbour");
  second.process = Injection::periodic;
  second.load = Decimal(1);
  second.message.sizes = {{8, Decimal(1)}};  // a flit in every cycle
  second.seed = 2;
  const Bench first(uniform());
  const auto pattern = second.pattern->make({first.topology, {}, {}});
  const std::vector<OfferedTraffic> classes{{first.config, *first.pattern}, {second, *pattern}};
  TrafficDriver driver(first.topology, first.machine, first.config, classes);
  std::array<std::uint64_t, 2> arrived{};
  driver.on_arrival([&](const ArrivedMessage& message, std::size_t traffic_class, bool) {
    EXPECT_EQ(message.flits, traffic_class == 0 ? 4U : 1U);
    ++arrived[traffic_class];
  });
  SteadyNetwork network(driver, 10);
  network.run(100'000);
  for (std::size_t i = 1; i < network.sent.size(); ++i) {
    const auto& [before, a] = network.sent[i - 1];
    const auto& [now, b] = network.sent[i];
    if (before != now) continue;
    EXPECT_LE(b.flits, a.flits) << "the first class comes first";
  }
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(driver.tally(i).arrived_messages, arrived[i]);
    EXPECT_EQ(driver.tally(i).generated_messages, arrived[i]);
    EXPECT_EQ(driver.tally(i).message_cycles, driver.tally(i).latencies) << "Little's law";
  }
  EXPECT_EQ(driver.tally().arrived_messages, arrived[0] + arrived[1]);
  EXPECT_GT(arrived[0], 100U);
}

}  // namespace
}  // namespace flitscope::traffic_driver_test
