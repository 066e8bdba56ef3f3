// The command line: help, exit codes, and what goes to which stream.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "model/version.h"
#include "tests/support/hand_written_runs.h"
#include "tests/support/program.h"

namespace flitscope::test::command_line_test {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

const std::string kQuickstart = shipped_config("quickstart.yaml");
const std::string kDeadlock = shipped_config("deadlock-ring.yaml");
const std::vector<std::string> kCommands{"run", "verify", "schedule", "sweep", "results", "work", "list"};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

void expect_one_complaint(const Outcome& outcome, int exit_code, const std::string& part) {
  EXPECT_EQ(outcome.exit_code, exit_code);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.complaints().size(), 1U) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, part)) << outcome.err << "\nlacks " << part;
}

TEST(Help, Program_NamesEveryCommandAndExitCode) {
  for (const std::string word : {"--help", "-h", "help"}) {
    const Outcome outcome = run_program({word});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.err, "");
    for (const std::string& command : kCommands) EXPECT_TRUE(contains(outcome.out, "  " + command + " "));
    for (const char* code :
         {"0 done", "1 internal", "2 bad input", "3 deadlock", "4 goal", "5 limit", "6 "}) {
      EXPECT_TRUE(contains(outcome.out, code)) << code;
    }
  }
}

TEST(Help, EveryCommand_HasHelp) {
  for (const std::string& command : kCommands) {
    const Outcome outcome = run_program({command, "--help"});
    EXPECT_EQ(outcome.exit_code, 0) << command;
    EXPECT_EQ(outcome.err, "");
    EXPECT_TRUE(outcome.out.starts_with("Usage: flitscope " + command)) << outcome.out;
    EXPECT_TRUE(contains(outcome.out, "--help")) << outcome.out;
    EXPECT_EQ(run_program({command, "-h"}).out, outcome.out);
  }
}

TEST(Help, OptionWithImpliedValue_HasItsValueInBrackets) {
  for (const auto& [command, option] :
       {std::pair("schedule", "  --table[=text|json] "), std::pair("list", "  --markdown[=TABLE] "),
        std::pair("run", "  --waves[=FORMAT] ")}) {
    const Outcome outcome = run_program({command, "--help"});
    EXPECT_TRUE(contains(outcome.out, option)) << outcome.out;
  }
}

TEST(BadMachine, RouterWithMoreThan256InputBuffers_IsToldItsBuffersAndPorts) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "c.yaml",
      "flitscope: 1\ntopology: {kind: hyperx, shape: [200]}\nworkload: {traffic: uniform, load: 0.1}\n");
  expect_one_complaint(run_program({"run", config}), 2,
                       "router.virtual_channels: 200 links with 1 virtual channel and 200 injection channels "
                       "make 400 input buffers a router; at most 256 are possible, so 'node: {ports: "
                       "1}' is needed here, with 1 virtual channel");
}

TEST(BadMachine, RoutingFunctionWithMoreClassesThanARouterHasVcsFor_NamesOneThatGoes) {
  const TemporaryDirectory directory;
  const std::string config =
      directory.write("c.yaml",
                      "flitscope: 1\ntopology: {kind: jellyfish, routers: 140, degree: 130}\n"
                      "node: {ports: 1}\nrouter: {routing: positive-hop}\nworkload: {traffic: uniform, load: "
                      "0.01, warmup: 0, measure: 20}\n");
  expect_one_complaint(
      run_program({"run", config}), 2,
      "router.virtual_channels: 131 links with 2 virtual channels and 1 injection channel "
      "make 263 input buffers a router; at most 256 are possible, so at most 1 virtual channel "
      "here; positive-hop needs 2, up-down needs 1");
  EXPECT_EQ(run_program({"run", config, "--set", "router.routing=up-down", "--quiet"}).exit_code, 0);
}

