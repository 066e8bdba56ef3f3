#include "sim/run/circuit_observation.h"

#include <string>

namespace flitscope {

CircuitObservation::CircuitObservation(const ExperimentConfig& config, const WaveScope& waves,
                                       const std::filesystem::path& directory, CircuitNetwork& network) {
  network.observe(*this);
  if (directory.empty()) return;
  const Cycle startup = config.machine.startup;
  if (config.observe.messages) network.observe(log_.emplace(directory / "messages.csv", startup));
  if (config.observe.timeline) {
    network.observe(
        timeline_.emplace(directory / "trace.json", config.observe.filter, config.topology, startup));
  }
  if (waves.empty()) return;
  const auto name = std::string("waves.") + name_of(config.observe.waves.format);
  waves_.emplace(directory / name, waves, *config.machine.ports, startup, config.clock);
  for (const NodeId node : waves.nodes) waves_->connected(node, network.node(node).ports());
  network.observe(*waves_);
}

void CircuitObservation::close(Cycle last) {
  if (log_) log_->close();
  if (timeline_) timeline_->close();
  if (waves_) waves_->close(last);
}

}  // namespace flitscope
