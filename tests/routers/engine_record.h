// Records of engine runs as text: deliveries, stalls, and all counters after some cycles.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/network/network.h"
#include "sim/run/isolated.h"
#include "tests/reference/random_case.h"
#include "tests/reference/timed_driver.h"

namespace flitscope::test {

inline constexpr Cycle kRecordLimit = 200'000;

inline std::string text_of(const std::vector<Delivery>& deliveries) {
  std::string text;
  for (const Delivery& d : deliveries) {
    text +=
        fmt::format("message {} ready {} entered {} head {} arrived {} stalls {} excess {}\n", d.id, d.ready,
                    d.head_entered, d.head_arrived, d.arrived, fmt::join(d.head_stalls, " "), d.link_excess);
  }
  return text;
}

inline std::string totals(Cycle cycles, const std::array<std::uint64_t, kStallCauses>& stalls) {
  return fmt::format("last delivery {} stalls {}\n", cycles, fmt::join(stalls, " "));
}

/// Every counter of every port.
template <typename Routers>
std::string counters_of(const Routers& routers) {
  std::string text =
      fmt::format("{} flit-hops, stalls {}\n", routers.flit_hops(), fmt::join(routers.stalls(), " "));
  for (NodeId node = 0; node < routers.numbers().nodes(); ++node) {
    for (unsigned number = 0; number < routers.numbers().ports(); ++number) {
      const PortCounts port = routers.counts(node, number);
      text += fmt::format("{}.{}: {} {} {}\n", node, number, port.flits, port.messages, port.stalled);
    }
  }
  return text;
}

/// Writes down all counters after random cycles.
class Sampler final : public ClockWatcher {
 public:
  Sampler(ClockDomain& clock, std::uint64_t seed, bool shuffled)
      : clock_(clock), shuffled_(shuffled), random_(seed) {}

  std::optional<Cycle> after_cycle(Cycle now) override {
    // Present stalls are counted at their end, or at a query. When a head asks again, and
    // its stall is cut in two, may depend on the order of routers where it waits for room first.
    if (now % 3 == 0 || shuffled_) clock_.routers().settle_stalls(now + 1);
    const ClockDomain& clock = clock_;
    text += fmt::format("cycle {}: {}", now, counters_of(clock.routers()));
    return now + 1 + random_() % 3000;
  }

  std::string text;

 private:
  ClockDomain& clock_;
  bool shuffled_;
  std::mt19937_64 random_;
};

/// Records the stalls. Throws for a stall that is longer than the run.
class StallLines final : public StallObserver {
 public:
  void stalled(const FlitStall& stall) override {
    if (stall.cycles > kRecordLimit) throw std::logic_error("a stall without an end is reported");
    lines_.push_back(fmt::format("stall from {} for {} at {}.{}: message {} flit {} cause {} culprit {}\n",
                                 stall.from, stall.cycles, stall.node, stall.input_vc, stall.message,
                                 stall.index, name_of(stall.cause),
                                 stall.culprit ? fmt::format("{}", *stall.culprit) : "-"));
  }
  /// In the order of reports, or in an order independent of it.
  [[nodiscard]] std::string text(bool sorted) {
    if (sorted) std::ranges::sort(lines_);
    return fmt::format("{}", fmt::join(lines_, ""));
  }

 private:
  std::vector<std::string> lines_;
};

/// How a case is run.
struct EngineRun {
  Cycle until = kRecordLimit;  ///< stalls under way count up to here
  FastForwardMode mode = FastForwardMode::automatic;
  unsigned threads = 1;
  std::uint64_t divide_from = 0;  ///< flit-hops a cycle
  bool looks_ahead = false;       ///< whatever moves
  bool fetches_heads = false;     ///< however small the network
  /// Of the cycles after which all counters are written down; 0: none are. With odd ones routers are stepped
  /// in a random order; with those of the form 4n + 1 and 4n + 2 stalls are observed.
  std::uint64_t sampling_seed = 0;
};

struct Ran {
  std::string text;
  Cycle skipped = 0;
  std::uint64_t standing = 0;  ///< flits
};

inline Ran by_engine(const reference::RandomCase& random_case, const EngineRun& run) {
  Network network("network", random_case.topology, random_case.machine);
  ClockDomain& clock = network.clock();
  if (run.looks_ahead) clock.routers().look_ahead_from(0);
  if (run.fetches_heads) clock.routers().fetch_heads(true);
  clock.set_fast_forward(run.mode);
  clock.set_threads(run.threads);
  clock.divide_from(run.divide_from);
  const std::uint64_t seed = run.sampling_seed;
  const bool shuffled = seed % 2 == 1;
  if (shuffled) clock.shuffle(seed);
  reference::TimedDriver driver(random_case.messages);
  StallLines stalls;
  if (seed % 4 == 1 || seed % 4 == 2) clock.routers().observe_stalls(&stalls);
  Sampler sampler(clock, seed, shuffled);
  if (seed != 0) clock.watch(sampler, seed % 1000);
  network.run(driver, kRecordLimit);
  const Cycle skipped = clock.cycles_skipped();
  clock.routers().settle_stalls(run.until);
  const RouterPool& routers = clock.routers();
  return {sampler.text + stalls.text(shuffled) + text_of(driver.deliveries()) +
              totals(clock.last_delivery(), routers.stalls()) + (seed != 0 ? counters_of(routers) : ""),
          skipped, clock.flits_standing()};
}

/// Counted cycles and flits.
struct Counted {
  Cycle cycles = 0;
  std::uint64_t flits = 0;
};

/// Without sampling, the part that the reference model has, too.
inline std::string isolated(const reference::RandomCase& random_case, const EngineRun& run,
                            Counted* counted = nullptr) {
  const std::string text = run_isolated([&] {
    const Ran ran = by_engine(random_case, run);
    return fmt::format("{} {}\n{}", ran.skipped, ran.standing, ran.text);
  });
  std::istringstream numbers(text);
  Cycle cycles = 0;
  std::uint64_t flits = 0;
  numbers >> cycles >> flits;
  if (counted != nullptr) {
    counted->cycles += cycles;
    counted->flits += flits;
  }
  return text.substr(text.find('\n') + 1);
}

}  // namespace flitscope::test
