// Counters by index that are all set back to zero at no cost.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace flitscope {

/// One counter for each index. clear() takes O(1), however many there are: a counter remembers when it was
/// last counted up, and counts for zero if that was before the last clear().
class StampedCounts {
 public:
  explicit StampedCounts(std::size_t size) : counters_(size) {}

  void clear() {
    if (++now_ != 0) return;
    std::ranges::fill(counters_, Counter{});
    now_ = 1;
  }

  /// Counts up and returns the new count.
  std::uint32_t increment(std::size_t index) {
    Counter& counter = counters_[index];
    if (counter.stamp != now_) counter = {now_, 0};
    return ++counter.count;
  }

  [[nodiscard]] std::uint32_t operator[](std::size_t index) const {
    const Counter& counter = counters_[index];
    return counter.stamp == now_ ? counter.count : 0;
  }

 private:
  struct Counter {
    std::uint32_t stamp = 0;
    std::uint32_t count = 0;
  };
  std::vector<Counter> counters_;
  std::uint32_t now_ = 1;
};

}  // namespace flitscope
