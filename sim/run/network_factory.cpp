#include "sim/run/network_factory.h"

#include "sim/run/engine_settings.h"

namespace flitscope {

namespace {

/// Below this a thread that waits for another one loses more than it gains.
constexpr NodeId kWorthThreads = 4096;

/// Schedules repeat themselves, which is faster to count (class FastForward), and mostly wait.
unsigned useful_threads(const ExperimentConfig& config, unsigned free_threads) {
  return config.workload.has_traffic() && config.topology.routers() >= kWorthThreads ? free_threads : 1;
}

}  // namespace

Network& make_network(const ExperimentConfig& config, std::uint64_t picoseconds, unsigned free_threads) {
  const auto& [modules, fast_forward, threads] = config.settings.get<EngineSettings>();
  const auto period = sc_core::sc_time(static_cast<double>(picoseconds), sc_core::SC_PS);
  Network& network = *new Network("network", config.topology, config.machine, period, modules);
  network.clock().set_fast_forward(fast_forward);
  network.clock().set_threads(threads.value_or(useful_threads(config, free_threads)));
  return network;
}

}  // namespace flitscope
