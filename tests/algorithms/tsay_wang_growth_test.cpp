// tsay-wang-dilated and tsay-wang-subtorus: broadcasts that grow out of one on a smaller torus.
#include <gtest/gtest.h>

#include <algorithm>

#include "algorithms/algorithm.h"
#include "tests/support/schedule_legality.h"

namespace flitscope::tsay_wang_growth_test {
namespace {

using test::check_broadcast;
using test::equal_torus;
using test::least_exponent;
using test::make_broadcast;
using test::power;
using test::small_tori;

constexpr auto kDilated = "tsay-wang-dilated";
constexpr auto kSubtorus = "tsay-wang-subtorus";
using Strings = std::vector<std::string>;

void expect_legal_without_redundancy(const std::string& algorithm, const Topology& torus) {
  for (const auto& source : {torus.coordinates(0), test::shifted_source(torus)}) {
    const auto schedule = make_broadcast(algorithm, torus, source);
    const std::vector<Stage>& stages = schedule->facts().stages;
    std::uint64_t before = 0;
    for (const Stage& stage : stages) {
      ASSERT_EQ(stage.first_step, before + 1) << torus.name();
      before = stage.last_step;
    }
    ASSERT_EQ(before, schedule->facts().steps);
    const auto legality = check_broadcast(*schedule);
    ASSERT_FALSE(legality.violation) << torus.name() << ": " << *legality.violation;
    ASSERT_EQ(legality.steps, schedule->facts().claimed_steps) << torus.name();
    ASSERT_EQ(legality.messages, torus.nodes() - 1) << torus.name();
  }
}

TEST(TsayWangDilated, AnyTorus_LegalWithLoadOneAndNoRedundantMessage) {
  for (const Topology& torus : small_tori()) expect_legal_without_redundancy(kDilated, torus);
}

TEST(TsayWangDilated, UpToNineDimensions_IsLegal) {
  for (const auto& [n, d] : std::vector<std::pair<std::uint32_t, unsigned>>{{3, 7}, {4, 7}, {3, 8}, {3, 9}}) {
    expect_legal_without_redundancy(kDilated, equal_torus(n, d));
  }
}

TEST(TsayWangDilated, TwoDimensionsSideSeven_IsTheWorkedExample) {
  const Topology torus = equal_torus(7, 2);
  const auto schedule = make_broadcast(kDilated, torus);
  std::vector<std::size_t> messages;
  std::vector<Strings> of_origin;
  Strings of_22;
  Step step;
  while (schedule->next(step)) {
    messages.push_back(step.messages().size());
    of_origin.emplace_back();
    for (const std::string& line : test::described(torus, step)) {
      if (line.starts_with("00 ")) of_origin.back().push_back(line);
      if (line.starts_with("22 ") && messages.size() == 3) of_22.push_back(line);
    }
    std::ranges::sort(of_origin.back());
  }
  EXPECT_EQ(messages, (std::vector<std::size_t>{3, 12, 33}));
  EXPECT_EQ(of_origin[0],
            (Strings{"00 -> 22 by +2@0 +2@1", "00 -> 44 by +4@1 +4@0", "00 -> 66 by -1@0 -1@1"}));
  EXPECT_EQ(of_origin[1], (Strings{"00 -> 04 by -3@1", "00 -> 20 by +2@0", "00 -> 60 by -1@0"}));
  EXPECT_EQ(of_origin[2], (Strings{"00 -> 01 by +1@1", "00 -> 10 by +1@0"}));
  EXPECT_NE(std::ranges::find(of_22, "22 -> 11 by -1@0 -1@1"), of_22.end());
}

TEST(TsayWangDilated, UpToFourDimensions_WithinOneStepOfTheBound) {
  for (unsigned d = 1; d <= 8; ++d) {
    for (std::uint32_t n = 3; n <= 1000 && power(n, d) <= power(2, 31); ++n) {
      const auto schedule = make_broadcast(kDilated, equal_torus(n, d));
      const ScheduleFacts& facts = schedule->facts();
      ASSERT_LE(facts.steps, d * least_exponent(2 * d + 1, n)) << "n " << n << " d " << d;
      if (d > 4) continue;
      ASSERT_LE(facts.steps, *facts.lower_bound_steps + 1) << "n " << n << " d " << d;
    }
  }
}

TEST(TsayWangDilated, Steps_AreThoseOfTheTable) {
  struct Row {
    std::uint32_t n;
    unsigned d;
    std::uint64_t steps;
  };
  for (const auto& [n, d, steps] :
       std::vector<Row>{{7, 2, 3}, {4, 3, 3}, {7, 3, 3}, {9, 3, 4}, {10, 4, 6}, {3, 3, 2}}) {
    EXPECT_EQ(make_broadcast(kDilated, equal_torus(n, d))->facts().steps, steps) << "n " << n << " d " << d;
  }
}

TEST(TsayWangSubtorus, EvenSide_LegalWithLoadOneInTheStatedSteps) {
  for (const Topology& torus : small_tori()) {
    const std::uint64_t n = torus.side(0);
    const unsigned d = torus.dimensions();
    if (n % 2 == 1) continue;
    EXPECT_EQ(make_broadcast(kSubtorus, torus)->facts().steps,
              d * least_exponent(2 * d + 1, n - 1) + (d + 1) / 2);
    expect_legal_without_redundancy(kSubtorus, torus);
  }
}

TEST(TsayWangSubtorus, TwoAndMoreDimensions_NotBetterThanDilated) {
  for (unsigned d = 2; d <= 7; ++d) {
    for (std::uint32_t n = 4; n <= 1000 && power(n, d) <= power(2, 31); n += 2) {
      ASSERT_GE(make_broadcast(kSubtorus, equal_torus(n, d))->facts().steps,
                make_broadcast(kDilated, equal_torus(n, d))->facts().steps)
          << "n " << n << " d " << d;
    }
  }
}

}  // namespace
}  // namespace flitscope::tsay_wang_growth_test
