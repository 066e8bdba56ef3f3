#include "model/decimal.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace flitscope {

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

}  // namespace flitscope
