// Ctrl-C, SIGTERM and SIGHUP: no partial output is left behind, standard error reports it, and the program
// ends by the signal, which a shell shows as 130 or 143.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "tests/support/program.h"

namespace flitscope::test::interrupt_test {
namespace {

namespace fs = std::filesystem;

template <typename Condition>
void wait_for(const Condition& condition) {
  const auto start = std::chrono::steady_clock::now();
  while (!condition()) {
    ASSERT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

class Interrupt : public testing::TestWithParam<int> {};

TEST_P(Interrupt, Run_RemovesPartialOutput) {
  const TemporaryDirectory directory;
  fs::create_directory(directory / "runs");
  // Would take minutes.
  RunningProgram program({"run", shipped_config("quickstart.yaml"), "--set", "workload.message=64MiB",
                          "--set", "engine.fast_forward=off", "--set", "observe.messages=true", "--out",
                          directory / "runs/of/today"});
  wait_for([&] { return !fs::is_empty(directory / "runs"); });
  program.kill(GetParam());
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.signal, GetParam());
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "flitscope run: interrupted; " + (directory / "runs/of/today").string() +
                             " was not finished and is removed\n");
  EXPECT_EQ(directory.entries(), std::vector<std::string>{"runs"});
}

TEST_P(Interrupt, Schedule_RemovesPartialOutput) {
  const TemporaryDirectory directory;
  // Some millions of messages.
  const std::string config = directory.write("large.yaml",
                                             "flitscope: 1\ntopology: {kind: torus, shape: [128, 128, "
                                             "128]}\nworkload: {algorithm: tsay-wang-direct, "
                                             "message: 8}\nrouter: {virtual_channels: auto}\n");
  RunningProgram program({"schedule", config, "--out", directory / "schedule.jsonl"});
  wait_for([&] { return directory.entries().size() > 1; });
  program.kill(GetParam());
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.signal, GetParam()) << outcome.err;
  EXPECT_EQ(outcome.err, "flitscope schedule: interrupted; " + (directory / "schedule.jsonl").string() +
                             " was not finished and is removed\n");
  EXPECT_EQ(directory.entries(), std::vector<std::string>{"large.yaml"});
}

TEST_P(Interrupt, Verify_RemovesPartialOutput) {
  const TemporaryDirectory directory;
  // Some hundred thousand routes.
  const std::string config = directory.write(
      "c.yaml", "flitscope: 1\ntopology: {kind: mesh, shape: [20, 20]}\nworkload: {traffic: uniform}\n");
  RunningProgram program({"verify", config, "--routes", directory / "routes.jsonl"});
  wait_for([&] { return directory.entries().size() > 1; });
  program.kill(GetParam());
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.signal, GetParam()) << outcome.err;
  EXPECT_EQ(outcome.err, "flitscope verify: interrupted; " + (directory / "routes.jsonl").string() +
                             " was not finished and is removed\n");
  EXPECT_EQ(directory.entries(), std::vector<std::string>{"c.yaml"});
}

/// Both take a fraction of a second: signals after more and more of it.
TEST_P(Interrupt, ReportAndResults_AnyTime_LeaveNoPartialOutput) {
  const TemporaryDirectory directory;
  const std::string sweep = directory / "sweep";
  const std::string config = directory.write(
      "s.yaml",
      "flitscope: 1\ntopology: {kind: mesh, shape: [2, 2]}\nworkload: {algorithm: tree-broadcast, message: "
      "64}\nsweep: {workload.message: [64, 128], router.buffer: [4, 8]}\n");
  ASSERT_EQ(run_program({"sweep", config, "--quiet", "--out", sweep}).exit_code, 0);
  const std::vector<std::string> before = directory.entries();
  const std::string pivot = "workload.message,router.buffer,cycles";
  for (const Arguments& arguments :
       {Arguments{"report", sweep, "--out", directory / "r.html"},
        Arguments{"results", sweep, "--pivot", pivot, "--plot", directory / "p.svg"},
        Arguments{"results", sweep, "--pivot", pivot, "--plot", directory / "p.png"}}) {
    for (unsigned milliseconds = 0; milliseconds < 60; milliseconds += 4) {
      RunningProgram program(arguments);
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
      program.kill(GetParam());
      const Outcome outcome = program.wait();
      std::vector<std::string> after = directory.entries();
      std::erase_if(after,
                    [](const std::string& name) { return name == "r.html" || name.starts_with("p."); });
      EXPECT_EQ(after, before) << arguments.front() << " after " << milliseconds << " ms: " << outcome.err;
      for (const char* const name : {"r.html", "p.svg", "p.png"}) fs::remove(directory / name);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Signals, Interrupt, testing::Values(SIGINT, SIGTERM, SIGHUP), [](const auto& of) {
  return of.param == SIGINT ? "Interrupt" : of.param == SIGTERM ? "Terminate" : "HangUp";
});

}  // namespace
}  // namespace flitscope::test::interrupt_test
