// verify and deadlock on the command line: exit codes, certificates, reproducers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/hand_written_runs.h"
#include "tests/support/program.h"

namespace flitscope::test::deadlock_verdict_command_test {
namespace {

using Json = nlohmann::json;

const std::string kConfigs = FLITSCOPE_SOURCE_DIR "/configs/";

bool has_python() {
  return std::system("python3 -c '' >/dev/null 2>&1") == 0;
}

/// Exit code of scripts/check_order.py.
int check_order(const TemporaryDirectory& directory, const std::string& more = "") {
  const std::string command = "python3 " FLITSCOPE_SOURCE_DIR "/scripts/check_order.py " +
                              (directory / "order").string() + " " + (directory / "routes").string() + more +
                              " >/dev/null";
  return WEXITSTATUS(std::system(command.c_str()));
}

TEST(VerifyDeadlock, DeadlockedRun_HasTheVerifiedDependencyCycle) {
  const Outcome verified = run_program({"verify", kConfigs + "deadlock-ring.yaml", "--json"});
  EXPECT_EQ(verified.exit_code, 3);
  const Json graph = Json::parse(verified.out).at("dependency_graph");
  EXPECT_EQ(graph.at("verdict"), "can-deadlock");
  EXPECT_EQ(graph.at("step"), 1);
  EXPECT_EQ(graph.at("channels"), 8);
  EXPECT_EQ(graph.at("vcs"), 8);
  EXPECT_EQ(graph.at("arcs"), 8);
  EXPECT_EQ(graph.at("suggested_fixes").at("settings"),
            (std::vector<std::string>{"router.virtual_channels=2"}));

  const Outcome run = run_program({"run", kConfigs + "deadlock-ring.yaml", "--json"});
  EXPECT_EQ(run.exit_code, 3);
  std::vector<std::pair<std::string, std::string>> expected;
  const Json result = Json::parse(run.out);
  for (const Json& worm : result.at("deadlock").at("dependency_cycle")) {
    const auto label =
        std::to_string(worm.at("step").get<int>()) + "." + std::to_string(worm.at("message").get<int>());
    expected.emplace_back(worm.at("holds").at(0).at("channel"), label);
  }
  std::vector<std::pair<std::string, std::string>> found;
  for (const Json& member : graph.at("dependency_cycle"))
    found.emplace_back(member.at("channel"), member.at("message"));
  std::ranges::sort(expected);
  std::ranges::sort(found);
  EXPECT_EQ(found, expected);
}

TEST(RunWithDeadlock, LimitBeforeAMessageThatIsReadyLater_DetectsItInTheCycleOfTheLimit) {
  const TemporaryDirectory directory;
  std::string schedule = text_of(kConfigs + "deadlock-ring.jsonl");
  schedule.replace(schedule.find(R"("version":1)"), 11, R"("version":2)");
  schedule.replace(schedule.find(R"("messages":8)"), 12, R"("messages":9)");
  const std::string late = directory.write(
      "late.jsonl",
      schedule + R"({"step":1,"src":[0],"dst":[1],"path":[[0,1,1]],"control":8,"wait":400})" + "\n");
  for (const auto& [limit, cycle] : {std::pair("100", 100), std::pair("3000", 400)}) {
    const Outcome run =
        run_program({"run", kConfigs + "deadlock-ring.yaml", "--json", "--set", "workload.schedule=" + late,
                     "--set", std::string("limits.cycles=") + limit});
    EXPECT_EQ(run.exit_code, 3) << run.err;
    const Json result = Json::parse(run.out);
    EXPECT_EQ(result.at("cycles"), cycle);
    EXPECT_EQ(result.at("deadlock").at("detected_cycle"), cycle);
    EXPECT_LT(result.at("deadlock").at("deadlocked_since_cycle"), 10);
  }
}

TEST(VerifyDeadlock, LayersOfASchedule_NameTheMessagesAboveLayerZero) {
  const std::string config = kConfigs + "deadlock-ring.yaml";
  const Json fixes =
      Json::parse(run_program({"verify", config, "--json"}).out).at("dependency_graph").at("suggested_fixes");
  EXPECT_EQ(fixes.at("layers"), 2);
  const Json& above = fixes.at("paths_above_layer_0");
  ASSERT_EQ(above.size(), 3U);
  EXPECT_EQ(above[0], Json::parse(R"({"layer": 1, "message": "1.6", "src": [5], "dst": [1],
                                      "channels": ["[5]+0", "[6]+0", "[7]+0", "[0]+0"]})"));
  EXPECT_EQ(above[1].at("message"), "1.7");
  EXPECT_EQ(above[2].at("message"), "1.8");
  const std::string text = run_program({"verify", config}).out;
  EXPECT_NE(text.find("  layer 1: message 1.8 from [7] to [3] by [7]+0 [0]+0 [1]+0 [2]+0\n"
                      "  layer 0: all others\n"),
            std::string::npos)
      << text;
}

TEST(VerifyDeadlock, LayersOfAllPairs_FreeATableOfTheSameRoutes) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("c.yaml",
                                             "flitscope: 1\n"
                                             "topology: {kind: torus, shape: [4, 5]}\n"
                                             "router: {routing: shortest, virtual_channels: 1}\n"
                                             "workload: {traffic: uniform}\n");
  const Outcome verified = run_program({"verify", config, "--all-pairs", "--json"});
  EXPECT_EQ(verified.exit_code, 3) << verified.err;
  const Json fixes = Json::parse(verified.out).at("dependency_graph").at("suggested_fixes");
  const Json& above = fixes.at("paths_above_layer_0");
  ASSERT_GT(above.size(), 8U);
  EXPECT_EQ(above.back().at("layer").get<unsigned>() + 1, fixes.at("layers"));
  EXPECT_TRUE(above[0].at("message").is_null());
  const std::string text = run_program({"verify", config, "--all-pairs"}).out;
  const std::string more = "  ... and " + std::to_string(above.size() - 8) + " more above layer 0, ";
  EXPECT_NE(text.find(more), std::string::npos) << text;

