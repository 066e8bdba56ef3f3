// The network that a configuration describes.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "model/topology.h"
#include "networks/network_family.h"
#include "sim/config/config.h"
#include "sim/config/section_reader.h"

namespace flitscope {

/// The kind of network, as far as it can be told before all is read.
[[nodiscard]] std::optional<TopologyKind> named_kind(const YamlNode& root);
/// The family of networks that is named, if one is.
[[nodiscard]] const NetworkFamily* named_family(const YamlNode& root);

/// The network, without what is missing of it and with the routes that are given for it. `values`: of each
/// section. Nothing, and diagnostics, if it is not described well.
[[nodiscard]] std::optional<Topology> read_topology(std::map<std::string, ParameterValues>& values,
                                                    const ReadingContext& context,
                                                    const std::filesystem::path& directory);

/// Links of a graph have times of their own if it says so; `config` has those of all others.
void take_link_times(ExperimentConfig& config);

}  // namespace flitscope
