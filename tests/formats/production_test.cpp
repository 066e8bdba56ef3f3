// Files of the size and form that compilers and production write: all-reduces of 8 to 32 ranks by thread
// blocks and channels, as XML and as traces; hierarchies, exchanges through scratch; a broadcast in GOAL; an
// all-gather over links.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <regex>
#include <set>

#include "model/graph.h"
#include "tests/support/formats.h"
#include "tests/support/thread_blocks.h"

namespace flitscope::test::production_test {
namespace {

using Place = ThreadBlocks::Place;
using Slot = ThreadBlocks::Slot;

Topology ring_of(int nodes) {
  return {TopologyKind::torus, {static_cast<std::uint32_t>(nodes)}};
}

/// A step that takes its data from where it puts it.
Place in_place(ThreadBlocks& blocks, int rank, int block, const char* type, int chunk, int count = 1,
               const std::vector<Place>& after = {}) {
  return blocks.step(rank, block, type, {'i', chunk}, {'i', chunk}, count, after);
}

/// A ring for every channel, `count` chunks a step; in one thread block, or one that sends and one that
/// receives.
ThreadBlocks ring(int ranks, int channels, int count, bool apart) {
  ThreadBlocks blocks("allreduce", ranks, true, ranks * channels * count, 0, 0);
  for (int rank = 0; rank < ranks; ++rank) {
    const int next = (rank + 1) % ranks;
    const int previous = (rank + ranks - 1) % ranks;
    for (int channel = 0; channel < channels; ++channel) {
      const auto chunk = [&](int back) {
        return ((rank + 2 * ranks - back) % ranks * channels + channel) * count;
      };
      const int out = blocks.block(rank, next, apart ? -1 : previous, channel);
      const int in = apart ? blocks.block(rank, -1, previous, channel) : out;
      if (apart) {
        in_place(blocks, rank, out, "s", chunk(0), count);
        for (int k = 1; k < 2 * ranks - 1; ++k) {
          const Place received = in_place(blocks, rank, in, k < ranks ? "rrc" : "r", chunk(k), count);
          if (k < 2 * ranks - 2) in_place(blocks, rank, out, "s", chunk(k), count, {received});
        }
        continue;
      }
      in_place(blocks, rank, out, "s", chunk(0), count);
      for (int k = 1; k < ranks - 1; ++k) in_place(blocks, rank, out, "rrs", chunk(k), count);
      in_place(blocks, rank, out, "rrcs", chunk(ranks - 1), count);
      for (int k = ranks; k < 2 * ranks - 2; ++k) in_place(blocks, rank, out, "rcs", chunk(k), count);
      in_place(blocks, rank, out, "r", chunk(2 * ranks - 2), count);
    }
  }
  return blocks;
}

/// Recursive halving, then doubling; a thread block a partner.
ThreadBlocks halving_doubling(int ranks) {
  ThreadBlocks blocks("allreduce", ranks, true, ranks, 0, 0);
  for (int rank = 0; rank < ranks; ++rank) {
    int low = 0;
    std::vector<Place> after;
    std::vector<int> with;
    for (int distance = ranks / 2; distance > 0; distance /= 2) {
      const bool upper = (rank & distance) != 0;
      with.push_back(blocks.block(rank, rank ^ distance, rank ^ distance));
      in_place(blocks, rank, with.back(), "s", upper ? low : low + distance, distance, after);
      if (upper) low += distance;
      after = {in_place(blocks, rank, with.back(), "rrc", low, distance)};
    }
    for (int distance = 1; distance < ranks; distance *= 2) {
      const int block = with.back();
      with.pop_back();
      in_place(blocks, rank, block, "s", low, distance, after);
      const int other = low ^ distance;
      after = {in_place(blocks, rank, block, "r", other, distance)};
      low = std::min(low, other);
    }
  }
  return blocks;
}

/// Within groups everyone collects its share in scratch and combines it, between groups the shares go round
/// in rings, and within groups everyone gets them.
ThreadBlocks hierarchical(int groups, int members) {
  const int ranks = groups * members;
  ThreadBlocks blocks("allreduce", ranks, true, ranks, 0, ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    const int group = rank / members;
    const int member = rank % members;
    std::vector<int> with(static_cast<std::size_t>(members), -1);
    std::vector<Place> collected;
    for (int k = 1; k < members; ++k) {
      const int other = (member + k) % members;
      const int block = with[static_cast<std::size_t>(other)] =
          blocks.block(rank, group * members + other, group * members + other);
      blocks.step(rank, block, "s", {'i', other * groups}, {'s', member * groups}, groups);
      collected.push_back(
          blocks.step(rank, block, "r", {'i', member * groups}, {'s', other * groups}, groups));
    }
    const int local = blocks.block(rank, -1, -1);
    Place combined;
    for (int k = 1; k < members; ++k) {
      const int other = (member + k) % members;
      combined = blocks.step(rank, local, "re", {'s', other * groups}, {'i', member * groups}, groups,
                             k == 1 ? collected : std::vector<Place>{});
    }
    const auto peer = [&](int by) { return (group + by + groups) % groups * members + member; };
    const int between = blocks.block(rank, peer(1), peer(-1), 1);
    const auto chunk = [&](int back) { return member * groups + (group + 2 * groups - back) % groups; };
    in_place(blocks, rank, between, "s", chunk(0), 1, {combined});
    for (int k = 1; k < groups - 1; ++k) in_place(blocks, rank, between, "rrs", chunk(k));
    in_place(blocks, rank, between, "rrcs", chunk(groups - 1));
    for (int k = groups; k < 2 * groups - 2; ++k) in_place(blocks, rank, between, "rcs", chunk(k));
    const Place done = in_place(blocks, rank, between, "r", chunk(2 * groups - 2));
    for (int k = 1; k < members; ++k) {
      const int other = (member + k) % members;
      const int block = with[static_cast<std::size_t>(other)];
      in_place(blocks, rank, block, "s", member * groups, groups, {done});
      in_place(blocks, rank, block, "r", other * groups, groups);
    }
  }
  return blocks;
}

/// Within a group everyone gets what is for ranks of its own number, and sends it on group by group.
ThreadBlocks two_step_all_to_all(int groups, int members) {
  const int ranks = groups * members;
  ThreadBlocks blocks("alltoall", ranks, false, ranks, ranks, ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    const int group = rank / members;
    const int member = rank % members;
    std::vector<Place> collected;
    const int local = blocks.block(rank, -1, -1);
    blocks.step(rank, local, "cpy", {'i', rank}, {'o', rank});
    for (int to = 0; to < groups; ++to) {
      if (to == group) continue;
      collected.push_back(
          blocks.step(rank, local, "cpy", {'i', to * members + member}, {'s', to * members + member}));
    }
    for (int k = 1; k < members; ++k) {
      const int other = (member + k) % members;
      const int block = blocks.block(rank, group * members + other, group * members + other);
      for (int to = 0; to < groups; ++to) {
        const int chunk = to * members + other;
        blocks.step(rank, block, "s", {'i', chunk},
                    {to == group ? 'o' : 's', to == group ? rank : to * members + member});
      }
      for (int to = 0; to < groups; ++to) {
        const int chunk = to * members + member;
        const int from = to * members + other;
        const Place place = blocks.step(rank, block, "r", {'i', chunk}, {to == group ? 'o' : 's', from});
        if (to != group) collected.push_back(place);
      }
    }
    for (int k = 1; k < groups; ++k) {
      const int other = (group + k) % groups;
      const int block = blocks.block(rank, other * members + member, other * members + member, 1);
      blocks.step(rank, block, "s", {'s', other * members}, {'o', group * members}, members, collected);
      blocks.step(rank, block, "r", {'s', group * members}, {'o', other * members}, members);
    }
  }
  return blocks;
}

/// Step, ends and bytes of every message, in its order at its sender.
std::vector<std::string> messages_of(Schedule& schedule) {
  std::vector<std::string> lines = lines_of(schedule);
  for (std::string& line : lines) line = line.substr(0, line.find(" bytes"));
  std::ranges::sort(lines);
  return lines;
}

/// The same of messages in one step, each with its level in the graph of what they wait for in place of the
/// step.
std::vector<std::string> levels_of(Schedule& schedule) {
  std::vector<std::string> lines = lines_of(schedule);
  std::vector<int> levels;
  const std::regex wait(R"((after|behind) 1\.(\d+))");
  for (std::string& line : lines) {
    int level = 1;
    for (std::sregex_iterator each(line.begin(), line.end(), wait), end; each != end; ++each) {
      const int of_other = levels.at(std::stoul((*each)[2]) - 1);
      level = std::max(level, (*each)[1] == "after" ? of_other + 1 : of_other);
    }
    levels.push_back(level);
    line = fmt::format("{}{}", level, line.substr(1, line.find(" bytes") - 1));
  }
  std::ranges::sort(lines);
  return lines;
}

/// What is read is legal and has so many steps and messages.
void expect(const ThreadBlocks& blocks, int nodes, std::uint64_t steps, std::uint64_t messages) {
  const auto schedule = import_text("msccl-xml", blocks.xml(), ring_of(nodes));
  EXPECT_EQ(schedule->facts().steps, steps);
  EXPECT_EQ(schedule->facts().messages, messages);
  EXPECT_EQ(problems_of(*schedule), "");
}

/// Traces of the same thread blocks say the same messages, which wait for one another, with sizes and with
/// counts.
void expect_same_from_traces(const ThreadBlocks& blocks, int nodes) {
  ImportOptions options(ring_of(nodes));
  options.chunk_bytes = 512;
  const auto expected = messages_of(*import_text("msccl-xml", blocks.xml(), options));
  for (const std::uint64_t bytes : {512, 0}) {
    std::vector<ImportFile> files = blocks.traces(bytes);
    const auto schedule = FormatRegistry::find("chakra")->read(files, options);
    EXPECT_EQ(levels_of(*schedule), expected);
  }
}

TEST(Production, RingAllReducesWithChannels_AreCorrect) {
  for (const int ranks : {8, 16, 32}) {
    for (const int channels : {1, 4}) {
      for (const bool apart : {false, true}) {
        expect(ring(ranks, channels, 2, apart), ranks, 2U * (ranks - 1), 2U * (ranks - 1) * ranks * channels);
      }
    }
  }
}

TEST(Production, HalvingAndDoubling_IsCorrect) {
  expect(halving_doubling(8), 8, 6, 6 * 8);
  expect(halving_doubling(32), 32, 10, 10 * 32);
}

TEST(Production, HierarchicalAllReduces_AreCorrect) {
  // In groups, 2 (groups - 1) steps around, in groups.
  expect(hierarchical(4, 8), 32, 8, 32U * (7 + 6 + 7));
  expect(hierarchical(2, 4), 8, 4, 8U * (3 + 2 + 3));
}

TEST(Production, TwoStepAllToAll_IsCorrect) {
  for (const auto& [groups, members] : {std::pair{2, 4}, {4, 8}}) {
    const auto ranks = static_cast<std::uint64_t>(groups * members);
    expect(two_step_all_to_all(groups, members), groups * members, 2,
           ranks * static_cast<std::uint64_t>((members - 1) * groups + groups - 1));
  }
}

TEST(Production, AllReduceAsTraces_EqualsTheAlgorithm) {
  expect_same_from_traces(ring(8, 2, 3, false), 8);
  expect_same_from_traces(ring(16, 1, 1, true), 16);
  expect_same_from_traces(halving_doubling(16), 16);
  expect_same_from_traces(hierarchical(4, 4), 16);
}

TEST(Production, CopiesBeforeAllSteps_AreCorrect) {
  for (const bool in_place : {true, false}) {
    constexpr int kRanks = 8;
    ThreadBlocks blocks("allgather", kRanks, in_place, 2, 2 * kRanks, 0);
    for (int rank = 0; rank < kRanks; ++rank) {
      for (int k = 0; k < 2; ++k) blocks.copy(rank, k, 2 * rank + k);
      const int block = blocks.block(rank, (rank + 1) % kRanks, (rank + kRanks - 1) % kRanks);
      const auto chunk = [&](int back) { return (rank + kRanks - back) % kRanks * 2; };
      blocks.step(rank, block, "s", {'o', chunk(0)}, {'o', chunk(0)}, 2);
      for (int k = 1; k < kRanks - 1; ++k)
        blocks.step(rank, block, "rcs", {'o', chunk(k)}, {'o', chunk(k)}, 2);
      blocks.step(rank, block, "r", {'o', chunk(kRanks - 1)}, {'o', chunk(kRanks - 1)}, 2);
    }
    expect(blocks, kRanks, kRanks - 1, kRanks * (kRanks - 1));
  }
}

TEST(Production, BinomialBroadcastInGoal_IsCorrect) {
  constexpr int kRanks = 32;
  std::string text = fmt::format("num_ranks {}\n", kRanks);
  for (int rank = 0; rank < kRanks; ++rank) {
    std::string sends;
    std::string requires_;
    const int lowest = rank == 0 ? kRanks : rank & -rank;
    int label = 1;
    if (rank != 0) sends += fmt::format("l{}: recv 4096b from {} tag 3 cpu 0\n", label++, rank - lowest);
    for (int distance = lowest / 2; distance > 0; distance /= 2) {
      if (rank != 0) requires_ += fmt::format("l{} requires l1\n", label);
      sends += fmt::format("l{}: send 4096b to {} tag 3 cpu 0\n", label++, rank + distance);
    }
    text += fmt::format("\nrank {} {{\n{}{}}}\n", rank, sends, requires_);
  }
  for (const RankMapKind map : {RankMapKind::identity, RankMapKind::snake, RankMapKind::search}) {
    ImportOptions options({TopologyKind::torus, {8, 4}});
    options.map.kind = map;
    const auto schedule = import_text("goal", text, options);
    EXPECT_EQ(schedule->facts().messages, 31U);
    EXPECT_EQ(schedule->facts().steps, 1U);
    EXPECT_EQ(problems_of(*schedule), "");
    // As many levels as there are ranks on the longest way.
    EXPECT_TRUE(levels_of(*import_text("goal", text, options)).back().starts_with("5:"));
  }
}

// --- An all-gather over links of a 4x4 mesh, and over one more that joins the ends of a row ---------------

using Links = std::set<std::pair<NodeId, NodeId>>;

Links mesh_and_row_ends() {
  Links links;
  const auto join = [&](NodeId a, NodeId b) { links.insert({{a, b}, {b, a}}); };
  for (NodeId y = 0; y < 4; ++y) {
    for (NodeId x = 0; x < 4; ++x) {
      if (x < 3) join(4 * y + x, 4 * y + x + 1);
      if (y < 3) join(4 * y + x, 4 * y + x + 4);
    }
    join(4 * y, 4 * y + 3);
  }
  return links;
}

/// Every chunk takes a shortest way to every node, a link an epoch.
std::string all_gather_over(const Links& links) {
  std::map<int, std::string> flows;
  for (NodeId source = 0; source < 16; ++source) {
    std::map<NodeId, int> epoch{{source, -1}};
    std::deque<NodeId> open{source};
    for (; !open.empty(); open.pop_front()) {
      for (const auto& [from, to] : links) {
        if (from != open.front() || epoch.contains(to)) continue;
        epoch[to] = epoch[from] + 1;
        open.push_back(to);
        flows[epoch[to]] += fmt::format(",\n    \"Chunk 0 from {} traveled over {}->{} in epoch {}\"", source,
                                        from, to, epoch[to]);
      }
    }
  }
  std::string text;
  for (const auto& [epoch, lines] : flows) text += lines;
  return "{\"1-Epoch_Duration\": 1e-6, \"3-Epochs_Required\": 4,\n  \"7-Flows\": [" + text.substr(1) + "]}";
}

Topology graph_of(const Links& links) {
  GraphPlan plan{.name = "its own graph"};
  for (int i = 0; i < 16; ++i) plan.add_router({fmt::format("g{}", i)});
  for (const auto& [from, to] : links) {
    if (from < to) plan.join(from, to);
  }
  return Topology::of(std::make_shared<const Graph>(std::move(plan)));
}

TEST(Production, FlowsBetweenRowEnds_NeedTheirLinks) {
  const std::string text = all_gather_over(mesh_and_row_ends());
  const std::string refusal = import_refusal("te-ccl", text, ImportOptions({TopologyKind::mesh, {4, 4}}));
  EXPECT_NE(refusal.find("given: \"7-Flows\"["), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("no link of the 4x4 mesh leads from [0, 0] to [3, 0] (ranks 0 and 3)"),
            std::string::npos)
      << refusal;
  EXPECT_NE(refusal.find(" of 240 flows use links that it does not have"), std::string::npos) << refusal;
  for (const Topology& topology : {graph_of(mesh_and_row_ends()), Topology(TopologyKind::torus, {4, 4})}) {
    const auto schedule = import_text("te-ccl", text, topology);
    EXPECT_EQ(schedule->facts().messages, 240U);
    EXPECT_EQ(schedule->facts().steps, 5U);
    const CheckReport report =
        check_schedule(*schedule, {.routing = topology.default_routing(), .volumes = true});
    EXPECT_TRUE(report.legal);
    EXPECT_EQ(report.longest_message_links, 1U);
    EXPECT_EQ(report.messages_of_many_links, 0U);
  }
}

}  // namespace
}  // namespace flitscope::test::production_test