  std::string table = run_program({"schedule", config, "--routes"}).out;
  const Arguments verify{"verify", config, "--all-pairs", "--set",
                         "router={routing: table, file: routes.txt, virtual_channels: auto}"};
  directory.write("routes.txt", table);
  EXPECT_EQ(run_program(verify).exit_code, 3);
  for (const Json& path : above)
    table += "layer " + path.at("layer").dump() + " to " + path.at("dst").dump() + " from " +
             path.at("src").dump() + "\n";
  directory.write("routes.txt", table);
  const Outcome fixed = run_program(verify);
  EXPECT_EQ(fixed.exit_code, 0) << fixed.err << fixed.out;
}

TEST(VerifyDeadlock, ParallelLinks_HaveTheirNamesInTheDependencyCycle) {
  const TemporaryDirectory directory;
  std::string graph = "graph: 1\nname: pairs\nrouters: [";
  std::string links;
  const std::string nodes = "abcd";
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    graph += std::string(i == 0 ? "" : ", ") + "{name: " + nodes[i] + ", node: true}";
    for (unsigned twice = 0; twice < 2; ++twice)
      links += std::string("  - {from: ") + nodes[i] + ", to: " + nodes[(i + 1) % nodes.size()] + "}\n";
  }
  directory.write("pairs.yaml", graph + "]\nlinks:\n" + links);
  const std::string config =
      directory.write("config.yaml",
                      "flitscope: 1\ntopology: {kind: graph, file: pairs.yaml}\n"
                      "router: {routing: shortest, virtual_channels: 1, buffer: 2, allow_deadlock: true}\n"
                      "workload: {traffic: uniform, load: 0.9, message: 256}\n");
  const Outcome verified = run_program({"verify", config, "--all-pairs"});
  EXPECT_NE(verified.out.find("a>b#2 VC 0: held by"), std::string::npos) << verified.out;
  const Outcome run = run_program({"run", config, "--out", (directory / "run").string()});
  EXPECT_EQ(run.exit_code, 3) << run.err;
  const std::string channels = text_of(directory / "run/channels.csv");
  for (const Json& worm :
       Json::parse(text_of(directory / "run/result.json")).at("deadlock").at("dependency_cycle")) {
    for (const Json& held : worm.at("holds")) {
      const auto channel = held.at("channel").get<std::string>();
      EXPECT_NE(channels.find('"' + channel + '"'), std::string::npos) << channel;
      EXPECT_NE(run.out.find(channel + " VC 0"), std::string::npos) << run.out;
    }
  }
}

TEST(VerifyDeadlock, OrderOfShippedConfiguration_PassesChecker) {
  if (!has_python()) GTEST_SKIP() << "python3 is not installed";
  for (const char* const name :
       {"quickstart", "gossip-8x8", "hot-spot", "one-port-mesh", "multinode-16x16x16"}) {
    SCOPED_TRACE(name);
    const TemporaryDirectory directory;
    const Outcome outcome =
        run_program({"verify", kConfigs + name + ".yaml", "--order", (directory / "order").string(),
                     "--routes", (directory / "routes").string()});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(check_order(directory), 0);
  }
}

