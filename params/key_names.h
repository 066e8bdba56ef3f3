// Names that users bring along: of keys that were renamed, of the same things in other simulators, and of
// things that flitscope does not model. A configuration that uses one is refused with what to write instead.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace flitscope {

/// For an unknown key, by its path such as "router.vcs": "vcs is called router.virtual_channels in flitscope:
/// write router: {virtual_channels: 4}". Nothing if the name means nothing elsewhere, either.
[[nodiscard]] std::optional<std::string> other_name_of_key(std::string_view path);

/// The same for a value that a key with the value does not have: `xy` of router.routing.
[[nodiscard]] std::optional<std::string> other_name_of_value(std::string_view path, std::string_view value);

}  // namespace flitscope
