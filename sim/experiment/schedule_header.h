// Line 1 of a schedule file: everything that is known of a schedule before its first step.
#pragma once

#include <nlohmann/json.hpp>

#include "model/schedule.h"
#include "sim/experiment/strict_json.h"

namespace flitscope {

/// Most steps a schedule file can have: the network numbers steps with 32 bits.
inline constexpr std::uint64_t kMostFileSteps = 0xFFFF'FFFF;

/// The header of a schedule, keys in the order in which they are written.
[[nodiscard]] nlohmann::ordered_json header_json(const ScheduleFacts& facts);

/// Throws InputError for anything that is not a header of version 1.
[[nodiscard]] ScheduleFacts read_header(const JsonValue& header);

}  // namespace flitscope
