// The passage of a worm over a link that an event of a flit trace belongs to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/topology.h"

namespace flitscope {

/// A worm holds a VC from its grant until its tail has left, so that of a VC only the latest passages count:
/// two, since in a cycle the next worm's grant may precede the tail.
class WormTracker {
 public:
  explicit WormTracker(std::size_t channels) : channels_(channels) {}

  /// The number of a message's passage over a VC of a channel. It is `next` if none has begun.
  std::size_t number(ChannelId channel, unsigned vc, std::uint64_t message, std::size_t next) {
    auto& vcs = channels_[channel];
    if (vc >= vcs.size()) vcs.resize(vc + 1);
    auto& [latest, before] = vcs[vc];
    if (latest && latest->message == message) return latest->number;
    if (before && before->message == message) return before->number;
    before = std::exchange(latest, Passage{message, next});
    return next;
  }

 private:
  struct Passage {
    std::uint64_t message = 0;
    std::size_t number = 0;
  };

  std::vector<std::vector<std::array<std::optional<Passage>, 2>>> channels_;  ///< by channel and VC
};

}  // namespace flitscope
