// Sweeps from file to table: results, failures as rows, --resume, and the launchers.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "model/version.h"
#include "tests/support/csv.h"
#include "tests/support/sweeps.h"

namespace flitscope::test::sweep_run_test {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;
using std::chrono::milliseconds;

/// A run of it would take minutes.
const std::string kEndless = "{workload.message: 64MiB, topology.shape: [9, 9], engine.fast_forward: 'off'}";

Outcome sweep(const TemporaryDirectory& directory, const std::string& text, const Arguments& options = {}) {
  Arguments arguments{"sweep", directory.write("sweep.yaml", text), "--out", directory / "out"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  return run_program(arguments);
}

/// The column of a sweep's table, from top to bottom.
Json column(const Json& rows, const std::string& name) {
  Json cells = Json::array();
  for (const Json& row : rows) cells.push_back(row.value(name, Json(nullptr)));
  return cells;
}

/// Processes whose parent is `pid`.
std::vector<pid_t> children_of(pid_t pid) {
  std::ifstream stream("/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children");
  std::vector<pid_t> children;
  for (pid_t child = 0; stream >> child;) children.push_back(child);
  return children;
}

std::vector<pid_t> wait_for_children(pid_t pid) {
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < std::chrono::seconds(60)) {
    if (auto children = children_of(pid); !children.empty()) return children;
    std::this_thread::sleep_for(milliseconds(2));
  }
  throw std::runtime_error("the sweep has no workers");
}

TEST(SweepRun, Rows_AreTheResultsOfRun) {
  const TemporaryDirectory directory;
  const Outcome outcome =
      sweep(directory, sweep_text("  workload.algorithm: [two-port-torus, binomial-torus]\n"
                                  "  workload.message: [8, 1KiB]\n"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  const Json rows = rows_of(directory / "out");
  ASSERT_EQ(rows.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    const Json& row = rows[i];
    EXPECT_EQ(row.at("number"), i + 1);
    const Json result =
        Json::parse(run_program({"run", directory / "sweep.yaml", "--set", "sweep=null", "--json", "--set",
                                 "workload.algorithm=" + row.at("workload.algorithm").get<std::string>(),
                                 "--set", "workload.message=" + row.at("workload.message").dump()})
                        .out);
    for (const auto& [key, value] : result.items()) {
      if (key == "host") continue;
      if (!value.is_object()) {
        EXPECT_EQ(row.at(key), value) << key;
        continue;
      }
      for (const auto& [inner, cell] : value.items()) {
        if (cell.is_object()) {
          for (const auto& [part, number] : cell.items()) {
            EXPECT_EQ(row.at(key + "." + inner + "." + part), number) << key << inner << part;
          }
          continue;
        }
        EXPECT_EQ(row.at(key + "." + inner), cell) << key << inner;
      }
    }
    EXPECT_GT(row.at("host.seconds"), 0);
    EXPECT_EQ(row.at("version"), FLITSCOPE_VERSION);
    EXPECT_TRUE(row.at("host.name").is_string());
  }
}

TEST(SweepRun, CsvFile_IsTheSameTable) {
  const TemporaryDirectory directory;
  ASSERT_EQ(sweep(directory, sweep_text("  workload.message: [8, 1KiB]\n  repeat: 2\n")).exit_code, 0);
  const Json rows = rows_of(directory / "out");
  const Table table = read_csv(directory / "out/results.csv");
  ASSERT_EQ(table.rows.size(), rows.size());
  EXPECT_EQ(table.names.size(), rows[0].size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const char* name : {"number", "workload.message", "repeat", "cycles", "stalls.no_credit"}) {
      EXPECT_EQ(table.rows[i].number(name), rows[i].at(name)) << name;
    }
    EXPECT_EQ(table.rows[i].text("id"), rows[i].at("id"));
    EXPECT_EQ(table.rows[i].text("verified"), "true");
  }
}

TEST(SweepRun, ValueThatIsAMap_CanBeFilteredAndCompared) {
  const TemporaryDirectory directory;
  const Outcome outcome = sweep(directory,
                                "flitscope: 1\n"
                                "topology: {kind: torus, shape: [4, 4, 4]}\n"
                                "workload: {algorithm: chen-multinode, h: 2}\n"
                                "sweep:\n"
                                "  workload.sources: [{count: 3, seed: 1}, {fraction: 0.5, seed: 2}, all]\n"
                                "  workload.message: [1, 8]\n"
                                "  exclude: [{workload.sources: {one_of: [{fraction: 0.5, seed: 2}]}}]\n");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json rows = rows_of(directory / "out", {"--baseline", "sources={count: 3, seed: 1},message=8"});
  EXPECT_EQ(column(rows, "workload.sources").dump(),
            R"(["{count: 3, seed: 1}","{count: 3, seed: 1}","all","all"])");
  EXPECT_DOUBLE_EQ(rows[3].at("cycles/baseline"),
                   rows[3].at("cycles").get<double>() / rows[1].at("cycles").get<double>());
  EXPECT_EQ(rows_of(directory / "out", {"--where", "sources={count: 3, seed: 1}"}).size(), 2U);
}

TEST(SweepRun, StoredConfiguration_RepeatsTheRun) {
  const TemporaryDirectory directory;
  ASSERT_EQ(sweep(directory, sweep_text("  router.buffer: [1, 2]\n")).exit_code, 0);
  const Json rows = rows_of(directory / "out");
  for (const Json& row : rows) {
    const Outcome dumped = run_program({"results", directory / "out", "--columns", "config", "--format",
                                        "json", "--where", "id=" + row.at("id").get<std::string>()});
    const std::string text = Json::parse(dumped.out).at(0).at("config");
    const Json again = Json::parse(run_program({"run", directory.write("again.yaml", text), "--json"}).out);
    EXPECT_EQ(again.at("cycles"), row.at("cycles"));
    EXPECT_EQ(again.at("step_cycles"), row.at("step_cycles"));
  }
}

TEST(SweepRun, FailedRun_IsARowAndOthersContinue) {
  const TemporaryDirectory directory;
  fs::copy(shipped_config("deadlock-ring.jsonl"), directory / "ring.jsonl");
  const std::string base =
      "flitscope: 1\n"
      "topology: {kind: torus, shape: [8]}\n"
      "router: {allow_deadlock: true, routing: dimension-order, buffer: 4}\n"
      "workload: {schedule: ring.jsonl}\n"
      "sweep:\n"
      "  replicas:\n"
      "    locked: {router.virtual_channels: 1}\n"
      "    stopped: {limits.cycles: 100}\n"
      "    fine: {}\n"
      "    endless: {node.injection_interval: 1024, node.ejection_interval: 1024, node.startup: 1000000}\n";
  const Outcome outcome = sweep(directory, base);
  EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
  const Json rows = rows_of(directory / "out");
  EXPECT_EQ(column(rows, "status").dump(), R"(["deadlock","limit","completed","completed"])");
  EXPECT_EQ(rows[0].at("deadlock").at("dependency_cycle").size(), 8U);
  EXPECT_EQ(rows[2].at("deadlock"), nullptr);
  EXPECT_EQ(column(rows, "verified").dump(), "[false,false,true,true]");
}

TEST(SweepRun, IllegalScheduleAndMissedGoal_AreRows) {
  const TemporaryDirectory directory;
  const std::string header =
      R"({"flitscope":"schedule","version":1,"topology":{"kind":"torus","shape":[4]},"ports":{"send":1,"receive":1},)"
      R"("routing":"dimension-order","algorithm":"by-hand","steps":1,"messages":1,"chunks":[8],)"
      R"("initial":[[[0],[0]]],"goal":[[[2],[0]]]})"
      "\n";
  static_cast<void>(directory.write(
      "missed.jsonl", header + R"({"step":1,"src":[0],"dst":[1],"path":[[0,1,1]],"chunks":[0]})"));
  static_cast<void>(directory.write(
      "illegal.jsonl", header + R"({"step":1,"src":[3],"dst":[2],"path":[[0,-1,1]],"chunks":[0]})"));
  const Outcome outcome =
      sweep(directory,
            "flitscope: 1\ntopology: {kind: torus, shape: [4]}\nworkload: {advance: barrier}\n"
            "sweep: {workload.schedule: [missed.jsonl, illegal.jsonl]}\n");
  EXPECT_EQ(outcome.exit_code, 4) << outcome.err;
  const Json rows = rows_of(directory / "out");
  EXPECT_EQ(column(rows, "status").dump(), R"(["goal-missed","illegal"])");
  EXPECT_NE(rows[1].at("error").get<std::string>().find("step 1, message 1"), std::string::npos);
  EXPECT_EQ(rows[1].at("cycles"), nullptr);
}

TEST(SweepRun, TimeLimit_EndsTheRun) {
  const TemporaryDirectory directory;
  const Outcome outcome =
      sweep(directory, sweep_text("  replicas: {endless: " + kEndless + ", short: {}}\n  run: {time: 1s}\n"));
  EXPECT_EQ(outcome.exit_code, 5) << outcome.err;
  const Json rows = rows_of(directory / "out");
  EXPECT_EQ(column(rows, "status").dump(), R"(["time-limit","completed"])");
  EXPECT_EQ(rows[0].at("error"), "took longer than 1 s");
}

TEST(SweepRun, MemoryLimit_EndsTheRun) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the address sanitizer reserves more memory than any limit";
#endif
  const TemporaryDirectory directory;
  const Outcome outcome = sweep(
      directory,
      sweep_text("  replicas: {large: {topology.shape: [300, 300]}, small: {}}\n  run: {memory: 64MiB}\n"));
  EXPECT_EQ(outcome.exit_code, 5) << outcome.err;
  EXPECT_EQ(column(rows_of(directory / "out"), "status").dump(), R"(["memory-limit","completed"])");
  // The least that can be asked for.
  const TemporaryDirectory other;
  EXPECT_EQ(sweep(other, sweep_text("  topology.shape: [[60, 60]]\n"), {"--run-memory", "1MiB"}).exit_code,
            5);
  EXPECT_EQ(column(rows_of(other / "out"), "status").dump(), R"(["memory-limit"])");
}

TEST(SweepRun, Crash_IsARowAndKilledWorkerIsRunAgain) {
  const TemporaryDirectory directory;
  const std::string file = directory.write(
      "sweep.yaml", sweep_text("  replicas: {endless: " + kEndless + "}\n  run: {time: 20s}\n"));
  const auto end_worker_with = [&](int signal, const Arguments& options) {
    Arguments arguments{"sweep", file, "--out", directory / "out", "-j", "1"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    RunningProgram program(arguments);
    // The first child checks the configurations; it is gone before the store is there.
    while (!fs::exists(directory / "out/results.sqlite-wal")) std::this_thread::sleep_for(milliseconds(2));
    for (const pid_t worker : wait_for_children(program.pid())) kill(worker, signal);
    return program.wait();
  };
  EXPECT_EQ(end_worker_with(SIGKILL, {}).exit_code, 1);
  EXPECT_EQ(rows_of(directory / "out").at(0).at("status"), "killed");
  EXPECT_EQ(end_worker_with(SIGSEGV, {"--resume"}).exit_code, 1);
  EXPECT_EQ(rows_of(directory / "out").at(0).at("status"), "crashed");
  const auto before = rows_of(directory / "out");
  EXPECT_EQ(run_program({"sweep", file, "--out", directory / "out", "--resume"}).exit_code, 1);
  EXPECT_EQ(rows_of(directory / "out"), before) << "a crash is a result and not tried again";
}

TEST(SweepRun, Interrupt_KeepsDoneRuns) {
  const TemporaryDirectory directory;
  const std::string text = sweep_text("  replicas: {short: {}, endless: " + kEndless + "}\n");
  RunningProgram program(
      {"sweep", directory.write("sweep.yaml", text), "--out", directory / "out", "-j", "1"});
  const auto has_row = [&] {
    return fs::exists(directory / "out/results.sqlite-wal") &&
           run_program({"results", directory / "out", "--where", "status=completed", "--format", "csv"})
                   .out.find("completed") != std::string::npos;
  };
  while (!has_row()) std::this_thread::sleep_for(milliseconds(10));
  program.kill(SIGINT);
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.signal, SIGINT);
  EXPECT_NE(outcome.err.find("--resume"), std::string::npos) << outcome.err;
  EXPECT_EQ(column(rows_of(directory / "out"), "status").dump(), R"(["completed"])");
  EXPECT_EQ(read_csv(directory / "out/results.csv").rows.size(), 1U);
}

TEST(SweepRun, KilledSweep_EndsItsWorkers) {
  const TemporaryDirectory directory;
  const std::string text = sweep_text("  replicas: {endless: " + kEndless + "}\n");
  RunningProgram program({"sweep", directory.write("sweep.yaml", text), "--out", directory / "out"});
  while (!fs::exists(directory / "out/results.sqlite-wal")) std::this_thread::sleep_for(milliseconds(2));
  const auto workers = wait_for_children(program.pid());
  program.kill();
  static_cast<void>(program.wait());
  const auto is_gone = [](pid_t pid) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string number, name, state;
    return !(stat >> number >> name >> state) || state == "Z";
  };
  const auto start = std::chrono::steady_clock::now();
  while (!std::ranges::all_of(workers, is_gone)) {
    ASSERT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
    std::this_thread::sleep_for(milliseconds(5));
  }
}

