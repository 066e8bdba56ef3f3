// Afsahi and Dimopoulos' collectives: legal for every size, and done exactly when the closed forms say. The
// forms are written down here once more, in another way than in the algorithms.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "sim/analysis/circuit_checker.h"
#include "tests/support/circuit_schedules.h"

namespace flitscope::afsahi_times_test {
namespace {

using Number = std::int64_t;

constexpr std::array<std::uint64_t, 4> kDelays{0, 1, 3, 10};

/// Expects the schedule to be legal and complete at `units`; every chunk is delivered once.
void expect_time(const std::string& algorithm, std::uint64_t N, unsigned k, std::uint64_t d,
                 std::uint64_t units, const GivenValues& settings = {}) {
  const auto schedule = circuits_by(algorithm, N, k, d, settings);
  const CircuitReport report = check_events(*schedule);
  const std::string place =
      algorithm + " N=" + std::to_string(N) + " k=" + std::to_string(k) + " d=" + std::to_string(d);
  ASSERT_TRUE(report.legal) << place << ": " << report.violations.front().text;
  ASSERT_EQ(report.units, units) << place;
  ASSERT_EQ(report.redundant_deliveries, 0U) << place;
  ASSERT_EQ(schedule->facts().claimed_units, units) << place;
  ASSERT_LE(schedule->facts().lower_bound_units, units) << place;
}

/// Calls test(N, k, d) for all sizes.
template <typename Test>
void for_all(std::uint64_t last, Test test) {
  for (unsigned k = 1; k <= 4; ++k) {
    for (const std::uint64_t d : kDelays) {
      for (std::uint64_t N = 2; N <= last; ++N) {
        test(N, k, d);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

/// Levels below the root of a k-ary tree on N nodes.
std::uint64_t depth(std::uint64_t N, std::uint64_t k) {
  std::uint64_t levels = 0;
  for (std::uint64_t last = 0; last + 1 < N; last = k * last + k) ++levels;
  return levels;
}

/// Rounds until 1, k+1, (k+1)^2, .. reaches N.
std::uint64_t rounds(std::uint64_t N, std::uint64_t k) {
  std::uint64_t count = 0;
  for (std::uint64_t reached = 1; reached < N; reached *= k + 1) ++count;
  return count;
}

std::uint64_t ceil_of(std::uint64_t a, std::uint64_t b) {
  return (a + b - 1) / b;
}

/// Nodes that could be informed at best from a warm start: every port delivers as early and as often as it
/// can.
std::uint64_t best_broadcast(std::uint64_t N, std::uint64_t k, std::uint64_t d) {
  std::vector<std::uint64_t> new_at{1};  // nodes informed at each time
  std::uint64_t all = 1;
  while (all < N) {
    const std::uint64_t now = new_at.size();
    std::uint64_t sends = 0;
    for (std::uint64_t t = 0; t < now; ++t) {
      if ((now - 1 - t) % (d + 1) == 0) sends += new_at[t] * k;
    }
    new_at.push_back(sends);
    all += sends;
  }
  return new_at.size() - 1;
}

TEST(AfsahiTimes, TreeBroadcast_TakesTheDepthOfTheTree) {
  for_all(130, [](std::uint64_t N, unsigned k, std::uint64_t d) {
    expect_time("afsahi-b1", N, k, d, (d + 1) * depth(N, k));
    expect_time("afsahi-b3", N, k, d, d + depth(N, k));
    expect_time("afsahi-b3", N, k, d, depth(N, k), {{"start", "warm"}});
  });
}

TEST(AfsahiTimes, B2_MultipliesInformedNodesEachStep) {
  for_all(130, [](std::uint64_t N, unsigned k, std::uint64_t d) {
    expect_time("afsahi-b2", N, k, d, (d + 1) * rounds(N, k));
  });
}

TEST(AfsahiTimes, B4_IsAsFastAsPortsAllow) {
  for_all(130, [](std::uint64_t N, unsigned k, std::uint64_t d) {
    const std::uint64_t best = best_broadcast(N, k, d);
    expect_time("afsahi-b4", N, k, d, best);
    expect_time("afsahi-b4", N, k, d, best + d, {{"start", "cold"}, {"source", Number(N - 1)}});
    expect_time("afsahi-b4", N, k, d, best, {{"restore", true}, {"source", Number(N / 2)}});
  });
}

TEST(AfsahiTimes, Scatter_AnyNumberOfNodes_TakesTheTimeOfTheFormula) {
  for_all(130, [](std::uint64_t N, unsigned k, std::uint64_t d) {
    const std::uint64_t data = ceil_of(N - 1, k);
    expect_time("afsahi-scatter-direct", N, k, d, (d + 1) * data);
    expect_time("afsahi-scatter", N, k, d, d * rounds(N, k) + data, {{"source", Number(N / 3)}});
    expect_time("afsahi-scatter", N, k, d, d * (rounds(N, k) - 1) + data, {{"start", "warm"}});
  });
}

TEST(AfsahiTimes, UnequalScatter_IsTheFastestSplit) {
  for (const std::uint64_t d : {0, 1, 4, 16}) {
    std::vector<std::uint64_t> T{0, 0};
    for (std::uint64_t N = 2; N <= 130; ++N) {
      std::uint64_t best = ~std::uint64_t{0};
      for (std::uint64_t m = 1; m < N; ++m) {
        best = std::min(best, m + std::max(T[m], N - m == 1 ? 0 : d + T[N - m]));
      }
      T.push_back(best);
      expect_time("afsahi-scatter-unequal", N, 1, d, best);
      expect_time("afsahi-scatter-unequal", N, 1, d, best + d,
                  {{"start", "cold"}, {"source", Number(N - 1)}});
    }
  }
}

TEST(AfsahiTimes, Gossip_AnyNumberOfNodes_TakesTheTimeOfTheFormula) {
  for_all(130, [](std::uint64_t N, unsigned k, std::uint64_t d) {
    const std::uint64_t data = ceil_of(N - 1, k);
    expect_time("afsahi-gossip-direct", N, k, d, (d + 1) * data);
    expect_time("afsahi-gossip", N, k, d, d * rounds(N, k) + data);
  });
}

TEST(AfsahiTimes, Gossip_InGroups_TakesTheSameTime) {
  for (const auto& [N, k] : std::vector<std::pair<std::uint64_t, unsigned>>{
           {2, 1}, {8, 1}, {64, 1}, {3, 2}, {9, 2}, {27, 2}, {16, 3}, {64, 3}, {25, 4}}) {
    for (const std::uint64_t d : kDelays) {
      expect_time("afsahi-gossip", N, k, d, d * rounds(N, k) + (N - 1) / k, {{"form", "groups"}});
    }
  }
}

/// Section 6 as printed.
std::uint64_t te3(std::uint64_t N, std::uint64_t k, std::uint64_t d, std::uint64_t i) {
  std::uint64_t x = 1;
  for (std::uint64_t t = 0; t < i; ++t) x *= k + 1;
  return i * (d + N / (k + 1)) + (N / x - 1) * (d + x) / k;
}

TEST(AfsahiTimes, CombinedTotalExchange_PowerOfPortsPlusOne_TakesTheTimeOfTheFormula) {
  for (const auto& [N, k] : std::vector<std::pair<std::uint64_t, unsigned>>{{2, 1},
                                                                            {4, 1},
                                                                            {8, 1},
                                                                            {16, 1},
                                                                            {32, 1},
                                                                            {3, 2},
                                                                            {9, 2},
                                                                            {27, 2},
                                                                            {4, 3},
                                                                            {16, 3},
                                                                            {25, 4},
                                                                            {64, 7}}) {
    for (const std::uint64_t d : kDelays) {
      std::uint64_t best = te3(N, k, d, 0);
      for (std::uint64_t i = 0; i <= rounds(N, k); ++i) {
        expect_time("combined-total-exchange", N, k, d, te3(N, k, d, i),
                    {{"form", "digit"}, {"i", Number(i)}});
        expect_time("combined-total-exchange", N, k, d, te3(N, k, d, i), {{"i", Number(i)}});
        best = std::min(best, te3(N, k, d, i));
      }
      expect_time("combined-total-exchange", N, k, d, best);
      expect_time("combined-total-exchange", N, k, d, best, {{"form", "digit"}});
    }
  }
}

/// By offsets: a step costs d and as many blocks as the fullest port has.
std::uint64_t offset_time(std::uint64_t N, std::uint64_t k, std::uint64_t d, std::uint64_t i) {
  std::uint64_t time = 0;
  std::uint64_t w = 1;
  for (std::uint64_t t = 0; t < i && w < N; ++t, w *= k + 1) {
    std::vector<std::uint64_t> blocks(k + 1);
    for (std::uint64_t o = 1; o < N; ++o) ++blocks[o / w % (k + 1)];
    time += d + *std::max_element(blocks.begin() + 1, blocks.end());
  }
  for (std::uint64_t h = 1; h * w < N; h += k) time += d + std::min(w, N - h * w);
  return time;
}

TEST(AfsahiTimes, CombinedTotalExchange_AnyNumberOfNodes_TakesTheTimeOfTheFormula) {
  for (unsigned k = 1; k <= 4; ++k) {
    for (std::uint64_t N = 2; N <= 34; ++N) {
      for (const std::uint64_t d : {1, 4}) {
        std::uint64_t best = offset_time(N, k, d, 0);
        for (std::uint64_t i = 0; i <= rounds(N, k); ++i) {
          expect_time("combined-total-exchange", N, k, d, offset_time(N, k, d, i), {{"i", Number(i)}});
          best = std::min(best, offset_time(N, k, d, i));
        }
        expect_time("combined-total-exchange", N, k, d, best);
        if (HasFatalFailure()) return;
      }
    }
  }
  // Further on the best number of combining steps only; it takes N^2 chunks.
  for (unsigned k = 1; k <= 4; ++k) {
    for (std::uint64_t N = 35; N <= 130; ++N) {
      const std::uint64_t d = N % 2 == 0 ? 5 : 40;
      std::uint64_t best = offset_time(N, k, d, 0);
      for (std::uint64_t i = 1; i <= rounds(N, k); ++i) best = std::min(best, offset_time(N, k, d, i));
      expect_time("combined-total-exchange", N, k, d, best);
      if (HasFatalFailure()) return;
    }
  }
  expect_time("combined-total-exchange", 100, 1, 4, 300);
}

TEST(AfsahiTimes, LargeBroadcast_IsMadeQuickly) {
  expect_time("afsahi-b4", 114'243, 2, 1, 13);
  expect_time("afsahi-b4", 82'629, 1, 3, 34);
}

TEST(AfsahiTimes, RepeatedBroadcast_BelowTheLeastPeriod_IsIllegal) {
  struct Case {
    std::uint64_t N;
    unsigned k;
    std::uint64_t d, period, one;
  };
  for (const auto& [N, k, d, period, one] :
       std::vector<Case>{{41, 2, 1, 4, 4}, {99, 2, 1, 6, 5}, {1000, 2, 5, 12, 9}}) {
    expect_time("afsahi-b4", N, k, d, one, {});
    expect_time("afsahi-b4", N, k, d, 3 * period + one, {{"repeat", Number(4)}});
    expect_time("afsahi-b4", N, k, d, 3 * period + one, {{"repeat", Number(4)}, {"period", Number(period)}});
    const auto early =
        circuits_by("afsahi-b4", N, k, d, {{"repeat", Number(2)}, {"period", Number(period - 1)}});
    EXPECT_FALSE(check_events(*early).legal) << N;
  }
}

/// "0>9:3" for every message that starts at that time: source, destination, chunks.
std::vector<std::string> messages_at(const std::string& algorithm, std::uint64_t N, unsigned k,
                                     std::uint64_t d, std::uint64_t time, const GivenValues& settings = {}) {
  std::vector<std::string> list;
  const auto schedule = circuits_by(algorithm, N, k, d, settings);
  for (CircuitEvent event; schedule->next(event);) {
    if (event.time() != time) continue;
    for (const CircuitMessage& message : event.messages()) {
      list.push_back(std::to_string(message.circuit.node) + ">" + std::to_string(message.circuit.target) +
                     ":" + std::to_string(message.chunk_count));
    }
  }
  std::ranges::sort(list);
  return list;
}

TEST(AfsahiExamples, Figure2_HasTwoSetsAtThreeNodesOnly) {
  const std::vector<std::string> first{"0>1:1", "0>2:1"};
  EXPECT_EQ(messages_at("afsahi-b4", 41, 2, 1, 0), first);
  const std::vector<std::string> third{"0>15:1", "0>16:1", "3>7:1",  "3>8:1",  "4>10:1",
                                       "4>9:1",  "5>11:1", "5>12:1", "6>13:1", "6>14:1"};
  EXPECT_EQ(messages_at("afsahi-b4", 41, 2, 1, 2), third);
  const auto last = messages_at("afsahi-b4", 41, 2, 1, 3);
  EXPECT_EQ(last.size(), 24U);
  for (const char* message : {"1>37:1", "1>38:1", "2>39:1", "2>40:1"}) {
    EXPECT_EQ(std::ranges::count(last, message), 1) << message;
  }
}

TEST(AfsahiExamples, Scatter_TenNodes_SendsTheListedMessages) {
  const std::vector<std::string> at_0{"0>9:1"};
  const std::vector<std::string> at_1{"0>3:3", "0>6:3"};
  const std::vector<std::string> at_4{"0>1:1", "0>2:1", "3>4:1", "3>5:1", "6>7:1", "6>8:1"};
  EXPECT_EQ(messages_at("afsahi-scatter", 10, 2, 0, 0), at_0);
  EXPECT_EQ(messages_at("afsahi-scatter", 10, 2, 0, 1), at_1);
  EXPECT_EQ(messages_at("afsahi-scatter", 10, 2, 0, 4), at_4);
}

TEST(AfsahiExamples, UnequalScatter_EightNodes_SendsTheListedMessages) {
  const std::vector<std::pair<std::uint64_t, std::string>> sends{
      {0, "0>3:5"}, {5, "3>5:3"}, {8, "5>6:2"}, {9, "0>1:2"}, {10, "6>7:1"}, {11, "1>2:1"}, {12, "3>4:1"}};
  for (const auto& [time, message] : sends) {
    EXPECT_EQ(messages_at("afsahi-scatter-unequal", 8, 1, 4, time), std::vector{message}) << time;
  }
}

TEST(AfsahiExamples, Gossip_SixNodes_SendsTheListedMessages) {
  const auto last = messages_at("afsahi-gossip", 6, 2, 0, 1);
  EXPECT_EQ(last.size(), 12U);
  EXPECT_EQ(std::ranges::count(last, "0>3:2"), 1);
  EXPECT_EQ(std::ranges::count(last, "0>5:1"), 1);
}

TEST(AfsahiExamples, TotalExchange_EightNodes_HasMessagesOf4222) {
  std::vector<std::uint32_t> sizes;
  const auto schedule =
      circuits_by("combined-total-exchange", 8, 1, 3, {{"form", "digit"}, {"i", Number(1)}});
  for (CircuitEvent event; schedule->next(event);) {
    if (!event.messages().empty()) sizes.push_back(event.messages().front().chunk_count);
  }
  EXPECT_EQ(sizes, (std::vector<std::uint32_t>{4, 2, 2, 2}));
}

TEST(AfsahiRefusals, InadmissibleValue_IsRefusedWithItsKey) {
  EXPECT_EQ(refused_circuits("afsahi-b4", 1, 2, 1), "topology.nodes");
  EXPECT_EQ(refused_circuits("afsahi-b1", 8, 2, 1, {{"source", Number(8)}}), "workload.source");
  EXPECT_EQ(refused_circuits("afsahi-scatter-unequal", 8, 2, 1), "node.ports");
  EXPECT_EQ(refused_circuits("afsahi-gossip", 8, 2, 1, {{"form", "groups"}}), "workload.form");
  EXPECT_EQ(refused_circuits("combined-total-exchange", 8, 2, 1, {{"form", "digit"}}), "workload.form");
  EXPECT_EQ(refused_circuits("combined-total-exchange", 8, 1, 1, {{"i", Number(4)}}), "workload.i");
  EXPECT_EQ(refused_circuits("combined-total-exchange", 8, 1, 1, {{"i", Number(3)}}), "nothing");
  EXPECT_EQ(refused_circuits("combined-total-exchange", 4097, 1, 1), "topology.nodes");
}

}  // namespace
}  // namespace flitscope::afsahi_times_test
