#include "model/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "model/numbers.h"
#include "model/text.h"

namespace flitscope {

namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

constexpr std::uint64_t kThousand = 1000;
/// Letters before "B", "bit" and "Hz": those of bits and frequencies are powers of 1000 only.
constexpr std::array<Unit, 9> kPrefixes{{
    {"", 1},
    {"k", kThousand},
    {"M", kThousand* kThousand},
    {"G", kThousand* kThousand* kThousand},
    {"T", kThousand* kThousand* kThousand* kThousand},
    {"Ki", std::uint64_t{1} << 10},
    {"Mi", std::uint64_t{1} << 20},
    {"Gi", std::uint64_t{1} << 30},
    {"Ti", std::uint64_t{1} << 40},
}};
constexpr auto kBitPrefixes = std::span(kPrefixes).first<5>();
constexpr auto kHertzPrefixes = std::span(kPrefixes).first<4>();
constexpr std::array<Unit, 5> kTimeUnits{{
    {"ps", 1},
    {"ns", kThousand},
    {"us", kThousand* kThousand},
    {"ms", kThousand* kThousand* kThousand},
    {"s", kThousand* kThousand* kThousand* kThousand},
}};
constexpr std::uint64_t kPicosecondsOfSecond = kThousand * kThousand * kThousand * kThousand;

bool is_digit(char character) {
  return character >= '0' && character <= '9';
}

/// A number and the unit behind it: mantissa / 10^decimals.
struct Quantity {
  std::uint64_t mantissa = 0;
  unsigned decimals = 0;
  std::string_view unit;
};

constexpr std::string_view kTooManyDigits = "it has too many digits";

Parsed<Quantity> split(std::string_view text) {
  Quantity result;
  std::size_t at = 0;
  bool overflow = false;
  const auto digits = [&] {
    const std::size_t start = at;
    for (; at < text.size() && is_digit(text[at]); ++at) {
      overflow |= __builtin_mul_overflow(result.mantissa, std::uint64_t{10}, &result.mantissa);
      overflow |= __builtin_add_overflow(result.mantissa, static_cast<std::uint64_t>(text[at] - '0'),
                                         &result.mantissa);
    }
    return at - start;
  };
  const std::size_t whole = digits();
  if (whole == 0) {
    return {{}, text.starts_with('-') ? "it must not be negative" : "it must begin with a digit"};
  }
  if (whole > 1 && text[0] == '0') return {{}, "it must not begin with a superfluous 0"};
  if (at < text.size() && text[at] == '.') {
    ++at;
    result.decimals = static_cast<unsigned>(digits());
    if (result.decimals == 0) return {{}, "digits must follow the decimal point"};
  }
  constexpr unsigned kMaxDecimals = 18;
  if (overflow || result.decimals > kMaxDecimals) return {{}, std::string(kTooManyDigits)};
  at = std::min(text.find_first_not_of(' ', at), text.size());
  result.unit = text.substr(at);
  return {result, {}};
}

/// The quantity in the smallest unit, exactly.
Parsed<std::uint64_t> scaled(Quantity quantity, std::uint64_t factor, std::string_view smallest) {
  std::uint64_t divisor = 1;
  for (unsigned i = 0; i < quantity.decimals; ++i) divisor *= 10;
  const std::uint64_t common = std::gcd(factor, divisor);
  factor /= common;
  divisor /= common;
  if (quantity.mantissa % divisor != 0) return {{}, fmt::format("it is not a whole number of {}", smallest)};
  std::uint64_t value = 0;
  if (__builtin_mul_overflow(quantity.mantissa / divisor, factor, &value)) {
    return {{}, std::string(kTooManyDigits)};
  }
  return {value, {}};
}

/// Units are the names in `units` with `base` behind.
Parsed<std::uint64_t> parse(std::string_view text, std::span<const Unit> units, std::string_view base,
                            std::string_view what, std::string_view known, std::string_view smallest) {
  const Parsed<Quantity> quantity = split(text);
  if (!quantity.value) return {{}, quantity.problem};
  const std::string_view unit = quantity.value->unit;
  const auto at = unit.ends_with(base)
                      ? std::ranges::find(units, unit.substr(0, unit.size() - base.size()), &Unit::name)
                      : units.end();
  if (at != units.end()) return scaled(*quantity.value, at->factor, smallest);
  if (unit.empty()) return {{}, fmt::format("a {} needs a unit: {}", what, known)};
  return {{}, fmt::format("{} is not a unit of {}: {}", in_quotes(unit), what, known)};
}

/// Without a fraction. Zero is in the last unit.
std::string in_largest_unit(std::uint64_t value, std::span<const Unit> units, std::string_view base) {
  std::string result;
  for (const Unit& unit : units) {
    if (value % unit.factor == 0) result = fmt::format("{}{}{}", value / unit.factor, unit.name, base);
  }
  return result;
}

}  // namespace

