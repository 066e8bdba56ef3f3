// From the tree of a configuration to its typed form.
#pragma once

#include <filesystem>
#include <optional>

#include "sim/config/config.h"
#include "sim/config/known_networks.h"
#include "params/diagnostics.h"
#include "sim/formats/yaml_source.h"

namespace flitscope {

/// Reads a configuration whose root is a map. Adds what is wrong to `mistakes`; there is a result whenever
/// there are no mistakes. Its `file` and `places` are left empty. `networks`: see ReadingContext.
[[nodiscard]] std::optional<ExperimentConfig> read_config(const YamlNode& root,
                                                          const std::filesystem::path& base_directory,
                                                          Mistakes& mistakes,
                                                          KnownNetworks* networks = nullptr);

}  // namespace flitscope
