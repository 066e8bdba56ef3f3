// How long it takes to build a large network, and how much memory it takes.
//
// SystemC runs one simulation a process, so name one benchmark: torus_64, 262,144 routers, torus_128
// (128x128x64), a million, or torus_64_all, with SystemC modules for every router.
#include <memory>

#include "bench/simulation.h"
#include "sim/host/processes.h"

namespace flitscope::bench {
namespace {

void elaborate(benchmark::State& state, const Topology& topology, Modules modules) {
  MachineConfig machine;
  machine.virtual_channels = 4;
  machine.buffer = 8;
  std::unique_ptr<Network> network;
  for (auto _ : state) {
    network =
        std::make_unique<Network>("network", topology, machine, sc_core::sc_time(1, sc_core::SC_NS), modules);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    static_cast<void>(network->clock().core());  // makes the routers
  }
  state.counters["routers"] = topology.nodes();
  const auto peak = static_cast<double>(peak_memory());
  state.counters["peak_resident_bytes"] = peak;
  state.counters["bytes_per_router"] = peak / topology.nodes();
}

void torus_64(benchmark::State& state) {
  elaborate(state, Topology(TopologyKind::torus, {64, 64, 64}), Modules::automatic);
}
BENCHMARK(torus_64)->Iterations(1)->Unit(benchmark::kSecond);
void torus_128(benchmark::State& state) {
  elaborate(state, Topology(TopologyKind::torus, {128, 128, 64}), Modules::automatic);
}
BENCHMARK(torus_128)->Iterations(1)->Unit(benchmark::kSecond);
void torus_64_all(benchmark::State& state) {
  elaborate(state, Topology(TopologyKind::torus, {64, 64, 64}), Modules::all);
}
BENCHMARK(torus_64_all)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace flitscope::bench

int main(int argc, char** argv) {
  return flitscope::bench::run_one(argc, argv, "torus_64/ | torus_128 | torus_64_all");
}