bool is_whole_number(std::string_view text) {
  if (text.empty() || !std::ranges::all_of(text, is_digit)) return false;
  return text.size() == 1 || text[0] != '0';
}

Parsed<std::uint64_t> parse_bytes(std::string_view text) {
  if (is_whole_number(text)) return parse_bytes(std::string(text) + "B");
  return parse(text, kPrefixes, "B", "size",
               "write B, kB, MB, GB, TB (powers of 1000) or KiB, MiB, GiB, TiB (powers of 1024)", "bytes");
}

std::string bytes_text(std::uint64_t bytes) {
  for (const auto& [unit, shift] : {std::pair{"GiB", 30U}, std::pair{"MiB", 20U}, std::pair{"KiB", 10U}}) {
    const std::uint64_t size = std::uint64_t{1} << shift;
    if (bytes >= size && bytes % size == 0) return fmt::format("{}{}", bytes >> shift, unit);
  }
  return fmt::format("{}B", bytes);
}

Parsed<std::uint64_t> parse_time(std::string_view text) {
  return parse(text, kTimeUnits, "", "time", "write ps, ns, us, ms or s", "picoseconds");
}

std::string time_text(std::uint64_t picoseconds) {
  return picoseconds == 0 ? "0ps" : in_largest_unit(picoseconds, kTimeUnits, "");
}

Parsed<std::uint64_t> parse_bandwidth(std::string_view text) {
  constexpr std::string_view kKnown =
      "write B/s, kB/s, MB/s, GB/s or TB/s, or Gbit/s and its like (powers of 1000)";
  if (!text.ends_with("/s")) return {{}, fmt::format("a bandwidth needs a unit: {}", kKnown)};
  const std::string_view amount = text.substr(0, text.size() - 2);
  if (!amount.ends_with("bit")) return parse(amount, kPrefixes, "B", "bandwidth", kKnown, "bytes a second");
  const auto bits = parse(amount, kBitPrefixes, "bit", "bandwidth", kKnown, "bits a second");
  if (!bits.value || *bits.value % 8 == 0)
    return {bits.value ? std::optional(*bits.value / 8) : bits.value, bits.problem};
  return {{}, "it is not a whole number of bytes a second"};
}

std::string bandwidth_text(std::uint64_t bytes_per_second) {
  for (std::size_t unit = 4; unit > 0; --unit) {
    const std::uint64_t factor = kPrefixes[unit].factor;
    if (bytes_per_second < factor || bytes_per_second * kThousand % factor != 0) continue;
    return fmt::format("{}{}B/s", static_cast<double>(bytes_per_second) / static_cast<double>(factor),
                       kPrefixes[unit].name);
  }
  return fmt::format("{}B/s", bytes_per_second);
}

// --- ClockPeriod ------------------------------------------------------------------------------------------

Parsed<ClockPeriod> ClockPeriod::parse(std::string_view text) {
  if (text.ends_with("Hz")) {
    const auto hertz =
        flitscope::parse(text, kHertzPrefixes, "Hz", "frequency", "write Hz, kHz, MHz or GHz", "hertz");
    if (!hertz.value) return {{}, hertz.problem};
    if (*hertz.value == 0 || *hertz.value > kPicosecondsOfSecond) return {{}, "it is out of range"};
    const std::uint64_t common = std::gcd(kPicosecondsOfSecond, *hertz.value);
    return {ClockPeriod(kPicosecondsOfSecond / common, *hertz.value / common), ""};
  }
  const auto length = parse_time(text);
  if (!length.value) return {{}, length.problem};
  if (*length.value == 0 || *length.value > kPicosecondsOfSecond) return {{}, "it is out of range"};
  return {ClockPeriod(*length.value), ""};
}

std::optional<std::uint64_t> ClockPeriod::cycles_of(std::uint64_t picoseconds) const {
  using Wide = unsigned __int128;
  if (Wide{picoseconds} * cycles_ % picoseconds_ != 0) return std::nullopt;
  return cycles_within(picoseconds);
}

std::uint64_t ClockPeriod::cycles_within(std::uint64_t picoseconds) const {
  using Wide = unsigned __int128;
  const Wide cycles = Wide{picoseconds} * cycles_ / picoseconds_;
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  return cycles > kMost ? kMost : static_cast<std::uint64_t>(cycles);
}

std::string ClockPeriod::text() const {
  if (cycles_ == 1) return time_text(picoseconds_);
  return in_largest_unit(kPicosecondsOfSecond / picoseconds_ * cycles_, kHertzPrefixes, "Hz");
}

