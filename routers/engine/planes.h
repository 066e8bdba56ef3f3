// Bits and numbers of 64 routers at once.
#pragma once

#include <cstdint>

namespace flitscope {

/// One bit of each router of a group: bit i belongs to router 64 * group + i.
using Plane = std::uint64_t;

/// Numbers of a group's routers, bit-sliced: plane i holds bit i of all of them.
namespace sliced {

/// Adds 1 to the numbers of `routers`, which do not overflow.
inline void increase(Plane* number, unsigned bits, Plane routers) {
  for (unsigned i = 0; i < bits; ++i) {
    const Plane carry = number[i] & routers;
    number[i] ^= routers;
    routers = carry;
  }
}

/// Subtracts 1 from the numbers of `routers`, which are not 0. Returns the routers with a number above 0.
[[nodiscard]] inline Plane decrease(Plane* number, unsigned bits, Plane routers) {
  Plane positive = 0;
  for (unsigned i = 0; i < bits; ++i) {
    const Plane borrow = ~number[i] & routers;
    number[i] ^= routers;
    routers = borrow;
    positive |= number[i];
  }
  return positive;
}

/// Sets the numbers of `routers` to `value`.
inline void set(Plane* number, unsigned bits, Plane routers, unsigned value) {
  for (unsigned i = 0; i < bits; ++i) {
    number[i] = (value >> i & 1) != 0 ? number[i] | routers : number[i] & ~routers;
  }
}

/// Routers whose number is at most `value`.
[[nodiscard]] inline Plane at_most(const Plane* number, unsigned bits, unsigned value) {
  Plane more = 0;
  Plane equal = ~Plane{0};
  for (unsigned i = bits; i-- > 0;) {
    if ((value >> i & 1) != 0) {
      equal &= number[i];
    } else {
      more |= equal & number[i];
      equal &= ~number[i];
    }
  }
  return ~more;
}

/// The number of one router.
[[nodiscard]] inline unsigned of(const Plane* number, unsigned bits, unsigned router) {
  unsigned value = 0;
  for (unsigned i = 0; i < bits; ++i) value |= static_cast<unsigned>(number[i] >> router & 1) << i;
  return value;
}

}  // namespace sliced
}  // namespace flitscope
