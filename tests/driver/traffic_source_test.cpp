// Messages of synthetic traffic and their cycles, against docs/traffic.md by another
// program.
#include "sim/driver/traffic_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

namespace flitscope::traffic_source_test {
namespace {

using Generated = std::tuple<Cycle, NodeId, NodeId, std::uint32_t>;  // cycle, source, destination, flits

TrafficConfig traffic_of(const std::string& pattern, const char* load, std::uint64_t bytes = 8) {
  TrafficConfig config;
  config.pattern = TrafficRegistry::find(pattern);
  config.load = *parse_decimal(load).value;
  config.message.sizes = {{bytes, Decimal(1)}};
  return config;
}

/// Everything that is generated before `end`.
std::vector<Generated> generated(const Topology& topology, const TrafficConfig& config, Cycle end) {
  const auto pattern = config.pattern->make({topology, config.parameters, {}, "workload", config.self});
  TrafficSource source(topology, {}, config, *pattern);
  std::vector<Generated> list;
  while (source.next() < end) {
    const Cycle now = source.next();
    source.generate(now, [&](const GeneratedMessage& message) {
      list.emplace_back(now, message.source, message.destination, message.flits);
    });
  }
  return list;
}

/// The generator of docs/traffic.md, written anew.
class Numbers {
 public:
  Numbers(std::uint64_t seed, std::uint64_t node) : state_(mix(mix(seed + kG) + (node + 1) * kG)) {}
  std::uint64_t next() { return mix(state_ += kG); }

