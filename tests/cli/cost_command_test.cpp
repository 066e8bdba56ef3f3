// flitscope cost, on every network that is shipped.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "tests/support/program.h"

namespace flitscope::test::cost_command_test {
namespace {

using Json = nlohmann::json;

TEST(CostCommand, EveryShippedNetwork_HasACost) {
  std::size_t networks = 0;
  for (const auto& entry : std::filesystem::directory_iterator(shipped_config("networks"))) {
    if (entry.path().extension() != ".yaml") continue;
    ++networks;
    const Outcome outcome = run_program({"cost", entry.path().string(), "--json", "--set", "link.mm=2"});
    ASSERT_EQ(outcome.exit_code, 0) << entry.path() << outcome.err;
    const Json cost = Json::parse(outcome.out);
    EXPECT_GT(cost["links"], 0);
    EXPECT_GE(cost["wire_mm"].get<double>(), 2 * cost["links"].get<double>());
    EXPECT_GT(cost["bisection_flits_per_cycle"], 0);
    EXPECT_GT(cost["diameter"], 0);
    EXPECT_GT(cost["buffer_bits"], 0);
    EXPECT_NE(run_program({"cost", entry.path().string()}).out.find("each way"), std::string::npos);
  }
  EXPECT_GT(networks, 10U);
}

TEST(CostCommand, RunHasTheSameNumbers) {
  const std::string config = shipped_config("networks/dragonfly.yaml");
  const Json cost = Json::parse(run_program({"cost", config, "--json"}).out);
  const Json result = Json::parse(run_program({"run", config, "--json"}).out);
  EXPECT_EQ(result["network"], cost);
}

TEST(CostCommand, OppositeOneWayNetworks_HaveTheDistancesOfOneEach) {
  const auto distances = [](const std::string& second) {
    const TemporaryDirectory directory;
    const std::string networks = "[{directions: plus}, {directions: " + second + "}]";
    const std::string config = directory.write(
        "pair.yaml", "flitscope: 1\ntopology: {kind: torus, shape: [4, 4], networks: " + networks +
                         "}\nclasses: [{name: a, vcs: 2}, {name: b, vcs: 2, network: 1}]\n"
                         "workload: {traffic: uniform, load: 0.05, measure: 100}\n");
    const Json cost = Json::parse(run_program({"cost", config, "--json"}).out);
    return std::pair(cost["diameter"].get<unsigned>(), cost["hops_mean"].get<double>());
  };
  EXPECT_EQ(distances("minus"), (std::pair{6U, 3.2}));
  EXPECT_EQ(distances("plus"), (std::pair{6U, 3.2}));
  EXPECT_EQ(distances("both"), (std::pair{6U, (3.2 + 2 * 16.0 / 15) / 2}));
}

TEST(CostCommand, WellConnectedRouters_HaveTheLinksOfHalfOfTheNodesAsBisection) {
  const auto bisection = [](const std::string& topology) {
    const Json cost =
        Json::parse(run_program({"cost", shipped_config("networks/dragonfly.yaml"), "--json", "--set",
                                 "topology=" + topology, "--set", "router.routing=auto", "--set",
                                 "router.virtual_channels=auto"})
                        .out);
    return std::pair(cost["bisection_flits_per_cycle"].get<double>(),
                     cost["bisection_found_by"].get<std::string>());
  };
  EXPECT_EQ(bisection("{kind: slim-fly, q: 5}"), std::pair(25.0, std::string("links of nodes")));
  EXPECT_EQ(bisection("{kind: jellyfish, routers: 31, degree: 30}"),
            std::pair(15.0, std::string("links of nodes")));
  EXPECT_EQ(bisection("{kind: dragonfly, p: 2, a: 4, h: 2, groups: 9}"),
            std::pair(20.0, std::string("coordinate 0")));
}

TEST(CostCommand, ScheduleThatNeedsTooMuchMemory_IsNotMade) {
  const Outcome outcome =
      run_program({"cost", shipped_config("networks/concentrated-mesh.yaml"), "--json", "--set",
                   "topology={kind: concentrated-mesh, shape: [64, 64], concentration: 4}", "--set",
                   "workload={algorithm: all-to-all-direct, message: 8}"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out)["routers"], 64 * 64);
}

/// Hosts of four GPUs with a switch each, and a slow link from each GPU to the switch of its rail: the least
/// cut takes the rails of two hosts.
TEST(CostCommand, BisectionOfARailPod_IsThatOfItsRails) {
  std::string graph = "graph: 1\nrouters:\n  - {name: spine, node: false}\n";
  std::string links = "links:\n";
  for (const char one : std::string_view("0123")) {
    graph += fmt::format("  - {{name: host{0}, node: false}}\n  - {{name: rail{0}, node: false}}\n", one);
    links += fmt::format("  - {{between: [rail{}, spine]}}\n", one);
    for (const char gpu : std::string_view("0123")) {
      graph += fmt::format("  - {{name: gpu{}.{}, node: true}}\n", one, gpu);
      links += fmt::format("  - {{between: [gpu{0}.{1}, host{0}]}}\n", one, gpu);
      links += fmt::format("  - {{between: [gpu{0}.{1}, rail{1}], cycles_per_flit: 9}}\n", one, gpu);
    }
  }
  const TemporaryDirectory directory;
  directory.write("pod.yaml", graph + links);
  const std::string config = directory.write("c.yaml",
                                             "flitscope: 1\ntopology: {kind: graph, file: pod.yaml}\n"
                                             "workload: {traffic: uniform, load: 0.1, message: 8}\n");
  const Outcome outcome = run_program({"cost", config, "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json cost = Json::parse(outcome.out);
  EXPECT_DOUBLE_EQ(cost["bisection_flits_per_cycle"], 8 / 9.0);
  EXPECT_NE(cost["bisection_found_by"].get<std::string>().find(", improved"), std::string::npos) << cost;
}

TEST(CostCommand, LinksOfFractionsOfFlits_HaveTheExactSumAsBisection) {
  const Outcome outcome = run_program(
      {"cost", shipped_config("networks/chiplets.yaml"), "--json", "--set",
       "topology={kind: chiplets, chiplets: [2, 1], mesh: [3, 3], inner_delay: 1, outer_delay: 4, "
       "outer_cycles_per_flit: 3/2}"});
  EXPECT_EQ(Json::parse(outcome.out)["bisection_flits_per_cycle"], 2.0) << outcome.err;
}

TEST(CostCommand, NetworkWithTooFewVirtualChannelsForItsRouting_HasACost) {
  const std::string dragonfly = shipped_config("networks/dragonfly.yaml");
  const auto bits = [&](const char* vcs, const char* routing) {
    const Outcome outcome =
        run_program({"cost", dragonfly, "--json", "--set", fmt::format("router.virtual_channels={}", vcs),
                     "--set", fmt::format("router.routing={}", routing)});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return Json::parse(outcome.out)["buffer_bits"].get<std::uint64_t>();
  };
  EXPECT_EQ(bits("1", "dragonfly-minimal"), bits("1", "up-down"));
  EXPECT_EQ(bits("1", "positive-hop"), bits("1", "up-down"));
  const std::uint64_t one = bits("1", "up-down");
  EXPECT_EQ(bits("30", "up-down") - one, 29 * (bits("2", "up-down") - one))
      << "more input buffers than a router can have";
}

TEST(CostCommand, CompleteNetwork_IsRefused) {
  const Outcome outcome = run_program({"cost", shipped_config("latency-hiding.yaml")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("a complete network has circuits and no links to count"), std::string::npos);
}

}  // namespace
}  // namespace flitscope::test::cost_command_test