TEST(Resume, ChangedFile_RunsOnlyMissingRuns) {
  const TemporaryDirectory directory;
  ASSERT_EQ(sweep(directory, sweep_text("  workload.message: [8, 16]\n")).exit_code, 0);
  const Json first = rows_of(directory / "out");
  EXPECT_EQ(sweep(directory, sweep_text("  workload.message: [8, 16]\n")).exit_code, 6) << "without --resume";

  const Outcome second = sweep(
      directory, sweep_text("  router.buffer: [4, 8]\n  workload.message: [16, 8, 24]\n"), {"--resume"});
  EXPECT_EQ(second.exit_code, 0) << second.err;
  EXPECT_NE(second.err.find("of 4 runs"), std::string::npos) << second.err;
  const Json rows = rows_of(directory / "out");
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(column(rows, "number").dump(), "[1,2,3,4,5,6]");
  EXPECT_EQ(column(rows, "router.buffer").dump(), "[4,4,4,8,8,8]");
  EXPECT_EQ(rows[4].at("id"), first[0].at("id"));
  EXPECT_EQ(rows[4].at("host.finished"), first[0].at("host.finished"));
  EXPECT_EQ(rows[4].at("host.seconds"), first[0].at("host.seconds"));
  EXPECT_EQ(rows[3].at("host.seconds"), first[1].at("host.seconds"));

  // What the sweep no longer has leaves the table, and is there again when it is wanted again.
  ASSERT_EQ(sweep(directory, sweep_text("  workload.message: [24]\n"), {"--resume"}).exit_code, 0);
  EXPECT_EQ(column(rows_of(directory / "out"), "workload.message").dump(), "[24]");
  const Outcome third = sweep(directory, sweep_text("  workload.message: [8, 16]\n"), {"--resume"});
  EXPECT_EQ(third.exit_code, 0);
  EXPECT_EQ(column(rows_of(directory / "out"), "host.seconds"), column(first, "host.seconds"));
}

