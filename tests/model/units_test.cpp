// Sizes, times and decimal fractions as text.
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "model/text.h"
#include "model/units.h"

namespace flitscope::units_test {
namespace {

TEST(Units, Bytes_AreReadWithAndWithoutUnit) {
  const std::vector<std::pair<std::string, std::uint64_t>> table{
      {"0", 0},
      {"512", 512},
      {"64B", 64},
      {"4KiB", 4096},
      {"1 MiB", 1 << 20},
      {"2GiB", std::uint64_t{2} << 30},
      {"1TiB", std::uint64_t{1} << 40},
      {"1kB", 1000},
      {"3MB", 3'000'000},
      {"1.5GB", 1'500'000'000},
      {"1TB", 1'000'000'000'000},
      {"0.5KiB", 512},
      {"1.50KiB", 1536},
      {"18446744073709551615", std::numeric_limits<std::uint64_t>::max()},
  };
  for (const auto& [text, value] : table) EXPECT_EQ(parse_bytes(text).value, value) << text;
}

TEST(Units, Times_AreReadInPicoseconds) {
  const std::vector<std::pair<std::string, std::uint64_t>> table{
      {"1ps", 1},
      {"8ns", 8'000},
      {"1.5us", 1'500'000},
      {"30us", 30'000'000},
      {"2 ms", 2'000'000'000},
      {"1s", 1'000'000'000'000},
      {"0.625ns", 625},
      {"0us", 0},
      {"0.000000000001s", 1},
  };
  for (const auto& [text, value] : table) EXPECT_EQ(parse_time(text).value, value) << text;
}

TEST(Units, OtherText_IsRefusedAsASizeWithTheReason) {
  const std::vector<std::pair<std::string, std::string>> table{
      {"", "begin with a digit"},
      {"x", "begin with a digit"},
      {"-5B", "negative"},
      {"4KB", "'KB' is not a unit of size"},
      {"4K", "KiB"},
      {"64b", "'b' is not a unit"},
      {"30us", "'us' is not a unit of size"},
      {"4KiB/s", "not a unit"},
      {"0.3B", "not a whole number of bytes"},
      {"1.5", "needs a unit"},
      {"1.B", "digits must follow"},
      {"1e3", "'e3' is not a unit"},
      {"1_000", "not a unit"},
      {"007", "superfluous 0"},
      {"18446744073709551616", "too many digits"},
      {"99999999TiB", "too many digits"},
      {"0.0000000000000000001TiB", "too many digits"},
  };
  for (const auto& [text, word] : table) {
    const auto parsed = parse_bytes(text);
    EXPECT_FALSE(parsed.value) << text;
    EXPECT_NE(parsed.problem.find(word), std::string::npos) << text << ": " << parsed.problem;
  }
}

TEST(Units, OtherText_IsRefusedAsATimeWithTheReason) {
  const std::vector<std::pair<std::string, std::string>> table{
      {"30", "needs a unit: write ps, ns, us, ms or s"},
      {"4KiB", "'KiB' is not a unit of time"},
      {"1min", "'min' is not a unit"},
      {"5NS", "not a unit"},
      {"0.1ps", "not a whole number of picoseconds"},
      {"99999999s", "too many digits"},
  };
  for (const auto& [text, word] : table) {
    const auto parsed = parse_time(text);
    EXPECT_FALSE(parsed.value) << text;
    EXPECT_NE(parsed.problem.find(word), std::string::npos) << text << ": " << parsed.problem;
  }
}

TEST(Units, TimeText_IsReadBack) {
  EXPECT_EQ(time_text(1000), "1ns");
  EXPECT_EQ(time_text(1500), "1500ps");
  EXPECT_EQ(time_text(30'000'000), "30us");
  for (const std::uint64_t time : std::array<std::uint64_t, 5>{0, 1, 625, 2'000'000'000'000, 1'000'000}) {
    EXPECT_EQ(parse_time(time_text(time)).value, time);
  }
}

TEST(Units, BytesText_IsReadBack) {
  EXPECT_EQ(bytes_text(0), "0B");
  EXPECT_EQ(bytes_text(1000), "1000B");
  EXPECT_EQ(bytes_text(4096), "4KiB");
  EXPECT_EQ(bytes_text((1U << 20) + 1024), "1025KiB");
  for (const std::uint64_t bytes : std::array<std::uint64_t, 4>{1, 1536, 1U << 30, std::uint64_t{1} << 40}) {
    EXPECT_EQ(parse_bytes(bytes_text(bytes)).value, bytes);
  }
}

TEST(Decimal, Text_IsReadAndPrintedWithoutLoss) {
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

TEST(Decimal, OtherText_IsRefusedWithAReason) {
  for (const char* const text : {"", ".", "x", "0.5x", "1e", "1e1.5", "nan", "inf", "0x10", " 1", "1 "}) {
    EXPECT_EQ(parse_decimal(text).problem, "it must be a decimal number, such as 0.25") << text;
  }
  EXPECT_EQ(parse_decimal("-0.5").problem, "it must not be negative");
  EXPECT_EQ(parse_decimal("0.1234567890123456789").problem, "it has more than 18 digits behind the point");
  EXPECT_EQ(parse_decimal("1e-19").problem, "it has more than 18 digits behind the point");
  EXPECT_EQ(parse_decimal("1e20").problem, "it is too large");
}

TEST(Decimal, Product_IsRoundedUpFromItsExactValue) {
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

TEST(Decimal, Numbers_AreOrderedBySize) {
  EXPECT_LT(*parse_decimal("0.07").value, *parse_decimal("0.1").value);
  EXPECT_LT(*parse_decimal("0.99").value, Decimal(1));
  EXPECT_DOUBLE_EQ(parse_decimal("0.07").value->approximate(), 0.07);
}

TEST(Bandwidth, Text_IsBytesASecond) {
  EXPECT_EQ(parse_bandwidth("200GB/s").value, 200'000'000'000U);
  EXPECT_EQ(parse_bandwidth("12.5 GB/s").value, 12'500'000'000U);
  EXPECT_EQ(parse_bandwidth("400Gbit/s").value, 50'000'000'000U);
  EXPECT_EQ(parse_bandwidth("1GiB/s").value, 1U << 30);
  EXPECT_EQ(bandwidth_text(200'000'000'000), "200GB/s");
  EXPECT_EQ(bandwidth_text(12'500'000'000), "12.5GB/s");
  EXPECT_EQ(bandwidth_text(1), "1B/s");
  EXPECT_EQ(parse_bandwidth(bandwidth_text(1U << 30)).value, 1U << 30);
}

TEST(Bandwidth, OtherText_IsRefusedWithAReason) {
  EXPECT_NE(parse_bandwidth("200GB").problem.find("a bandwidth needs a unit: write B/s"), std::string::npos);
  EXPECT_NE(parse_bandwidth("200Gb/s").problem.find("'Gb' is not a unit of bandwidth"), std::string::npos);
  EXPECT_EQ(parse_bandwidth("1bit/s").problem, "it is not a whole number of bytes a second");
  EXPECT_EQ(parse_bandwidth("-1GB/s").problem, "it must not be negative");
}

TEST(ClockPeriod, FrequencyAndTime_AreExact) {
  EXPECT_EQ(ClockPeriod::parse("1GHz").value, ClockPeriod(1000));
  EXPECT_EQ(ClockPeriod::parse("2.5GHz").value, ClockPeriod(400));
  const ClockPeriod clock = *ClockPeriod::parse("1.75GHz").value;
  EXPECT_EQ(clock.cycles_of(20'000), 35U);  // 20 ns
  EXPECT_EQ(clock.cycles_of(10'000), std::nullopt);
  EXPECT_EQ(clock.cycles_within(10'000), 17U);
  EXPECT_DOUBLE_EQ(clock.nanoseconds(7), 4);
  EXPECT_EQ(clock.whole_picoseconds(), 571U);
}

TEST(ClockPeriod, Text_IsReadBack) {
  for (const char* const text : {"1ns", "571ps", "1750MHz", "3GHz", "1s", "333333333Hz"}) {
    EXPECT_EQ(ClockPeriod::parse(text).value->text(), text);
  }
  EXPECT_EQ(ClockPeriod::parse("1GHz").value->text(), "1ns");
}

TEST(ClockPeriod, OtherText_IsRefusedWithAReason) {
  EXPECT_EQ(ClockPeriod::parse("0ns").problem, "it is out of range");
  EXPECT_EQ(ClockPeriod::parse("2s").problem, "it is out of range");
  EXPECT_EQ(ClockPeriod::parse("0GHz").problem, "it is out of range");
  EXPECT_NE(ClockPeriod::parse("1THz").problem.find("'THz' is not a unit of frequency"), std::string::npos);
}

TEST(ReadableTime, IsInTheUnitThatFits) {
  EXPECT_EQ(readable_time(12.106e-6), "12.106 us");
  EXPECT_EQ(readable_time(341e-9), "341 ns");
  EXPECT_EQ(readable_time(0.5e-9), "0.5 ns");
  EXPECT_EQ(readable_time(2), "2 s");
  EXPECT_EQ(readable_time(0), "0 ns");
}

TEST(Ratio, IsInLowestTermsAndOrderedByValue) {
  EXPECT_EQ(Ratio(6, 4), Ratio(3, 2));
  EXPECT_LT(Ratio(4, 3), Ratio(3, 2));
  EXPECT_GT(Ratio(3, 2), Ratio(1));
  EXPECT_EQ(Ratio(3, 2).rounded_up(), 2U);
  EXPECT_EQ(Ratio(2).rounded_up(), 2U);
  EXPECT_EQ(Ratio(3, 2).times_rounded_down(5), 7U);
  EXPECT_EQ(parse_ratio(Ratio(7, 3).text()).value, Ratio(7, 3));
}

TEST(Ratio, Nearest_IsExactWhereItCanBe) {
  EXPECT_EQ(Ratio::nearest(1.5), Ratio(3, 2));
  EXPECT_EQ(Ratio::nearest(4.0 / 3), Ratio(4, 3));
  EXPECT_EQ(Ratio::nearest(1001.0 / 1000), Ratio(1001, 1000));
  for (double value = 1; value < 3; value += 0.000137) {
    EXPECT_NEAR(Ratio::nearest(value).approximate() / value, 1, 0.0005) << value;
  }
}

}  // namespace
}  // namespace flitscope::units_test
