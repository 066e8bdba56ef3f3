// Routers of other programs and of published RTL, as settings of `router`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/formats/yaml_source.h"

namespace flitscope {

/// A value of `router.preset`.
struct RouterPreset {
  struct Setting {
    std::string_view key;  ///< of the section `router`
    std::string_view value;
  };
  std::string_view name;
  std::string_view summary;
  std::span<const Setting> settings;
};

[[nodiscard]] std::span<const RouterPreset> router_presets();

/// The configuration with the settings of its preset in place of keys of `router` that it does not have;
/// nothing if it names no preset that exists.
[[nodiscard]] std::optional<YamlNode> with_router_preset(const YamlNode& root);

}  // namespace flitscope