std::string readable_time(double seconds) {
  constexpr std::array<std::pair<double, const char*>, 4> kUnits{
      {{1.0, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};
  for (const auto& [size, name] : kUnits) {
    if (seconds >= size) return fmt::format("{:.5g} {}", seconds / size, name);
  }
  return fmt::format("{:.5g} ns", seconds * 1e9);
}

namespace {

constexpr std::uint64_t kUnit = 1'000'000'000'000'000'000;  // 10^18, places of the fraction

/// Digits from `at` on, which is behind them afterwards.
std::string_view digits_from(std::string_view text, std::size_t& at) {
  const std::size_t first = at;
  at = std::min(text.find_first_not_of("0123456789", at), text.size());
  return text.substr(first, at - first);
}

}  // namespace

std::uint64_t Decimal::times_rounded_up(std::uint64_t factor) const {
  using Wide = unsigned __int128;
  const Wide parts = Wide{fraction_} * factor;
  return whole_ * factor + static_cast<std::uint64_t>((parts + (kUnit - 1)) / kUnit);
}

double Decimal::approximate() const {
  return std::strtod(text().c_str(), nullptr);
}

std::string Decimal::text() const {
  if (fraction_ == 0) return fmt::format("{}", whole_);
  std::string text = fmt::format("{}.{:018}", whole_, fraction_);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

Parsed<Decimal> parse_decimal(std::string_view text) {
  constexpr std::string_view kNoNumber = "it must be a decimal number, such as 0.25";
  if (text.starts_with('-')) return {{}, "it must not be negative"};
  std::size_t at = 0;
  std::string digits(digits_from(text, at));
  std::size_t point = digits.size();  // digits before it
  if (at < text.size() && text[at] == '.') digits += digits_from(text, ++at);
  if (digits.empty()) return {{}, std::string(kNoNumber)};
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && text[at] == '+') ++at;
    int exponent = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), exponent);
    constexpr int kMaxExponent = 1000;
    if (error != std::errc() || std::abs(exponent) > kMaxExponent) return {{}, std::string(kNoNumber)};
    at = static_cast<std::size_t>(end - text.data());
    if (exponent < 0) {
      digits.insert(0, static_cast<std::size_t>(-exponent), '0');
    } else {
      const std::size_t wanted = point + static_cast<std::size_t>(exponent);
      digits.resize(std::max(digits.size(), wanted), '0');
      point = wanted;
    }
  }
  if (at != text.size()) return {{}, std::string(kNoNumber)};

  std::string whole = "0" + digits.substr(0, point);
  std::string fraction = digits.substr(point);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  if (fraction.size() > Decimal::kMaxPlaces) {
    return {{}, fmt::format("it has more than {} digits behind the point", Decimal::kMaxPlaces)};
  }
  fraction.resize(Decimal::kMaxPlaces, '0');
  std::uint64_t parts = 0;
  std::from_chars(fraction.data(), fraction.data() + fraction.size(), parts);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(whole.data(), whole.data() + whole.size(), value);
  if (error != std::errc()) return {{}, "it is too large"};
  return {Decimal(value, parts), ""};
}

Ratio::Ratio(std::uint32_t numerator, std::uint32_t denominator)
    : numerator_(numerator / std::gcd(numerator, denominator)),
      denominator_(denominator / std::gcd(numerator, denominator)) {}

Ratio Ratio::nearest(double value) {
  constexpr double kRounding = 1e-12;
  Ratio best;
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t below = 1; below <= kMaxDenominator; ++below) {
    const double above = std::round(value * below);
    const double error = std::abs(above / below - value);
    if (error >= least - kRounding * value) continue;
    least = error;
    best = {static_cast<std::uint32_t>(above), below};
  }
  return best;
}

std::string Ratio::text() const {
  return is_whole() ? fmt::format("{}", numerator_) : fmt::format("{}/{}", numerator_, denominator_);
}

Parsed<Ratio> parse_ratio(std::string_view text) {
  constexpr std::string_view kNoFraction = "it must be a whole number or a fraction, such as 3/2";
  const std::size_t line = text.find('/');
  const std::string_view below = line == std::string_view::npos ? "1" : text.substr(line + 1);
  const auto number = [](std::string_view digits) -> std::optional<std::uint32_t> {
    return is_whole_number(digits) ? number_in<std::uint32_t>(digits) : std::nullopt;
  };
  const auto numerator = number(text.substr(0, line));
  const auto denominator = number(below);
  if (!numerator || !denominator || *denominator == 0) return {{}, std::string(kNoFraction)};
  if (*numerator < *denominator) return {{}, "it must be at least 1"};
  const Ratio ratio(*numerator, *denominator);
  if (ratio.denominator() > Ratio::kMaxDenominator) {
    return {{}, fmt::format("it has more than {} below the line", Ratio::kMaxDenominator)};
  }
  return {ratio, ""};
}

}  // namespace flitscope