 private:
  static constexpr std::uint64_t kG = 0x9E3779B97F4A7C15;
  static std::uint64_t mix(std::uint64_t z) {
    z ^= z >> 30;
    z *= 0xBF58476D1CE4E5B9;
    z ^= z >> 27;
    z *= 0x94D049BB133111EB;
    return z ^ z >> 31;
  }
  std::uint64_t state_;
};

TEST(TrafficSource, Bernoulli_FollowsItsDefinition) {
  constexpr NodeId kNodes = 5;  // a prime: no ties, and numbers below 4 are never drawn again
  constexpr double kLoad = 0.3;
  constexpr double kFlits = 2;
  constexpr Cycle kEnd = 5000;
  const auto list =
      generated(Topology(TopologyKind::torus, {kNodes}), traffic_of("uniform", "0.3", 16), kEnd);

  std::vector<Generated> expected;
  for (NodeId node = 0; node < kNodes; ++node) {
    Numbers numbers(1, node);
    const auto failures = [&] {  // the largest k with number < (1-p)^k * 2^64
      const long double part = (static_cast<long double>(numbers.next()) + 0.5L) / std::exp2(64.0L);
      return static_cast<Cycle>(std::log(part) / std::log1p(-static_cast<long double>(kLoad / kFlits)));
    };
    for (Cycle cycle = failures(); cycle < kEnd; cycle += 1 + failures()) {
      const auto drawn =
          static_cast<NodeId>(static_cast<unsigned __int128>(numbers.next()) * (kNodes - 1) >> 64);
      expected.emplace_back(cycle, node, drawn < node ? drawn : drawn + 1, 2);
    }
  }
  std::ranges::sort(expected);
  EXPECT_EQ(list, expected);
}

TEST(TrafficSource, Periodic_MeetsTheLoadExactly) {
  const Topology topology(TopologyKind::mesh, {3, 3});
  auto config = traffic_of("uniform", "0.3", 8 * 4);  // 4 flits every 13 1/3 cycles
  config.process = Injection::periodic;
  std::map<NodeId, std::vector<Cycle>> cycles;
  for (const auto& [cycle, source, destination, flits] : generated(topology, config, 4000)) {
    cycles[source].push_back(cycle);
  }
  ASSERT_EQ(cycles.size(), 9U);
  for (const auto& [node, at] : cycles) {
    EXPECT_EQ(at.size(), 300U) << node;
    EXPECT_LT(at.front(), 14U);
    for (std::size_t i = 3; i < at.size(); ++i) EXPECT_EQ(at[i] - at[i - 3], 40U);
  }
  EXPECT_NE(cycles[0].front() % 13, cycles[1].front() % 13) << "nodes are out of step";
}

TEST(TrafficSource, Loads_AreMet) {
  const Topology topology(TopologyKind::torus, {8, 8});
  constexpr Cycle kEnd = 20'000;
  for (const Injection process : kEnumerators<Injection>) {
    auto config = traffic_of("uniform", "0.2");
    config.process = process;
    config.message.sizes = {{8, Decimal(3)}, {40, Decimal(1)}};  // 2 flits on average
    std::uint64_t flits = 0;
    for (const auto& message : generated(topology, config, kEnd)) flits += std::get<3>(message);
    EXPECT_NEAR(static_cast<double>(flits) / (64.0 * kEnd), 0.2, 0.004) << name_of(process);
  }
}

TEST(TrafficSource, BurstsAndPauses_HaveTheirLengths) {
  auto config = traffic_of("uniform", "0.5");  // in bursts every cycle has a message
  config.process = Injection::on_off;
  config.burst = 20;
  config.pause = 20;
  std::map<NodeId, std::vector<Cycle>> cycles;
  for (const auto& [cycle, source, destination, flits] :
       generated(Topology(TopologyKind::mesh, {4, 4}), config, 40'000)) {
    cycles[source].push_back(cycle);
  }
  double bursts = 0;
  double in_bursts = 0;
  double pauses = 0;
  for (const auto& [node, at] : cycles) {
    for (std::size_t i = 1; i < at.size(); ++i) {
      ++in_bursts;
      if (at[i] == at[i - 1] + 1) continue;
      ++bursts;
      pauses += static_cast<double>(at[i] - at[i - 1] - 1);
    }
  }
  EXPECT_NEAR(in_bursts / bursts, 20, 1);
  EXPECT_NEAR(pauses / bursts, 20, 1);
}

TEST(TrafficSource, Node_DependsOnItsNumberAlone) {
  // The same node in a larger network generates at the same times.
  const auto times = [](const Topology& topology) {
    std::vector<Cycle> cycles;
    for (const auto& [cycle, source, destination, flits] :
         generated(topology, traffic_of("tornado", "0.1"), 3000)) {
      if (source == 2) cycles.push_back(cycle);
    }
    return cycles;
  };
  EXPECT_EQ(times(Topology(TopologyKind::torus, {5})), times(Topology(TopologyKind::torus, {7, 9})));
}

TEST(TrafficSource, Ties_AreDrawnOrPlus) {
  const Topology topology(TopologyKind::torus, {4});
  for (const Ties ties : kEnumerators<Ties>) {
    auto config = traffic_of("uniform", "0.5");
    config.ties = ties;
    const auto pattern = config.pattern->make({topology, config.parameters, {}, "workload", config.self});
    TrafficSource source(topology, {}, config, *pattern);
    int plus = 0;
    int minus = 0;
    while (source.next() < 2000) {
      source.generate(source.next(), [&](const GeneratedMessage& message) {
        if ((message.destination + 4 - message.source) % 4 != 2) return;
        ++(message.route.sign(0) == Sign::plus ? plus : minus);
      });
    }
    if (ties == Ties::plus) {
      EXPECT_EQ(minus, 0);
    } else {
      EXPECT_NEAR(plus, minus, 150);
      EXPECT_GT(minus, 400);
    }
  }
}

/// Behind the destination and the ties a number below four, so that none is drawn again.
TEST(TrafficSource, DrawnPaths_AreDrawnAfterTheDestination) {
  constexpr NodeId kNodes = 5;  // a prime: no ties
  const Topology ring(TopologyKind::torus, {kNodes});
  auto config = traffic_of("uniform", "1");  // a message in every cycle: no numbers are drawn for times
  config.process = Injection::periodic;
  config.drawn_paths = 4;
  const auto pattern = config.pattern->make({ring, config.parameters, {}, "workload", config.self});
  MachineConfig machine;
  machine.routing = "valiant";
  TrafficSource source(ring, machine, config, *pattern);
  std::vector<Numbers> numbers;
  for (NodeId node = 0; node < kNodes; ++node) {
    numbers.emplace_back(1, node);
    static_cast<void>(numbers.back().next());  // its offset
  }
  const auto below = [](std::uint64_t number, std::uint64_t bound) {
    return static_cast<NodeId>(static_cast<unsigned __int128>(number) * bound >> 64);
  };
  unsigned messages = 0;
  while (source.next() < 100) {
    source.generate(source.next(), [&](const GeneratedMessage& message) {
      const NodeId drawn = below(numbers[message.source].next(), kNodes - 1);
      EXPECT_EQ(message.destination, drawn < message.source ? drawn : drawn + 1);
      EXPECT_EQ(message.route.draw, below(numbers[message.source].next(), 4));
      ++messages;
    });
  }
  EXPECT_EQ(messages, 500U);
}

TEST(TrafficSource, MessagesToTheSource_AreSentOnlyWithSelf) {
  const Topology topology(TopologyKind::torus, {4});
  for (const bool self : {false, true}) {
    auto config = traffic_of("shuffle", "0.5");  // 0 and 3 send to themselves
    config.self = self;
    std::map<NodeId, int> messages;
    for (const auto& message : generated(topology, config, 200)) ++messages[std::get<1>(message)];
    EXPECT_EQ(messages.size(), self ? 4U : 2U);
  }
}

TEST(TrafficSource, StartAndEnd_AreExact) {
  const Topology topology(TopologyKind::torus, {4, 4});
  for (const Injection process : kEnumerators<Injection>) {
    TrafficConfig config = traffic_of("uniform", "0.4", 16);
    config.process = process;
    const std::vector<Generated> whole = generated(topology, config, 1000);
    config.start = 300;
    config.end = 800;
    // The same as from cycle 0 on, later, and no more.
    std::vector<Generated> expected;
    for (auto [cycle, source, destination, flits] : whole) {
      if (cycle < 500) expected.emplace_back(cycle + 300, source, destination, flits);
    }
    EXPECT_EQ(generated(topology, config, 10'000), expected) << name_of(process);
    EXPECT_GT(expected.size(), 100U);
  }
}

}  // namespace
}  // namespace flitscope::traffic_source_test
