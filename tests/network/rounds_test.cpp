// The replay of a round equals its simulation.
//
// FLITSCOPE_CASES sets how many random cases are compared (default 400).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "sim/network/network.h"
#include "sim/run/isolated.h"
#include "tests/reference/random_case.h"
#include "tests/reference/reference_network.h"
#include "tests/routers/engine_record.h"
#include "tests/support/random_cases.h"

namespace flitscope::rounds_test {
namespace {

/// Sends messages round after round: when all have arrived, those of the next round. Between them it may
/// wait, and in the midst of a round it may send one message more.
class RoundDriver final : public Driver {
 public:
  struct Round {
    std::vector<Packet> messages;
    Cycle pause = 0;                   ///< before it
    std::optional<Cycle> extra_after;  ///< it has begun; then its first message is sent once more
  };

  explicit RoundDriver(std::vector<Round> rounds) : rounds_(std::move(rounds)) {}

  void start(Transport& network) override { begin(network, 0); }
  void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) override {
    for (const Delivery& delivery : deliveries) deliveries_.push_back(delivery);
    missing_ -= deliveries.size();
    if (missing_ != 0 || at_ != kNever || next_ == rounds_.size()) return;
    if (const Cycle pause = rounds_[next_].pause; pause != 0) {
      at_ = now + pause;
    } else {
      begin(network, now);
    }
  }
  [[nodiscard]] Cycle next_event() const override { return std::min(at_, extra_at_); }
  void at(Transport& network, Cycle now) override {
    if (extra_at_ <= now) {
      extra_at_ = kNever;
      send(network, rounds_[next_ - 1].messages.front());
    }
    if (at_ > now) return;
    at_ = kNever;
    begin(network, now);
  }
  [[nodiscard]] bool finished() const override { return next_ == rounds_.size(); }
  [[nodiscard]] const std::vector<Delivery>& deliveries() const { return deliveries_; }

 private:
  void begin(Transport& network, Cycle now) {
    const Round& round = rounds_[next_++];
    for (const Packet& message : round.messages) send(network, message);
    if (round.extra_after) extra_at_ = now + *round.extra_after;
  }
  void send(Transport& network, Packet message) {
    message.id = id_++;
    ++missing_;
    network.send(message);
  }

