// Every stall that the engine tells is one of the reference model, which asks every flit in every cycle: the
// same first cycle, length, place, cause, channel and culprit.
//
// FLITSCOPE_CASES sets how many random cases are compared (default 400).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "sim/network/network.h"
#include "sim/run/experiment.h"
#include "tests/reference/random_case.h"
#include "tests/reference/timed_driver.h"
#include "tests/routers/flit_record.h"
#include "tests/support/random_cases.h"

namespace flitscope::stalls_against_reference_test {
namespace {

using reference::RandomCase;

constexpr Cycle kLimit = 200'000;

class Recorder final : public StallObserver {
 public:
  explicit Recorder(bool needs_all) : needs_all_(needs_all) {}
  void stalled(const FlitStall& stall) override { stalls.push_back(stall); }
  [[nodiscard]] bool needs_all() const override { return needs_all_; }
  std::vector<FlitStall> stalls;

 private:
  bool needs_all_;
};

/// Settles the stalls now and then, which cuts them in two.
class Settler final : public ClockWatcher {
 public:
  explicit Settler(ClockDomain& clock) : clock_(clock) {}
  std::optional<Cycle> after_cycle(Cycle now) override {
    clock_.core().settle_stalls(now + 1);
    return now < 3000 ? now + 3 : kNever;
  }

