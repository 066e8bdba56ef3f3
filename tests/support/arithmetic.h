// Powers and logarithms of whole numbers, to check those of the library.
#pragma once

#include <cstdint>

namespace flitscope::test {

[[nodiscard]] inline std::uint64_t power(std::uint64_t base, unsigned exponent) {
  std::uint64_t result = 1;
  for (unsigned i = 0; i < exponent; ++i) result *= base;
  return result;
}

/// Least t with base^t >= value.
[[nodiscard]] inline unsigned least_exponent(std::uint64_t base, std::uint64_t value) {
  unsigned t = 0;
  while (power(base, t) < value) ++t;
  return t;
}

}  // namespace flitscope::test
