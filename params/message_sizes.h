// How long messages are: one size, or several, each with its weight.
#pragma once

#include <cstdint>
#include <vector>

#include "model/units.h"

namespace flitscope {

/// A distribution of sizes, by rising size. A single one has the weight 1.
struct MessageSizes {
  struct Size {
    std::uint64_t bytes = 0;
    /// Above 0; weights are relative to their sum.
    Decimal weight{1};
    bool operator==(const Size&) const = default;
  };

  std::vector<Size> sizes{{64, Decimal(1)}};

  bool operator==(const MessageSizes&) const = default;
};

/// The mean of measure(bytes), such as the flits of a message.
template <typename Measure>
[[nodiscard]] double mean_of(const MessageSizes& message, Measure measure) {
  double sum = 0;
  double weights = 0;
  for (const auto& [bytes, weight] : message.sizes) {
    sum += weight.approximate() * static_cast<double>(measure(bytes));
    weights += weight.approximate();
  }
  return sum / weights;
}

}  // namespace flitscope
