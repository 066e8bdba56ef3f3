// Bits and numbers of 64 routers at once.
#pragma once

#include <bit>
#include <cstdint>

namespace flitscope {

/// One bit of each router of a group: bit i belongs to router 64 * group + i.
using Plane = std::uint64_t;
inline constexpr unsigned kGroupSize = 64;  ///< routers

/// The planes of four VCs (or of four channels), for the vector unit: aligned for it also where code is
/// compiled for any processor.
using Quad [[gnu::vector_size(32), gnu::aligned(32)]] = Plane;

[[gnu::always_inline]] inline Plane any_of(const Quad& quad) {
  using Half [[gnu::vector_size(16)]] = Plane;
  const Half both = __builtin_shufflevector(quad, quad, 0, 1) | __builtin_shufflevector(quad, quad, 2, 3);
  return both[0] | both[1];
}

[[gnu::always_inline]] inline unsigned count_of(const Quad& quad) {
  unsigned count = 0;
  for (unsigned i = 0; i < 4; ++i) count += static_cast<unsigned>(std::popcount(quad[i]));
  return count;
}

/// Adds the planes to `sum`, each rotated to the left by its own number of places, less than 64.
[[gnu::always_inline]] inline void add_rotated(Quad& sum, const Quad& quad, const Quad& places) {
  sum |= quad << places | quad >> (-places & 63);
}

/// Of `count` requests, each router of `contested` keeps the first one behind the last winner in circular
/// order; the others keep theirs. add_next(i, behind) adds those to `behind` where request i is the next one.
template <unsigned kMost, typename Planes, typename AddNext>
[[gnu::always_inline]] inline void keep_first(Planes* requests, unsigned count, const Planes& contested,
                                              AddNext add_next) {
  Planes all[kMost];
  Planes left = contested;
  Planes behind{};  // the last winner is before
  for (unsigned i = 0; i < count; ++i) {
    all[i] = requests[i];
    add_next(i, behind);
    const Planes wins = all[i] & behind & left;
    left &= ~wins;
    requests[i] = (all[i] & ~contested) | wins;
  }
  for (unsigned i = 0; i < count; ++i) {
    const Planes first = all[i] & left;  // nothing is behind the last winner
    left &= ~first;
    requests[i] |= first;
  }
}

/// Calls visit(i, plane) for the planes of quads that are not 0.
template <typename Visit>
[[gnu::always_inline]] inline void for_each_plane(const Quad* quads, unsigned count, Visit visit) {
  const auto* const planes = reinterpret_cast<const Plane*>(quads);
  for (unsigned i = 0; i < count; ++i) {
    if (planes[i] != 0) visit(i, planes[i]);
  }
}

/// Numbers of a group's routers, bit-sliced: bit i of all of them is in a plane, or the bits i of several VCs
/// in planes side by side.
namespace sliced {

/// Adds 1 to the numbers of `routers`; bit i is at number[i * stride]. Sets `overflow` to the routers whose
/// number becomes 0 by that.
[[gnu::always_inline]] inline void increase(Quad* number, unsigned bits, std::size_t stride,
                                            const Quad& routers, Quad& overflow) {
  overflow = routers;
  for (unsigned i = 0; i < bits; ++i, number += stride) {
    const Quad carry = *number & overflow;
    *number ^= overflow;
    overflow = carry;
  }
}

/// Adds 1 to the numbers of the routers of `up` that are not in `down`, and subtracts 1 from those of `down`
/// that are not in `up`; the numbers do not become negative. Sets `positive` to the routers with a number
/// above 0.
[[gnu::always_inline]] inline void change(Quad* number, unsigned bits, std::size_t stride, const Quad& up,
                                          const Quad& down, Quad& positive) {
  Quad changes = up ^ down;
  Quad some{};
  for (unsigned i = 0; i < bits; ++i, number += stride) {
    const Quad before = *number;
    *number = before ^ changes;
    changes &= before ^ down;
    some |= *number;
  }
  positive = some;
}

/// Subtracts 1 from the numbers of `routers`, which are not 0. Sets `positive` to the routers with a number
/// above 0.
template <typename Planes>
[[gnu::always_inline]] inline void decrease(Planes* number, unsigned bits, std::size_t stride,
                                            const Planes& routers, Planes& positive) {
  Planes borrowed = routers;
  Planes some{};
  for (unsigned i = 0; i < bits; ++i, number += stride) {
    const Planes borrow = ~*number & borrowed;
    *number ^= borrowed;
    borrowed = borrow;
    some |= *number;
  }
  positive = some;
}

/// Subtracts `value` from the numbers of `routers`, which are at least that.
[[gnu::always_inline]] inline void subtract(Quad* number, unsigned bits, std::size_t stride,
                                            const Quad& routers, unsigned value) {
  Quad borrowed{};
  for (unsigned i = 0; i < bits; ++i, number += stride, value >>= 1) {
    const Quad before = *number;
    if ((value & 1) != 0) {
      *number = before ^ (routers & ~borrowed);
      borrowed |= routers & ~before;
    } else {
      *number = before ^ borrowed;
      borrowed &= ~before;
    }
  }
}

/// Sets the number of one router, which is 0, to `value`, without branches.
[[gnu::always_inline]] inline void set_one(Plane* number, unsigned bits, std::size_t stride, unsigned router,
                                           unsigned value) {
  for (unsigned i = 0; i < bits; ++i) number[i * stride] |= Plane{value >> i & 1} << router;
}

/// Sets the numbers of `routers`, which are 0, to `value`.
inline void set(Plane* number, std::size_t stride, Plane routers, unsigned value) {
  if (value == 1) {  // the messages that pay most for this
    *number |= routers;
    return;
  }
  for (; value != 0; value &= value - 1)
    number[static_cast<unsigned>(__builtin_ctz(value)) * stride] |= routers;
}

/// Keeps those of `routers` whose number is `value`.
template <typename Planes>
[[gnu::always_inline]] inline void keep_equal(const Planes* number, unsigned bits, std::size_t stride,
                                              unsigned value, Planes& routers) {
  for (unsigned i = 0; i < bits; ++i) routers &= number[i * stride] ^ (Plane{value >> i & 1} - 1);
}

/// Sets `decoded` to those of `routers` whose number, of one bit or more, is 4 * quad, and so on for the next
/// three numbers.
[[gnu::always_inline]] inline void decode(const Plane* number, unsigned bits, std::size_t stride,
                                          Plane routers, unsigned quad, Quad& decoded) {
  constexpr Plane kAll = ~Plane{0};
  for (unsigned i = 2; i < bits; ++i) routers &= number[i * stride] ^ (Plane{quad >> (i - 2) & 1} - 1);
  const Plane second = bits > 1 ? number[stride] : 0;
  decoded = (number[0] ^ Quad{kAll, 0, kAll, 0}) & (second ^ Quad{kAll, kAll, 0, 0}) & routers;
}

/// Adds to the numbers of `routers`, modulo 2^bits.
inline void add(Plane* number, unsigned bits, std::size_t stride, Plane routers, unsigned value) {
  Plane carry = 0;
  for (unsigned i = 0; i < bits; ++i, number += stride) {
    const Plane added = (value >> i & 1) != 0 ? routers : 0;
    const Plane both = *number & added;
    const Plane one = *number ^ added;
    *number = one ^ carry;
    carry = both | (one & carry);
  }
}

/// The number of one router.
[[nodiscard]] inline unsigned of(const Plane* number, unsigned bits, std::size_t stride, unsigned router) {
  unsigned value = 0;
  for (unsigned i = 0; i < bits; ++i) value |= static_cast<unsigned>(number[i * stride] >> router & 1) << i;
  return value;
}

}  // namespace sliced
}  // namespace flitscope
