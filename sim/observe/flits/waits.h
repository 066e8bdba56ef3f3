// Waits of messages: for which channel, for how long, and because of which message.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/topology.h"
#include "model/units.h"
#include "routers/engine/flit_observer.h"

namespace flitscope {

/// A stall of a message's head on end: the same cause, culprit and place.
struct Wait {
  std::uint64_t message = 0;  ///< that waits
  Cycle from = 0;
  Cycle cycles = 0;
  NodeId node = 0;    ///< where it waits
  unsigned port = 0;  ///< for which output port of that node; ejection channels follow the link ports
  StallCause cause{};
  std::optional<std::uint64_t> culprit;  ///< see FlitStall
  /// The culprit's own longest wait so far, if it overlaps this one in time: the cause of this wait.
  std::shared_ptr<const Wait> because;
};

/// Waits of all flits for one link.
struct ChannelWaits {
  std::array<std::uint64_t, kStallCauses> flit_cycles{};
  /// The longest single stall of any flit (the first of several).
  Wait longest;
};

/// Keeps, of all stalls, sums for every link and the longest wait for every message in the network. Memory
/// follows the links that were ever waited for and the messages in flight.
class Waits final : public StallObserver {
 public:
  explicit Waits(const Topology& topology)
      : topology_(topology), place_of_(topology.channel_ids(), kNowhere) {}

  void stalled(const FlitStall& stall) override;

  /// The head's longest wait, or nothing if it never waited. Forgets it: call it when the message arrives.
  [[nodiscard]] std::optional<Wait> take(std::uint64_t message);

  /// What flits waited for a link; nullptr: none ever did.
  [[nodiscard]] const ChannelWaits* of(ChannelId channel) const {
    return place_of_[channel] == kNowhere ? nullptr : &channels_[place_of_[channel]];
  }

 private:
  [[nodiscard]] std::shared_ptr<const Wait> reason(const FlitStall& stall) const;

  static constexpr std::uint32_t kNowhere = 0xFFFFFFFF;

  [[nodiscard]] ChannelWaits& at(ChannelId channel);

  const Topology& topology_;
  std::vector<std::uint32_t> place_of_;  ///< by channel, in channels_
  std::vector<ChannelWaits> channels_;
  std::pmr::unsynchronized_pool_resource memory_;  ///< entries come and go with every message that is stalled
  std::pmr::unordered_map<std::uint64_t, Wait> longest_{&memory_};
};

/// "worm 1.1 waited 119 cycles from cycle 5 at [1, 0] for a VC of channel [1, 0]+0, held by worm 1.2, which
/// ..."; with a clock "waited 119 cycles (119 ns) from".
[[nodiscard]] std::string describe(const Wait& wait, const Topology& topology,
                                   const std::optional<ClockPeriod>& clock = {});

}  // namespace flitscope
