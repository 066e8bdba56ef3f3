// The memory and the processors that this process may use: those of the machine, or fewer by a limit.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include "sim/host/processes.h"

namespace flitscope::process_limits_test {
namespace {

TEST(MemoryLimit, Machine_BoundsTheLimit) {
  EXPECT_GT(memory_limit(), std::uint64_t{1} << 20);
  EXPECT_LT(memory_limit(), std::uint64_t{1} << 50);
}

TEST(MemoryLimit, LimitOfTheProcess_IsFollowed) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  const rlim_t lower = rlim_t{1} << 30;
  const rlimit limited{lower, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &limited), 0);
  EXPECT_LE(memory_limit(), lower);
  setrlimit(RLIMIT_AS, &before);
}

TEST(ProcessorLimit, MaskOfTheProcess_IsFollowed) {
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
}  // namespace flitscope::process_limits_test