TEST(Resume, SweepOfOtherKeys_HasTheTableOfAFreshSweep) {
  const std::string other = sweep_text("  router.buffer: [8, 4]\n");
  const TemporaryDirectory directory;
  ASSERT_EQ(sweep(directory, sweep_text("  replicas: {x: {}, y: {link.delay: 2}}\n  repeat: 2\n")).exit_code,
            0);
  ASSERT_EQ(sweep(directory, other, {"--resume"}).exit_code, 0);
  const TemporaryDirectory fresh;
  ASSERT_EQ(sweep(fresh, other).exit_code, 0);
  EXPECT_EQ(measured_rows_of(directory / "out"), measured_rows_of(fresh / "out"));
}

TEST(Resume, FinishedSweep_ChangesNothing) {
  const TemporaryDirectory directory;
  const std::string text = sweep_text("  workload.message: [8, 16]\n  repeat: 2\n");
  ASSERT_EQ(sweep(directory, text).exit_code, 0);
  const std::string csv = text_of(directory / "out/results.csv");
  EXPECT_EQ(sweep(directory, text, {"--resume"}).exit_code, 0);
  EXPECT_EQ(text_of(directory / "out/results.csv"), csv);
}

TEST(Directory, OtherContents_IsNotTouched) {
  const TemporaryDirectory directory;
  fs::create_directory(directory / "out");
  std::ofstream(directory / "out/thesis.txt") << "mine";
  EXPECT_EQ(sweep(directory, sweep_text("  repeat: 1\n"), {"--resume"}).exit_code, 6);
  EXPECT_EQ(directory.entries(), (std::vector<std::string>{"out", "out/thesis.txt", "sweep.yaml"}));
}

