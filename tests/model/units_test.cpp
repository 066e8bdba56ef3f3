// Sizes, times, and names that were nearly right.
#include "model/units.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "model/text.h"

namespace flitscope::units_test {
namespace {

TEST(Units, BytesAreReadWithAndWithoutUnit) {
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

TEST(Units, TimesAreReadInPicoseconds) {
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

TEST(Units, WhatIsNoSizeIsRefusedWithTheReason) {
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

TEST(Units, WhatIsNoTimeIsRefusedWithTheReason) {
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

TEST(Units, TimeTextIsReadBack) {
  EXPECT_EQ(time_text(1000), "1ns");
  EXPECT_EQ(time_text(1500), "1500ps");
  EXPECT_EQ(time_text(30'000'000), "30us");
  for (const std::uint64_t time : std::array<std::uint64_t, 5>{0, 1, 625, 2'000'000'000'000, 1'000'000}) {
    EXPECT_EQ(parse_time(time_text(time)).value, time);
  }
}

TEST(Units, WritesBytesSoThatTheyAreReadBack) {
  EXPECT_EQ(bytes_text(0), "0B");
  EXPECT_EQ(bytes_text(1000), "1000B");
  EXPECT_EQ(bytes_text(4096), "4KiB");
  EXPECT_EQ(bytes_text((1U << 20) + 1024), "1025KiB");
  for (const std::uint64_t bytes : std::array<std::uint64_t, 4>{1, 1536, 1U << 30, std::uint64_t{1} << 40}) {
    EXPECT_EQ(parse_bytes(bytes_text(bytes)).value, bytes);
  }
}

TEST(Names, DistanceCountsEditsAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kind", "kind"), 0U);
  EXPECT_EQ(edit_distance("kidn", "kind"), 1U);
  EXPECT_EQ(edit_distance("bufer", "buffer"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(Names, TheNearestIsFoundOrNone) {
  const std::vector<std::string> names{"switching", "routing", "virtual_channels", "buffer", "delay"};
  const std::vector<std::pair<std::string, std::string>> table{
      {"bufer", "buffer"},
      {"BUFFER", "buffer"},
      {"virtual-channels", "virtual_channels"},
      {"virtual_chanels", "virtual_channels"},
      {"buffer_size", "buffer"},
      {"rooting", "routing"},
      {"dealy", "delay"},
  };
  for (const auto& [name, nearest] : table) EXPECT_EQ(nearest_name(name, names), nearest) << name;
  for (const std::string name : {"", "shape", "x", "engine"}) EXPECT_FALSE(nearest_name(name, names)) << name;
  EXPECT_EQ(did_you_mean("bufer", names), "; did you mean 'buffer'?");
  EXPECT_EQ(did_you_mean("engine", names), "");
}

TEST(Text, ControlCharactersAndLengthDoNotSpoilMessages) {
  EXPECT_EQ(in_quotes("a\nb"), "'a\\x0ab'");
  EXPECT_EQ(in_quotes(std::string(100, 'x')), "'" + std::string(60, 'x') + "...'");
}

TEST(Text, TheFirstByteThatIsNoUtf8IsFound) {
  EXPECT_FALSE(first_non_text("plain\t\r\n"));
  EXPECT_FALSE(first_non_text("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"));
  EXPECT_EQ(first_non_text(std::string_view("a\0b", 3)), 1U);
  EXPECT_EQ(first_non_text("ab\xFF"), 2U);
  EXPECT_EQ(first_non_text("a\xC3"), 1U);             // cut off
  EXPECT_EQ(first_non_text("\xC0\xAF"), 0U);          // overlong
  EXPECT_EQ(first_non_text("\xED\xA0\x80"), 0U);      // half of a surrogate pair
  EXPECT_EQ(first_non_text("\xF4\x90\x80\x80"), 0U);  // beyond Unicode
}

}  // namespace
}  // namespace flitscope::units_test
