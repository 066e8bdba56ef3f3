// Any number of threads moves every flit in the same cycle.
//
// FLITSCOPE_CASES sets how many random cases are compared (default 400).
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "routers/engine/parallel_stepper.h"
#include "tests/reference/reference_network.h"
#include "tests/routers/engine_record.h"
#include "tests/support/random_cases.h"

namespace flitscope::parallel_stepper_test {
namespace {

using reference::RandomCase;
using test::isolated;

TEST(ParallelStepper, Threads_HaveSeparateWordsOfMarks) {
  EXPECT_EQ(ParallelStepper::threads_for(64, 8), 1U);
  EXPECT_EQ(ParallelStepper::threads_for(65, 8), 2U);
  EXPECT_EQ(ParallelStepper::threads_for(512, 8), 8U);
  EXPECT_EQ(ParallelStepper::threads_for(4096, 3), 3U);
}

/// Every third one has links that differ, another third stages of its own.
RandomCase drawn(std::uint64_t seed) {
  RandomCase one = reference::large_case(seed);
  if (seed % 3 == 0) return reference::with_fractional_intervals(std::move(one));
  return seed % 3 == 1 ? reference::with_router_stages(std::move(one)) : one;
}

TEST(ParallelStepper, RandomCases_AgreeWithTheReferenceModel) {
  for (std::uint64_t seed = 0; seed < test::cases(400) / 40 && !HasFailure(); ++seed) {
    const RandomCase one = drawn(6'000'000 + seed);
    reference::ReferenceNetwork slow(one.topology, one.machine);
    reference::TimedDriver driver(one.messages);
    const reference::Outcome outcome = slow.run(driver, test::kRecordLimit);
    const std::string expected =
        test::text_of(driver.deliveries()) + test::totals(outcome.cycles, outcome.stalls);
    const std::string actual =
        isolated(one, {.until = slow.now(), .threads = static_cast<unsigned>(2 + seed % 3)});
    EXPECT_EQ(test::first_difference(expected, actual), "") << reference::description(one);
  }
}

TEST(ParallelStepper, CountersAndStalls_EqualThoseOfOneThread) {
  for (std::uint64_t seed = 0; seed < test::cases(400) / 32 && !HasFailure(); ++seed) {
    const RandomCase one = drawn(7'000'000 + seed);
    const std::uint64_t sampling_seed = 2 + 2 * seed;
    const std::string expected = isolated(one, {.sampling_seed = sampling_seed});
    for (const unsigned threads : {2U, 3U, 8U}) {
      const std::string actual = isolated(one, {.threads = threads, .sampling_seed = sampling_seed});
      EXPECT_EQ(test::first_difference(expected, actual), "")
          << threads << " threads, " << reference::description(one);
    }
  }
}

}  // namespace
}  // namespace flitscope::parallel_stepper_test
