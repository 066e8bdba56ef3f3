// The memory that this process may have: the machine's, less where a limit says so.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "sim/host/process_limits.h"

namespace flitscope::memory_limit_test {
namespace {

TEST(MemoryLimit, IsWithinTheMachines) {
  EXPECT_GT(memory_limit(), std::uint64_t{1} << 20);
  EXPECT_LT(memory_limit(), std::uint64_t{1} << 50);
}

TEST(MemoryLimit, FollowsTheProcessesOwnLimit) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  const rlim_t lower = rlim_t{1} << 30;
  const rlimit limited{lower, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &limited), 0);
  EXPECT_LE(memory_limit(), lower);
  setrlimit(RLIMIT_AS, &before);
}

}  // namespace
}  // namespace flitscope::memory_limit_test
