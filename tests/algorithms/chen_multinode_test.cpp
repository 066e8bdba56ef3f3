// chen-multinode and chen-multinode-fast: legal for every h that divides n and any sources, in exactly the
// steps of the formula; the worked example; even DDNs; nothing leaves its DDN; what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "algorithms/chen/multinode.h"
#include "model/error.h"
#include "sim/analysis/schedule_checker.h"
#include "tests/support/multinode.h"
#include "tests/support/schedule_legality.h"

namespace flitscope::test::chen_multinode_test {
namespace {

using namespace chen;

constexpr auto kPaper = "chen-multinode";
constexpr auto kFast = "chen-multinode-fast";

unsigned lg(int base, int value) {
  unsigned exponent = 0;
  for (int power = 1; power < value; power *= base) ++exponent;
  return exponent;
}

/// Steps of a pattern inside a plane over `size` positions. With base 7 a level takes two steps if a run has
/// a second track. Only the last level may not need it: if at most one position on each side is out of reach.
std::uint64_t plane_steps(int size, int base) {
  if (base == 3) return lg(3, size);
  std::uint64_t steps = 0;
  for (int reach = 1; reach < size; reach *= 7) {
    // positions on the larger side that the levels below do not reach
    const int outside = size / 2 - std::min(size / 2, (reach - 1) / 2);
    steps += outside > 1 || reach * 7 < size ? 2 : 1;
  }
  return steps;
}

/// b + [2c + 4 St(n) + 2 Sd(h)] + c + 2 Sg(R) + c + q + 2w.
std::uint64_t formula(int n, int h, int base, bool bidirectional, std::uint64_t digit_steps) {
  const int blocks = n / h;
  const int width = bidirectional ? h / 2 : h - 1;
  return lg(7, h) + 4 * lg(7, blocks) + 4 * plane_steps(n, base) + 2 * digit_steps +
         2 * plane_steps(blocks, base) + lg(3, h) + static_cast<std::uint64_t>(2 * width);
}

/// Sd(h), from all numbers in the window of h.
std::uint64_t digit_steps(int h, int base) {
  if (base == 3) return lg(3, h);
  std::vector<int> largest(lg(7, h));
  for (int number = -((h - 1) / 2); number <= h / 2; ++number) {
    int rest = number;
    for (int& digit : largest) {
      int value = rest % 7;
      if (value > 3) value -= 7;
      if (value < -3) value += 7;
      digit = std::max(digit, std::abs(value));
      rest = (rest - value) / 7;
    }
  }
  return std::accumulate(largest.begin(), largest.end(), std::uint64_t{0},
                         [](std::uint64_t sum, int digit) { return sum + (digit > 1 ? 2U : 1U); });
}

std::vector<int> divisors(int n) {
  std::vector<int> result;
  for (int h = 1; h <= n; ++h) {
    if (n % h == 0) result.push_back(h);
  }
  return result;
}

struct Setting {
  const char* algorithm;
  const char* prefix;
};
constexpr std::array<Setting, 4> kSettings{
    {{kPaper, "scalar"}, {kPaper, "vector"}, {kFast, "scalar"}, {kFast, "vector"}}};

void expect_legal(Schedule& schedule, const std::string& what) {
  const CheckReport report = check_schedule(schedule);
  EXPECT_TRUE(report.legal) << what << ": " << report.violations.front().text;
  EXPECT_EQ(report.max_channel_load, 1U) << what;
}

TEST(ChenMultinode, AnyDivisorAndSources_LegalInTheStepsOfTheFormula) {
  for (int n = 3; n <= 9; ++n) {
    for (const int h : divisors(n)) {
      for (const auto& [algorithm, prefix] : kSettings) {
        const bool fast = algorithm == kFast;
        const std::uint64_t steps = formula(n, h, fast ? 3 : 7, fast, digit_steps(h, fast ? 3 : 7));
        for (const int sources : {1, 2, n, n * n, n * n * n}) {
          const auto schedule =
              make_multinode(algorithm, static_cast<std::uint32_t>(n), NodeSet::drawn(sources, n + sources),
                             {{"h", std::int64_t{h}}, {"prefix", std::string(prefix)}});
          const std::string what = std::string(algorithm) + " n " + std::to_string(n) + " h " +
                                   std::to_string(h) + " s " + std::to_string(sources) + " " + prefix;
          EXPECT_EQ(schedule->facts().steps, steps) << what;
          EXPECT_LE(steps, lemma_3_startups(n, h) + lemma_4_startups(n, h)) << what;
          EXPECT_LE(steps, schedule->facts().claimed_steps) << what;
          expect_legal(*schedule, what);
        }
      }
    }
  }
}

TEST(ChenMultinode, LargerTorus_LegalForAllDivisors) {
  for (int n = 10; n <= 16; ++n) {
    for (const int h : divisors(n)) {
      for (const char* const algorithm : {kPaper, kFast}) {
        const bool fast = algorithm == kFast;
        const std::uint64_t steps = formula(n, h, fast ? 3 : 7, fast, digit_steps(h, fast ? 3 : 7));
        for (const int sources : {1, n, n * n, n * n * n}) {
          const auto schedule = make_multinode(algorithm, static_cast<std::uint32_t>(n),
                                               NodeSet::drawn(sources, 7), {{"h", std::int64_t{h}}});
          const std::string what = std::string(algorithm) + " n " + std::to_string(n) + " h " +
                                   std::to_string(h) + " s " + std::to_string(sources);
          EXPECT_EQ(schedule->facts().steps, steps) << what;
          expect_legal(*schedule, what);
        }
      }
    }
  }
}

TEST(ChenMultinode, AnyBaseAndCollection_IsLegal) {
  for (const int h : {2, 4, 5, 7}) {
    for (const char* const base : {"3", "7"}) {
      for (const char* const collection : {"ring", "bidirectional"}) {
        const auto schedule = make_multinode(kFast, static_cast<std::uint32_t>(2 * h), NodeSet::drawn(20, 3),
                                             {{"h", std::int64_t{h}},
                                              {"plane_base", std::string(base)},
                                              {"collection", std::string(collection)}});
        const std::string what = std::to_string(h) + " " + base + " " + collection;
        EXPECT_LE(schedule->facts().steps, schedule->facts().claimed_steps) << what;
        expect_legal(*schedule, what);
      }
    }
  }
}

/// Steps of the aggregation phase, of the distribution phase, of both, and of the fast setting.
struct StepCounts {
  int n;
  int h;
  std::uint64_t aggregation;
  std::uint64_t lemma_3;
  std::uint64_t distribution;
  std::uint64_t lemma_4;
  std::uint64_t fast;
};

TEST(ChenMultinode, Phases_TakeTheStepsOfTheLemmas) {
  for (const auto& row : std::vector<StepCounts>{{4, 2, 13, 16, 7, 9, 20},
                                                 {6, 3, 13, 16, 9, 11, 20},
                                                 {7, 7, 13, 14, 14, 14, 21},
                                                 {14, 7, 23, 24, 18, 20, 31},
                                                 {16, 8, 26, 29, 20, 22, 34}}) {
    const auto n = static_cast<std::uint32_t>(row.n);
    const auto paper = make_multinode(kPaper, n, NodeSet::drawn(1, 1), {{"h", std::int64_t{row.h}}});
    const auto& stages = paper->facts().stages;
    const auto tuned = std::ranges::find(stages, "tune", &Stage::name);
    ASSERT_NE(tuned, stages.end());
    EXPECT_EQ(tuned->last_step, row.aggregation) << row.n << " " << row.h;
    EXPECT_EQ(paper->facts().steps - tuned->last_step, row.distribution) << row.n << " " << row.h;
    EXPECT_EQ(lemma_3_startups(row.n, row.h), row.lemma_3);
    EXPECT_EQ(lemma_4_startups(row.n, row.h), row.lemma_4);
    EXPECT_EQ(paper->facts().claimed_steps, row.lemma_3 + row.lemma_4);
    const auto fast = make_multinode(kFast, n, NodeSet::drawn(1, 1), {{"h", std::int64_t{row.h}}});
    EXPECT_EQ(fast->facts().steps, row.fast) << row.n << " " << row.h;
    EXPECT_EQ(fast->facts().claimed_steps, row.fast) << row.n << " " << row.h;
  }
}

std::vector<std::string> data_messages(const Topology& topology, const Step& step) {
  std::vector<std::string> lines;
  const auto name = [&](NodeId node) {
    std::string text;
    for (const std::uint32_t coordinate : topology.coordinates(node)) text += std::to_string(coordinate);
    return text;
  };
  for (const Message& message : step.messages()) {
    if (message.control_bytes != 0) continue;
    lines.push_back(name(message.source) + ">" + name(message.destination));
    for (const ChunkId chunk : step.chunks(message)) lines.back() += " " + std::to_string(chunk);
  }
  std::ranges::sort(lines);
  return lines;
}

TEST(ChenMultinode, WorkedExample_SendsTheListedMessages) {
  const auto sources =
      NodeSet::listed({{"[1, 1, 1]"}, {"[2, 1, 1]"}, {"[3, 0, 2]"}, {"[0, 0, 0]"}, {"[1, 0, 0]"}});
  const auto schedule = make_multinode(kPaper, 4, sources, {{"h", std::int64_t{2}}});
  RecordedSchedule recorded(*schedule);
  ASSERT_EQ(recorded.steps().size(), 20U);
  const Topology& topology = schedule->facts().topology;
  const auto step = [&](std::size_t number) { return data_messages(topology, recorded.steps()[number - 1]); };
  using Lines = std::vector<std::string>;
  EXPECT_EQ(step(1), (Lines{"100>000 4", "111>011 0", "302>202 2"}));
  for (std::size_t number = 2; number <= 11; ++number) EXPECT_EQ(step(number), Lines{}) << number;
  EXPECT_EQ(step(12), (Lines{"000>110 4", "211>321 1"}));
  EXPECT_EQ(step(13), Lines{});
  EXPECT_EQ(step(14), (Lines{"011>211 0"}));
  EXPECT_EQ(step(15), (Lines{"000>220 3", "110>330 4", "202>022 2", "211>031 0", "321>101 1"}));
  const std::vector<std::size_t> counts{10, 16, 32, 64, 64};
  const std::vector<std::size_t> longest{1, 2, 2, 2, 3};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const Step& each = recorded.steps()[15 + i];
    EXPECT_EQ(each.messages().size(), counts[i]);
    std::size_t most = 0;
    for (const Message& message : each.messages()) most = std::max<std::size_t>(most, message.chunk_count);
    EXPECT_EQ(most, longest[i]);
  }
}

/// The state of the algorithm after its first two stages, and after the tuning.
struct Tuned {
  std::vector<std::uint32_t> ranks;  ///< by chunk
  std::vector<std::size_t> of_ddn;   ///< messages by DDN
};

Tuned tune(int n, int h, const Options& options, const std::vector<NodeId>& sources) {
  const Partition partition(n, h);
  Held held(partition.cube().nodes());
  for (std::size_t i = 0; i < sources.size(); ++i) held[sources[i]] = {static_cast<ChunkId>(i)};
  Collection aggregation(Ring::of_classes(partition.cube(), 1, h), diagonal_nodes(Partition(n, 1)), held);
  PrefixSum sums(partition, options, held);
  Tuning tuning(partition, options, sums, held);
  std::vector<Round> rounds;
  aggregation.add_rounds("aggregate", ring_tree(h, 7), rounds);
  sums.add_rounds(rounds);
  const std::size_t ranked = rounds.size();
  tuning.add_rounds(rounds);
  Moves moves(partition.cube());
  Tuned result;
  result.ranks.resize(sources.size());
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    if (i == ranked) {
      for (const NodeId node : diagonal_nodes(partition)) {
        std::uint32_t rank = sums.first_rank(node);
        for (const ChunkId chunk : held[node]) result.ranks[chunk] = rank++;
      }
    }
    moves.clear();
    rounds[i].play(moves);
  }
  result.of_ddn.resize(static_cast<std::size_t>(h) * h);
  for (NodeId node = 0; node < partition.cube().nodes(); ++node) {
    if (!held[node].empty()) result.of_ddn[partition.ddn_of(node).value()] += held[node].size();
  }
  return result;
}

