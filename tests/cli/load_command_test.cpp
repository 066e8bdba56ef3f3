// flitscope load as a user runs it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/csv.h"
#include "tests/support/program.h"

namespace flitscope::test::load_command_test {
namespace {

using Json = nlohmann::json;

const std::string kMesh =
    "flitscope: 1\nname: small\ntopology: {kind: mesh, shape: [4, 4]}\nnode: {ports: 1}\n"
    "workload: {traffic: uniform, message: 32, warmup: 500, measure: 2000}\n";

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

TEST(Load, AutomaticLoads_RiseToSaturation) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("small.yaml", kMesh);
  const std::string plot = directory / "curve.svg";
  const Outcome outcome = run_program({"load", config, "--json", "--quiet", "--plot", plot});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const Json curve = Json::parse(outcome.out);
  const Json& points = curve["points"];
  const double saturation = curve["saturation_flits_per_node_cycle"];
  EXPECT_GT(saturation, 0.3);
  EXPECT_LT(saturation, curve["ideal_saturation_flits_per_node_cycle"].get<double>());
  EXPECT_NEAR(points[0]["latency_mean_cycles"].get<double>(), curve["zero_load_latency_cycles"].get<double>(),
              0.7);
  double last = 0;
  for (const Json& point : points) {
    EXPECT_TRUE(point["verified"]);
    if (point["load"].get<double>() > saturation) break;
    EXPECT_EQ(point["status"], "ok");
    EXPECT_GT(point["latency_mean_cycles"].get<double>(), last);
    last = point["latency_mean_cycles"];
  }
  EXPECT_EQ(points.back()["status"], "saturated");
  EXPECT_TRUE(points.back()["latency_mean_cycles"].is_null());
  EXPECT_FALSE(points.back()["worst_channels"].empty());
  std::stringstream picture;
  picture << std::ifstream(plot).rdbuf();
  EXPECT_TRUE(picture.str().starts_with("<svg"));
  EXPECT_TRUE(contains(picture.str(), "saturation"));
}

/// Two flows of 64 share a link and have 4% too much: less than 1% of all flits wait in the end.
TEST(Load, LoadBeyondTheBoundOfAFewFlows_IsSaturated) {
  const TemporaryDirectory directory;
  std::string partners = "2 3 0 1";
  for (unsigned node = 4; node < 64; ++node) partners += " " + std::to_string(node ^ 1U);
  const std::string config = directory.write("few.yaml",
                                             "flitscope: 1\ntopology: {kind: mesh, shape: [64]}\nnode: "
                                             "{ports: 1, flit_bytes: 8}\nworkload: {traffic: "
                                             "permutation, destinations: " +
                                                 directory.write("partners.txt", partners).string() +
                                                 ", load: 0.52, message: 8, warmup: 500, measure: 5000}\n");
  const Outcome curve = run_program({"load", config, "--rates", "0.45,0.52", "--json", "--quiet"});
  const Json points = Json::parse(curve.out)["points"];
  EXPECT_EQ(points[0]["status"], "ok");
  EXPECT_EQ(points[1]["status"], "saturated");
  EXPECT_TRUE(points[1]["latency_mean_cycles"].is_null());
  const Outcome run = run_program({"run", config});
  EXPECT_TRUE(contains(run.out, "status      saturated: the load is beyond the bound")) << run.out;
}

/// A link takes 10 flits in 21 cycles, and one class has 0.3 of them.
TEST(Load, LoadOfAClassBeyondItsBound_IsSaturated) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "classes.yaml",
      "flitscope: 1\ntopology: {kind: mesh, shape: [64]}\nlinks: [{at: '[0]+0', cycles_per_flit: 21/10}]\n"
      "workload: {warmup: 500, measure: 4000, classes: [{name: a, traffic: neighbour, load: 0.3, message: "
      "8}, "
      "{name: b, traffic: neighbour, load: 0.1, message: 8}]}\n");
  const Outcome curve =
      run_program({"load", config, "--class", "b", "--rates", "0.17,0.2", "--json", "--quiet"});
  const Json points = Json::parse(curve.out)["points"];
  EXPECT_EQ(points[0]["status"], "ok");
  EXPECT_EQ(points[1]["status"], "saturated");
}

/// One source and one target: a round trip of 25 cycles, so the throughput rises by 1/25 with each request.
TEST(Load, ClosedLoop_DrawsThroughputAgainstOutstandingRequests) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "loop.yaml",
      "flitscope: 1\nname: loop\ntopology: {kind: mesh, shape: [2]}\nnode: {ports: 1, flit_bytes: 8}\n"
      "workload: {protocol: request-reply, sources: [[0]], targets: [[1]], outstanding: 2, service: "
      "{latency: "
      "10}, warmup: 100, measure: 2500}\n");
  const std::string curve = directory / "curve";
  const Outcome outcome = run_program({"load", config, "--json", "--quiet", "--out", curve});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json points = Json::parse(outcome.out)["points"];
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0]["outstanding"], 1);
  EXPECT_DOUBLE_EQ(points[0]["round_trips_per_cycle"], 1.0 / 25);
  EXPECT_DOUBLE_EQ(points[1]["round_trips_per_cycle"], 2.0 / 25);
  EXPECT_EQ(run_program({"report", curve, "--out", directory / "page.html"}).exit_code, 0);
  const Outcome wrong = run_program({"load", config, "--rates", "0.5"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_TRUE(contains(wrong.err, "whole numbers from 1")) << wrong.err;
}

/// With twice the latency of the service a round trip takes 35 cycles.
TEST(Run, QueueOfAProtocol_IsThatOfATarget) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("loop.yaml",
                                             "flitscope: 1\ntopology: {kind: mesh, shape: [2]}\nnode: "
                                             "{ports: 1}\nworkload: {protocol: request-reply, "
                                             "sources: [[0]], targets: [[1]], outstanding: 1, service: "
                                             "{latency: 10}, warmup: 100, measure: 1000}\n");
  const Outcome outcome = run_program({"run", config});
  EXPECT_TRUE(contains(outcome.out, "on average 0.000 at [1], at most")) << outcome.out << outcome.err;
}

