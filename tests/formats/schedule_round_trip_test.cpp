// Runs that must be the same: the same input again, the schedule of an algorithm from a file, and the
// configuration a run has saved.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "algorithms/algorithm.h"
#include "tests/support/program.h"

namespace flitscope::test::round_trip_test {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

/// A machine small enough that steps get in each other's way once nothing keeps them apart.
const Arguments kNarrow{"--set", "router.buffer=2",          "--set", "node.injection_interval=2",
                        "--set", "node.ejection_interval=2", "--set", "node.startup=7",
                        "--set", "observe.messages=true"};

Arguments operator+(Arguments words, const Arguments& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// A network, and how it is changed so that events do not come at the simplest times.
struct Network {
  std::string sections;
  std::vector<std::string> advances;
  Arguments options;
};

Network with_links(const std::string& topology) {
  return {"topology: " + topology + "\n", {"barrier", "dataflow"}, kNarrow};
}

/// Networks on which an algorithm is tried, until one is admissible.
const std::vector<Network> kNetworks{
    with_links("{kind: torus, shape: [5, 5]}"),
    with_links("{kind: torus, shape: [4, 4]}"),
    with_links("{kind: torus, shape: [3, 3, 3]}"),
    with_links("{kind: mesh, shape: [4, 4]}"),
    with_links("{kind: mesh, shape: [2, 2, 2, 2]}"),
    with_links("{kind: mesh, shape: [8]}"),
    // With circuits every event has its time, there are no ways to advance.
    {"topology: {kind: complete, nodes: 11}\nnode: {ports: 1, startup: 7}\ncircuits: {reconfiguration: 9}\n",
     {""},
     {"--set", "observe.messages=true"}}};

/// Values for parameters that have no default, by name.
const std::map<std::string, std::string> kRequired{{"h", "3"}};

/// The workload of an algorithm, with what it cannot do without.
std::string workload_of(const std::string& algorithm) {
  std::string text = "algorithm: " + algorithm;
  for (const Parameter& parameter : AlgorithmRegistry::find(algorithm)->parameters) {
    if (parameter.fallback.empty())
      text += fmt::format(", {}: {}", parameter.name, kRequired.at(parameter.name));
  }
  return text;
}

/// A result without what may differ: the host, and the name of the experiment.
Json comparable(const std::string& text) {
  Json result = Json::parse(text);
  result.erase("host");
  result.erase("name");
  return result;
}

/// Runs into a new directory and returns its path.
fs::path run_into(const TemporaryDirectory& directory, const std::string& name, const std::string& config,
                  const Arguments& options = {}) {
  const Outcome outcome =
      run_program(Arguments{"run", config, "--quiet", "--out", directory / name} + options);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return directory / name;
}

void expect_same_tables(const fs::path& one, const fs::path& other) {
  for (const char* table :
       {"steps.csv", "channels.csv", "messages.csv", "ports.csv", "receptions.csv", "tunings.csv"}) {
    ASSERT_EQ(fs::exists(one / table), fs::exists(other / table)) << table;
    if (!fs::exists(one / table)) continue;
    EXPECT_EQ(text_of(one / table), text_of(other / table)) << table;
  }
}

void expect_same_runs(const fs::path& one, const fs::path& other) {
  EXPECT_EQ(comparable(text_of(one / "result.json")), comparable(text_of(other / "result.json")));
  expect_same_tables(one, other);
}

/// The class's network begins with dimension 1, in both or in one direction.
TEST(ScheduleOfOneNetwork, PathsInItsOrder_AreVerifiedAndPlayedFromAFile) {
  const TemporaryDirectory directory;
  for (const char* const machine :
       {"networks: [{directions: both, first_dimension: 1}]}\nclasses: [{name: a, vcs: 2}]\n",
        "networks: [{directions: plus}, {directions: minus, first_dimension: 1}]}\n"
        "classes: [{name: b, vcs: 2, network: 1}, {name: a, vcs: 2}]\n"}) {
    for (const char* const algorithm :
         {"all-gather-ring", "all-to-all-direct", "all-reduce-tree", "all-gather-bruck", "binomial-torus"}) {
      const std::string sections =
          fmt::format("flitscope: 1\nname: x\ntopology: {{kind: torus, shape: [3, 4], {}", machine);
      const std::string config = directory.write(
          "c.yaml", fmt::format("{}workload: {{algorithm: {}, message: 64}}\n", sections, algorithm));
      const Outcome verified = run_program({"verify", config});
      const Outcome run = run_program({"run", config, "--json"});
      EXPECT_EQ(verified.exit_code, run.exit_code) << sections << algorithm << verified.out << run.err;
      if (run.exit_code != 0) continue;
      ASSERT_EQ(run_program({"schedule", config, "--out", directory / "s.jsonl", "--force"}).exit_code, 0);
      const Outcome again = run_program(
          {"run", directory.write("f.yaml", sections + "workload: {schedule: s.jsonl}\n"), "--json"});
      ASSERT_EQ(again.exit_code, 0) << sections << algorithm << again.err;
      EXPECT_EQ(Json::parse(run.out)["cycles"], Json::parse(again.out)["cycles"]) << sections << algorithm;
    }
  }
}

TEST(ScheduleOfOneNetwork, PathOfOneDimension_IsLegalWhereverTheNetworkBegins) {
  const TemporaryDirectory directory;
  static_cast<void>(directory.write(
      "s.jsonl",
      R"({"flitscope":"schedule","version":2,"topology":{"kind":"torus","shape":[3,4,3]},"ports":{"send":3,"receive":3},)"
      R"("routing":"dimension-order","algorithm":"x","steps":1,"messages":3,"chunks":[],"initial":[],"goal":[]})"
      "\n"
      R"({"step":1,"src":[0,0,0],"dst":[1,0,0],"path":[[0,1,1]],"control":4})"
      "\n"
      R"({"step":1,"src":[0,0,0],"dst":[0,1,0],"path":[[1,1,1]],"control":4})"
      "\n"
      R"({"step":1,"src":[0,0,0],"dst":[0,0,1],"path":[[2,1,1]],"control":4})"
      "\n"));
  for (const std::string networks :
       {"1", "[{first_dimension: 1}]", "[{first_dimension: 2}]", "[{first_dimension: 2}, {}]"}) {
    const std::string classes =
        networks.ends_with("{}]") ? "classes: [{name: a, vcs: 2}, {name: b, vcs: 2, network: 1}]\n" : "";
    const std::string config = directory.write(
        "c.yaml", "flitscope: 1\ntopology: {kind: torus, shape: [3, 4, 3], networks: " + networks + "}\n" +
                      classes + "workload: {schedule: s.jsonl}\n");
    const Outcome verified = run_program({"verify", config});
    EXPECT_EQ(verified.exit_code, 0) << networks << verified.out << verified.err;
    const Outcome run = run_program({"run", config});
    EXPECT_EQ(run.exit_code, 0) << networks << run.err;
  }
}

class OfAlgorithm : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    for (const Network& network : kNetworks) {
      network_ = network;
      config_ = directory_.write("algorithm.yaml",
                                 fmt::format("flitscope: 1\nname: by algorithm\n{}workload: {{{}}}\n",
                                             network.sections, workload_of(GetParam())));
      if (run_program({"verify", config_}).exit_code == 0) return;
    }
    FAIL() << "none of the networks here serves " << GetParam() << "; add one to kNetworks";
  }