TEST(VerifyDeadlock, WrongOrder_FailsChecker) {
  if (!has_python()) GTEST_SKIP() << "python3 is not installed";
  const TemporaryDirectory directory;
  ASSERT_EQ(run_program({"verify", kConfigs + "hot-spot.yaml", "--order", (directory / "order").string(),
                         "--routes", (directory / "routes").string()})
                .exit_code,
            0);
  ASSERT_EQ(check_order(directory), 0);
  const std::string order = text_of(directory / "order");
  // Two lines change places, each with the rank of the other.
  std::istringstream lines(order);
  std::vector<Json> entries;
  for (std::string line; std::getline(lines, line);) entries.push_back(Json::parse(line));
  ASSERT_GT(entries.size(), 1U);
  std::swap(entries.front().at("rank"), entries.back().at("rank"));
  std::string swapped;
  for (const Json& entry : entries) swapped += entry.dump() + "\n";
  static_cast<void>(directory.write("order", swapped));
  EXPECT_EQ(check_order(directory), 1);
  // A virtual channel is missing.
  static_cast<void>(directory.write("order", order.substr(order.find('\n') + 1)));
  EXPECT_EQ(check_order(directory), 1);
}

TEST(VerifyDeadlock, OrderOfAllPairs_PassesChecker) {
  if (!has_python()) GTEST_SKIP() << "python3 is not installed";
  const std::vector<Arguments> machines{
      {"--set", "topology.shape=[3, 4]"},
      {"--set", "topology.shape=[3, 4, 3]", "--set", "router.routing=cyclic-dimension-order"},
      // The schedule does not keep the algorithm's claim.
      {"--set", "topology.shape=[4, 3]", "--set", "router.routing=valiant", "--set",
       "workload={traffic: uniform}"},
      {"--set", "topology.shape=[4, 3]", "--set", "router.flow=bubble", "--set", "router.virtual_channels=1",
       "--set", "router.switching=virtual-cut-through", "--set", "router.buffer=16"}};
  for (const Arguments& machine : machines) {
    const TemporaryDirectory directory;
    const auto config = directory.write("c.yaml",
                                        "flitscope: 1\n"
                                        "topology: {kind: torus, shape: [2]}\n"
                                        "workload: {algorithm: binomial-torus, message: 8}\n");
    Arguments arguments{"verify",
                        config.string(),
                        "--all-pairs",
                        "--order",
                        (directory / "order").string(),
                        "--routes",
                        (directory / "routes").string()};
    arguments.insert(arguments.end(), machine.begin(), machine.end());
    const Outcome outcome = run_program(arguments);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err << outcome.out;
    const bool bubble = std::ranges::find(machine, "router.flow=bubble") != machine.end();
    EXPECT_EQ(check_order(directory, bubble ? " --bubble" : ""), 0);
    if (bubble) {
      EXPECT_EQ(check_order(directory), 1);
    }
  }
}

TEST(VerifyDeadlock, Reproducer_DeadlocksInARun) {
  const TemporaryDirectory directory;
  const std::string network =
      "flitscope: 1\n"
      "topology: {kind: torus, shape: [4, 4, 4]}\n"
      "router: {routing: dimension-order, virtual_channels: 1, allow_deadlock: true}\n";
  const auto config =
      directory.write("c.yaml", network + "workload: {algorithm: binomial-torus, message: 8}\n");
  const Outcome verified = run_program(
      {"verify", config.string(), "--all-pairs", "--witness", (directory / "lock.jsonl").string(), "--json"});
  EXPECT_EQ(verified.exit_code, 3) << verified.err;
  const auto locking = directory.write("lock.yaml", network + "workload: {schedule: lock.jsonl}\n");
  const Outcome run = run_program({"run", locking.string(), "--json"});
  EXPECT_EQ(run.exit_code, 3) << run.err;
  std::vector<std::string> wanted;
  const Json verdict = Json::parse(verified.out).at("dependency_graph");
  for (const Json& member : verdict.at("dependency_cycle")) {
    wanted.push_back(member.at("channel"));
  }
  std::vector<std::string> held;
  const Json result = Json::parse(run.out);
  for (const Json& worm : result.at("deadlock").at("dependency_cycle"))
    held.push_back(worm.at("holds").at(0).at("channel"));
  std::ranges::sort(wanted);
  std::ranges::sort(held);
  EXPECT_EQ(held, wanted);
  EXPECT_EQ(held.size(), 4U);
}