TEST(Load, SeveralClosedLoops_AreCurvesOfOneTableAndPage) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "loop.yaml",
      "flitscope: 1\nname: loop\ntopology: {kind: mesh, shape: [2]}\nnode: {ports: 1, flit_bytes: 8}\n"
      "workload: {protocol: request-reply, sources: [[0]], targets: [[1]], outstanding: 1, service: "
      "{latency: 10}, warmup: 100, measure: 3500}\n");
  const std::string out = directory / "curves";
  const Outcome outcome = run_program(
      {"load", config, "--vary", "workload.service.latency=10,20", "--json", "--quiet", "--out", out});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json curves = Json::parse(outcome.out)["curves"];
  ASSERT_EQ(curves.size(), 2U);
  EXPECT_EQ(curves[1]["curve"], "latency 20");
  EXPECT_DOUBLE_EQ(curves[0]["points"][0]["round_trips_per_cycle"], 1.0 / 25);
  EXPECT_DOUBLE_EQ(curves[1]["points"][0]["round_trips_per_cycle"], 1.0 / 35);
  EXPECT_TRUE(contains(text_of(out + "/outstanding.csv"), "latency 20,1,ok,"));
  EXPECT_TRUE(contains(text_of(out + "/outstanding.svg"), "latency 20"));
  EXPECT_EQ(run_program({"report", out, "--out", directory / "page.html"}).exit_code, 0);
}

TEST(Load, SeveralSchedulesBesideTraffic_AreCurvesOfOneTableAndPage) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "beside.yaml",
      "flitscope: 1\nname: beside\ntopology: {kind: torus, shape: [4, 4]}\nworkload: {algorithm: "
      "all-gather-ring, message: 1KiB, background: {traffic: uniform, load: 0.1}}\n");
  const std::string out = directory / "curves";
  const Outcome outcome = run_program(
      {"load", config, "--vary", "router.buffer=4,16", "--rates", "0.1", "--json", "--quiet", "--out", out});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json curves = Json::parse(outcome.out)["curves"];
  ASSERT_EQ(curves.size(), 2U);
  for (const Json& curve : curves) {
    ASSERT_EQ(curve["points"].size(), 2U);
    EXPECT_EQ(curve["points"][0]["slowdown"], 1);
    EXPECT_GT(curve["points"][1]["slowdown"].get<double>(), 1);
  }
  EXPECT_EQ(run_program({"report", out, "--out", directory / "page.html"}).exit_code, 0);
  const std::string open = directory.write("small.yaml", kMesh);
  const Outcome mixed = run_program({"load", config, open, "--rates", "0.1"});
  EXPECT_EQ(mixed.exit_code, 2);
  EXPECT_TRUE(contains(mixed.err, "must be of one kind")) << mixed.err;
  const std::string requests = directory.write(
      "requests.yaml",
      "flitscope: 1\ntopology: {kind: mesh, shape: [2]}\nworkload: {protocol: request-reply, sources: [[0]], "
      "targets: [[1]], requests: {load: 0.05}, request: 8, reply: 64, warmup: 0, measure: 200}\n");
  const Outcome units = run_program({"load", open, requests, "--rates", "0.01"});
  EXPECT_EQ(units.exit_code, 2);
  EXPECT_TRUE(contains(units.err, "must be of one kind")) << units.err;
  std::string text = kMesh;
  text.replace(text.find("ports: 1"), 8, "ports: 1, flit_bytes: 16");
  const std::string wide = directory.write("wide.yaml", text);
  EXPECT_TRUE(
      contains(run_program({"load", open, wide, "--rates", "0.1"}).out, "\n(flits or clocks differ: "));
  EXPECT_FALSE(
      contains(run_program({"load", open, open, "--rates", "0.1"}).out, "(flits or clocks differ: "));
}

TEST(Load, DeadlockBeforeTheMeasurement_HasNoRates) {
  const TemporaryDirectory directory;
  const std::string config =
      directory.write("ring.yaml",
                      "flitscope: 1\ntopology: {kind: torus, shape: [8]}\nrouter: {virtual_channels: 1, "
                      "allow_deadlock: true}\n"
                      "workload: {traffic: uniform, message: 256, warmup: 50000, measure: 1000}\n");
  const Outcome outcome = run_program({"load", config, "--rates", "0.5", "--json"});
  EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
  const Json point = Json::parse(outcome.out)["points"][0];
  EXPECT_EQ(point["status"], "unfinished");
  EXPECT_TRUE(point["offered"].is_null() && point["accepted"].is_null()) << point;
}

