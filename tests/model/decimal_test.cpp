// Decimal fractions are what is written, and products of them are exact.
#include "model/units.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace flitscope::decimal_test {
namespace {

TEST(Decimal, IsReadAndPrintedWithoutLoss) {
  const std::vector<std::pair<std::string, std::string>> table{
      {"0", "0"},
      {"0.07", "0.07"},
      {"0.1250", "0.125"},
      {"1000", "1000"},
      {"2.", "2"},
      {".5", "0.5"},
      {"007", "7"},
      {"7e-2", "0.07"},
      {"1.25E+2", "125"},
      {"1.2345e3", "1234.5"},
      {"0.3e1", "3"},
      {"0.123456789012345678", "0.123456789012345678"},
      {"18446744073709551615.000000000000000001", "18446744073709551615.000000000000000001"},
  };
  for (const auto& [written, printed] : table) {
    const auto number = parse_decimal(written);
    ASSERT_TRUE(number.value) << written << ": " << number.problem;
    EXPECT_EQ(number.value->text(), printed);
    EXPECT_EQ(*parse_decimal(printed).value, *number.value);
  }
}

TEST(Decimal, WhatIsNoneIsRefusedWithAReason) {
  for (const char* const text : {"", ".", "x", "0.5x", "1e", "1e1.5", "nan", "inf", "0x10", " 1", "1 "}) {
    EXPECT_EQ(parse_decimal(text).problem, "it must be a decimal number, such as 0.25") << text;
  }
  EXPECT_EQ(parse_decimal("-0.5").problem, "it must not be negative");
  EXPECT_EQ(parse_decimal("0.1234567890123456789").problem, "it has more than 18 digits behind the point");
  EXPECT_EQ(parse_decimal("1e-19").problem, "it has more than 18 digits behind the point");
  EXPECT_EQ(parse_decimal("1e20").problem, "it is too large");
}

TEST(Decimal, AProductIsRoundedUpFromItsExactValue) {
  const auto product = [](const char* number, std::uint64_t factor) {
    return parse_decimal(number).value->times_rounded_up(factor);
  };
  // Binary floating point makes all of these one more.
  EXPECT_EQ(product("0.07", 100), 7U);
  EXPECT_EQ(product("0.14", 50), 7U);
  EXPECT_EQ(product("0.28", 25), 7U);
  EXPECT_EQ(product("0.55", 100), 55U);
  EXPECT_EQ(product("0.56", 100), 56U);
  EXPECT_EQ(product("1.1", 50), 55U);
  // One part in 10^18 above a whole number is enough for the next one.
  EXPECT_EQ(product("0.070000000000000001", 100), 8U);
  EXPECT_EQ(product("0.069999999999999999", 100), 7U);
  EXPECT_EQ(product("0", 100), 0U);
  EXPECT_EQ(product("0.3", 0), 0U);
  EXPECT_EQ(product("1000", std::uint64_t{1} << 40), 1000 * (std::uint64_t{1} << 40));
  EXPECT_EQ(product("999.999999999999999999", std::uint64_t{1} << 40), 1000 * (std::uint64_t{1} << 40));
}

TEST(Decimal, IsOrderedBySize) {
  EXPECT_LT(*parse_decimal("0.07").value, *parse_decimal("0.1").value);
  EXPECT_LT(*parse_decimal("0.99").value, Decimal(1));
  EXPECT_DOUBLE_EQ(parse_decimal("0.07").value->approximate(), 0.07);
}

}  // namespace
}  // namespace flitscope::decimal_test
