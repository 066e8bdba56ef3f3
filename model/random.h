// Random numbers that are the same on every machine.
#pragma once

#include <cstdint>
#include <limits>
#include <random>

namespace flitscope {

/// A number below `bound` >= 1, all equally likely. The standard settles what its generators give, but not
/// what its distributions make of it.
[[nodiscard]] inline std::uint64_t random_below(std::mt19937_64& random, std::uint64_t bound) {
  constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t limit = kAll - kAll % bound;
  std::uint64_t number = random();
  while (number >= limit) number = random();
  return number % bound;
}

}  // namespace flitscope
