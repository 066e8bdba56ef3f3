// What reports for people are put together from: counted things, announced numbers.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>

#include "model/text.h"

namespace flitscope {

/// ", claimed 4, lower bound 3", of which either may be unknown.
[[nodiscard]] inline std::string bounds_text(const std::optional<std::uint64_t>& claimed,
                                             const std::optional<std::uint64_t>& lower_bound) {
  std::string text;
  if (claimed) text += fmt::format(", claimed {}", *claimed);
  if (lower_bound) text += fmt::format(", lower bound {}", *lower_bound);
  return text;
}

}  // namespace flitscope
