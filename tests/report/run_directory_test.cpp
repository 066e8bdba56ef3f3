// The files of a run: what is in them, that they agree, and that they come all at once or not at all.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "model/error.h"
#include "sim/report/run_directory.h"
#include "tests/support/csv.h"
#include "tests/support/hand_written_runs.h"
#include "tests/support/program.h"

namespace flitscope::test::run_directory_test {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;
using std::chrono::milliseconds;

const std::vector<std::string> kFiles{"channels.csv", "config.yaml", "critical-path.csv", "latencies.csv",
                                      "nodes.csv",    "result.json", "routers.csv",       "steps.csv"};

std::vector<std::string> files_in(const fs::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

TEST(RunDirectory, Run_HasTheFilesAskedForAndNoOthers) {
  const TemporaryDirectory directory;
  const Arguments run{"run", shipped_config("quickstart.yaml"), "--quiet", "--out"};
  Arguments plain = run;
  plain.push_back(directory / "plain");
  ASSERT_EQ(run_program(plain).exit_code, 0);
  EXPECT_EQ(files_in(directory / "plain"), kFiles);

  Arguments with_messages = run;
  with_messages.insert(with_messages.end(), {directory / "deep/down/run", "--set", "observe.messages=true"});
  ASSERT_EQ(run_program(with_messages).exit_code, 0);
  std::vector<std::string> expected = kFiles;
  expected.insert(expected.begin() + 4, "messages.csv");
  EXPECT_EQ(files_in(directory / "deep/down/run"), expected);
  EXPECT_EQ(files_in(directory.path()), (std::vector<std::string>{"deep", "plain"}));
}

TEST(RunDirectory, DeadlockedRun_IsWritten) {
  const TemporaryDirectory directory;
  EXPECT_EQ(run_program({"run", shipped_config("deadlock-ring.yaml"), "--out", directory / "run"}).exit_code,
            3);
  std::vector<std::string> expected = kFiles;
  std::erase(expected, "critical-path.csv");  // no message arrives
  expected.insert(expected.end() - 1, "schedule.jsonl");
  EXPECT_EQ(files_in(directory / "run"), expected);
  EXPECT_EQ(Json::parse(text_of(directory / "run/result.json")).at("status"), "deadlock");
}

TEST(RunDirectory, Tables_AgreeWithTheResult) {
  const TemporaryDirectory directory;
  ASSERT_EQ(
      run_program({"run", shipped_config("quickstart.yaml"), "--quiet", "--set", "workload.advance=dataflow",
                   "--set", "node.ports=1", "--set", "router.buffer=2", "--out", directory / "run"})
          .exit_code,
      0);
  const Json result = Json::parse(text_of(directory / "run/result.json"));

  const Table steps = read_csv(directory / "run/steps.csv");
  ASSERT_EQ(steps.rows.size(), result.at("steps"));
  EXPECT_EQ(steps.sum("messages"), result.at("messages"));
  EXPECT_EQ(steps.sum("arrived"), result.at("messages"));
  EXPECT_EQ(steps.sum("flits"), result.at("flits"));
  for (std::size_t i = 0; i < steps.rows.size(); ++i) {
    const Row& step = steps.rows[i];
    EXPECT_EQ(step.number("step"), i + 1);
    EXPECT_EQ(step.number("cycles"), step.number("end_cycle") - step.number("begin_cycle"));
    EXPECT_EQ(step.number("cycles"), result.at("step_cycles").at(i));
  }
  EXPECT_EQ(steps.rows.back().number("end_cycle"), result.at("cycles"));

  const Table channels = read_csv(directory / "run/channels.csv");
  EXPECT_EQ(channels.rows.size(), 7U * 7 * 7 * 6);  // all links of the torus, used or not
  EXPECT_EQ(channels.sum("flits"), result.at("flit_hops"));
  const std::int64_t flits_a_message = 512 / 8;
  EXPECT_EQ(channels.sum("messages") * flits_a_message, result.at("flit_hops"));
  std::int64_t stalls = 0;
  for (const Json& cycles : result.at("stalls")) stalls += cycles.get<std::int64_t>();
  EXPECT_GT(stalls, 0);
  // Ejection channels are no links.
  EXPECT_LE(channels.sum("stalled_flit_cycles"), stalls);
  EXPECT_GE(channels.sum("stalled_flit_cycles"),
            stalls - result.at("stalls").at("ejection_busy").get<std::int64_t>() -
                result.at("stalls").at("switch_lost").get<std::int64_t>());
}

TEST(RunDirectory, ClassesWithAClock_AreInItsUnitsBesideCycles) {
  const TemporaryDirectory directory;
  ASSERT_EQ(run_program({"run", shipped_config("two-classes-8x8.yaml"), "--quiet", "--set", "clock=2GHz",
                         "--out", directory / "run"})
                .exit_code,
            0);
  const Table classes = read_csv(directory / "run/classes.csv");
  ASSERT_EQ(classes.rows.size(), 2U);
  for (const Row& row : classes.rows) {
    const auto number = [&](const std::string& name) { return std::stod(row.text(name)); };
    for (const std::string time : {"latency_mean", "latency_p99", "latency_max", "network_latency_mean"}) {
      EXPECT_NEAR(number(time + "_ns"), number(time + "_cycles") / 2, 1e-3) << time;
    }
    EXPECT_NEAR(number("accepted_GBps"), number("accepted") * 8 * 2, 1e-4);  // flits of 8 bytes
  }
}

TEST(RunDirectory, MessageClasses_AddUpToTheRun) {
  const TemporaryDirectory directory;
  const std::string config = shipped_config("protocol/deadlock-4x4-classes.yaml");
  ASSERT_EQ(run_program({"run", config, "--quiet", "--out", directory / "run"}).exit_code, 0);
  const Json result = Json::parse(text_of(directory / "run/result.json"));
  const Table classes = read_csv(directory / "run/message-classes.csv");
  ASSERT_EQ(classes.rows.size(), 2U);
  EXPECT_EQ(classes.rows[0].text("class"), "request");
  EXPECT_EQ(classes.sum("messages"), result.at("messages").get<std::int64_t>());
  EXPECT_EQ(classes.sum("flits"), result.at("flits").get<std::int64_t>());
  for (const char* const cause : {"vc_taken", "no_credit", "sink_full", "ejection_busy"}) {
    EXPECT_EQ(classes.sum(std::string(cause) + "_flit_cycles"),
              result.at("stalls").at(cause).get<std::int64_t>())
        << cause;
  }
}

TEST(RunDirectory, Mesh_ListsOnlyLinksThatExist) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "mesh.yaml", "flitscope: 1\ntopology: {kind: mesh, shape: [3]}\nworkload: {schedule: mesh.jsonl}\n");
  static_cast<void>(directory.write(
      "mesh.jsonl",
      R"({"flitscope":"schedule","version":1,"topology":{"kind":"mesh","shape":[3]},)"
      R"("ports":{"send":1,"receive":1},"routing":"dimension-order","algorithm":"by-hand","steps":1,)"
      R"("messages":1,"chunks":[20],"initial":[[[0],[0]]],"goal":[[[2],[0]]]})"
      "\n"
      R"({"step":1,"src":[0],"dst":[2],"path":[[0,1,2]],"chunks":[0]})"
      "\n"));
  ASSERT_EQ(run_program({"run", config, "--quiet", "--out", directory / "run"}).exit_code, 0);
  const Table channels = read_csv(directory / "run/channels.csv");
  std::vector<std::string> links;
  for (const Row& row : channels.rows) {
    links.push_back(row.text("channel") + " " + row.text("flits"));
  }
  EXPECT_EQ(links, (std::vector<std::string>{"[0]+0 3", "[1]+0 3", "[1]-0 0", "[2]-0 0"}));
}

