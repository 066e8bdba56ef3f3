#include "sim/run/wave_choice.h"

namespace flitscope {

WaveScope choose_wave_scope(const ExperimentConfig& config, const RunFunction& run) {
  const WavesConfig& wanted = config.observe.waves;
  if (wanted.format == WaveFormat::none) return {};
  WaveScope scope{wanted.nodes, wanted.channels, wanted.from, wanted.to};
  if (!wanted.needs_a_first_run()) return scope;
  const FirstRun found = run_first(config, run);
  if (wanted.node_choice == NodeChoice::deadlock) {
    scope.nodes = found.circle;
  } else if (wanted.node_choice == NodeChoice::busiest) {
    scope.nodes = found.busiest_node;
  }
  if (wanted.channel_choice == ChannelChoice::busiest) {
    scope.channels = found.busiest_link;
  } else if (wanted.channel_choice == ChannelChoice::congested) {
    scope.channels = found.awaited_link;
  }
  return scope;
}

}  // namespace flitscope
