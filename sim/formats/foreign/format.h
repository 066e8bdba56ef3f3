// Schedules in formats of others: what a format declares, and what their readers share.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/schedule.h"
#include "model/topology.h"
#include "model/units.h"
#include "params/registry.h"
#include "sim/formats/foreign/rank_program.h"
#include "sim/formats/recording.h"

namespace flitscope {

/// A file to import.
struct ImportFile {
  std::string name;  ///< as errors call it
  std::string text;
};

/// How ranks become nodes.
enum class RankMapKind : std::uint8_t {
  identity,  ///< rank r is node r
  snake,     ///< along a path through neighbouring nodes: every second row runs backwards
  search,    ///< the shorter of these two, then ranks change places as long as bytes travel less far
  list,      ///< as given
};
struct RankMap {
  RankMapKind kind = RankMapKind::identity;
  std::vector<NodeId> nodes = {};  ///< of a list
};

/// What a file does not say.
struct ImportOptions {
  explicit ImportOptions(Topology on) : topology(std::move(on)) {}

  Topology topology;
  /// Name of the routing function by which messages travel.
  std::string routing = "dimension-order";
  RankMap map;
  /// Bytes of a chunk, where the format counts chunks.
  std::uint64_t chunk_bytes = 1024;
  /// Length of a cycle, where the format gives times; nothing: a nanosecond.
  std::optional<ClockPeriod> clock;
  /// Makes the schedule of a collective operation, such as "all-gather", of so many bytes; nullptr if there
  /// is no algorithm for it. Empty: collective operations are refused.
  std::function<std::unique_ptr<Schedule>(const std::string& operation, std::uint64_t bytes)> collective = {};
  /// Takes a sentence about what the schedule leaves out of the file; or empty.
  std::function<void(const std::string&)> note = {};
  /// Which part of a recording, and how it is replayed.
  ReplayPlan replay = {};
};

/// A file of an exported schedule: its name is that of --out with `suffix` behind it.
struct ExportedFile {
  std::string suffix;
  std::string text;
};

/// Where a configuration that is made of a machine will be.
struct MachineFiles {
  std::filesystem::path directory;  ///< files are named as seen from here
  std::string network;              ///< name there of the graph file that is made, if one is
};

/// A machine of another program.
struct ImportedMachine {
  std::string configuration;
  std::string network = {};  ///< a graph file (docs/networks.md), if the network is no family of flitscope
};

struct Format {
  std::string name;
  /// One line: what a file of it holds.
  std::string summary;
  /// Where it is defined: a paper, a program.
  std::string source;
  /// Makes a schedule of files. It takes them over: large ones would not fit into memory twice. Throws
  /// InputError ("file:line:column: ...") for what it does not understand. Null for a format of machines.
  std::unique_ptr<Schedule> (*read)(std::vector<ImportFile>& files, const ImportOptions& options) = nullptr;
  /// Takes all steps of a schedule (which is used up by that); null if the format is only read. Throws
  /// Inadmissible for a schedule that the format cannot express.
  std::vector<ExportedFile> (*write)(Schedule& schedule) = nullptr;
  /// Of a format of machines: makes a configuration.
  ImportedMachine (*machine)(const ImportFile& file, const MachineFiles& files) = nullptr;
};

using FormatRegistry = Registry<Format>;

/// The file of a format that has one only. Throws InputError(why).
[[nodiscard]] ImportFile& only_file(std::vector<ImportFile>& files, std::string_view why);
/// The facts of an imported schedule that its file does not say.
[[nodiscard]] ScheduleFacts import_facts(const ImportOptions& options, std::string algorithm);

/// The schedule of a complete program without data; notes what it leaves out.
[[nodiscard]] std::unique_ptr<Schedule> schedule_of(const RankProgram& program, const std::string& file,
                                                    const ImportOptions& options, const std::string& format);

/// Whole cycles of `clock`, or of a nanosecond, that take at least so long; kMaxWait nanoseconds at most.
[[nodiscard]] inline std::uint64_t cycles_of_nanoseconds(std::uint64_t nanoseconds,
                                                         const std::optional<ClockPeriod>& clock) {
  if (!clock) return nanoseconds;
  const std::uint64_t picoseconds = nanoseconds * 1000;
  return clock->cycles_of(picoseconds).value_or(clock->cycles_within(picoseconds) + 1);
}

// Which node a rank is.

/// "identity", "snake", "search", or nodes by number, "3,1,0,2", "8-15,0-7". Throws InputError for anything
/// else.
[[nodiscard]] RankMap read_rank_map(const std::string& text);

/// Bytes between two ranks.
struct RankTraffic {
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
  std::uint64_t bytes = 0;
};

/// The nodes of ranks 0, 1, ...; `file` is the file with so many ranks, and the place that says so. The
/// search lowers the sum of bytes times links travelled and gives the same every time. Throws InputError if
/// there are more ranks than nodes, or if a list has another number of nodes, one that does not exist, or one
/// twice.
[[nodiscard]] std::vector<NodeId> map_ranks(const ImportOptions& options, const std::string& file,
                                            std::uint32_t ranks, std::span<const RankTraffic> traffic);

/// The same for a complete program.
[[nodiscard]] std::vector<NodeId> map_ranks(const ImportOptions& options, const std::string& file,
                                            const RankProgram& program);

}  // namespace flitscope
