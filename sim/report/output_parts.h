// What reports are put together from: counted things, announced numbers, values that may be missing.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace flitscope {

/// "1 port", "2 ports"
[[nodiscard]] inline std::string counted(std::uint64_t number, const char* one, const char* many) {
  return fmt::format("{} {}", number, number == 1 ? one : many);
}

/// ", claimed 4, lower bound 3", of which either may be unknown.
[[nodiscard]] inline std::string bounds_text(const std::optional<std::uint64_t>& claimed,
                                             const std::optional<std::uint64_t>& lower_bound) {
  std::string text;
  if (claimed) text += fmt::format(", claimed {}", *claimed);
  if (lower_bound) text += fmt::format(", lower bound {}", *lower_bound);
  return text;
}

template <typename T>
[[nodiscard]] nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace flitscope
