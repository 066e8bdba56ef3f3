// flitscope export on networks of any kind.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/program.h"

namespace flitscope::test::export_command_test {
namespace {

constexpr const char* kTree =
    "flitscope: 1\ntopology: {kind: k-ary-n-tree, k: 4, n: 2}\nworkload: {algorithm: all-reduce-ring}\n";

class ExportOfAGraphsSchedule : public testing::Test {
 protected:
  void SetUp() override {
    config_ = directory_.write("tree.yaml", kTree);
    schedule_ = directory_ / "tree.jsonl";
    ASSERT_EQ(run_program({"schedule", config_, "--out", schedule_}).exit_code, 0);
  }

  [[nodiscard]] Outcome exported(const std::string& config) const {
    std::vector<std::string> arguments{"export", schedule_, "--format",
                                       "goal",   "--out",   directory_ / "x.goal"};
    if (!config.empty()) arguments.insert(arguments.end(), {"--on", config});
    return run_program(arguments);
  }

  TemporaryDirectory directory_;
  std::string config_;
  std::string schedule_;
};

TEST_F(ExportOfAGraphsSchedule, OnItsConfiguration_IsImportedForTheSameRun) {
  ASSERT_EQ(exported(config_).exit_code, 0);
  const std::string back = directory_ / "back.jsonl";
  ASSERT_EQ(run_program({"import", directory_ / "x.goal", "--format", "goal", "--on", config_, "--out", back})
                .exit_code,
            0);
  const auto cycles = [&](const std::string& workload) {
    const auto run = run_program({"run", config_, "--json", "--quiet", "--set", "workload=" + workload});
    return nlohmann::json::parse(run.out).at("cycles").get<std::uint64_t>();
  };
  EXPECT_EQ(cycles("{schedule: " + back + "}"), cycles("{algorithm: all-reduce-ring}"));
}

TEST_F(ExportOfAGraphsSchedule, WithoutItsConfiguration_IsRefusedWithWhatItTakes) {
  const auto outcome = exported("");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("it can only be read with a configuration whose topology is this graph: "
                             "flitscope export takes --on CONFIG"),
            std::string::npos)
      << outcome.err;
}

TEST_F(ExportOfAGraphsSchedule, OnAnotherGraph_IsRefused) {
  std::string other = kTree;
  other.replace(other.find("n: 2"), 4, "n: 3");
  const auto outcome = exported(directory_.write("other.yaml", other));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("belongs to another graph"), std::string::npos) << outcome.err;
}

TEST_F(ExportOfAGraphsSchedule, SetWithoutAConfiguration_IsRefused) {
  const auto outcome =
      run_program({"export", schedule_, "--format", "goal", "--out", "x", "--set", "topology.n=3"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("--set changes the configuration of --on, which is missing"), std::string::npos)
      << outcome.err;
}

}  // namespace
}  // namespace flitscope::test::export_command_test
