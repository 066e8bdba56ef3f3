// Sets of up to 64 small numbers as the bits of a word.
#pragma once

#include <cstdint>

namespace flitscope {

/// Number of the lowest bit. Requires mask != 0 (which std::countr_zero would test).
[[nodiscard]] inline unsigned lowest_bit(std::uint64_t mask) {
  return static_cast<unsigned>(__builtin_ctzll(mask));
}

/// Iterates over the bits of a mask, lowest first.
template <typename Visit>
void for_each_bit(std::uint64_t mask, Visit visit) {
  for (; mask != 0; mask &= mask - 1) visit(lowest_bit(mask));
}

/// The lowest bit at or above `from`, or else the lowest of all. Requires mask != 0.
[[nodiscard]] inline unsigned first_from(std::uint64_t mask, unsigned from) {
  const std::uint64_t above = mask >> from << from;
  return lowest_bit(above != 0 ? above : mask);
}

[[nodiscard]] constexpr std::uint64_t bit(unsigned position) {
  return std::uint64_t{1} << position;
}

/// The lowest `count` bits, 64 at most.
[[nodiscard]] constexpr std::uint64_t lowest_bits(unsigned count) {
  return count == 64 ? ~std::uint64_t{0} : bit(count) - 1;
}

/// The bits of `mask` that `places` has, which counts them from the lowest on.
[[nodiscard]] constexpr std::uint64_t bits_at(std::uint64_t mask, std::uint64_t places) {
  std::uint64_t result = 0;
  for (; mask != 0; mask &= mask - 1, places >>= 1) result |= places % 2 == 1 ? mask & -mask : 0;
  return result;
}

}  // namespace flitscope
