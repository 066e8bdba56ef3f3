// Decimal fractions, held as they are written: 0.07 is 7/100 here, which no binary number is.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/units.h"

namespace flitscope {

/// An exact decimal number from 0 up, with at most 18 digits behind the point.
class Decimal {
 public:
  static constexpr unsigned kMaxPlaces = 18;

  constexpr Decimal() = default;
  explicit constexpr Decimal(std::uint64_t whole) : whole_(whole) {}
  /// whole + quintillionths / 10^18; `quintillionths` is below 10^18.
  constexpr Decimal(std::uint64_t whole, std::uint64_t quintillionths)
      : whole_(whole), fraction_(quintillionths) {}

  /// This number times `factor`, rounded up to a whole one. The product must fit 64 bits.
  [[nodiscard]] std::uint64_t times_rounded_up(std::uint64_t factor) const;
  /// The nearest binary number.
  [[nodiscard]] double approximate() const;
  /// Without superfluous digits and without an exponent: "0.07". parse_decimal reads it back.
  [[nodiscard]] std::string text() const;

  auto operator<=>(const Decimal&) const = default;

 private:
  std::uint64_t whole_ = 0;
  std::uint64_t fraction_ = 0;  ///< in units of 10^-18, below 10^18
};

/// A number from "3", "0.07", ".5", "2." or, with a power of ten, "7e-2".
[[nodiscard]] Parsed<Decimal> parse_decimal(std::string_view text);

}  // namespace flitscope
