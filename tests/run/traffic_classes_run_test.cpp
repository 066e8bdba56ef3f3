// Several classes of traffic in one network: behaviour and counters of each, and of a single class in a list.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "model/error.h"
#include "sim/config/config_source.h"
#include "sim/report/report_parts.h"
#include "sim/report/run_report.h"
#include "sim/run/experiment.h"
#include "sim/run/traffic_bounds.h"
#include "sim/verify/deadlock_check.h"
#include "tests/support/program.h"

namespace flitscope::test::traffic_classes_run_test {
namespace {

using Json = nlohmann::json;

Json run(const std::string& sections) {
  return Json::parse(run_isolated([&] {
    Json json = to_json(run_experiment(parse_config("flitscope: 1\n" + sections, "c.yaml", "/")));
    json.erase("host");
    return json.dump();
  }));
}

const std::string kTorus = "topology: {kind: torus, shape: [4, 4]}\n";

TEST(TrafficClassesRun, ListOfOneClass_IsTheTrafficAlone) {
  const std::string traffic = "traffic: uniform, load: 0.3, message: {8: 1, 32: 1}";
  Json alone = run(kTorus + "workload: {" + traffic + ", measure: 2000, seed: 3}\n");
  Json list = run(kTorus + "workload: {measure: 2000, seed: 3, classes: [{" + traffic + "}]}\n");
  EXPECT_FALSE(list["traffic"].contains("classes")) << "one is told as without a list";
  // The same lengths, under the keys that ask for them.
  alone.erase("simulated");
  list.erase("simulated");
  EXPECT_EQ(alone, list);
}

/// On a mesh of two rows each class has one row, in which all nodes send to the right neighbour or back from
/// the end: no link, node or channel is in both.
TEST(TrafficClassesRun, ClassesOnDisjointHalves_BehaveAsAlone) {
  const TemporaryDirectory directory;
  const auto row = [&](const std::string& name, NodeId first) -> std::string {
    std::string text;
    for (NodeId node = 0; node < 12; ++node) {
      const bool own = node >= first && node < first + 6;
      text += fmt::format("{} ", own ? first + (node - first + 1) % 6 : node);
    }
    return directory.write(name, text);
  };
  const std::string machine = "topology: {kind: mesh, shape: [6, 2]}\nnode: {ports: 1}\n";
  const std::string phases = "warmup: 400, measure: 4000";
  const std::string one =
      fmt::format("traffic: permutation, destinations: {}, load: 0.25, message: 32", row("a.txt", 0));
  const std::string two = fmt::format(
      "traffic: permutation, destinations: {}, load: 0.1, message: {{8: 1, 64: 1}}, process: on-off",
      row("b.txt", 6));
  const Json both = run(machine + "workload: {" + phases + ", classes: [{" + one + "}, {" + two + "}]}\n");
  ASSERT_TRUE(both["verified"]) << both["failed_checks"];
  const Json& classes = both["traffic"]["classes"];
  ASSERT_EQ(classes.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const Json alone = run(machine + "workload: {" + phases + ", " + (i == 0 ? one : two) +
                           fmt::format(", seed: {}}}\n", i + 1))["traffic"];
    for (const char* const key : {"offered", "accepted", "latency", "network_latency", "undelivered",
                                  "ci95_cycles", "messages_in_flight_mean", "load", "pattern"}) {
      EXPECT_EQ(classes[i][key], alone[key]) << i << " " << key;
    }
  }
  EXPECT_DOUBLE_EQ(classes[0]["accepted"].get<double>() + classes[1]["accepted"].get<double>(),
                   both["traffic"]["accepted"].get<double>());
}

TEST(TrafficClassesRun, EachClass_SatisfiesLittlesLaw) {
  const Json result =
      run(kTorus +
          "router: {virtual_channels: 4}\nworkload: {warmup: 3000, measure: 30000, classes: ["
          "{traffic: uniform, load: 0.2, message: 32}, {traffic: transpose, load: 0.1, message: 64}, "
          "{traffic: hotspot, load: 0.02, message: 8}]}\n");
  ASSERT_EQ(result["traffic"]["status"], "ok");
  EXPECT_TRUE(result["verified"]) << result["failed_checks"];  // to the cycle, over the whole run
  const std::array flits{4, 8, 1};
  double accepted = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const Json& each = result["traffic"]["classes"][i];
    const double messages = 16 * each["accepted"].get<double>() / flits[i];  // a cycle
    const double latency = each["latency"]["mean"];
    EXPECT_NEAR(each["messages_in_flight_mean"].get<double>() / (messages * latency), 1, 0.02) << i;
    EXPECT_EQ(each["messages"], each["latency"]["messages"]);
    EXPECT_EQ(each["flits"], each["messages"].get<int>() * flits[i]);
    accepted += each["accepted"].get<double>();
  }
  EXPECT_NEAR(accepted, result["traffic"]["accepted"].get<double>(), 1e-9);
}

/// Periodic traffic of one flit every 4 cycles at each of 4 nodes, in the middle of the measurement.
TEST(TrafficClassesRun, ClassWithAnEnd_OffersOnlyUntilThen) {
  const Json result = run(
      "topology: {kind: torus, shape: [4]}\nworkload: {warmup: 100, measure: 1000, classes: [{traffic: "
      "uniform, "
      "load: 0.05}, {name: burst, traffic: neighbour, load: 0.25, message: 8, process: periodic, start: 500, "
      "end: 700}]}\n");
  const Json& burst = result["traffic"]["classes"][1];
  EXPECT_EQ(burst["name"], "burst");
  EXPECT_EQ(burst["flits"], 4 * 200 / 4);
  EXPECT_EQ(burst["start_cycle"], 500);
  EXPECT_EQ(burst["end_cycle"], 700);
  EXPECT_DOUBLE_EQ(burst["offered"].get<double>(), 200.0 / 4 / 1000);
  EXPECT_TRUE(result["verified"]) << result["failed_checks"];
}

TrafficBounds bounds_of(const std::string& workload, ExperimentConfig& config) {
  config = parse_config("flitscope: 1\ntopology: {kind: torus, shape: [8]}\nworkload: " + workload + "\n",
                        "c.yaml", "/");
  const OfferedPatterns patterns = make_traffic_patterns(config);
  resolve_auto_settings(config, traffic_facts(config));
  return traffic_bounds(config, patterns);
}

/// On a ring of 8 tornado loads each link by 3 flits for one that a node offers.
TEST(TrafficClassesBounds, LimitOfTheLoad_IsTheLinksOrAChannelOfANode) {
  const auto sum = [](const std::string& node) {
    ExperimentConfig ring(Topology(TopologyKind::torus, {8}));
    const TrafficBounds bounds = bounds_of(
        "{classes: [{traffic: neighbour, load: 0.1, message: 8}, {traffic: tornado, load: 0.2, message: "
        "8}]}\n"
        "node: {ports: 1" +
            node + "}",
        ring);
    return sum_of({{*bounds.classes[0].load, 0.1}, {*bounds.classes[1].load, 0.2}}, ring.topology,
                  ring.machine);
  };
  const TrafficLoad narrow = sum(", ejection_interval: 4");
  EXPECT_EQ(narrow.limit.of, TrafficLoad::Limit::Of::ejection);
  EXPECT_NEAR(narrow.limit.load, 1 / (0.3 * 4), 1e-12);
  EXPECT_NEAR(narrow.max_channel_load, 0.7, 1e-12);
  const TrafficLoad wide = sum("");
  EXPECT_EQ(wide.limit.of, TrafficLoad::Limit::Of::links);
  EXPECT_NEAR(wide.limit.load, 1 / 0.7, 1e-12);
  EXPECT_TRUE(wide.busiest);
}

/// On a ring of 8 neighbour loads each link by 1 and tornado by 3 flits for a flit that a node offers.
TEST(TrafficClassesBounds, SeveralClasses_AreThoseOfTheSum) {
  ExperimentConfig config(Topology(TopologyKind::torus, {8}));
  const TrafficBounds bounds = bounds_of(
      "{classes: [{traffic: neighbour, load: 0.1, message: 8}, {traffic: tornado, load: 0.2, message: 32}]}",
      config);
  EXPECT_DOUBLE_EQ(bounds.all.load->hops_mean, (0.1 * 1 + 0.2 * 3) / 0.3);
  EXPECT_DOUBLE_EQ(bounds.all.load->max_channel_load, (0.1 * 1 + 0.2 * 3) / 0.3);
  EXPECT_NEAR(*bounds.ideal_saturation(config), 0.3 / 0.7, 1e-12);
  // 0.1 of neighbour leaves 0.9 of a link to tornado, which needs 3; 0.2 of tornado 0.4 to neighbour.
  EXPECT_NEAR(*bounds.ideal_saturation(config, 1), 0.9 / 3, 1e-12);
  EXPECT_NEAR(*bounds.ideal_saturation(config, 0), 0.4, 1e-12);
  // Messages: 0.1 of one flit, 0.2 / 4 of four.
  const double neighbour = 2 * 2;
  const double tornado = 4 * 2 + 3;
  EXPECT_NEAR(*bounds.all.zero_load_latency, (0.1 * neighbour + 0.05 * tornado) / 0.15, 1e-12);
}

TEST(TrafficClassesBounds, ClassThatBeginsLateOrEnds_LeavesNoBoundOfAnyLoad) {
  for (const char* const time : {"start: 300", "end: 6300"}) {
    ExperimentConfig config(Topology(TopologyKind::torus, {8}));
    const TrafficBounds bounds = bounds_of(
        fmt::format("{{classes: [{{traffic: neighbour, load: 0.1}}, {{traffic: tornado, load: 0.2, {}}}]}}",
                    time),
        config);
    EXPECT_FALSE(bounds.ideal_saturation(config)) << time;
    EXPECT_FALSE(bounds.ideal_saturation(config, 0)) << time;
    EXPECT_FALSE(bounds.ideal_saturation(config, 1)) << time;
  }
}

/// With a head for a flit of neighbour, and one for four of tornado.
TEST(TrafficClassesBounds, HeadsOfPackets_TakeTheirPartOfLinks) {
  ExperimentConfig config(Topology(TopologyKind::torus, {8}));
  const TrafficBounds bounds = bounds_of(
      "{classes: [{traffic: neighbour, load: 0.1, message: 8}, {traffic: tornado, load: 0.2, message: 32}]}\n"
      "packet: {payload: 32, head_flits: 1}",
      config);
  EXPECT_NEAR(*bounds.ideal_saturation(config, 1), (1 - 0.1 * 2) / 3 / (5.0 / 4), 1e-12);
  EXPECT_NEAR(*bounds.ideal_saturation(config, 0), (1 - 0.2 * 3 * 5.0 / 4) / 2, 1e-12);
}

/// Of a pattern on a mesh of 8 x 8.
TrafficBounds mesh_bounds(const std::string& routing, const std::string& more, ExperimentConfig& config,
                          const std::string& keys = "") {
  config = parse_config("flitscope: 1\ntopology: {kind: mesh, shape: [8, 8]}\nrouter: {routing: " + routing +
                            "}\n" + more + "workload: {traffic: transpose" + keys + "}\n",
                        "c.yaml", "/");
  const OfferedPatterns patterns = make_traffic_patterns(config);
  resolve_auto_settings(config, traffic_facts(config));
  return traffic_bounds(config, patterns);
}

/// Dimension 0 first, seven nodes of a row send over the link at its corner. An adaptive function can use all
/// eight links between columns 3 and 4, which 16 nodes send over.
TEST(TrafficBounds, AdaptiveFunction_SharesTheLinksOfAPlane) {
  ExperimentConfig config(Topology(TopologyKind::mesh, {8}));
  const TrafficBounds fixed = mesh_bounds("dimension-order", "", config);
  EXPECT_DOUBLE_EQ(*fixed.ideal_saturation(config), 1.0 / 7);
  EXPECT_TRUE(fixed.all.load->busiest);
  for (const char* const routing : {"duato", "minimal-adaptive", "odd-even"}) {
    const TrafficBounds adaptive = mesh_bounds(routing, "", config);
    EXPECT_DOUBLE_EQ(*adaptive.ideal_saturation(config), 0.5) << routing;
    EXPECT_DOUBLE_EQ(adaptive.all.load->max_channel_load, 2) << routing;
    EXPECT_FALSE(adaptive.all.load->busiest) << routing;
    EXPECT_EQ(adaptive.all.load->hops_mean, fixed.all.load->hops_mean);
  }
}

/// Every link by the definition: the paths of all pairs.
TEST(TrafficBounds, Valiant_HasTheLoadsOfItsPaths) {
  for (const unsigned paths : {1U, 4U}) {
    ExperimentConfig config(Topology(TopologyKind::mesh, {8}));
    const TrafficBounds bounds = mesh_bounds("valiant", "", config, fmt::format(", drawn_paths: {}", paths));
    const Topology& mesh = config.topology;
    std::vector<double> loads(mesh.channel_ids());
    double hops = 0;
    for (NodeId message = 0; message < 64 * paths; ++message) {
      const NodeId source = message / paths;
      const NodeId destination = source % 8 * 8 + source / 8;
      const auto draw = static_cast<std::uint8_t>(message % paths);
      NodeId at = source;
      for (const NodeId target : {random_intermediate(mesh, source, destination, draw), destination}) {
        while (at != target && at != destination && source != destination) {
          const unsigned dimension = at % 8 != target % 8 ? 0 : 1;
          const bool down = dimension == 0 ? target % 8 < at % 8 : target < at;
          const unsigned port = 2 * dimension + (down ? 1 : 0);
          loads[mesh.channel(at, port)] += 1.0 / paths;
          hops += 1.0 / paths;
          at = *mesh.neighbour(at, port);
        }
      }
    }
    EXPECT_EQ(bounds.all.load->channels, loads);
    EXPECT_DOUBLE_EQ(bounds.all.load->hops_mean, hops / 56);
    EXPECT_DOUBLE_EQ(*bounds.ideal_saturation(config), 1 / std::ranges::max(loads));
  }
}

TEST(TrafficBounds, DrawnPathsOfAFunctionThatDrawsNone_HaveNoEffect) {
  ExperimentConfig config(Topology(TopologyKind::mesh, {8}));
  EXPECT_EQ(mesh_bounds("dimension-order", "", config, ", drawn_paths: 7").all.load->channels,
            mesh_bounds("dimension-order", "", config).all.load->channels);
}

/// A link between columns 3 and 4 takes a flit every second cycle: the plane has room for 7.5 flits a cycle.
TEST(TrafficBounds, SlowLink_IsBusyForItsInterval) {
  ExperimentConfig config(Topology(TopologyKind::mesh, {8}));
  const std::string slow = "links: [{at: '[3, 0]+0', cycles_per_flit: 2}]\n";
  EXPECT_DOUBLE_EQ(*mesh_bounds("duato", slow, config).ideal_saturation(config), 7.5 / 16);
  const TrafficBounds fixed =
      mesh_bounds("dimension-order", "links: [{at: '[3, 5]+0', cycles_per_flit: 8}]\n", config);
  EXPECT_EQ(fixed.all.load->busiest, config.topology.channel(3 + 8 * 5, 0));
  EXPECT_DOUBLE_EQ(fixed.all.load->max_channel_load, 4);
}

TEST(TrafficClassesBounds, RouteOfAnyClass_CanCloseADependencyCycle) {
  const auto verdict = [](const std::string& classes) {
    ExperimentConfig config = parse_config(
        "flitscope: 1\ntopology: {kind: torus, shape: [8]}\nrouter: {virtual_channels: 1, allow_deadlock: "
        "true}\nworkload: {classes: [" +
            classes + "]}\n",
        "c.yaml", "/");
    resolve_auto_settings(config, traffic_facts(config));
    return check_deadlock(config, Scope::traffic).analysis.verdict;
  };
  EXPECT_EQ(verdict("{traffic: neighbour}"), DeadlockVerdict::free);
  EXPECT_EQ(verdict("{traffic: neighbour}, {traffic: tornado}"), DeadlockVerdict::can_deadlock);
}

TEST(TrafficClassesRun, ErrorOfAPattern_NamesItsClass) {
  const auto refusal = [](const std::string& second, const std::string& shape) {
    try {
      static_cast<void>(
          run_experiment(parse_config("flitscope: 1\ntopology: {kind: torus, shape: " + shape +
                                          "}\nworkload: {classes: [{traffic: uniform}, {" + second + "}]}\n",
                                      "c.yaml", "/")));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_TRUE(refusal("traffic: hotspot, nodes: [[9, 9]]", "[4, 4]").starts_with("c.yaml:3:68: "))
      << refusal("traffic: hotspot, nodes: [[9, 9]]", "[4, 4]");
  EXPECT_TRUE(refusal("traffic: bit-reverse", "[3, 4]").starts_with("c.yaml:2:"));
  EXPECT_NE(refusal("traffic: matrix, rates: nowhere.csv", "[4, 4]").find("nowhere.csv: cannot be read"),
            std::string::npos);
}

}  // namespace
}  // namespace flitscope::test::traffic_classes_run_test
