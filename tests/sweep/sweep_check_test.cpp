// The check before a sweep's first run, and its cost.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "tests/support/hand_written_runs.h"

namespace flitscope::test::sweep_check_test {
namespace {

/// Counts how often a file is opened.
class Openings {
 public:
  explicit Openings(const std::filesystem::path& file)
      : events_(inotify_init1(IN_NONBLOCK)),
        // Equal events that follow one another are merged, so closing is watched too.
        watch_(inotify_add_watch(events_, file.c_str(), IN_OPEN | IN_CLOSE_NOWRITE)) {}
  ~Openings() { close(events_); }
  Openings(const Openings&) = delete;
  Openings& operator=(const Openings&) = delete;

  [[nodiscard]] bool watches() const { return watch_ >= 0; }
  [[nodiscard]] std::size_t count() const {
    std::size_t seen = 0;
    inotify_event event{};
    while (read(events_, &event, sizeof event) == static_cast<ssize_t>(sizeof event)) {
      seen += (event.mask & IN_OPEN) != 0 ? 1 : 0;
    }
    return seen;
  }

 private:
  int events_;
  int watch_;
};

TEST(SweepCheck, ScheduleFileOfManyRuns_IsReadOnce) {
  const TemporaryDirectory directory;
  static_cast<void>(write_ring_run(directory, ring_header(1, 1) + ring_message(1, 0, 1, "[[0,1,1]]")));
  const std::string sweep = directory.write("sweep.yaml",
                                            "flitscope: 1\ntopology: {kind: torus, shape: [4]}\n"
                                            "workload: {schedule: schedule.jsonl}\n"
                                            "sweep: {node.startup: {from: 1, to: 60, step: 1}}\n");
  const Openings openings(directory / "schedule.jsonl");
  ASSERT_TRUE(openings.watches());
  const Outcome outcome = run_program({"sweep", sweep, "--out", directory / "out", "--dry-run"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("60 runs"), std::string::npos);
  const std::size_t opened = openings.count();
  EXPECT_GE(opened, 1U);
  EXPECT_LE(opened, 2U) << "once for the runs' names, once for the check";
}

TEST(SweepCheck, MachineThatCannotPlayFile_IsRefusedForEveryRun) {
  const TemporaryDirectory directory;
  static_cast<void>(write_ring_run(directory, ring_header(1, 1) + ring_message(1, 0, 1, "[[0,1,1]]")));
  const std::string sweep = directory.write("sweep.yaml",
                                            "flitscope: 1\ntopology: {kind: torus}\n"
                                            "workload: {schedule: schedule.jsonl}\n"
                                            "sweep: {topology.shape: [[4], [5], [6]]}\n");
  const Outcome outcome = run_program({"sweep", sweep, "--out", directory / "out"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("(run 2 of 3"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("(run 3 of 3"), std::string::npos) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(directory / "out"));
}

TEST(SweepCheck, ScheduleFileOnGraphOrFaultyMesh_IsPlayed) {
  const TemporaryDirectory directory;
  static_cast<void>(directory.write("net.anynet",
                                    "router 0 node 0 router 1\nrouter 1 node 1 router 2\n"
                                    "router 2 node 2 router 0\n"));
  const std::string graph = "topology: {kind: graph, file: net.anynet}\n";
  const std::string mesh =
      "topology: {kind: mesh, shape: [3, 2]}\nlinks: [{at: '[1, 0]+0', missing: true, both: true}]\n";
  for (const std::string& network : {graph, mesh}) {
    const std::string made = directory.write(
        "made.yaml", "flitscope: 1\n" + network + "workload: {algorithm: all-to-all-direct}\n");
    const Outcome schedule = run_program({"schedule", made, "--out", directory / "made.jsonl", "--force"});
    ASSERT_EQ(schedule.exit_code, 0) << schedule.err;
    const std::string sweep = directory.write(
        "sweep.yaml",
        "flitscope: 1\n" + network + "workload: {schedule: made.jsonl}\nsweep: {node.startup: [1, 5]}\n");
    const std::string out = directory / (network == graph ? "graph" : "mesh");
    const Outcome outcome = run_program({"sweep", sweep, "--out", out});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("2 completed"), std::string::npos) << outcome.err;
  }
}

TEST(SweepCheck, ScheduleFileOnSeveralNetworks_IsPlayedAsByRun) {
  const TemporaryDirectory directory;
  const std::string header =
      R"({"flitscope":"schedule","version":2,"topology":{"kind":"torus","shape":[3,3],"directions":"minus"},)"
      R"("ports":{"send":1,"receive":1},"routing":"dimension-order","algorithm":"x","steps":1,"messages":1,"chunks":[],"initial":[],"goal":[],)"
      R"("classes":["b"]})"
      "\n";
  static_cast<void>(directory.write(
      "s.jsonl",
      header + R"({"step":1,"src":[0,0],"dst":[1,2],"path":[[1,-1,1],[0,-1,2]],"control":4,"class":"b"})" +
          "\n"));
  const auto machine = [](unsigned network_of_b) {
    return fmt::format(
        "flitscope: 1\ntopology: {{kind: torus, shape: [3, 3], networks: [{{directions: minus}}, "
        "{{directions: minus, first_dimension: 1}}]}}\nclasses: [{{name: a, vcs: 2, network: {}}}, "
        "{{name: b, vcs: 2, network: {}}}]\nworkload: {{schedule: s.jsonl}}\n",
        1 - network_of_b, network_of_b);
  };
  const std::string runs = "sweep: {node.startup: [1, 5]}\n";
  const std::string run = directory.write("run.yaml", machine(1));
  for (const char* const command : {"run", "verify"})
    EXPECT_EQ(run_program({command, run}).exit_code, 0) << command;
  const Outcome swept =
      run_program({"sweep", directory.write("sweep.yaml", machine(1) + runs), "--out", directory / "out"});
  EXPECT_EQ(swept.exit_code, 0) << swept.err;
  EXPECT_NE(swept.err.find("2 completed"), std::string::npos) << swept.err;

  const Outcome other =
      run_program({"sweep", directory.write("other.yaml", machine(0) + runs), "--out", directory / "other"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(
      other.err.find(
          "s.jsonl:2: \"path[1]\" travels dimension 0 after dimension 1; each dimension is "
          "travelled at most once, in cyclic order from dimension 0, the first of network 0 (run 1 of 2"),
      std::string::npos)
      << other.err;
}

TEST(SweepCheck, RecordingOfAChip_IsPlayedByEveryRun) {
  const TemporaryDirectory directory;
  static_cast<void>(directory.write(
      "calls.json",
      R"([{"proc":"BRISC","noc":"NOC_0","vc":-1,"sx":1,"sy":1,"dx":2,"dy":0,"num_bytes":64,"type":"READ",)"
      R"("timestamp":5}])"));
  const std::string sweep =
      directory.write("sweep.yaml",
                      "flitscope: 1\ntopology: {kind: torus, shape: [4, 4]}\n"
                      "classes: [{name: request, vcs: 2}, {name: reply, vcs: 2}]\n"
                      "workload: {schedule: calls.json}\nsweep: {node.startup: [0, 5]}\n");
  const Outcome outcome = run_program({"sweep", sweep, "--out", directory / "out"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("2 completed"), std::string::npos) << outcome.err;
}

TEST(SweepCheck, ScheduleFileOfAnotherGraph_IsRefused) {
  const TemporaryDirectory directory;
  const std::string ring = "{kind: twisted-torus, shape: [4, 2], twist: 0}";
  const std::string made = directory.write(
      "made.yaml", "flitscope: 1\ntopology: " + ring + "\nworkload: {algorithm: tree-broadcast}\n");
  ASSERT_EQ(run_program({"schedule", made, "--out", directory / "made.jsonl"}).exit_code, 0);
  const std::string sweep = directory.write(
      "sweep.yaml", "flitscope: 1\ntopology: " + ring +
                        "\nworkload: {schedule: made.jsonl}\nsweep: {topology.twist: [0, 1, 2]}\n");
  const Outcome outcome = run_program({"sweep", sweep, "--out", directory / "out"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err.find("(run 1 of 3"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("(run 2 of 3"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("(run 3 of 3"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace flitscope::test::sweep_check_test
