// How long it takes to build a large network, and how much memory it takes.
//
// SystemC runs one simulation a process, so this program has one benchmark: the 64x64x64 torus, 262,144
// routers.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <memory>

#include "sim/network/network.h"

namespace flitscope::bench {
namespace {

double peak_resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

void elaborate(benchmark::State& state) {
  const Topology topology(TopologyKind::torus, {64, 64, 64});
  MachineConfig machine;
  machine.virtual_channels = 4;
  machine.buffer = 8;
  std::unique_ptr<Network> network;
  for (auto _ : state) {
    network = std::make_unique<Network>("network", topology, machine);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  state.counters["routers"] = topology.nodes();
  state.counters["peak_resident_bytes"] = peak_resident_bytes();
  state.counters["bytes_per_router"] = peak_resident_bytes() / topology.nodes();
}
BENCHMARK(elaborate)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace flitscope::bench

BENCHMARK_MAIN();
