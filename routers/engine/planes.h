// Bits and numbers of 64 routers at once.
#pragma once

#include <bit>
#include <cstdint>

namespace flitscope {

/// One bit of each router of a group: bit i belongs to router 64 * group + i.
using Plane = std::uint64_t;

/// Numbers of a group's routers, bit-sliced: plane i holds bit i of all of them. They have a multiple of four
/// planes, so that loops over these are short.
namespace sliced {

inline constexpr unsigned kBlock = 4;

/// Planes of numbers up to `most`.
[[nodiscard]] constexpr unsigned planes_for(std::uint64_t most) {
  return (static_cast<unsigned>(std::bit_width(most)) + kBlock - 1) / kBlock * kBlock;
}

/// Adds 1 to the numbers of `routers`, which do not overflow.
[[gnu::always_inline]] inline void increase(Plane* number, unsigned planes, Plane routers) {
  for (const Plane* const end = number + planes; number != end; number += kBlock) {
    for (unsigned i = 0; i < kBlock; ++i) {
      const Plane carry = number[i] & routers;
      number[i] ^= routers;
      routers = carry;
    }
  }
}

/// Subtracts 1 from the numbers of `routers`, which are not 0. Returns the routers with a number above 0.
[[nodiscard, gnu::always_inline]] inline Plane decrease(Plane* number, unsigned planes, Plane routers) {
  Plane positive = 0;
  for (const Plane* const end = number + planes; number != end; number += kBlock) {
    for (unsigned i = 0; i < kBlock; ++i) {
      const Plane borrow = ~number[i] & routers;
      number[i] ^= routers;
      routers = borrow;
      positive |= number[i];
    }
  }
  return positive;
}

/// Sets the numbers of `routers` to `value`.
inline void set(Plane* number, unsigned planes, Plane routers, unsigned value) {
  for (unsigned i = 0; i < planes; ++i) {
    number[i] = (value >> i & 1) != 0 ? number[i] | routers : number[i] & ~routers;
  }
}

/// The number of one router.
[[nodiscard]] inline unsigned of(const Plane* number, unsigned planes, unsigned router) {
  unsigned value = 0;
  for (unsigned i = 0; i < planes; ++i) value |= static_cast<unsigned>(number[i] >> router & 1) << i;
  return value;
}

}  // namespace sliced
}  // namespace flitscope
