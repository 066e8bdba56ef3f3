// Which data the messages of a replay carry.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sim/config/config.h"

namespace flitscope {

/// For `messages` of replay_data():
///
///   "count"    chunks
///   "start"    [[node, chunks], ..]: what nodes have at the start
///   "parts"    the same for operands of combined chunks; null: every node has one of every chunk
///   "carried"  by message, its chunks
///
/// Chunks are lists of ranges, [first, last, first, last, ..]. Null without a schedule, and if all lists
/// together are long.
[[nodiscard]] nlohmann::ordered_json replay_chunks(const ExperimentConfig& config,
                                                   const nlohmann::ordered_json& messages);

}  // namespace flitscope
