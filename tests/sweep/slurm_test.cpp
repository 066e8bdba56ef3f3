// Sweeps on a real Slurm: a cluster of one node that tests/slurm_cluster.sh starts on this machine. Skipped
// where that cannot be had.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "tests/support/sweeps.h"

namespace flitscope::test::slurm_test {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

/// Runs a shell command; its exit code.
int shell(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// A cluster of the test's own.
class SlurmTest : public testing::Test {
 protected:
  void SetUp() override {
    const int code = shell(script("start") + " >'" + file("start.out") + "' 2>&1");
    const std::string said = text_of(file("start.out"));
    if (code == 77) GTEST_SKIP() << said;
    ASSERT_EQ(code, 0) << said;
    setenv("SLURM_CONF", file("cluster/slurm.conf").c_str(), 1);
  }
  void TearDown() override { shell(script("stop")); }

  [[nodiscard]] std::string script(const std::string& action) const {
    return FLITSCOPE_SOURCE_DIR "/tests/slurm_cluster.sh " + action + " '" + file("cluster") + "'";
  }
  [[nodiscard]] Outcome sweep(const std::string& text, const Arguments& options) const {
    Arguments arguments{"sweep", directory_.write("sweep.yaml", text), "--out", out(), "--launcher", "slurm"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return run_program(arguments);
  }
  [[nodiscard]] std::string file(const std::string& name) const { return directory_ / name; }
  [[nodiscard]] std::string out() const { return file("the shared directory, 100%a"); }
  /// The table of the same sweep on this machine's cores.
  [[nodiscard]] Json local(const std::string& text) const {
    const TemporaryDirectory place;
    const std::string here = place / "local";
    EXPECT_EQ(run_program({"sweep", directory_.write("local.yaml", text), "--out", here, "--quiet"}).signal,
              0);
    return measured_rows_of(here);
  }

  static void pause() { std::this_thread::sleep_for(std::chrono::milliseconds(100)); }

  TemporaryDirectory directory_;
};

// The address sanitizer reserves more than any limit allows.
#ifdef __SANITIZE_ADDRESS__
const std::string kLimits = "{time: 60s}";
#else
const std::string kLimits = "{time: 60s, memory: 1GiB}";
#endif

const std::string kTwelveRuns = sweep_text(
    "  workload.message: [8, 64, 512]\n"
    "  node.ports: [all, 1]\n"
    "  repeat: 2\n"
    "  slurm: {partition: test, at_once: 2, runs_per_task: 5}\n"
    "  run: " +
    kLimits + "\n");

TEST_F(SlurmTest, SweepOnCluster_SurvivesKilledTasks) {
  const Json wanted = local(kTwelveRuns);

  // A partition that is not there: refused with Slurm's words, nothing is lost.
  const Outcome refused = sweep(kTwelveRuns, {"--slurm-partition", "nowhere"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("partition"), std::string::npos) << refused.err;

  // Hand over and leave; come back while it is under way, or has ended.
  const Outcome detached = sweep(kTwelveRuns, {"--detach", "--resume"});
  EXPECT_EQ(detached.exit_code, 0) << detached.err;
  EXPECT_NE(detached.err.find("12 runs in 3 tasks"), std::string::npos) << detached.err;
  const Outcome again = sweep(kTwelveRuns, {"--resume"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(measured_rows_of(out()), wanted);
  EXPECT_FALSE(fs::exists(out() + "/jobs"));

  // More runs: only those that are missing are handed over.
  const std::string more = sweep_text(
      "  workload.message: [8, 64, 512]\n"
      "  node.ports: [all, 1, 2]\n"
      "  repeat: 2\n"
      "  slurm: {runs_per_task: 3}\n");
  const Outcome resumed = sweep(more, {"--resume"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_NE(resumed.err.find("6 runs in 2 tasks"), std::string::npos) << resumed.err;
  EXPECT_EQ(measured_rows_of(out()), local(more));
}

TEST_F(SlurmTest, UnfinishedTask_IsSubmittedAgain) {
  // A job that is cancelled under way: what it did not do is missing, and handed over again.
  const std::string text =
      sweep_text("  workload.message: [8, 64, 512, 4096]\n  slurm: {at_once: 1, runs_per_task: 1}\n");
  const std::string endless = sweep_text(
      "  replicas: {endless: {workload.message: 64MiB, engine.fast_forward: 'off'}}\n  slurm: "
      "{runs_per_task: 5}\n");
  ASSERT_EQ(sweep(text, {"--detach"}).exit_code, 0);
  ASSERT_EQ(shell("scancel --user=\"$(id -un)\""), 0);
  const Outcome resumed = sweep(text, {"--resume"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(measured_rows_of(out()), local(text));

  // A run that its task does not survive: tried again, alone, and then a row.
  RunningProgram program(
      {"sweep", directory_.write("endless.yaml", endless), "--out", file("endless"), "--launcher", "slurm"});
  for (const char* const number : {"1", "2"}) {
    // Each job is a directory; its task is cancelled when it runs.
    while (!fs::exists(file("endless/jobs/") + number + "/task-0.log")) pause();
    while (shell("squeue -h -t RUNNING | grep -q .") == 0) {
      ASSERT_EQ(shell("scancel --user=\"$(id -un)\""), 0);
      pause();
    }
  }
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_NE(outcome.err.find(": 1 run in 1 task\n"), std::string::npos) << outcome.err;
  EXPECT_EQ(rows_of(file("endless")).at(0).at("status"), "killed");
}

}  // namespace
}  // namespace flitscope::test::slurm_test
