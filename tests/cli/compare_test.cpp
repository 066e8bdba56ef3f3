// flitscope compare: contenders, closed forms, refusals.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

#include "tests/support/program.h"

namespace flitscope::test::compare_test {
namespace {

using Json = nlohmann::json;

std::string machine_in(const TemporaryDirectory& directory, const std::string& rest = "") {
  return directory.write("machine.yaml", "flitscope: 1\ntopology: {kind: torus, shape: [4, 4]}\n" + rest);
}

Json compared(Arguments words) {
  words.insert(words.end(), {"--quiet", "--all"});
  const Outcome outcome = run_program(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  std::istringstream lines(outcome.err);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_TRUE(line.starts_with("flitscope compare: LEFT OUT: ")) << line;
  }
  return Json::parse(outcome.out);
}

/// Where there is a closed form, and nothing was stalled, it is what barriers take. Returns those that have
/// one.
std::set<std::string> expect_closed_forms(const Json& rows) {
  std::set<std::string> forms;
  for (const Json& row : rows) {
    if (row["closed_form_cycles"].is_null()) continue;
    std::uint64_t stalls = 0;
    for (const auto& [key, value] : row.items()) {
      if (key.starts_with("barrier_stalls")) stalls += value.get<std::uint64_t>();
    }
    if (stalls > 0) continue;
    EXPECT_EQ(row["closed_form_cycles"], row["barrier_cycles"]) << row["algorithm"];
    forms.insert(row["algorithm"].get<std::string>());
  }
  EXPECT_GE(forms.size(), 4U);
  return forms;
}

TEST(Compare, AllReduce_RunsEveryAlgorithmThatFits) {
  const TemporaryDirectory directory;
  const Json rows = compared({"compare", "all-reduce", "--on", machine_in(directory), "--from", "1KiB",
                              "--to", "8KiB", "--factor", "8", "--json"});
  std::set<std::string> names;
  for (const Json& row : rows) names.insert(row["algorithm"]);
  EXPECT_EQ(names,
            (std::set<std::string>{
                "all-reduce-bruck", "all-reduce-bucket", "all-reduce-direct", "all-reduce-dissemination",
                "all-reduce-double-binary-tree", "all-reduce-double-binary-tree, segment 1KiB",
                "all-reduce-hamiltonian", "all-reduce-hierarchical", "all-reduce-hierarchical, across bruck",
                "all-reduce-hierarchical, within bruck", "all-reduce-rabenseifner",
                "all-reduce-recursive-doubling", "all-reduce-ring", "all-reduce-ring, directions one",
                "all-reduce-swing", "all-reduce-swing, version latency", "all-reduce-translated-tree",
                "all-reduce-tree", "all-reduce-tree, segment 1KiB"}));
  EXPECT_EQ(rows.size(), 2 * names.size());
  expect_closed_forms(rows);
}

TEST(Compare, ScheduleOfAFile_IsTheAlgorithmThatMadeItWithEachLength) {
  for (const auto& [goal, algorithm] : {std::pair{"all-reduce", "all-reduce-ring"},
                                        {"all-to-all", "all-to-all-direct"},
                                        {"gossip", "all-gather-bruck"},
                                        {"reduce-scatter", "reduce-scatter-bucket"}}) {
    const TemporaryDirectory directory;
    const std::string machine = machine_in(directory);
    const std::string file = directory / "own.jsonl";
    const std::string workload = fmt::format("workload={{algorithm: {}, message: 4KiB}}", algorithm);
    ASSERT_EQ(run_program({"schedule", machine, "--set", workload, "--out", file}).exit_code, 0);
    const Json rows = compared({"compare", goal, "--on", machine, "--from", "512", "--to", "8KiB", "--factor",
                                "16", "--only", algorithm, "--schedule", file, "--json"});
    std::map<std::uint64_t, Json> made;
    std::map<std::uint64_t, Json> read;
    for (const Json& row : rows) {
      if (row["algorithm"] == algorithm) made[row["message_bytes"]] = row;
      if (row["algorithm"] == file) read[row["message_bytes"]] = row;
    }
    EXPECT_EQ(made.size(), 2U) << rows;
    for (auto& [message, row] : read) row["algorithm"] = algorithm;
    EXPECT_EQ(read, made);
  }
}

TEST(Compare, ScheduleOfAnotherCollective_IsRefused) {
  const TemporaryDirectory directory;
  const std::string machine = machine_in(directory);
  const std::string file = directory / "own.jsonl";
  const std::string workload = "workload={algorithm: all-gather-bruck, message: 4KiB}";
  ASSERT_EQ(run_program({"schedule", machine, "--set", workload, "--out", file}).exit_code, 0);
  for (const auto& [goal, reason] :
       {std::pair{"all-reduce",
                  "its data is that of the collective all-gather, not that of the collective all-reduce"},
        {"multinode-broadcast", "is compared among algorithms only"}}) {
    const Outcome outcome = run_program({"compare", goal, "--on", machine, "--schedule", file});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.err.find(reason), std::string::npos) << outcome.err;
  }
  const Outcome missing =
      run_program({"compare", "all-gather", "--on", machine, "--schedule", directory / "none.jsonl"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_NE(missing.err.find("none.jsonl"), std::string::npos) << missing.err;
}

TEST(Compare, NodeDelays_AreInClosedForms) {
  const TemporaryDirectory directory;
  const std::string machine =
      machine_in(directory,
                 "node: {reduce_cycles_per_byte: 0.3, startup: 5, injection_interval: 2, ejection_interval: "
                 "2, flit_bytes: 16}\nlink: {delay: 3}\n");
  expect_closed_forms(compared({"compare", "all-reduce", "--on", machine, "--to", "1KiB", "--json"}));
  expect_closed_forms(compared({"compare", "reduce-scatter", "--on", machine, "--to", "1KiB", "--json"}));
}

/// The combining algorithms that have a closed form, on even and odd sides, in one to three dimensions: all
/// that do not put several messages on a link. Lengths that chunks divide, and one byte more.
TEST(Compare, ReducingAlgorithms_TakeTheirClosedForms) {
  const TemporaryDirectory directory;
  const std::string machine = machine_in(directory, "node: {reduce_cycles_per_byte: 0.125, startup: 3}\n");
  const std::set<std::string> on_any{"hamiltonian", "ring", "ring, directions one", "translated-tree"};
  const std::set<std::string> on_cube{"bucket", "rabenseifner",   "ring", "ring, directions one",
                                      "swing",  "translated-tree"};
  const std::set<std::string> on_square{
      "bucket", "hamiltonian", "rabenseifner", "ring", "ring, directions one", "swing", "translated-tree"};
  for (const auto& [shape, halves] : {std::pair{"[5]", on_any},
                                      {"[5, 3]", on_any},
                                      {"[3, 3, 3]", on_any},
                                      {"[4, 4]", on_square},
                                      {"[2, 2, 2]", on_cube}}) {
    for (const std::string goal : {"all-reduce", "reduce-scatter", "all-gather"}) {
      for (const char* const message : {"1080", "1081"}) {
        const auto forms = expect_closed_forms(
            compared({"compare", goal, "--on", machine, "--set", fmt::format("topology.shape={}", shape),
                      "--from", message, "--to", message, "--json"}));
        for (const std::string& method : halves) {
          EXPECT_TRUE(forms.contains(goal + "-" + method)) << shape << " " << goal << "-" << method;
        }
        EXPECT_EQ(forms.contains("all-reduce-tree"), goal == "all-reduce") << shape;
      }
    }
  }
}

Json broadcast_of_64_bytes(const TemporaryDirectory& directory, const std::string& machine) {
  const Json rows = compared({"compare", "broadcast", "--on", machine_in(directory, machine), "--from", "64",
                              "--to", "64", "--json"});
  const auto row =
      std::ranges::find(rows, "broadcast-binomial", [](const Json& each) { return each["algorithm"]; });
  return row == rows.end() ? Json() : *row;
}

/// Heads wait for their VCs in every router, and the flits behind close up where a channel before is slow.
TEST(Compare, HeadsThatWait_TakeTheClosedForm) {
  const TemporaryDirectory directory;
  for (const char* const slow : {"node: {injection_interval: 3}\n", "link: {cycles_per_flit: 3}\n",
                                 "node: {ejection_interval: 3}\n"}) {
    const Json row =
        broadcast_of_64_bytes(directory, std::string("router: {vc_delay: 2, buffer: 32}\n") + slow);
    EXPECT_GT(row["closed_form_cycles"], 0) << slow;
    EXPECT_EQ(row["closed_form_cycles"], row["barrier_cycles"]) << slow;
  }
}

/// A channel that is within its interval when the next step begins makes it wait.
TEST(Compare, ChannelsSlowerThanMessages_HaveNoClosedForm) {
  const TemporaryDirectory directory;
  EXPECT_TRUE(
      broadcast_of_64_bytes(directory, "node: {injection_interval: 5}\n")["closed_form_cycles"].is_null());
  const Json row = broadcast_of_64_bytes(directory, "node: {injection_interval: 4}\n");
  EXPECT_GT(row["closed_form_cycles"], 0);
  EXPECT_EQ(row["closed_form_cycles"], row["barrier_cycles"]);
}

TEST(Compare, TextAndMarkdown_CountClosedForms) {
  const TemporaryDirectory directory;
  Arguments words{"compare", "all-reduce", "--on", machine_in(directory), "--to", "1KiB"};
  Arguments json = words;
  json.emplace_back("--json");
  const Json rows = compared(json);
  words.emplace_back("--all");
  const auto forms =
      std::ranges::count_if(rows, [](const Json& row) { return !row["closed_form_cycles"].is_null(); });
  const std::string sentence = fmt::format(
      "{} of {} have a closed form, which is exactly what barriers measure.\n", forms, rows.size());
  const std::string text = run_program(words).out;
  EXPECT_NE(text.find("\n" + sentence), std::string::npos) << text;
  Arguments markdown = words;
  markdown.emplace_back("--markdown");
  const std::string page = run_program(markdown).out;
  EXPECT_NE(page.find(". " + sentence), std::string::npos) << page;
  EXPECT_EQ(page.find("Left out"), std::string::npos) << page;
}

TEST(Compare, OtherCollectives_RunTheirAlgorithms) {
  const TemporaryDirectory directory;
  const std::string machine = machine_in(directory);
  for (const auto& [goal, least] :
       {std::pair{"all-to-all", 6U}, std::pair{"reduce", 2U}, std::pair{"broadcast", 6U},
        std::pair{"all-gather", 7U}, std::pair{"gather", 2U}, std::pair{"scatter", 2U}}) {
    const Json rows = compared({"compare", goal, "--on", machine, "--from", "100", "--to", "100", "--json"});
    EXPECT_GE(rows.size(), least) << goal;
    for (const Json& row : rows)
      EXPECT_FALSE(row["algorithm"].get<std::string>().starts_with("reduce-scatter"));
    if (goal != std::string("scatter")) continue;
    for (const Json& row : rows) EXPECT_NE(row["algorithm"], "scatter-allgather");
  }
}

std::set<std::string> names_of(const Json& rows) {
  std::set<std::string> names;
  for (const Json& row : rows) names.insert(row["algorithm"]);
  return names;
}

TEST(Compare, AnyNetwork_RunsAlgorithmsForAnyNetwork) {
  const TemporaryDirectory directory;
  const std::set<std::string> gathers{"all-gather-bruck",
                                      "all-gather-direct",
                                      "all-gather-hierarchical",
                                      "all-gather-hierarchical, across bruck",
                                      "all-gather-hierarchical, within bruck",
                                      "all-gather-rabenseifner",
                                      "all-gather-ring",
                                      "all-gather-ring, directions one",
                                      "greedy-all-gather"};
  for (const char* const network :
       {"topology: {kind: k-ary-n-tree, k: 2, n: 2}\n",
        "topology: {kind: torus, shape: [4, 3], missing_nodes: [[1, 1], [2, 1]]}\n",
        "topology: {kind: mesh, shape: [4, 4]}\nlinks: [{at: '[1, 1]+0', missing: true}]\n"}) {
    const std::string machine = directory.write(
        "any.yaml", "flitscope: 1\n" + std::string(network) + "node: {reduce_cycles_per_byte: 0.1}\n");
    const Json rows =
        compared({"compare", "all-gather", "--on", machine, "--from", "600", "--to", "600", "--json"});
    EXPECT_EQ(names_of(rows), gathers) << network;
    for (const Json& row : rows) {
      EXPECT_GE(row["link_bytes"].get<double>(), row["least_link_bytes"].get<double>() - 1) << row;
      EXPECT_GT(row["least_link_bytes"].get<double>(), 0) << row;
    }
    EXPECT_EQ(
        names_of(compared({"compare", "broadcast", "--on", machine, "--from", "64", "--to", "64", "--json"})),
        (std::set<std::string>{"broadcast-binomial", "broadcast-binomial, segment 1KiB",
                               "broadcast-double-binary-tree", "broadcast-double-binary-tree, segment 1KiB",
                               "broadcast-hierarchical", "broadcast-hierarchical, segment 1KiB",
                               "tree-broadcast", "tree-broadcast, segment 1KiB"}));
    for (const Json& row :
         compared({"compare", "all-to-all", "--on", machine, "--from", "600", "--to", "600", "--json"})) {
      EXPECT_GE(row["link_bytes"].get<double>(), row["least_link_bytes"].get<double>() - 1) << row;
    }
  }
  const Json rows = compared(
      {"compare", "gather", "--on", machine_in(directory), "--from", "100", "--to", "100", "--json"});
  EXPECT_FALSE(names_of(rows).contains("greedy-all-gather"));
}

TEST(Compare, CompleteNetwork_RunsAlgorithmsForCircuits) {
  const TemporaryDirectory directory;
  const std::string machine =
      directory.write("machine.yaml",
                      "flitscope: 1\ntopology: {kind: complete, nodes: 13}\nnode: {ports: 2, startup: 3}\n"
                      "circuits: {reconfiguration: 20}\nclock: 1GHz\n");
  const Json rows = compared({"compare", "broadcast", "--on", machine, "--to", "1KiB", "--json"});
  std::map<std::string, Json> by_name;
  for (const Json& row : rows) by_name[row["algorithm"]] = row;
  ASSERT_EQ(by_name.size(), 4U);
  for (const auto& [name, row] : by_name) {
    EXPECT_EQ(row["status"], "completed") << name;
    EXPECT_EQ(row["dataflow_cycles"], row["closed_form_cycles"]) << name;
    EXPECT_LE(row["least_cycles"], row["dataflow_cycles"]) << name;
    const Json run = Json::parse(
        run_program({"run", machine, "--json", "--set", "workload={algorithm: " + name + ", message: 1024}"})
            .out);
    EXPECT_EQ(row["dataflow_cycles"], run["cycles"]) << name;
    EXPECT_TRUE(row["barrier_cycles"].is_null() && row["link_bytes"].is_null()) << name;
  }
  const std::string out = directory / "out";
  const Outcome text = run_program({"compare", "scatter", "--on", machine, "--to", "1KiB", "--out", out});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find(" wins with "), std::string::npos) << text.out;
  EXPECT_EQ(text.out.find("link bytes"), std::string::npos) << text.out;
  EXPECT_EQ(run_program({"report", out}).exit_code, 0);
  const Outcome none = run_program({"compare", "all-reduce", "--on", machine});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("no algorithm for all-reduce ran to its end: there is none"), std::string::npos)
      << none.err;
}

/// The length of a gossip is that of a node's part, of an all-gather that of all parts together.
TEST(Compare, Gossip_RunsAllGathersOfAsManyBytes) {
  const TemporaryDirectory directory;
  const Json rows =
      compared({"compare", "gossip", "--on", machine_in(directory), "--from", "64", "--to", "64", "--only",
                "translated-tree,all-gather-translated-tree,all-gather-ring", "--json"});
  std::map<std::string, Json> by_name;
  for (const Json& row : rows) by_name[row["algorithm"]] = row;
  ASSERT_EQ(by_name.size(), 4U) << "one of them in both versions";
  for (const auto& [name, row] : by_name) {
    EXPECT_EQ(row["goal"], "gossip") << name;
    EXPECT_EQ(row["message_bytes"], 64) << name;
    EXPECT_EQ(row["least_link_bytes"], 15 * 64 / 4) << name;
    EXPECT_GE(row["link_bytes"], row["least_link_bytes"]) << name;
  }
  EXPECT_EQ(by_name["translated-tree"]["link_bytes"], 4 * 64);
  EXPECT_EQ(by_name["all-gather-translated-tree"]["link_bytes"], 4 * 64);
  EXPECT_EQ(by_name["all-gather-ring, directions one"]["link_bytes"], 15 * 64);
}

TEST(Compare, GossipOfMoreThanTheLongestMessage_IsRefused) {
  const TemporaryDirectory directory;
  const Outcome outcome = run_program({"compare", "gossip", "--on", machine_in(directory), "--from", "512GiB",
                                       "--to", "512GiB", "--only", "all-gather-ring"});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
  EXPECT_NE(outcome.err.find("8796093022208"), std::string::npos) << outcome.err;
}

TEST(Compare, GossipOnCircuits_RunsBothAlgorithms) {
  const TemporaryDirectory directory;
  const std::string machine = directory.write("machine.yaml",
                                              "flitscope: 1\ntopology: {kind: complete, nodes: 13}\n"
                                              "node: {ports: 2}\ncircuits: {reconfiguration: 20}\n");
  const Json rows = compared({"compare", "gossip", "--on", machine, "--to", "1KiB", "--json"});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["algorithm"], "afsahi-gossip");
  EXPECT_EQ(rows[1]["algorithm"], "afsahi-gossip-direct");
}

