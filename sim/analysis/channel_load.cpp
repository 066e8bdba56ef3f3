#include "sim/analysis/channel_load.h"

#include <fmt/format.h>
#include <algorithm>
#include <utility>
#include <vector>

#include "model/error.h"
#include "model/graph.h"
#include "model/route.h"
#include "routers/routing/paths.h"

namespace flitscope {

namespace {

/// The number of counters a topology needs, once it is known that they fit.
std::size_t counters_for(const Topology& topology, std::uint64_t limit_bytes) {
  constexpr std::uint64_t bytes_per_counter = 8;
  if (topology.channel_ids() > limit_bytes / bytes_per_counter) {
    throw Inadmissible("topology.shape",
                       "the {} has {} links, too many to count the load of each; at most {} are "
                       "possible with the memory allowed",
                       topology.name(), topology.channel_ids(), limit_bytes / bytes_per_counter);
  }
  return topology.channel_ids();
}

}  // namespace

ChannelLoad::ChannelLoad(Paths paths, std::uint64_t limit_bytes)
    : paths_(std::move(paths)), counts_(counters_for(paths_.topology(), limit_bytes)) {}

StepLoad ChannelLoad::count(std::span<const Message> messages) {
  start_step();
  for (const Message& message : messages) add(message);
  return load_;
}

void ChannelLoad::start_step() {
  counts_.clear();
  load_ = {};
}

void ChannelLoad::add(const Message& message, unsigned first_port) {
  paths_.for_each_channel(message.source, message.destination, message.route, [&](ChannelId channel) {
    channel += first_port;
    const std::uint32_t load = counts_.increment(channel);
    ++load_.hops;
    if (load == 1) ++load_.used_links;
    if (load == 2) ++load_.shared_links;
    if (load > load_.max_load || (load == load_.max_load && channel < load_.busiest.value())) {
      load_.max_load = load;
      load_.busiest = channel;
    }
  });
}

LinkVolume link_volume(Schedule& schedule) {
  return link_volume(schedule, Paths(schedule.facts().topology));
}

LinkVolume link_volume(Schedule& schedule, const Paths& paths) {
  const Topology& topology = schedule.facts().topology;
  std::vector<std::uint64_t> all(topology.channel_ids());
  std::vector<std::uint64_t> now(topology.channel_ids());
  std::vector<ChannelId> used;
  LinkVolume volume;
  for (Step step; schedule.next(step);) {
    for (const Message& message : step.messages()) {
      const std::uint64_t bytes = message_bytes(schedule.facts().collective, step, message);
      if (bytes == 0) continue;
      paths.for_each_channel(message.source, message.destination, message.route, [&](ChannelId channel) {
        if (now[channel] == 0) used.push_back(channel);
        now[channel] += bytes;
        volume.total += bytes;
      });
    }
    std::uint64_t busiest = 0;
    for (const ChannelId channel : used) {
      busiest = std::max(busiest, now[channel]);
      all[channel] += now[channel];
      now[channel] = 0;
    }
    used.clear();
    volume.busiest_of_steps += busiest;
  }
  volume.busiest_link = std::ranges::max(all);
  return volume;
}

double least_all_reduce_volume(const Topology& torus, std::uint64_t bytes) {
  const double p = torus.nodes();
  return static_cast<double>(bytes) / torus.dimensions() * (p - 1) / p;
}

namespace {

/// Nodes that `present` lacks are left out.
PathsOfPairs paths_of_pairs(const Paths& paths, const Topology& present) {
  const Topology& topology = paths.topology();
  std::vector<std::uint64_t> pairs(topology.channel_ids());
  std::uint64_t links = 0;
  std::uint64_t count = 0;
  for (NodeId to = 0; to < topology.nodes(); ++to) {
    for (NodeId from = 0; from < topology.nodes(); ++from) {
      if (from == to || present.is_missing(from) || present.is_missing(to)) continue;
      ++count;
      paths.for_each_channel(from, to, {}, [&](ChannelId channel) {
        ++links;
        ++pairs[channel];
      });
    }
  }
  return {static_cast<double>(links) / static_cast<double>(count), *std::ranges::max_element(pairs)};
}

}  // namespace

FaultCost fault_cost(const Topology& topology, const std::string& routing) {
  return {paths_of_pairs(Paths(topology, routing), topology),
          paths_of_pairs(Paths(topology.whole(), routing), topology)};
}

}  // namespace flitscope
