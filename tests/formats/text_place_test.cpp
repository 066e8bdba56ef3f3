// Line and column of a byte.
#include "params/diagnostics.h"

#include <gtest/gtest.h>

namespace flitscope::text_place_test {
namespace {

TEST(TextPlace, LinesAndColumns_CountFromOne) {
  EXPECT_EQ(SourceLocation::in("f", "", 0).text(), "f:1:1");
  EXPECT_EQ(SourceLocation::in("f", "ab\ncd", 1).text(), "f:1:2");
  EXPECT_EQ(SourceLocation::in("f", "ab\ncd", 2).text(), "f:1:3");
  EXPECT_EQ(SourceLocation::in("f", "ab\ncd", 3).text(), "f:2:1");
  EXPECT_EQ(SourceLocation::in("f", "ab\ncd", 99).text(), "f:2:3");
}

}  // namespace
}  // namespace flitscope::text_place_test
