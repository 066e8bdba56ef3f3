// What a channel does in every cycle of a run, and why it is idle, from a flit trace.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/topology.h"
#include "sim/observe/flits/flit_event.h"

namespace flitscope {

// The passage of a worm over a link that an event of a flit trace belongs to.

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

/// What a cycle of a channel is. Idle ones have the cause at the root: a flit that waits for a worm that
/// waits is idle for what that worm waits for.
enum class ChannelCycle : std::uint8_t {
  busy,
  unused,
  before,
  between,  ///< two worms, as behind a barrier
  after,
  in_flight,
  arbitration,
  round_trip,
  ejection,
  virtual_channel,
  behind_busy,
  deadlock,
};

struct ChannelCycleInfo {
  const char* name;
  const char* text;
  const char* colour;  ///< on the page
};

/// By ChannelCycle.
inline constexpr std::array<ChannelCycleInfo, 12> kChannelCycleTable{{
    {"busy", "a flit leaves", "#0072b2"},
    {"unused", "nothing to send: no worm ever wants it", "#dddddd"},
    {"before", "nothing to send: before its first worm", "#d0d0d0"},
    {"between", "nothing to send: between two worms", "#bdbdbd"},
    {"after", "nothing to send: after its last worm", "#a9a9a9"},
    {"in_flight", "the flits of its worm are in flight, or not sent yet", "#56b4e9"},
    {"arbitration", "its flit lost the switch, or its link is busy with the flit before", "#f0e442"},
    {"round_trip", "the credit of a free slot is in flight", "#e69f00"},
    {"ejection", "waits, at the root, for a busy ejection channel or a full ejection buffer", "#cc79a7"},
    {"virtual_channel", "waits for a VC that no worm holds any more", "#b8a800"},
    {"behind_busy", "waits, at the root, for a worm that moves over another channel", "#d55e00"},
    {"deadlock", "the worms wait in a dependency cycle", "var(--ink)"},
}};
inline constexpr unsigned kChannelCycles = kChannelCycleTable.size();

struct ChannelTime {
  /// By ChannelCycle; they add up to the cycles of the run.
  std::array<Cycle, kChannelCycles> cycles{};
  /// Of `behind_busy`: for which channels.
  std::map<ChannelId, Cycle> behind;
};

/// Takes all events of a run, whole: a filter would leave out what other worms wait for.
class ChannelTimes {
 public:
  explicit ChannelTimes(const Topology& topology);

  void take(const FlitEvent& event);
  /// After the last event.
  void finish();

  /// The cycles of a run whose result has `cycles`: one more if flits moved or waited in its last one, as at
  /// a limit, in saturation, in a deadlock or beside a background.
  [[nodiscard]] Cycle cycles_run(Cycle cycles) const { return std::max(cycles, last_ + 1); }
  /// The cycles of a channel within these.
  [[nodiscard]] ChannelTime of(ChannelId channel, Cycle cycles) const;

 private:
  /// Something that lasts.
  struct Interval {
    Cycle from = 0;
    Cycle to = 0;  ///< the last cycle
    std::uint64_t message = 0;
    std::uint32_t flit = 0;
    NodeId node = 0;
    /// That a stalled flit waits for; nothing: an ejection channel.
    std::optional<ChannelId> channel = {};
    StallCause cause = {};
    std::optional<std::uint64_t> culprit = {};
  };

  /// Intervals by their beginnings, and those that last in a cycle.
  class Intervals {
   public:
    void add(const Interval& interval) { all_.push_back(interval); }
    void sort();
    /// The first that lasts in `cycle` and fits, by its beginning; nullptr if there is none.
    template <typename Fits>
    [[nodiscard]] const Interval* at(Cycle cycle, const Fits& fits) const;
    [[nodiscard]] const std::vector<Interval>& all() const { return all_; }

   private:
    std::vector<Interval> all_;
    std::vector<Cycle> latest_end_;  ///< of all up to here
  };

  struct Channel {
    std::vector<Cycle> hops;
    Intervals held;
    Intervals wanted;  ///< stalls
  };

  struct Cause {
    ChannelCycle cycle{};
    ChannelId behind = 0;
  };

  [[nodiscard]] bool moves(ChannelId channel, Cycle cycle) const;
  [[nodiscard]] Cause idle_cause(ChannelId channel, Cycle cycle) const;
  [[nodiscard]] Cause cause_of(const Interval& stall, Cycle cycle, std::vector<const Interval*>& chain) const;
  [[nodiscard]] Cause cause_of_worm(std::uint64_t message, Cycle cycle,
                                    std::vector<const Interval*>& chain) const;

  Topology topology_;
  std::vector<Channel> channels_;
  std::unordered_map<std::uint64_t, Intervals> stalls_;  ///< by message
  std::unordered_map<std::uint64_t, std::uint32_t> lengths_;
  WormTracker passing_;
  std::vector<Interval> passages_;
  Cycle last_ = 0;
};

/// The events of a trace.bin. Throws InputError for a file that is none, and if it is of another network.
[[nodiscard]] ChannelTimes read_channel_times(const std::filesystem::path& trace, const Topology& topology);

/// {"channel": .., "cycles": {"busy": .., ..}, "behind": [{"channel": .., "cycles": ..}]}.
[[nodiscard]] nlohmann::ordered_json why_json(const Topology& topology, ChannelId channel,
                                              const ChannelTime& time);

/// The cycles of a channel as text.
[[nodiscard]] std::string why_text(const Topology& topology, ChannelId channel, Cycle cycles,
                                   const ChannelTime& time);

}  // namespace flitscope
