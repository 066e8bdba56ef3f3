// Output that cannot be written is exit code 6, and what was there before stays as it was.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>

#include "tests/support/program.h"

namespace flitscope::test::unwritable_output_test {
namespace {

const std::string kQuickstart = shipped_config("quickstart.yaml");

void expect_not_written(const Outcome& outcome) {
  EXPECT_EQ(outcome.exit_code, 6);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.complaints().size(), 1U) << outcome.err;
}

TEST(UnwritableOutput, DirectoryWithFiles_IsNotTouched) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "runs");
  static_cast<void>(directory.write("runs/notes.txt", "mine"));
  expect_not_written(run_program({"run", kQuickstart, "--out", directory / "runs"}));
  EXPECT_EQ(directory.entries(), (std::vector<std::string>{"runs", "runs/notes.txt"}));
}

TEST(UnwritableOutput, EmptyDirectory_IsFilled) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "run");
  EXPECT_EQ(run_program({"run", kQuickstart, "--out", (directory / "run").string() + "/"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(directory / "run" / "result.json"));
}

TEST(UnwritableOutput, FileInTheWay_IsRefused) {
  const TemporaryDirectory directory;
  static_cast<void>(directory.write("file", "mine"));
  for (const char* place : {"file", "file/run", "file/deeper/run"}) {
    expect_not_written(run_program({"run", kQuickstart, "--out", directory / place}));
  }
  EXPECT_EQ(directory.entries(), std::vector<std::string>{"file"});
  EXPECT_EQ(text_of(directory / "file"), "mine");
}

TEST(UnwritableOutput, SymbolicLink_IsRefusedBeforeTheRun) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory_symlink("nowhere", directory / "link");
  // Were it looked at after the run, the virtual channels would be complained of.
  expect_not_written(
      run_program({"run", kQuickstart, "--set", "router.virtual_channels=3", "--out", directory / "link"}));
  EXPECT_EQ(directory.entries(), std::vector<std::string>{"link"});
}

TEST(UnwritableOutput, ScheduleOverDirectoryOrUnderFile_IsRefused) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "there");
  static_cast<void>(directory.write("file", "mine"));
  for (const char* place : {"there", "file/schedule.jsonl", "missing/schedule.jsonl"}) {
    expect_not_written(run_program({"schedule", kQuickstart, "--out", directory / place}));
  }
  EXPECT_EQ(directory.entries(), (std::vector<std::string>{"file", "there"}));
}

TEST(UnwritableOutput, Schedule_ReplacesFileOnlyWithForce) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("schedule.jsonl", "mine");
  const Outcome refused = run_program({"schedule", kQuickstart, "--out", file});
  expect_not_written(refused);
  EXPECT_EQ(refused.err, file + ": exists already; --force replaces it\n");
  EXPECT_EQ(text_of(file), "mine");
  EXPECT_EQ(run_program({"schedule", kQuickstart, "--out", file, "--force"}).exit_code, 0);
  EXPECT_EQ(text_of(file), run_program({"schedule", kQuickstart}).out);
}

