// Results in the units of the clock.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

#include "tests/support/csv.h"
#include "tests/support/program.h"

namespace flitscope::test::rates_test {
namespace {

using Json = nlohmann::json;

Json json_of(Arguments arguments) {
  arguments.emplace_back("--json");
  const Outcome outcome = run_program(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return Json::parse(outcome.out.empty() ? "{}" : outcome.out);
}

constexpr const char* kAllReduce =
    "flitscope: 1\n"
    "clock: 2GHz\n"
    "topology: {kind: torus, shape: [4, 4]}\n"
    "link: {bandwidth: 100GB/s, delay: 10ns, mm: 2}\n"
    "workload: {algorithm: all-reduce-bucket, message: 1MiB}\n";

TEST(Rates, ZeroLoadLatency_IsInNanoseconds) {
  const TemporaryDirectory directory;
  // S + (links + 1) (R + D) + (L - 1) s: one flit over one link, 2 (1 + 20) cycles.
  const std::string config = directory.write("one.yaml",
                                             "flitscope: 1\nclock: 2GHz\ntopology: {kind: mesh, shape: [2]}\n"
                                             "link: {bandwidth: 128GB/s, delay: 10ns}\n"
                                             "workload: {algorithm: tree-broadcast, message: 64}\n");
  const Json result = json_of({"run", config});
  EXPECT_EQ(result["latency"]["mean"], 42);
  EXPECT_EQ(result["latency"]["mean_ns"], 21);
  EXPECT_EQ(result["cycles"], 42);
  EXPECT_EQ(result["ns"], 21);
  EXPECT_EQ(result["step_ns"], Json::array({21}));
}

TEST(Rates, LongAllReduce_NearsTheBandwidthOfAllLinks) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("all-reduce.yaml", kAllReduce);
  const Json result =
      json_of({"run", config, "--set", "workload.message=16MiB", "--set", "router.buffer=64"});
  const double nanoseconds = result["ns"].get<double>();
  EXPECT_DOUBLE_EQ(nanoseconds, result["cycles"].get<double>() / 2);
  const Json& collective = result["collective"];
  EXPECT_DOUBLE_EQ(collective["algorithm_GBps"].get<double>(), (16 << 20) / nanoseconds);
  EXPECT_DOUBLE_EQ(collective["bus_GBps"].get<double>(),
                   collective["algorithm_GBps"].get<double>() * 2 * 15 / 16);
  // All four links of a node carry data all the time, but for the latency of the steps.
  EXPECT_GT(collective["bus_GBps"].get<double>(), 0.98 * 400);
  EXPECT_LT(collective["bus_GBps"].get<double>(), 400);
  EXPECT_EQ(result["network"]["bisection_GBps"], 8 * 100);
  EXPECT_EQ(result["network"]["wire_mm"], 128);
}

TEST(Rates, BusFactors_AreThoseOfNcclTests) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("collective.yaml", kAllReduce);
  const double others = 15.0 / 16;
  for (const auto& [algorithm, factor] : {std::pair{"all-gather-bucket", others},
                                          {"reduce-scatter-bucket", others},
                                          {"all-to-all-direct", others},
                                          {"all-reduce-tree", 2 * others},
                                          {"tree-broadcast", 1.0}}) {
    const Json result = json_of(
        {"run", config, "--set", std::string("workload={algorithm: ") + algorithm + ", message: 64KiB}"});
    ASSERT_TRUE(result.contains("collective")) << algorithm;
    const double own = result["collective"]["algorithm_GBps"].get<double>();
    EXPECT_DOUBLE_EQ(own, 65536 / result["ns"].get<double>()) << algorithm;
    EXPECT_DOUBLE_EQ(result["collective"]["bus_GBps"].get<double>(), own * factor) << algorithm;
  }
}

TEST(Rates, ScheduleOfAFile_HasTheBandwidthOfItsCollective) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("collective.yaml", kAllReduce);
  for (const char* const algorithm : {"all-reduce-ring", "all-to-all-direct", "reduce-scatter-bucket"}) {
    const std::string workload = std::string("workload={algorithm: ") + algorithm + ", message: 64KiB}";
    const std::string file = directory / (std::string(algorithm) + ".jsonl");
    ASSERT_EQ(run_program({"schedule", config, "--set", workload, "--out", file}).exit_code, 0);
    const Json made = json_of({"run", config, "--set", workload});
    const Json read = json_of({"run", config, "--set", "workload={schedule: " + file + "}"});
    EXPECT_EQ(read["collective"], made["collective"]) << algorithm;
  }
}