TEST(Load, ClosedLoopThatItsLimitCuts_HasNoRatesOfItsMeasurement) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "loop.yaml",
      "flitscope: 1\ntopology: {kind: mesh, shape: [4]}\n"
      "workload: {protocol: request-reply, outstanding: 2, request: 8, reply: 64, warmup: 50, "
      "measure: 600}\nlimits: {cycles: 100}\n");
  const Json point = Json::parse(run_program({"load", config, "--rates", "2", "--json"}).out)["points"][0];
  EXPECT_TRUE(point["accepted"].is_null()) << point;
  const Json protocol = Json::parse(run_program({"run", config, "--json"}).out)["protocol"];
  for (const char* const key : {"requests_by_node", "answers_by_node"})
    EXPECT_TRUE(protocol[key]["least"].is_null() && protocol[key]["most"].is_null()) << protocol[key];
  EXPECT_GT(protocol["round_trip"]["messages"], 0);
}

TEST(Load, Protocol_CountsLoadsInFlitsOfRequests) {
  const TemporaryDirectory directory;
  const std::string config =
      directory.write("open.yaml",
                      "flitscope: 1\ntopology: {kind: mesh, shape: [2]}\nnode: {ports: 1, flit_bytes: 8}\n"
                      "workload: {protocol: request-reply, sources: [[0]], targets: [[1]], requests: {load: "
                      "0.05}, request: 8, "
                      "reply: 64, warmup: 100, measure: 5000}\n");
  const Arguments words{"load", config, "--rates", "0.05"};
  EXPECT_TRUE(contains(run_program(words).out, "at best            0.125 flits of requests/node/cycle"));
  const Json curve = Json::parse(run_program({"load", config, "--rates", "0.05", "--json"}).out);
  EXPECT_EQ(curve["load_unit"], "flits of requests/node/cycle");
  EXPECT_EQ(curve["ideal_saturation_flits_per_node_cycle"], 0.125);
  EXPECT_NEAR(curve["points"][0]["accepted"].get<double>(), 0.05 * 4.5, 0.02)
      << "nine flits, of one node in two";
}

TEST(Load, ClassBesideOneThatEnds_HasNoBound) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "burst.yaml",
      "flitscope: 1\ntopology: {kind: mesh, shape: [4, 4]}\nnode: {ports: 1}\nworkload: {classes: ["
      "{name: data, traffic: uniform, load: 0.1, message: 64}, {name: burst, traffic: bit-complement, "
      "load: 0.3, message: 64, start: 600, end: 900}], warmup: 500, measure: 2000}\n");
  const std::string out = directory / "curve";
  const Outcome outcome =
      run_program({"load", config, "--class", "data", "--rates", "0.1,0.4", "--out", out});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_FALSE(contains(outcome.out, "at best")) << outcome.out;
  EXPECT_EQ(read_csv(out + "/load-summary.csv").rows.at(0).text("ideal_saturation_flits_per_node_cycle"), "");
  const Json curve = Json::parse(text_of(out + "/load.json"));
  EXPECT_TRUE(curve["ideal_saturation_flits_per_node_cycle"].is_null());
  EXPECT_EQ(run_program({"report", out, "--out", directory / "page.html"}).exit_code, 0);
  const Outcome run = run_program({"run", config});
  EXPECT_FALSE(contains(run.out, "at best")) << run.out;
  const Json bounds = Json::parse(run_program({"run", config, "--json"}).out)["traffic"]["bounds"];
  EXPECT_TRUE(bounds["ideal_saturation_flits_per_node_cycle"].is_null() && bounds["limited_by"].is_null())
      << bounds;
  EXPECT_GT(bounds["max_channel_load"], 0);
}

TEST(Load, LatencyAtAHighLoad_IsNoZeroLoadLatency) {
  const TemporaryDirectory directory;
  // Buffers too short to stream: no formula has the latency.
  const std::string config = directory.write("short.yaml", std::string(kMesh) + "router: {buffer: 2}\n");
  const auto zero_load = [&](const char* rates) {
    return Json::parse(run_program({"load", config, "--json", "--quiet", "--rates", rates}).out)
        .at("zero_load_latency_cycles");
  };
  EXPECT_TRUE(zero_load("0.2").is_null());
  EXPECT_GT(zero_load("0.005,0.2"), 0);
}

/// Cycles of 2 ns, in the tables of every study.
TEST(Studies, WithAClock_TimesStandBesideCycles) {
  const TemporaryDirectory directory;
  const std::string start =
      "flitscope: 1\nname: c\nclock: 500MHz\ntopology: {kind: torus, shape: [4, 4]}\nnode: {ports: 1}\n";
  const std::string traffic =
      directory.write("t.yaml", start + "workload: {traffic: uniform, warmup: 100, measure: 500}\n");
  const std::string schedule = directory.write(
      "s.yaml",
      start +
          "workload: {algorithm: all-gather-ring, message: 64, background: {traffic: uniform, load: 0.1}}\n");
  const std::string loop = directory.write(
      "l.yaml", start + "workload: {protocol: request-reply, outstanding: 2, warmup: 100, measure: 500}\n");
  const std::string out = directory / "curve";
  const std::vector<Arguments> commands{{"load", traffic, "--rates", "0.1,0.2", "--csv", "--out", out},
                                        {"load", schedule, "--rates", "0.1", "--csv"},
                                        {"load", loop, "--csv"},
                                        {"what-if", traffic, "--change", "router.delay=2", "--csv"},
                                        {"what-if", schedule, "--change", "router.delay=2", "--csv"}};
  std::vector<std::string> tables;
  for (Arguments words : commands) {
    words.emplace_back("--quiet");
    const Outcome outcome = run_program(words);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    tables.push_back(outcome.out);
  }
  tables.push_back(text_of(out + "/load-summary.csv"));
  for (const std::string& text : tables) {
    const Table table = read_csv(directory.write("table.csv", text));
    ASSERT_FALSE(table.rows.empty());
    int times = 0;
    for (const std::string& name : table.names) {
      if (name.ends_with("flit_cycles")) continue;
      std::string beside = name == "cycles"                           ? "ns"
                           : name == "latency.mean" || name == "ci95" ? name + "_ns"
                                                                      : "";
      if (name.ends_with("_cycles")) beside = name.substr(0, name.size() - 6) + "ns";
      if (beside.empty()) continue;
      ASSERT_EQ(std::ranges::count(table.names, beside), 1) << name << " of " << text;
      for (const Row& row : table.rows) {
        if (row.text(name).empty()) continue;
        EXPECT_NEAR(std::stod(row.text(beside)), 2 * std::stod(row.text(name)), 1e-3) << name;
        ++times;
      }
    }
    EXPECT_GT(times, 0) << text;
  }
}