/// A run without an end: speculative requests go on in every cycle of the deadlock.
TEST(VerifyDeadlock, ReproducerOnRoutersThatRequestInVain_IsFound) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "c.yaml",
      "flitscope: 1\n"
      "topology: {kind: mesh, shape: [3, 3]}\n"
      "router: {routing: duato, virtual_channels: 1, switching: virtual-cut-through, buffer: 2,\n"
      "         vc_allocator: separable-input-first, switch_allocator: separable-input-first,\n"
      "         speculation: grants, vc_allocation: atomic, allow_deadlock: true}\n"
      "node: {ports: 2}\n"
      "workload: {traffic: uniform, load: 0.1, message: 8}\n");
  const Outcome verified = run_program({"verify", config, "--witness", (directory / "lock.jsonl").string()});
  EXPECT_EQ(verified.exit_code, 3) << verified.err;
  EXPECT_NE(verified.out.find("DEADLOCK CAN FORM"), std::string::npos) << verified.out;
  EXPECT_EQ(run_program({"run", config, "--set", "workload={schedule: lock.jsonl}"}).exit_code, 3);
}

/// The shortest messages that deadlock as one worm each pass as packets.
TEST(VerifyDeadlock, ReproducerWithPackets_DeadlocksAsPackets) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "c.yaml",
      "flitscope: 1\n"
      "topology: {kind: torus, shape: [4]}\n"
      "router: {routing: dimension-order, virtual_channels: 1, buffer: 4, allow_deadlock: true}\n"
      "packet: {payload: 8}\n"
      "workload: {traffic: uniform, load: 0.1, message: 8}\n");
  const Outcome verified = run_program({"verify", config, "--witness", (directory / "lock.jsonl").string()});
  EXPECT_EQ(verified.exit_code, 3) << verified.err;
  EXPECT_EQ(run_program({"run", config, "--set", "workload={schedule: lock.jsonl}"}).exit_code, 3);
}

TEST(VerifyDeadlock, BubblesBetweenAllPairs_AreSuggestedWithRoomForTwoMessagesOfOneLength) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "c.yaml",
      "flitscope: 1\n"
      "topology: {kind: torus, shape: [4]}\n"
      "router: {routing: dimension-order, virtual_channels: 1, buffer: 4, switching: virtual-cut-through,\n"
      "         allow_deadlock: true}\n"
      "workload: {traffic: uniform, load: 0.1, message: 16}\n");
  const auto suggests = [&](const std::string& setting) {
    const Outcome verified = run_program({"verify", config, "--all-pairs", "--set", setting});
    EXPECT_EQ(verified.exit_code, 3) << verified.err;
    return verified.out.find("router.flow=bubble") != std::string::npos;
  };
  EXPECT_TRUE(suggests("router.buffer=4"));
  EXPECT_FALSE(suggests("router.buffer=3"));
  EXPECT_FALSE(suggests("workload.message={16: 1, 8: 1}"));
}

TEST(VerifyDeadlock, ReproducerOfAllPairsByTables_HasPathsOfItsNetwork) {
  const TemporaryDirectory directory;
  const std::string begin = "flitscope: 1\nworkload: {traffic: uniform, load: 0.1}\n";
  for (const char* const machine :
       {"topology: {kind: mesh, shape: [2, 2, 2]}\n"
        "router: {routing: shortest, virtual_channels: 1, allow_deadlock: true}\n",
        "topology: {kind: torus, shape: [4], networks: [{}, {directions: minus}]}\n"
        "classes: [{name: a, vcs: 2}, {name: b, vcs: 1, network: 1}]\n"
        "router: {routing: shortest, allow_deadlock: true}\n"}) {
    const std::string config = directory.write("c.yaml", begin + machine);
    const Outcome verified = run_program(
        {"verify", config, "--all-pairs", "--witness", (directory / "lock.jsonl").string(), "--force"});
    EXPECT_EQ(verified.exit_code, 3) << verified.err;
    const Outcome run = run_program({"run", config, "--set", "workload={schedule: lock.jsonl}"});
    EXPECT_EQ(run.exit_code, 3) << machine << run.err;
  }
}

