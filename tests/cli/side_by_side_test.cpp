// Schedules side by side: import --format schedule, and a run.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/support/csv.h"
#include "tests/support/program.h"

namespace flitscope::test::side_by_side_test {
namespace {

/// The last arrivals of nodes, by their names.
std::map<std::string, std::int64_t> ends_of(const TemporaryDirectory& directory, const std::string& config,
                                            const std::string& advance) {
  const std::string out = directory / ("out-" + config + advance);
  const Outcome outcome =
      run_program({"run", directory / config, "--out", out, "--set", "workload.advance=" + advance});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  std::map<std::string, std::int64_t> ends;
  for (const Row& row : read_csv(out + "/nodes.csv").rows)
    ends[row.text("node")] = row.number("finished_cycle");
  return ends;
}

/// Puts the all-reduce of a row of four nodes, so many times, on the nodes of a mesh of 4 x 4.
void put_jobs(const TemporaryDirectory& directory, std::size_t jobs, const std::string& map) {
  directory.write("line.yaml",
                  "flitscope: 1\ntopology: {kind: mesh, shape: [4]}\n"
                  "workload: {algorithm: all-reduce-ring, message: 4KiB}\n");
  directory.write("grid.yaml",
                  "flitscope: 1\ntopology: {kind: mesh, shape: [4, 4]}\n"
                  "workload: {schedule: jobs.jsonl}\n");
  const std::string line = directory / "line.jsonl";
  const Outcome one = run_program({"schedule", directory / "line.yaml", "--out", line});
  EXPECT_EQ(one.exit_code, 0) << one.err;
  Arguments words(jobs, line);
  words.insert(words.begin(), "import");
  for (const std::string& word : {std::string("--format"), std::string("schedule"), std::string("--on"),
                                  std::string(directory / "grid.yaml"), std::string("--map"), map,
                                  std::string("--out"), std::string(directory / "jobs.jsonl")})
    words.push_back(word);
  const Outcome made = run_program(words);
  EXPECT_EQ(made.exit_code, 0) << made.err;
  const Outcome verified = run_program({"verify", directory / "grid.yaml"});
  EXPECT_EQ(verified.exit_code, 0) << verified.out;
}

TEST(SideBySide, JobsWithoutSharedLinks_TakeTheTimeOfEachAlone) {
  const TemporaryDirectory directory;
  put_jobs(directory, 2, "0-3,12-15");
  for (const char* const advance : {"dataflow", "barrier"}) {
    const auto alone = ends_of(directory, "line.yaml", advance);
    const auto together = ends_of(directory, "grid.yaml", advance);
    ASSERT_EQ(alone.size(), 4U);
    for (const auto& [node, end] : alone) {
      const std::string x = node.substr(1, node.size() - 2);
      EXPECT_EQ(together.at("[" + x + ", 0]"), end) << advance;
      EXPECT_EQ(together.at("[" + x + ", 3]"), end) << advance;
    }
  }
}

TEST(SideBySide, JobsThatShareLinks_TakeLongerThanOneOfThem) {
  const TemporaryDirectory one;
  put_jobs(one, 1, "0,3,12,15");
  const TemporaryDirectory two;
  put_jobs(two, 2, "0,3,12,15,1,2,13,14");
  EXPECT_GT(ends_of(two, "grid.yaml", "dataflow").at("[0, 0]"),
            ends_of(one, "grid.yaml", "dataflow").at("[0, 0]"));
}

}  // namespace
}  // namespace flitscope::test::side_by_side_test
