// Quantiles are exact: the smallest latency that at least that share of the messages did not exceed.
#include "sim/observe/flits/latency.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/random_cases.h"

namespace flitscope::test::latency_test {
namespace {

LatencySummary summary(const std::vector<Cycle>& latencies) {
  LatencyCounter counter;
  for (const Cycle latency : latencies) counter.add(latency);
  return counter.summary();
}

TEST(Latency, NoMessages_IsZero) {
  const LatencySummary none = summary({});
  EXPECT_EQ(none.messages, 0U);
  EXPECT_EQ(none.max, 0U);
  EXPECT_EQ(none.mean, 0.0);
}

TEST(Latency, OneMessage_IsItsLatency) {
  const LatencySummary one = summary({42});
  EXPECT_EQ(one.messages, 1U);
  EXPECT_EQ(one.min, 42U);
  EXPECT_EQ(one.mean, 42.0);
  EXPECT_EQ(one.p50, 42U);
  EXPECT_EQ(one.p99, 42U);
  EXPECT_EQ(one.max, 42U);
}

TEST(Latency, EvenNumber_MedianIsTheLowerOfTheMiddleTwo) {
  EXPECT_EQ(summary({1, 2}).p50, 1U);
  EXPECT_EQ(summary({4, 1, 3, 2}).p50, 2U);
  EXPECT_EQ(summary({5, 4, 1, 3, 2}).p50, 3U);
}

TEST(Latency, HundredMessages_P99LeavesOutOne) {
  std::vector<Cycle> latencies(99, 10);
  EXPECT_EQ(summary(latencies).p99, 10U);
  latencies.push_back(1000);
  EXPECT_EQ(summary(latencies).p99, 10U);  // 99 of 100
  latencies.push_back(1000);
  EXPECT_EQ(summary(latencies).p99, 1000U);  // 99 of 101 are less than 99%
}

TEST(Latency, RandomValues_AgreeWithSorting) {
  RandomNumbers random(7);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<Cycle> latencies(1 + random.below(400));
    for (Cycle& latency : latencies) latency = random.below(trial % 2 == 0 ? 20 : 100'000);
    const LatencySummary found = summary(latencies);
    std::ranges::sort(latencies);
    const auto share = [&](std::size_t percent) {
      std::size_t count = 1;
      while (count * 100 < latencies.size() * percent) ++count;
      return latencies[count - 1];
    };
    Cycle total = 0;
    for (const Cycle latency : latencies) total += latency;
    EXPECT_EQ(found.messages, latencies.size());
    EXPECT_EQ(found.min, latencies.front());
    EXPECT_EQ(found.max, latencies.back());
    EXPECT_DOUBLE_EQ(found.mean, static_cast<double>(total) / static_cast<double>(latencies.size()));
    EXPECT_EQ(found.p50, share(50));
    EXPECT_EQ(found.p99, share(99));
  }
}

TEST(Latency, ThousandMessages_P999LeavesOutOne) {
  std::vector<Cycle> latencies(999, 10);
  latencies.push_back(1000);
  EXPECT_EQ(summary(latencies).p999, 10U);
  latencies.push_back(1000);
  EXPECT_EQ(summary(latencies).p999, 1000U);  // 999 of 1001 are less than 99.9%
}

TEST(Latency, Distribution_CountsEachMessageInTheBinOfItsLatency) {
  RandomNumbers random(11);
  LatencyCounter counter;
  std::vector<Cycle> latencies(3000);
  for (Cycle& latency : latencies) {
    latency = random.below(1U << random.below(20));
    counter.add(latency);
  }
  Cycle last = 0;
  std::uint64_t all = 0;
  for (const LatencyBin& bin : counter.distribution()) {
    EXPECT_TRUE(all == 0 || bin.from > last);
    last = bin.to;
    all += bin.messages;
    EXPECT_EQ(static_cast<std::uint64_t>(std::ranges::count_if(
                  latencies, [&](Cycle each) { return each >= bin.from && each <= bin.to; })),
              bin.messages);
    EXPECT_LE(bin.to - bin.from, bin.from / 16);
  }
  EXPECT_EQ(all, latencies.size());
}

}  // namespace
}  // namespace flitscope::test::latency_test