TEST(Rates, WarmUpOfTheBackground_IsNoTimeOfTheCollective) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("collective.yaml", kAllReduce);
  const Json result =
      json_of({"run", config, "--set", "workload.background={traffic: uniform, load: 0.01, warmup: 5us}"});
  EXPECT_DOUBLE_EQ(result["collective"]["algorithm_GBps"].get<double>(),
                   (1 << 20) / (result["ns"].get<double>() - 5000));
}

TEST(Rates, WithoutAClock_AreNotThere) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("all-reduce.yaml", kAllReduce);
  const Json result =
      json_of({"run", config, "--set", "clock=null", "--set", "link=null", "--set", "workload.message=1KiB"});
  EXPECT_FALSE(result.contains("ns"));
  EXPECT_FALSE(result.contains("collective"));
  EXPECT_FALSE(result["latency"].contains("mean_ns"));
}

TEST(Rates, EveryKindOfNetwork_HasTimes) {
  for (const char* const name : {"hot-spot.yaml", "uniform-mesh-8x8.yaml", "two-classes-8x8.yaml",
                                 "latency-hiding.yaml", "networks/dragonfly.yaml", "networks/fat-tree.yaml",
                                 "networks/seven-routers.yaml", "networks/mesh-dead-link.yaml"}) {
    Arguments arguments{"run", shipped_config(name), "--set", "clock=1.5GHz"};
    const Json result = json_of(arguments);
    EXPECT_NEAR(result["ns"].get<double>(), result["cycles"].get<double>() / 1.5, 1e-6) << name;
    EXPECT_NEAR(result["latency"]["mean_ns"].get<double>(), result["latency"]["mean"].get<double>() / 1.5,
                1e-6)
        << name;
    if (!result.contains("traffic")) continue;
    const double flit = name == std::string("networks/dragonfly.yaml") ? 0 : 8;
    if (flit == 0) continue;
    EXPECT_NEAR(result["traffic"]["accepted_GBps"].get<double>(),
                result["traffic"]["accepted"].get<double>() * flit * 1.5, 1e-6)
        << name;
  }
}

TEST(Rates, TablesOfARun_HaveTimesAndBandwidths) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("all-reduce.yaml", kAllReduce);
  const std::string out = (directory / "out").string();
  ASSERT_EQ(run_program({"run", config, "--out", out, "--quiet", "--set", "observe.trace=binary", "--set",
                         "router.buffer=4", "--set", "router.virtual_channels=2"})
                .exit_code,
            0);
  // Two cycles are a nanosecond.
  const auto expect_halves = [](const Table& table, const std::string& cycles, const std::string& ns) {
    bool has_any = false;
    for (const Row& row : table.rows) {
      EXPECT_DOUBLE_EQ(std::stod(row.text(ns)), static_cast<double>(row.number(cycles)) / 2) << ns;
      has_any = has_any || row.number(cycles) > 0;
    }
    EXPECT_TRUE(has_any) << cycles;
  };
  const Table steps = read_csv(out + "/steps.csv");
  expect_halves(steps, "cycles", "ns");
  expect_halves(steps, "begin_cycle", "begin_ns");
  expect_halves(steps, "end_cycle", "end_ns");
  const Table channels = read_csv(out + "/channels.csv");
  expect_halves(channels, "longest_wait_cycles", "longest_wait_ns");
  EXPECT_GT(std::stod(channels.rows.front().text("GBps")), 0);
  expect_halves(read_csv(out + "/nodes.csv"), "sending_cycles", "sending_ns");
  expect_halves(read_csv(out + "/critical-path.csv"), "arrival_cycle", "arrival_ns");
  expect_halves(read_csv(out + "/latencies.csv"), "from_cycles", "from_ns");
  // The reader of the binary trace has the clock from its first line.
  const Outcome trace = run_program({"trace", out + "/trace.bin"});
  ASSERT_EQ(trace.exit_code, 0) << trace.err;
  const Table events = read_csv(directory.write("trace.csv", trace.out));
  expect_halves(events, "cycle", "ns");
  expect_halves(events, "stall_cycles", "stall_ns");
}