TEST(ChenMultinode, Ranks_ArePermutationAndBalanceTheDdns) {
  for (const auto& [n, h] :
       std::vector<std::pair<int, int>>{{4, 2}, {6, 2}, {6, 3}, {6, 6}, {8, 4}, {9, 3}, {10, 5}, {14, 14}}) {
    for (const bool vector : {false, true}) {
      for (const int base : {3, 7}) {
        for (const std::uint64_t count : {1, 7, n * n, n * n * n / 2}) {
          const Topology torus(TopologyKind::torus, std::vector<std::uint32_t>(3, n));
          const auto sources = nodes_of(NodeSet::drawn(count, 11), torus, "");
          Tuned tuned = tune(n, h, {.plane_base = base, .vector_prefix = vector}, sources);
          std::ranges::sort(tuned.ranks);
          for (std::uint32_t rank = 0; rank < count; ++rank) ASSERT_EQ(tuned.ranks[rank], rank);
          const auto [least, most] = std::ranges::minmax(tuned.of_ddn);
          EXPECT_LE(most - least, 1U) << n << " " << h << " " << count;
          EXPECT_EQ(std::accumulate(tuned.of_ddn.begin(), tuned.of_ddn.end(), std::size_t{0}), count);
        }
      }
    }
  }
}

TEST(ChenMultinode, MiddlePhases_StayOnTheChannelsOfTheirDdn) {
  for (const auto& [n, h] : std::vector<std::pair<int, int>>{{6, 2}, {6, 3}, {8, 2}, {12, 3}}) {
    for (const char* const algorithm : {kPaper, kFast}) {
      const Partition partition(n, h);
      const auto schedule = make_multinode(algorithm, static_cast<std::uint32_t>(n),
                                           NodeSet::drawn(3 * n * n, 5), {{"h", std::int64_t{h}}});
      const auto& stages = schedule->facts().stages;
      const std::uint64_t first = std::ranges::find(stages, "align", &Stage::name)->first_step;
      const std::uint64_t last = std::ranges::find(stages, "broadcast", &Stage::name)->last_step;
      std::uint64_t channels = 0;
      Step step;
      for (std::uint64_t number = 1; schedule->next(step); ++number) {
        if (number < first || number > last) continue;
        for (const Message& message : step.messages()) {
          std::set<int> ddns;
          for_each_channel(schedule->facts().topology, message.source, message.destination, message.route,
                           [&](ChannelId channel) {
                             const Topology& topology = schedule->facts().topology;
                             ddns.insert(partition.ddn_of_line(topology.channel_node(channel),
                                                               topology.channel_port(channel) / 2));
                             ++channels;
                           });
          ASSERT_EQ(ddns.size(), 1U) << algorithm << " n " << n << " h " << h << " step " << number;
        }
      }
      EXPECT_GT(channels, 0U);
    }
  }
}

