// binomial-torus and two-port-torus: what a broadcast costs without all ports.
#include <gtest/gtest.h>

#include "algorithms/algorithm.h"
#include "model/error.h"
#include "tests/support/schedule_legality.h"

namespace flitscope::baselines_test {
namespace {

using test::check_broadcast;
using test::equal_torus;
using test::least_exponent;
using test::make_broadcast;
using test::power;
using test::shifted_source;

constexpr auto kBinomial = "binomial-torus";
constexpr auto kTwoPort = "two-port-torus";
using Strings = std::vector<std::string>;
using Coordinates = std::vector<std::uint32_t>;

/// Plays the broadcast from the origin and from a shifted source. `base` is 1 + ports.
void expect_legal(const std::string& algorithm, unsigned base, const Topology& torus) {
  std::uint64_t steps = 0;
  for (const std::uint32_t side : torus.sides()) steps += least_exponent(base, side);
  for (const Coordinates& source : {Coordinates{}, shifted_source(torus)}) {
    const auto schedule = make_broadcast(algorithm, torus, source);
    EXPECT_EQ(schedule->facts().claimed_steps, steps) << torus.name();
    EXPECT_EQ(schedule->facts().claimed_channel_load, 1U);
    EXPECT_EQ(schedule->facts().send_ports, base - 1);
    const auto legality = check_broadcast(*schedule);
    ASSERT_FALSE(legality.violation) << torus.name() << ": " << *legality.violation;
    EXPECT_EQ(legality.steps, steps) << torus.name();
    EXPECT_EQ(legality.messages, torus.nodes() - 1) << torus.name();
    EXPECT_EQ(legality.max_channel_load, 1U) << torus.name();
  }
}

void expect_legal_everywhere(const std::string& algorithm, unsigned base) {
  for (std::uint32_t n = 3; n <= 1000; ++n) expect_legal(algorithm, base, equal_torus(n, 1));
  for (unsigned d = 2; d <= 6; ++d) {
    for (std::uint32_t n = 3; power(n, d) <= 20'000; ++n) expect_legal(algorithm, base, equal_torus(n, d));
  }
}

std::vector<Strings> all_steps(const std::string& algorithm, const Topology& torus, Coordinates source) {
  const auto schedule = make_broadcast(algorithm, torus, std::move(source));
  std::vector<Strings> steps;
  Step step;
  while (schedule->next(step)) steps.push_back(test::described(torus, step));
  return steps;
}

TEST(BinomialTorus, AnyTorus_LegalWithLoadOneInCeilLogTwoStepsPerDimension) {
  expect_legal_everywhere(kBinomial, 2);
}

TEST(TwoPortTorus, AnyTorus_LegalWithLoadOneInCeilLogThreeStepsPerDimension) {
  expect_legal_everywhere(kTwoPort, 3);
}

TEST(BinomialTorus, RingOfFive_IsHalvedEachStep) {
  EXPECT_EQ(
      all_steps(kBinomial, equal_torus(5, 1), {}),
      (std::vector<Strings>{{"0 -> 3 by +3@0"}, {"0 -> 2 by +2@0", "3 -> 4 by +1@0"}, {"0 -> 1 by +1@0"}}));
}

TEST(BinomialTorus, TwoDimensions_FirstIsFinishedBeforeTheSecond) {
  EXPECT_EQ(all_steps(kBinomial, equal_torus(3, 2), {1, 1}),
            (std::vector<Strings>{{"11 -> 01 by +2@0"},
                                  {"11 -> 21 by +1@0"},
                                  {"01 -> 00 by +2@1", "11 -> 10 by +2@1", "21 -> 20 by +2@1"},
                                  {"01 -> 02 by +1@1", "11 -> 12 by +1@1", "21 -> 22 by +1@1"}}));
}

TEST(TwoPortTorus, RingOfNine_SendsInBothDirections) {
  EXPECT_EQ(all_steps(kTwoPort, equal_torus(9, 1), {}),
            (std::vector<Strings>{{"0 -> 3 by +3@0", "0 -> 6 by -3@0"},
                                  {"0 -> 1 by +1@0", "0 -> 8 by -1@0", "3 -> 4 by +1@0", "3 -> 2 by -1@0",
                                   "6 -> 7 by +1@0", "6 -> 5 by -1@0"}}));
}

TEST(Baselines, UnequalSides_TakeTheSumOfTheStepsOfTheirRings) {
  for (const std::vector<std::uint32_t>& sides :
       {Coordinates{3, 4}, Coordinates{9, 3}, Coordinates{5, 8, 3}, Coordinates{3, 17, 4, 5}}) {
    expect_legal(kBinomial, 2, {TopologyKind::torus, sides});
    expect_legal(kTwoPort, 3, {TopologyKind::torus, sides});
  }
}

TEST(Baselines, Schedule_HasAStagePerDimension) {
  const Topology torus(TopologyKind::torus, {9, 4});
  EXPECT_EQ(make_broadcast(kBinomial, torus)->facts().stages,
            (std::vector<Stage>{{"dimension 0", 1, 4}, {"dimension 1", 5, 6}}));
  EXPECT_EQ(make_broadcast(kTwoPort, torus)->facts().stages,
            (std::vector<Stage>{{"dimension 0", 1, 2}, {"dimension 1", 3, 4}}));
}

TEST(Baselines, LowerBound_IsThatOfAllPorts) {
  for (const auto* const algorithm : {kBinomial, kTwoPort}) {
    EXPECT_EQ(make_broadcast(algorithm, equal_torus(7, 2))->facts().lower_bound_steps, 3U);
    EXPECT_EQ(make_broadcast(algorithm, equal_torus(9, 3))->facts().lower_bound_steps, 4U);
  }
}

TEST(Baselines, MadeTwice_IsTheSame) {
  for (const auto* const algorithm : {kBinomial, kTwoPort}) {
    EXPECT_EQ(all_steps(algorithm, equal_torus(7, 3), {1, 2, 3}),
              all_steps(algorithm, equal_torus(7, 3), {1, 2, 3}));
  }
}

std::string refused_key(const std::string& algorithm, const Topology& topology, Coordinates source = {}) {
  try {
    (void)make_broadcast(algorithm, topology, std::move(source));
  } catch (const Inadmissible& error) {
    return error.key();
  }
  return "nothing";
}

TEST(BaselinesRefuse, MeshSmallSideOrSourceOutside_IsRefused) {
  for (const auto* const algorithm : {kBinomial, kTwoPort}) {
    EXPECT_EQ(refused_key(algorithm, {TopologyKind::mesh, {5, 5}}), "topology.kind");
    EXPECT_EQ(refused_key(algorithm, {TopologyKind::torus, {5, 2}}), "topology.shape");
    EXPECT_EQ(refused_key(algorithm, equal_torus(5, 2), {5, 0}), "workload.source");
    EXPECT_EQ(refused_key(algorithm, equal_torus(5, 2), {1}), "workload.source");
  }
}

TEST(BaselinesRefuse, InadmissibleShape_IsRefusedWithTheNearest) {
  try {
    (void)make_broadcast(kBinomial, {TopologyKind::torus, {5, 2}});
    FAIL() << "not refused";
  } catch (const Inadmissible& error) {
    EXPECT_STREQ(error.what(),
                 "binomial-torus needs sides of at least 3, not 5x2; nearest admissible: [5, 3]");
  }
}

}  // namespace
}  // namespace flitscope::baselines_test
