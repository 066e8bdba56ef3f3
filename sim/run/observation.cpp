#include "sim/run/observation.h"

#include <algorithm>
#include <utility>

#include "sim/driver/collective_driver.h"

namespace flitscope {

ObserverSet::ObserverSet(const ExperimentConfig& config, const RunOptions& options, const RunFunction& run)
    : directory_(options.observed_files) {
  if (directory_.empty()) return;
  wanted_ = wanted_observers(config.settings);
  const bool needs_first_run = std::ranges::any_of(
      wanted_, [&](const ObserverKind* kind) { return kind->needs_first_run(config.settings); });
  if (needs_first_run) first_run_ = profile_run(config, run);
}

ObservedRun ObserverSet::observed(const ExperimentConfig& config) const {
  return {config.settings, config.topology, config.machine, config.clock, directory_, first_run_};
}

void ObserverSet::watch(LinkRun& run) {
  for (const ObserverKind* const kind : wanted_) {
    if (!kind->on_links) continue;
    if (auto observer = kind->on_links(run)) observers_.push_back(std::move(observer));
  }
}

void ObserverSet::watch(CircuitRun& run) {
  for (const ObserverKind* const kind : wanted_) {
    if (!kind->on_circuits) continue;
    if (auto observer = kind->on_circuits(run)) observers_.push_back(std::move(observer));
  }
}

void ObserverSet::ended(Cycle last) {
  for (const auto& observer : observers_) observer->ended(last);
}

void ObserverSet::close(const RunEnd& end) {
  for (const auto& observer : observers_) observer->close(end);
}

std::vector<ChannelRecord> channel_records(const Topology& topology, const RouterPool& routers) {
  std::vector<ChannelRecord> records;
  for (NodeId node = 0; node < topology.routers(); ++node) {
    for (unsigned number = 0; number < topology.link_ports(); ++number) {
      if (!topology.has_link(node, number)) continue;
      const PortCounts port = routers.counts(node, number);
      records.push_back({topology.channel(node, number), port.flits, port.messages, port.stalled});
    }
  }
  return records;
}

LinkStatistics::LinkStatistics(LinkRun& run)
    : run_(run), ways_(run.topology, run.machine.routing), waits_(run.topology) {
  run.on_stalls(waits_);
}

void LinkStatistics::arrived(const ArrivedMessage& message) {
  const std::uint64_t id = message.delivery.id;
  const LatencyParts parts = split_latency(message, ways_, run_.machine);
  auto longest = waits_.take(id);
  latencies_.add(parts.latency);
  run_.arrived({message, parts, longest ? &*longest : nullptr});
  most_delayed_.add({id, message.message.source, message.message.destination, parts, std::move(longest)});
}

void LinkStatistics::fill(RunResult& result, LinkResult& links) const {
  result.latency = latencies_.summary();
  for (const ChannelRecord& channel : links.channels) {
    if (const ChannelWaits* const waits = waits_.of(channel.channel)) {
      links.waits.emplace(channel.channel, *waits);
    }
  }
  links.most_delayed = most_delayed_.messages();
}

}  // namespace flitscope
