// Names that were nearly right, and texts from files on a terminal or in a report.
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "model/text.h"

namespace flitscope::text_test {
namespace {

TEST(Names, Distance_CountsEditsAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kind", "kind"), 0U);
  EXPECT_EQ(edit_distance("kidn", "kind"), 1U);
  EXPECT_EQ(edit_distance("bufer", "buffer"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(Names, NearestName_IsFoundIfNearEnough) {
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

TEST(Text, ControlCharactersAndLength_AreMadePrintable) {
  EXPECT_EQ(in_quotes("a\nb"), "'a\\x0ab'");
  EXPECT_EQ(in_quotes(std::string(100, 'x')), "'" + std::string(60, 'x') + "...'");
}

TEST(Text, FirstByteThatIsNotUtf8_IsFound) {
  EXPECT_FALSE(first_non_text("plain\t\r\n"));
  EXPECT_FALSE(first_non_text("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"));
  EXPECT_EQ(first_non_text(std::string_view("a\0b", 3)), 1U);
  EXPECT_EQ(first_non_text("ab\xFF"), 2U);
  EXPECT_EQ(first_non_text("a\xC3"), 1U);             // cut off
  EXPECT_EQ(first_non_text("\xC0\xAF"), 0U);          // overlong
  EXPECT_EQ(first_non_text("\xED\xA0\x80"), 0U);      // half of a surrogate pair
  EXPECT_EQ(first_non_text("\xF4\x90\x80\x80"), 0U);  // beyond Unicode
}

TEST(Printable, Letters_AreKept) {
  const std::string text = "torus-7x7 Größe шаг ステップ שלב €";
  EXPECT_EQ(printable(text), text);
}

TEST(Printable, ControlCharacters_AreEscaped) {
  EXPECT_EQ(printable("a\x1b[2J\r\n\tb\x7f"), "a\\x1b[2J\\x0d\\x0a\\x09b\\x7f");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\\u009b31m")
      << "C1: one character that begins a control sequence";
  EXPECT_EQ(printable("\x9b"
                      "31m"),
            "\\x9b31m")
      << "the same as a byte, which is no UTF-8";
}

TEST(Printable, DirectionMarks_AreEscaped) {
  EXPECT_EQ(printable("\u202egpj\u2066x\u2069\u200f\u061c"), "\\u202egpj\\u2066x\\u2069\\u200f\\u061c");
  EXPECT_EQ(printable("one\u2028two"), "one\\u2028two");
}

TEST(Printable, SeveralLines_KeepLineFeeds) {
  EXPECT_EQ(printable_lines("one\n\ntwo\r\n"), "one\n\ntwo\\x0d\n");
  EXPECT_EQ(printable_lines(""), "");
}

TEST(Printable, DelInJson_StaysJson) {
  EXPECT_EQ(printable_json("{\"name\": \"a\x7f\"}\n"), "{\"name\": \"a\\u007f\"}\n");
}

}  // namespace
}  // namespace flitscope::text_test
