// Selection among the candidates of a head, and the queues of links some cycles ago, for routing functions
// that read those of other routers (docs/timing.md, "Candidates").
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "model/machine.h"
#include "model/topology.h"
#include "model/types.h"
#include "routers/engine/planes.h"
#include "routers/engine/prefetch.h"
#include "routers/routing/routing.h"

namespace flitscope {

/// A candidate and its state at the beginning of stage 4.
struct Offer {
  Candidate candidate;
  bool escape = false;        ///< its class is an escape class
  bool open = false;          ///< one of its VCs is free, with the required slots
  std::uint32_t credits = 0;  ///< usable slots behind all such VCs (for most-credits only)
};

/// The selector of all routers. A copy shares the selection pointers.
class Selector {
 public:
  /// `input_vcs` is how many there are in all routers together.
  Selector(Selection rule, std::size_t input_vcs)
      : rule_(rule), next_port_(zeroed<std::uint8_t>(rule == Selection::round_robin ? input_vcs : 0)) {}

  [[nodiscard]] bool counts_credits() const { return rule_ == Selection::most_credits; }

  /// Of the offers to the head at the front of input VC `row`, in order of preference, the position of the
  /// selected one; nothing if none is open.
  [[nodiscard]] std::optional<std::size_t> select(std::size_t row, std::span<const Offer> offers) const {
    std::optional<std::size_t> best;
    for (std::size_t place = 0; place < offers.size(); ++place) {
      if (!offers[place].open) continue;
      if (!best || is_better(row, offers[place], offers[*best])) best = place;
    }
    return best;
  }

  /// The head at the front of input VC `row` was granted a VC of link port `port`.
  void note_grant(std::size_t row, unsigned port) {
    if (rule_ == Selection::round_robin) next_port_[row] = static_cast<std::uint8_t>(port + 1);
  }

 private:
  /// Compares two open offers. A tie goes to the first.
  [[nodiscard]] bool is_better(std::size_t row, const Offer& one, const Offer& other) const {
    if (one.escape != other.escape) return other.escape;
    switch (rule_) {
      case Selection::first_free:
        return false;
      case Selection::most_credits:
        return one.credits > other.credits;
      case Selection::round_robin: {
        const auto turn = [pointer = next_port_[row]](unsigned port) {
          return std::pair(port < pointer, port);
        };
        return turn(one.candidate.port) < turn(other.candidate.port);
      }
    }
    return false;
  }

  Selection rule_;
  SharedArray<std::uint8_t> next_port_;  ///< round-robin: the selection pointers, by input VC
};

/// The queues of some links as far back as they are read. Routers are in groups of 64.
class QueueHistory {
 public:
  /// `furthest`: at most so many cycles ago.
  QueueHistory(const Topology& topology, std::span<const ChannelId> links, Cycle furthest)
      : furthest_(furthest),
        link_ports_(topology.link_ports()),
        watched_((topology.routers() / 64 + std::size_t{1}) * link_ports_),
        changes_(topology.channel_ids()) {
    for (const ChannelId link : links) {
      const NodeId router = topology.channel_node(link);
      watched_[router / 64 * link_ports_ + topology.channel_port(link)] |= Plane{1} << router % 64;
    }
  }

  /// Of a group, the routers with such a link at a port.
  [[nodiscard]] Plane watched(std::size_t group, unsigned port) const {
    return watched_[group * link_ports_ + port];
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
  std::vector<Plane> watched_;                ///< by port, group by group
  std::vector<std::vector<Change>> changes_;  ///< by link, in order; before the first one a queue is empty
};

}  // namespace flitscope
