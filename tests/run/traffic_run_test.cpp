// Synthetic traffic on the simulated network: closed forms, and equal results of equal seeds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/config/config_source.h"
#include "sim/report/run_report.h"
#include "sim/run/experiment.h"

namespace flitscope::test::traffic_run_test {
namespace {

using Json = nlohmann::json;

/// The result of a run, without what differs from run to run.
Json run(const std::string& sections, bool explains = true) {
  const std::string text = run_isolated([&] {
    RunOptions options;
    options.explains_waits = explains;
    const RunResult result =
        run_experiment(parse_config("flitscope: 1\n" + sections, "c.yaml", "/"), options);
    Json json = to_json(result);
    json.erase("host");
    return json.dump();
  });
  return Json::parse(text);
}

const std::string kTorus = "topology: {kind: torus, shape: [4, 4]}\n";

TEST(TrafficRun, AlmostEmptyNetwork_HasTheLatencyOfTheClosedForm) {
  for (const std::string& machine :
       {std::string(
            "topology: {kind: torus, shape: [6, 5]}\nrouter: {delay: 3}\nnode: {ports: 1, startup: 4}\n"),
        std::string("topology: {kind: mesh, shape: [4, 3, 2]}\nrouter: {delay: 2}\nlink: {delay: 2}\n"
                    "node: {injection_interval: 2, ejection_interval: 2}\n"),
        std::string("topology: {kind: mesh, shape: [4, 4]}\nrouter: {routing: valiant}\n"),
        std::string("topology: {kind: torus, shape: [4, 4]}\nrouter: {routing: duato, buffer: 16}\nlink: "
                    "{delay: [1, 4]}\n")}) {
    const Json result =
        run(machine +
            "workload: {traffic: all-to-all, load: 0.0005, message: 24, warmup: 0, measure: 1200000}\n");
    const double expected = result["traffic"]["bounds"]["zero_load_latency_cycles"];
    EXPECT_NEAR(result["traffic"]["latency"]["mean"].get<double>(), expected, 0.005 * expected) << machine;
    EXPECT_NEAR(result["traffic"]["hops_mean"].get<double>(),
                result["traffic"]["bounds"]["hops_mean"].get<double>(), 0.02);
    EXPECT_TRUE(result["verified"]);
  }
}

/// Messages from one end of a line of three nodes to the other, one at a time.
Json alone(const std::string& machine, unsigned flits) {
  return run(
      fmt::format("topology: {{kind: mesh, shape: [3]}}\n{}workload: {{traffic: bit-complement, load: "
                  "0.001, message: {}, process: periodic, warmup: 2000, measure: 40000}}\n",
                  machine, 8 * flits));
}

TEST(TrafficRun, MessagesAlone_HaveTheZeroLoadLatencyAndNoDelay) {
  struct Case {
    std::string machine;
    unsigned flits;
    Cycle cycles;
  };
  for (const auto& [machine, flits, cycles] : std::vector<Case>{
           {"router: {vc_delay: 1, buffer: 64}\nnode: {ports: 1, injection_interval: 2}\n", 2, 10},
           {"router: {buffer: 64}\nnode: {ports: 1, injection_interval: 2}\n", 2, 8},
           {"router: {routing_delay: 2, buffer: 64}\nlink: {cycles_per_flit: 2}\n", 4, 16},
           {"router: {vc_delay: 1, buffer: 64}\nnode: {ports: 1, injection_interval: 2}\n", 64, 132},
           {"router: {buffer: 64}\nlink: {cycles_per_flit: 3/2}\n", 4, 10},
           {"router: {switching: store-and-forward}\n", 2, 10},
           {"router: {switching: store-and-forward, vc_delay: 1}\nlink: {cycles_per_flit: 2}\nnode: {ports: "
            "1, "
            "ejection_interval: 3}\n",
            4, 33},
           {"router: {switching: virtual-cut-through, buffer: 4}\nlink: {delay: 5}\n", 4, 21},
           {"router: {routing: ugal-l, virtual_channels: 2}\n", 4, 9},
           {"packet: {payload: 16, head_flits: 1}\nnode: {ports: 1}\n", 4, 11},
           {"packet: {payload: 64, head_flits: 1}\nrouter: {routing_delay: 2}\nnode: {ports: 2}\n", 4, 16}}) {
    const Json result = alone(machine, flits);
    EXPECT_EQ(result["traffic"]["bounds"]["zero_load_latency_cycles"], static_cast<double>(cycles))
        << machine;
    EXPECT_EQ(result["latency"]["min"], cycles) << machine;
    EXPECT_EQ(result["latency"]["max"], cycles) << machine;
    const bool has_packets = machine.find("packet") != std::string::npos;
    EXPECT_TRUE(has_packets || result["worst_messages"].empty()) << machine << result["worst_messages"];
  }
}

TEST(TrafficRun, MessagesAloneWithoutAFormula_HaveNoZeroLoadLatency) {
  for (const char* const machine :
       {"packet: {payload: 16}\nnode: {ports: 2, injection_interval: 2}\n",
        "packet: {payload: 16}\nrouter: {routing_delay: 2}\nnode: {ports: 1}\n",
        "packet: {payload: 16}\nrouter: {switching: store-and-forward}\nnode: {ports: 1}\n",
        "router: {buffer: 1}\n",
        "router: {buffer: 8, vc_delay: 4, delay: 2, credit_delay: 2, credits: on-off}\nlink: {delay: 2, "
        "cycles_per_flit: 3/2}\n",
        "router: {buffer: 2, credits: on-off}\nlink: {cycles_per_flit: 3/2}\n",
        "links: [{at: '[0]+0', cycles_per_flit: 3}]\nrouter: {buffer: 64}\n"}) {
    EXPECT_TRUE(alone(machine, 8)["traffic"]["bounds"]["zero_load_latency_cycles"].is_null()) << machine;
  }
}

/// The path over a slow link is known, unless the routing function chooses it.
TEST(TrafficRun, MessagesAloneOverSlowLinks_HaveNoDelay) {
  const std::string slow = "links: [{at: '[0]+0', cycles_per_flit: 3}]\n";
  EXPECT_TRUE(alone(slow + "router: {buffer: 64}\n", 4)["worst_messages"].empty());
  const Json result = alone(slow + "router: {buffer: 64, routing: minimal-adaptive}\n", 4);
  EXPECT_EQ(result["worst_messages"][0]["delay_cycles"], 2 * (4 - 1));
}

TEST(TrafficRun, ClassesOnNetworksOfOtherDirections_HaveTheLatencyOfTheClosedForm) {
  for (const char* const networks : {"[{directions: plus}, {}]", "[{}, {directions: plus}]"}) {
    for (const char* const packets : {"", "packet: {payload: 32}\n"}) {
      const Json result = run(fmt::format(
          "topology: {{kind: torus, shape: [4], networks: {}}}\n"
          "classes: [{{name: a, vcs: 2}}, {{name: b, vcs: 2, network: 1}}]\n{}"
          "workload: {{classes: [{{traffic: uniform, load: 0.0005, message: 64, message_class: a}}, "
          "{{traffic: uniform, load: 0.0005, message: 64, message_class: b}}], warmup: 0, measure: "
          "400000}}\n",
          networks, packets));
      // Messages of 8 flits take two cycles at each router.
      const double hops = result["traffic"]["hops_mean"];
      EXPECT_NEAR(hops, (2.0 + 4.0 / 3) / 2, 0.15) << networks;
      EXPECT_NEAR(result["traffic"]["latency"]["mean"].get<double>(), 2 * (hops + 1) + 7, 0.03) << networks;
      const Json& bounds = result["traffic"]["bounds"];
      EXPECT_DOUBLE_EQ(bounds["hops_mean"], (2.0 + 4.0 / 3) / 2) << networks;
      EXPECT_DOUBLE_EQ(bounds["zero_load_latency_cycles"], 2 * ((2.0 + 4.0 / 3) / 2 + 1) + 7) << networks;
    }
  }
}

/// A queue with one server: messages of 4 flits come at a node as in M/D/1 (Bernoulli) and leave, one flit a
/// cycle, over one link. The mean wait of Geo/D/1 is (L - 1) rho / (2 (1 - rho)) cycles.
TEST(TrafficRun, OneLink_IsAQueueWithOneServer) {
  const double load = 0.6;
  const double flits = 4;
  const Json result = run(
      fmt::format("topology: {{kind: mesh, shape: [2]}}\nrouter: {{buffer: 16}}\n"
                  "workload: {{traffic: neighbour, load: {}, message: {}, warmup: 5000, measure: 400000}}\n",
                  load, 8 * flits));
  const double alone = 2 * 2 + (flits - 1);  // (H + 1)(R + D) + L - 1
  const double wait = (flits - 1) * load / (2 * (1 - load));
  EXPECT_NEAR(result["traffic"]["latency"]["mean"].get<double>(), alone + wait, 0.05);
  EXPECT_NEAR(result["traffic"]["accepted"].get<double>(), load, 0.01);
}

/// With a queue at each input a switch of N ports carries 2 - sqrt(2) for large N, and about 0.26/N more (M.
/// Karol, M. Hluchyj, S. Morgan: Input versus output queueing on a space-division packet switch, 1987).
TEST(TrafficRun, SwitchWithOneVcALink_CarriesTwoMinusTheRootOfTwo) {
  for (const unsigned ports : {32, 128}) {
    const Json result = run(fmt::format(
        "topology: {{kind: k-ary-n-tree, k: {}, n: 1}}\nrouter: {{virtual_channels: 1}}\nnode: {{ports: 1}}\n"
        "workload: {{traffic: uniform, load: 1, message: 8, warmup: 1000, measure: 4000}}\n",
        ports));
    EXPECT_NEAR(result["traffic"]["accepted"].get<double>(), 2 - std::sqrt(2.0) + 0.26 / ports, 0.003);
  }
}

TEST(TrafficRun, SwitchOf64PortsWithIslip_CarriesMoreWithSeveralVcsALinkAndIterations) {
  const auto accepted = [](unsigned vcs, unsigned iterations) {
    return run(fmt::format(
        "topology: {{kind: k-ary-n-tree, k: 64, n: 1}}\nnode: {{ports: 1}}\n"
        "router: {{virtual_channels: {}, switch_allocator: islip, switch_iterations: {}}}\n"
        "workload: {{traffic: uniform, load: 1, message: 8, warmup: 1000, measure: 4000}}\n",
        vcs, iterations))["traffic"]["accepted"]
        .get<double>();
  };
  EXPECT_NEAR(accepted(1, 3), 2 - std::sqrt(2.0) + 0.26 / 64, 0.003);
  EXPECT_GT(accepted(3, 1), 0.60);
  EXPECT_GT(accepted(3, 3), 0.72);
}

TEST(TrafficRun, Measurement_SatisfiesLittlesLaw) {
  for (const char* const load : {"0.1", "0.3", "0.5"}) {
    const Json result =
        run(kTorus + "router: {virtual_channels: 4}\nworkload: {traffic: uniform, load: " + load +
            ", message: 32, warmup: 3000, measure: 30000}\n");
    ASSERT_EQ(result["traffic"]["status"], "ok") << load;
    const double messages = 16 * result["traffic"]["accepted"].get<double>() / 4;  // a cycle
    const double latency = result["traffic"]["latency"]["mean"];
    EXPECT_NEAR(result["traffic"]["messages_in_flight_mean"].get<double>() / (messages * latency), 1, 0.01)
        << load;
    EXPECT_TRUE(result["verified"]) << result["failed_checks"];
  }
}

TEST(TrafficRun, SameSeed_IsTheSameRun) {
  const std::string workload =
      "workload: {traffic: uniform, load: 0.4, message: {8: 1, 64: 1}, measure: 2000, seed: ";
  const Json first = run(kTorus + workload + "5}\n", true);
  EXPECT_EQ(first, run(kTorus + workload + "5}\n", true));
  EXPECT_NE(first["traffic"], run(kTorus + workload + "6}\n", true)["traffic"]);
  // What is kept of waits has no influence.
  Json without = run(kTorus + workload + "5}\n", false)["traffic"];
  EXPECT_TRUE(without["bounds"]["hops_mean"].is_null());
  without["bounds"] = first["traffic"]["bounds"];
  EXPECT_EQ(first["traffic"], without);
}

TEST(TrafficRun, LoadAboveSaturation_IsSaturated) {
  const Json result =
      run("topology: {kind: mesh, shape: [4, 4]}\n"
          "workload: {traffic: bit-complement, load: 0.9, message: 32, warmup: 2000, measure: 4000}\n");
  EXPECT_EQ(result["status"], "completed");
  EXPECT_EQ(result["traffic"]["status"], "saturated");
  EXPECT_LE(result["traffic"]["accepted"].get<double>(),
            result["traffic"]["bounds"]["ideal_saturation_flits_per_node_cycle"].get<double>());
  EXPECT_GT(result["traffic"]["accepted"].get<double>(), 0.3);
  EXPECT_EQ(result["traffic"]["worst_channels"].size(), 5U);
}

TEST(TrafficRun, LoadAboveTheBound_IsSaturatedWithAnyRoutingFunction) {
  for (const char* const routing : {"dimension-order", "valiant", "duato", "odd-even", "negative-first"}) {
    const auto traffic = [&](double load) {
      return run(fmt::format(
          "topology: {{kind: mesh, shape: [4, 4]}}\nrouter: {{routing: {}}}\n"
          "workload: {{traffic: transpose, load: {:.3f}, message: 32, warmup: 1000, measure: 4000}}\n"
          "limits: {{cycles: 20000}}\n",
          routing, load))["traffic"];
    };
    const double bound = traffic(0.01)["bounds"]["ideal_saturation_flits_per_node_cycle"];
    EXPECT_NE(traffic(1.2 * bound)["status"], "ok") << routing;
  }
}

/// One flow of 64 has 5% too much for its slow link: less than 1% of all flits wait in the end.
const std::string kOneSlowLink =
    "topology: {kind: mesh, shape: [64]}\nlinks: [{at: '[0]+0', cycles_per_flit: 21/10}]\n";

TEST(TrafficRun, LoadOfOneFlowBeyondTheBound_IsSaturated) {
  const auto traffic = [](const std::string& more, bool explains = true) {
    return run(kOneSlowLink + "workload: {traffic: neighbour, message: 8, warmup: 500, measure: 4000, " +
                   more + "}\n",
               explains);
  };
  const Json beyond = traffic("load: 0.5, precision: 0.5");
  EXPECT_EQ(beyond["status"], "completed");
  EXPECT_EQ(beyond["traffic"]["status"], "saturated");
  EXPECT_EQ(beyond["traffic"]["beyond_bound"], true);
  EXPECT_FALSE(beyond["traffic"].contains("precise"));
  EXPECT_LT(beyond["traffic"]["waiting_flits_growth"].get<double>(), 0.01 * 0.5 * 64 * 4000);
  EXPECT_TRUE(beyond["verified"]) << beyond["failed_checks"];
  // Every message has arrived, as in a run that is not saturated.
  EXPECT_EQ(beyond["traffic"]["undelivered"], 0);
  const Json below = traffic("load: 0.47");
  EXPECT_EQ(below["traffic"]["status"], "ok");
  EXPECT_EQ(below["traffic"]["beyond_bound"], false);
  // Without bounds the status is the measurement's.
  const Json unknown = traffic("load: 0.5", false)["traffic"];
  EXPECT_EQ(unknown["status"], "ok");
  EXPECT_EQ(unknown["beyond_bound"], false);
  EXPECT_TRUE(unknown["bounds"]["ideal_saturation_flits_per_node_cycle"].is_null());
}

TEST(TrafficRun, LoadBeyondTheBoundThatEnds_HasTheStatusOfTheMeasurement) {
  const std::string classes =
      "workload: {warmup: 500, measure: 4000, classes: [{traffic: neighbour, load: 0.3, message: 8}, "
      "{name: other, traffic: neighbour, load: 0.2, message: 8";
  EXPECT_EQ(run(kOneSlowLink + classes + "}]}\n")["traffic"]["status"], "saturated");
  const Json ends = run(kOneSlowLink + classes + ", end: 4000}]}\n")["traffic"];
  EXPECT_EQ(ends["status"], "ok");
  EXPECT_EQ(ends["beyond_bound"], false);
}

/// Such a run ends in an empty network, and its counters are those of the cycles up to its last delivery.
TEST(TrafficRun, LoadBeyondTheBoundThatEmpties_CountsItsCycles) {
  const std::string counted = run_isolated([] {
    const RunResult result = run_experiment(parse_config(
        "flitscope: 1\n" + kOneSlowLink +
            "workload: {traffic: neighbour, load: 0.5, message: 8, warmup: 500, measure: 4000}\n",
        "c.yaml", "/"));
    return Json{result.cycles, result.counted_cycles()}.dump();
  });
  EXPECT_EQ(Json::parse(counted)[0], Json::parse(counted)[1]);
}

TEST(TrafficRun, MessagesToTheirSource_PassOneRouter) {
  // Messages of nodes of the diagonal do.
  for (const char* const ports : {"1", "2", "all"}) {
    const Json result =
        run(fmt::format("topology: {{kind: torus, shape: [3, 3]}}\nnode: {{ports: {}}}\nrouter: {{delay: "
                        "3}}\nworkload: {{traffic: transpose, load: 0.01, message: 16, self: true, "
                        "measure: 3000}}\n",
                        ports));
    EXPECT_EQ(result["traffic"]["latency"]["min"], 3 + 1 + 1) << ports;
    EXPECT_EQ(result["traffic"]["bounds"]["sent_flits_per_offered_flit"], 1) << ports;
    EXPECT_TRUE(result["verified"]) << result["failed_checks"];
  }
}

TEST(TrafficRun, Deadlock_IsReported) {
  const Json result =
      run("topology: {kind: torus, shape: [8]}\n"
          "router: {virtual_channels: 1, allow_deadlock: true, buffer: 2}\n"
          "workload: {traffic: tornado, load: 0.9, message: 64}\n");
  EXPECT_EQ(result["status"], "deadlock");
  EXPECT_FALSE(result["verified"]);
  EXPECT_EQ(result["traffic"]["status"], "unfinished");
}

/// Without its explanation a run of long messages steps all routers together.
TEST(TrafficRun, WithoutExplanation_IsTheSameRun) {
  const auto measurements = [](const std::string& sections, bool explains) {
    Json json = run(sections, explains);
    for (const char* const explanation : {"latency", "worst_channels", "worst_messages", "per_node"})
      json.erase(explanation);
    for (const char* const bound : {"bounds", "beyond_bound"}) json["traffic"].erase(bound);
    return json;
  };
  for (const std::string& machine :
       {std::string("topology: {kind: mesh, shape: [5, 4]}\nrouter: {delay: 2}\n"),
        std::string("topology: {kind: torus, shape: [10, 9]}\nnode: {ports: 1, startup: 3}\n"),
        std::string("topology: {kind: torus, shape: [4, 3, 6]}\nrouter: {virtual_channels: 4, buffer: 3}\n"),
        std::string(
            "topology: {kind: mesh, shape: [6, 6]}\nrouter: {routing: valiant, virtual_channels: 2}\n"),
        std::string("topology: {kind: dragonfly, p: 1, a: 3, h: 1, groups: 4}\n")}) {
    for (const char* const load : {"0.06", "0.3", "0.9"}) {
      const std::string traffic = fmt::format(
          "workload: {{traffic: uniform, load: {}, message: 48, warmup: 300, measure: 2000}}\n", load);
      EXPECT_EQ(measurements(machine + traffic, true), measurements(machine + traffic, false))
          << machine << traffic;
    }
  }
}

TEST(TrafficRun, WithoutExplanation_FindsTheSameDeadlock) {
  const std::string sections =
      "topology: {kind: torus, shape: [4]}\nrouter: {virtual_channels: 1, buffer: 1, allow_deadlock: true}\n"
      "workload: {traffic: uniform, load: 0.9, message: 64, warmup: 0, measure: 20000}\n";
  const Json explained = run(sections, true);
  ASSERT_EQ(explained["status"], "deadlock");
  EXPECT_EQ(run(sections, false)["deadlock"], explained["deadlock"]);
}

TEST(TrafficRun, CycleLimit_EndsTheRun) {
  const Json result = run(kTorus + "workload: {traffic: uniform}\nlimits: {cycles: 3000}\n");
  EXPECT_EQ(result["status"], "limit");
  EXPECT_EQ(result["cycles"], 3000);
}

/// The channels of some node are busy all the time from there on.
TEST(TrafficRun, LoadsAroundTheBoundOfInjectionChannels_AreAcceptedBelowIt) {
  for (const std::string& machine :
       {std::string("topology: {kind: mesh, shape: [4, 4]}\nnode: {ports: 1, startup: 200}\n"),
        std::string("topology: {kind: mesh, shape: [4, 4]}\nnode: {injection_interval: 4}\n"),
        std::string(
            "topology: {kind: torus, shape: [4, 4]}\nrouter: {routing: valiant}\nnode: {startup: 40}\n")}) {
    const auto traffic = [&](double load) {
      return run(machine +
                 fmt::format("workload: {{traffic: uniform, load: {:.6f}, message: 80, drawn_paths: 8, "
                             "warmup: 20000, measure: 60000, self: true}}\n",
                             load))["traffic"];
    };
    const double bound = traffic(0.001)["bounds"]["ideal_saturation_flits_per_node_cycle"];
    EXPECT_EQ(traffic(0.8 * bound)["status"], "ok") << machine;
    EXPECT_EQ(traffic(1.05 * bound)["status"], "saturated") << machine;
  }
}

}  // namespace
}  // namespace flitscope::test::traffic_run_test