TEST(ChenMultinode, ControlMessages_AreSentWithTheirLength) {
  for (const char* const prefix : {"scalar", "vector"}) {
    const auto schedule =
        make_multinode(kPaper, 8, NodeSet::drawn(9, 1),
                       {{"h", std::int64_t{4}}, {"prefix", std::string(prefix)}, {"word", std::int64_t{2}}});
    const Stage stage = schedule->facts().stages[1];
    ASSERT_EQ(stage.name, "prefix sums");
    std::uint64_t first_legs = 0;
    std::uint32_t longest = 0;
    Step step;
    for (std::uint64_t number = 1; schedule->next(step); ++number) {
      for (const Message& message : step.messages()) {
        const bool control = number >= stage.first_step && number <= stage.last_step;
        ASSERT_EQ(message.control_bytes != 0, control) << number;
        ASSERT_EQ(message.chunk_count == 0, control) << number;
        longest = std::max(longest, message.control_bytes);
        if (control) ++first_legs;
      }
    }
    EXPECT_EQ(longest, std::string(prefix) == "scalar" ? 2U : 4U);  // R = 2 classes
    // Forward every diagonal node but the root sends once, backward every one is sent to; by a meta-node, if
    // it is the second of its side, which some of the 64 + 8 nodes of the plane and the line are.
    EXPECT_GE(first_legs, 2U * (8 * 8 * 8 / 4 - 1));
  }
}