TEST(VerifyDeadlock, BubblesBetweenAllPairs_ProveNothingForMessagesOfTwoLengths) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "c.yaml",
      "flitscope: 1\n"
      "topology: {kind: torus, shape: [4]}\n"
      "router: {routing: dimension-order, virtual_channels: 1, buffer: 8, switching: virtual-cut-through,\n"
      "         flow: bubble}\n"
      "workload: {traffic: uniform, load: 0.1, message: 32}\n");
  const Outcome one = run_program({"verify", config, "--all-pairs"});
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_NE(one.out.find("and all messages, or their packets, have one length"), std::string::npos)
      << one.out;
  for (const char* const workload : {"workload.message={8: 0.5, 32: 0.5}", "packet={payload: 24}"})
    EXPECT_EQ(run_program({"verify", config, "--all-pairs", "--set", workload}).exit_code, 3) << workload;
}

TEST(VerifyDeadlock, StepsBehindBarriers_AreJudgedOneByOne) {
  // Half way round a ring of four with one VC: from nodes 0 and 2, and only then from 1 and 3.
  const TemporaryDirectory directory;
  std::string schedule =
      R"({"flitscope":"schedule","version":1,"topology":{"kind":"torus","shape":[4]},"ports":{"send":1,)"
      R"("receive":1},"routing":"dimension-order","algorithm":"by-hand","steps":2,"messages":4,"chunks":[16],)"
      R"("initial":[[[0],[0]],[[1],[0]],[[2],[0]],[[3],[0]]],"goal":[[[1],[0]]]})"
      "\n";
  for (const unsigned step : {1U, 2U}) {
    for (const unsigned source : {step - 1, step + 1}) {
      schedule += ring_message(step, source, (source + 2) % 4, "[[0,1,2]]");
    }
  }
  const auto config = write_ring_run(directory, schedule);
  const Arguments one_vc{"--set", "router.virtual_channels=1", "--set", "router.allow_deadlock=true"};
  const auto verify = [&](Arguments more) {
    Arguments arguments{"verify", config, "--json"};
    arguments.insert(arguments.end(), one_vc.begin(), one_vc.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  };
  const Outcome barrier =
      verify({"--order", (directory / "order").string(), "--routes", (directory / "routes").string()});
  EXPECT_EQ(barrier.exit_code, 0) << barrier.err << barrier.out;
  if (has_python()) {
    EXPECT_EQ(check_order(directory), 0);
  }
  const Outcome dataflow = verify({"--set", "workload.advance=dataflow"});
  EXPECT_EQ(dataflow.exit_code, 3);
  EXPECT_EQ(Json::parse(dataflow.out).at("dependency_graph").at("dependency_cycle").size(), 4U);
}

TEST(VerifyDeadlock, FilesWithoutVerdict_AreRefused) {
  const TemporaryDirectory directory;
  const std::string file = (directory / "x").string();
  const Outcome free = run_program({"verify", kConfigs + "hot-spot.yaml", "--witness", file});
  EXPECT_EQ(free.exit_code, 2);
  EXPECT_NE(free.err.find("no deadlock can form"), std::string::npos) << free.err;
  const Outcome circuits = run_program({"verify", kConfigs + "latency-hiding.yaml", "--order", file});
  EXPECT_EQ(circuits.exit_code, 2);
  EXPECT_NE(circuits.err.find("complete network"), std::string::npos) << circuits.err;
  const Outcome adaptive = run_program(
      {"verify", kConfigs + "hot-spot.yaml", "--set", "router.routing=west-first", "--routes", file});
  EXPECT_EQ(adaptive.exit_code, 2);
  EXPECT_NE(adaptive.err.find("more than one path"), std::string::npos) << adaptive.err;
  const Outcome order = run_program({"verify", kConfigs + "deadlock-ring.yaml", "--order", file});
  EXPECT_EQ(order.exit_code, 3);
  EXPECT_NE(order.err.find("no order"), std::string::npos) << order.err;
  EXPECT_TRUE(directory.entries().empty());
}

TEST(VerifyDeadlock, ReproducerLongerThanTheEjectionBuffer_IsRefusedWithTheKey) {
  const TemporaryDirectory directory;
  const auto config = directory.write("c.yaml",
                                      "flitscope: 1\n"
                                      "topology: {kind: torus, shape: [4]}\n"
                                      "router: {virtual_channels: 1, buffer: 600, allow_deadlock: true}\n"
                                      "node: {ejection_buffer: 1}\n"
                                      "workload: {traffic: uniform, message: 1, load: 0.1, ties: plus}\n");
  const std::string file = (directory / "lock.jsonl").string();
  const Outcome refused = run_program({"verify", config.string(), "--witness", file});
  EXPECT_EQ(refused.exit_code, 2) << refused.err;
  EXPECT_NE(refused.err.find("c.yaml:4:"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("'node.ejection_buffer' must be at least"), std::string::npos) << refused.err;
  EXPECT_EQ(directory.entries().size(), 1U);
}

/// Half way round a ring of four from every node; messages of odd nodes are of class `of_odd`, others of
/// class a.
std::string half_way_round(const std::string& of_odd) {
  std::string schedule =
      R"({"flitscope":"schedule","version":2,"classes":["a","b"],"topology":{"kind":"torus","shape":[4]},)"
      R"("ports":{"send":1,"receive":1},"routing":"dimension-order","algorithm":"by-hand","steps":1,)"
      R"("messages":4,"chunks":[64],"initial":[[[0],[0]],[[1],[0]],[[2],[0]],[[3],[0]]],"goal":[[[1],[0]]]})"
      "\n";
  for (const unsigned source : {0U, 1U, 2U, 3U}) {
    std::string message = ring_message(1, source, (source + 2) % 4, "[[0,1,2]]");
    schedule += message.insert(
        message.find('}'), source % 2 == 1 ? R"(,"class":")" + of_odd + '"' : std::string(R"(,"class":"a")"));
  }
  return schedule;
}

const std::string kRingOfFour =
    "flitscope: 1\n"
    "topology: {kind: torus, shape: [4]}\n"
    "router: {routing: dimension-order, allow_deadlock: true}\n"
    "node: {ports: 1}\n";

TEST(VerifyClasses, ScheduleOnSeveralNetworks_CountsTheLinksOfEach) {
  const TemporaryDirectory directory;
  directory.write("s.jsonl", half_way_round("b"));
  const std::string config =
      directory.write("c.yaml", kRingOfFour +
                                    "classes: [{name: a, vcs: 2}, {name: b, vcs: 1, network: 1}]\n"
                                    "workload: {schedule: s.jsonl}\n");
  const Outcome outcome = run_program({"verify", config, "--set", "topology.networks=2", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err << outcome.out;
  const Json report = Json::parse(outcome.out);
  EXPECT_EQ(report.at("hops"), 8);
  EXPECT_EQ(report.at("max_channel_load"), 1);
  EXPECT_EQ(report.at("busiest_link_bytes"), 64);
}

/// Each class holds two links that do not follow one another.
TEST(VerifyClasses, DependencyCycleOfMessagesOfDifferentClasses_IsNone) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("c.yaml", kRingOfFour +
                                                           "classes: [{name: a, vcs: 1}, {name: b, vcs: 1}]\n"
                                                           "workload: {schedule: s.jsonl}\n");
  for (const std::string of_odd : {"a", "b"}) {
    directory.write("s.jsonl", half_way_round(of_odd));
    const Outcome outcome = run_program({"verify", config});
    EXPECT_EQ(outcome.exit_code, of_odd == "a" ? 3 : 0) << outcome.err << outcome.out;
  }
}

TEST(VerifyClasses, ClassWithoutMessages_HasNoDependencies) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "c.yaml", kRingOfFour +
                    "classes: [{name: a, vcs: 2}, {name: b, vcs: 1}]\n"
                    "workload: {traffic: uniform, load: 0.1, message: 64, message_class: a}\n");
  EXPECT_EQ(run_program({"verify", config}).exit_code, 0);
  EXPECT_EQ(run_program({"verify", config, "--set", "workload.message_class=b"}).exit_code, 3);
  EXPECT_EQ(run_program({"verify", config, "--all-pairs"}).exit_code, 3);
}

TEST(VerifyClasses, ReproducerOfALaterClass_DeadlocksInARun) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "c.yaml", kRingOfFour +
                    "classes: [{name: a, vcs: 2}, {name: b, vcs: 1, network: 1}]\n"
                    "workload: {traffic: uniform, load: 0.1, message: 64, message_class: b}\n");
  const Outcome verified = run_program(
      {"verify", config, "--set", "topology.networks=2", "--witness", (directory / "lock.jsonl").string()});
  EXPECT_EQ(verified.exit_code, 3) << verified.err;
  EXPECT_NE(verified.out.find("reproducer: 4 messages"), std::string::npos) << verified.out;
  const Outcome run = run_program(
      {"run", config, "--set", "topology.networks=2", "--set", "workload={schedule: lock.jsonl}"});
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_NE(run.out.find("of network 1 VC 0"), std::string::npos) << run.out;
}

