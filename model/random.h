// Random numbers that are the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace flitscope {

/// A number below `bound` >= 1, all equally likely. The standard fixes the numbers of its generators, but not
/// those of its distributions.
[[nodiscard]] inline std::uint64_t random_below(std::mt19937_64& random, std::uint64_t bound) {
  constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t limit = kAll - kAll % bound;
  std::uint64_t number = random();
  while (number >= limit) number = random();
  return number % bound;
}

/// Puts items in an order, all equally likely (Fisher and Yates), which std::shuffle leaves to the machine.
template <typename Item>
void shuffle(std::vector<Item>& items, std::mt19937_64& random) {
  for (std::size_t left = items.size(); left > 1; --left) {
    std::swap(items[left - 1], items[random_below(random, left)]);
  }
}

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014), started apart for
/// every stream of a seed:
///
///   G = 0x9E3779B97F4A7C15, all arithmetic modulo 2^64
///   mix(z): z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9; z = (z ^ z >> 27) * 0x94D049BB133111EB; z ^ z >> 31
///   state = mix(mix(seed + G) + (stream + 1) * G)
///   a number: state = state + G; mix(state)
class RandomStream {
 public:
  static constexpr std::uint64_t kGamma = 0x9E3779B97F4A7C15;

  RandomStream(std::uint64_t seed, std::uint64_t stream)
      : state_(mix(mix(seed + kGamma) + (stream + 1) * kGamma)) {}

  /// All 64-bit numbers, equally likely.
  std::uint64_t next() {
    state_ += kGamma;
    return mix(state_);
  }

  /// A number below `bound` >= 1, all equally likely: the upper word of next() * bound, drawn again where
  /// some numbers would be more likely (Lemire, 2019).
  std::uint64_t below(std::uint64_t bound) {
    using Wide = unsigned __int128;
    Wide product = Wide{next()} * bound;
    if (static_cast<std::uint64_t>(product) < bound) {
      const std::uint64_t unfair = (0 - bound) % bound;
      while (static_cast<std::uint64_t>(product) < unfair) product = Wide{next()} * bound;
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  [[nodiscard]] static constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
  }

 private:
  std::uint64_t state_;
};

/// A probability in units of 2^-64; above 1 - 2^-53 it counts as 1, which a random number never reaches.
[[nodiscard]] constexpr std::uint64_t probability_bits(double probability) {
  constexpr double kAll = 18446744073709551616.0;
  if (probability <= 0) return 0;
  if (probability >= 1) return ~std::uint64_t{0};
  return static_cast<std::uint64_t>(probability * kAll);
}

/// Trials until the first success, if each succeeds with the same probability; drawn with one random number
/// and integer arithmetic.
class Geometric {
 public:
  /// 0 < `probability` <= 1.
  explicit Geometric(double probability) {
    // The probabilities of 1, 2, 4, 8, .. failures on end.
    for (std::uint64_t power = probability_bits(1 - probability); power != 0; power = times(power, power)) {
      powers_.push_back(power);
    }
  }

  /// At least 1. It exceeds k with the probability (1 - p)^k.
  std::uint64_t draw(RandomStream& random) const {
    const std::uint64_t number = random.next();
    std::uint64_t reached = ~std::uint64_t{0};
    std::uint64_t failures = 0;
    for (std::size_t i = powers_.size(); i-- > 0;) {
      const std::uint64_t further = times(reached, powers_[i]);
      if (number >= further) continue;
      reached = further;
      failures += std::uint64_t{1} << i;
    }
    return failures + 1;
  }

 private:
  static std::uint64_t times(std::uint64_t left, std::uint64_t right) {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(left) * right >> 64);
  }

  std::vector<std::uint64_t> powers_;
};

}  // namespace flitscope