TEST(ChenMultinode, DataVolume_IsBetweenOneAndTwoTimesTheSources) {
  for (const auto& [n, h] : std::vector<std::pair<int, int>>{{8, 2}, {8, 4}, {8, 8}, {9, 3}}) {
    const std::uint64_t sources = static_cast<std::uint64_t>(n) * n * n;
    const auto schedule =
        make_multinode(kPaper, static_cast<std::uint32_t>(n), NodeSet{}, {{"h", std::int64_t{h}}});
    std::uint64_t volume = 0;
    Step step;
    while (schedule->next(step)) {
      std::uint32_t longest = 0;
      for (const Message& message : step.messages()) longest = std::max(longest, message.chunk_count);
      volume += longest;
    }
    EXPECT_GE(volume, sources) << n << " " << h;
    EXPECT_LE(10 * volume, 18 * sources) << n << " " << h;
  }
}

TEST(ChenMultinode, MadeTwice_IsTheSame) {
  const auto once = make_multinode(kPaper, 6, NodeSet::drawn(30, 2), {{"h", std::int64_t{3}}});
  const auto again = make_multinode(kPaper, 6, NodeSet::drawn(30, 2), {{"h", std::int64_t{3}}});
  Step left;
  Step right;
  while (once->next(left)) {
    ASSERT_TRUE(again->next(right));
    ASSERT_EQ(described(once->facts().topology, left), described(again->facts().topology, right));
  }
  EXPECT_FALSE(again->next(right));
}