TEST(Load, Csv_HasTheQuantitiesOfJson) {
  const TemporaryDirectory directory;
  const std::string start = "flitscope: 1\nclock: 3GHz\ntopology: {kind: mesh, shape: [3, 3]}\nworkload: {";
  const std::string phases = "warmup: 100, measure: 700}\n";
  for (const std::string workload :
       {"traffic: uniform, ", "protocol: request-reply, requests: {load: 0.05}, ",
        "protocol: request-reply, outstanding: 2, "}) {
    const std::string config = directory.write("c.yaml", start + workload + phases);
    const std::string rates = workload.find("outstanding") == std::string::npos ? "0.05" : "2";
    const Json point =
        Json::parse(run_program({"load", config, "--rates", rates, "--json"}).out).at("points").at(0);
    const std::string csv = run_program({"load", config, "--rates", rates, "--csv"}).out;
    const Table table = read_csv(directory.write("c.csv", csv));
    for (const auto& [name, value] : point.items()) {
      if (!value.is_number()) continue;
      ASSERT_EQ(std::ranges::count(table.names, name), 1) << name << " of " << csv;
      const auto number = value.get<double>();
      EXPECT_NEAR(std::stod(table.rows[0].text(name)), number, 1e-11 * std::abs(number)) << name;
    }
  }
}

TEST(Studies, TimesOfAnUnevenClock_AreRounded) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "t.yaml",
      "flitscope: 1\nclock: 700ps\ntopology: {kind: mesh, shape: [2]}\nnode: {ports: 1}\n"
      "workload: {algorithm: all-gather-direct, message: 256, background: {traffic: uniform}}\n");
  const Outcome outcome = run_program({"load", config, "--rates", "0.05,0.1", "--csv", "--quiet"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const std::string digits : {"99999999", "00000001"})
    EXPECT_FALSE(contains(outcome.out, digits)) << outcome.out;
}

TEST(Load, Sweep_HasACurveForEachRun) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "sweep.yaml", kMesh +
                        "sweep: {router.buffer: [2, 8], workload.traffic: [uniform, transpose], exclude: "
                        "[{router.buffer: 2, workload.traffic: transpose}]}\n");
  const Outcome outcome = run_program({"load", config, "--rates", "0.1", "--json", "--quiet"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json curves = Json::parse(outcome.out)["curves"];
  ASSERT_EQ(curves.size(), 3U);
  EXPECT_EQ(curves[0]["curve"], "buffer 2, uniform");
  EXPECT_EQ(curves[1]["curve"], "buffer 8, uniform");
  EXPECT_EQ(curves[2]["curve"], "buffer 8, transpose");
  EXPECT_EQ(curves[2]["pattern"], "transpose");
  EXPECT_FALSE(curves[2]["summary"]["latency_mean_at_0.1_cycles"].is_null());
}

/// Dimension-order routing carries a third at most.
TEST(Load, AdaptiveRouting_SaturatesBeyondTheBoundOfOnePath) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("small.yaml", kMesh);
  const Outcome outcome = run_program({"load", config, "--set", "workload.traffic=transpose", "--set",
                                       "router.routing=duato", "--set", "node.ports=all", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json curve = Json::parse(outcome.out);
  EXPECT_EQ(curve["ideal_saturation_flits_per_node_cycle"], 1);
  EXPECT_GT(curve["saturation_flits_per_node_cycle"].get<double>(), 0.34);
  EXPECT_EQ(curve["points"].back()["status"], "saturated");
}

TEST(Load, GivenRates_AreThePointsWithAnyJobs) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("small.yaml", kMesh);
  const Outcome one = run_program({"load", config, "--rates", "0.3,0.1,0.2", "--csv", "--jobs", "1"});
  ASSERT_EQ(one.exit_code, 0) << one.err;
  EXPECT_EQ(run_program({"load", config, "--rates", "0.3,0.1,0.2", "--csv", "--jobs", "3"}).out, one.out);
  std::istringstream lines(one.out);
  std::vector<std::string> loads;
  for (std::string line; std::getline(lines, line);) loads.push_back(line.substr(0, line.find(',')));
  EXPECT_EQ(loads, (std::vector<std::string>{"load", "0.1", "0.2", "0.3"}));
}

TEST(Load, Classes_AreScaledTogetherOrOneIsVaried) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "classes.yaml",
      "flitscope: 1\nname: classes\ntopology: {kind: mesh, shape: [4, 4]}\nworkload: {warmup: 500, measure: "
      "2000, classes: [{name: bulk, traffic: uniform, load: 0.3, message: 32}, {name: control, traffic: "
      "hotspot, load: 0.1, message: 8}]}\n");
  const Outcome together = run_program({"load", config, "--rates", "0.1,0.2", "--json"});
  ASSERT_EQ(together.exit_code, 0) << together.err;
  const Json points = Json::parse(together.out)["points"];
  ASSERT_EQ(points.size(), 2U);
  for (const Json& point : points) {
    const Json& classes = point["classes"];
    ASSERT_EQ(classes.size(), 2U);
    EXPECT_EQ(classes[1]["name"], "control");
    EXPECT_NEAR(classes[0]["offered"].get<double>(), 0.75 * point["load"].get<double>(), 0.01);
    EXPECT_NEAR(classes[1]["offered"].get<double>(), 0.25 * point["load"].get<double>(), 0.01);
    EXPECT_NEAR(classes[0]["offered"].get<double>() + classes[1]["offered"].get<double>(),
                point["offered"].get<double>(), 1e-9);
    for (const Json& each : classes) EXPECT_GT(each["ci95_cycles"].get<double>(), 0);
  }
  const Outcome one = run_program({"load", config, "--rates", "0.05,0.1", "--class", "control", "--csv"});
  ASSERT_EQ(one.exit_code, 0) << one.err;
  const Table table = read_csv(directory.write("one.csv", one.out));
  ASSERT_EQ(table.rows.size(), 2U);
  for (const Row& row : table.rows) {
    const auto number = [&](const char* column) { return std::stod(row.text(column)); };
    EXPECT_NEAR(number("bulk_offered"), 0.3, 0.02);
    EXPECT_NEAR(number("control_offered"), number("load"), 0.01);
    EXPECT_GT(number("bulk_latency_mean_cycles"), number("control_latency_mean_cycles"));
    EXPECT_GT(number("bulk_ci95_cycles"), 0);
    EXPECT_NE(number("bulk_ci95_cycles"), number("control_ci95_cycles"));
  }
  EXPECT_TRUE(
      contains(run_program({"load", config, "--class", "x"}).err, "no class is called 'x'; there are bulk"));
  EXPECT_TRUE(contains(run_program({"load", config, "--rates", "1.2", "--set", "node.ports=1"}).err,
                       "loads of the classes up to this one are 1.2 flits/cycle, more than 1"));
}

