// What both kinds of schedule files consist of: line 1, which has everything that is known of a schedule
// before its first step, and nodes and paths of messages. Nodes are coordinates, paths legs [dimension, sign,
// hops].
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "model/circuit_schedule.h"
#include "model/route.h"
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
[[nodiscard]] nlohmann::ordered_json header_json(const ScheduleFacts& facts);

[[nodiscard]] nlohmann::ordered_json header_json(const CircuitFacts& facts);

/// Both throw InputError for anything that is not a header of a version they know, or that is one for the
/// other kind of networks: with links (versions 1 and 2), and complete ones (version 1).
/// `known` is the network that is expected, if any: see ScheduleFile.
[[nodiscard]] ScheduleFacts read_header(const JsonValue& header, const std::optional<Topology>& known = {});
[[nodiscard]] CircuitFacts read_event_header(const JsonValue& header);

/// Appends the chunks of a list, of `known` that there are. Throws InputError.
void read_chunks(const JsonValue& list, std::size_t known, std::vector<ChunkId>& chunks);

/// The first dimension of every path the routing function allows, if it allows only 0; nothing if messages
/// may start in any dimension, or there is no routing function of that name.
[[nodiscard]] std::optional<unsigned> fixed_first_dimension(const Topology& topology,
                                                            const std::string& routing);

/// The legs of a message's path. Requires that its nodes and the path exist.
[[nodiscard]] nlohmann::ordered_json path_json(const Topology& topology, const Message& message);

/// The route that follows these legs. Dimensions are travelled cyclically from `first_dimension` or, if that
/// is absent, from the first leg's on; dimensions without a leg get the direction of the first leg.
/// Throws InputError if a leg does not exist, the order is another, the path leaves the network, or it does
/// not lead from `source` to `destination`.
[[nodiscard]] Route read_path(const JsonValue& path, const Topology& topology, NodeId source,
                              NodeId destination, std::optional<unsigned> first_dimension);

}  // namespace flitscope