std::pair<std::string, std::string> refusal_of(const Topology& topology, const NodeSet& sources, int h) {
  try {
    (void)make_multinode(kPaper, topology, sources, {{"h", std::int64_t{h}}});
  } catch (const Inadmissible& error) {
    return {error.key(), error.what()};
  }
  return {"nothing", ""};
}

TEST(ChenMultinode, InadmissibleValue_IsRefused) {
  const Topology cube16(TopologyKind::torus, {16, 16, 16});
  for (const int h : {3, 7, 14, 17, 32}) {
    const auto [key, text] = refusal_of(cube16, NodeSet{}, h);
    EXPECT_EQ(key, "workload.h");
    EXPECT_NE(text.find("1, 2, 4, 8, 16; " + std::to_string(h) + " does not"), std::string::npos) << text;
  }
  EXPECT_EQ(refusal_of({TopologyKind::torus, {4, 4, 5}}, NodeSet{}, 1).first, "topology.shape");
  EXPECT_EQ(refusal_of({TopologyKind::torus, {2, 2, 2}}, NodeSet{}, 1).first, "topology.shape");
  EXPECT_EQ(refusal_of({TopologyKind::mesh, {4, 4, 4}}, NodeSet{}, 1).first, "topology.kind");
  const auto [key, text] = refusal_of({TopologyKind::torus, {4, 4}}, NodeSet{}, 1);
  EXPECT_EQ(key, "topology.shape");
  EXPECT_NE(text.find("[4, 4, 4]"), std::string::npos) << text;
  EXPECT_EQ(refusal_of({TopologyKind::torus, {4, 4, 4}}, NodeSet::drawn(65, 1), 2).first, "workload.sources");
}

}  // namespace
}  // namespace flitscope::test::chen_multinode_test