  std::vector<Round> rounds_;
  std::size_t next_ = 0;
  std::size_t missing_ = 0;
  std::uint64_t id_ = 0;
  Cycle at_ = kNever;
  Cycle extra_at_ = kNever;
  std::vector<Delivery> deliveries_;
};

using Round = RoundDriver::Round;

struct RoundCase {
  reference::RandomCase machine;  ///< its messages are not used
  std::vector<Round> rounds;
};

/// Some rounds, of messages between pairs of the case of that seed, in a random order with many repetitions.
RoundCase round_case(std::uint64_t seed) {
  RoundCase result{reference::random_case(7'000'000 + seed), {}};
  if (seed % 3 == 0) result.machine = reference::with_unequal_links(std::move(result.machine));
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const auto& messages = result.machine.messages;
  std::vector<std::vector<Packet>> kinds(1 + below(3));
  for (auto& kind : kinds) {
    const std::size_t count = result.machine.topology.nodes() / 4 + 1 + below(12);
    for (std::size_t place = 0; place < count; ++place)
      kind.push_back(messages[below(messages.size())].packet);
  }
  const bool disturbed = seed % 4 == 3;
  for (std::size_t left = 8 + below(12); left != 0; --left) {
    Round& round = result.rounds.emplace_back();
    round.messages = kinds[below(kinds.size())];
    if (below(3) == 0) round.pause = 1 + below(40);
    if (disturbed && below(3) == 0) round.extra_after = below(30);
  }
  return result;
}

struct How {
  FastForwardMode mode = FastForwardMode::automatic;
  std::uint64_t looks = 0;  ///< seed of the cycles with a query; 0: no queries
  bool from_outside = false;
  unsigned threads = 1;
  Cycle limit = test::kRecordLimit;
};

/// The deliveries and counters of a run, and its replayed cycles.
std::string by_engine(const RoundCase& round_case, const How& how) {
  return run_isolated([&] {
    Network network("network", round_case.machine.topology, round_case.machine.machine);
    ClockDomain& clock = network.clock();
    clock.set_fast_forward(how.mode);
    clock.set_threads(how.threads);
    if (how.looks % 3 == 1) clock.shuffle(how.looks);
    RoundDriver driver(round_case.rounds);
    test::StallLines stalls;
    if (how.looks % 2 == 1) clock.routers().observe_stalls(&stalls);
    test::Sampler sampler(clock, how.looks, false);
    std::string text;
    if (how.from_outside) {
      std::mt19937_64 random(how.looks);
      clock.drive(driver, how.limit);
      for (unsigned i = 0; i < 20; ++i) {
        sc_core::sc_start(sc_core::sc_time(static_cast<double>(random() % 200'000 * 2 + 1), sc_core::SC_PS));
        text += test::counters_of(std::as_const(clock).routers());
      }
      text += fmt::format("{} flit-hops\n", std::as_const(clock).flit_hops());
      sc_core::sc_start();
    } else {
      if (how.looks != 0) clock.watch(sampler, how.looks % 100);
      network.run(driver, how.limit);
    }
    const Cycle skipped = clock.cycles_skipped();
    clock.routers().settle_stalls(std::min(clock.last_cycle(), how.limit) + 1);
    return fmt::format("{}\n{}{}{}{}{} of {} flits arrived, last {} {}\n", skipped, text, sampler.text,
                       stalls.text(true), test::text_of(driver.deliveries()), clock.flits_delivered(),
                       clock.flits_sent(), clock.last_delivery(),
                       how.limit == test::kRecordLimit ? clock.last_cycle() : how.limit) +
           test::counters_of(clock.routers());
  });
}

std::string without_first_line(const std::string& text) {
  return text.substr(text.find('\n') + 1);
}

/// Compares with every cycle run. Returns how many cycles were not.
Cycle expect_the_same(const RoundCase& round_case, How how, std::uint64_t seed) {
  const std::string actual = by_engine(round_case, how);
  how.mode = FastForwardMode::off;
  how.threads = 1;
  const std::string expected = by_engine(round_case, how);
  EXPECT_EQ(test::first_difference(without_first_line(expected), without_first_line(actual)), "")
      << "seed " << seed << ": " << description(round_case.machine);
  return std::stoull(actual);
}

TEST(Rounds, RandomCases_AgreeWithTheReferenceModel) {
  for (std::uint64_t seed = 0; seed < test::cases(400) / 8 && !HasFailure(); ++seed) {
    const RoundCase one = round_case(seed);
    reference::ReferenceNetwork slow(one.machine.topology, one.machine.machine);
    RoundDriver driver(one.rounds);
    const reference::Outcome outcome = slow.run(driver, test::kRecordLimit);
    const std::string actual = run_isolated([&] {
      Network network("network", one.machine.topology, one.machine.machine);
      RoundDriver engine_driver(one.rounds);
      network.run(engine_driver, test::kRecordLimit);
      network.clock().routers().settle_stalls(slow.now());
      return test::text_of(engine_driver.deliveries()) +
             test::totals(network.clock().last_delivery(), network.clock().routers().stalls());
    });
    const std::string expected =
        test::text_of(driver.deliveries()) + test::totals(outcome.cycles, outcome.stalls);
    EXPECT_EQ(test::first_difference(expected, actual), "")
        << "seed " << seed << ": " << description(one.machine);
  }
}

TEST(Rounds, Replay_EqualsASimulation) {
  Cycle skipped = 0;
  for (std::uint64_t seed = 0; seed < test::cases(400) / 8 && !HasFailure(); ++seed) {
    skipped += expect_the_same(round_case(1'000'000 + seed), {.threads = seed % 5 == 4 ? 2U : 1U}, seed);
  }
  if (test::cases(400) < 400) return;
  EXPECT_GT(skipped, 1'000U);
}

TEST(Rounds, Query_SeesThePresent) {
  for (std::uint64_t seed = 0; seed < test::cases(400) / 8 && !HasFailure(); ++seed) {
    expect_the_same(round_case(2'000'000 + seed), {.looks = 1 + seed, .from_outside = seed % 2 == 0}, seed);
  }
}

TEST(Rounds, CycleLimit_EndsAReplay) {
  for (std::uint64_t seed = 0; seed < test::cases(400) / 16 && !HasFailure(); ++seed) {
    expect_the_same(round_case(3'000'000 + seed), {.limit = 20 + seed * 37 % 700}, seed);
  }
}

/// Every node of a ring sends to its neighbour, as often as said.
RoundCase ring(unsigned rounds, std::uint32_t flits) {
  RoundCase result{{0, Topology(TopologyKind::torus, {16}), {}, {}}, {}};
  for (unsigned i = 0; i < rounds; ++i) {
    Round& round = result.rounds.emplace_back();
    for (NodeId node = 0; node < 16; ++node) {
      round.messages.push_back({0, node, (node + 1) % 16, {}, flits, i});
    }
  }
  return result;
}

TEST(Rounds, StepsOfARing_AreSimulatedAtMostTwice) {
  // A head is in the router after 1 cycle, in the next one after 2 more, and out after 1 more; two flits
  // follow.
  constexpr Cycle kRound = 1 + 2 + 1 + 2;
  EXPECT_EQ(std::stoull(by_engine(ring(1000, 3), {})), kRound * 998);
  EXPECT_EQ(by_engine(ring(1000, 3), {.mode = FastForwardMode::off}).substr(0, 2), "0\n");
}

}  // namespace
}  // namespace flitscope::rounds_test
