// The least that any schedule does for a collective operation on a network: what claims and published
// schedules are held against.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/schedule.h"
#include "sim/analysis/check_report.h"

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
  /// What the schedule has instead.
  std::uint64_t found = 0;
  /// A clause that says where the bound comes from.
  std::string reason;

  /// A legal schedule respects all but `pace`: links that messages share make up for it.
  [[nodiscard]] bool respected() const { return found >= least; }
  [[nodiscard]] bool in_steps() const { return kind != Kind::cut; }
};
/// "distance", "growth", "cut", "pace"
[[nodiscard]] const char* name_of(LowerBound::Kind kind);

/// The bounds of the collective of `facts` on its network, beside what `report`, made with
/// CheckOptions::volumes, found of the schedule. Bounds that say nothing (0 steps, 0 bytes), and those of
/// networks and collectives that take too long, are left out.
///
/// Cuts that are tried: around one router, around all within a number of links from one, and, on tori and
/// meshes, between slabs; as many as `max_work` allows.
[[nodiscard]] std::vector<LowerBound> lower_bounds(const ScheduleFacts& facts, const CheckReport& report,
                                                   std::uint64_t max_work = 400'000'000);

/// What is wrong with the steps that a schedule claims: fewer than its ports, or links that it travels one by
/// one, allow.
[[nodiscard]] std::vector<Violation> claims_below(std::span<const LowerBound> bounds,
                                                  const ScheduleFacts& facts, const CheckReport& report);

}  // namespace flitscope
