// How long the verdict about deadlock takes: all pairs of nodes of large networks, and messages of a
// schedule.
#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

#include "sim/analysis/deadlock_verdict.h"
#include "sim/host/processes.h"

namespace flitscope::bench {
namespace {

MachineConfig machine_of(const Topology& topology, const std::string& routing) {
  MachineConfig machine;
  machine.routing = routing;
  machine.virtual_channels = RoutingRegistry::find(routing)->make(topology)->classes();
  return machine;
}

void all_pairs(benchmark::State& state, const Topology& topology, const std::string& routing) {
  for (auto _ : state) {
    DeadlockAnalyzer judge(topology, machine_of(topology, routing));
    const DeadlockAnalysis verdict = judge.analyze(every_pair(topology, judge.paths().routing()));
    if (verdict.verdict != DeadlockVerdict::free) state.SkipWithError("the verdict is not 'free'");
    state.counters["channels"] = static_cast<double>(verdict.channels);
    state.counters["arcs"] = static_cast<double>(verdict.arcs);
  }
  state.counters["peak_resident_bytes"] = static_cast<double>(peak_memory());
}

/// Messages between random nodes by their shortest paths.
void messages(benchmark::State& state) {
  constexpr std::size_t kMessages = 1'000'000;
  const Topology topology(TopologyKind::torus, {16, 16, 16});
  std::mt19937_64 random(1);
  std::vector<Flow> list;
  while (list.size() < kMessages) {
    const auto source = static_cast<NodeId>(random() % topology.nodes());
    const auto destination = static_cast<NodeId>(random() % topology.nodes());
    if (source == destination) continue;
    list.push_back({source, destination, shortest_route(topology, source, destination), 0, 0});
  }
  DeadlockAnalyzer judge(topology, machine_of(topology, "dimension-order"));
  for (auto _ : state) {
    benchmark::DoNotOptimize(judge.analyze([&](const std::function<bool(const Flow&)>& visit) {
      for (const Flow& flow : list) {
        if (!visit(flow)) return;
      }
    }));
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kMessages));
  state.counters["peak_resident_bytes"] = static_cast<double>(peak_memory());
}

BENCHMARK_CAPTURE(all_pairs, torus_16x16x16_of_4_classes, Topology(TopologyKind::torus, {16, 16, 16}),
                  "cyclic-dimension-order")
    ->Iterations(1)
    ->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(all_pairs, mesh_64x64_odd_even, Topology(TopologyKind::mesh, {64, 64}), "odd-even")
    ->Iterations(1)
    ->Unit(benchmark::kSecond);
BENCHMARK(messages)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace flitscope::bench

BENCHMARK_MAIN();
