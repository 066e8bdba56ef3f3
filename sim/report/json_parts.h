// What results as JSON are put together from.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

namespace flitscope {

/// A value that may be missing.
template <typename T>
[[nodiscard]] nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace flitscope
