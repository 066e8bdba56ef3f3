// How a sweep is run, as opposed to what it varies: the limits of a run, and what a cluster is asked for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "params/diagnostics.h"
#include "sim/config/keys.h"
#include "sim/formats/yaml_source.h"

namespace flitscope {

/// What one run may take of the real machine. 0: as much as it likes.
struct RunLimits {
  std::uint64_t milliseconds = 0;
  std::uint64_t memory_bytes = 0;
};

struct SlurmSettings {
  /// Empty: the cluster's default.
  std::string partition;
  /// Tasks that run at the same time; 0: no limit.
  std::uint64_t at_once = 0;
  /// 0: as many as make about a thousand tasks of the sweep, at least 1.
  std::uint64_t runs_per_task = 0;
  /// Of a task. 0: by the limits of a run if they are given, otherwise the cluster's default.
  std::uint64_t task_milliseconds = 0;
  std::uint64_t task_memory_bytes = 0;
  /// Where the nodes have flitscope; empty: where this one is.
  std::string program;
};

struct BatchSettings {
  RunLimits run;
  SlurmSettings slurm;
};

/// The sections `run` and `slurm` of `sweep:`. Each key is also an option of the command, --SECTION-KEY.
[[nodiscard]] const std::vector<Section>& batch_sections();

/// Reads the value of a key of batch_sections() into its place in `settings`.
void read_batch_value(const std::string& section, const Key& key, const YamlNode& given,
                      BatchSettings& settings, Diagnostics& diagnostics);

}  // namespace flitscope
