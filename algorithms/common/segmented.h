// Broadcasts, scatters and gathers whose message goes in segments that follow one another.
#pragma once

#include <string>

#include "algorithms/algorithm.h"

namespace flitscope {

/// An algorithm from one node to all, or from all to one, with one more parameter, `segment`: the message is
/// cut into segments of that length, and each goes as the whole message would, a step after the one before.
/// Steps of different segments then share links and ports; `ports` of the schedule says how many. Without
/// `segment` nothing changes.
///
/// `rooted` has a parameter `message`, of which its steps do not depend but for the sizes of chunks.
[[nodiscard]] Algorithm segmented(Algorithm rooted);

/// The parameter `segment`, in bytes.
[[nodiscard]] Parameter segment_parameter(std::string summary, std::string fallback);

}  // namespace flitscope
