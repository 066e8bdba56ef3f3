// What the queues of links were some cycles ago, for routing functions that read those of other routers
// (docs/timing.md, "Candidates").
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "model/topology.h"
#include "model/types.h"
#include "routers/engine/planes.h"

namespace flitscope {

/// The queues of some links as far back as they are read. Routers are in groups of 64.
class QueueHistory {
 public:
  /// `furthest`: at most so many cycles ago. Ports have VCs with `buffer` slots behind each.
  QueueHistory(const Topology& topology, std::span<const ChannelId> links, Cycle furthest,
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

  /// Of a group, the routers whose queue of a port may have changed since the last call. `slots(vc, i)`:
  /// plane i of the numbers of usable slots behind a VC of this port.
  template <typename Slots>
  [[nodiscard]] Plane take_changed(std::size_t group, unsigned port, Slots slots) {
    const Plane watched = watched_[group * link_ports_ + port];
    if (watched == 0) return 0;
    Plane* seen = &seen_[(group * link_ports_ + port) * virtual_channels_ * count_bits_];
    Plane changed = 0;
    for (unsigned vc = 0; vc < virtual_channels_; ++vc) {
      for (unsigned i = 0; i < count_bits_; ++i) {
        const Plane now = slots(vc, i);
        changed |= now ^ std::exchange(*seen++, now);
      }
    }
    return changed & watched;
  }
  /// A queue at the end of cycle `now`, after all those noted before.
  void note(ChannelId link, Cycle now, std::uint64_t queue) {
    std::vector<Change>& changes = changes_[link];
    if ((changes.empty() ? 0 : changes.back().queue) == queue) return;
    // The last change that can still be read, and those after it, stay.
    const auto newer =
        std::ranges::find_if(changes, [&](const Change& change) { return change.cycle + furthest_ > now; });
    if (newer - changes.begin() > 1) changes.erase(changes.begin(), newer - 1);
    changes.push_back({now, queue});
  }
  /// A queue at the end of `cycle`.
  [[nodiscard]] std::uint64_t at_end_of(Cycle cycle, ChannelId link) const {
    const std::vector<Change>& changes = changes_[link];
    const auto after =
        std::ranges::find_if(changes, [&](const Change& change) { return change.cycle > cycle; });
    return after == changes.begin() ? 0 : (after - 1)->queue;
  }

 private:
  struct Change {
    Cycle cycle = 0;
    std::uint64_t queue = 0;  ///< from the end of this cycle on
  };
  Cycle furthest_;
  unsigned link_ports_;
  unsigned virtual_channels_;
  unsigned count_bits_;                       ///< of a number of slots
  std::vector<Plane> watched_;                ///< by port, group by group
  std::vector<Plane> seen_;                   ///< slots, by bit, VC and port, group by group
  std::vector<std::vector<Change>> changes_;  ///< by link, in order; before the first one a queue is empty
};

}  // namespace flitscope
