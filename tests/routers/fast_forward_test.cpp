// What is counted and not run is exactly what would have been run.
//
// FLITSCOPE_CASES sets how many random cases are compared (default 400).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "model/route.h"
#include "sim/network/network.h"
#include "sim/run/isolated.h"
#include "tests/reference/random_case.h"
#include "tests/reference/reference_network.h"
#include "tests/reference/timed_driver.h"
#include "tests/support/cases.h"
#include "tests/support/first_difference.h"

namespace flitscope::fast_forward_test {
namespace {

using reference::RandomCase;

constexpr Cycle kLimit = 200'000;

/// The case of that seed with worms of thousands of flits among short ones, where the switching lets them be.
RandomCase long_case(std::uint64_t seed) {
  RandomCase result = reference::random_case(5'000'000 + seed);
  std::mt19937_64 random(seed);
  if (seed % 3 == 0) result = reference::with_unequal_links(std::move(result));
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

std::string text_of(const std::vector<Delivery>& deliveries) {
  std::string text;
  for (const Delivery& d : deliveries) {
    text +=
        fmt::format("message {} ready {} entered {} head {} arrived {} stalls {} excess {}\n", d.id, d.ready,
                    d.head_entered, d.head_arrived, d.arrived, fmt::join(d.head_stalls, " "), d.link_excess);
  }
  return text;
}

std::string totals(Cycle cycles, const std::array<std::uint64_t, kStallCauses>& stalls) {
  return fmt::format("last delivery {} stalls {}\n", cycles, fmt::join(stalls, " "));
}

/// Every counter of every port.
std::string counters_of(const RouterPool& routers) {
  std::string text =
      fmt::format("{} flit-hops, stalls {}\n", routers.flit_hops(), fmt::join(routers.stalls(), " "));
  for (NodeId node = 0; node < routers.nodes(); ++node) {
    for (unsigned number = 0; number < routers.ports(); ++number) {
      const Port& port = routers.port(node, number);
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
    // Stalls under way are counted when they are over, or when somebody says so. When a head asks again, and
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

/// Writes down what it is told, in any order.
class StallLines final : public StallObserver {
 public:
  void stalled(const FlitStall& stall) override {
    lines_.insert(fmt::format("stall from {} for {} at {}.{}: message {} flit {} cause {} culprit {}\n",
                              stall.from, stall.cycles, stall.node, stall.input_vc, stall.message,
                              stall.index, name_of(stall.cause),
                              stall.culprit ? fmt::format("{}", *stall.culprit) : "-"));
  }
  [[nodiscard]] std::string text() const { return fmt::format("{}", fmt::join(lines_, "")); }

 private:
  std::multiset<std::string> lines_;
};

struct Ran {
  std::string text;
  Cycle skipped = 0;
  std::uint64_t standing = 0;  ///< flits
};

Ran by_engine(const RandomCase& random_case, Cycle until, FastForwardMode mode, std::uint64_t sampling_seed) {
  Network network("network", random_case.topology, random_case.machine);
  network.clock().set_fast_forward(mode);
  const bool shuffled = sampling_seed % 2 == 1;
  if (shuffled) network.clock().shuffle(sampling_seed);
  reference::TimedDriver driver(random_case.messages);
  StallLines stalls;
  if (sampling_seed % 4 == 1) network.clock().routers().observe_stalls(&stalls);
  Sampler sampler(network.clock(), sampling_seed, shuffled);
  if (sampling_seed != 0) network.clock().watch(sampler, sampling_seed % 1000);
  network.run(driver, kLimit);
  const Cycle skipped = network.clock().cycles_skipped();
  network.clock().routers().settle_stalls(until);
  const RouterPool& routers = network.clock().routers();
  return {sampler.text + stalls.text() + text_of(driver.deliveries()) +
              totals(network.clock().last_delivery(), routers.stalls()) +
              (sampling_seed != 0 ? counters_of(routers) : ""),
          skipped, network.clock().flits_standing()};
}

/// What was counted and not run.
struct Counted {
  Cycle cycles = 0;
  std::uint64_t flits = 0;
};

/// Without sampling, what the reference model tells as well.
std::string isolated(const RandomCase& random_case, Cycle until, FastForwardMode mode,
                     std::uint64_t sampling_seed, Counted* counted = nullptr) {
  const std::string text = run_isolated([&] {
    const Ran ran = by_engine(random_case, until, mode, sampling_seed);
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

TEST(FastForward, AgreesWithTheReferenceModel) {
  Counted counted;
  for (std::uint64_t seed = 0; seed < test::cases(400) / 8 && !HasFailure(); ++seed) {
    const RandomCase random_case = long_case(seed);
    reference::ReferenceNetwork slow(random_case.topology, random_case.machine);
    reference::TimedDriver driver(random_case.messages);
    const reference::Outcome outcome = slow.run(driver, kLimit);
    const std::string expected = text_of(driver.deliveries()) + totals(outcome.cycles, outcome.stalls);
    const std::string actual = isolated(random_case, slow.now(), FastForwardMode::on, 0, &counted);
    EXPECT_EQ(test::first_difference(expected, actual), "")
        << "seed " << seed << ": " << description(random_case);
  }
  if (test::cases(400) < 400) return;
  EXPECT_GT(counted.cycles, 10'000U);
}

TEST(FastForward, RunsHardlyAnyCycleOfALongMessageUnlessItIsOff) {
  RandomCase one{0, Topology(TopologyKind::torus, {8}), {}, {}};
  one.machine.virtual_channels = 2;
  auto& message = one.messages.emplace_back();
  message.packet.destination = 3;
  message.packet.flits = 100'000;
  // It stands in four routers.
  for (const auto mode : {FastForwardMode::automatic, FastForwardMode::on}) {
    Counted counted;
    static_cast<void>(isolated(one, kLimit, mode, 0, &counted));
    EXPECT_GT(4 * counted.cycles + counted.flits, 4 * 99'900U);
  }
  Counted counted;
  static_cast<void>(isolated(one, kLimit, FastForwardMode::off, 0, &counted));
  EXPECT_EQ(counted.cycles, 0U);
  EXPECT_EQ(counted.flits, 0U);
}

/// Worms between random nodes that start at random times, so that the network as a whole never repeats
/// itself, on a machine where input VCs can stand.
RandomCase worms_of_their_own(std::uint64_t seed, std::uint64_t messages, Cycle until) {
  std::mt19937_64 random(seed);
  const auto side = [&](unsigned least) { return least + static_cast<unsigned>(random() % 5); };
  const auto kind = random() % 2 == 0 ? TopologyKind::torus : TopologyKind::mesh;
  RandomCase result{seed, Topology(kind, {side(4), side(3)}), {}, {}};
  MachineConfig& machine = result.machine;
  machine.virtual_channels = static_cast<unsigned>(2 + random() % 3);
  machine.buffer = static_cast<std::uint32_t>(4 + random() % 13);
  machine.router_delay = static_cast<std::uint32_t>(1 + random() % 3);
  machine.link_delay = static_cast<std::uint32_t>(1 + random() % 3);
  machine.startup = static_cast<std::uint32_t>(random() % 3);
  if (random() % 2 == 0) machine.ports = static_cast<unsigned>(1 + random() % 3);
  if (seed % 3 == 2) machine.credit_delay = static_cast<std::uint32_t>(1 + seed % 2);
  const std::uint64_t nodes = result.topology.nodes();
  for (std::uint64_t id = 0; id < messages; ++id) {
    auto& message = result.messages.emplace_back();
    message.packet.id = id;
    message.packet.source = static_cast<NodeId>(random() % nodes);
    message.packet.destination =
        static_cast<NodeId>((message.packet.source + 1 + random() % (nodes - 1)) % nodes);
    message.packet.route = shortest_route(result.topology, message.packet.source, message.packet.destination);
    message.packet.flits =
        static_cast<std::uint32_t>(random() % 4 == 0 ? 1 + random() % 20 : 40 + random() % 300);
    message.ready = random() % until;
  }
  return result;
}

TEST(Standing, AgreesWithTheReferenceModelInAnyOrderOfRouters) {
  Counted counted;
  for (std::uint64_t seed = 0; seed < test::cases(400) / 10 && !HasFailure(); ++seed) {
    const RandomCase worms = worms_of_their_own(seed, 40, 500 + seed % 5 * 1000);
    reference::ReferenceNetwork slow(worms.topology, worms.machine);
    reference::TimedDriver driver(worms.messages);
    const reference::Outcome outcome = slow.run(driver, kLimit);
    const std::string expected = text_of(driver.deliveries()) + totals(outcome.cycles, outcome.stalls);
    const std::string actual = isolated(worms, slow.now(), FastForwardMode::automatic, 0, &counted);
    EXPECT_EQ(test::first_difference(expected, actual), "") << "seed " << seed << ": " << description(worms);
    const std::string each = isolated(worms, kLimit, FastForwardMode::off, 3 + 4 * seed);
    EXPECT_EQ(test::first_difference(each, isolated(worms, kLimit, FastForwardMode::on, 3 + 4 * seed)), "")
        << "seed " << seed << ": " << description(worms);
  }
  if (test::cases(400) < 400) return;
  EXPECT_GT(counted.flits, 100'000U);
}

TEST(Standing, CountsMostFlitsOfWormsThatGoTheirOwnWays) {
  RandomCase worms{0, Topology(TopologyKind::torus, {8, 8}), {}, {}};
  worms.machine.virtual_channels = 2;
  for (std::uint64_t id = 0; id < 60; ++id) {
    auto& message = worms.messages.emplace_back();
    message.packet.id = id;
    message.packet.source = static_cast<NodeId>(id * 23 % 64);
    message.packet.destination = static_cast<NodeId>((id * 29 + 7) % 64);
    message.packet.route = shortest_route(worms.topology, message.packet.source, message.packet.destination);
    message.packet.flits = 100;
    message.ready = 100 * id;
  }
  Counted counted;
  const std::string expected = isolated(worms, kLimit, FastForwardMode::off, 0);
  EXPECT_EQ(expected, isolated(worms, kLimit, FastForwardMode::automatic, 0, &counted));
  std::uint64_t flits_through_routers = 0;
  for (const auto& message : worms.messages) {
    const Packet& packet = message.packet;
    const auto hops = route_length(worms.topology, packet.source, packet.destination, packet.route);
    flits_through_routers += 100 * (hops + 1);
  }
  EXPECT_GT(counted.flits, flits_through_routers / 2);
}

TEST(FastForward, CountersAreExactInEveryCycleInWhichTheyAreRead) {
  for (std::uint64_t seed = 0; seed < test::cases(400) / 4 && !HasFailure(); ++seed) {
    const RandomCase random_case = long_case(1'000'000 + seed);
    const std::string expected = isolated(random_case, kLimit, FastForwardMode::off, 1 + seed);
    for (const auto mode : {FastForwardMode::on, FastForwardMode::automatic}) {
      EXPECT_EQ(test::first_difference(expected, isolated(random_case, kLimit, mode, 1 + seed)), "")
          << "seed " << seed << ": " << description(random_case);
    }
  }
}

/// Simulates for random times, mostly between two cycles, and looks at the network after each.
std::string looked_at_from_outside(const RandomCase& random_case, FastForwardMode mode) {
  Network network("network", random_case.topology, random_case.machine);
  ClockDomain& clock = network.clock();
  clock.set_fast_forward(mode);
  reference::TimedDriver driver(random_case.messages);
  clock.drive(driver, kLimit);
  std::mt19937_64 random(random_case.seed);
  std::string text;
  for (unsigned i = 0; i < 20; ++i) {
    sc_core::sc_start(sc_core::sc_time(static_cast<double>(random() % 900'000 * 2 + 1), sc_core::SC_PS));
    text += counters_of(std::as_const(clock).routers());
  }
  return text + text_of(driver.deliveries());
}

TEST(FastForward, WhoeverLooksBetweenTwoCyclesSeesThePresent) {
  for (std::uint64_t seed = 0; seed < test::cases(400) / 10 && !HasFailure(); ++seed) {
    const RandomCase random_case = long_case(2'000'000 + seed);
    const std::string expected =
        run_isolated([&] { return looked_at_from_outside(random_case, FastForwardMode::off); });
    const std::string actual =
        run_isolated([&] { return looked_at_from_outside(random_case, FastForwardMode::on); });
    EXPECT_EQ(test::first_difference(expected, actual), "") << description(random_case);
  }
}

}  // namespace
}  // namespace flitscope::fast_forward_test
