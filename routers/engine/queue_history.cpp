#include "routers/engine/queue_history.h"

#include <algorithm>
#include <bit>

namespace flitscope {

QueueHistory::QueueHistory(const Topology& topology, std::span<const ChannelId> links, Cycle furthest,
                           unsigned virtual_channels, std::uint32_t buffer)
    : furthest_(furthest),
      link_ports_(topology.link_ports()),
      virtual_channels_(virtual_channels),
      count_bits_(static_cast<unsigned>(std::bit_width(buffer))),
      watched_((topology.routers() / 64 + std::size_t{1}) * link_ports_),
      seen_(watched_.size() * virtual_channels * count_bits_),
      changes_(topology.channel_ids()) {
  for (const ChannelId link : links) {
    const NodeId router = topology.channel_node(link);
    watched_[router / 64 * link_ports_ + topology.channel_port(link)] |= Plane{1} << router % 64;
  }
}

void QueueHistory::note(ChannelId link, Cycle now, std::uint64_t queue) {
  std::vector<Change>& changes = changes_[link];
  if ((changes.empty() ? 0 : changes.back().queue) == queue) return;
  // The last change that can still be read, and those after it, stay.
  const auto newer =
      std::ranges::find_if(changes, [&](const Change& change) { return change.cycle + furthest_ > now; });
  if (newer - changes.begin() > 1) changes.erase(changes.begin(), newer - 1);
  changes.push_back({now, queue});
}

std::uint64_t QueueHistory::at_end_of(Cycle cycle, ChannelId link) const {
  const std::vector<Change>& changes = changes_[link];
  const auto after =
      std::ranges::find_if(changes, [&](const Change& change) { return change.cycle > cycle; });
  return after == changes.begin() ? 0 : (after - 1)->queue;
}

}  // namespace flitscope
