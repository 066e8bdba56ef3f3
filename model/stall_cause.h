// The causes of stalls: one table of all that results, reports, waveforms and the page say about them.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>

namespace flitscope {

/// Why a flit at the front of its buffer did not leave in a cycle.
enum class StallCause : std::uint8_t {
  vc_taken,       ///< head: every admissible virtual channel is held by another message
  no_credit,      ///< the next buffer has no room
  switch_lost,    ///< another message won the switch, or the link still moves the flit before
  ejection_busy,  ///< the ejection channel is held by another message or still moving a flit
  sink_full,      ///< the ejection buffer has no room: its node has not taken the messages in it
  nic_full,       ///< the same, since the node first needs room for a reply in its injection queue
};

struct StallCauseInfo {
  const char* name;  ///< in results and in names of columns
  const char* text;  ///< its meaning
  const char* short_text;
  const char* colour;             ///< on the page
  const char* waits_for;          ///< "for a VC of {channel}, held by {culprit}"
  const char* waits_for_nothing;  ///< the same without a culprit: a credit or a pace is on its way
  bool of_links;                  ///< channels.csv has a column of it: the flit waits for a link
  bool of_tails;                  ///< messages.csv has a column of it: it adds to the tail serialization
};

/// By StallCause. A new cause is a row here and an enumerator above; the router raises it, and
/// sim/report/channel_time.cpp follows it to its root.
inline constexpr std::array<StallCauseInfo, 6> kStallCauseTable{{
    {"vc_taken", "other messages hold all virtual channels that the head may take", "virtual channels taken",
     "#0072b2", "for a VC of {channel}, held by {culprit}", "for a VC of {channel}", true, false},
    {"no_credit", "the buffer behind the channel is full", "no room", "#e69f00",
     "for room behind {channel}, full of {culprit}",
     "for a slot behind {channel}, whose credit was on its way", true, true},
    {"switch_lost", "another flit won the port in that cycle", "lost the switch", "#009e73",
     "for {channel}, which {culprit} crossed", "for {channel}", true, true},
    {"ejection_busy", "the ejection channel of the destination is busy", "ejection busy", "#cc79a7",
     "for {channel}, held by {culprit}", "for its ejection channel, which keeps its pace", false, false},
    {"sink_full", "the ejection buffer of the destination is full", "sink full", "#56b4e9",
     "for room in the ejection buffer, full of {culprit}",
     "for a slot of the ejection buffer, whose credit was on its way", false, true},
    {"nic_full", "the ejection buffer is full, and the injection queue has no room for a reply", "NIC full",
     "#d55e00", "for the node to send a reply, behind {culprit}", "for the node to send a reply", false,
     true},
}};
inline constexpr unsigned kStallCauses = kStallCauseTable.size();
/// Flit-cycles, by StallCause.
using StallCounts = std::array<std::uint64_t, kStallCauses>;
[[nodiscard]] inline std::uint64_t total_of(const StallCounts& stalls) {
  return std::accumulate(stalls.begin(), stalls.end(), std::uint64_t{0});
}

inline void add_causes(const StallCounts& stalls, StallCounts& sums) {
  for (unsigned cause = 0; cause < kStallCauses; ++cause) sums[cause] += stalls[cause];
}

[[nodiscard]] constexpr const StallCauseInfo& info_of(StallCause cause) {
  return kStallCauseTable[static_cast<unsigned>(cause)];
}
/// Name of a cause as it stands in results: "vc_taken", "no_credit", ...
[[nodiscard]] constexpr const char* name_of(StallCause cause) {
  return info_of(cause).name;
}

}  // namespace flitscope