TEST(VerifyClasses, ClassesWithTooFewVcs_AreSuggestedWithAllThatTheyHave) {
  const TemporaryDirectory directory;
  const auto settings_of = [&](const std::string& classes) {
    const std::string config = directory.write(
        "c.yaml", kRingOfFour + "classes: " + classes +
                      "\nworkload: {traffic: uniform, load: 0.1, message: 64, message_class: b}\n");
    const Outcome verified = run_program({"verify", config, "--json"});
    EXPECT_EQ(verified.exit_code, 3) << verified.err;
    const std::vector<std::string> settings =
        Json::parse(verified.out).at("dependency_graph").at("suggested_fixes").at("settings");
    for (const std::string& setting : settings)
      EXPECT_EQ(run_program({"verify", config, "--set", setting}).exit_code, 0) << setting;
    return settings;
  };
  using Settings = std::vector<std::string>;
  EXPECT_EQ(settings_of("[{name: a, vcs: 3, priority: 1}, {name: b, vcs: 1}]"),
            (Settings{"classes=[{name: a, vcs: 3, priority: 1}, {name: b, vcs: 2}]"}));
  EXPECT_EQ(settings_of("[{name: a, vcs: [0]}, {name: b, vcs: [1]}, {name: c, vcs: [1]}]"),
            (Settings{"classes=[{name: a, vcs: [0, 1]}, {name: b, vcs: [2, 3]}, {name: c, vcs: [2, 3]}]"}));
}