TEST(Load, SeveralValues_AreCurvesOfOneTableAndPlot) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("small.yaml", kMesh);
  const std::string out = directory / "curves";
  const Arguments words{"load",    config,
                        "--vary",  "router.routing=dimension-order,odd-even",
                        "--vary",  "router.virtual_channels=1,2",
                        "--rates", "0.1,0.2",
                        "--out",   out};
  const Outcome text = run_program(words);
  ASSERT_EQ(text.exit_code, 0) << text.err;
  EXPECT_TRUE(contains(text.out, "odd-even, virtual_channels 2")) << text.out;
  const Table points = read_csv(out + "/load.csv");
  ASSERT_EQ(points.rows.size(), 8U);
  EXPECT_EQ(points.rows[0].text("curve"), "dimension-order, virtual_channels 1");
  EXPECT_EQ(points.rows[7].text("curve"), "odd-even, virtual_channels 2");
  const Table summary = read_csv(out + "/load-summary.csv");
  ASSERT_EQ(summary.rows.size(), 4U);
  EXPECT_EQ(summary.rows[3].text("curve"), "odd-even, virtual_channels 2");
  // Each is the run of its configuration.
  const Json all = Json::parse(text_of(out + "/load.json"));
  const Json alone = Json::parse(run_program({"load", config, "--set", "router.routing=odd-even", "--set",
                                              "router.virtual_channels=2", "--rates", "0.1,0.2", "--json"})
                                     .out);
  EXPECT_EQ(all["curves"][3]["points"], alone["points"]);
  EXPECT_EQ(all["curves"][3]["summary"]["latency_mean_at_0.2_cycles"],
            alone["points"][1]["latency_mean_cycles"]);
  const std::string svg = text_of(out + "/load.svg");
  for (const Json& curve : all["curves"]) EXPECT_TRUE(contains(svg, curve["curve"].get<std::string>()));
}

