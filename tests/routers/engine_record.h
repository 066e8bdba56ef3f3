// Records of engine runs as text: deliveries, stalls, and all counters after some cycles.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "sim/network/network.h"
#include "sim/run/experiment.h"
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

/// Keeps what is delivered to a driver.
class DeliveryRecorder final : public RelayDriver {
 public:
  explicit DeliveryRecorder(Driver& driver) : RelayDriver(driver) {}
  void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) override {
    deliveries_.insert(deliveries_.end(), deliveries.begin(), deliveries.end());
    RelayDriver::delivered(network, deliveries, now);
  }
  [[nodiscard]] const std::vector<Delivery>& deliveries() const { return deliveries_; }

 private:
  std::vector<Delivery> deliveries_;
};

inline std::string totals(Cycle cycles, const StallCounts& stalls) {
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
      text += fmt::format("{}.{}: {} {} {}\n", node, number, port.flits, port.messages,
                          fmt::join(port.stalls, " "));
    }
  }
  return text;
}

/// Adds up the stalls of every port.
class StallsOfPorts final : public StallObserver {
 public:
  void stalled(const FlitStall& stall) override {
    cycles_[{stall.node, stall.port, stall.cause}] += stall.cycles;
  }
  [[nodiscard]] std::string text() const {
    std::string text;
    for (const auto& [place, cycles] : cycles_) {
      const auto& [node, port, cause] = place;
      text += fmt::format("{}.{} cause {}: {}\n", node, port, static_cast<unsigned>(cause), cycles);
    }
    return text;
  }

 private:
  std::map<std::tuple<NodeId, unsigned, StallCause>, Cycle> cycles_;
};

/// Writes down all counters after random cycles.
class Sampler final : public ClockWatcher {
 public:
  Sampler(ClockDomain& clock, std::uint64_t seed) : clock_(clock), random_(seed) {}

  std::optional<Cycle> after_cycle(Cycle now) override {
    // Present stalls are counted at their end, or at a query.
    if (now % 3 == 0) clock_.core().settle_stalls(now + 1);
    const ClockDomain& clock = clock_;
    text += fmt::format("cycle {}: {}", now, counters_of(clock.core()));
    return now + 1 + random_() % 3000;
  }

  std::string text;

 private:
  ClockDomain& clock_;
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
  /// In the order of reports.
  [[nodiscard]] std::string text() const { return fmt::format("{}", fmt::join(lines_, "")); }

 private:
  std::vector<std::string> lines_;
};

/// How a case is run.
struct EngineRun {
  Cycle until = kRecordLimit;  ///< stalls under way count up to here
  bool fast_forward = true;
  unsigned threads = 1;
  /// Of the cycles after which all counters are written down; 0: none are. With those of the form 4n + 1 and
  /// 4n + 2 stalls are observed.
  std::uint64_t sampling_seed = 0;
};

struct Ran {
  std::string text;
  Cycle skipped = 0;
};

inline Ran by_engine(const reference::RandomCase& random_case, const EngineRun& run) {
  Network network("network", random_case.topology, random_case.machine);
  ClockDomain& clock = network.clock();
  clock.set_fast_forward(run.fast_forward);
  clock.set_threads(run.threads);
  const std::uint64_t seed = run.sampling_seed;
  reference::TimedDriver driver(random_case.messages);
  StallLines stalls;
  if (seed % 4 == 1 || seed % 4 == 2) clock.observe({.stalls = &stalls});
  Sampler sampler(clock, seed);
  if (seed != 0) clock.watch(sampler, seed % 1000);
  network.run(driver, kRecordLimit - 1);  // cycles up to this one, as the model
  const Cycle skipped = clock.cycles_skipped();
  RouterGroups& routers = clock.core();
  routers.settle_stalls(run.until);
  return {sampler.text + stalls.text() + text_of(driver.deliveries()) +
              totals(clock.last_delivery(), routers.stalls()) + (seed != 0 ? counters_of(routers) : ""),
          skipped};
}

/// Without sampling, the part that the reference model has, too.
inline std::string isolated(const reference::RandomCase& random_case, const EngineRun& run,
                            Cycle* skipped = nullptr) {
  const std::string text = run_isolated([&] {
    const Ran ran = by_engine(random_case, run);
    return fmt::format("{}\n{}", ran.skipped, ran.text);
  });
  if (skipped != nullptr) *skipped += std::stoull(text);
  return text.substr(text.find('\n') + 1);
}

}  // namespace flitscope::test
