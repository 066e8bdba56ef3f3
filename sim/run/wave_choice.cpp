#include "sim/run/wave_choice.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/run/experiment.h"
#include "sim/run/isolated.h"

namespace flitscope {

namespace {

using Json = nlohmann::json;

/// The node that sends most flits, the first of equal ones.
Json busiest_node(const RunResult& result) {
  std::vector<std::uint64_t> flits(result.config.topology.nodes());
  for (const ChannelRecord& channel : result.channels) {
    flits[result.config.topology.channel_node(channel.channel)] += channel.flits;
  }
  if (result.circuits) {
    for (const CircuitPortRecord& port : result.circuits->ports) flits[port.node] += port.flits;
  }
  const auto most = std::ranges::max_element(flits);
  return *most > 0 ? Json::array({most - flits.begin()}) : Json::array();
}

/// What a first run tells: nodes of the circle, and nodes and channels by what they did.
Json first_run(const ExperimentConfig& config) {
  ExperimentConfig plain = config;
  plain.observe = {};
  const RunResult result = run_experiment(std::move(plain));
  Json nodes = Json::array();
  if (result.deadlock) {
    for (const DeadlockedWorm& worm : result.deadlock->circle) {
      nodes.push_back(worm.holds.node);
      nodes.push_back(worm.node);
      nodes.push_back(worm.wants.node);
    }
  }
  // The first of equal ones.
  const auto most = std::ranges::max_element(result.channels, {}, &ChannelRecord::flits);
  const bool used = most != result.channels.end() && most->flits > 0;
  const auto worst = worst_channels(result);
  return {{"deadlock", nodes},
          {"busiest_node", busiest_node(result)},
          {"busiest", used ? Json::array({most->channel}) : Json::array()},
          {"congested", worst.empty() ? Json::array() : Json::array({worst.front().channel})}};
}

}  // namespace

WaveScope choose_wave_scope(const ExperimentConfig& config) {
  const WavesConfig& wanted = config.observe.waves;
  WaveScope scope;
  if (wanted.format == WaveFormat::none) return scope;
  scope.nodes = wanted.nodes;
  scope.channels = wanted.channels;
  scope.from = wanted.from;
  scope.to = wanted.to;
  if (!wanted.needs_a_first_run()) return scope;
  Json found;
  try {
    found = Json::parse(run_isolated([&] { return first_run(config).dump(); }));
  } catch (const std::runtime_error&) {
    return scope;
  }
  if (wanted.node_choice == NodeChoice::deadlock) {
    scope.nodes = found.at("deadlock").get<std::vector<NodeId>>();
  } else if (wanted.node_choice == NodeChoice::busiest) {
    scope.nodes = found.at("busiest_node").get<std::vector<NodeId>>();
  }
  if (wanted.channel_choice == ChannelChoice::busiest) {
    scope.channels = found.at("busiest").get<std::vector<ChannelId>>();
  } else if (wanted.channel_choice == ChannelChoice::congested) {
    scope.channels = found.at("congested").get<std::vector<ChannelId>>();
  }
  return scope;
}

}  // namespace flitscope
