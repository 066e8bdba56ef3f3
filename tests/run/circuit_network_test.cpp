// Complete networks: configurations, runs, files, counters, refusals.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/csv.h"
#include "tests/support/program.h"

namespace flitscope::test::circuit_network_test {
namespace {

using Json = nlohmann::json;

constexpr const char* kConfig = R"(flitscope: 1
topology: {kind: complete, nodes: 41}
node: {ports: 2}
circuits: {reconfiguration: 8}
workload: {algorithm: afsahi-b4}
)";

class CompleteNetwork : public testing::Test {
 protected:
  TemporaryDirectory directory_;
  const std::string config_ = directory_.write("c.yaml", kConfig).string();

  /// The program with the configuration changed by PATH=VALUE.
  [[nodiscard]] Outcome program(const std::string& command, const std::vector<std::string>& settings,
                                Arguments more = {}) const {
    Arguments arguments{command, config_};
    for (const std::string& setting : settings) {
      arguments.emplace_back("--set");
      arguments.push_back(setting);
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }

  [[nodiscard]] Json run(const std::vector<std::string>& settings) const {
    const Outcome outcome = program("run", settings, {"--json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return Json::parse(outcome.out);
  }

  void expect_refusal(const std::vector<std::string>& settings, const std::string& words) const {
    for (const char* const command : {"run", "verify", "schedule"}) {
      const Outcome outcome = program(command, settings);
      EXPECT_EQ(outcome.exit_code, 2) << command << " " << words;
      EXPECT_EQ(outcome.out, "") << command;
      EXPECT_NE(outcome.err.find(words), std::string::npos) << command << ": " << outcome.err;
    }
  }

  /// The configuration for a schedule file.
  [[nodiscard]] static std::vector<std::string> from_file(const std::string& file) {
    return {"workload={schedule: " + file + "}"};
  }
};

TEST_F(CompleteNetwork, Figure2_TakesFourUnits) {
  const Json result = run({});
  EXPECT_EQ(result["cycles"], 32);
  EXPECT_EQ(result["circuits"]["unit_cycles"], 8);
  EXPECT_EQ(result["circuits"]["units"], 4.0);
  EXPECT_EQ(result["circuits"]["tunings"], 6);
  EXPECT_EQ(result["step_cycles"], (std::vector<int>{8, 8, 8, 8}));
  EXPECT_EQ(result["messages"], 40);
  EXPECT_EQ(result["flits"], 320);
  EXPECT_EQ(result["verified"], true);
  EXPECT_EQ(result["topology"], "complete network of 41 nodes");
}

TEST_F(CompleteNetwork, RunOnFlits_TakesTheTimeOfTheChecker) {
  for (const char* const algorithm :
       {"afsahi-b1", "afsahi-b2", "afsahi-b3", "afsahi-b4", "afsahi-scatter-direct", "afsahi-scatter",
        "afsahi-gossip-direct", "afsahi-gossip", "combined-total-exchange"}) {
    for (const char* const size : {"N=2 k=1 d=0", "N=10 k=3 d=2", "N=23 k=2 d=5"}) {
      int N = 0;
      int k = 0;
      int d = 0;
      ASSERT_EQ(std::sscanf(size, "N=%d k=%d d=%d", &N, &k, &d), 3);
      const std::vector<std::string> settings{
          std::string("workload.algorithm=") + algorithm, "topology.nodes=" + std::to_string(N),
          "node.ports=" + std::to_string(k), "circuits.reconfiguration=" + std::to_string(8 * d)};
      const Outcome checked = program("verify", settings, {"--json"});
      ASSERT_EQ(checked.exit_code, 0) << algorithm << checked.err;
      const Json result = run(settings);
      EXPECT_EQ(result["cycles"], 8 * Json::parse(checked.out)["units"].get<int>())
          << algorithm << " " << size;
      EXPECT_EQ(result["circuits"]["claimed_units"], result["circuits"]["units"]) << algorithm << " " << size;
    }
  }
}

TEST_F(CompleteNetwork, Unit_IsStartupAndFlits) {
  // t_m = 5 + 8 cycles; d = 8 cycles is one unit, rounded up.
  const Json result = run({"node.startup=5"});
  EXPECT_EQ(result["circuits"]["unit_cycles"], 13);
  EXPECT_EQ(result["circuits"]["reconfiguration_units"], 1);
  EXPECT_EQ(result["cycles"], 4 * 13);
  EXPECT_EQ(result["latency"]["max"], 13);
  // A combined message is prepared once: 3 chunks take 5 + 24 cycles, not 39.
  const Json scatter = run({"node.startup=5", "workload.algorithm=afsahi-scatter", "topology.nodes=4",
                            "node.ports=1", "circuits.reconfiguration=0"});
  EXPECT_EQ(scatter["latency"]["max"], 5 + 16);
  EXPECT_EQ(scatter["cycles"], 2 * 13 + 13);
}

TEST_F(CompleteNetwork, ThousandsOfNodes_CostNoMoreThanTheirMessages) {
  const Json result = run({"topology.nodes=120000", "workload.source=119999"});
  EXPECT_EQ(result["messages"], 119'999);
  EXPECT_EQ(result["circuits"]["units"], 14.0);
  EXPECT_LT(result["host"]["peak_memory_bytes"].get<std::uint64_t>(), std::uint64_t{2} << 30);
}

TEST_F(CompleteNetwork, WrittenSchedule_IsReadTheSame) {
  for (const char* const workload :
       {"{algorithm: afsahi-b4, repeat: 3, source: 7}", "{algorithm: afsahi-b4, start: cold, restore: true}",
        "{algorithm: afsahi-scatter, start: warm}", "{algorithm: combined-total-exchange, i: 1}"}) {
    const std::vector<std::string> settings{std::string("workload=") + workload, "topology.nodes=23"};
    const Outcome written = program("schedule", settings);
    ASSERT_EQ(written.exit_code, 0) << written.err;
    const std::string file = directory_.write("s.jsonl", written.out).string();
    std::vector<std::string> again = from_file(file);
    again.emplace_back("topology.nodes=23");
    EXPECT_EQ(program("schedule", again).out, written.out) << workload;
    EXPECT_EQ(program("verify", again).out, program("verify", settings).out) << workload;
    Json first = run(settings);
    Json second = run(again);
    first.erase("host");
    second.erase("host");
    EXPECT_EQ(first, second) << workload;
  }
}

TEST_F(CompleteNetwork, LinesOfASchedule_AreCircuitsTuningsAndMessages) {
  const Outcome cold = program("schedule", {"topology.nodes=3", "node.ports=1", "workload.start=cold"});
  EXPECT_EQ(cold.out.substr(cold.out.find('\n') + 1),
            R"({"tune":{"node":0,"port":0,"target":1,"start":0}})"
            "\n"
            R"({"tune":{"node":1,"port":0,"target":2,"start":0}})"
            "\n"
            R"({"step":1,"src":0,"dst":1,"port":0,"start":1,"chunks":[0]})"
            "\n"
            R"({"step":2,"src":1,"dst":2,"port":0,"start":2,"chunks":[0]})"
            "\n");
  const Outcome warm = program("schedule", {"topology.nodes=2", "node.ports=1"});
  EXPECT_EQ(
      warm.out,
      R"({"flitscope":"schedule","version":1,"topology":{"kind":"complete","nodes":2},)"
      R"("ports":{"send":1,"receive":1},"algorithm":"afsahi-b4","steps":1,"messages":1,"chunks":[64],)"
      R"("initial":[[0,[0]]],"goal":"everyone-has-everything","reconfiguration":1,"circuits":1,"tunings":0,)"
      R"("claimed_units":1,"lower_bound_units":1})"
      "\n"
      R"({"circuit":{"node":0,"port":0,"target":1}})"
      "\n"
      R"({"step":1,"src":0,"dst":1,"port":0,"start":0,"chunks":[0]})"
      "\n");
}

constexpr const char* kHeader =
    R"({"flitscope":"schedule","version":1,"topology":{"kind":"complete","nodes":4},"ports":{"send":1,"receive":1},)"
    R"("algorithm":"by-hand","steps":1,"messages":2,"chunks":[64],"initial":[[0,[0]],[1,[0]]],"goal":[[2,[0]]],)"
    R"("reconfiguration":1,"circuits":2,"tunings":0})"
    "\n"
    R"({"circuit":{"node":0,"port":0,"target":2}})"
    "\n"
    R"({"circuit":{"node":1,"port":0,"target":2}})"
    "\n"
    R"({"step":1,"src":0,"dst":2,"port":0,"start":0,"chunks":[0]})"
    "\n";

TEST_F(CompleteNetwork, TooManyArrivals_EndTheRunWithTimeNodeAndMessages) {
  const std::string file =
      directory_
          .write("s.jsonl",
                 std::string(kHeader) + R"({"step":1,"src":1,"dst":2,"port":0,"start":0,"chunks":[0]})")
          .string();
  std::vector<std::string> settings = from_file(file);
  settings.emplace_back("topology.nodes=4");
  settings.emplace_back("node.ports=1");
  const Outcome outcome = program("run", settings);
  EXPECT_EQ(outcome.exit_code, 4);
  for (const char* words : {"cycle 0", "node 2 has 1 port ", "step 1, message 2 (node 1 to node 2)",
                            "step 1, message 1 (node 0 to node 2)"}) {
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(program("verify", settings).exit_code, 4);
  // With a port more it is a legal pair of arrivals for the machine, though not for the schedule's own ports.
  settings.back() = "node.ports=2";
  EXPECT_EQ(program("run", settings).exit_code, 0);
  EXPECT_EQ(program("verify", settings).exit_code, 4);
}

TEST_F(CompleteNetwork, MalformedScheduleFiles_AreRefused) {
  const std::vector<std::pair<std::string, std::string>> lines{
      {R"({"step":2,"src":1,"dst":3,"port":0,"start":0,"chunks":[0]})",
       "\"step\" must be a whole number from 1 to 1"},
      {R"({"step":1,"src":1,"dst":3,"port":1,"start":0,"chunks":[0]})", "\"port\""},
      {R"({"step":1,"src":1,"dst":4,"port":0,"start":0,"chunks":[0]})", "\"dst\""},
      {R"({"step":1,"src":1,"dst":3,"port":0,"start":0,"chunks":[1]})", "\"chunks[0]\""},
      {R"({"step":1,"src":1,"dst":3,"port":0,"start":0,"chunks":[0,0]})",
       "\"chunks[1]\" is chunk 0 once more"},
      {R"({"step":1,"src":1,"dst":3,"port":0,"start":0,"chunks":[0],"path":[]})", "path"},
      {R"({"step":1,"src":1,"dst":3,"port":0,"start":-1,"chunks":[0]})", "\"start\""},
      {R"({"circuit":{"node":2,"port":0,"target":3}})",
       "is one circuit more than the 2 that the header announces"},
      {R"({"tune":{"node":1,"port":0,"target":3,"start":0}})", "is tuning 1, but the header announces 0"},
      {"", "the file ends after 1 message and 0 tunings, but its header announces 2 and 0"}};
  for (const auto& [line, words] : lines) {
    std::vector<std::string> settings = from_file(directory_.write("s.jsonl", kHeader + line).string());
    settings.emplace_back("topology.nodes=4");
    settings.emplace_back("node.ports=1");
    const Outcome outcome = program("verify", settings);
    EXPECT_EQ(outcome.exit_code, 2) << line;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("s.jsonl:"), std::string::npos) << outcome.err;
  }
}

TEST_F(CompleteNetwork, FewerCircuitsThanAnnounced_AreRefusedAtTheNextLine) {
  std::string text = kHeader;
  text.replace(text.find(R"("circuits":2)"), 12, R"("circuits":3)");
  std::vector<std::string> settings = from_file(directory_.write("s.jsonl", text).string());
  settings.emplace_back("topology.nodes=4");
  settings.emplace_back("node.ports=1");
  const Outcome outcome = program("verify", settings);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("s.jsonl:4: this line is no circuit; 2 circuits came before, but the header "
                             "announces 3"),
            std::string::npos)
      << outcome.err;
}

TEST_F(CompleteNetwork, LinkAndCircuitSchedules_AreNotConfused) {
  const std::string torus =
      directory_
          .write(
              "t.yaml",
              "flitscope: 1\ntopology: {kind: torus, shape: [5, 5]}\nworkload: {algorithm: binomial-torus}\n")
          .string();
  const std::string links = (directory_ / "links.jsonl").string();
  const std::string circuits = (directory_ / "circuits.jsonl").string();
  ASSERT_EQ(run_program({"schedule", torus, "--out", links}).exit_code, 0);
  ASSERT_EQ(program("schedule", {}, {"--out", circuits}).exit_code, 0);
  const Outcome one = program("run", from_file(links));
  EXPECT_EQ(one.exit_code, 2);
  EXPECT_NE(one.err.find("is a torus, but the configuration's topology is complete"), std::string::npos)
      << one.err;
  const Outcome other = run_program({"run", torus, "--set", "workload={schedule: " + circuits + "}"});
  EXPECT_EQ(other.exit_code, 2);
  const Outcome exported =
      run_program({"export", circuits, "--format", "goal", "--out", (directory_ / "x.goal").string()});
  EXPECT_EQ(exported.exit_code, 2);
  EXPECT_NE(exported.err.find("its messages go over circuits"), std::string::npos) << exported.err;
  EXPECT_NE(other.err.find("is complete, but the configuration's topology has links"), std::string::npos)
      << other.err;
}

TEST_F(CompleteNetwork, MachineWithSlowTuningOrTooFewPorts_IsRefused) {
  const std::string file = (directory_ / "s.jsonl").string();
  ASSERT_EQ(program("schedule", {}, {"--out", file}).exit_code, 0);
  auto slow = from_file(file);
  slow.emplace_back("circuits.reconfiguration=9");
  const Outcome outcome = program("run", slow);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("leaves 1 unit of 8 cycles for tuning, less than 9 cycles"), std::string::npos);
  auto few = from_file(file);
  few.emplace_back("node.ports=1");
  EXPECT_NE(program("verify", few).err.find("uses 2 ports of a node, more than 1"), std::string::npos);
  auto quick = from_file(file);
  quick.emplace_back("circuits.reconfiguration=1");
  EXPECT_EQ(program("run", quick).exit_code, 0);
}

TEST_F(CompleteNetwork, ValuesThatDoNotFit_AreRefused) {
  expect_refusal({"topology.nodes=1"}, "topology.nodes must be a whole number from 2 to");
  expect_refusal({"topology.nodes=null"}, "key 'topology.nodes' is missing");
  expect_refusal({"topology.shape=[41]"}, "topology.shape is for tori and meshes, not for 'kind: complete'");
  expect_refusal({"node.ports=0"}, "node.ports must be a whole number from 1 to");
  expect_refusal({"node.ports=all"}, "node.ports must be a whole number from 1 to 32, not 'all'");
  expect_refusal({"node=null"}, "section 'node' is missing; it must have ports");
  expect_refusal({"circuits.reconfiguration=-1"}, "circuits.reconfiguration must be a time from 0 to");
  expect_refusal({"circuits=null"}, "section 'circuits' is missing; it must have reconfiguration");
  expect_refusal({"router.buffer=4"}, "router.buffer is for networks with links");
  expect_refusal({"link.delay=2"}, "link.delay is for networks with links");
  expect_refusal({"node.injection_interval=2"}, "node.injection_interval is for networks with links");
  expect_refusal({"workload.advance=dataflow"}, "workload.advance is for networks with links");
  expect_refusal({"workload.source=41"},
                 "node 41 lies outside the complete network of 41 nodes: it must be 0 to 40");
  expect_refusal(
      {"workload={algorithm: combined-total-exchange, form: digit}"},
      "the form digit needs a power of 3 (ports + 1) nodes, not 41; nearest admissible: 27 or 81, or form: "
      "offset for any number");
  expect_refusal({"workload={algorithm: afsahi-gossip, form: groups}"}, "needs a power of 3");
  expect_refusal({"workload={algorithm: afsahi-scatter-unequal}"}, "is made for 1 port, not 2");
  expect_refusal({"workload={algorithm: tsay-wang}"},
                 "sends over links, which a complete network does not have");
  expect_refusal({"topology={kind: torus, shape: [5, 5]}", "node=null", "circuits=null"},
                 "afsahi-b4 needs a complete network, not a 5x5 torus");
  expect_refusal({"topology={kind: torus, shape: [5, 5]}"},
                 "circuits.reconfiguration is for complete networks");
}

TEST_F(CompleteNetwork, MessagesThatNoNetworkCanCarry_AreRefused) {
  for (const char* const command : {"run", "verify"}) {
    const Outcome outcome = program(command, {"workload={algorithm: afsahi-scatter, message: 1GiB}",
                                              "node.flit_bytes=1", "limits.cycles=1000000000000"});
    EXPECT_EQ(outcome.exit_code, 2) << command;
    EXPECT_NE(outcome.err.find("has more than 536870911 flits; use larger flits"), std::string::npos)
        << outcome.err;
  }
}

TEST_F(CompleteNetwork, Sweep_RunsAllPoints) {
  const std::string sweep =
      directory_
          .write("sweep.yaml",
                 std::string(kConfig) + "sweep: {topology.nodes: [41, 99], workload.start: [warm, cold]}\n")
          .string();
  const std::string out = (directory_ / "swept").string();
  const Outcome outcome = run_program({"sweep", sweep, "--out", out});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Outcome results =
      run_program({"results", out, "--columns", "topology.nodes,workload.start,cycles", "--format", "csv"});
  EXPECT_EQ(results.exit_code, 0) << results.err;
  for (const char* row : {"41,warm,32", "41,cold,40", "99,warm,40", "99,cold,48"}) {
    EXPECT_NE(results.out.find(row), std::string::npos) << row << " is not in\n" << results.out;
  }
  const std::string bad =
      directory_.write("bad.yaml", std::string(kConfig) + "sweep: {workload.source: [40, 41]}\n").string();
  const Outcome refused = run_program({"sweep", bad, "--out", (directory_ / "bad").string()});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("node 41 lies outside"), std::string::npos) << refused.err;
}

TEST_F(CompleteNetwork, CycleLimit_EndsTheRun) {
  const Outcome outcome = program("run", {"limits.cycles=20"}, {"--json"});
  EXPECT_EQ(outcome.exit_code, 5);
  const Json result = Json::parse(outcome.out);
  EXPECT_EQ(result["status"], "limit");
  EXPECT_EQ(result["verified"], false);
  EXPECT_EQ(result["cycles"], 20);
}

TEST_F(CompleteNetwork, MessagesUnderWayAtTheLimit_AreInWindowsAndReceptions) {
  const std::filesystem::path out = directory_ / "run";
  ASSERT_EQ(program("run", {"limits.cycles=5", "observe.windows=100"}, {"--out", out.string(), "--quiet"})
                .exit_code,
            5);
  const Table windows = read_csv(out / "windows.csv");
  ASSERT_EQ(windows.rows.size(), 1U);
  std::int64_t sent = 0;
  std::int64_t sending = 0;
  for (const Row& port : read_csv(out / "ports.csv").rows) {
    sent += port.number("flits");
    sending += port.number("sending_cycles");
  }
  EXPECT_GT(sent, 0);
  EXPECT_EQ(windows.rows[0].number("waiting_flits"), sent);
  std::int64_t receiving = 0;
  for (const Row& node : read_csv(out / "receptions.csv").rows) receiving += node.number("receiving_cycles");
  EXPECT_EQ(receiving, sending);
}

TEST_F(CompleteNetwork, RunDirectory_HasCountersOfEveryPort) {
  const std::string out = (directory_ / "run").string();
  ASSERT_EQ(program("run", {"observe.messages=true"}, {"--out", out, "--quiet"}).exit_code, 0);
  const auto path = std::filesystem::path(out);
  const Table ports = read_csv(path / "ports.csv");
  ASSERT_EQ(ports.rows.size(), 82U);
  for (std::size_t row = 0; row < ports.rows.size(); ++row) {
    std::int64_t cycles = 0;
    for (const char* const state : {"dark_cycles", "tuning_cycles", "connected_cycles", "sending_cycles"}) {
      cycles += ports.rows[row].number(state);
    }
    EXPECT_EQ(cycles, 32) << row;
    EXPECT_EQ(ports.rows[row].number("sending_cycles"), ports.rows[row].number("flits"));
    EXPECT_EQ(ports.rows[row].number("tuning_cycles"), 8 * ports.rows[row].number("tunings"));
  }
  // Port 0 of node 0 sends to 1, tunes to 15, sends again, and waits.
  EXPECT_EQ(ports.rows[0].number("sending_cycles"), 16);
  EXPECT_EQ(ports.rows[0].number("tuning_cycles"), 8);
  EXPECT_EQ(ports.rows[0].number("connected_cycles"), 8);
  const Table receptions = read_csv(path / "receptions.csv");
  ASSERT_EQ(receptions.rows.size(), 41U);
  EXPECT_EQ(receptions.rows[0].number("messages"), 0);
  EXPECT_EQ(receptions.rows[40].number("receiving_cycles"), 8);
  EXPECT_EQ(read_csv(path / "messages.csv").rows.size(), 40U);
  const Table tunings = read_csv(path / "tunings.csv");
  ASSERT_EQ(tunings.rows.size(), 6U);
  EXPECT_EQ(tunings.rows[0].number("target"), 15);
  EXPECT_EQ(tunings.rows[0].number("start_cycle"), 8);
  EXPECT_EQ(tunings.rows[0].number("ready_cycle"), 16);

  const Outcome again = run_program({"run", (path / "config.yaml").string(), "--json"});
  Json first = Json::parse(text_of(path / "result.json"));
  Json second = Json::parse(again.out);
  first.erase("host");
  second.erase("host");
  EXPECT_EQ(first, second);
}

}  // namespace
}  // namespace flitscope::test::circuit_network_test
