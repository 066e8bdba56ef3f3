// The worms of a flit trace: the links that they hold, cycle by cycle, and what their flits wait for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "model/topology.h"
#include "sim/observe/flits/flit_event.h"

namespace flitscope {

/// The passage of a worm over a link that an event of a flit trace belongs to. A worm holds a VC from its
/// grant until its tail has left, so that of a VC only the latest passages count: two, since in a cycle the
/// next worm's grant may precede the tail.
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

/// A message is called by its place in `messages`.
struct TracedWorms {
  struct Message {
    std::uint64_t id = 0;
    std::optional<NodeId> source;
    std::optional<NodeId> destination;
    std::uint32_t flits = 0;  ///< that are seen
    std::uint32_t ejected = 0;
    Cycle last_ejection = 0;
  };
  /// Flits in cycles without a gap.
  struct Run {
    Cycle begin = 0;
    Cycle flits = 0;
  };
  struct Passage {
    Cycle begin = 0;  ///< the grant
    Cycle end = 0;    ///< the last cycle in which the worm holds the link: its tail leaves, or has not come
    std::uint32_t message = 0;
    ChannelId channel = 0;
    unsigned vc = 0;
    std::vector<Run> runs;
  };
  struct Stall {
    Cycle begin = 0;
    Cycle end = 0;  ///< the last cycle
    std::uint32_t message = 0;
    std::uint32_t flit = 0;
    NodeId node = 0;
    std::optional<ChannelId> channel;  ///< that the flit waits for; nothing: an ejection channel
    StallCause cause{};
    std::optional<std::uint32_t> culprit;
  };

  Topology topology;
  std::vector<Message> messages = {};
  std::vector<Passage> passages = {};
  std::vector<Stall> stalls = {};
  std::uint64_t events = 0;
  Cycle last = 0;  ///< in which anything happens
};

/// Of a trace.bin. Throws InputError for a file that is none.
[[nodiscard]] TracedWorms read_worms(const std::filesystem::path& trace);

}  // namespace flitscope