TEST(Directory, SweepKilledBeforeFirstRow_CanBeResumed) {
  const TemporaryDirectory directory;
  fs::create_directory(directory / "out");
  std::ofstream(directory / "out/sweep.lock").close();
  EXPECT_EQ(sweep(directory, sweep_text("  repeat: 1\n"), {"--resume"}).exit_code, 0);
  fs::remove_all(directory / "out");
  fs::create_directory(directory / "out");
  std::ofstream(directory / "out/results.sqlite").close();
  EXPECT_EQ(sweep(directory, sweep_text("  repeat: 1\n"), {"--resume"}).exit_code, 0);
  EXPECT_EQ(rows_of(directory / "out").size(), 1U);
}

TEST(Directory, SecondSweep_IsRefused) {
  const TemporaryDirectory directory;
  const std::string text = sweep_text("  replicas: {endless: " + kEndless + "}\n");
  RunningProgram program({"sweep", directory.write("first.yaml", text), "--out", directory / "out"});
  while (!fs::exists(directory / "out/results.sqlite")) std::this_thread::sleep_for(milliseconds(2));
  const Outcome second = sweep(directory, text, {"--resume"});
  EXPECT_EQ(second.exit_code, 6);
  EXPECT_NE(second.err.find("another process"), std::string::npos) << second.err;
}

