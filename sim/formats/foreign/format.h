// Schedules in formats of others. One file a format, which declares itself by an entry of the FormatRegistry.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "model/schedule.h"
#include "model/topology.h"
#include "params/registry.h"

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
  search,    ///< the shorter of these two ways, then ranks change places as long as bytes travel less far
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
  /// Length of a cycle in picoseconds, where the format gives times; nothing: a nanosecond.
  std::optional<std::uint64_t> clock;
  /// Makes the schedule that stands for a collective operation of so many bytes (see
  /// ImportOptions::collective in the formats that have such operations); empty: they are refused.
  std::function<std::unique_ptr<Schedule>(const std::string& operation, std::uint64_t bytes)> collective = {};
};

/// A file of an exported schedule: its name is that of --out with `suffix` behind it.
struct ExportedFile {
  std::string suffix;
  std::string text;
};

struct Format {
  std::string name;
  /// One line: what a file of it holds.
  std::string summary;
  /// Who defines it.
  std::string source;
  /// Makes a schedule of files. It takes them over: large ones would not fit into memory twice. Throws
  /// InputError ("file:line:column: ...") for what it does not understand.
  std::unique_ptr<Schedule> (*read)(std::vector<ImportFile>& files, const ImportOptions& options);
  /// Takes all steps of a schedule (which is used up by that); null if the format is only read. Throws
  /// Inadmissible for a schedule that the format cannot express.
  std::vector<ExportedFile> (*write)(Schedule& schedule) = nullptr;
};

using FormatRegistry = Registry<Format>;

}  // namespace flitscope
