// A disk that is full after any number of bytes: an error, no partial file gets a name, and a sweep
// goes on later. `ulimit -f` stands for the disk.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>

#include "tests/support/sweeps.h"

namespace flitscope::test::full_disk_test {
namespace {

namespace fs = std::filesystem;

/// Runs the program where no file grows beyond `blocks` of 512 bytes; returns its exit code.
int run_with(unsigned blocks, const std::string& arguments) {
  const std::string command = "ulimit -f " + std::to_string(blocks) + "; exec " FLITSCOPE_PROGRAM " " +
                              arguments + " >/dev/null 2>&1";
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

TEST(FullDisk, RunDirectory_IsCompleteOrAbsent) {
  const TemporaryDirectory directory;
  const std::string run =
      "run " + shipped_config("hot-spot.yaml") +
      " --set observe.trace=binary --set observe.timeline=true --set observe.messages=true --out ";
  unsigned refused = 0;
  unsigned blocks = 0;
  // Every file of the run is the one that does not fit, sooner or later.
  for (int code = 6; code == 6; blocks = blocks * 3 / 2 + 1) {
    const std::string out = directory / ("run" + std::to_string(blocks));
    code = run_with(blocks, run + out);
    if (code == 6) {
      ++refused;
      EXPECT_FALSE(fs::exists(out)) << blocks;
    } else {
      EXPECT_EQ(code, 0) << blocks;
      EXPECT_TRUE(fs::exists(fs::path(out) / "result.json"));
    }
  }
  EXPECT_GT(refused, 5U);
  EXPECT_EQ(std::distance(fs::directory_iterator(directory.path()), {}), 1) << "something was left behind";
}

TEST(FullDisk, Sweep_ContinuesWhenThereIsSpaceAgain) {
  const TemporaryDirectory directory;
  const std::string file =
      directory.write("sweep.yaml", sweep_text("  workload.message: {from: 8, to: 4KiB, times: 2}\n"));
  const std::string undisturbed = directory / "undisturbed";
  ASSERT_EQ(run_program({"sweep", file, "--out", undisturbed}).exit_code, 0);
  const auto expected = measured_rows_of(undisturbed);
  for (const unsigned blocks : {0U, 1U, 8U, 30U, 60U, 80U, 100U}) {
    const std::string out = directory / ("full" + std::to_string(blocks));
    const int code = run_with(blocks, "sweep " + file + " --out " + out);
    EXPECT_TRUE(code == 0 || code == 6) << code << " with " << blocks;
    Arguments again{"sweep", file, "--out", out};
    if (fs::exists(out)) again.emplace_back("--resume");
    EXPECT_EQ(run_program(again).exit_code, 0) << blocks;
    EXPECT_EQ(measured_rows_of(out), expected) << blocks;
  }
}

TEST(FullDisk, ScheduleThatDoesNotFit_IsNamed) {
  const TemporaryDirectory directory;
  const std::string out = directory / "s.jsonl";
  const std::string errors = directory / "errors";
  const std::string command = "ulimit -f 4; exec " FLITSCOPE_PROGRAM " schedule " +
                              shipped_config("quickstart.yaml") + " --out " + out + " 2>" + errors;
  EXPECT_NE(std::system(command.c_str()), 0);
  EXPECT_EQ(text_of(errors).find(out + ": the schedule could not be written beyond step "), 0U)
      << text_of(errors);
}

TEST(FullDisk, ExportOfSeveralFiles_IsCompleteOrAbsent) {
  const TemporaryDirectory directory;
  const std::string schedule = directory / "s.jsonl";
  ASSERT_EQ(run_program({"schedule", shipped_config("quickstart.yaml"), "--out", schedule}).exit_code, 0);
  unsigned refused = 0;
  for (const unsigned blocks : {0U, 1U, 2U, 40U}) {
    const fs::path out = directory / ("out" + std::to_string(blocks));
    fs::create_directory(out);
    const int code =
        run_with(blocks, "export " + schedule + " --format chakra --out " + (out / "t").string());
    EXPECT_TRUE(code == 0 || code == 6) << code;
    refused += code == 6 ? 1 : 0;
    EXPECT_EQ(std::distance(fs::directory_iterator(out), {}), code == 0 ? 343 : 0) << blocks;
  }
  EXPECT_EQ(refused, 3U);
}

}  // namespace
}  // namespace flitscope::test::full_disk_test
