// The multi-node broadcasts on flits: a synchronous step takes what its slowest message takes alone, stages
// are named in the result, sources may be drawn, and dataflow delivers the same messages.
#include <gtest/gtest.h>

#include <algorithm>

#include "model/route.h"
#include "sim/run/workload.h"
#include "tests/support/flit_runs.h"

namespace flitscope::chen_flits_test {
namespace {

using test::run_on_flits;

constexpr std::uint64_t kStartup = 30;

/// Flits of a byte.
ExperimentConfig on_flits(std::uint64_t n, const std::string& workload) {
  return test::experiment(fmt::format("{{kind: torus, shape: [{0}, {0}, {0}]}}", n), "{" + workload + "}",
                          {"node.startup=" + std::to_string(kStartup), "node.flit_bytes=1"});
}

const std::vector<std::string> kAlgorithms{
    "algorithm: chen-multinode, h: 2", "algorithm: chen-multinode, h: 2, prefix: vector",
    "algorithm: chen-multinode-fast, h: 4", "algorithm: edge-disjoint-trees, batch: 3",
    "algorithm: edge-disjoint-trees, packing: searched, root: [1, 2, 3]"};

TEST(ChenOnFlits, Barrier_StepTakesTheTimeOfItsSlowestMessage) {
  for (const std::string& algorithm : kAlgorithms) {
    const ExperimentConfig config = on_flits(4, algorithm + ", sources: {count: 9, seed: 3}, message: 5");
    const auto schedule = make_schedule(config);
    std::vector<Cycle> alone;
    Step step;
    while (schedule->next(step)) {
      Cycle slowest = 0;
      for (const Message& message : step.messages()) {
        const Cycle links = route_length(config.topology, message.source, message.destination, message.route);
        const Cycle flits = 5 * message.chunk_count + message.control_bytes;
        slowest = std::max(slowest, kStartup + 2 * (links + 1) + flits - 1);
      }
      alone.push_back(slowest);
    }
    const auto result = run_on_flits(config);
    EXPECT_EQ(result.at("step_cycles").get<std::vector<Cycle>>(), alone) << algorithm;
    for (const auto& [cause, flit_cycles] : result.at("stalls").items()) {
      EXPECT_EQ(flit_cycles, 0U) << algorithm << ", " << cause;
    }
    EXPECT_TRUE(result.at("verified").get<bool>()) << algorithm;
  }
}

TEST(ChenOnFlits, Result_NamesConsecutiveStages) {
  const std::vector<std::string> of_paper{
      "aggregate", "prefix sums", "tune",         "align",           "rows",
      "columns",   "broadcast",   "collect rows", "collect columns", "collect horizontally"};
  for (const std::string& algorithm : kAlgorithms) {
    const auto result =
        run_on_flits(on_flits(8, algorithm + ", sources: {fraction: 0.1, seed: 1}, message: 2"));
    std::vector<std::string> names;
    std::uint64_t last = 0;
    for (const auto& stage : result.at("stages")) {
      names.push_back(stage.at("name"));
      EXPECT_EQ(stage.at("first_step"), last + 1) << algorithm;
      last = stage.at("last_step");
      // With a barrier a stage takes the sum of its steps.
      Cycle cycles = 0;
      for (std::uint64_t step = stage.at("first_step"); step <= last; ++step) {
        cycles += result.at("step_cycles").at(step - 1).get<Cycle>();
      }
      EXPECT_EQ(stage.at("cycles"), cycles) << algorithm;
    }
    EXPECT_EQ(last, result.at("steps"));
    EXPECT_EQ(names, algorithm.find("trees") == std::string::npos
                         ? of_paper
                         : (std::vector<std::string>{"gather", "broadcast"}));
  }
}

TEST(ChenOnFlits, Dataflow_DeliversTheSameMessages) {
  for (const std::string& algorithm : kAlgorithms) {
    const std::string workload = algorithm + ", sources: {count: 60, seed: 2}, message: 4";
    const auto barrier = run_on_flits(on_flits(8, workload));
    const auto dataflow = run_on_flits(on_flits(8, workload + ", advance: dataflow"));
    EXPECT_TRUE(dataflow.at("verified").get<bool>()) << algorithm;
    EXPECT_EQ(dataflow.at("messages"), barrier.at("messages")) << algorithm;
    EXPECT_EQ(dataflow.at("flit_hops"), barrier.at("flit_hops")) << algorithm;
    EXPECT_LT(dataflow.at("cycles"), barrier.at("cycles")) << algorithm;  // start-ups overlap
  }
}

TEST(ChenOnFlits, SourcesByCountOrFraction_AreDrawnFromTheSeed) {
  const auto drawn = [](const std::string& sources) {
    std::vector<NodeId> nodes;
    const auto schedule = make_schedule(on_flits(10, "algorithm: chen-multinode, h: 5, sources: " + sources));
    for (const Holding& holding : schedule->facts().collective.initial) nodes.push_back(holding.node);
    return nodes;
  };
  const auto counted = drawn("{count: 70, seed: 4}");
  EXPECT_EQ(counted.size(), 70U);
  EXPECT_EQ(drawn("{fraction: 0.07, seed: 4}"), counted);
  EXPECT_NE(drawn("{count: 70, seed: 5}"), counted);
  EXPECT_EQ(drawn("[[1, 2, 3], [0, 0, 0]]"), (std::vector<NodeId>{321, 0}));
  EXPECT_EQ(drawn("all").size(), 1000U);
}

}  // namespace
}  // namespace flitscope::chen_flits_test
