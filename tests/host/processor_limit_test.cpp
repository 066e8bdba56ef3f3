// The processors that this process may keep busy: the machine's, less where a limit says so.
#include <gtest/gtest.h>
#include <sched.h>

#include "sim/host/process_limits.h"

namespace flitscope::processor_limit_test {
namespace {

TEST(ProcessorLimit, FollowsTheProcessesOwnMask) {
  EXPECT_GE(processor_limit(), 1U);
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(processor_limit(), 1U);
  sched_setaffinity(0, sizeof before, &before);
}

}  // namespace
}  // namespace flitscope::processor_limit_test
