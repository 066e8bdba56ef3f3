// Line and column of a byte.
#include "sim/formats/foreign/format.h"

#include <gtest/gtest.h>

namespace flitscope::text_place_test {
namespace {

TEST(TextPlace, LinesAndColumns_CountFromOne) {
  EXPECT_EQ(text_place("f", "", 0), "f:1:1: ");
  EXPECT_EQ(text_place("f", "ab\ncd", 1), "f:1:2: ");
  EXPECT_EQ(text_place("f", "ab\ncd", 2), "f:1:3: ");
  EXPECT_EQ(text_place("f", "ab\ncd", 3), "f:2:1: ");
  EXPECT_EQ(text_place("f", "ab\ncd", 99), "f:2:3: ");
}

}  // namespace
}  // namespace flitscope::text_place_test
