// A sweep with a mistake is refused whole, before anything runs or is written, with file, line and column.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/config_texts.h"
#include "tests/support/sweeps.h"

namespace flitscope::test::sweep_refusal_test {
namespace {

/// The complaints about a sweep of which nothing may be left.
std::vector<std::string> complaints(const std::string& text, const Arguments& options = {}) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("sweep.yaml", text);
  Arguments arguments{"sweep", file, "--out", directory / "out"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const Outcome outcome = run_program(arguments);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(directory.entries(), std::vector<std::string>{"sweep.yaml"});
  auto lines = outcome.complaints();
  for (std::string& line : lines) {
    if (line.starts_with(file)) line.replace(0, file.size(), "F");
  }
  return lines;
}

TEST(BadSweep, Mistake_IsRefusedWithPlaceAndRemedy) {
  struct Case {
    std::string sweep;
    std::vector<Expected> expected;
  };
  const std::vector<Case> cases{
      {"  workload.mesage: [64]\n", {{"F:6:3", {"workload.mesage", "did you mean 'message'"}}}},
      {"  wokload.message: [64]\n", {{"F:6:3", {"did you mean 'workload'"}}}},
      {"  repat: 2\n", {{"F:6:3", {"sweep.repat", "did you mean 'repeat'"}}}},
      {"  router.buffer.deep: [1]\n", {{"F:6:3", {"too deep"}}}},
      {"  workload.message: [64, 4KB, 8]\n", {{"F:6:26", {"4KB", "kB"}}}},
      {"  workload.message: [64, -1]\n  router.buffer: [0]\n",
       {{"F:6:26", {"'-1'"}}, {"F:7:19", {"router.buffer", "'0'"}}}},
      {"  workload.message: 64\n", {{"F:6:21", {"list", "range", "'64'"}}}},
      {"  workload.message: []\n", {{"F:6:21", {"list"}}}},
      {"  router.buffer: {from: 4, to: 16}\n", {{"F:6:18", {"step or times"}}}},
      {"  router.buffer: {from: 4, to: 16, step: 0}\n", {{"F:6:42", {"above 0"}}}},
      {"  router.buffer: {from: 4, to: 16, times: 1}\n", {{"F:6:43", {"above 1"}}}},
      {"  router.buffer: {from: 4, to: 3, step: 1}\n", {{"F:6:32", {"below 'from'"}}}},
      {"  router.buffer: {from: 4, to: 9, setp: 1}\n",
       {{"F:6:18", {"step or times"}}, {"F:6:35", {"did you mean 'step'"}}}},
      {"  router.buffer: {from: 4, to: 1us, step: 1}\n", {{"F:6:18", {"mix"}}}},
      {"  router.buffer: {from: 0.5, to: 1, step: 1}\n", {{"F:6:18", {"whole number", "'0.5'"}}}},
      {"  node.startup: {from: 20, to: 100, step: 33.5}\n",
       {{"F:6:17", {"'53.5'", "cycles without a unit are whole"}}}},
      {"  workload.message: {from: 8, to: 12, step: 2.5}\n",
       {{"F:6:21", {"'10.5'", "bytes without a unit are whole"}}}},
      {"  topology: [null]\n", {{"F:6:14", {"section 'topology' is missing"}}}},
      {"  zip: {node.ports: [all, 1], node.startup: [1, 2, 3]}\n", {{"F:6:45", {"3 values", "has 2"}}}},
      {"  zip: {node.ports: [all, 1], node.startup: [1]}\n", {{"F:6:45", {"has 1 value, and"}}}},
      {"  zip: 3\n", {{"F:6:8", {"map of lists"}}}},
      {"  router.buffer: [1]\n  zip: {router.buffer: [2]}\n", {{"F:7:8", {"swept twice", ":6:18"}}}},
      {"  replicas: [a]\n", {{"F:6:13", {"map of names"}}}},
      {"  replicas: {a: 7}\n", {{"F:6:17", {"map of values"}}}},
      {"  replicas: {a: {workload.tint: 1}}\n", {{"F:6:18", {"unknown key 'workload.tint'"}}}},
      {"  replicas: {a: {}, b: {}}\n", {{"F:5:1", {"runs 1 (replica = a) and 2 (replica = b)", "same"}}}},
      {"  router.buffer: [4, 4]\n", {{"F:5:1", {"runs 1", "same", "repeat"}}}},
      {"  exclude: {node.ports: 1}\n", {{"F:6:12", {"list of maps"}}}},
      {"  exclude: [{node.pots: 1}]\n", {{"F:6:14", {"did you mean 'ports'"}}}},
      {"  exclude: [{nod.ports: 1}]\n", {{"F:6:14", {"did you mean 'node'"}}}},
      {"  exclude: [{node.ports: {abov: 1}}]\n", {{"F:6:27", {"did you mean 'above'"}}}},
      {"  exclude: [{workload.message: {above: big}}]\n", {{"F:6:40", {"'big'"}}}},
      {"  exclude: [{workload.algorithm: {above: 3}}]\n", {{"F:6:35", {"no number"}}}},
      {"  exclude: [{node: {ports: 1}}]\n", {{"F:6:20", {"'node' is a section", "{node.KEY: VALUE}"}}}},
      {"  exclude: [{nod: {not: {ports: 1}}}]\n", {{"F:6:14", {"unknown key 'nod'", "did you mean 'node'"}}}},
      {"  exclude: [{node: 1}]\n", {{"F:6:20", {"'node' is a section", "{node.KEY: VALUE}"}}}},
      {"  exclude: [{node: {one_of: [{prots: 1}]}}]\n", {{"F:6:31", {"did you mean 'ports'"}}}},
      {"  exclude: [{topology.q: 1, topology.qq: 1}]\n", {{"F:6:29", {"unknown key 'topology.qq'"}}}},
      {"  exclude: [{workload.algorithm: two-port-torus}]\n", {{"F:5:1", {"leaves no run"}}}},
      {"  repeat: 0\n", {{"F:6:11", {"1 to 10000", "'0'"}}}},
      {"  run: {time: fast}\n", {{"F:6:15", {"sweep.run.time", "'fast'"}}}},
      {"  run.time: fast\n", {{"F:6:13", {"sweep.run.time", "'fast'"}}}},
      {"  run.tim: 9s\n", {{"F:6:3", {"unknown key 'sweep.run.tim'; did you mean 'time'?"}}}},
      {"  run: {time: 9s}\n  run.time: 8s\n",
       {{"F:7:13", {"'run.time' is given twice, first at ", ":6:15"}}}},
      {"  run: {memory: 1kB}\n", {{"F:6:17", {"sweep.run.memory"}}}},
      {"  slurm: {partion: x}\n", {{"F:6:11", {"did you mean 'partition'"}}}},
      {"  router.buffer: {from: 1, to: 5000, step: 1}\n  link.delay: {from: 1, to: 5000, step: 1}\n",
       {{"F:5:1", {"more than 1000000 runs"}}}},
      {"  workload.message: &a [64]\n", {{"F:6:21", {"anchors"}}}},
      {"  workload.message: [64\n", {{"F:6:21", {"never closed"}}}},
  };
  for (const Case& each : cases) {
    expect_refusal(complaints(sweep_text(each.sweep)), each.expected, each.sweep);
  }
}

TEST(BadSweep, MissingScheduleFile_IsNamedWithPlace) {
  const auto lines = complaints(
      "flitscope: 1\ntopology: {kind: torus, shape: [4]}\nworkload: {advance: barrier}\n"
      "sweep:\n  workload.schedule: [none.jsonl]\n");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines[0].starts_with("F:5:23: ")) << lines[0];
  EXPECT_NE(lines[0].find("none.jsonl cannot be opened"), std::string::npos) << lines[0];
}

TEST(BadSweep, ConfigurationWithoutSweep_IsRefused) {
  expect_refusal(
      complaints(
          "flitscope: 1\ntopology: {kind: torus, shape: [4]}\nworkload: {algorithm: binomial-torus}\n"),
      {{"F:1:1", {"'sweep' is missing"}}}, "no section");
  expect_refusal(complaints(sweep_text("  - a\n")), {{"F:6:3", {"must be a map"}}}, "a list");
}

TEST(BadSweep, MistakeOfExperiment_IsReportedOnce) {
  const std::string text =
      "rooter: {}\n" + sweep_text("  router.buffer: [1, 2, 3]\n  router.delay: [1, 0]\n");
  expect_refusal(complaints(text), {{"F:1:1", {"'rooter'"}}, {"F:8:21", {"router.delay", "'0'"}}}, text);
}

TEST(BadSweep, InadmissibleRun_RefusesSweep) {
  const auto lines =
      complaints(sweep_text("  workload.algorithm: [two-port-torus, tsay-wang-direct]\n"
                            "  topology.shape: [[5, 5], [5, 6]]\n"
                            "  workload.message: [8, 16, 24]\n"));
  expect_refusal(
      lines,
      {{"F:7:28",
        {"tsay-wang-direct needs equal sides", "run 10 of 12", "topology.shape = [5,6]", "and 2 more"}},
       {"flitscope sweep", {"nothing was run", "'exclude'"}}},
      "inadmissible shape");
}

TEST(BadSweep, MachineThatCannotCarrySchedule_RefusesSweep) {
  const auto lines = complaints(
      sweep_text("  zip: {router.switching: [wormhole, store-and-forward], router.buffer: [8, 4]}\n"));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_TRUE(lines[0].starts_with("F:6:77: store-and-forward needs room for whole messages")) << lines[0];
  const auto too_few = complaints(sweep_text("  router.virtual_channels: [2, 1]\n"));
  ASSERT_EQ(too_few.size(), 2U);
  EXPECT_TRUE(too_few[0].starts_with("F:6:32: dimension-order on a torus needs at least 2")) << too_few[0];
}

TEST(BadSweep, MistakeInOptionOrOverride_IsRefused) {
  const std::string text = sweep_text("  router.buffer: [1, 2]\n");
  expect_refusal(complaints(text, {"--set", "router.dely=1"}),
                 {{"--set router.dely=1", {"did you mean 'delay'"}}}, "");
  expect_refusal(complaints(text, {"--set", "router.buffer=3"}),
                 {{"--set router.buffer=3", {"the sweep varies router.buffer"}}}, "");
  expect_refusal(complaints(text, {"--run-time", "soon"}), {{"--run-time soon", {"90s"}}}, "");
  expect_refusal(complaints(text, {"--launcher", "slrum"}),
                 {{"flitscope sweep", {"local, slurm or commands", "'slrum'", "did you mean 'slurm'"}}}, "");
  for (const char* const launcher : {"local", "commands"}) {
    expect_refusal(complaints(text, {"--launcher", launcher, "--slurm-partition", "long"}),
                   {{"flitscope sweep", {"--slurm-partition goes with --launcher slurm"}}}, launcher);
  }
  for (const Arguments& options :
       {Arguments{"-j", "0"}, Arguments{"-j", "two"}, Arguments{"--detach"}, Arguments{"--resum"}}) {
    EXPECT_EQ(complaints(text, options).size(), 1U) << testing::PrintToString(options);
  }
}

TEST(BadSweep, DirectoryWithBackslashForSlurm_IsRefused) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("sweep.yaml", sweep_text("  router.buffer: [1, 2]\n"));
  const Outcome outcome =
      run_program({"sweep", file, "--out", directory / "a\\b" / "out", "--launcher", "slurm"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("a\\b/out: Slurm has no logs for each task"), std::string::npos) << outcome.err;
  EXPECT_EQ(directory.entries(), std::vector<std::string>{"sweep.yaml"});
}

TEST(BadSweep, SweepFileInOtherCommand_NamesSweepCommand) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("sweep.yaml", sweep_text("  router.buffer: [1, 2]\n"));
  for (const char* const command : {"run", "verify", "schedule"}) {
    const Outcome outcome = run_program({command, file});
    EXPECT_EQ(outcome.exit_code, 2);
    ASSERT_EQ(outcome.complaints().size(), 1U) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with(file + ":5:1: ")) << outcome.err;
    EXPECT_NE(outcome.err.find("flitscope sweep"), std::string::npos) << outcome.err;
    EXPECT_EQ(run_program({command, file, "--set", "sweep=null"}).exit_code, 0);
  }
}