/// A run of a schedule file into "run".
std::string run_of_a_file(const TemporaryDirectory& directory) {
  std::string config = write_ring_run(directory, ring_header(1, 1) + ring_message(1, 0, 1, "[[0,1,1]]"));
  EXPECT_EQ(run_program({"run", config, "--quiet", "--out", directory / "run"}).exit_code, 0);
  return config;
}

TEST(RunDirectory, ScheduleFile_IsCopiedWithItsDigest) {
  const TemporaryDirectory directory;
  static_cast<void>(run_of_a_file(directory));
  EXPECT_EQ(text_of(directory / "run/schedule.jsonl"), text_of(directory / "schedule.jsonl"));
  const std::string config = text_of(directory / "run/config.yaml");
  EXPECT_NE(config.find("  schedule: schedule.jsonl\n"), std::string::npos) << config;
  EXPECT_NE(config.find("  schedule_digest: sha256:"), std::string::npos) << config;
  EXPECT_EQ(config.find(directory.path().string()), std::string::npos) << config;
}

TEST(RunDirectory, MovedWithoutTheScheduleFile_RepeatsTheRun) {
  const TemporaryDirectory directory;
  static_cast<void>(run_of_a_file(directory));
  const auto result_of = [&](const std::string& run) {
    Json result = Json::parse(text_of(directory / run / "result.json"));
    result.erase("host");
    return result;
  };
  static_cast<void>(directory.write("schedule.jsonl", "something else"));
  fs::create_directory(directory / "elsewhere");
  fs::rename(directory / "run", directory / "elsewhere/run");
  const Outcome again =
      run_program({"run", directory / "elsewhere/run/config.yaml", "--quiet", "--out", directory / "again"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(result_of("again"), result_of("elsewhere/run"));
  EXPECT_EQ(text_of(directory / "again/config.yaml"), text_of(directory / "elsewhere/run/config.yaml"));
}

TEST(RunDirectory, TrafficFiles_AreCopiedAndRepeatTheRun) {
  const TemporaryDirectory directory;
  const std::string ring = "1 2 3 0\n";
  static_cast<void>(directory.write("ring.txt", ring));
  const std::string rates = "0,3,0,0\n0,0,1,0\n0,0,0,1\n1,0,0,0\n";
  static_cast<void>(directory.write("rates.csv", rates));
  const std::string head = "flitscope: 1\ntopology: {kind: torus, shape: [4]}\nworkload: ";
  const std::map<std::string, std::map<std::string, std::string>> cases{
      {"{traffic: matrix, rates: rates.csv, measure: 500, warmup: 0}", {{"rates.csv", rates}}},
      {"{measure: 500, warmup: 0, classes: [{traffic: permutation, destinations: ring.txt}, {name: many, "
       "traffic: "
       "matrix, rates: rates.csv}]}",
       {{"class1-destinations.txt", ring}, {"many-rates.csv", rates}}},
      {"{algorithm: all-gather-ring, message: 64, background: {traffic: matrix, rates: rates.csv}}",
       {{"background-rates.csv", rates}}}};
  int number = 0;
  for (const auto& [workload, copies] : cases) {
    const std::string run = directory / fmt::format("run{}", ++number);
    const std::string again = directory / fmt::format("again{}", number);
    const Outcome first =
        run_program({"run", directory.write("c.yaml", head + workload + "\n"), "--quiet", "--out", run});
    ASSERT_EQ(first.exit_code, 0) << first.err;
    for (const auto& [copy, text] : copies) EXPECT_EQ(text_of(fs::path(run) / copy), text) << workload;
    EXPECT_EQ(text_of(fs::path(run) / "config.yaml").find(directory.path().string()), std::string::npos);
    const TemporaryDirectory elsewhere;
    fs::rename(run, elsewhere / "run");
    const Outcome second = run_program({"run", elsewhere / "run/config.yaml", "--quiet", "--out", again});
    ASSERT_EQ(second.exit_code, 0) << second.err;
    Json one = Json::parse(text_of(elsewhere / "run/result.json"));
    Json two = Json::parse(text_of(fs::path(again) / "result.json"));
    one.erase("host");
    two.erase("host");
    EXPECT_EQ(one, two);
    EXPECT_EQ(files_in(elsewhere / "run"), files_in(again));
  }
  const Outcome missing =
      run_program({"run", directory.write("c.yaml", head + "{traffic: matrix, rates: nowhere.csv}\n"),
                   "--out", directory / "x"});
  EXPECT_EQ(missing.exit_code, 2) << missing.err;
  EXPECT_NE(missing.err.find("nowhere.csv: cannot be read"), std::string::npos);
}

TEST(RunDirectory, NetworkCalledAsItsFile_KeepsItsNameWhenRunAgain) {
  const TemporaryDirectory directory;
  const std::map<std::string, std::string> networks{
      {"t.yaml", "\xEF\xBB\xBF{graph: 1, routers: [{name: a}, {name: b}], links: [{between: [a, b]}]}\n"},
      {"t.anynet", "router 0 node 0 router 1\nrouter 1 node 1\n"}};
  for (const auto& [network, text] : networks) {
    static_cast<void>(directory.write(network, text));
    const std::string config =
        directory.write("c.yaml", "flitscope: 1\ntopology: {kind: graph, file: " + network +
                                      "}\nworkload: {algorithm: all-to-all-direct, message: 64}\n");
    const std::string run = directory / ("run-" + network);
    const std::string again = directory / ("again-" + network);
    const Outcome first = run_program({"run", config, "--quiet", "--out", run});
    ASSERT_EQ(first.exit_code, 0) << first.err;
    const Outcome second = run_program({"run", run + "/config.yaml", "--quiet", "--out", again});
    ASSERT_EQ(second.exit_code, 0) << second.err;
    Json one = Json::parse(text_of(run + "/result.json"));
    Json two = Json::parse(text_of(again + "/result.json"));
    one.erase("host");
    two.erase("host");
    EXPECT_EQ(one, two);
    EXPECT_EQ(text_of(run + "/config.yaml"), text_of(again + "/config.yaml"));
    const std::string copy = "/network" + fs::path(network).extension().string();
    EXPECT_TRUE(text_of(run + copy).starts_with("# flitscope name t of 2 nodes\n")) << text_of(run + copy);
    EXPECT_EQ(text_of(run + copy), text_of(again + copy));
  }
}

TEST(RunDirectory, ChangedScheduleFile_IsRefused) {
  const TemporaryDirectory directory;
  static_cast<void>(run_of_a_file(directory));
  static_cast<void>(
      directory.write("run/schedule.jsonl", ring_header(1, 1) + ring_message(1, 0, 1, "[[0,-1,3]]")));
  for (const char* const command : {"run", "verify", "schedule"}) {
    const Outcome changed = run_program({command, directory / "run/config.yaml"});
    EXPECT_EQ(changed.exit_code, 2);
    EXPECT_EQ(changed.out, "");
    EXPECT_NE(changed.err.find("schedule.jsonl is not the file it was: its digest is sha256:"),
              std::string::npos)
        << changed.err;
    EXPECT_TRUE(changed.err.starts_with((directory / "run/config.yaml").string() + ":")) << changed.err;
  }
}

TEST(RunDirectory, LargeScheduleFile_IsNamedWithItsDigest) {
  const TemporaryDirectory directory;
  const std::string schedule = ring_header(1, 1) + ring_message(1, 0, 1, "[[0,1,1]]");
  const std::string config =
      write_ring_run(directory, schedule + std::string(flitscope::RunDirectory::kMaxCopied, '\n'));
  ASSERT_EQ(run_program({"run", config, "--quiet", "--out", directory / "run"}).exit_code, 0);
  EXPECT_EQ(files_in(directory / "run"), kFiles);
  const std::string written = text_of(directory / "run/config.yaml");
  EXPECT_NE(written.find("  schedule: " + (directory / "schedule.jsonl").string()), std::string::npos)
      << written;
  EXPECT_EQ(run_program({"run", directory / "run/config.yaml"}).exit_code, 0);
  static_cast<void>(write_ring_run(directory, schedule));
  const Outcome changed = run_program({"run", directory / "run/config.yaml"});
  EXPECT_EQ(changed.exit_code, 2);
  EXPECT_NE(changed.err.find("is not the file it was"), std::string::npos) << changed.err;
}

TEST(RunDirectory, ScheduleFromAPipe_IsCopied) {
  const TemporaryDirectory directory;
  const std::string schedule = ring_header(1, 1) + ring_message(1, 0, 1, "[[0,1,1]]");
  const std::string config = write_ring_run(directory, schedule);
  const fs::path fifo = directory / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(fifo) << schedule; });
  const Outcome outcome =
      run_program({"run", config, "--set", "workload.schedule=fifo", "--quiet", "--out", directory / "run"});
  if (outcome.exit_code != 0) std::ifstream(fifo).get();  // the writer must not wait for ever
  writer.join();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(text_of(directory / "run/schedule.jsonl"), schedule);
}