TEST(BadMachine, FamilyWithFewerVcsThanItsRoutingFunctionNeeds_IsCalledByItsName) {
  const TemporaryDirectory directory;
  const std::string config =
      directory.write("c.yaml",
                      "flitscope: 1\ntopology: {kind: dragonfly, p: 1, a: 2, h: 1, groups: 3}\n"
                      "router: {virtual_channels: 1}\nworkload: {traffic: uniform, load: 0.1}\n");
  expect_one_complaint(run_program({"run", config}), 2,
                       "dragonfly-minimal on a dragonfly needs at least 2 virtual channels to be free of "
                       "deadlock, not 1");
}

TEST(Version, Program_PrintsVersionOfBuild) {
  const Outcome outcome = run_program({"--version"});
  EXPECT_EQ(outcome.exit_code, 0);
  const std::regex lines(
      "flitscope ([0-9.]+)\nbuilt with .*[0-9.]+.*, C\\+\\+20, .*optimized\nSystemC 2\\.[0-9.]+-[A-Za-z]+\n");
  std::smatch found;
  ASSERT_TRUE(std::regex_match(outcome.out, found, lines)) << outcome.out;
  EXPECT_EQ(found[1], FLITSCOPE_VERSION);
}

TEST(List, AllKinds_AreNamedInTextAndJson) {
  const Outcome text = run_program({"list"});
  const Json all = Json::parse(run_program({"list", "--json"}).out);
  for (const std::string kind : {"algorithms", "routings", "topologies", "observers", "keys"}) {
    EXPECT_FALSE(all.at(kind).empty());
    EXPECT_EQ(Json::parse(run_program({"list", kind, "--json"}).out).at(kind), all.at(kind));
    for (const Json& entry : all.at(kind)) {
      EXPECT_TRUE(contains(text.out, entry.at("name").get<std::string>())) << entry;
      EXPECT_FALSE(entry.at("summary").get<std::string>().empty()) << entry;
    }
  }
}

TEST(Usage, Mistake_IsExitCode2AndOneLine) {
  struct Case {
    Arguments arguments;
    std::string part;
  };
  const std::vector<Case> cases{
      {{"rnu", kQuickstart}, "did you mean 'run'"},
      {{"--verbose"}, "there is no command '--verbose'"},
      {{"run"}, "CONFIG is missing"},
      {{"verify"}, "CONFIG is missing"},
      {{"schedule"}, "CONFIG is missing"},
      {{"run", kQuickstart, "again.yaml"}, "'again.yaml' is one word too many after CONFIG"},
      {{"run", kQuickstart, "--jsno"}, "did you mean '--json'"},
      {{"run", kQuickstart, "--js"}, "there is no option '--js'"},
      {{"run", kQuickstart, "--set"}, "--set"},
      {{"run", kQuickstart, "--out"}, "--out"},
      {{"run", kQuickstart, "--json", "--json"}, "--json"},
      {{"run", kQuickstart, "--out", "a", "--out", "b"}, "--out"},
      {{"list", "algorithm"}, "did you mean 'algorithms'"},
      {{"list", "algorithms", "--json", "--markdown"}, "--json and --markdown exclude each other"},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(testing::PrintToString(each.arguments));
    expect_one_complaint(run_program(each.arguments), 2, each.part);
  }
  const Outcome nothing = run_program({});
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_EQ(nothing.out, "");
  EXPECT_TRUE(contains(nothing.err, "a command is missing"));
}

TEST(Usage, EmptyOutputName_IsRefused) {
  expect_one_complaint(run_program({"run", kQuickstart, "--out", ""}), 2, "--out");
  expect_one_complaint(run_program({"schedule", kQuickstart, "--out", ""}), 2, "--out");
}

