// Quantities as text: sizes such as "4KiB", times such as "1.5us", decimal fractions.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace flitscope {

/// A value read from text, or the problem of the text.
template <typename T>
struct Parsed {
  std::optional<T> value;
  /// Empty if there is a value.
  std::string problem;
};

/// True for a whole number: digits without sign, leading zeros, separators or exponent.
[[nodiscard]] bool is_whole_number(std::string_view text);

/// Bytes from "512", "64B", "4KiB", "1 MiB", "1.5GB": a plain number counts bytes; kB, MB, GB, TB are powers
/// of 1000, KiB, MiB, GiB, TiB powers of 1024. The case of letters counts (b is not a byte). A decimal
/// fraction must come to whole bytes.
[[nodiscard]] Parsed<std::uint64_t> parse_bytes(std::string_view text);

/// A size in the largest of GiB, MiB, KiB and B that needs no fraction: 4096 is "4KiB", 1000 is "1000B".
/// parse_bytes reads it back.
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);

/// Picoseconds from "30us", "8 ns", "1.5us"; the units are ps, ns, us, ms and s, and one is required. A
/// decimal fraction must come to whole picoseconds.
[[nodiscard]] Parsed<std::uint64_t> parse_time(std::string_view text);

/// A time in the largest unit that needs no fraction: 1500 is "1500ps", 1000 is "1ns". parse_time reads it
/// back.
[[nodiscard]] std::string time_text(std::uint64_t picoseconds);

/// Bytes a second from "25GB/s" or "400Gbit/s": sizes of bytes as above, or bit, kbit, Mbit, Gbit, Tbit
/// (powers of 1000), with "/s" behind. A decimal fraction must come to whole bytes a second.
[[nodiscard]] Parsed<std::uint64_t> parse_bandwidth(std::string_view text);

/// Bytes a second in the largest of TB/s, GB/s, MB/s, kB/s and B/s that needs at most three decimals:
/// "12.5GB/s".
[[nodiscard]] std::string bandwidth_text(std::uint64_t bytes_per_second);

/// The length of a cycle, exactly.
class ClockPeriod {
 public:
  /// A cycle of some picoseconds, at least one.
  explicit constexpr ClockPeriod(std::uint64_t picoseconds) : picoseconds_(picoseconds) {}
  /// "1ns", "571ps", or a frequency such as "1.75GHz" (Hz, kHz, MHz, GHz): from 1ps to 1s.
  [[nodiscard]] static Parsed<ClockPeriod> parse(std::string_view text);

  /// The cycles that a time takes; nothing if they are not whole.
  [[nodiscard]] std::optional<std::uint64_t> cycles_of(std::uint64_t picoseconds) const;
  /// Complete cycles in a time.
  [[nodiscard]] std::uint64_t cycles_within(std::uint64_t picoseconds) const;
  [[nodiscard]] double seconds(double cycles) const {
    return cycles * static_cast<double>(picoseconds_) / static_cast<double>(cycles_) / 1e12;
  }
  [[nodiscard]] double nanoseconds(double cycles) const { return seconds(cycles) * 1e9; }
  /// The nearest whole number of picoseconds, at least one: for kernels and files that count these.
  [[nodiscard]] std::uint64_t whole_picoseconds() const {
    return std::max(std::uint64_t{1}, (picoseconds_ + cycles_ / 2) / cycles_);
  }
  /// As a time or, if that is not whole, as a frequency. parse() reads it back.
  [[nodiscard]] std::string text() const;

  bool operator==(const ClockPeriod&) const = default;

 private:
  constexpr ClockPeriod(std::uint64_t picoseconds, std::uint64_t cycles)
      : picoseconds_(picoseconds), cycles_(cycles) {}

  std::uint64_t picoseconds_;  ///< of `cycles_` cycles
  std::uint64_t cycles_ = 1;
};

/// A time with five digits in the unit that fits: "12.11 us", "341 ns".
[[nodiscard]] std::string readable_time(double seconds);

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

/// A fraction of whole numbers, at least 1, in lowest terms.
class Ratio {
 public:
  static constexpr std::uint32_t kMaxDenominator = 1024;

  /// A whole number, such as 1.
  constexpr Ratio(std::uint32_t whole = 1)  // NOLINT(google-explicit-constructor): is that number
      : numerator_(whole) {}
  Ratio(std::uint32_t numerator, std::uint32_t denominator);
  /// The nearest with at most kMaxDenominator below the line, of equally near ones the simplest. `value` is
  /// from 1 to 2^20.
  [[nodiscard]] static Ratio nearest(double value);

  [[nodiscard]] constexpr std::uint32_t numerator() const { return numerator_; }
  [[nodiscard]] constexpr std::uint32_t denominator() const { return denominator_; }
  [[nodiscard]] constexpr bool is_whole() const { return denominator_ == 1; }
  [[nodiscard]] constexpr double approximate() const {
    return static_cast<double>(numerator_) / static_cast<double>(denominator_);
  }
  [[nodiscard]] constexpr std::uint32_t rounded_up() const { return (numerator_ - 1) / denominator_ + 1; }
  /// This times `factor`, rounded down to a whole number. The product must fit 64 bits.
  [[nodiscard]] constexpr std::uint64_t times_rounded_down(std::uint64_t factor) const {
    return factor / denominator_ * numerator_ + factor % denominator_ * numerator_ / denominator_;
  }
  /// "3/2", "4". parse_ratio reads it back.
  [[nodiscard]] std::string text() const;

  constexpr bool operator==(const Ratio&) const = default;
  constexpr std::strong_ordering operator<=>(const Ratio& other) const {
    return std::uint64_t{numerator_} * other.denominator_ <=> std::uint64_t{other.numerator_} * denominator_;
  }

 private:
  std::uint32_t numerator_;
  std::uint32_t denominator_ = 1;
};

/// A fraction from "3/2" or "4", at least 1 and with at most Ratio::kMaxDenominator below the line.
[[nodiscard]] Parsed<Ratio> parse_ratio(std::string_view text);

/// A number from "3", "0.07", ".5", "2." or, with a power of ten, "7e-2".
[[nodiscard]] Parsed<Decimal> parse_decimal(std::string_view text);

}  // namespace flitscope
