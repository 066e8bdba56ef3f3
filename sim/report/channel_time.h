// What a channel does in every cycle of a run, and why it is idle, from a flit trace.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "model/topology.h"
#include "sim/formats/strict_json.h"
#include "sim/report/traced_worms.h"

namespace flitscope {

/// What a cycle of a channel is. Idle ones have the cause at the root: a flit that waits for a worm that
/// waits is idle for what that worm waits for.
enum class ChannelCycle : std::uint8_t {
  busy,
  interval,  ///< of the link: it is busy with the flit before
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
inline constexpr std::array<ChannelCycleInfo, 13> kChannelCycleTable{{
    {"busy", "a flit leaves", "#0072b2"},
    {"interval", "its link is busy with the flit before", "#7fb8d8"},
    {"unused", "nothing to send: no worm ever wants it", "#dddddd"},
    {"before", "nothing to send: before its first worm", "#d0d0d0"},
    {"between", "nothing to send: between two worms", "#bdbdbd"},
    {"after", "nothing to send: after its last worm", "#a9a9a9"},
    {"in_flight", "the flits of its worm are in flight, or not sent yet", "#56b4e9"},
    {"arbitration", "its flit lost the switch", "#f0e442"},
    {"round_trip", "the credit of a free slot is in flight", "#e69f00"},
    {"ejection", "waits, at the root, for a busy ejection channel or a full ejection buffer", "#cc79a7"},
    {"virtual_channel", "waits for a VC that no worm holds any more", "#b8a800"},
    {"behind_busy",
     "waits, at the root, for another channel that a worm moves over, or that is busy with a flit",
     "#d55e00"},
    {"deadlock", "the worms wait in a dependency cycle", "var(--ink)"},
}};
inline constexpr unsigned kChannelCycles = kChannelCycleTable.size();

struct ChannelTime {
  /// By ChannelCycle; they add up to the cycles of the run.
  std::array<Cycle, kChannelCycles> cycles{};
  /// Of `behind_busy`: for which channels.
  std::map<ChannelId, Cycle> behind;
};

/// Of the trace of a run, whole: a filter would leave out what other worms wait for.
class ChannelTimes {
 public:
  ChannelTimes(TracedWorms worms, const MachineConfig& machine);
  ChannelTimes(ChannelTimes&&) = default;

  /// The cycles of a run whose result has `cycles`: one more if flits moved or waited in its last one, as at
  /// a limit, in saturation, in a deadlock or beside a background.
  [[nodiscard]] Cycle cycles_run(Cycle cycles) const { return std::max(cycles, worms_.last + 1); }
  /// The cycles of a channel within these.
  [[nodiscard]] ChannelTime of(ChannelId channel, Cycle cycles) const;

 private:
  using Passage = TracedWorms::Passage;
  using Stall = TracedWorms::Stall;

  /// Passages or stalls by their beginnings, and those that last in a cycle.
  template <typename Item>
  class Intervals {
   public:
    void add(const Item& item) { all_.push_back(&item); }
    void sort();
    /// The first that lasts in `cycle` and fits, by its beginning; nullptr if there is none.
    template <typename Fits>
    [[nodiscard]] const Item* at(Cycle cycle, const Fits& fits) const;
    [[nodiscard]] const Item* at(Cycle cycle) const {
      return at(cycle, [](const Item&) { return true; });
    }
    /// Whether one begins before the cycle, or behind it.
    [[nodiscard]] bool begin_before(Cycle cycle) const {
      return !all_.empty() && all_.front()->begin < cycle;
    }
    [[nodiscard]] bool go_on_behind(Cycle cycle) const { return !all_.empty() && all_.back()->begin > cycle; }
    [[nodiscard]] bool empty() const { return all_.empty(); }

   private:
    std::vector<const Item*> all_;
    std::vector<Cycle> latest_end_;  ///< of all up to here
  };

  struct Channel {
    std::vector<Cycle> hops;
    std::vector<Cycle>
        free_from;  ///< cycle in which the link takes the flit behind each; empty: the next one
    Intervals<Passage> held;
    Intervals<Stall> wanted;
  };

  struct Cause {
    ChannelCycle cycle{};
    ChannelId behind = 0;
  };

  /// A flit leaves in the cycle, or the link is busy with the one before.
  [[nodiscard]] bool is_busy(ChannelId channel, Cycle cycle) const;
  [[nodiscard]] Cause idle_cause(ChannelId channel, Cycle cycle) const;
  [[nodiscard]] Cause cause_of(const Stall& stall, Cycle cycle, std::vector<const Stall*>& chain) const;
  [[nodiscard]] Cause cause_of_worm(std::uint32_t message, Cycle cycle,
                                    std::vector<const Stall*>& chain) const;

  TracedWorms worms_;
  std::vector<Channel> channels_;
  std::vector<Intervals<Stall>> stalls_;  ///< by message
};

/// The events of a trace.bin. Throws InputError for a file that is none, and if it is of another network.
[[nodiscard]] ChannelTimes read_channel_times(const std::filesystem::path& trace, const Topology& topology,
                                              const MachineConfig& machine);

/// {"channel": .., "cycles": {"busy": .., ..}, "behind": [{"channel": .., "cycles": ..}]}.
[[nodiscard]] Json why_json(const Topology& topology, ChannelId channel, const ChannelTime& time);

/// The cycles of a channel as text.
[[nodiscard]] std::string why_text(const Topology& topology, ChannelId channel, Cycle cycles,
                                   const ChannelTime& time);

}  // namespace flitscope
