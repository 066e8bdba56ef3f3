// Speed of the engine in flit-hops per second: a flit that crosses a link between two routers is one
// flit-hop.
//
// SystemC runs one simulation a process, so name one benchmark:
//   for b in torus_random mesh_worms mesh_long idle_worms exchange exchange_long random_16 random_32
//   random_64; do
//     engine_bench --benchmark_filter=$b; done
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include "bench/simulation.h"

namespace flitscope::bench {
namespace {

MachineConfig machine(unsigned virtual_channels) {
  MachineConfig config;
  config.virtual_channels = virtual_channels;
  return config;
}

void simulate(benchmark::State& state, const Topology& topology, const MachineConfig& config,
              Driver& driver) {
  Network network("network", topology, config);
  // Every cycle is run where the cost of a flit-hop is wanted.
  if (std::getenv("FLITSCOPE_BENCH_EVERY_CYCLE") != nullptr) {
    network.clock().set_fast_forward(false);
  }
  if (const char* const threads = std::getenv("FLITSCOPE_BENCH_THREADS"); threads != nullptr) {
    network.clock().set_threads(static_cast<unsigned>(std::strtoul(threads, nullptr, 10)));
  }
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // elaboration is not what is measured here
  measure(state, network, driver);
  state.counters["cycles"] = static_cast<double>(network.clock().last_cycle());
}

void torus_random(benchmark::State& state) {
  const Topology topology(TopologyKind::torus, {8, 8});
  UniformTraffic traffic(topology, 0.15, 1, static_cast<Cycle>(200'000 * scale()));
  simulate(state, topology, machine(2), traffic);
}
BENCHMARK(torus_random)->Iterations(1)->Unit(benchmark::kMillisecond);

/// Single flits at 15% of what a torus of side `side` can carry: its bisection limits a node to 8 / side
/// flits a cycle. About as many flit-hops whatever the side.
void random_flits(benchmark::State& state, std::uint32_t side, Cycle cycles) {
  const Topology topology(TopologyKind::torus, {side, side, side});
  UniformTraffic traffic(topology, 0.15 * 8 / side, 1,
                         static_cast<Cycle>(static_cast<double>(cycles) * scale()));
  simulate(state, topology, machine(2), traffic);
}
void random_16(benchmark::State& state) {
  random_flits(state, 16, 4'000);
}
BENCHMARK(random_16)->Iterations(1)->Unit(benchmark::kMillisecond);
void random_32(benchmark::State& state) {
  random_flits(state, 32, 500);
}
BENCHMARK(random_32)->Iterations(1)->Unit(benchmark::kMillisecond);
void random_64(benchmark::State& state) {
  random_flits(state, 64, 120);
}
BENCHMARK(random_64)->Iterations(1)->Unit(benchmark::kMillisecond);

/// Messages of `flits` flits on an 8x8 mesh.
void mesh(benchmark::State& state, std::uint32_t flits) {
  const Topology topology(TopologyKind::mesh, {8, 8});
  UniformTraffic traffic(topology, 0.15, flits, static_cast<Cycle>(200'000 * scale()));
  simulate(state, topology, machine(2), traffic);
}
void mesh_worms(benchmark::State& state) {
  mesh(state, 8);
}
BENCHMARK(mesh_worms)->Iterations(1)->Unit(benchmark::kMillisecond);
void mesh_long(benchmark::State& state) {
  mesh(state, 64);
}
BENCHMARK(mesh_long)->Iterations(1)->Unit(benchmark::kMillisecond);

/// A fixed number of messages in flight: each delivery starts another between random nodes.
class ConstantWorms final : public Driver {
 public:
  ConstantWorms(const Topology& topology, std::size_t worms, std::uint32_t flits, std::uint64_t messages)
      : worms_(worms) {
    std::mt19937_64 random(1);
    for (std::uint64_t id = 0; id < messages; ++id) {
      const auto source = static_cast<NodeId>(random() % topology.nodes());
      messages_.push_back(random_packet(topology, source, flits, id, random));
    }
  }

  void start(Transport& network) override { send(network, worms_); }
  void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle) override {
    send(network, deliveries.size());
  }
  [[nodiscard]] bool finished() const override { return next_ == messages_.size(); }

 private:
  void send(Transport& network, std::size_t count) {
    for (; count > 0 && !finished(); --count) network.send(messages_[next_++]);
  }

  std::size_t worms_;
  std::vector<Packet> messages_;
  std::size_t next_ = 0;
};

void idle_worms(benchmark::State& state) {
  const Topology topology(TopologyKind::torus, {16, 16, 16});
  ConstantWorms traffic(topology, 64, 64, static_cast<std::uint64_t>(60'000 * scale()));
  simulate(state, topology, machine(2), traffic);
}
BENCHMARK(idle_worms)->Iterations(1)->Unit(benchmark::kMillisecond);

/// Every node sends to all its neighbours at once, again and again.
class NeighbourExchange final : public Driver {
 public:
  NeighbourExchange(const Topology& topology, std::uint32_t flits, unsigned rounds) : rounds_(rounds) {
    topology.for_each_link([&](NodeId node, unsigned port, NodeId neighbour) {
      Route route;
      route.set_sign(port / 2, static_cast<Sign>(port % 2));
      messages_.push_back({messages_.size(), node, neighbour, route, flits, 0});
    });
  }

  void start(Transport& network) override { send_round(network); }
  void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle) override {
    in_flight_ -= deliveries.size();
    if (in_flight_ == 0 && --rounds_ > 0) send_round(network);
  }
  [[nodiscard]] bool finished() const override { return rounds_ == 0; }

 private:
  void send_round(Transport& network) {
    in_flight_ = messages_.size();
    for (const Packet& message : messages_) network.send(message);
  }

  std::vector<Packet> messages_;  ///< of one round
  unsigned rounds_;
  std::size_t in_flight_ = 0;
};

/// Exchanges between neighbours, one after the other.
unsigned rounds() {
  return static_cast<unsigned>(std::max(1L, std::lround(10 * scale())));
}

void exchange(benchmark::State& state) {
  const Topology topology(TopologyKind::torus, {16, 16, 16});
  NeighbourExchange traffic(topology, 64, rounds());
  simulate(state, topology, machine(2), traffic);
}
BENCHMARK(exchange)->Iterations(1)->Unit(benchmark::kMillisecond);

void exchange_long(benchmark::State& state) {
  const Topology topology(TopologyKind::torus, {16, 16, 16});
  NeighbourExchange traffic(topology, 1024, rounds());
  simulate(state, topology, machine(2), traffic);
}
BENCHMARK(exchange_long)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace flitscope::bench

int main(int argc, char** argv) {
  return flitscope::bench::run_one(argc, argv,
                                   "torus_random | mesh_worms | mesh_long | idle_worms | exchange | "
                                   "exchange_long | random_16 | random_32 | random_64");
}
