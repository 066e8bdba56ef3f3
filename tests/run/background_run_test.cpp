// A schedule and traffic in one network: nothing is lost, and each is counted by itself.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "model/error.h"
#include "sim/config/config_source.h"
#include "sim/report/run_report.h"
#include "sim/run/experiment.h"
#include "sim/verify/deadlock_check.h"
#include "tests/support/config_texts.h"

namespace flitscope::test::background_run_test {
namespace {

using Json = nlohmann::json;

std::string with(const std::string& workload) {
  return "flitscope: 1\ntopology: {kind: torus, shape: [4, 4]}\nworkload: " + workload + "\n";
}

Json run(const std::string& workload) {
  return Json::parse(run_isolated([&] {
    Json json = to_json(run_experiment(parse_config(with(workload), "c.yaml", "/")));
    json.erase("host");
    return json.dump();
  }));
}

const std::string kBucket = "algorithm: all-reduce-bucket, message: 1KiB";

TEST(BackgroundRun, AlmostNoTraffic_ChangesNothing) {
  Json alone = run("{" + kBucket + "}");
  Json beside = run("{" + kBucket + ", background: {traffic: uniform, load: 0.00000001, message: 8}}");
  EXPECT_EQ(beside["background"]["messages"], 0);
  EXPECT_EQ(beside["simulated"][0]["key"], "workload.background.message");
  beside.erase("background");
  beside.erase("simulated");
  alone.erase("simulated");
  EXPECT_EQ(alone, beside);
}

TEST(BackgroundRun, WarmUp_MovesTheScheduleAndNothingElse) {
  for (const char* const advance : {"barrier", "dataflow"}) {
    const std::string algorithm = fmt::format("{{{}, advance: {}", kBucket, advance);
    const Json alone = run(algorithm + "}");
    const Json later =
        run(algorithm + ", background: {traffic: uniform, load: 0.00000001, message: 8, warmup: 700}}");
    EXPECT_EQ(later["cycles"], alone["cycles"].get<int>() + 700);
    EXPECT_EQ(later["step_cycles"], alone["step_cycles"]);
    EXPECT_EQ(later["latency"], alone["latency"]);
    EXPECT_EQ(later["background"]["schedule_begin_cycle"], 700);
    EXPECT_TRUE(later["verified"]) << later["failed_checks"];
  }
  const Json table =
      run("{algorithm: meyer-sibeyn-one-packet, message: 64, advance: table, background: {traffic: "
          "neighbour, load: "
          "0.1, warmup: 50}}");
  EXPECT_TRUE(table["verified"]) << table["failed_checks"];
}

TEST(BackgroundRun, Traffic_DelaysTheScheduleAndIsCountedByItself) {
  for (const char* const advance : {"barrier", "dataflow"}) {
    const Json alone = run(fmt::format("{{{}, advance: {}}}", kBucket, advance));
    const Json beside = run(fmt::format(
        "{{{}, advance: {}, background: {{traffic: uniform, load: 0.2, message: 32}}}}", kBucket, advance));
    EXPECT_TRUE(beside["verified"].get<bool>()) << beside["failed_checks"];
    EXPECT_GT(beside["cycles"], alone["cycles"]);
    for (const char* const of_schedule : {"messages", "flits"}) {
      EXPECT_EQ(beside[of_schedule], alone[of_schedule]) << of_schedule;
    }
    EXPECT_EQ(beside["latency"]["messages"], alone["latency"]["messages"]);
    const Json& background = beside["background"];
    EXPECT_EQ(background["flits"], 4 * background["messages"].get<int>());
    const double cycles = beside["cycles"].get<double>() + 1;
    EXPECT_NEAR(background["offered"].get<double>(), background["flits"].get<double>() / 16 / cycles, 1e-12);
    EXPECT_EQ(background["latency"]["messages"], background["arrived_messages"]);
    EXPECT_GT(background["arrived_messages"], 0);
  }
}

TEST(BackgroundRun, RoutingTable_Runs) {
  const Json beside =
      run("{algorithm: meyer-sibeyn-one-packet, message: 64, advance: table, background: {traffic: "
          "neighbour, load: "
          "0.1}}");
  EXPECT_TRUE(beside["verified"].get<bool>()) << beside["failed_checks"];
}

TEST(BackgroundRun, OnOffTraffic_HasItsOwnSeed) {
  const std::string workload = "{" + kBucket + ", background: {traffic: uniform, load: 0.2, seed: 7}}";
  EXPECT_EQ(run(workload), run(workload));
  EXPECT_NE(run(workload), run("{" + kBucket + ", background: {traffic: uniform, load: 0.2, seed: 8}}"));
}

TEST(BackgroundConfig, Printed_IsReadTheSame) {
  const std::string text = with(
      "{" + kBucket +
      ", background: {traffic: hotspot, nodes: [[1, 2]], share: 0.5, load: 0.05, message: 64, ties: plus}}");
  const ExperimentConfig config = parse_config(text, "c.yaml", "/");
  ASSERT_TRUE(config.workload.background);
  EXPECT_EQ(config.workload.background->pattern->name, "hotspot");
  const std::string printed = resolve(config);
  EXPECT_EQ(resolve(parse_config(printed, "p.yaml", "/")), printed);
  EXPECT_EQ(resolve(parse_config(with("{" + kBucket + "}"), "c.yaml", "/")).find("background"),
            std::string::npos);
}

std::string refusal(const std::string& workload) {
  try {
    const ExperimentConfig config = parse_config(with(workload), "c.yaml", "/");
    static_cast<void>(run_experiment(config));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(BackgroundConfig, ValuesThatDoNotFit_AreRefused) {
  EXPECT_NE(refusal("{traffic: uniform, background: {traffic: uniform}}")
                .find("workload.background goes with an algorithm or a schedule, not with traffic"),
            std::string::npos);
  EXPECT_NE(refusal("{" + kBucket + ", background: {load: 0.1}}").find("traffic"), std::string::npos);
  EXPECT_NE(refusal("{" + kBucket + ", background: {traffic: uniform, load: 9}}")
                .find("workload.background.load must be at most"),
            std::string::npos);
  EXPECT_NE(refusal("{" + kBucket + ", background: {traffic: uniform, measure: 100}}")
                .find("unknown key 'workload.background.measure'"),
            std::string::npos);
  EXPECT_NE(refusal("{" + kBucket + ", background: {traffic: hotspot, nodes: [[9, 9]]}}")
                .find("[9, 9] lies outside the 4x4 torus"),
            std::string::npos);
  // The mistake of a pattern stands where its key does.
  EXPECT_TRUE(
      refusal("{" + kBucket + ", background: {traffic: hotspot, nodes: [[9, 9]]}}").starts_with("c.yaml:3:"));
}

TEST(BackgroundVerdict, ScheduleAndTraffic_AreAnalysedTogether) {
  // The schedule alone cannot deadlock with one virtual channel on a torus; traffic between all pairs can.
  const std::string head =
      "flitscope: 1\ntopology: {kind: torus, shape: [4, 4]}\n"
      "router: {virtual_channels: 1, allow_deadlock: true}\nworkload: {" +
      kBucket;
  const auto verdict = [&](const std::string& rest) {
    ExperimentConfig config = parse_config(head + rest + "}\n", "c.yaml", "/");
    config.routing = "dimension-order";
    config.machine.routing = "dimension-order";
    config.machine.virtual_channels = 1;
    return check_deadlock(config, Scope::schedule).analysis.verdict;
  };
  EXPECT_EQ(verdict(""), DeadlockVerdict::free);
  EXPECT_EQ(verdict(", background: {traffic: uniform, load: 0.1}"), DeadlockVerdict::can_deadlock);
}

}  // namespace
}  // namespace flitscope::test::background_run_test
