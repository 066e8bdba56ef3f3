// Lower bounds of steps and bytes for a collective operation on a network.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/schedule.h"
#include "model/text.h"
#include "sim/analysis/schedule_checker.h"

namespace flitscope {

struct LowerBound {
  enum class Kind : std::uint8_t {
    distance,  ///< steps, since data travels no further in a step than the longest message of the schedule
    growth,    ///< steps, since a node sends and receives no more messages in a step than it has ports
    cut,       ///< bytes on the busiest link, since data must cross the links of a cut
    pace,      ///< steps, if no link carries more than one message a step
  };
  Kind kind = Kind::distance;
  std::uint64_t least = 0;
  /// The value of the schedule.
  std::uint64_t found = 0;
  /// A clause that explains the bound.
  std::string reason;

  /// A legal schedule respects all but `pace`, which links that messages share break.
  [[nodiscard]] bool respected() const { return found >= least; }
  [[nodiscard]] bool in_steps() const { return kind != Kind::cut; }
};
template <>
inline constexpr std::array kNamesOf<LowerBound::Kind>{"distance", "growth", "cut", "pace"};

/// The bounds of the collective of `facts` on its network, beside the values of `report`, made with
/// CheckOptions::volumes. Bounds of 0, and those of networks and collectives that take too long, are left
/// out.
///
/// Cuts that are tried: around one router, around all within a number of links from one, and, on tori and
/// meshes, between slabs; as many as `max_work` allows.
[[nodiscard]] std::vector<LowerBound> lower_bounds(const ScheduleFacts& facts, const CheckReport& report,
                                                   std::uint64_t max_work = 400'000'000);

/// Finds claims of fewer steps than a bound that holds for all schedules: growth, and distance for messages
/// of one link.
void check_claims(std::span<const LowerBound> bounds, const ScheduleFacts& facts, const CheckReport& report,
                  ViolationLog& log);

}  // namespace flitscope