  /// The algorithm's schedule as a file, with a configuration that plays it.
  std::string written_out() {
    EXPECT_EQ(run_program({"schedule", config_, "--out", directory_ / "schedule.jsonl", "--force"}).exit_code,
              0);
    return directory_.write(
        "file.yaml", fmt::format("flitscope: 1\nname: by file\n{}workload: {{schedule: schedule.jsonl}}\n",
                                 network_.sections));
  }

  [[nodiscard]] Arguments options_for(const std::string& advance) const {
    if (advance.empty()) return network_.options;
    return Arguments{"--set", "workload.advance=" + advance} + network_.options;
  }

  TemporaryDirectory directory_;
  Network network_;
  std::string config_;
};

TEST_P(OfAlgorithm, ScheduleFile_GivesTheIdenticalRun) {
  const std::string from_file = written_out();
  for (const std::string& advance : network_.advances) {
    const Arguments options = options_for(advance);
    expect_same_runs(run_into(directory_, "algorithm-" + advance, config_, options),
                     run_into(directory_, "file-" + advance, from_file, options));
  }
}

TEST_P(OfAlgorithm, ScheduleFile_IsWrittenAgainUnchanged) {
  const std::string from_file = written_out();
  const std::string text = text_of(directory_ / "schedule.jsonl");
  EXPECT_EQ(run_program({"schedule", config_}).out, text);
  EXPECT_EQ(run_program({"schedule", from_file}).out, text);
  EXPECT_EQ(run_program({"schedule", from_file, "--out", directory_ / "schedule.jsonl", "--force"}).exit_code,
            0);
  EXPECT_EQ(text_of(directory_ / "schedule.jsonl"), text);
}

TEST_P(OfAlgorithm, SavedConfiguration_GivesTheIdenticalRun) {
  const Arguments options = options_for(network_.advances.back());
  const fs::path first = run_into(directory_, "first", config_, options);
  const fs::path again = run_into(directory_, "again", first / "config.yaml");
  expect_same_runs(first, again);
  EXPECT_EQ(text_of(again / "config.yaml"), text_of(first / "config.yaml"));
}

std::vector<std::string> algorithms() {
  std::vector<std::string> names;
  for (const Algorithm& algorithm : AlgorithmRegistry::all()) names.push_back(algorithm.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(RoundTrip, OfAlgorithm, testing::ValuesIn(algorithms()), [](const auto& instance) {
  std::string name = instance.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(Repetition, SameRun_GivesTheSameBytes) {
  const TemporaryDirectory directory;
  const Arguments options = Arguments{"--set", "workload.advance=dataflow"} + kNarrow;
  const std::string config = shipped_config("quickstart.yaml");
  const fs::path first = run_into(directory, "first", config, options);
  const fs::path again = run_into(directory, "again", config, options);
  expect_same_tables(first, again);
  EXPECT_EQ(text_of(first / "config.yaml"), text_of(again / "config.yaml"));
  const auto before_host = [](const fs::path& run) {
    const std::string text = text_of(run / "result.json");
    return text.substr(0, text.find("\"host\""));
  };
  EXPECT_EQ(before_host(first), before_host(again));
}

TEST(Repetition, SameDeadlock_GivesTheSameDependencyCycle) {
  const auto result = [] {
    return comparable(run_program({"run", shipped_config("deadlock-ring.yaml"), "--json"}).out);
  };
  EXPECT_EQ(result(), result());
}

TEST(SavedConfiguration, ScheduleFile_IsFoundFromAnyDirectory) {
  const TemporaryDirectory directory;
  const Arguments two_channels{"--set", "router.virtual_channels=2"};
  const fs::path first = run_into(directory, "first", shipped_config("deadlock-ring.yaml"), two_channels);
  expect_same_runs(first, run_into(directory, "again", first / "config.yaml"));
}

}  // namespace
}  // namespace flitscope::test::round_trip_test