TEST(DryRun, AnySweep_ListsRunsAndWritesNothing) {
  const TemporaryDirectory directory;
  const std::string text =
      sweep_text("  workload.message: [8, 16, 24]\n  exclude: [{workload.message: 24}]\n");
  const Outcome outcome = sweep(directory, text, {"--dry-run"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(directory.entries(), std::vector<std::string>{"sweep.yaml"});
  EXPECT_NE(outcome.out.find("2 runs, 1 point excluded"), std::string::npos) << outcome.out;
  ASSERT_EQ(sweep(directory, text).exit_code, 0);
  const Json rows = rows_of(directory / "out");
  for (const Json& row : rows) EXPECT_NE(outcome.out.find(row.at("id")), std::string::npos);
  EXPECT_NE(sweep(directory, text, {"--dry-run"}).out.find("done"), std::string::npos);
}

TEST(Commands, ScheduleFiles_AreCopied) {
  const TemporaryDirectory directory;
  const std::string local = directory / "local";
  const std::string file = shipped_config("sweeps/sources.yaml");
  ASSERT_EQ(run_program({"sweep", file, "--out", local}).exit_code, 0);
  // Where the job is done there is nothing but the shared directory.
  fs::copy(shipped_config("sweeps"), directory / "own", fs::copy_options::recursive);
  const Arguments again{
      "sweep",   directory / "own/sources.yaml", "--out", directory / "shared", "--launcher", "commands",
      "--resume"};
  const Outcome printed = run_program(again);
  fs::rename(directory / "own", directory / "elsewhere");
  ASSERT_EQ(std::system(printed.out.c_str()), 0);
  fs::rename(directory / "elsewhere", directory / "own");
  ASSERT_EQ(run_program(again).exit_code, 0);
  EXPECT_EQ(measured_rows_of(directory / "shared"), measured_rows_of(local));
  const Outcome config =
      run_program({"results", directory / "shared", "--columns", "config", "--where", "number=1"});
  EXPECT_NE(config.out.find(directory / "own/sources/from-1.jsonl"), std::string::npos) << config.out;
}

TEST(ShippedSweeps, AllShipped_AreAdmissible) {
  const TemporaryDirectory directory;
  int seen = 0;
  for (const auto& entry : fs::directory_iterator(shipped_config("sweeps"))) {
    if (entry.path().extension() != ".yaml") continue;
    ++seen;
    const Outcome outcome = run_program({"sweep", entry.path(), "--dry-run", "--out", directory / "out"});
    EXPECT_EQ(outcome.exit_code, 0) << entry.path() << outcome.err;
    EXPECT_EQ(outcome.err, "");
  }
  EXPECT_GE(seen, 5);
}

TEST(ShippedSweeps, BufferBelowRoundTrip_IsSlower) {
  const TemporaryDirectory directory;
  ASSERT_EQ(
      run_program({"sweep", shipped_config("sweeps/buffers.yaml"), "--out", directory / "out"}).exit_code, 0);
  for (const Json& row : rows_of(directory / "out")) {
    // A flit over the link and the freed slot's word back, each link.delay, and the router.
    const int round_trip = 2 * row.at("link.delay").get<int>() + 1;
    EXPECT_EQ(row.at("stalls.no_credit") == 0, row.at("router.buffer") >= round_trip) << row;
  }
}

TEST(Commands, AnyScheduler_DoesTheSameRuns) {
  const TemporaryDirectory here;
  const TemporaryDirectory there;
  const std::string text =
      sweep_text("  workload.message: [8, 16, 24]\n  node.ports: [all, 1]\n  repeat: 2\n");
  ASSERT_EQ(sweep(here, text).exit_code, 0);
  const Outcome printed = sweep(there, text, {"--launcher", "commands"});
  EXPECT_EQ(printed.exit_code, 0) << printed.err;
  std::istringstream lines(printed.out);
  std::vector<std::string> commands;
  for (std::string line; std::getline(lines, line);) commands.push_back(line);
  ASSERT_EQ(commands.size(), 12U);
  for (std::size_t i = 0; i < 5; ++i) ASSERT_EQ(std::system(commands[i].c_str()), 0) << commands[i];
  // What has come in is taken, and what is missing printed again.
  const Outcome rest = sweep(there, text, {"--launcher", "commands", "--resume"});
  EXPECT_EQ(std::ranges::count(rest.out, '\n'), 7);
  EXPECT_EQ(rows_of(there / "out").size(), 5U);
  for (const std::string& command : commands) ASSERT_EQ(std::system(command.c_str()), 0) << command;
  EXPECT_EQ(sweep(there, text, {"--launcher", "commands", "--resume"}).out, "");
  EXPECT_EQ(measured_rows_of(there / "out"), measured_rows_of(here / "out"));
  EXPECT_FALSE(fs::exists(there / "out/jobs")) << "nothing is left behind";
}

/// One flow of 64 has 5% too much: less than 1% of all flits.
TEST(SweepRun, LoadOfOneFlowBeyondTheBound_IsSaturated) {
  const TemporaryDirectory directory;
  const Outcome outcome = sweep(directory,
                                "flitscope: 1\nname: few\ntopology: {kind: mesh, shape: [64]}\n"
                                "links: [{at: '[0]+0', cycles_per_flit: 21/10}]\n"
                                "workload: {traffic: neighbour, message: 8, warmup: 500, measure: 4000}\n"
                                "sweep:\n  workload.load: [0.4, 0.5]\n");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json rows = rows_of(directory / "out");
  EXPECT_EQ(column(rows, "status"), Json::array({"completed", "saturated"}));
  EXPECT_EQ(column(rows, "traffic.beyond_bound"), Json::array({false, true}));
  EXPECT_FALSE(rows[0].at("latency.mean").is_null());
  EXPECT_TRUE(rows[1].at("latency.mean").is_null());
}

TEST(SweepRun, SaturatedTraffic_HasAStatusAndNoLatency) {
  const TemporaryDirectory directory;
  const Outcome outcome =
      sweep(directory,
            "flitscope: 1\nname: loads\nclock: 1GHz\ntopology: {kind: mesh, shape: [4, 4]}\n"
            "workload: {traffic: bit-complement, message: 32, warmup: 1000, measure: 2000}\n"
            "sweep:\n  workload.load: [0.1, 0.9]\n  router.buffer: [4, 8]\n");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("4 runs: 2 completed, 2 saturated"), std::string::npos) << outcome.err;
  for (const Json& row : rows_of(directory / "out")) {
    const bool saturated = row.at("workload.load") == 0.9;
    EXPECT_EQ(row.at("status"), saturated ? "saturated" : "completed");
    EXPECT_EQ(row.at("latency.mean").is_null(), saturated);
    EXPECT_EQ(row.at("traffic.ci95_cycles").is_null(), saturated);
    EXPECT_EQ(row.at("traffic.ci95_ns").is_null(), saturated);
    EXPECT_GT(row.at("traffic.accepted"), 0.09);
    EXPECT_TRUE(row.at("verified"));
  }
  const auto results = [&](Arguments options) {
    options.insert(options.begin(), {"results", directory / "out"});
    return run_program(options);
  };
  const Outcome pivot = results(
      {"--pivot", "workload.load,buffer,latency.mean", "--format", "csv", "--plot", directory / "plot.svg"});
  EXPECT_EQ(pivot.exit_code, 0) << pivot.err;
  EXPECT_NE(pivot.out.find("\n0.9,saturated,saturated\n"), std::string::npos) << pivot.out;
  const Outcome best = results({"--best", "latency.mean", "--by", "workload.load", "--format", "csv"});
  EXPECT_EQ(best.out.find("\n0.9,"), std::string::npos) << best.out;
}

}  // namespace
}  // namespace flitscope::test::sweep_run_test