TEST(Load, SeveralFiles_AreNamedByTheirExperiments) {
  const TemporaryDirectory directory;
  const std::string mesh = directory.write("small.yaml", kMesh);
  const std::string tree = directory.write(
      "tree.yaml",
      "flitscope: 1\nname: tree\ntopology: {kind: k-ary-n-tree, k: 2, n: 2}\nworkload: {traffic: uniform, "
      "warmup: 500, measure: 2000}\n");
  const Outcome outcome = run_program({"load", mesh, tree, "--rates", "0.1", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json curves = Json::parse(outcome.out)["curves"];
  ASSERT_EQ(curves.size(), 2U);
  EXPECT_EQ(curves[0]["curve"], "small");
  EXPECT_EQ(curves[1]["curve"], "tree");
}

TEST(Load, SeveralFilesWithoutNames_AreNamedByTheirFiles) {
  const TemporaryDirectory directory;
  const std::string text =
      "flitscope: 1\ntopology: {kind: mesh, shape: [4, 4]}\nworkload: {traffic: uniform, warmup: 100, "
      "measure: "
      "300}\n";
  const std::string narrow = directory.write("narrow.yaml", text);
  const std::string deep = directory.write("deep.buffers.yaml", text + "router: {buffer: 16}\n");
  const std::string out = directory / "out";
  const Outcome outcome = run_program(
      {"load", narrow, deep, "--vary", "router.delay=1,2", "--rates", "0.1", "--json", "--out", out});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json curves = Json::parse(outcome.out)["curves"];
  ASSERT_EQ(curves.size(), 4U);
  EXPECT_EQ(curves[0]["curve"], "narrow, delay 1");
  EXPECT_EQ(curves[0]["name"], "narrow");
  EXPECT_EQ(curves[3]["curve"], "deep.buffers, delay 2");
  EXPECT_TRUE(contains(text_of(out + "/load.svg"), "deep.buffers, delay 2"));
  // One file is what it is called alone.
  const Outcome one = run_program({"load", narrow, "--rates", "0.1", "--json"});
  EXPECT_EQ(Json::parse(one.out)["name"], "unnamed");
}

TEST(Load, StatedLoads_AreRunBesideTheSearch) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("small.yaml", kMesh);
  const Outcome outcome = run_program({"load", config, "--at", "0.15,0.95", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json curve = Json::parse(outcome.out);
  EXPECT_GT(curve["saturation_flits_per_node_cycle"].get<double>(), 0.3);
  EXPECT_GT(curve["summary"]["latency_mean_at_0.15_cycles"].get<double>(), 0);
  EXPECT_TRUE(curve["summary"]["latency_mean_at_0.95_cycles"].is_null());
}

TEST(Load, Distribution_HasTheMessagesAndQuantilesOfThePoint) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("small.yaml", kMesh);
  const Json point =
      Json::parse(run_program({"load", config, "--rates", "0.2", "--json"}).out)["points"].front();
  std::uint64_t messages = 0;
  for (const Json& bin : point["latency_distribution"]) messages += bin[2].get<std::uint64_t>();
  EXPECT_EQ(messages, point["messages"].get<std::uint64_t>());
  EXPECT_LE(point["latency_p99_cycles"].get<int>(), point["latency_p999_cycles"].get<int>());
  EXPECT_LE(point["latency_p999_cycles"].get<int>(), point["latency_max_cycles"].get<int>());
}

TEST(Load, InadmissibleVariant_IsLeftOutAndNamed) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("small.yaml", kMesh);
  const Outcome outcome =
      run_program({"load", config, "--vary", "workload.message=32,8KiB", "--set",
                   "router.switching=virtual-cut-through", "--set", "router.buffer=16", "--rates", "0.1"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "LEFT OUT: message 8KiB: ")) << outcome.out;
  const Outcome csv = run_program({"load", config, "--vary", "router.routing=dragonfly-minimal,odd-even",
                                   "--rates", "0.1", "--csv", "--quiet"});
  EXPECT_EQ(csv.exit_code, 0) << csv.err;
  EXPECT_TRUE(csv.err.starts_with("flitscope load: LEFT OUT: dragonfly-minimal: ")) << csv.err;
}

TEST(Load, RefusalOfAVariedValue_NamesVary) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("small.yaml", kMesh);
  const std::string values = "router.routing=dimension-order,grid-dimension-order";
  const Outcome outcome = run_program({"load", config, "--vary", values, "--rates", "0.1"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out,
                       "LEFT OUT: grid-dimension-order: --vary router.routing=grid-dimension-order: "
                       "grid-dimension-order does not serve a mesh"))
      << outcome.out;
}

TEST(Load, ValueThatItsKeyCannotHave_IsLeftOutAndNamed) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("small.yaml", kMesh);
  const Outcome some = run_program({"load", config, "--vary", "router.buffer=0,4", "--rates", "0.1"});
  EXPECT_EQ(some.exit_code, 0) << some.err;
  EXPECT_TRUE(some.err.starts_with("flitscope load: LEFT OUT: buffer 0: --vary router.buffer=0: "))
      << some.err;
  EXPECT_TRUE(contains(some.out, "\ncurve        load ")) << some.out;
  EXPECT_TRUE(contains(some.out, "\nbuffer 4      0.1 ")) << some.out;
  const std::string out = directory / "out";
  const Json json = Json::parse(
      run_program({"load", config, "--vary", "router.buffer=0,4", "--rates", "0.1", "--json", "--out", out})
          .out);
  EXPECT_EQ(json.at("curve"), "buffer 4");
  ASSERT_EQ(json.at("left_out").size(), 1U);
  EXPECT_EQ(json.at("left_out")[0].at("curve"), "buffer 0");
  EXPECT_TRUE(json.at("left_out")[0].at("error").get<std::string>().starts_with("--vary router.buffer=0: "));
  EXPECT_EQ(run_program({"report", out}).exit_code, 0);
  const Json several = Json::parse(
      run_program({"load", config, "--vary", "router.buffer=4,0,8", "--rates", "0.1", "--json"}).out);
  EXPECT_EQ(several.at("curves").size(), 2U);
  EXPECT_EQ(several.at("left_out"), json.at("left_out"));
  const Outcome all = run_program({"load", config, "--vary", "router.buffer=0,-1", "--rates", "0.1"});
  EXPECT_EQ(all.exit_code, 2);
  EXPECT_TRUE(contains(all.err, "--vary router.buffer=-1: ")) << all.err;
}

TEST(Load, Quiet_PrintsNoText) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("small.yaml", kMesh);
  const Outcome outcome = run_program({"load", config, "--rates", "0.1", "--quiet"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out + outcome.err, "");
}

TEST(Load, ShortMeasurementAfterAGivenWarmUp_IsWarnedOf) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "short.yaml",
      "flitscope: 1\ntopology: {kind: torus, shape: [4, 4]}\nworkload: {traffic: uniform, message: 64}\n");
  const auto warns = [&](const char* warmup, const char* measure) {
    const Outcome outcome =
        run_program({"load", config, "--rates", "0.1,1.5", "--set", std::string("workload.warmup=") + warmup,
                     "--set", std::string("workload.measure=") + measure});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return contains(outcome.out, "may end before saturation shows");
  };
  EXPECT_TRUE(warns("0", "100"));
  EXPECT_TRUE(warns("500", "100"));
  EXPECT_FALSE(warns("0", "2000"));
  EXPECT_FALSE(warns("auto", "100"));
}