TEST(RunDeadlock, CompletedRunThatCanDeadlock_HasANote) {
  // Short messages get through.
  const Outcome outcome =
      run_program({"run", kConfigs + "deadlock-ring.yaml", "--set", "node.flit_bytes=256"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_NE(outcome.err.find("can deadlock"), std::string::npos) << outcome.err;
  EXPECT_EQ(run_program({"run", kConfigs + "hot-spot.yaml"}).err, "");
}

/// "suggested fix: --set 'A' --set B": the words behind the colon.
std::vector<Arguments> fixes_in(const Json& graph) {
  std::vector<Arguments> fixes;
  for (const Json& settings : graph.at("suggested_fixes").at("settings")) {
    Arguments& fix = fixes.emplace_back();
    std::istringstream lines(settings.get<std::string>());
    for (std::string setting; std::getline(lines, setting);) fix.insert(fix.end(), {"--set", setting});
  }
  return fixes;
}

TEST(VerifyProtocolDeadlock, ReproducerDeadlocks_AndEveryFixCompletes) {
  const TemporaryDirectory directory;
  const std::string config = kConfigs + "protocol/deadlock-4x4.yaml";
  const std::string witness = (directory / "locked.yaml").string();
  const Outcome verified = run_program({"verify", config, "--witness", witness, "--json"});
  EXPECT_EQ(verified.exit_code, 3) << verified.err;
  const Json graph = Json::parse(verified.out).at("dependency_graph");
  EXPECT_EQ(graph.at("verdict"), "can-deadlock");
  EXPECT_NE(graph.at("dependency_cycle").dump().find("injection of"), std::string::npos);
  EXPECT_NE(graph.at("assumed").get<std::string>().find("only if a reply has room"), std::string::npos);
  const Outcome locked = run_program({"run", witness, "--json"});
  EXPECT_EQ(locked.exit_code, 3) << locked.err;
  EXPECT_NE(Json::parse(locked.out).at("deadlock").dump().find("\"wants_reply\":true"), std::string::npos);
  const auto fixes = fixes_in(graph);
  EXPECT_EQ(fixes.size(), 3U);
  for (const Arguments& fix : fixes) {
    for (const std::string& file : {config, witness}) {
      Arguments words{"run", file, "--quiet"};
      words.insert(words.end(), fix.begin(), fix.end());
      words.insert(words.end(), {"--set", "router.allow_deadlock=null"});
      const bool is_classes = fix.back().starts_with("classes");
      if (file == witness && is_classes) words.insert(words.end(), {"--set", "router.virtual_channels=null"});
      EXPECT_EQ(run_program(words).exit_code, 0) << fix.back() << run_program(words).err;
    }
    Arguments again{"verify", config};
    again.insert(again.end(), fix.begin(), fix.end());
    EXPECT_EQ(run_program(again).exit_code, 0) << fix.back();
  }
}

/// The network of the replies alone has a dependency cycle.
TEST(VerifyProtocolDeadlock, CycleInTheNetworkOfReplies_HasAConfigurationThatDeadlocks) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "c.yaml", kRingOfFour +
                    "classes: [{name: request, vcs: 2}, {name: reply, vcs: 1}]\n"
                    "workload: {protocol: request-reply, request: 64, reply: 64, measure: 2000}\n");
  const std::string witness = (directory / "lock.yaml").string();
  const Outcome verified = run_program({"verify", config, "--witness", witness, "--json"});
  EXPECT_EQ(verified.exit_code, 3) << verified.err;
  const Json graph = Json::parse(verified.out).at("dependency_graph");
  EXPECT_EQ(graph.at("dependency_cycle").at(0).at("vc"), 2);
  EXPECT_EQ(run_program({"run", witness}).exit_code, 3);
  const auto fixes = fixes_in(graph);
  ASSERT_EQ(fixes.size(), 1U);
  EXPECT_EQ(fixes.front().back(), "classes=[{name: request, vcs: 2}, {name: reply, vcs: 2}]");
}

