// The section `sweep:` of a configuration.
#pragma once

#include <vector>

#include "sim/sweep/axis.h"
#include "sim/sweep/batch_settings.h"
#include "sim/sweep/condition.h"

namespace flitscope {

/// What a sweep file says beside the configuration it starts from.
struct SweepPlan {
  /// Where the section stands.
  SourceLocation place;
  /// Crossed with one another; the last one runs fastest.
  std::vector<Axis> axes;
  std::vector<Exclusion> exclusions;
  /// How often each run is done.
  unsigned repeat = 1;
  BatchSettings settings;
};

/// Reads the section, a map:
///   PATH: [VALUE, ...] or {from, to, step or times}    one axis
///   zip: {PATH: ..., PATH: ...} or a list of such      keys that move together, one axis each
///   replicas: {NAME: {PATH: VALUE, ...}, ...}          named sets of values, one axis
///   exclude: [{PATH: VALUE or {above: V}, ...}, ...]   see Condition
///   repeat: N
///   run: {time, memory}, slurm: {...}                  see BatchSettings
/// Values are not looked at; they are read with the configurations they become part of.
[[nodiscard]] SweepPlan read_sweep(const YamlNode& sweep, Diagnostics& diagnostics);

}  // namespace flitscope