TEST(Load, EveryNodeToItself_IsRefusedUnlessItsMessagesPassItsRouter) {
  const TemporaryDirectory directory;
  const std::string start = "flitscope: 1\ntopology: {kind: mesh, shape: [3]}\nnode: {ports: 1}\n";
  const std::string destinations = directory.write("destinations.txt", "0 1 2\n");
  const std::string rates = directory.write("rates.csv", "1,0,0\n0,2,0\n0,0,3\n");
  const std::string phases = "warmup: 0, measure: 2000}\n";
  const std::string permutation = directory.write(
      "permutation.yaml",
      start + "workload: {traffic: permutation, destinations: " + destinations + ", " + phases);
  const std::string matrix =
      directory.write("matrix.yaml", start + "workload: {traffic: matrix, rates: " + rates + ", " + phases);
  for (const std::string& config : {permutation, matrix}) {
    for (const char* const command : {"run", "verify", "load"}) {
      const Outcome outcome = run_program({command, config});
      EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
      EXPECT_TRUE(contains(outcome.err, ".yaml:4:21: no node sends a message: ")) << outcome.err;
    }
  }
  const Outcome outcome = run_program({"load", permutation, "--set", "workload.self=true", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out)["ideal_saturation_flits_per_node_cycle"], 1.0);
  const Outcome bounds = run_program({"verify", permutation, "--set", "workload.self=true", "--json"});
  EXPECT_TRUE(contains(bounds.out, "\"limited_by\": \"injection at [0]\"")) << bounds.out;
}

TEST(Load, ClassBesideOthersAtTheBound_IsRefusedWithWhatWouldBeRight) {
  const TemporaryDirectory directory;
  // Three nodes send to [0], whose ejection channel takes a flit a cycle.
  const std::string config = directory.write(
      "classes.yaml",
      "flitscope: 1\ntopology: {kind: mesh, shape: [4]}\nnode: {ports: 1}\nworkload:\n  classes:\n"
      "    - {name: a, traffic: hotspot, nodes: [[0]], share: 1, load: 0.5, message: 8}\n"
      "    - {name: b, traffic: hotspot, nodes: [[0]], share: 1, load: 0.1, message: 8}\n"
      "  warmup: 100\n  measure: 500\n");
  for (const char* const load : {"0.5", "0.3333333333333333"}) {
    const Outcome outcome = run_program(
        {"load", config, "--class", "b", "--set", std::string("workload.classes[0].load=") + load});
    EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
    EXPECT_TRUE(contains(outcome.err, "classes.yaml:7:")) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "the other classes")) << outcome.err;
  }
  const Outcome near =
      run_program({"load", config, "--class", "b", "--set", "workload.classes[0].load=0.33333", "--quiet"});
  EXPECT_EQ(near.exit_code, 0) << near.err;
  const Outcome rates = run_program({"load", config, "--class", "b", "--rates", "0.1", "--json"});
  EXPECT_EQ(rates.exit_code, 0) << rates.err;
  EXPECT_EQ(Json::parse(rates.out)["ideal_saturation_flits_per_node_cycle"], 0.0);
}

TEST(Load, NoWaitsForLinks_AreNamedAsSuch) {
  const TemporaryDirectory directory;
  const std::string config =
      directory.write("neighbours.yaml",
                      "flitscope: 1\ntopology: {kind: mesh, shape: [2]}\nnode: {ports: 1}\n"
                      "workload: {traffic: neighbour, message: 64, warmup: 100, measure: 1000}\n");
  const Outcome outcome = run_program({"load", config, "--rates", "1"});
  EXPECT_TRUE(contains(outcome.out, "saturated")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "at 1 no flit waited for a link: messages wait in their sources"))
      << outcome.out;
  EXPECT_FALSE(contains(outcome.out, "waited most for these links")) << outcome.out;
}

TEST(Load, Deadlock_IsNoSaturation) {
  const TemporaryDirectory directory;
  const std::string config =
      directory.write("ring.yaml",
                      "flitscope: 1\ntopology: {kind: torus, shape: [8]}\nrouter: {virtual_channels: 1, "
                      "allow_deadlock: true, "
                      "buffer: 1}\nworkload: {traffic: uniform, message: 64, warmup: 100, measure: 2000}\n");
  const Outcome outcome = run_program({"load", config, "--rates", "0.001,0.8", "--json"});
  EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["points"][1]["status"], "unfinished");
  EXPECT_EQ(json["saturation_flits_per_node_cycle"], nullptr);
  const std::string text = run_program({"load", config, "--rates", "0.001,0.8"}).out;
  EXPECT_TRUE(contains(text, "NOT VERIFIED at 0.8: a deadlock; ")) << text;
}

