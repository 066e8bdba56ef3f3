// What both kinds of schedule files begin with: line 1, which has everything that is known of a schedule
// before its first step.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "model/circuit_schedule.h"
#include "model/schedule.h"
#include "model/topology.h"
#include "sim/formats/strict_json.h"

namespace flitscope {

/// Most steps a schedule file can have: the network numbers steps with 32 bits.
inline constexpr std::uint64_t kMaxFileSteps = 0xFFFF'FFFF;
/// Steps without a message take a record each all the same, so a file cannot have any number of them.
inline constexpr std::uint64_t kMaxEmptySteps = 1'000'000;
/// The latest time at which an event of a schedule file can start, and the longest tuning, in units.
inline constexpr std::uint64_t kLastStart = 1'000'000'000'000'000;

/// The header of a schedule, keys in the order in which they are written.
[[nodiscard]] Json header_json(const ScheduleFacts& facts);

[[nodiscard]] Json header_json(const CircuitFacts& facts);

/// Both throw InputError for anything that is not a header of a version they know, or that is one for the
/// other kind of networks: with links (versions 1 and 2), and complete ones (version 1).
/// `known` is the network that is expected, if any: see ScheduleFile.
[[nodiscard]] ScheduleFacts read_header(const JsonValue& header, const std::optional<Topology>& known = {});
[[nodiscard]] CircuitFacts read_event_header(const JsonValue& header);

/// Appends the chunks of a list, of `known` that there are. Throws InputError.
void read_chunks(const JsonValue& list, std::size_t known, std::vector<ChunkId>& chunks);

}  // namespace flitscope
