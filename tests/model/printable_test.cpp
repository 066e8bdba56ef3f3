// Texts from files before a terminal or a report.
#include <gtest/gtest.h>

#include "model/text.h"

namespace flitscope {
namespace {

TEST(Printable, LeavesLettersOfAllWritings) {
  const std::string text = "torus-7x7 Größe шаг ステップ שלב €";
  EXPECT_EQ(printable(text), text);
}

TEST(Printable, ShowsWhatControlsATerminal) {
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

TEST(Printable, ShowsWhatTurnsTheDirectionOfWriting) {
  EXPECT_EQ(printable("\u202egpj\u2066x\u2069\u200f\u061c"), "\\u202egpj\\u2066x\\u2069\\u200f\\u061c");
  EXPECT_EQ(printable("one\u2028two"), "one\\u2028two");
}

TEST(Printable, OfSeveralLinesLeavesLineFeeds) {
  EXPECT_EQ(printable_lines("one\n\ntwo\r\n"), "one\n\ntwo\\x0d\n");
  EXPECT_EQ(printable_lines(""), "");
}

}  // namespace
}  // namespace flitscope