TEST(ExitCode, CompletedRun_Is0) {
  for (const Arguments& arguments : std::vector<Arguments>{
           {"run", kQuickstart}, {"verify", kQuickstart}, {"schedule", kQuickstart}, {"list"}}) {
    const Outcome outcome = run_program(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << arguments[0];
    EXPECT_EQ(outcome.err, "") << arguments[0];
    EXPECT_NE(outcome.out, "") << arguments[0];
  }
  EXPECT_EQ(run_program({"run", kQuickstart, "--quiet"}).out, "");
}

TEST(ExitCode, Deadlock_Is3AndReportsDependencyCycle) {
  const Outcome text = run_program({"run", kDeadlock});
  EXPECT_EQ(text.exit_code, 3);
  EXPECT_EQ(text.err, "");
  EXPECT_TRUE(contains(text.out, "DEADLOCK: 8 worms in a dependency cycle")) << text.out;
  EXPECT_TRUE(contains(text.out, "NOT VERIFIED (deadlock)")) << text.out;

  const Outcome outcome = run_program({"run", kDeadlock, "--json"});
  EXPECT_EQ(outcome.exit_code, 3);
  const Json result = Json::parse(outcome.out);
  EXPECT_EQ(result.at("status"), "deadlock");
  EXPECT_EQ(result.at("verified"), false);
  const Json& dependency_cycle = result.at("deadlock").at("dependency_cycle");
  ASSERT_EQ(dependency_cycle.size(), 8U);
  for (std::size_t i = 0; i < dependency_cycle.size(); ++i) {
    // What a worm waits for is what the next one holds.
    EXPECT_EQ(dependency_cycle[i].at("held_by"), (i + 1) % dependency_cycle.size());
    EXPECT_EQ(dependency_cycle[i].at("wants"),
              dependency_cycle[(i + 1) % dependency_cycle.size()].at("holds").at(0));
    EXPECT_TRUE(contains(text.out, dependency_cycle[i].at("holds").at(0).at("channel").get<std::string>()));
  }
}

TEST(ExitCode, DeadlockBesideTrafficAtCycleLimit_Is3) {
  const TemporaryDirectory directory;
  // Row 0 locks up within ten cycles; in row 1 a long message is on its way for two thousand.
  Json header =
      Json::parse(R"({"flitscope": "schedule", "version": 1, "topology": {"kind": "torus", "shape": [8, 2]},
      "ports": {"send": 1, "receive": 1}, "routing": "dimension-order", "algorithm": "by-hand", "steps": 1,
      "messages": 9, "chunks": [256, 16384], "initial": [[[0, 1], [1]]], "goal": []})");
  std::string messages = R"({"step":1,"src":[0,1],"dst":[1,1],"path":[[0,1,1]],"chunks":[1]})"
                         "\n";
  for (int x = 0; x < 8; ++x) {
    header["initial"].push_back({{x, 0}, {0}});
    messages += fmt::format(R"({{"step":1,"src":[{},0],"dst":[{},0],"path":[[0,1,4]],"chunks":[0]}})"
                            "\n",
                            x, (x + 4) % 8);
  }
  static_cast<void>(directory.write("schedule.jsonl", header.dump() + "\n" + messages));
  const std::string config =
      directory.write("two-rows.yaml",
                      "flitscope: 1\n"
                      "topology: {kind: torus, shape: [8, 2]}\n"
                      "router: {virtual_channels: 1, allow_deadlock: true, buffer: 4}\n"
                      "workload: {schedule: schedule.jsonl}\n"
                      "limits: {cycles: 500}\n");
  const Outcome outcome = run_program({"run", config, "--json"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(Json::parse(outcome.out).at("deadlock").at("dependency_cycle").size(), 8U);
}

TEST(ExitCode, SameTrafficWithDateline_Is0) {
  const Outcome outcome = run_program({"run", kDeadlock, "--set", "router.virtual_channels=2", "--json"});
  EXPECT_EQ(outcome.exit_code, 0);
  const Json result = Json::parse(outcome.out);
  EXPECT_EQ(result.at("verified"), true);
  EXPECT_TRUE(result.at("deadlock").is_null());
}

TEST(ExitCode, ScheduleThatSendsMissingChunk_Is4) {
  const TemporaryDirectory directory;
  const std::string config =
      write_ring_run(directory, ring_header(1, 1) + ring_message(1, 2, 1, "[[0,-1,1]]"));
  for (const std::string advance : {"barrier", "dataflow"}) {
    expect_one_complaint(run_program({"run", config, "--set", "workload.advance=" + advance}), 4,
                         "step 1, message 1 ([2] to [1])");
  }
  const Outcome verified = run_program({"verify", config, "--json"});
  EXPECT_EQ(verified.exit_code, 4);
  EXPECT_EQ(Json::parse(verified.out).at("violations").at(0).at("kind"), "not_held");
}

TEST(ExitCode, MissedGoal_Is4) {
  const TemporaryDirectory directory;
  const std::string config =
      write_ring_run(directory, ring_header(1, 1, "[[[2],[0]]]") + ring_message(1, 0, 1, "[[0,1,1]]"));
  const Outcome outcome = run_program({"run", config, "--json"});
  EXPECT_EQ(outcome.exit_code, 4);
  const Json result = Json::parse(outcome.out);
  EXPECT_EQ(result.at("status"), "goal-missed");
  EXPECT_EQ(result.at("verified"), false);
  EXPECT_EQ(result.at("failed_checks"),
            Json::array({"[2] lacks chunk 0 at the end; 1 chunk is missing in all"}));
  EXPECT_EQ(run_program({"verify", config}).exit_code, 4);
}

TEST(CycleLimit, MachineThatCanStarve_NamesItsArbiter) {
  const TemporaryDirectory directory;
  const std::string config =
      directory.write("c.yaml",
                      "flitscope: 1\ntopology: {kind: torus, shape: [4, 3]}\n"
                      "router: {virtual_channels: 2, vc_allocation: atomic, vc_allocator: switch-winner, "
                      "speculation: prioritised,\n"
                      "  arbiter: round-robin-binary}\n"
                      "workload: {algorithm: all-gather-direct, message: 256, advance: dataflow}\n"
                      "limits: {cycles: 5000}\n");
  const Outcome starved = run_program({"run", config, "--json"});
  EXPECT_EQ(starved.exit_code, 5);
  EXPECT_EQ(
      Json::parse(starved.out).at("failed_checks"),
      Json::array(
          {"the limit of 5000 cycles came before the end; router.arbiter: round-robin-binary can starve "
           "messages for ever beside switch-winner and prioritised speculation, round-robin and matrix "
           "do not (docs/routers.md)"}));
  for (const std::string arbiter : {"round-robin", "matrix"}) {
    EXPECT_EQ(run_program({"run", config, "--set", "router.arbiter=" + arbiter}).exit_code, 0);
  }
  const Outcome fair =
      run_program({"run", config, "--set", "router.arbiter=matrix", "--set", "limits.cycles=20", "--json"});
  EXPECT_EQ(Json::parse(fair.out).at("failed_checks"),
            Json::array({"the limit of 20 cycles came before the end"}));
}

TEST(ExitCode, CycleLimit_Is5) {
  const Outcome outcome = run_program({"run", kQuickstart, "--set", "limits.cycles=236", "--json"});
  EXPECT_EQ(outcome.exit_code, 5);
  const Json result = Json::parse(outcome.out);
  EXPECT_EQ(result.at("status"), "limit");
  EXPECT_EQ(result.at("verified"), false);
  EXPECT_EQ(result.at("steps"), 3);
  EXPECT_EQ(result.at("step_cycles").at(0), 89);
  EXPECT_EQ(result.at("cycles"), 236);
  // Also if nothing happens in the last cycles before the limit.
  const Outcome idle =
      run_program({"run", kQuickstart, "--set", "limits.cycles=100", "--set", "node.startup=500", "--json"});
  EXPECT_EQ(Json::parse(idle.out).at("cycles"), 100);
  // The run takes 237 cycles, and these are not too many.
  EXPECT_EQ(run_program({"run", kQuickstart, "--set", "limits.cycles=237"}).exit_code, 0);
}

}  // namespace
}  // namespace flitscope::test::command_line_test
