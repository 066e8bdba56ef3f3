// Less memory than an input takes: an error with its place.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>

#include "tests/support/program.h"

namespace flitscope::test::no_memory_test {
namespace {

/// A list of eight million numbers on a line.
std::string long_line() {
  std::string text =
      R"({"flitscope":"schedule","version":1,"topology":{"kind":"torus","shape":[8]},"chunks":[1)";
  for (int i = 0; i < 8'000'000; ++i) text += ",1";
  return text + "]}\n";
}

// The list takes 128 MB and, while it is taken apart, as much again.
TEST(NoMemory, LongLine_IsRefusedWithPlace) {
  if (kSanitized) GTEST_SKIP() << "memory is the sanitizer's";
  const TemporaryDirectory directory;
  const std::string schedule = directory.write("schedule.jsonl", long_line());
  const std::string config = directory.write(
      "config.yaml",
      "flitscope: 1\ntopology: {kind: torus, shape: [8]}\nworkload: {schedule: schedule.jsonl}\n");
  for (const unsigned mebibytes : {100U, 150U, 200U, 250U, 300U, 400U}) {
    const std::string said = directory / "said";
    const std::string command = "ulimit -v " + std::to_string(mebibytes * 1024) +
                                "; exec " FLITSCOPE_PROGRAM " verify " + config + " >/dev/null 2>" + said;
    const int status = std::system(command.c_str());
    ASSERT_TRUE(WIFEXITED(status)) << mebibytes << " MiB: signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 2) << mebibytes << " MiB: " << text_of(said);
    if (mebibytes >= 200) {
      EXPECT_NE(text_of(said).find("schedule.jsonl:1: not enough memory: a line of 15 MiB needs up to"),
                std::string::npos)
          << text_of(said);
    }
  }
}

TEST(NoMemory, Import_IsRefusedWithTheNameOfTheFile) {
  if (kSanitized) GTEST_SKIP() << "memory is the sanitizer's";
  const TemporaryDirectory directory;
  const std::string goal = directory.write(
      "large.goal", "num_ranks 2\n" + std::string(200'000'000, '\n') + "rank 0 {}\nrank 1 {}\n");
  const std::string config = directory.write(
      "c.yaml",
      "flitscope: 1\ntopology: {kind: torus, shape: [2]}\nworkload: {traffic: uniform, load: 0.1}\n");
  for (const unsigned mebibytes : {100U, 200U, 300U}) {
    const std::string said = directory / "said";
    const std::string command = "ulimit -v " + std::to_string(mebibytes * 1024) +
                                "; exec " FLITSCOPE_PROGRAM " import " + goal + " --format goal --on " +
                                config + " >/dev/null 2>" + said;
    EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 2);
    EXPECT_EQ(text_of(said).find(goal + ": not enough memory to import: "), 0U) << text_of(said);
  }
}

TEST(NoMemory, Graph_IsRefusedWithItsPlaceAndWhatItsRoutesNeed) {
  if (kSanitized) GTEST_SKIP() << "memory is the sanitizer's";
  const TemporaryDirectory directory;
  const std::string said = directory / "said";
  const auto refusal = [&](unsigned mebibytes, const std::string& topology) {
    const std::string config = directory.write(
        "c.yaml", "flitscope: 1\ntopology: " + topology +
                      "\nrouter: {routing: shortest}\nworkload: {traffic: uniform, load: 0.1}\n");
    const std::string command = "ulimit -v " + std::to_string(mebibytes * 1024) +
                                "; exec " FLITSCOPE_PROGRAM " run " + config + " >/dev/null 2>" + said;
    EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 2);
    const std::string text = text_of(said);
    EXPECT_EQ(text.find(config + ":"), 0U) << text;
    return text.substr(std::min(text.size(), config.size() + 1));
  };
  EXPECT_EQ(refusal(100, "{kind: k-ary-n-tree, k: 2, n: 16}"),
            "2:1: not enough memory to make the network: 100MiB available\n");
  EXPECT_EQ(refusal(250, "{kind: folded-torus, shape: [150, 100]}"),
            "3:19: not enough memory: a table of routes for 15000 routers needs 0.2 GiB\n");
}

TEST(NoMemory, EndOfMemoryInACycle_IsNoInternalError) {
  if (kSanitized) GTEST_SKIP() << "memory is the sanitizer's";
  const TemporaryDirectory directory;
  const std::string said = directory / "said";
  bool has_run = false;
  for (unsigned kibibytes = 60'000; !has_run && kibibytes < 200'000; kibibytes += 1'000) {
    const std::string command = "ulimit -v " + std::to_string(kibibytes) +
                                "; exec " FLITSCOPE_PROGRAM " run " + shipped_config("quickstart.yaml") +
                                " --set topology.shape=[16,16,16] >/dev/null 2>" + said;
    const int status = std::system(command.c_str());
    ASSERT_TRUE(WIFEXITED(status)) << kibibytes << " KiB: signal " << WTERMSIG(status);
    has_run = WEXITSTATUS(status) == 0;
    EXPECT_TRUE(has_run || WEXITSTATUS(status) == 2) << kibibytes << " KiB: " << text_of(said);
  }
  EXPECT_TRUE(has_run);
}

/// The program takes some 30 MiB before main().
TEST(NoMemory, RunsOfAStudy_AreNoInternalError) {
  if (kSanitized) GTEST_SKIP() << "memory is the sanitizer's";
  const TemporaryDirectory directory;
  const std::string config =
      directory.write("c.yaml",
                      "flitscope: 1\ntopology: {kind: mesh, shape: [8, 8]}\n"
                      "workload: {traffic: uniform, load: 0.1, message: 8, warmup: 100, measure: 500}\n");
  const std::string said = directory / "said";
  const auto code_with = [&](unsigned kibibytes, const std::string& words) {
    const std::string command = "ulimit -v " + std::to_string(kibibytes) +
                                "; exec " FLITSCOPE_PROGRAM " load --rates 0.1,0.4,0.8 " + config + words +
                                " >/dev/null 2>" + said;
    const int status = std::system(command.c_str());
    EXPECT_TRUE(WIFEXITED(status)) << kibibytes << " KiB: signal " << WTERMSIG(status);
    return WEXITSTATUS(status);
  };
  for (unsigned kibibytes = 31'000; kibibytes < 37'000; kibibytes += 500) {
    const int code = code_with(kibibytes, "");
    EXPECT_TRUE(code == 0 || code == 2) << kibibytes << ": " << code << text_of(said);
  }
  EXPECT_EQ(code_with(400'000, " --set topology.shape=[3000,3000]"), 2);
  EXPECT_NE(text_of(said).find("not enough memory"), std::string::npos) << text_of(said);
}

}  // namespace
}  // namespace flitscope::test::no_memory_test
