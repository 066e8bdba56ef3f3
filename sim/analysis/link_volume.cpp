#include "sim/analysis/link_volume.h"

#include <algorithm>

#include "model/route.h"

namespace flitscope {

LinkVolume link_volume(Schedule& schedule) {
  return link_volume(schedule, Paths(schedule.facts().topology));
}

LinkVolume link_volume(Schedule& schedule, const Paths& ways) {
  const Topology& topology = schedule.facts().topology;
  std::vector<std::uint64_t> all(topology.channel_ids());
  std::vector<std::uint64_t> now(topology.channel_ids());
  std::vector<ChannelId> used;
  LinkVolume volume;
  for (Step step; schedule.next(step);) {
    for (const Message& message : step.messages()) {
      const std::uint64_t bytes = message_bytes(schedule.facts().collective, step, message);
      if (bytes == 0) continue;
      ways.for_each_channel(message.source, message.destination, message.route, [&](ChannelId channel) {
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

}  // namespace flitscope