TEST(Load, PointWithoutAMeasuredMessage_HasNoLatenciesAndHops) {
  const TemporaryDirectory directory;
  const std::string config =
      directory.write("none.yaml",
                      "flitscope: 1\ntopology: {kind: mesh, shape: [4, 4]}\n"
                      "workload: {traffic: uniform, load: 0.0001, warmup: 0, measure: 20}\n");
  const Json curve = Json::parse(run_program({"load", config, "--rates", "0.0001", "--json"}).out);
  const Json run = Json::parse(run_program({"run", config, "--json"}).out).at("traffic");
  const Json& point = curve.at("points")[0];
  EXPECT_TRUE(point.at("hops_mean").is_null());
  EXPECT_TRUE(point.at("latency_mean_cycles").is_null());
  EXPECT_TRUE(run.at("hops_mean").is_null());
  EXPECT_EQ(run.at("latency").at("messages"), 0);
  for (const char* const key : {"min", "mean", "p50", "p99", "p999", "max"}) {
    EXPECT_TRUE(run.at("latency").at(key).is_null()) << key;
    EXPECT_TRUE(run.at("network_latency").at(key).is_null()) << key;
  }
}

TEST(Load, FlitsThatAllArriveAfterTheMeasurement_HaveNoHops) {
  const TemporaryDirectory directory;
  const std::string config =
      directory.write("late.yaml",
                      "flitscope: 1\ntopology: {kind: mesh, shape: [2]}\n"
                      "workload: {traffic: uniform, load: 2, message: 800, warmup: 0, measure: 20}\n");
  const Outcome text = run_program({"run", config});
  EXPECT_TRUE(contains(text.out, " from the entry of the head\n")) << text.out;
  const Json run = Json::parse(run_program({"run", config, "--json"}).out).at("traffic");
  EXPECT_GT(run.at("latency").at("messages"), 0);
  EXPECT_TRUE(run.at("hops_mean").is_null());
  const Json curve = Json::parse(run_program({"load", config, "--rates", "2", "--json"}).out);
  EXPECT_TRUE(curve.at("points")[0].at("hops_mean").is_null());
}

TEST(Load, SweepOfTheLoad_IsRefused) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "sweep.yaml", std::string(kMesh) + "sweep: {workload.load: [0.1, 0.2], router.buffer: [2, 4]}\n");
  const Outcome outcome = run_program({"load", config});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
  EXPECT_TRUE(contains(outcome.err, "sweep.yaml: sweep: every curve has all values of workload.load"))
      << outcome.err;
}

TEST(Load, VaryOfTheClassOfTheCurve_IsRefused) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "classes.yaml",
      "flitscope: 1\ntopology: {kind: mesh, shape: [4, 4]}\nworkload: {warmup: 100, measure: 500, classes: "
      "[{name: a, traffic: uniform, load: 0.1}, {name: b, traffic: tornado, load: 0.1}]}\n");
  const Outcome own =
      run_program({"load", config, "--class", "b", "--vary", "workload.classes[1].load=0.1,0.2"});
  EXPECT_EQ(own.exit_code, 2) << own.out;
  EXPECT_TRUE(contains(own.err, "every curve has all values of workload.classes[1].load")) << own.err;
  EXPECT_EQ(run_program({"load", config, "--class", "b", "--vary", "workload.classes[0].load=0.1,0.2",
                         "--rates", "0.05", "--quiet"})
                .exit_code,
            0);
}

TEST(Load, Mistake_IsRefused) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("small.yaml", kMesh);
  const auto complaint = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"load", config});
    const Outcome outcome = run_program(words);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  EXPECT_TRUE(contains(complaint({"--rates", "0.1,x"}), "'x' is none"));
  const std::string at_most = "workload.load must be at most 1 flits/cycle, not 2";
  EXPECT_TRUE(complaint({"--rates", "0.1,2"}).starts_with("--rates 2: " + at_most));
  EXPECT_TRUE(complaint({"--at", "2"}).starts_with("--at 2: " + at_most));
  EXPECT_TRUE(complaint({"--rates", "0"})
                  .starts_with("--rates 0: workload.load must be at least 0.000000004, a message"));
  EXPECT_TRUE(complaint({"--rates", "7", "--set",
                         "workload={algorithm: all-gather-direct, background: {traffic: uniform}}"})
                  .starts_with("--rates 7: workload.background.load must be at most "));
  EXPECT_TRUE(contains(complaint({"--json", "--csv"}), "leave one out"));
  EXPECT_TRUE(contains(complaint({"--rates", "0.1", "--at", "0.1"}), "leave one out"));
  EXPECT_TRUE(contains(complaint({"--vary", "router.routing"}), "--vary must be KEY=A,B,.."));
  EXPECT_TRUE(contains(complaint({"--vary", "router.buffer=4,,8"}), "has an empty value"));
  EXPECT_TRUE(contains(complaint({"--vary", "router.bufer=4,8"}), "did you mean 'buffer'?"));
  EXPECT_TRUE(contains(complaint({"--vary", "workload.load=0.1,0.2"}),
                       "every curve has all values of workload.load"));
  EXPECT_TRUE(contains(
      complaint({"--set", "workload={protocol: request-reply}", "--vary", "workload.outstanding=1,2"}),
      "all values of workload.outstanding"));
  EXPECT_TRUE(
      contains(complaint({"--set", "workload={algorithm: all-gather-direct, background: {traffic: uniform}}",
                          "--vary", "workload.background.load=0.1,0.2"}),
               "all values of workload.background.load"));
  EXPECT_TRUE(contains(complaint({"--plot", directory / "a.pdf"}), "name a file .svg or .png, not"));
  EXPECT_TRUE(contains(complaint({"--set", "workload.traffic=bit-reverse", "--set", "topology.shape=[3, 4]"}),
                       "power of two"));
  EXPECT_TRUE(
      contains(complaint({"--set", "workload={algorithm: seidel-st-mesh}"}), "a load curve needs traffic"));
}

}  // namespace
}  // namespace flitscope::test::load_command_test