 private:
  ClockDomain& clock_;
};

/// In the order of reports. Present stalls are cut off at the end of cycle `until` - 1.
std::vector<FlitStall> stalls_of(const RandomCase& random_case, Cycle until, bool needs_all, bool settles) {
  Network network("network", random_case.topology, random_case.machine);
  Recorder recorder(needs_all);
  network.clock().observe({.stalls = &recorder});
  reference::TimedDriver driver(random_case.messages);
  Settler settler(network.clock());
  if (settles) network.clock().watch(settler, 0);
  network.run(driver, kLimit - 1);  // cycles up to this one, as the model
  network.clock().core().settle_stalls(until);
  return std::move(recorder.stalls);
}

std::string by_engine(const RandomCase& random_case, Cycle until) {
  return test::text_of(stalls_of(random_case, until, true, false));
}

/// The stalls of heads, and for every output port the longest of all (the first of several).
std::string heads_and_longest(const std::vector<FlitStall>& stalls) {
  std::string text;
  std::map<std::pair<NodeId, unsigned>, FlitStall> longest;
  for (const FlitStall& stall : stalls) {
    if (stall.index == 0) text += test::line_of(stall);
    FlitStall& of_port = longest[{stall.node, stall.port}];
    if (stall.cycles > of_port.cycles) of_port = stall;
  }
  for (const auto& [port, stall] : longest) text += "longest: " + test::line_of(stall);
  return text;
}

void expect_agreement(const RandomCase& random_case) {
  reference::ReferenceNetwork slow(random_case.topology, random_case.machine);
  reference::TimedDriver driver(random_case.messages);
  slow.run(driver, kLimit);
  const std::string expected = test::text_of(slow.stalls());
  const std::string actual = run_isolated([&] { return by_engine(random_case, slow.now()); });
  EXPECT_EQ(test::first_difference(expected, actual), "") << reference::description(random_case);
}

TEST(StallsAgainstReference, RandomCases_HaveEqualStalls) {
  for (std::uint64_t seed = 0; seed < test::cases(400) && !HasFailure(); ++seed) {
    expect_agreement(reference::random_case(3'000'000 + seed));
  }
}

std::set<std::string> lines_of(const std::string& text) {
  std::set<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.insert(line);
  return lines;
}

/// The engine's stalls without those that an observer does not need, beside all of them.
TEST(StallsAgainstReference, ObserverThatDoesNotNeedAll_GetsHeadsAndTheLongestOfEachPort) {
  std::size_t left_out = 0;
  for (std::uint64_t seed = 0; seed < test::cases(400) / 2 && !HasFailure(); ++seed) {
    RandomCase random_case = reference::random_case(9'000'000 + seed);
    if (seed % 4 == 1) random_case = reference::with_router_stages(std::move(random_case));
    if (seed % 4 == 2) random_case = reference::with_unequal_links(std::move(random_case));
    if (seed % 4 == 3) random_case = reference::with_fractional_intervals(std::move(random_case));
    const auto text_with = [&](bool needs_all, auto text) {
      return run_isolated([&] { return text(stalls_of(random_case, kLimit, needs_all, seed % 3 == 0)); });
    };
    EXPECT_EQ(test::first_difference(text_with(true, heads_and_longest), text_with(false, heads_and_longest)),
              "")
        << reference::description(random_case);
    const auto text_of = [](std::vector<FlitStall> stalls) { return test::text_of(std::move(stalls)); };
    const std::set<std::string> all = lines_of(text_with(true, text_of));
    const std::set<std::string> some = lines_of(text_with(false, text_of));
    EXPECT_TRUE(std::ranges::includes(all, some)) << reference::description(random_case);
    left_out += all.size() - some.size();
  }
  EXPECT_GT(left_out, 10 * test::cases(400));
}

TEST(StallsAgainstReference, VcReallocationDelay_HasEqualStalls) {
  for (std::uint64_t seed = 0; seed < test::cases(400) / 2 && !HasFailure(); ++seed) {
    reference::RandomCase random_case = reference::random_case(5'000'000 + seed);
    random_case.machine.vc_reallocation_delay = static_cast<std::uint32_t>(2 + seed % 4);
    expect_agreement(random_case);
  }
}

TEST(StallsAgainstReference, RouterStagesAndNodeVcs_HaveEqualStalls) {
  for (std::uint64_t seed = 0; seed < test::cases(400) / 2 && !HasFailure(); ++seed) {
    const reference::RandomCase one =
        seed % 4 == 0 ? reference::deadlock_case(seed) : reference::random_case(8'000'000 + seed);
    expect_agreement(reference::with_router_stages(one));
  }
}

TEST(StallsAgainstReference, MoreThan64InputVcs_HaveEqualStalls) {
  std::uint64_t cases = 0;
  for (std::uint64_t seed = 0; cases < test::cases(400) / 4 && !HasFailure(); ++seed) {
    std::optional<reference::RandomCase> one = reference::random_case(22'000'000 + seed);
    if (seed % 3 == 0) one = reference::with_unequal_links(*one);
    if (seed % 3 == 1) one = reference::with_message_classes(*one);
    if (one) one = reference::with_many_vcs(*one);
    if (!one) continue;
    ++cases;
    expect_agreement(*one);
  }
}

TEST(StallsAgainstReference, UnequalLinks_HaveEqualStalls) {
  for (std::uint64_t seed = 0; seed < test::cases(400) / 2 && !HasFailure(); ++seed) {
    const reference::RandomCase one =
        seed % 4 == 0 ? reference::deadlock_case(seed) : reference::random_case(6'000'000 + seed);
    expect_agreement(reference::with_unequal_links(one));
  }
}

TEST(StallsAgainstReference, FractionalIntervals_HaveEqualStalls) {
  for (std::uint64_t seed = 0; seed < test::cases(400) / 4 && !HasFailure(); ++seed) {
    expect_agreement(reference::with_fractional_intervals(reference::random_case(9'000'000 + seed)));
  }
}

std::string line_of(Cycle cycle, const StallCounts& stalls) {
  return fmt::format("before {}: {}\n", cycle, fmt::join(stalls, " "));
}

/// Stalls before each multiple of `period`, up to the last one that is reported.
std::string counted_by_engine(const RandomCase& random_case, Cycle period) {
  Network network("network", random_case.topology, random_case.machine);
  ClockDomain& clock = network.clock();
  std::string text;
  Cycle last = 0;
  StallCounts stalls{};
  clock.on_stalls_counted(period, [&](Cycle until) {
    const StallCounts now = std::as_const(clock).core().stalls();
    const StallCounts before = stalls;
    // Between two calls the same flits are stalled in all cycles.
    const Cycle from = last;
    for (Cycle cycle = from + period; cycle <= until; cycle += period) {
      for (unsigned cause = 0; cause < kStallCauses; ++cause)
        stalls[cause] = before[cause] + (now[cause] - before[cause]) / (until - from) * (cycle - from);
      if (cycle == until) stalls = now;
      text += line_of(cycle, stalls);
      last = cycle;
    }
  });
  reference::TimedDriver driver(random_case.messages);
  network.run(driver, kLimit - 1);
  return text;
}

/// The same lines, but for those after the end of the reference model, which ends at a deadlock.
std::string counted_by_reference(const RandomCase& random_case, Cycle period, std::size_t lines) {
  reference::ReferenceNetwork slow(random_case.topology, random_case.machine);
  reference::TimedDriver driver(random_case.messages);
  slow.run(driver, kLimit);
  std::string text;
  for (Cycle cycle = period; lines != 0 && cycle <= slow.now(); cycle += period, --lines) {
    StallCounts stalls{};
    for (const FlitStall& stall : slow.stalls()) {
      const Cycle end = std::min(cycle, stall.from + stall.cycles);
      if (stall.from < end) stalls[static_cast<unsigned>(stall.cause)] += end - stall.from;
    }
    text += line_of(cycle, stalls);
  }
  return text;
}

TEST(StallsAgainstReference, CountedStallsBeforeEveryPeriod_AreEqual) {
  std::size_t compared = 0;
  for (std::uint64_t seed = 0; seed < test::cases(400) / 4 && !HasFailure(); ++seed) {
    RandomCase random_case =
        seed % 5 == 0 ? reference::deadlock_case(seed) : reference::random_case(12'000'000 + seed);
    if (seed % 6 == 1) random_case = reference::with_router_stages(std::move(random_case));
    if (seed % 6 == 2) random_case = reference::with_unequal_links(std::move(random_case));
    if (seed % 6 == 3) random_case = reference::with_fractional_intervals(std::move(random_case));
    if (seed % 6 == 4) random_case = reference::with_router_parts(random_case);
    const Cycle period = 5 + seed % 60;
    const std::string counted = run_isolated([&] { return counted_by_engine(random_case, period); });
    const auto lines = static_cast<std::size_t>(std::ranges::count(counted, '\n'));
    const std::string expected = counted_by_reference(random_case, period, lines);
    compared += static_cast<std::size_t>(std::ranges::count(expected, '\n'));
    EXPECT_EQ(test::first_difference(expected, counted.substr(0, expected.size())), "")
        << reference::description(random_case);
  }
  EXPECT_GT(compared, 5 * test::cases(400) / 4);
}

TEST(StallsAgainstReference, Deadlocks_HaveEqualStalls) {
  for (std::uint64_t seed = 0; seed < test::cases(400) && !HasFailure(); ++seed) {
    expect_agreement(reference::deadlock_case(seed));
  }
}

}  // namespace
}  // namespace flitscope::stalls_against_reference_test
