// From the tree of a configuration to its typed form.
#pragma once

#include <filesystem>
#include <optional>

#include "params/diagnostics.h"
#include "sim/config/config.h"
#include "sim/config/known_networks.h"
#include "sim/formats/yaml_source.h"

namespace flitscope {

/// Reads a configuration whose root is a map. Adds what is wrong to `diagnostics`; there is a result whenever
/// there are no diagnostics. Its `file` and `places` are left empty. `networks`: see ReadingContext.
[[nodiscard]] std::optional<ExperimentConfig> read_config(const YamlNode& root,
                                                          const std::filesystem::path& base_directory,
                                                          Diagnostics& diagnostics,
                                                          KnownNetworks* networks = nullptr);

}  // namespace flitscope
