// Reductions and all-to-all on flits: random shapes, lengths and machines, each legal and verified; and,
// where a step has one message a link, cycle counts in closed form.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>

#include "algorithms/algorithm.h"
#include "algorithms/collective_bounds.h"
#include "model/error.h"
#include "model/random.h"
#include "sim/analysis/schedule_checker.h"
#include "sim/config/config_source.h"
#include "sim/run/experiment.h"
#include "sim/run/workload.h"
#include "tests/support/program.h"
#include "tests/support/random_cases.h"

namespace flitscope::collectives_test {
namespace {

std::vector<std::string> collectives() {
  std::vector<std::string> names;
  for (const Algorithm& algorithm : AlgorithmRegistry::all()) {
    for (const char* const goal : {"all-reduce-", "reduce-scatter-", "all-gather-", "all-to-all-", "reduce-",
                                   "gather-", "scatter-", "pipelined-trees", "translated-tree"}) {
      if (!algorithm.name.starts_with(goal)) continue;
      names.push_back(algorithm.name);
      break;
    }
  }
  return names;
}

/// Sides of 2 to 9, or powers of two, with at most `nodes` nodes.
std::vector<std::uint32_t> random_shape(std::mt19937_64& random, std::uint64_t nodes) {
  const bool powers = random_below(random, 2) == 0;
  std::vector<std::uint32_t> sides;
  std::uint64_t product = 1;
  const std::uint64_t dimensions = 1 + random_below(random, 4);
  while (sides.size() < dimensions) {
    const auto side =
        static_cast<std::uint32_t>(powers ? 2U << random_below(random, 4) : 2 + random_below(random, 8));
    if (product * side > nodes) break;
    sides.push_back(side);
    product *= side;
  }
  if (sides.empty()) sides.push_back(2);
  return sides;
}

ExperimentConfig random_config(std::mt19937_64& random, const std::string& algorithm, std::uint64_t nodes) {
  const char* const advance = random_below(random, 2) == 0 ? "barrier" : "dataflow";
  const char* const ports = random_below(random, 3) == 0 ? "1" : "all";
  const char* const reduce = random_below(random, 2) == 0 ? "0" : "0.3";
  return parse_config(
      fmt::format("flitscope: 1\ntopology: {{kind: torus, shape: [{}]}}\nnode: {{ports: {}, "
                  "reduce_cycles_per_byte: {}}}\n"
                  "workload: {{algorithm: {}, message: {}, advance: {}}}\n",
                  fmt::join(random_shape(random, nodes), ", "), ports, reduce, algorithm,
                  1 + random_below(random, std::uint64_t{1} << (1 + random_below(random, 12))), advance),
      "random.yaml", ".");
}

TEST(Collectives, RandomOnes_AreLegalAndVerifiedOnFlits) {
  const auto names = collectives();
  std::mt19937_64 random(4096);
  for (unsigned number = 0; number < test::cases(99); ++number) {
    const std::string& name = names[number % names.size()];
    const std::uint64_t nodes = number % 100 == 99 ? (name.starts_with("all-to-all") ? 256 : 4096) : 40;
    ExperimentConfig config = random_config(random, name, nodes);
    const std::string what = fmt::format("case {}: {} on the {}", number, name, config.topology.name());
    std::unique_ptr<Schedule> schedule;
    try {
      schedule = make_schedule(config);
    } catch (const Inadmissible&) {
      continue;
    }
    const CheckReport report = check_schedule(*schedule);
    ASSERT_TRUE(report.passed()) << what;
    EXPECT_EQ(run_isolated([&] {
                const RunResult result = run_experiment(config);
                return result.verified() ? std::string("verified")
                                         : fmt::format("{}", result.failed_checks.front());
              }),
              "verified")
        << what;
  }
}

/// Cycles with barriers on a machine of unit delays and flits of 8 bytes, with combining at `reduce` cycles a
/// byte.
std::string cycles(const std::string& algorithm, const std::string& shape, const std::string& reduce) {
  return run_isolated([&] {
    return std::to_string(
        run_experiment(parse_config(fmt::format("flitscope: 1\ntopology: {{kind: torus, shape: {}}}\n"
                                                "node: {{reduce_cycles_per_byte: {}}}\n"
                                                "workload: {{algorithm: {}, message: 4096}}\n",
                                                shape, reduce, algorithm),
                                    "exact.yaml", "."))
            .cycles);
  });
}

TEST(Collectives, OnTori_TakeTheCyclesOfTheirClosedForms) {
  // A step of neighbours takes (1+1)(1+1) + L-1 cycles for L flits.
  // One chunk has 4096/(16*2) = 128 bytes, 16 flits: 2 * 15 steps of 19 cycles; combining 128 bytes twice
  // takes 2 * 32 cycles in each step of the first half.
  EXPECT_EQ(cycles("all-reduce-ring", "[4, 4]", "0"), std::to_string(30 * 19));
  EXPECT_EQ(cycles("all-reduce-ring", "[4, 4]", "0.25"), std::to_string(15 * (19 + 64) + 15 * 19));
  // 64 bytes, 8 flits, on both Hamiltonian cycles in both directions.
  EXPECT_EQ(cycles("all-reduce-hamiltonian", "[4, 4]", "0"), std::to_string(30 * 11));
  // 256 bytes, 32 flits; 2 * 4 steps, in the last one of each half 3 of the 4 directions.
  EXPECT_EQ(cycles("all-reduce-translated-tree", "[4, 4]", "0"), std::to_string(8 * 35));
  EXPECT_EQ(cycles("all-gather-translated-tree", "[4, 4]", "0.25"), std::to_string(4 * 35));
  // On sides of 2, 1 KiB: two neighbours in the first step, the third node in the second. 2 KiB: one
  // neighbour.
  EXPECT_EQ(cycles("all-reduce-translated-tree", "[2, 2]", "0"), std::to_string(4 * 131));
  EXPECT_EQ(cycles("all-reduce-translated-tree", "[2]", "0"), std::to_string(2 * 259));
  EXPECT_EQ(cycles("reduce-scatter-translated-tree", "[4, 4]", "0.25"),
            std::to_string(4 * 35 + 3 * 4 * 64 + 3 * 64));
  // Colours of 1 KiB: rings of 4 with 1 chunk of 64 bytes, then with 4; both halves.
  EXPECT_EQ(cycles("all-reduce-bucket", "[4, 4]", "0"), std::to_string(2 * (3 * 11 + 3 * 35)));
}

/// What the run of an algorithm on a network comes to, with 512 bytes a message or vector.
std::string outcome(const std::string& topology, const std::string& algorithm,
                    const std::string& links = "") {
  return run_isolated([&] {
    const RunResult result = run_experiment(
        parse_config(fmt::format("flitscope: 1\ntopology: {}\n{}workload: {{algorithm: {}, message: 512}}\n",
                                 topology, links.empty() ? "" : "links: [" + links + "]\n", algorithm),
                     "any.yaml", "."));
    return result.verified() ? std::to_string(result.cycles) : result.failed_checks.front();
  });
}

TEST(Collectives, OnAnyNetwork_AreVerified) {
  for (const Algorithm& each : AlgorithmRegistry::all()) {
    if (!each.any_network) continue;
    const std::string& algorithm = each.name;
    for (const char* const topology :
         {"{kind: k-ary-n-tree, k: 3, n: 2}", "{kind: dragonfly, p: 1, a: 2, h: 1, groups: 3}",
          "{kind: hyperx, shape: [3, 2], concentration: 2}", "{kind: twisted-torus, shape: [4, 3], twist: 2}",
          "{kind: mesh, shape: [4, 3]}", "{kind: torus, shape: [3], directions: plus}",
          "{kind: torus, shape: [3, 4], directions: minus}"}) {
      EXPECT_GT(std::stoul(outcome(topology, algorithm)), 0U) << algorithm << " on " << topology;
    }
    const char* const dead = "{at: '[1, 1]+0', missing: true, both: true}";
    EXPECT_GT(std::stoul(outcome("{kind: mesh, shape: [4, 4]}", algorithm, dead)), 0U) << algorithm;
    EXPECT_GT(std::stoul(outcome("{kind: torus, shape: [4, 4]}", algorithm, dead)), 0U) << algorithm;
    const char* const rest = "{kind: torus, shape: [4, 4], missing_nodes: [[1, 1], [2, 1]]}";
    EXPECT_GT(std::stoul(outcome(rest, algorithm)), 0U) << algorithm;
    EXPECT_GT(std::stoul(outcome(rest, algorithm, "{at: '[3, 2]+1', missing: true}")), 0U) << algorithm;
  }
}

TEST(Collectives, OnAnyNetwork_TakeTheCyclesOfTheirClosedForms) {
  // Between neighbours on a torus (1+1)(1+1) + L-1 cycles a step, between nodes on a switch 3(1+1) + L-1.
  const test::TemporaryDirectory directory;
  const std::string file =
      directory.write("star.anynet", "router 0 node 0 node 1 node 2 node 3 node 4 node 5 node 6 node 7\n");
  const std::string star = "{kind: graph, file: " + file + "}";
  EXPECT_EQ(outcome("{kind: torus, shape: [8]}", "tree-broadcast"), std::to_string(4 * (4 + 63)));
  EXPECT_EQ(outcome(star, "tree-broadcast"), std::to_string(3 * (6 + 63)));
  EXPECT_EQ(outcome(star, "greedy-all-gather"), std::to_string(7 * (6 + 7)));
  EXPECT_EQ(outcome(star, "all-gather-bruck"), std::to_string(3 * (6 - 1) + 7 * 8));
  EXPECT_EQ(outcome(star, "all-reduce-rabenseifner"), std::to_string(2 * (3 * (6 - 1) + 7 * 8)));
  EXPECT_EQ(outcome(star, "all-reduce-recursive-doubling"), std::to_string(3 * (6 + 63)));
  EXPECT_EQ(outcome(star, "reduce-scatter-direct"), std::to_string(7 * (6 + 7)));
  EXPECT_EQ(outcome(star, "all-to-all-bruck"), std::to_string(3 * (6 - 1 + 4 * 8)));
  EXPECT_EQ(outcome(star, "broadcast-binomial"), std::to_string(3 * (6 + 63)));
  // A ring of 8 without a node is a linear array of 7.
  EXPECT_EQ(outcome("{kind: torus, shape: [8], missing_nodes: [[1]]}", "tree-broadcast"),
            std::to_string(6 * (4 + 63)));
}

/// A stream that ends in a cycle in which its sender has put its tail into the slot that is free since then.
TEST(Collectives, ReduceTreeInSegments_TakesEquallyLongWithSkippedCycles) {
  for (unsigned startup = 98; startup <= 103; ++startup) {
    const auto cycles = [&](const char* mode) {
      return run_isolated([&] {
        const RunResult result = run_experiment(parse_config(
            fmt::format(
                "flitscope: 1\ntopology: {{kind: torus, shape: [5, 5]}}\n"
                "router: {{buffer: 16, delay: 4}}\nlink: {{delay: 6}}\n"
                "node: {{flit_bytes: 32, startup: {}, reduce_cycles_per_byte: 0.015625}}\n"
                "workload: {{algorithm: reduce-tree, segment: 1KiB, message: 4KiB, advance: dataflow}}\n"
                "engine: {{fast_forward: '{}'}}\n",
                startup, mode),
            "c.yaml", "."));
        return fmt::format("{} {}", result.cycles, result.verified());
      });
    };
    EXPECT_EQ(cycles("on"), cycles("off")) << startup;
  }
}

/// Links of the first network lead around the ring in one direction, those of the class's network in both: a
/// message that waits for data does not hinder one that leaves by the other link.
TEST(Dataflow, MessagesOfANetworkOfOtherDirections_QueueByTheLinksOfTheirNetwork) {
  const test::TemporaryDirectory directory;
  directory.write(
      "schedule.jsonl",
      R"({"flitscope":"schedule","version":2,"topology":{"kind":"torus","shape":[8]},)"
      R"("ports":{"send":2,"receive":2},"routing":"dimension-order","algorithm":"by-hand","steps":2,)"
      R"("messages":3,"chunks":[8,8],"initial":[[[0],[0]],[[4],[1]]],"goal":[[[1],[1]],[[7],[0]]],)"
      R"("classes":["a","b"]})"
      "\n"
      R"({"step":1,"src":[4],"dst":[0],"path":[[0,1,4]],"chunks":[1],"class":"b"})"
      "\n"
      R"({"step":2,"src":[0],"dst":[1],"path":[[0,1,1]],"chunks":[1],"class":"b"})"
      "\n"
      R"({"step":2,"src":[0],"dst":[7],"path":[[0,-1,1]],"chunks":[0],"class":"b"})"
      "\n");
  for (const char* const networks : {"[{directions: plus}, {}]", "[{}, {}]"}) {
    for (const char* const routing : {"dimension-order", "shortest"}) {
      const std::string steps = run_isolated([&] {
        const RunResult result = run_experiment(
            parse_config(fmt::format("flitscope: 1\ntopology: {{kind: torus, shape: [8], networks: {}}}\n"
                                     "router: {{routing: {}}}\n"
                                     "classes: [{{name: a, vcs: 2}}, {{name: b, vcs: 2, network: 1}}]\n"
                                     "workload: {{schedule: schedule.jsonl, advance: dataflow}}\n",
                                     networks, routing),
                         "c.yaml", directory.path()));
        const StepRecord& first = result.steps.at(0);
        const StepRecord& second = result.steps.at(1);
        return fmt::format("{} to {}, {} to {}", first.begin, first.end, second.begin, second.end);
      });
      EXPECT_EQ(steps, "0 to 10, 0 to 14") << networks << routing;
    }
  }
}

/// The schedule of an algorithm on the first of some tori and meshes that it admits.
std::unique_ptr<Schedule> schedule_of(const Algorithm& algorithm) {
  const bool has_message =
      std::ranges::find(algorithm.parameters, "message", &Parameter::name) != algorithm.parameters.end();
  for (const char* const topology :
       {"{kind: torus, shape: [4, 4]}", "{kind: mesh, shape: [4, 4]}", "{kind: torus, shape: [5, 5]}",
        "{kind: torus, shape: [12, 12]}", "{kind: mesh, shape: [9]}"}) {
    try {
      return make_schedule(
          parse_config(fmt::format("flitscope: 1\ntopology: {}\nworkload: {{algorithm: {}{}}}\n", topology,
                                   algorithm.name, has_message ? ", message: 500" : ""),
                       "identified.yaml", "."));
    } catch (const InputError&) {
      continue;
    } catch (const Inadmissible&) {
      continue;
    }
  }
  return nullptr;
}

TEST(Collectives, OfEveryAlgorithm_AreIdentifiedByTheirData) {
  std::map<CollectiveKind, unsigned> kinds;
  for (const Algorithm& algorithm : AlgorithmRegistry::all()) {
    CollectiveKind kind = algorithm.collective.kind;
    const auto schedule = algorithm.make && kind != CollectiveKind::other ? schedule_of(algorithm) : nullptr;
    if (schedule == nullptr) continue;
    if (kind == CollectiveKind::gossip || kind == CollectiveKind::multinode_broadcast)
      kind = CollectiveKind::all_gather;  // from all nodes
    const ScheduleFacts& facts = schedule->facts();
    const OperationData operation = operation_of(facts.collective, facts.topology);
    EXPECT_EQ(operation.kind, kind) << algorithm.name;
    const auto& chunks = facts.collective.chunk_bytes;
    const double bytes = static_cast<double>(std::accumulate(chunks.begin(), chunks.end(), std::uint64_t{0}));
    EXPECT_DOUBLE_EQ(operation.bytes,
                     kind == CollectiveKind::all_to_all ? bytes / facts.topology.nodes() : bytes)
        << algorithm.name;
    ++kinds[kind];
  }
  EXPECT_EQ(kinds.size(), 8U);
}

TEST(Collectives, DataOfAFile_IsScaledInProportion) {
  const test::TemporaryDirectory directory;
  static_cast<void>(directory.write(
      "own.jsonl",
      R"({"flitscope":"schedule","version":1,"topology":{"kind":"mesh","shape":[2]},"ports":{"send":1,)"
      R"("receive":1},"routing":"dimension-order","algorithm":"own","steps":1,"messages":1,"chunks":[3,1,0,4],)"
      R"("initial":[[[0],[0,1,2,3]]],"goal":"everyone-has-everything"})"
      "\n"
      R"({"step":1,"src":[0],"dst":[1],"path":[[0,1,1]],"chunks":[0,1,2,3],"control":5})"
      "\n"));
  const auto config_of = [&](const std::string& data) {
    return parse_config(
        "flitscope: 1\ntopology: {kind: mesh, shape: [2]}\nworkload: {schedule: own.jsonl" + data + "}\n",
        "own.yaml", directory.path());
  };
  using Bytes = std::vector<std::uint64_t>;
  for (const auto& [data, chunks] : {std::pair{"", Bytes{3, 1, 0, 4}},
                                     {", data: 1000", Bytes{375, 125, 0, 500}},
                                     {", data: 3", Bytes{1, 0, 0, 2}},
                                     {", data: 1024TiB", Bytes{3ULL << 47, 1ULL << 47, 0, 1ULL << 49}}}) {
    EXPECT_EQ(make_schedule(config_of(data))->facts().collective.chunk_bytes, chunks) << data;
  }
  EXPECT_EQ(run_isolated([&] { return std::to_string(run_experiment(config_of(", data: 1000")).flits); }),
            std::to_string((1005 + 7) / 8));
}

/// The name of a collective on a ring of three nodes with chunks of 5, 5 and so on bytes.
std::string name_by_data(const Collective& collective) {
  return name_of(operation_of(collective, Topology(TopologyKind::torus, {3})).kind);
}

TEST(Collectives, DataOfNoCollective_IsOther) {
  const std::vector<Holding> own{{0, {0}}, {1, {1}}, {2, {2}}};
  const std::vector<Holding> at_zero{{0, {0, 1, 2}}};
  const std::vector<std::uint64_t> bytes{5, 5, 5};
  EXPECT_EQ(name_by_data({bytes, own, std::nullopt}), "all-gather");
  EXPECT_EQ(name_by_data({bytes, own, {{{0, {0, 1, 2}}, {1, {0, 1, 2}}, {2, {0, 1, 2}}}}}), "all-gather");
  EXPECT_EQ(name_by_data({bytes, own, at_zero}), "gather");
  EXPECT_EQ(name_by_data({bytes, at_zero, own}), "scatter");
  EXPECT_EQ(name_by_data({bytes, {{0, {0, 1}}, {1, {2}}}, std::nullopt}), "multinode-broadcast");
  EXPECT_EQ(name_by_data({bytes, {}, at_zero, {}, true}), "reduce");
  EXPECT_EQ(name_by_data({bytes, {}, own, {}, true}), "reduce-scatter");
  EXPECT_EQ(name_by_data({bytes, {}, std::nullopt, {}, true}), "all-reduce");
  EXPECT_EQ(name_by_data({bytes, {}, std::nullopt, {{0, {0, 1, 2}}}}), "other") << "one node contributes";
  EXPECT_EQ(name_by_data({bytes, {}, {{{0, {0, 1}}, {1, {2}}}}, {}, true}), "other") << "a node gets no part";
  EXPECT_EQ(name_by_data({bytes, own, {{{0, {1}}, {1, {2}}, {2, {0}}}}}), "other") << "a shift";
  EXPECT_EQ(name_by_data({bytes, {{0, {0}}, {1, {0, 1, 2}}}, std::nullopt}), "other")
      << "a chunk at two nodes";
  EXPECT_EQ(name_by_data({bytes, own, {{{0, {1}}}}}), "other") << "chunks that no node wants";
  const std::vector<Holding> pairs{{0, {0, 1}}, {1, {2, 3}}, {2, {4, 5}}};
  const std::vector<Holding> turned{{0, {2, 4}}, {1, {0, 5}}, {2, {1, 3}}};
  EXPECT_EQ(name_by_data({{5, 5, 5, 5, 5, 5}, pairs, turned}), "all-to-all");
  EXPECT_EQ(name_by_data({{5, 5, 5, 5, 5, 9}, pairs, turned}), "other") << "parts of different sizes";
  EXPECT_DOUBLE_EQ(
      operation_of({{5, 5, 5, 5, 5, 5}, pairs, turned}, Topology(TopologyKind::torus, {3})).bytes, 15);
}

}  // namespace
}  // namespace flitscope::collectives_test
