// Which of several waits is reported.
#include "sim/observe/flits/latency.h"

#include <gtest/gtest.h>

namespace flitscope::waits_test {
namespace {

TEST(Waits, EquallyLongStalls_TheOneThatEndedFirstIsReported) {
  const Topology line(TopologyKind::mesh, {3});
  Waits waits(line);
  // In the order in which they end.
  waits.stalled({.from = 0, .cycles = 2, .node = 1, .vc = {}, .message = 7, .culprit = 1});
  waits.stalled({.from = 4, .cycles = 5, .node = 1, .vc = {}, .message = 7, .culprit = 2});
  waits.stalled({.from = 10, .cycles = 5, .node = 1, .vc = {}, .message = 7, .culprit = 3});
  waits.stalled({.from = 11, .cycles = 5, .node = 1, .vc = {}, .message = 8, .culprit = 4});
  const Wait* const of_link = waits.of(line.channel(1, 0));
  ASSERT_NE(of_link, nullptr);
  EXPECT_EQ(of_link->from, 4U);
  EXPECT_EQ(of_link->culprit, 2U);
  const auto longest = waits.take(7);
  ASSERT_TRUE(longest);
  EXPECT_EQ(longest->from, 4U);
  EXPECT_FALSE(waits.take(7));
}

}  // namespace
}  // namespace flitscope::waits_test
