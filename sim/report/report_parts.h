// Parts of reports as text and as JSON: counted things, announced numbers, values that may be missing.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "model/stall_cause.h"
#include "model/text.h"
#include "sim/observe/flits/latency.h"

namespace flitscope {

/// ", claimed 4, lower bound 3", of which either may be unknown.
[[nodiscard]] inline std::string bounds_text(const std::optional<std::uint64_t>& claimed,
                                             const std::optional<std::uint64_t>& lower_bound) {
  std::string text;
  if (claimed) text += fmt::format(", claimed {}", *claimed);
  if (lower_bound) text += fmt::format(", lower bound {}", *lower_bound);
  return text;
}

/// A text in SVG or HTML.
[[nodiscard]] std::string escaped(std::string_view text);

/// A value that may be missing: a flag, a number or a text.
template <typename T>
[[nodiscard]] nlohmann::ordered_json or_null(const std::optional<T>& value);

/// {"messages": .., "min": .., "mean": .., "p50": .., "p99": .., "p999": .., "max": ..}
[[nodiscard]] nlohmann::ordered_json latency_json(const LatencySummary& latency);

/// {"vc_taken": .., ..}: counts by cause.
[[nodiscard]] nlohmann::ordered_json causes_json(const std::array<std::uint64_t, kStallCauses>& counts);

}  // namespace flitscope
