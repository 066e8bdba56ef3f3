// What people look for in a configuration and flitscope does not model; docs/limits.md says what to use
// instead.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace flitscope {

/// What a key of this name would be about, such as "power and energy"; nothing if it is none of those things.
[[nodiscard]] std::optional<std::string_view> not_modelled(const std::string& key);

}  // namespace flitscope
