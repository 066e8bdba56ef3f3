// The typed configuration of one experiment, how it is read (strictly) and how it is printed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "model/algorithm.h"
#include "model/error.h"
#include "model/parameter.h"
#include "model/topology.h"
#include "routers/machine.h"
#include "sim/config/observe_config.h"

namespace flitscope {

/// When a step's messages may start.
enum class Advance : std::uint8_t {
  barrier,   ///< when all messages of the step before have arrived
  dataflow,  ///< as soon as the node holds the data and its own earlier sends have left
  table,     ///< no steps: links send by their rules (see RoutingTable)
};

/// "barrier", "dataflow" or "table".
[[nodiscard]] const char* name_of(Advance advance);

/// What the network has to do. Exactly one of `algorithm` and `schedule_file` is given.
struct WorkloadConfig {
  /// An entry of the AlgorithmRegistry, or nullptr.
  const Algorithm* algorithm = nullptr;
  /// Values of the algorithm's parameters, defaults filled in.
  ParameterValues parameters;
  /// Absolute, or empty. Whether the file is there has not been looked at.
  std::filesystem::path schedule_file;
  /// What schedule_digest() must say of the file; empty: anything.
  std::string schedule_digest;
  /// A copy of the file that is read in its place; empty: the file itself is read.
  std::filesystem::path schedule_copy;
  Advance advance = Advance::barrier;
  /// Messages a dataflow driver reads ahead.
  std::uint64_t lookahead = 1'000'000;
};

/// One experiment. Two values of `machine` may be open, since they depend on the schedule: `routing` is empty
/// for `auto` (the routing function the schedule is made for), `virtual_channels` is 0 for `auto` (as many as
/// that routing function has classes). Whoever runs the experiment fills them in.
struct ExperimentConfig {
  explicit ExperimentConfig(Topology on) : topology(std::move(on)) {}

  std::string name;
  Topology topology;
  MachineConfig machine;
  WorkloadConfig workload;
  ObserveConfig observe;
  /// The longest time the network may take, in cycles.
  std::uint64_t cycle_limit = 0;
  /// Length of a cycle in picoseconds, if it was given. All times here are in cycles all the same.
  std::optional<std::uint64_t> clock;

  /// The configuration file, as messages name it.
  std::string file;
  /// Where each section and key that was given stands, by its path ("router", "router.buffer"):
  /// "file:line:column" or "--set router.buffer=4".
  std::map<std::string, std::string> places;
};

/// Reads a configuration file, changed by `overrides` "PATH=VALUE" (see apply_overrides).
/// Throws an InputError that names every mistake, one line "PLACE: message" each, where PLACE is
/// "file:line:column" (counted from 1, columns in bytes) or "--set PATH=VALUE".
[[nodiscard]] ExperimentConfig load_config(const std::filesystem::path& file,
                                           std::span<const std::string> overrides = {});

/// As load_config, from text: `file_name` names it in messages, relative paths start in `base_directory`.
[[nodiscard]] ExperimentConfig parse_config(std::string_view text, const std::string& file_name,
                                            const std::filesystem::path& base_directory,
                                            std::span<const std::string> overrides = {});

/// The error for a value that turned out later not to be admissible, with the place of its key; if the key
/// was not given, with the place of its section, or of the file's beginning.
[[nodiscard]] InputError located(const ExperimentConfig& config, const Inadmissible& reason);

/// The complete configuration as YAML text, defaults filled in, in canonical order. Read again it gives the
/// same configuration, wherever the text is put: paths are absolute, times are in cycles.
[[nodiscard]] std::string resolve(const ExperimentConfig& config);

/// The same, value by value: "router.buffer" and its value. Keys that have none are absent.
[[nodiscard]] std::map<std::string, ParameterValues::Value> resolved_values(const ExperimentConfig& config);

/// A value on one line as a configuration has it: "[0, 1]", "{count: 20, seed: 1}".
[[nodiscard]] std::string value_text(const ParameterValues::Value& value);

}  // namespace flitscope
