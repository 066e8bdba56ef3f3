// A report as one HTML file that needs nothing else, and what it shows of a run directory.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/config.h"

namespace flitscope {

/// A page that shows `data` with the program's scripts. It loads nothing, and its policy forbids it to. Texts
/// in `data` stay texts: they are in a script element of JSON, in which no text can end the element, and
/// the scripts put them into the page as text. Throws InputError if the program was built without D3.
[[nodiscard]] std::string html_page(const std::string& title, const nlohmann::ordered_json& data);

/// True if `directory` holds a run: a result.json.
[[nodiscard]] bool is_run_directory(const std::filesystem::path& directory);

/// What the page shows of a run, from the files of its directory: result.json and config.yaml whole, the CSV
/// files as columns, the latencies of messages.csv as a histogram with their terms, the drawing of the
/// network, and trace.bin packed for the replay. Throws InputError for a file that is missing or is not what
/// a run writes.
[[nodiscard]] nlohmann::ordered_json run_page_data(const std::filesystem::path& directory);

/// What the head of a page says of a machine and its traffic: "routing duato", "4 VCs", ..
[[nodiscard]] nlohmann::ordered_json machine_json(const ExperimentConfig& config);

/// A JSON object of a file. Throws InputError.
[[nodiscard]] nlohmann::ordered_json page_json(const std::filesystem::path& file);

// A flit trace, packed for the page that plays it, and the data that its messages carry.

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
[[nodiscard]] nlohmann::ordered_json replay_data(const std::filesystem::path& trace);

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

/// The same in every report: style, scripts and D3, put into the program when it is built
/// (cmake/report_page.cmake).
namespace flitscope::page_assets {

struct Script {
  std::string_view name;
  std::string_view text;
};

[[nodiscard]] std::string_view style();
/// In the order in which they are run, after D3.
[[nodiscard]] const std::vector<Script>& scripts();
/// Nothing if the program was built without.
[[nodiscard]] std::optional<std::string_view> d3();

}  // namespace flitscope::page_assets