TEST(BadSweep, SweepThatIsNull_IsRefusedByEveryCommand) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("null.yaml",
                                           "flitscope: 1\ntopology: {kind: mesh, shape: [3]}\nworkload: "
                                           "{traffic: uniform, load: 0.1}\nsweep: null\n");
  for (const char* const command : {"run", "verify", "cost"}) {
    const Outcome outcome = run_program({command, file});
    EXPECT_EQ(outcome.exit_code, 2) << command;
    EXPECT_TRUE(outcome.err.starts_with(file + ":4:1: 'sweep' describes many runs")) << outcome.err;
  }
  for (const Arguments& arguments : {Arguments{"load", file}, {"sweep", file, "--out", directory / "out"}}) {
    const Outcome outcome = run_program(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << arguments.front();
    EXPECT_TRUE(outcome.err.starts_with(file + ":4:1: 'sweep' must be a map, such as {")) << outcome.err;
  }
}

/// Outside of the sweep the workload is incomplete.
TEST(BadSweep, SweepOverSchedulesInOtherCommand_IsRefusedForTheSweepAlone) {
  const std::string file = shipped_config("sweeps/sources.yaml");
  for (const char* const command : {"run", "verify", "cost", "what-if"}) {
    const Outcome outcome = run_program({command, file});
    EXPECT_EQ(outcome.exit_code, 2);
    ASSERT_EQ(outcome.complaints().size(), 1U) << outcome.err;
    EXPECT_NE(outcome.err.find("--set sweep=null --set KEY=VALUE"), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(
      run_program({"cost", file, "--set", "sweep=null", "--set", "workload.schedule=sources/from-1.jsonl"})
          .exit_code,
      0);
}

}  // namespace
}  // namespace flitscope::test::sweep_refusal_test