TEST(RunDirectory, FilesOfAKilledProcess_AreRemoved) {
  const TemporaryDirectory directory;
  const std::string leftover = "run.partial-" + std::to_string(getpid());
  fs::create_directory(directory / leftover);
  static_cast<void>(directory.write(leftover + "/messages.csv", "of another run"));
  flitscope::RunDirectory run(directory / "run");
  run.commit();
  EXPECT_EQ(directory.entries(), std::vector<std::string>{"run"});
}

/// A user with write permission for the directory above can put a link in the place of the unfinished
/// directory.
TEST(RunDirectory, LinkInThePlaceOfTheUnfinishedDirectory_IsNotWrittenThrough) {
  const TemporaryDirectory directory;
  fs::create_directory(directory / "victim");
  flitscope::RunDirectory run(directory / "run");
  const std::string unfinished = "run.partial-" + std::to_string(getpid());
  fs::rename(directory / unfinished, directory / "moved");
  fs::create_directory_symlink("victim", directory / unfinished);
  std::ofstream(run.file("result.json")) << "{}";
  EXPECT_TRUE(fs::is_empty(directory / "victim"));
  EXPECT_EQ(text_of(directory / "moved/result.json"), "{}");
  try {
    run.commit();
    ADD_FAILURE() << "the link has got the name";
  } catch (const OutputError& error) {
    EXPECT_EQ(error.what(),
              (directory / "run").string() + ": something else has taken the place of " + unfinished);
  }
  EXPECT_FALSE(fs::exists(directory / "run"));
}

