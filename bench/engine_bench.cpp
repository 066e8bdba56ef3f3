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
#include <iostream>

#include "bench/traffic.h"
#include "sim/network/network.h"

namespace flitscope::bench {
namespace {

/// Share of the full length to run: under a tool that counts instructions a tenth is long enough.
double scale() {
  const char* const wanted = std::getenv("FLITSCOPE_BENCH_SCALE");
  return wanted == nullptr ? 1.0 : std::strtod(wanted, nullptr);
}

MachineConfig machine(unsigned virtual_channels) {
  MachineConfig config;
  config.virtual_channels = virtual_channels;
  return config;
}

void report(benchmark::State& state, const Network& network) {
  const auto hops = static_cast<double>(network.clock().flit_hops());
  state.counters["flit_hops"] = hops;
  state.counters["flit_hops_per_second"] = benchmark::Counter(hops, benchmark::Counter::kIsRate);
  state.counters["cycles"] = static_cast<double>(network.clock().last_cycle());
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
  for (auto _ : state) network.run(driver);
  report(state, network);
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

void idle_worms(benchmark::State& state) {
  const Topology topology(TopologyKind::torus, {16, 16, 16});
  ConstantWorms traffic(topology, 64, 64, static_cast<std::uint64_t>(60'000 * scale()));
  simulate(state, topology, machine(2), traffic);
}
BENCHMARK(idle_worms)->Iterations(1)->Unit(benchmark::kMillisecond);

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
  benchmark::Initialize(&argc, argv);
  if (benchmark::GetBenchmarkFilter().empty()) {
    std::cerr << "name one benchmark, since a process can simulate only once:\n"
                 "  --benchmark_filter=torus_random | mesh_worms | mesh_long | idle_worms | exchange | "
                 "exchange_long | "
                 "random_16 "
                 "| random_32 | random_64\n";
    return 2;
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
