// A flit trace, packed for the page that plays it, and the data that its messages carry.
#pragma once

#include <filesystem>

#include "sim/config/config.h"
#include "sim/formats/strict_json.h"

namespace flitscope {

/// From a trace.bin:
///
///   "events"    of the trace
///   "cycles"    the last one in which anything happens
///   "messages"  columns: step, place, source, destination, flits seen, cycle in which the tail left the
///               last router (null: it did not)
///   "density"   {"width", "stalled", "hops"}: flit-cycles and flit-hops in bins of `width` cycles
///   "passages", "stalls"   {"index": [[first cycle, last cycle, offset], ..], "bytes": base64}
///
/// A passage is a message on one link: the link, its VC, and the cycles in which its flits leave.
/// Passages and stalls are in the order of their first cycles, kBlock of them a block, and a block can be
/// decoded by itself. All numbers are LEB128 (zigzag: as in flit_trace.h). A passage:
///
///   first cycle, less that of the one before; message, less that of the one before (zigzag); link, by its
///   place in the drawing; VC; cycles from the grant to the first flit; cycles that the link stays held
///   behind the last flit, since the tail has not come; number of runs; for each run: flits in cycles without
///   a gap, less 1; for each but the last: idle cycles behind it, less 1
///
/// A stall:
///
///   first cycle, less that of the one before; cycles, less 1; message, as above; flit; link wanted and 1,
///   or 0: ejection; cause; culprit and 1, or 0: none
///
/// Throws InputError for a file that is no trace of this network.
[[nodiscard]] Json replay_data(const std::filesystem::path& trace);

/// For `messages` of replay_data():
///
///   "count"    chunks
///   "start"    [[node, chunks], ..]: what nodes have at the start
///   "parts"    the same for operands of combined chunks; null: every node has one of every chunk
///   "carried"  by message, its chunks
///
/// Chunks are lists of ranges, [first, last, first, last, ..]. Null without a schedule, and if all lists
/// together are long.
[[nodiscard]] Json replay_chunks(const ExperimentConfig& config, const Json& messages);

}  // namespace flitscope