TEST(Compare, MultinodeBroadcast_RunsEveryDivisorFromTheSourcesOfTheConfiguration) {
  const TemporaryDirectory directory;
  const std::string machine = directory.write("machine.yaml",
                                              "flitscope: 1\ntopology: {kind: torus, shape: [4, 4, 4]}\n"
                                              "workload: {sources: [[0, 0, 0], [1, 2, 3]]}\n");
  const Json rows =
      compared({"compare", "multinode-broadcast", "--on", machine, "--from", "96", "--to", "96", "--json"});
  std::set<std::string> names;
  for (const Json& row : rows) {
    names.insert(row["algorithm"]);
    EXPECT_EQ(row["least_link_bytes"], 2 * 96 / 6) << "two messages by six links";
    EXPECT_GE(row["link_bytes"], row["least_link_bytes"]) << row["algorithm"];
  }
  EXPECT_EQ(names, (std::set<std::string>{"chen-multinode, h 1", "chen-multinode, h 2", "chen-multinode, h 4",
                                          "chen-multinode-fast, h 1", "chen-multinode-fast, h 2",
                                          "chen-multinode-fast, h 4", "edge-disjoint-trees"}));
  const auto least = [&](const std::string& setting) {
    Arguments words{"compare", "multinode-broadcast", "--on", machine, "--from", "96", "--to", "96"};
    words.insert(words.end(), {"--only", "edge-disjoint-trees", "--set", setting, "--json"});
    return compared(words).at(0)["least_link_bytes"];
  };
  EXPECT_EQ(least("workload.sources={count: 6, seed: 1}"), 96);
  EXPECT_EQ(least("workload=null"), 63 * 96 / 6) << "all nodes, each with a message of its own";
}