TEST(UnwritableOutput, ScheduleToLinkedDevice_IsWritten) {
  const TemporaryDirectory directory;
  std::filesystem::create_symlink("/dev/null", directory / "null");
  EXPECT_EQ(run_program({"schedule", kQuickstart, "--out", directory / "null"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(directory / "null"));
  std::filesystem::create_symlink("/dev/full", directory / "full");
  expect_not_written(run_program({"schedule", kQuickstart, "--out", directory / "full"}));
}

TEST(UnwritableOutput, FullStandardOutput_IsAnError) {
  const std::vector<Arguments> all{{"run", kQuickstart},
                                   {"run", kQuickstart, "--json"},
                                   {"verify", kQuickstart},
                                   {"verify", kQuickstart, "--json"},
                                   {"schedule", kQuickstart},
                                   {"list"},
                                   {"list", "--json"},
                                   {"--help"},
                                   {"--version"},
                                   {"run", "--help"}};
  for (const Arguments& arguments : all) {
    SCOPED_TRACE(testing::PrintToString(arguments));
    expect_not_written(run_program(arguments, "/dev/full"));
  }
  EXPECT_EQ(run_program({"run", kQuickstart, "--quiet"}, "/dev/full").exit_code, 0);
}

TEST(UnwritableOutput, FullStandardOutput_KeepsRunDirectory) {
  const TemporaryDirectory directory;
  expect_not_written(run_program({"run", kQuickstart, "--out", directory / "run"}, "/dev/full"));
  EXPECT_TRUE(std::filesystem::exists(directory / "run" / "result.json"));
}

/// A pipe to a run's process must not become standard output.
TEST(UnwritableOutput, ClosedStandardStreams_AreAnErrorOfOutput) {
  const TemporaryDirectory directory;
  const std::string config =
      directory.write("c.yaml",
                      "flitscope: 1\ntopology: {kind: mesh, shape: [2, 2]}\n"
                      "workload: {traffic: uniform, load: 0.1, message: 8, warmup: 100, measure: 500}\n");
  for (const std::string command : {"load --rates 0.1", "what-if", "run"}) {
    const std::string line =
        fmt::format("{} {} {} <&- >&- 2>&-", FLITSCOPE_PROGRAM, command.substr(0, command.find(' ')),
                    config) +
        (command.find(' ') == std::string::npos ? "" : command.substr(command.find(' ')));
    EXPECT_EQ(WEXITSTATUS(std::system(line.c_str())), 6) << line;
  }
}

/// With few file descriptors a command says what it cannot open, and leaves nothing behind.
TEST(UnwritableOutput, FewFileDescriptors_AreAnErrorOfTheEnvironment) {
  const TemporaryDirectory directory;
  const std::string traffic =
      directory.write("c.yaml",
                      "flitscope: 1\ntopology: {kind: mesh, shape: [2, 2]}\n"
                      "workload: {traffic: uniform, load: 0.1, message: 8, warmup: 100, measure: 500}\n");
  const std::string swept = directory.write("s.yaml", text_of(traffic) + "sweep: {workload.load: [0.1]}\n");
  const std::string sweep = directory / "sweep";
  const std::string schedule = directory / "q.jsonl";
  const std::string goal = directory / "q.goal";
  ASSERT_EQ(run_program({"sweep", swept, "--out", sweep}).exit_code, 0);
  ASSERT_EQ(run_program({"run", kQuickstart, "--out", directory / "run"}).exit_code, 0);
  ASSERT_EQ(run_program({"schedule", kQuickstart, "--out", schedule}).exit_code, 0);
  ASSERT_EQ(run_program({"export", schedule, "--format", "goal", "--out", goal}).exit_code, 0);
  const std::string out = directory / "out";
  const std::vector<std::string> reading{"run " + kQuickstart,
                                         "load --rates 0.1 " + traffic,
                                         "what-if " + traffic,
                                         "verify " + kQuickstart,
                                         "results " + sweep,
                                         "list",
                                         "compare reduce --only all-reduce-tree --on " + traffic,
                                         "import " + goal + " --format goal --on " + kQuickstart};
  const std::vector<std::string> writing{
      "run " + kQuickstart + " --out " + out,
      "load --rates 0.1 " + traffic + " --out " + out,
      "load --rates 0.1 " + traffic + " --plot " + out + ".svg",
      "verify " + kQuickstart + " --routes " + out,
      "sweep " + swept + " --out " + out,
      "sweep " + swept + " --resume --out " + sweep,
      "schedule " + kQuickstart + " --out " + out,
      "import " + goal + " --format goal --on " + kQuickstart + " --out " + out,
      "export " + schedule + " --format chakra --out " + out,
      "report " + sweep + " --out " + out,
      "report " + (directory / "run").string() + " --out " + out};
  const auto code_of = [&](int files, const std::string& command) {
    std::filesystem::create_directory(directory / "tmp");
    // Without descriptors that the runner of the tests left open.
    const std::string line = fmt::format(
        "export TMPDIR={}; exec >/dev/null 2>&1 3>&- 4>&- 5>&- 6>&- 7>&-; ulimit -n {}; exec {} {}",
        (directory / "tmp").string(), files, FLITSCOPE_PROGRAM, command);
    const int code = WEXITSTATUS(std::system(line.c_str()));
    EXPECT_TRUE(std::filesystem::is_empty(directory / "tmp")) << files << ": " << command;
    std::vector<std::filesystem::path> written;
    for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
      if (entry.path().filename().string().starts_with("out")) written.push_back(entry.path());
    }
    if (code != 0 && !command.starts_with("sweep")) {
      EXPECT_TRUE(written.empty()) << files << ": " << command << " leaves " << written.front();
    }
    for (const auto& path : written) std::filesystem::remove_all(path);
    return code;
  };
  for (int files = 4; files <= 8; ++files) {
    for (const std::string& command : reading) {
      const int code = code_of(files, command);
      EXPECT_TRUE(code == 0 || code == 2) << code << " with " << files << ": " << command;
    }
    for (const std::string& command : writing) {
      const int code = code_of(files, command);
      EXPECT_TRUE(code == 0 || code == 2 || code == 6) << code << " with " << files << ": " << command;
    }
  }
}

}  // namespace
}  // namespace flitscope::test::unwritable_output_test