/// An experiment on a network with faults.
std::string with_faults(const std::string& topology, const std::string& router) {
  return "flitscope: 1\n"
         "topology: " +
         topology +
         "\n"
         "router: " +
         router +
         "\n"
         "workload: {algorithm: all-gather-ring, message: 64}\n";
}

const std::string kMeshWithoutNode = "{kind: mesh, shape: [2, 2], missing_nodes: [[1, 1]]}";

TEST(VerifyFaults, ShortestRoutes_AreComparedWithThoseOfTheWholeNetwork) {
  const TemporaryDirectory directory;
  const Outcome outcome = run_program(
      {"verify", directory.write("mesh.yaml", with_faults(kMeshWithoutNode, "{routing: shortest}"))});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(
      outcome.out.find("missing: paths between all pairs of nodes have 1.333 links on average, 1.333 on "
                       "the whole network; the busiest link carries 2 of them, 1 there\n"),
      std::string::npos)
      << outcome.out;
}

TEST(VerifyFaults, MissingNode_IsNotCounted) {
  const TemporaryDirectory directory;
  const std::string config =
      directory.write("mesh.yaml", with_faults(kMeshWithoutNode, "{routing: shortest}"));
  for (const char* const command : {"verify", "run"}) {
    EXPECT_EQ(Json::parse(run_program({command, config, "--json"}).out).at("nodes"), 3) << command;
  }
}

TEST(VerifyFaults, RoutesOfATable_AreNotComparedWithTheWholeNetwork) {
  for (const std::string& topology :
       {kMeshWithoutNode, std::string("{kind: torus, shape: [3, 3], missing_nodes: [[1, 1]]}")}) {
    const TemporaryDirectory directory;
    const std::string shortest =
        directory.write("shortest.yaml", with_faults(topology, "{routing: shortest}"));
    const std::string routes = directory / "routes.txt";
    ASSERT_EQ(run_program({"schedule", shortest, "--routes", "--out", routes}).exit_code, 0);
    const std::string table =
        directory.write("table.yaml", with_faults(topology, "{routing: table, file: routes.txt}"));
    const Outcome outcome = run_program({"verify", table});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find(" of them; the table has no routes for the whole network\n"),
              std::string::npos)
        << outcome.out;
    const Json missing = Json::parse(run_program({"verify", table, "--json"}).out).at("missing");
    EXPECT_TRUE(missing.at("paths_of_the_whole").is_null());
    EXPECT_GT(missing.at("paths").at("links_mean"), 1);
  }
}

TEST(VerifyProtocolDeadlock, OrderOfClassesApart_GoesThroughTheEnds) {
  if (!has_python()) GTEST_SKIP() << "python3 is not installed";
  for (const Arguments& more : {Arguments{}, Arguments{"--set", "topology.shape=[3, 5]"},
                                Arguments{"--set", "router.routing=valiant", "--set",
                                          "classes=[{name: request, vcs: 2}, {name: reply, vcs: 3}]"}}) {
    const TemporaryDirectory directory;
    Arguments words{"verify",   kConfigs + "protocol/deadlock-4x4-classes.yaml",
                    "--order",  (directory / "order").string(),
                    "--routes", (directory / "routes").string()};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run_program(words);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err << outcome.out;
    EXPECT_NE(text_of(directory / "routes").find("ejection of [0, 1]"), std::string::npos);
    EXPECT_EQ(check_order(directory), 0);
  }
}

}  // namespace
}  // namespace flitscope::test::deadlock_verdict_command_test