TEST(Rates, RoundTrips_HaveTimesAndBandwidths) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "c.yaml",
      "flitscope: 1\nclock: 2GHz\ntopology: {kind: mesh, shape: [2]}\n"
      "workload: {protocol: request-reply, sources: [[0]], targets: [[1]], outstanding: 1, request: 8, "
      "reply: 64, service: {latency: 5ns}, warmup: 100, measure: 2500}\n");
  const Json protocol = json_of({"run", config})["protocol"];
  EXPECT_DOUBLE_EQ(protocol["round_trip"]["mean_ns"].get<double>(), 12.5);
  EXPECT_DOUBLE_EQ(protocol["service_mean_ns"].get<double>(), 5);
  EXPECT_DOUBLE_EQ(protocol["GBps"].get<double>(), 72 / 12.5);
  const std::string text = run_program({"run", config}).out;
  EXPECT_NE(text.find("bytes/cycle (5.76 GB/s)"), std::string::npos) << text;
}

TEST(Rates, TablesOfCircuits_HaveTimes) {
  const TemporaryDirectory directory;
  const std::string out = (directory / "out").string();
  ASSERT_EQ(run_program({"run", shipped_config("latency-hiding.yaml"), "--out", out, "--quiet", "--set",
                         "clock=2GHz", "--set", "observe.messages=true"})
                .exit_code,
            0);
  for (const auto& [file, cycles, nanoseconds] : {std::tuple("ports.csv", "sending_cycles", "sending_ns"),
                                                  {"receptions.csv", "receiving_cycles", "receiving_ns"},
                                                  {"messages.csv", "arrival_cycle", "arrival_ns"},
                                                  {"tunings.csv", "ready_cycle", "ready_ns"}}) {
    for (const Row& row : read_csv(out + "/" + file).rows) {
      EXPECT_DOUBLE_EQ(std::stod(row.text(nanoseconds)), static_cast<double>(row.number(cycles)) / 2) << file;
    }
  }
}

/// Of single waits, of the machine's cycles, of classes, of nodes.
TEST(Rates, SentencesOfARun_HaveTimes) {
  const std::string waits = run_program({"run", shipped_config("hot-spot.yaml"), "--set", "clock=2GHz"}).out;
  EXPECT_NE(waits.find("on the link (cycles of 0.5 ns)"), std::string::npos) << waits;
  EXPECT_NE(waits.find("waited 119 cycles (59.5 ns) from cycle 3"), std::string::npos) << waits;
  const std::string classes =
      run_program({"run", shipped_config("two-classes-8x8.yaml"), "--set", "clock=2GHz", "--set",
                   "workload.warmup=100", "--set", "workload.measure=300"})
          .out;
  EXPECT_NE(classes.find(" GB/s); fairness "), std::string::npos) << classes;
  for (const char* const line : {"  in network  mean ", "; latency mean "}) {
    const std::size_t at = classes.find(line);
    ASSERT_NE(at, std::string::npos) << line << classes;
    EXPECT_LT(classes.find(" ns)", at), classes.find('\n', at)) << line << classes;
  }
}

