// The section `sweep:` of a configuration: axes, whose choices are crossed with one another, exclusions, and
// how the runs are done.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "params/diagnostics.h"
#include "sim/config/config.h"
#include "sim/config/keys.h"
#include "sim/formats/yaml_source.h"
#include "sim/host/processes.h"

namespace flitscope {

/// One key of the configuration and the value it takes.
struct Setting {
  /// As in an override: SECTION.KEY, KEY or SECTION.
  std::string path;
  SourceLocation path_place;
  YamlNode value;
};

/// One position on an axis.
struct Choice {
  /// Of a replica; empty elsewhere.
  std::string name;
  std::vector<Setting> settings;
};

/// A list of values of one key, a group of keys that move together, or the named replicas.
struct Axis {
  /// What its choices set, as paths, each once.
  std::vector<std::string> paths;
  /// At least one.
  std::vector<Choice> choices;
};

/// A condition on the value of one key: equal to a value, or {above: V}, {below: V}, {at_least: V},
/// {at_most: V}, {not: V}, {one_of: [V, ...]}.
struct Condition {
  std::string path;
  SourceLocation path_place;
  /// "above" and so on; empty: the value is equal to the operand.
  std::string relation;
  /// One; any number for one_of.
  std::vector<YamlNode> operands;
};

/// All conditions of an entry of `exclude` together.
struct Exclusion {
  SourceLocation place;
  std::vector<Condition> conditions;
};

/// An entry of `exclude`: a map from paths to what their values are.
[[nodiscard]] Exclusion read_exclusion(const YamlNode& entry, Diagnostics& diagnostics);

/// True if every condition holds in this configuration. A key that the configuration does not have (another
/// algorithm's parameter) makes its condition false. Operands are read as the key's values are, with units;
/// what is wrong with them is added to `diagnostics`.
[[nodiscard]] bool applies(const Exclusion& exclusion, const ExperimentConfig& config,
                           Diagnostics& diagnostics);

struct SlurmSettings {
  /// Empty: the cluster's default.
  std::string partition;
  /// Tasks that run at the same time; 0: no limit.
  std::uint64_t at_once = 0;
  /// 0: as many as make about a thousand tasks of the sweep, at least 1.
  std::uint64_t runs_per_task = 0;
  /// Limits of a task. 0: those of its runs if they are given, otherwise the cluster's default.
  std::uint64_t task_milliseconds = 0;
  std::uint64_t task_memory_bytes = 0;
  /// Path of flitscope on the nodes; empty: that of this program.
  std::string program;
};

struct BatchSettings {
  RunLimits run;
  SlurmSettings slurm;
};

/// A key, and the setting that it is bound to.
struct BatchKey : Key {
  /// Throws InputError with what is wrong with a value, without its key and place.
  std::function<void(BatchSettings&, const ParameterValues::Value&)> put;
};
struct BatchSection {
  std::string name;
  std::string summary;
  std::vector<BatchKey> keys;
};
/// The sections `run` and `slurm` of `sweep:`. Each key is also an option of the command, --SECTION-KEY.
[[nodiscard]] const std::vector<BatchSection>& batch_sections();

/// Reads the value of a key of batch_sections() into its place in `settings`.
void read_batch_value(const BatchSection& section, const BatchKey& key, const YamlNode& given,
                      BatchSettings& settings, Diagnostics& diagnostics);

/// The section `sweep:`, beside the configuration that it varies.
struct SweepPlan {
  /// Place of the section.
  SourceLocation place;
  /// Crossed with one another; the last one runs fastest.
  std::vector<Axis> axes;
  std::vector<Exclusion> exclusions;
  /// Repeats of each run.
  unsigned repeat = 1;
  BatchSettings settings;
};

/// Reads the section, a map (docs/sweeps.md).
/// Values are read later, with the configurations that they become part of.
[[nodiscard]] SweepPlan read_sweep(const YamlNode& sweep, Diagnostics& diagnostics);

/// The values of a range: a map with `from`, `to`, and either `step` (added) or `times` (multiplied by, a
/// number above 1). `to` is among them if it is hit. Numbers stay plain, sizes and times keep a unit, so that
/// a key takes what it would take in a list. With `times` sizes are rounded to whole bytes, whole numbers to
/// whole ones. Adds what is wrong to `diagnostics` and returns nothing then.
[[nodiscard]] std::vector<YamlNode> values_of_range(const YamlNode& range, Diagnostics& diagnostics);

}  // namespace flitscope
