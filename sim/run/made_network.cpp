#include "sim/run/made_network.h"

#include "sim/run/engine_settings.h"

namespace flitscope {

Network& make_network(const ExperimentConfig& config, std::uint64_t picoseconds) {
  const auto& [modules, fast_forward] = config.settings.get<EngineSettings>();
  const auto period = sc_core::sc_time(static_cast<double>(picoseconds), sc_core::SC_PS);
  Network& network = *new Network("network", config.topology, config.machine, period, modules);
  network.clock().set_fast_forward(fast_forward);
  return network;
}

}  // namespace flitscope
