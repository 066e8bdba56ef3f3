// The generator is the one that model/random.h states, and its distributions are exact.
#include "model/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace flitscope::random_test {
namespace {

TEST(RandomStream, SeedAndStream_DetermineTheNumbers) {
  // Computed from the definition with another program.
  RandomStream first(1, 0);
  EXPECT_EQ(first.next(), 0xB18A02F46D8D86C3U);
  EXPECT_EQ(first.next(), 0xF8C5B62C83F707E8U);
  RandomStream other(1, 1);
  EXPECT_EQ(other.next(), 0x9EDBE9BD18AD781DU);
}

TEST(RandomStream, NumbersBelowABound_AreEquallyLikely) {
  constexpr std::uint64_t kBound = 7;
  constexpr int kDraws = 70'000;
  RandomStream random(5, 3);
  std::vector<int> counts(kBound);
  for (int i = 0; i < kDraws; ++i) ++counts.at(random.below(kBound));
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 400);
}

TEST(RandomStream, BoundOfOne_GivesZero) {
  RandomStream random(5, 3);
  EXPECT_EQ(random.below(1), 0U);
}

TEST(Geometric, Draws_HaveTheMeanAndTheTailOfTheDistribution) {
  for (const double p : {0.9, 0.5, 0.1, 0.003}) {
    const Geometric geometric(p);
    RandomStream random(11, 0);
    constexpr int kDraws = 40'000;
    const auto far = static_cast<std::uint64_t>(1 / p) + 1;
    double sum = 0;
    double beyond = 0;
    for (int i = 0; i < kDraws; ++i) {
      const std::uint64_t trials = geometric.draw(random);
      ASSERT_GE(trials, 1U);
      sum += static_cast<double>(trials);
      if (trials > far) ++beyond;
    }
    const double deviation = std::sqrt(1 - p) / p / std::sqrt(kDraws);
    EXPECT_NEAR(sum / kDraws, 1 / p, 5 * deviation) << p;
    EXPECT_NEAR(beyond / kDraws, std::pow(1 - p, static_cast<double>(far)), 0.0125) << p;
  }
}

TEST(Geometric, CertainSuccess_TakesOneTrial) {
  const Geometric certain(1);
  RandomStream random(1, 1);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(certain.draw(random), 1U);
}

}  // namespace
}  // namespace flitscope::random_test
