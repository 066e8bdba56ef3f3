// Times in formats of others, in cycles.
#pragma once

#include <cstdint>
#include <optional>

namespace flitscope {

/// The longest time that a file can name: 10^12 nanoseconds.
inline constexpr std::uint64_t kMaxNanoseconds = 1'000'000'000'000;

/// Whole cycles of `clock` picoseconds, or of a nanosecond, that take at least so long.
[[nodiscard]] constexpr std::uint64_t cycles_of_nanoseconds(std::uint64_t nanoseconds,
                                                            std::optional<std::uint64_t> clock) {
  const std::uint64_t length = clock.value_or(1000);
  return (nanoseconds * 1000 + length - 1) / length;
}

}  // namespace flitscope
