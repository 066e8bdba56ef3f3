// What results as JSON are put together from.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "model/machine.h"
#include "sim/observe/flits/latency.h"

namespace flitscope {

/// A value that may be missing.
template <typename T>
[[nodiscard]] nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

/// {"messages": .., "min": .., "mean": .., "p50": .., "p99": .., "max": ..}
[[nodiscard]] nlohmann::ordered_json latency_json(const LatencySummary& latency);

/// {"vc_taken": .., ..}: counts by cause.
[[nodiscard]] nlohmann::ordered_json causes_json(const std::array<std::uint64_t, kStallCauses>& counts);

}  // namespace flitscope
