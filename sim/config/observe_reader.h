// The section `observe` and those in it, from values to what they mean on a network.
#pragma once

#include "model/topology.h"
#include "sim/config/observe_config.h"
#include "sim/config/section_reader.h"

namespace flitscope {

/// Nodes, channels and messages are looked up; those that do not exist are added to the mistakes. The values
/// are those of the sections "observe", "observe.filter" and "observe.waves", complete.
[[nodiscard]] ObserveConfig read_observe(const ParameterValues& observe, const ParameterValues& filter,
                                         const ParameterValues& waves, const Topology& topology,
                                         const ReadingContext& context);

/// The way back.
[[nodiscard]] ParameterValues observe_values(const ObserveConfig& observe);
[[nodiscard]] ParameterValues filter_values(const FlitFilter& filter, const Topology& topology);
[[nodiscard]] ParameterValues waves_values(const WavesConfig& waves, const Topology& topology);

}  // namespace flitscope