TEST(Rates, QuantitiesAsked_StandBesideWhatIsSimulated) {
  const TemporaryDirectory directory;
  const std::string config =
      directory.write("asked.yaml",
                      "flitscope: 1\nclock: 1GHz\ntopology: {kind: mesh, shape: [2, 2]}\n"
                      "node: {flit_bytes: 64, bandwidth: 32.02GB/s}\n"
                      "link: {bandwidth: 30GB/s}\nlinks: [{at: '[0, 0]+0', bandwidth: 64.05GB/s}]\n"
                      "workload: {traffic: uniform, load: 0.1, message: 100, warmup: 100, measure: 200}\n");
  const Json list = json_of({"run", config})["simulated"];
  const auto of = [&](const std::string& key) {
    for (const Json& each : list) {
      if (each["key"] == key) return each;
    }
    return Json();
  };
  // 64 bytes every 32/15 cycles are exactly 30 GB/s; whole cycles within 0.1% are taken.
  EXPECT_EQ(of("link.bandwidth")["simulated"], "30GB/s");
  EXPECT_EQ(of("link.bandwidth")["difference"], 0);
  EXPECT_EQ(of("node.bandwidth")["simulated"], "32GB/s");
  EXPECT_NEAR(of("node.bandwidth")["difference"].get<double>(), -0.02 / 32.02, 1e-9);
  EXPECT_EQ(of("links[0]")["simulated"], "64GB/s");
  EXPECT_EQ(of("workload.message")["simulated"], "128B");
  EXPECT_DOUBLE_EQ(of("workload.message")["difference"].get<double>(), 0.28);
  const std::string text = run_program({"run", config}).out;
  EXPECT_NE(text.find("  simulated   link.bandwidth 30GB/s, as asked\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  simulated   node.bandwidth 32GB/s, asked 32.02GB/s (-0.062%)\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("  WARNING     workload.message 128B, asked 100B (+28%)\n"), std::string::npos) << text;
}

TEST(Rates, LoadCurve_HasTimesAndBandwidths) {
  const Arguments load{"load",    shipped_config("uniform-mesh-8x8.yaml"),
                       "--rates", "0.1",
                       "--set",   "clock=1GHz",
                       "--set",   "workload.measure=2000"};
  const Json curve = json_of(load);
  const Json& point = curve["points"][0];
  EXPECT_EQ(point["latency_mean_ns"], point["latency_mean_cycles"]);
  EXPECT_NEAR(point["accepted_GBps"].get<double>(), 8 * point["accepted"].get<double>(), 1e-9);
  Arguments csv = load;
  csv.emplace_back("--csv");
  const std::string table = run_program(csv).out;
  EXPECT_NE(table.find(",latency_mean_cycles,latency_mean_ns,"), std::string::npos) << table;
  const std::string text = run_program(load).out;
  EXPECT_NE(text.find("GB/s"), std::string::npos) << text;
}

TEST(Rates, LoadCurves_HaveBandwidthsInTheSummaryAndOnTheAxis) {
  const TemporaryDirectory directory;
  const std::string plot = directory / "load.svg";
  const Arguments load{"load",    shipped_config("uniform-mesh-8x8.yaml"),
                       "--vary",  "router.delay=1,2",
                       "--rates", "0.1",
                       "--set",   "workload.measure=2000",
                       "--plot",  plot,
                       "--force"};
  Arguments with_clock = load;
  with_clock.insert(with_clock.end(), {"--set", "clock=2GHz"});
  const Outcome outcome = run_program(with_clock);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  std::istringstream lines(outcome.out.substr(outcome.out.find("zero load  ")));
  std::string heads;
  std::getline(lines, heads);
  EXPECT_EQ(heads, "zero load  saturation      GB/s   at best      GB/s  accepted      GB/s     at 0.1");
  // Flits of 8 bytes, two cycles a nanosecond.
  const std::string axis = "offered load (flits/node/cycle; 1 is 16 GB/s)";
  EXPECT_NE(text_of(plot).find(axis), std::string::npos);
  const Json in_bytes = json_of(with_clock);
  for (const Json& curve : in_bytes["curves"]) {
    EXPECT_EQ(curve["load_unit_GBps"], 16);
    EXPECT_DOUBLE_EQ(curve["summary"]["ideal_saturation_GBps"].get<double>(),
                     16 * curve["ideal_saturation_flits_per_node_cycle"].get<double>());
  }
  with_clock.insert(with_clock.end(), {"--vary", "node.flit_bytes=8,16"});
  ASSERT_EQ(run_program(with_clock).exit_code, 0);
  EXPECT_NE(text_of(plot).find("offered load (flits/node/cycle)"), std::string::npos);
  EXPECT_EQ(json_of(load).dump().find("GBps"), std::string::npos);
}

/// The plot of a curve of `load` of a machine with flits of 8 bytes, two cycles a nanosecond, and its JSON.
struct PlottedCurve {
  std::string svg;
  Json json;
  std::string text;
  std::string csv;
};
PlottedCurve plotted(const std::string& workload, const Arguments& more) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "c.yaml",
      "flitscope: 1\nclock: 2GHz\ntopology: {kind: torus, shape: [4, 4]}\nnode: {flit_bytes: 8}\nworkload: " +
          workload + "\n");
  const std::string plot = directory / "plot.svg";
  Arguments load{"load", config, "--plot", plot};
  load.insert(load.end(), more.begin(), more.end());
  const std::string text = run_program(load).out;
  load.emplace_back("--force");
  const Json json = json_of(load);
  load.emplace_back("--csv");
  return {text_of(plot), json, text, run_program(load).out};
}

