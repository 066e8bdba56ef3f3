// Which passage of a worm over a link an event belongs to.
#include "sim/report/worm_tracker.h"

#include <gtest/gtest.h>

namespace flitscope {
namespace {

TEST(WormTracker, IsOfAMessageOverAVcOfAChannel) {
  WormTracker passing(2);
  EXPECT_EQ(passing.number(1, 0, 7, 0), 0U);
  EXPECT_EQ(passing.number(1, 0, 7, 1), 0U);
  EXPECT_EQ(passing.number(1, 3, 7, 1), 1U) << "another VC";
  EXPECT_EQ(passing.number(0, 0, 7, 2), 2U) << "another channel";
}

TEST(WormTracker, TheNextGrantMayStandBeforeTheTail) {
  WormTracker passing(1);
  EXPECT_EQ(passing.number(0, 0, 7, 0), 0U);
  EXPECT_EQ(passing.number(0, 0, 8, 1), 1U);
  EXPECT_EQ(passing.number(0, 0, 7, 2), 0U);
  EXPECT_EQ(passing.number(0, 0, 8, 2), 1U);
  EXPECT_EQ(passing.number(0, 0, 9, 2), 2U);
  EXPECT_EQ(passing.number(0, 0, 8, 3), 1U);
}

}  // namespace
}  // namespace flitscope
