// Scatter with unequal halves, k = 1: how much to give away so that tuning hides behind the child's work.
#pragma once

#include <cstdint>
#include <vector>

namespace flitscope::afsahi {

/// The best way to scatter n items, for n = 1 .. N: of n items the holder gives m(n) to its child over a
/// circuit that is there, and tunes while the child forwards its part:
///
///   T(1) = 0, T(n) = min over m of m + max(T(m), d + T(n-m)), without the second term for n-m = 1.
class UnequalSplit {
 public:
  UnequalSplit(std::uint64_t last, std::uint64_t d);
  /// T(n), in units of t_m.
  [[nodiscard]] std::uint64_t time(std::uint64_t n) const { return time_[n]; }
  /// m(n), n >= 2: the smallest of the best.
  [[nodiscard]] std::uint64_t given(std::uint64_t n) const { return given_[n]; }

 private:
  std::vector<std::uint64_t> time_;
  std::vector<std::uint64_t> given_;
};

}  // namespace flitscope::afsahi
