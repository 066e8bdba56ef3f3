#include "sim/run/observation.h"

#include <algorithm>
#include <utility>

namespace flitscope {

Observation::Observation(const ExperimentConfig& config, const WaveScope& waves,
                         const std::filesystem::path& directory, Network& network)
    : network_(network), waits_(network.topology()) {
  observers_.add_stalls(waits_);
  if (!directory.empty()) {
    open_files(config.observe, directory);
    if (!waves.empty()) {
      const auto name = std::string("waves.") + name_of(config.observe.waves.format);
      waves_.emplace(directory / name, waves, network.clock(), config.clock);
      observers_.add_flits(*waves_);
    }
  }
  network.clock().routers().observe_stalls(&observers_);
  if (observers_.watch_flits()) watch_flits(config.observe, waves);
}

void Observation::open_files(const ObserveConfig& observe, const std::filesystem::path& directory) {
  const Topology& topology = network_.topology();
  const auto watch = [&](auto& observer) {
    observers_.add_flits(observer);
    observers_.add_stalls(observer);
  };
  if (observe.messages) {
    log_.emplace(directory / "messages.csv", topology);
    watch(tail_lag_.emplace(network_.machine(), topology.link_ports()));
  }
  if (observe.trace == TraceFormat::csv)
    watch(csv_.emplace(directory / "trace.csv", observe.filter, topology));
  if (observe.trace == TraceFormat::binary) {
    watch(binary_.emplace(directory / "trace.bin", observe.filter, topology));
  }
  if (observe.timeline) watch(timeline_.emplace(directory / "trace.json", observe.filter, topology));
}

/// Only the nodes that somebody wants to see; all, if somebody wants to see all.
void Observation::watch_flits(const ObserveConfig& observe, const WaveScope& scope) {
  const Topology& topology = network_.topology();
  RouterPool& routers = network_.clock().routers();
  std::vector<NodeId> nodes;
  if (waves_) nodes = scope.watched_nodes(topology);
  if (csv_ || binary_ || timeline_) {
    const auto filtered = timeline_ ? observe.filter.nodes : observe.filter.watched_nodes(topology);
    if (filtered.empty()) return routers.observe(&observers_);
    nodes.insert(nodes.end(), filtered.begin(), filtered.end());
  }
  if (tail_lag_) nodes.clear();
  routers.observe(&observers_, nodes);
}

void Observation::arrived(const ArrivedMessage& message) {
  const std::uint64_t id = message.delivery.id;
  const LatencyParts parts = split_latency(message, network_.topology(), network_.machine());
  auto longest = waits_.take(id);
  latencies_.add(parts.latency);
  if (log_) log_->write(message, parts, tail_lag_->take(id), longest ? &*longest : nullptr);
  if (timeline_) timeline_->arrived(message.delivery);
  most_delayed_.add({id, message.message.source, message.message.destination, parts, std::move(longest)});
}

void Observation::conclude(RunResult& result, LinkResult& links, Cycle last) {
  if (log_) log_->close();
  if (csv_) csv_->close();
  if (binary_) binary_->close();
  if (timeline_) timeline_->close(last);
  if (waves_) waves_->close(last, links.deadlock);
  result.latency = latencies_.summary();
  for (const ChannelRecord& channel : links.channels) {
    if (const ChannelWaits* waits = waits_.of(channel.channel)) links.waits.emplace(channel.channel, *waits);
  }
  links.most_delayed = most_delayed_.messages();
}

}  // namespace flitscope
