// Synthetic traffic in a configuration: what is taken, that the resolved configuration says the same, and
// what is refused.
#include <gtest/gtest.h>

#include <string>

#include "sim/config/keys.h"
#include "tests/support/config_texts.h"

namespace flitscope::traffic_config_test {
namespace {

using namespace test;

std::string with(const std::string& workload) {
  return kHead + kTorus + "workload: " + workload + "\n";
}

TEST(TrafficConfig, MissingKeys_HaveDefaults) {
  const auto config = parse(with("{traffic: uniform}"));
  const TrafficConfig& traffic = config.workload.traffic;
  ASSERT_NE(traffic.pattern, nullptr);
  EXPECT_EQ(traffic.pattern->name, "uniform");
  EXPECT_EQ(traffic.load.text(), "0.1");
  EXPECT_EQ(traffic.message, MessageSizes());
  EXPECT_EQ(traffic.process, Injection::bernoulli);
  EXPECT_EQ(traffic.seed, 1U);
  EXPECT_EQ(traffic.warmup, std::nullopt);
  EXPECT_EQ(traffic.measure, 10'000U);
  EXPECT_EQ(traffic.precision, std::nullopt);
  EXPECT_FALSE(traffic.self);
  EXPECT_EQ(traffic.ties, Ties::random);
  EXPECT_EQ(config.workload.algorithm, nullptr);
}

TEST(TrafficConfig, EveryKey_IsReadAndPrinted) {
  const auto given = parse(with(
      "{traffic: hotspot, nodes: [[1, 2], [3, 4]], share: 0.2, load: 0.25, message: {4KiB: 0.2, 64: 0.8}, "
      "process: on-off, burst: 50, pause: 150, seed: 9, warmup: 2000, window: 500, measure: 40000, "
      "precision: "
      "0.01, self: true, ties: plus}"));
  for (const auto& config : {given, parse(resolve(given))}) {
    const TrafficConfig& traffic = config.workload.traffic;
    EXPECT_EQ(traffic.parameters.node_set("nodes"), NodeSet::listed({{"[1, 2]"}, {"[3, 4]"}}));
    EXPECT_EQ(traffic.parameters.number("share").text(), "0.2");
    EXPECT_EQ(traffic.load.text(), "0.25");
    ASSERT_EQ(traffic.message.sizes.size(), 2U);
    EXPECT_EQ(traffic.message.sizes[0].bytes, 64U);
    EXPECT_EQ(traffic.message.sizes[0].weight.text(), "0.8");
    EXPECT_EQ(traffic.message.sizes[1].bytes, 4096U);
    EXPECT_EQ(traffic.process, Injection::on_off);
    EXPECT_EQ(traffic.burst, 50U);
    EXPECT_EQ(traffic.pause, 150U);
    EXPECT_EQ(traffic.seed, 9U);
    EXPECT_EQ(traffic.warmup, 2000U);
    EXPECT_EQ(traffic.window, 500U);
    EXPECT_EQ(traffic.measure, 40'000U);
    EXPECT_EQ(traffic.precision->text(), "0.01");
    EXPECT_TRUE(traffic.self);
    EXPECT_EQ(traffic.ties, Ties::plus);
  }
  EXPECT_EQ(resolve(given).find("advance"), std::string::npos) << "a key of schedules";
}

TEST(TrafficConfig, Schedule_RefusesKeysOfTraffic) {
  EXPECT_EQ(resolve(parse(kLeast)).find("  load:"), std::string::npos);
  EXPECT_EQ(resolve(parse(kLeast)).find("traffic"), std::string::npos);
}

TEST(TrafficConfig, RelativeFile_StartsAtTheConfigurationsDirectory) {
  const auto config = parse(with("{traffic: matrix, rates: tables/rates.csv}"));
  EXPECT_TRUE(config.workload.traffic.parameters.text("rates").ends_with("/tables/rates.csv"));
  EXPECT_TRUE(config.workload.traffic.parameters.text("rates").starts_with("/"));
}

TEST(TrafficConfig, Keys_CanBeSetByOverrides) {
  const auto config =
      parse(with("{traffic: uniform}"), {"workload.load=0.3", "workload.message={8: 1, 16: 3}",
                                         "workload.traffic=hotspot", "workload.share=0.5"});
  EXPECT_EQ(config.workload.traffic.load.text(), "0.3");
  EXPECT_EQ(config.workload.traffic.message.sizes.size(), 2U);
  EXPECT_EQ(config.workload.traffic.parameters.number("share").text(), "0.5");
}

void expect(const std::string& workload, const std::string& column, const std::vector<std::string>& words,
            const std::string& more = "") {
  expect_refusal(refusal(with(workload) + more), {{"c.yaml:3:" + column, words}}, workload);
}

TEST(TrafficConfig, Errors_HaveTheirPlaces) {
  expect("{traffic: unifrom}", "21", {"workload.traffic", "did you mean 'uniform'?"});
  expect("{traffic: uniform, share: 0.5}", "30", {"unknown key 'workload.share'", "possible are", "self"});
  expect("{traffic: uniform, advance: barrier}", "30",
         {"workload.advance goes with an algorithm or a schedule, not with traffic"});
  expect("{traffic: uniform, schedule: a.jsonl}", "21", {"both 'schedule' and 'traffic'"});
  expect("{schedule: a.jsonl, load: 0.1}", "31", {"workload.load goes with traffic, not with a schedule"});
  expect("{}", "1", {"'algorithm: NAME'", "'schedule: FILE'", "'traffic: PATTERN'"});
  expect("{traffic: uniform, load: 0}", "36",
         {"must be at least 0.000000008, a message in 10^9 cycles, not 0"});
  expect("{traffic: uniform, load: -0.1}", "36", {"a number from 0 to 32", "must not be negative"});
  expect("{traffic: uniform, load: 4.5}", "36", {"at most 4 flits/cycle, not 4.5", "channels, 4, takes one"});
  expect("{traffic: uniform, load: 1.5}", "36", {"at most 1 flits/cycle"}, "node: {ports: 1}\n");
  expect("{traffic: uniform, load: 1.5, message: 8}", "36", {"one message a cycle at most, of 1 flit"});
  expect("{traffic: uniform, message: 0}", "39", {"a size from 1 to", "'0'"});
  expect("{traffic: uniform, message: 1TiB}", "39",
         {"workload.message must have at most 4e+09 flits on average, not 137438953472",
          "a message in 10^9 cycles"});
  expect("{traffic: uniform, message: {8: 0}}", "43", {"must be above 0"});
  expect("{traffic: uniform, message: {8: 1, 8B: 2}}", "46", {"twice"});
  expect("{traffic: uniform, message: {}}", "39", {"a map"});
  expect("{traffic: uniform, message: [8]}", "39", {"a list"});
  expect("{traffic: uniform, measure: 10}", "39", {"20"});
  expect("{traffic: uniform, process: poisson}", "39", {"one of 'bernoulli', 'periodic', 'on-off'"});
  expect("{traffic: matrix}", "1", {"workload.rates", "the name of a file"});
}

TEST(TrafficConfig, CompleteNetwork_RefusesTraffic) {
  expect_refusal(refusal(kHead + "topology: {kind: complete, nodes: 4}\nnode: {ports: 1}\ncircuits: "
                                 "{reconfiguration: 0}\nworkload: {traffic: uniform}\n"),
                 {{"c.yaml:5:12", {"workload.traffic", "networks with links"}}}, "complete");
}

}  // namespace
}  // namespace flitscope::traffic_config_test