TEST(Compare, MultinodeBroadcastElsewhereThanOnACube_IsRefusedForEachAlgorithm) {
  const TemporaryDirectory directory;
  const Outcome outcome = run_program({"compare", "multinode-broadcast", "--on", machine_in(directory)});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
  EXPECT_NE(outcome.err.find("no algorithm for multinode-broadcast ran to its end"), std::string::npos)
      << outcome.err;
}

TEST(Compare, MistakeOfTheMachine_IsSaidOnce) {
  const TemporaryDirectory directory;
  const std::string machine = machine_in(directory, "router: {buffer: 0}\n");
  const Outcome outcome = run_program({"compare", "all-gather", "--on", machine, "--quiet"});
  EXPECT_EQ(outcome.exit_code, 2);
  const std::size_t first = outcome.err.find("router.buffer");
  ASSERT_NE(first, std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("router.buffer", first + 1), std::string::npos) << outcome.err;
}

/// The root keeps the only byte: no link has to carry anything.
TEST(Compare, BoundOfNothing_HasNoShare) {
  const TemporaryDirectory directory;
  const Outcome outcome =
      run_program({"compare", "scatter", "--on", machine_in(directory), "--from", "1", "--to", "1"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find("nan"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("inf"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("scatter of 1B"), std::string::npos) << outcome.out;
}

TEST(Compare, EveryShippedAlgorithm_DeclaresItsCollective) {
  const Json algorithms = Json::parse(run_program({"list", "algorithms", "--json"}).out)["algorithms"];
  EXPECT_GE(algorithms.size(), 60U);
  for (const Json& algorithm : algorithms) EXPECT_NE(algorithm["collective"], "other") << algorithm["name"];
}

TEST(Compare, Only_RunsNamedAlgorithms) {
  const TemporaryDirectory directory;
  const std::string machine = machine_in(directory);
  const Json rows = compared({"compare", "all-reduce", "--on", machine, "--to", "1KiB", "--only",
                              "all-reduce-swing,all-reduce-bucket", "--json"});
  EXPECT_EQ(rows.size(), 3U) << "both versions of one, and the other";
  const Outcome refused = run_program({"compare", "reduce", "--on", machine, "--only", "all-reduce-swing"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("no algorithm for reduce is called 'all-reduce-swing'"), std::string::npos);
}

TEST(Compare, NoneRunsToItsEnd_IsAnErrorWithTheReasonOfEach) {
  const TemporaryDirectory directory;
  const std::string machine = machine_in(directory, "limits: {cycles: 20}\n");
  const Outcome outcome =
      run_program({"compare", "all-gather", "--on", machine, "--set", "topology.shape=[2, 3]", "--to", "1KiB",
                   "--only", "all-gather-swing,all-gather-bucket", "--quiet"});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
  EXPECT_NE(outcome.err.find("no algorithm for all-gather ran to its end:\n  all-gather-"), std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("\n  all-gather-bucket: limit: "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("\n  all-gather-swing: "), std::string::npos) << outcome.err;
}

TEST(Compare, Text_NamesWinnerAndLeftOut) {
  const TemporaryDirectory directory;
  const Outcome outcome = run_program({"compare", "all-gather", "--on", machine_in(directory), "--set",
                                       "topology.shape=[2, 3]", "--from", "64", "--to", "64"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find(" wins with "), std::string::npos) << outcome.out;
  EXPECT_NE(
      outcome.out.find("left out: all-gather-swing: all-gather-swing needs sides that are powers of two"),
      std::string::npos)
      << outcome.out;
  const Outcome csv =
      run_program({"compare", "all-gather", "--on", machine_in(directory), "--set", "topology.shape=[2, 3]",
                   "--from", "64", "--to", "64", "--csv", "--quiet"});
  EXPECT_NE(csv.err.find("flitscope compare: LEFT OUT: all-gather-swing: "), std::string::npos) << csv.err;
  const Outcome page = run_program({"compare", "all-gather", "--on", machine_in(directory), "--set",
                                    "topology.shape=[2, 3]", "--from", "64", "--to", "64", "--markdown"});
  EXPECT_NE(page.out.find("\nLeft out:\n\n* all-gather-"), std::string::npos) << page.out;
}

TEST(Compare, LongRun_ReportsProgressAndKeepsFinishedRowsWhenInterrupted) {
  const TemporaryDirectory directory;
  // The shortest length takes milliseconds, the longest minutes.
  RunningProgram program({"compare", "all-reduce", "--on", machine_in(directory), "--set",
                          "topology.shape=[8, 8]", "--from", "256", "--to", "256MiB", "--factor", "1024",
                          "--only", "all-reduce-tree", "-j", "4"});
  std::this_thread::sleep_for(std::chrono::milliseconds(11'000));
  program.kill(SIGINT);
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.signal, SIGINT);
  EXPECT_NE(outcome.out.find("all-reduce of 256B\n"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("\nnot finished: all-reduce-tree, segment 1KiB, 256MiB\n"), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.err.find(" of 6 runs, "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("flitscope compare: interrupted"), std::string::npos) << outcome.err;
}

/// What a bound excludes is not faster.
TEST(Compare, ExcludedCandidates_AreNoneThatWin) {
  const TemporaryDirectory directory;
  for (const auto& [shape, slow] :
       {std::pair("[4, 4]", "links=null"), std::pair("[3, 3, 3]", "links=null"),
        std::pair("[7]", "links=null"), std::pair("[5]", "link.cycles_per_flit=7"),
        std::pair("[3, 3]", "links=[{at: '[1, 1]+0', cycles_per_flit: 9/2, both: true}]")}) {
    for (const char* const goal : {"all-reduce", "all-gather", "all-to-all"}) {
      Arguments words{"compare",  goal,
                      "--on",     machine_in(directory),
                      "--set",    fmt::format("topology.shape={}", shape),
                      "--set",    slow,
                      "--from",   "256",
                      "--to",     "16KiB",
                      "--factor", "64"};
      const Json all = compared([&] {
        Arguments with = words;
        with.emplace_back("--json");
        return with;
      }());
      words.insert(words.end(), {"--json", "--quiet"});
      const Json some = Json::parse(run_program(words).out);
      ASSERT_EQ(some.size(), all.size());
      std::map<std::uint64_t, std::uint64_t> best;
      for (const Json& row : all) {
        const auto at = best.try_emplace(row["message_bytes"], row["dataflow_cycles"]).first;
        at->second = std::min(at->second, row["dataflow_cycles"].get<std::uint64_t>());
        EXPECT_LE(row["least_cycles"], row["dataflow_cycles"]) << row;
      }
      for (const Json& row : some) {
        EXPECT_TRUE(row["barrier_cycles"].is_null());
        if (row["status"] == "excluded") {
          EXPECT_GT(row["least_cycles"].get<std::uint64_t>(), best.at(row["message_bytes"])) << row;
        }
      }
    }
  }
}

/// Eight flits over a link: one cycle for the last, and intervals for those before it.
TEST(Compare, BoundOfSlowLinks_CountsIntervalsBetweenFlits) {
  const TemporaryDirectory directory;
  const std::string machine = machine_in(directory);
  for (const auto& [key, least] :
       {std::pair("link.cycles_per_flit=10", 71), std::pair("link.cycles_per_flit=3/2", 11),
        std::pair("links=[{at: '[0]+0', cycles_per_flit: 10}]", 71)}) {
    const Json rows =
        compared({"compare", "broadcast", "--on", machine, "--set", "topology={kind: mesh, shape: [2]}",
                  "--set", key, "--from", "64", "--to", "64", "--only", "tree-broadcast", "--json"});
    EXPECT_EQ(rows[0]["least_cycles"], least) << key;
    EXPECT_GE(rows[0]["dataflow_cycles"], least) << key;
  }
}

/// The VC of a message is free for the next one when all its credits are back.
TEST(Compare, ClosedFormOfAtomicAllocation_IsEmptyWhereCreditsComeLate) {
  const TemporaryDirectory directory;
  const std::string machine =
      machine_in(directory,
                 "router: {vc_allocation: atomic, buffer: 16, delay: 2, credit_delay: 3}\nlink: {delay: 5}\n"
                 "node: {injection_interval: 2, ports: all}\n");
  for (const auto& [startup, is_empty] : {std::pair("0", true), std::pair("1", false)}) {
    const Json rows =
        compared({"compare", "all-reduce", "--on", machine, "--set", "topology={kind: torus, shape: [4]}",
                  "--set", fmt::format("node.startup={}", startup), "--from", "64", "--to", "64", "--only",
                  "all-reduce-bucket", "--json"});
    EXPECT_EQ(rows[0]["closed_form_cycles"].is_null(), is_empty) << rows[0];
    if (is_empty) continue;
    EXPECT_EQ(rows[0]["closed_form_cycles"], rows[0]["barrier_cycles"]);
  }
}

/// A message in packets is the worm of their flits, 4 + F - 1 cycles over one link, where they follow each
/// other without a gap; otherwise there is no formula.
TEST(Compare, ClosedFormOfPackets_CountsTheirHeadsOrIsEmpty) {
  const TemporaryDirectory directory;
  const std::string machine = machine_in(directory);
  const auto row_of = [&](const std::string& key, const char* message) {
    return compared({"compare", "broadcast", "--on", machine, "--set", "topology={kind: mesh, shape: [2]}",
                     "--set", "packet={payload: 64, head_flits: 1}", "--set", key, "--from", message, "--to",
                     message, "--only", "tree-broadcast", "--json"})[0];
  };
  for (const char* const message : {"64", "128"}) {
    const Json row = row_of("router.vc_delay=0", message);
    EXPECT_GT(row["closed_form_cycles"], 0) << row;
    EXPECT_EQ(row["closed_form_cycles"], row["barrier_cycles"]) << row;
  }
  EXPECT_FALSE(row_of("router.vc_delay=1", "64")["closed_form_cycles"].is_null()) << "a packet alone";
  EXPECT_TRUE(row_of("router.vc_delay=1", "128")["closed_form_cycles"].is_null());
}

TEST(Compare, WorkloadGivenBesideTheGoal_IsRefused) {
  const TemporaryDirectory directory;
  const std::string machine = machine_in(directory);
  const Outcome refused =
      run_program({"compare", "broadcast", "--on", machine, "--set", "workload.source=[2]"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("--set workload.source=[2]: compare gives each algorithm its own workload"),
            std::string::npos)
      << refused.err;
  EXPECT_EQ(run_program({"compare", "multinode-broadcast", "--on", machine, "--set",
                         "workload={sources: ['[0, 0]']}"})
                .exit_code,
            2);
}

/// Both messages of a step wait in a queue for one.
TEST(Compare, ClosedFormOfMessagesThatWaitInTheQueueOfTheirNode_IsEmpty) {
  const TemporaryDirectory directory;
  const std::string machine = machine_in(directory);
  for (const auto& [queue, is_empty] : {std::pair("1", true), std::pair("4", false)}) {
    const Json rows =
        compared({"compare", "all-reduce", "--on", machine, "--set", "topology={kind: torus, shape: [4]}",
                  "--set", fmt::format("node.injection_queue={}", queue), "--from", "64", "--to", "64",
                  "--only", "all-reduce-bucket", "--json"});
    EXPECT_EQ(rows[0]["closed_form_cycles"].is_null(), is_empty) << rows[0];
  }
}

/// All four have the bound that one of them reaches.
TEST(Compare, BoundThatIsReached_ExcludesNoCandidate) {
  const TemporaryDirectory directory;
  const std::string machine = directory.write(
      "machine.yaml",
      "flitscope: 1\ntopology: {kind: complete, nodes: 4}\nnode: {ports: 2, startup: 3}\ncircuits: "
      "{reconfiguration: 20}\n");
  const Json rows = Json::parse(run_program({"compare", "broadcast", "--on", machine, "--from", "64", "--to",
                                             "64", "--jobs", "1", "--json", "--quiet"})
                                    .out);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0]["dataflow_cycles"], rows[3]["least_cycles"]);
  for (const Json& row : rows) EXPECT_EQ(row["status"], "completed") << row;
}

TEST(Compare, ExcludedCandidates_AreCountedBelowTheTable) {
  const TemporaryDirectory directory;
  const Outcome outcome = run_program({"compare", "all-gather", "--on", machine_in(directory), "--from",
                                       "16KiB", "--to", "16KiB", "--jobs", "1"});
  EXPECT_NE(outcome.out.find(" excluded by their bounds\n"), std::string::npos) << outcome.out;
}

TEST(Compare, Out_IsADirectoryForTheReport) {
  const TemporaryDirectory directory;
  const std::string out = directory / "compared";
  const Outcome outcome = run_program(
      {"compare", "broadcast", "--on", machine_in(directory), "--from", "64", "--to", "64", "--out", out});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("candidates and lengths: closed forms and bounds first"), std::string::npos);
  EXPECT_NE(outcome.err.find(", the fastest so far"), std::string::npos);
  EXPECT_FALSE(Json::parse(text_of(out + "/compare.json")).empty());
  EXPECT_EQ(run_program({"report", out}).exit_code, 0);
}

TEST(Compare, BadUsage_IsRefused) {
  const TemporaryDirectory directory;
  const std::string machine = machine_in(directory);
  const auto refused = [](const Arguments& words) {
    const Outcome outcome = run_program(words);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  EXPECT_NE(refused({"compare", "all-reducee", "--on", machine}).find("did you mean 'all-reduce'?"),
            std::string::npos);
  EXPECT_NE(refused({"compare", "all-reduce"}).find("--on CONFIG must name the machine"), std::string::npos);
  EXPECT_NE(refused({"compare", "all-reduce", "--on", machine, "--from", "0"}).find("--from must be a size"),
            std::string::npos);
  EXPECT_NE(
      refused({"compare", "all-reduce", "--on", machine, "--to", "10"}).find("--to must be at least --from"),
      std::string::npos);
  EXPECT_NE(
      refused({"compare", "gather", "--on", machine, "--set", "topology={kind: k-ary-n-tree, k: 2, n: 2}"})
          .find("no algorithm"),
      std::string::npos);
}

}  // namespace
}  // namespace flitscope::test::compare_test