TEST(Rates, CurveOfSlowdown_HasTheBandwidthOfItsLoads) {
  const std::string workload =
      "{algorithm: all-gather-ring, message: 1KiB, background: {traffic: uniform, load: 0.1}}";
  const PlottedCurve curve = plotted(workload, {"--rates", "0.1"});
  EXPECT_NE(curve.svg.find("load beside the schedule (flits/node/cycle; 1 is 16 GB/s)"), std::string::npos);
  EXPECT_EQ(curve.json["load_unit_GBps"], 16);
  EXPECT_NE(curve.text.find("accepted      GB/s"), std::string::npos) << curve.text;
  const Json& background = curve.json["points"][1]["background"];
  EXPECT_DOUBLE_EQ(background["accepted_GBps"].get<double>(), 16 * background["accepted"].get<double>());
  const std::string heads = curve.csv.substr(0, curve.csv.find('\n'));
  EXPECT_NE(heads.find("background_accepted,background_accepted_GBps,"), std::string::npos) << heads;
  EXPECT_NE(curve.csv.find(background["accepted_GBps"].dump().substr(0, 6)), std::string::npos) << curve.csv;

  const PlottedCurve unlike = plotted(workload, {"--rates", "0.1", "--vary", "clock=1GHz,2GHz"});
  EXPECT_NE(unlike.svg.find("load beside the schedule (flits/node/cycle)"), std::string::npos);
  EXPECT_EQ(unlike.json["curves"][0]["load_unit_GBps"], 8);
  EXPECT_EQ(unlike.json["curves"][1]["load_unit_GBps"], 16);
}

TEST(Rates, CurveOfOutstandingRequests_HasTheBandwidthOfOneInEveryCycle) {
  const PlottedCurve curve = plotted(
      "{protocol: request-reply, request: 8, reply: 72, outstanding: 1, warmup: 100, measure: 1000}", {});
  EXPECT_NE(curve.svg.find("requests answered per cycle, all nodes; 1 is 160 GB/s"), std::string::npos);
  EXPECT_EQ(curve.json["round_trip_unit_GBps"], 160);
  const Json& point = curve.json["points"][0];
  EXPECT_DOUBLE_EQ(point["GBps"].get<double>(), 160 * point["round_trips_per_cycle"].get<double>());
}

TEST(Rates, Comparison_HasBusBandwidthsAndTheNetworksCost) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("machine.yaml", kAllReduce);
  const Arguments compare{"compare", "all-reduce", "--on", config,   "--from",
                          "4KiB",    "--to",       "4KiB", "--only", "all-reduce-bucket"};
  const Json rows = json_of(compare);
  EXPECT_EQ(rows[0]["network_links"], 64);
  EXPECT_EQ(rows[0]["dataflow_ns"], rows[0]["dataflow_cycles"].get<double>() / 2);
  EXPECT_GT(rows[0]["dataflow_bus_GBps"].get<double>(), 0);
  EXPECT_NE(run_program(compare).out.find("bus GB/s"), std::string::npos);
  EXPECT_FALSE(rows[0].contains("dataflow_energy_J"));
  Arguments with_energy = compare;
  with_energy.insert(with_energy.end(), {"--set", "energy.table=22nm"});
  EXPECT_GT(json_of(with_energy)[0]["dataflow_energy_J"].get<double>(), 0);
}

}  // namespace
}  // namespace flitscope::test::rates_test