TEST(RunDirectory, Errors_NameFilesAsTheyAreCalledInTheEnd) {
  const TemporaryDirectory directory;
  const flitscope::RunDirectory run(directory / "run");
  try {
    run.with_names([&] { throw OutputError(run.file("a.csv").string() + ": could not be written"); });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const OutputError& error) {
    EXPECT_EQ(error.what(), (directory / "run/a.csv").string() + ": could not be written");
  }
}

TEST(RunDirectory, NoCommit_LeavesNothing) {
  const TemporaryDirectory directory;
  fs::create_directory(directory / "runs");
  { const flitscope::RunDirectory run(directory / "runs/of/today/first"); }
  EXPECT_EQ(directory.entries(), std::vector<std::string>{"runs"});
}

/// Waits until `condition` holds, but not for ever.
template <typename Condition>
void wait_for(const Condition& condition) {
  const auto start = std::chrono::steady_clock::now();
  while (!condition()) {
    ASSERT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
    std::this_thread::yield();
  }
}

/// What has the final name is complete.
void expect_all_or_nothing(const fs::path& run) {
  if (!fs::exists(run)) return;
  EXPECT_EQ(files_in(run), kFiles);
  EXPECT_EQ(Json::parse(text_of(run / "result.json")).at("status"), "completed");
  EXPECT_EQ(read_csv(run / "channels.csv").rows.size(), 7U * 7 * 7 * 6);
}

