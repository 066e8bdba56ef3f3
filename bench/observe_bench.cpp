// What watching costs: an 8x8 torus under load, and the same with four routers observed.
//
// SystemC runs one simulation a process, so name one benchmark:
//   for b in nothing stalls trace_csv trace_binary timeline waves_vcd waves_fst; do observe_bench
//   --benchmark_filter=$b; done
#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/simulation.h"
#include "sim/config/config_source.h"
#include "sim/driver/collective_driver.h"
#include "sim/observe/flits/latency.h"
#include "sim/observe/observer.h"

namespace flitscope::bench {
namespace {

/// Calls observers after every cycle.
class EveryCycle final : public ClockWatcher {
 public:
  explicit EveryCycle(const ObservedRun& run) : run_(run) {}
  std::optional<Cycle> after_cycle(Cycle now) override {
    run_.after_cycle(now);
    return now + 1;
  }

 private:
  const ObservedRun& run_;
};

/// Passes everything on, and tells of arrivals as a run does.
class Telling final : public Driver {
 public:
  explicit Telling(Driver& driver) : driver_(driver) {}
  std::function<void(const Delivery&)> arrived = [](const Delivery&) {};

  void start(Transport& network) override { driver_.start(network); }
  void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) override {
    for (const Delivery& delivery : deliveries) arrived(delivery);
    driver_.delivered(network, deliveries, now);
  }
  [[nodiscard]] Cycle next_event() const override { return driver_.next_event(); }
  void at(Transport& network, Cycle now) override { driver_.at(network, now); }
  [[nodiscard]] bool finished() const override { return driver_.finished(); }

 private:
  Driver& driver_;
};

/// Uniform random messages of 4 flits, 0.3 flits per node and cycle: half of what the torus can carry, so
/// that flits stall.
class Loaded {
 public:
  explicit Loaded(benchmark::State& state) : state_(state) {
    traffic_.emplace(topology, 0.3, 4, static_cast<Cycle>(50'000 * scale()));
    network.emplace("network", topology, MachineConfig());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  void run() {
    Telling driver(*traffic_);
    if (arrived) driver.arrived = arrived;
    measure(state_, *network, driver);
  }

  Topology topology{TopologyKind::torus, {8, 8}};
  std::optional<Network> network;
  std::function<void(const Delivery&)> arrived;

 private:
  benchmark::State& state_;
  std::optional<UniformTraffic> traffic_;
};

void nothing(benchmark::State& state) {
  Loaded loaded(state);
  loaded.run();
}
BENCHMARK(nothing)->Iterations(1)->Unit(benchmark::kMillisecond);

/// What every `flitscope run` has.
void stalls(benchmark::State& state) {
  Loaded loaded(state);
  Waits waits(loaded.topology);
  loaded.network->clock().observe({.stalls = &waits});
  loaded.arrived = [&](const Delivery& delivery) { static_cast<void>(waits.take(delivery.id)); };
  loaded.run();
}
BENCHMARK(stalls)->Iterations(1)->Unit(benchmark::kMillisecond);

/// An observer with a key of the section `observe`, of the four routers in the middle.
void observe(benchmark::State& state, const std::string& keys) {
  const std::string nodes = "[[3, 3], [4, 3], [3, 4], [4, 4]]";
  const ExperimentConfig config = parse_config(
      "flitscope: 1\ntopology: {kind: torus, shape: [8, 8]}\nworkload: {algorithm: binomial-torus}\n"
      "observe: {filter: {nodes: " +
          nodes + "}, " + fmt::format(fmt::runtime(keys), nodes) + "}\n",
      "observe_bench", ".");
  Loaded loaded(state);
  ObservedRun run(
      {config.settings, loaded.topology, config.machine, {}, std::filesystem::temp_directory_path(), {}},
      *loaded.network);
  Waits waits(loaded.topology);
  run.on_stalls(waits);
  std::vector<std::unique_ptr<Observer>> observers;
  for (const ObserverKind* const kind : wanted_observers(config.settings))
    observers.push_back(kind->make(run));
  run.start();
  const LatencyParts parts;
  loaded.arrived = [&](const Delivery& delivery) {
    static_cast<void>(waits.take(delivery.id));
    run.arrived({{Message(), {}, delivery}, parts, nullptr});
  };
  EveryCycle watcher(run);
  if (run.looks_at_cycles()) loaded.network->clock().watch(watcher, 0);
  loaded.run();
}
void trace_csv(benchmark::State& state) {
  observe(state, "trace: csv");
}
BENCHMARK(trace_csv)->Iterations(1)->Unit(benchmark::kMillisecond);
void trace_binary(benchmark::State& state) {
  observe(state, "trace: binary");
}
BENCHMARK(trace_binary)->Iterations(1)->Unit(benchmark::kMillisecond);
void timeline(benchmark::State& state) {
  observe(state, "timeline: true");
}
BENCHMARK(timeline)->Iterations(1)->Unit(benchmark::kMillisecond);
void waves_vcd(benchmark::State& state) {
  observe(state, "waves: {{format: vcd, channels: none, nodes: {}}}");
}
BENCHMARK(waves_vcd)->Iterations(1)->Unit(benchmark::kMillisecond);
void waves_fst(benchmark::State& state) {
  observe(state, "waves: {{format: fst, channels: none, nodes: {}}}");
}
BENCHMARK(waves_fst)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace flitscope::bench

int main(int argc, char** argv) {
  return flitscope::bench::run_one(
      argc, argv, "nothing | stalls | trace_csv | trace_binary | timeline | waves_vcd | waves_fst");
}
