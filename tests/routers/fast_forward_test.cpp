// Counted cycles give exactly the results of cycles that are run.
//
// FLITSCOPE_CASES sets how many random cases are compared (default 400).
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>

#include "tests/reference/reference_network.h"
#include "tests/routers/engine_record.h"
#include "tests/support/random_cases.h"

namespace flitscope::fast_forward_test {
namespace {

using reference::RandomCase;
using test::isolated;

/// The case of that seed with worms of thousands of flits among short ones, where the switching lets them be.
RandomCase long_case(std::uint64_t seed) {
  RandomCase result = reference::random_case(5'000'000 + seed);
  std::mt19937_64 random(seed);
  if (seed % 6 == 0) result = reference::with_unequal_links(std::move(result));
  if (seed % 6 == 3) result = reference::with_fractional_intervals(std::move(result));
  if (seed % 4 == 1) result = reference::with_router_stages(std::move(result));
  const auto one_in = [&](unsigned n) { return random() % n == 0; };
  if (result.machine.switching != Switching::wormhole) return result;
  result.messages.resize(std::min<std::size_t>(result.messages.size(), 4 + random() % 60));
  for (auto& message : result.messages) {
    if (message.released_by && *message.released_by >= result.messages.size()) message.released_by.reset();
    if (!one_in(4))
      message.packet.flits = static_cast<std::uint32_t>(1 + random() % (one_in(3) ? 4000 : 400));
  }
  return result;
}

TEST(FastForward, RandomCases_AgreeWithTheReferenceModel) {
  Cycle skipped = 0;
  for (std::uint64_t seed = 0; seed < test::cases(400) / 4 && !HasFailure(); ++seed) {
    const RandomCase random_case = long_case(seed);
    reference::ReferenceNetwork slow(random_case.topology, random_case.machine);
    reference::TimedDriver driver(random_case.messages);
    const reference::Outcome outcome = slow.run(driver, test::kRecordLimit);
    const std::string expected =
        test::text_of(driver.deliveries()) + test::totals(outcome.cycles, outcome.stalls);
    const std::string actual = isolated(random_case, {.until = slow.now()}, &skipped);
    EXPECT_EQ(test::first_difference(expected, actual), "")
        << "seed " << seed << ": " << description(random_case);
  }
  EXPECT_GT(skipped, 100 * test::cases(400));
}

TEST(FastForward, LongMessage_RunsFewCyclesUnlessOff) {
  RandomCase one{0, Topology(TopologyKind::torus, {8}), {}, {}};
  one.machine.virtual_channels = 2;
  auto& message = one.messages.emplace_back();
  message.packet.destination = 3;
  message.packet.flits = 100'000;
  Cycle skipped = 0;
  const std::string counted = isolated(one, {}, &skipped);
  EXPECT_GT(skipped, 99'900U);
  skipped = 0;
  EXPECT_EQ(isolated(one, {.fast_forward = false}, &skipped), counted);
  EXPECT_EQ(skipped, 0U);
}

/// Reads all counters after random cycles.
void expect_the_same_counters(std::uint64_t seed) {
  const RandomCase random_case = long_case(1'000'000 + seed);
  const std::string expected = isolated(random_case, {.fast_forward = false, .sampling_seed = 1 + seed});
  EXPECT_EQ(test::first_difference(expected, isolated(random_case, {.sampling_seed = 1 + seed})), "")
      << "seed " << seed << ": " << description(random_case);
}

TEST(FastForward, CountersReadInAnyCycle_AreExact) {
  for (std::uint64_t seed = 0; seed < test::cases(400) / 4 && !HasFailure(); ++seed) {
    expect_the_same_counters(seed);
  }
}

TEST(FastForward, IdleCyclesInAPeriod_AreCountedExactly) {
  for (const std::uint32_t interval : {1U, 2U, 5U, 8U, 24U}) {
    RandomCase one{0, Topology(TopologyKind::torus, {8}), {}, {}};
    one.machine.virtual_channels = 2;
    one.machine.injection_interval = interval;
    auto& message = one.messages.emplace_back();
    message.packet.destination = 3;
    message.packet.flits = 10'000;
    const std::string counted = run_isolated([&] {
      Network network("network", one.topology, one.machine);
      ClockDomain& clock = network.clock();
      reference::TimedDriver driver(one.messages);
      network.run(driver);
      EXPECT_GT(clock.cycles_skipped(), 9'900 * interval);
      return fmt::format("{} cycles, {} flit-hops", clock.last_delivery(), clock.core().flit_hops());
    });
    // Zero-load latency, in docs/timing.md.
    EXPECT_EQ(counted, fmt::format("{} cycles, 30000 flit-hops", 4 * 2 + 9'999 * interval));
  }
}

/// Simulates for random times, mostly between two cycles, and looks at the network after each.
std::string looked_at_from_outside(const RandomCase& random_case, bool fast_forward) {
  Network network("network", random_case.topology, random_case.machine);
  ClockDomain& clock = network.clock();
  clock.set_fast_forward(fast_forward);
  reference::TimedDriver driver(random_case.messages);
  clock.drive(driver, test::kRecordLimit);
  std::mt19937_64 random(random_case.seed);
  std::string text;
  for (unsigned i = 0; i < 20; ++i) {
    sc_core::sc_start(sc_core::sc_time(static_cast<double>(random() % 900'000 * 2 + 1), sc_core::SC_PS));
    text += test::counters_of(std::as_const(clock).core());
  }
  return text + test::text_of(driver.deliveries());
}

TEST(FastForward, QueryBetweenTwoCycles_SeesThePresent) {
  for (std::uint64_t seed = 0; seed < test::cases(400) / 10 && !HasFailure(); ++seed) {
    const RandomCase random_case = long_case(2'000'000 + seed);
    const std::string expected = run_isolated([&] { return looked_at_from_outside(random_case, false); });
    const std::string actual = run_isolated([&] { return looked_at_from_outside(random_case, true); });
    EXPECT_EQ(test::first_difference(expected, actual), "") << description(random_case);
  }
}

}  // namespace
}  // namespace flitscope::fast_forward_test