TEST(KilledRun, AnyTime_LeavesNoDirectoryOfTheFinalName) {
  for (const int event : {0, 20, 100, 300}) {
    const TemporaryDirectory directory;
    // Would take minutes.
    RunningProgram program({"run", shipped_config("quickstart.yaml"), "--set", "workload.message=64MiB",
                            "--set", "engine.fast_forward=off", "--out", directory / "run"});
    wait_for([&] { return !fs::is_empty(directory.path()); });
    std::this_thread::sleep_for(milliseconds(event));
    program.kill();
    EXPECT_EQ(program.wait().signal, SIGKILL);
    EXPECT_FALSE(fs::exists(directory / "run"));
  }
}

TEST(KilledRun, NearTheEnd_LeavesAllFilesOrNone) {
  for (int event = 0; event < 40; event += 2) {
    const TemporaryDirectory directory;
    RunningProgram program({"run", shipped_config("quickstart.yaml"), "--out", directory / "run"});
    std::this_thread::sleep_for(milliseconds(event));
    program.kill();
    static_cast<void>(program.wait());
    expect_all_or_nothing(directory / "run");
  }
  // And while files are being written: as soon as the first of them can be seen.
  const TemporaryDirectory directory;
  RunningProgram program({"run", shipped_config("quickstart.yaml"), "--out", directory / "run"});
  wait_for([&] {
    return std::ranges::any_of(fs::directory_iterator(directory.path()),
                               [](const auto& entry) { return fs::exists(entry.path() / "config.yaml"); });
  });
  program.kill();
  static_cast<void>(program.wait());
  expect_all_or_nothing(directory / "run");
}

}  // namespace
}  // namespace flitscope::test::run_directory_test
