// What benchmarks that simulate share: their length, traffic, counters, and one simulation a process.
// Everything random is drawn before the network's clock starts, so that a benchmark measures the network and
// not the drawing.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <vector>

#include "model/route.h"
#include "sim/network/network.h"
#include "sim/network/transport.h"

namespace flitscope::bench {

/// Share of the full length to run: under a tool that counts instructions a tenth is long enough.
inline double scale() {
  const char* const wanted = std::getenv("FLITSCOPE_BENCH_SCALE");
  return wanted == nullptr ? 1.0 : std::strtod(wanted, nullptr);
}

/// A message between random nodes by the shortest path.
inline Packet random_packet(const Topology& topology, NodeId source, std::uint32_t flits, std::uint64_t id,
                            std::mt19937_64& random) {
  const auto drawn = static_cast<NodeId>(random() % (topology.nodes() - 1));
  const NodeId destination = drawn < source ? drawn : drawn + 1;
  return {id, source, destination, shortest_route(topology, source, destination), flits, 0};
}

/// Uniform random destinations; every node sends with the same probability in every cycle (Bernoulli
/// injection).
class UniformTraffic final : public Driver {
 public:
  UniformTraffic(const Topology& topology, double flits_per_node_and_cycle, std::uint32_t flits,
                 Cycle cycles) {
    std::mt19937_64 random(1);
    // Trials of all nodes in each cycle, from success to success.
    std::geometric_distribution<std::uint64_t> failures(flits_per_node_and_cycle / flits);
    const std::uint64_t trials = cycles * topology.nodes();
    for (std::uint64_t trial = failures(random); trial < trials; trial += failures(random) + 1) {
      const auto node = static_cast<NodeId>(trial % topology.nodes());
      messages_.push_back(
          {trial / topology.nodes(), random_packet(topology, node, flits, messages_.size(), random)});
    }
    messages_.push_back({kNever, {}});
    next_ = messages_.begin();
  }

  void start(Transport&) override {}
  void delivered(Transport&, std::span<const Delivery>, Cycle) override {}
  [[nodiscard]] bool finished() const override { return next_->cycle == kNever; }
  [[nodiscard]] Cycle next_event() const override { return next_->cycle; }
  void at(Transport& network, Cycle now) override {
    for (; next_->cycle == now; ++next_) network.send(next_->packet);
  }

 private:
  struct TimedMessage {
    Cycle cycle = 0;
    Packet packet;
  };
  std::vector<TimedMessage> messages_;  ///< in order of time; behind the last one, one that is never sent
  std::vector<TimedMessage>::const_iterator next_;
};

/// Runs a network, which is elaborated before, with the driver, and counts its flit-hops.
inline void measure(benchmark::State& state, Network& network, Driver& driver) {
  for (auto _ : state) network.run(driver);
  const auto hops = static_cast<double>(network.clock().flit_hops());
  state.counters["flit_hops"] = hops;
  state.counters["flit_hops_per_second"] = benchmark::Counter(hops, benchmark::Counter::kIsRate);
}

/// The main function: runs the one benchmark that a filter names, of these `names`.
inline int run_one(int argc, char** argv, const char* names) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::GetBenchmarkFilter().empty()) {
    std::cerr << "name one benchmark, since a process can simulate only once:\n  --benchmark_filter=" << names
              << "\n";
    return 2;
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace flitscope::bench
