// Events and energy of runs, by hand and on every kind of network.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/formats/energy_table.h"
#include "tests/support/program.h"

namespace flitscope::test::energy_test {
namespace {

using Json = nlohmann::json;

/// One message of two flits of 256 bits over one link, between routers with the buffers of the tables and
/// three ports: a link and two ejection channels.
constexpr const char* kOneMessage =
    "flitscope: 1\n"
    "topology: {kind: mesh, shape: [2]}\n"
    "router: {virtual_channels: 4, buffer: 8}\n"
    "node: {flit_bytes: 32}\n"
    "workload: {algorithm: tree-broadcast, message: 64}\n";

/// Of the table of 22 nm, whose router has five ports.
constexpr double kCrossbar = 1.07 * 3 / 5;

Json run(Arguments arguments) {
  arguments.insert(arguments.begin(), "run");
  arguments.emplace_back("--json");
  const Outcome outcome = run_program(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return Json::parse(outcome.out.empty() ? "{}" : outcome.out);
}

TEST(Energy, OneMessage_IsTheSumByHand) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("one.yaml", kOneMessage);
  const Json result = run({config, "--set", "energy.table=22nm", "--set", "link.mm=3"});
  const Json& events = result["events"];
  EXPECT_EQ(events["buffer_writes"], 4);  // two flits in two routers
  EXPECT_EQ(events["crossbar_traversals"], 4);
  EXPECT_EQ(events["vc_allocations"], 2);
  EXPECT_EQ(events["link_traversals"], 2);
  EXPECT_EQ(events["flit_mm"], 6);
  EXPECT_EQ(events["ejected_flits"], 2);
  const Json& energy = result["energy"];
  EXPECT_NEAR(energy["components"]["buffer_write_J"].get<double>(), 4 * 4.10e-12, 1e-18);
  EXPECT_NEAR(energy["components"]["wire_J"].get<double>(), 6 * 6.04e-12, 1e-18);
  const double joules = (4 * (4.10 + 3.56 + kCrossbar + 0.05) + 6 * 6.04) * 1e-12;
  EXPECT_NEAR(energy["total_J"].get<double>(), joules, 1e-18);
  EXPECT_NEAR(energy["per_byte_pJ"].get<double>(), joules * 1e12 / 64, 1e-9);
  EXPECT_NEAR(energy["per_bit_hop_pJ"].get<double>(), joules * 1e12 / 512, 1e-9);
  EXPECT_EQ(energy["power_W"], nullptr);
  EXPECT_EQ(energy["left_out"], (Json{"network interfaces", "leakage (no clock)"}));
}

TEST(Energy, NarrowerFlits_CostLessButForTheAllocation) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("one.yaml", kOneMessage);
  const Json result = run({config, "--set", "energy.table=22nm", "--set", "node.flit_bytes=16"});
  EXPECT_NEAR(result["energy"]["total_J"].get<double>(), 8 * ((4.10 + 3.56 + kCrossbar) / 2 + 0.05) * 1e-12,
              1e-18);
}

TEST(Energy, BuffersAndPorts_ScaleByTheLawsOfThePage) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("one.yaml", kOneMessage);
  const auto component = [&](const char* name, const std::string& setting, const std::string& other) {
    const Json energy =
        run({config, "--set", "energy.table=45nm", "--set", setting, "--set", other})["energy"]["components"];
    return energy[std::string(name) + "_J"].get<double>() * 1e12 / 4;  // four events
  };
  // DSENT's other router: 2 VCs of 4 flits of 64 bits; two flits more than there are with 32 bytes.
  const std::string narrow = "node.flit_bytes=8";
  const auto small = [&](const char* name) {
    return component(name, narrow, "router={virtual_channels: 2, buffer: 4}") / 4;
  };
  EXPECT_NEAR(small("buffer_write"), 1.68, 0.01);
  EXPECT_NEAR(small("buffer_read"), 1.31, 0.01);
  const double crossbar = component("crossbar", "node.ports=1", "energy.table=45nm");
  EXPECT_NEAR(crossbar, 4.23 * 2 / 5, 1e-9);
  EXPECT_NEAR(component("crossbar", "node.ports=2", "energy.table=45nm"), crossbar * 3 / 2, 1e-9);
}

TEST(Energy, Detours_AreTheHopsBeyondShortestPaths) {
  // On a line nothing leaves the shortest paths; on a ring of 8 nodes 5 links back are 2 more than 3 ahead.
  const TemporaryDirectory directory;
  const Json direct = run({directory.write("one.yaml", kOneMessage), "--set", "energy.table=22nm"});
  EXPECT_EQ(direct["energy"]["detours_J"], 0);
  static_cast<void>(directory.write(
      "long.jsonl",
      R"({"flitscope":"schedule","version":1,"topology":{"kind":"torus","shape":[8]},)"
      R"("ports":{"send":1,"receive":1},"routing":"dimension-order","algorithm":"by-hand","steps":1,)"
      R"("messages":1,"chunks":[64],"initial":[[[0],[0]]],"goal":[[[3],[0]]]})"
      "\n"
      R"({"step":1,"src":[0],"dst":[3],"path":[[0,-1,5]],"chunks":[0]})"
      "\n"));
  const Json around =
      run({directory.write("long.yaml",
                           "flitscope: 1\ntopology: {kind: torus, shape: [8]}\n"
                           "node: {flit_bytes: 32}\n"
                           "router: {virtual_channels: 4, buffer: 8}\nworkload: {schedule: long.jsonl}\n"),
           "--set", "energy.table=22nm", "--set", "link.mm=3"});
  EXPECT_EQ(around["flit_hops"], 10);
  const double hop = (4.10 + 3.56 + 1.07 * 4 / 5 + 0.05 + 3 * 6.04) * 1e-12;  // four ports
  EXPECT_NEAR(around["energy"]["detours_J"].get<double>(), 2 * (5 - 3) * hop, 1e-18);
}

TEST(Energy, DetoursOnEveryNetwork_ArePartOfTheTotal) {
  const auto detours = [](Arguments arguments) {
    arguments.insert(arguments.end(), {"--set", "energy.table=22nm"});
    const Json energy = run(arguments)["energy"];
    EXPECT_LT(energy["detours_J"], energy["total_J"]);
    return energy["detours_J"].get<double>();
  };
  EXPECT_EQ(detours({shipped_config("uniform-mesh-8x8.yaml")}), 0);
  EXPECT_GT(detours({shipped_config("uniform-mesh-8x8.yaml"), "--set", "router.routing=valiant", "--set",
                     "router.virtual_channels=2", "--set", "workload.load=0.1"}),
            0);
  EXPECT_EQ(detours({shipped_config("networks/fat-tree.yaml")}), 0);
}

TEST(Energy, Clock_AddsLeakageAndPower) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("one.yaml", kOneMessage);
  const Json result = run({config, "--set", "energy.table=22nm", "--set", "clock=1GHz"});
  const double seconds = result["ns"].get<double>() * 1e-9;
  EXPECT_NEAR(result["energy"]["components"]["leakage_J"].get<double>(), 2 * 78e-3 * seconds, 1e-18);
  EXPECT_NEAR(result["energy"]["power_W"].get<double>(), result["energy"]["total_J"].get<double>() / seconds,
              1e-9);
}

TEST(Energy, Interval_IsThatOfNeighbouringTables) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("one.yaml", kOneMessage);
  const auto total = [&](const std::string& table) {
    return run({config, "--set", "link.mm=1", "--set", "energy.table=" + table})["energy"]["total_J"]
        .get<double>();
  };
  const Json energy = run({config, "--set", "link.mm=1", "--set", "energy.table=22nm"})["energy"];
  EXPECT_DOUBLE_EQ(energy["low_J"].get<double>(), total("12nm"));
  EXPECT_DOUBLE_EQ(energy["high_J"].get<double>(), total("32nm"));
  // The largest has no larger neighbour.
  const Json last = run({config, "--set", "link.mm=1", "--set", "energy.table=45nm"})["energy"];
  EXPECT_DOUBLE_EQ(last["high_J"].get<double>(), last["total_J"].get<double>());
}

TEST(Energy, FlitHopOfDsentTables_IsTheirSum) {
  // Of 1 mm of wire, in pJ a byte and hop.
  const std::vector<std::pair<std::string, double>> sums{
      {"45nm", 1.40}, {"32nm", 0.85}, {"22nm", 0.46}, {"12nm", 0.17}, {"11nm", 0.19}};
  ASSERT_EQ(shipped_energy_tables().size(), sums.size());
  for (const EnergyTable& table : shipped_energy_tables()) {
    const double sum = table.buffer_write + table.buffer_read + table.crossbar + table.allocation +
                       table.hop + table.wire_mm;
    const auto known = std::ranges::find(sums, table.name, &std::pair<std::string, double>::first);
    ASSERT_NE(known, sums.end()) << table.name;
    EXPECT_NEAR(8 * sum / table.flit_bits, known->second, 0.005) << table.name;
    EXPECT_FALSE(table.source.empty());
    EXPECT_FALSE(table.activity.empty());
    EXPECT_GT(table.voltage, 0);
  }
}

TEST(Energy, EveryKindOfNetwork_HasEvents) {
  for (const char* const name : {"quickstart.yaml", "uniform-mesh-8x8.yaml", "two-classes-8x8.yaml",
                                 "networks/dragonfly.yaml", "networks/fat-tree.yaml", "networks/hyperx.yaml",
                                 "networks/seven-routers.yaml", "networks/mesh-dead-link.yaml"}) {
    const Json result = run({shipped_config(name), "--set", "energy.table=32nm", "--set", "link.mm=1.5",
                             "--set", "clock=1.5GHz"});
    const Json& energy = result["energy"];
    EXPECT_EQ(result["events"]["link_traversals"], result["flit_hops"]) << name;
    EXPECT_GT(energy["total_J"], 0) << name;
    EXPECT_LE(energy["low_J"], energy["total_J"]) << name;
    EXPECT_GE(energy["high_J"], energy["total_J"]) << name;
    double sum = 0;
    for (const auto& [component, joules] : energy["components"].items()) sum += joules.get<double>();
    EXPECT_NEAR(sum / energy["total_J"].get<double>(), 1, 1e-12) << name;
    EXPECT_GT(energy["components"]["wire_J"], 0) << name;
  }
}

TEST(Energy, RoutersOfARun_AddUpToItsEvents) {
  const TemporaryDirectory directory;
  const std::string out = (directory / "out").string();
  const Json result = run({shipped_config("hot-spot.yaml"), "--out", out});
  std::ifstream file(out + "/routers.csv");
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "router,name,flits,vc_allocations,ejected_flits");
  std::uint64_t flits = 0;
  std::uint64_t ejected = 0;
  while (std::getline(file, line)) {
    const std::size_t end = line.rfind(',');
    const std::size_t middle = line.rfind(',', end - 1);
    const std::size_t begin = line.rfind(',', middle - 1);
    flits += std::stoull(line.substr(begin + 1));
    ejected += std::stoull(line.substr(end + 1));
  }
  EXPECT_EQ(result["events"]["buffer_reads"], flits);
  EXPECT_EQ(result["events"]["ejected_flits"], ejected);
  EXPECT_EQ(result["flits"], ejected);
}

TEST(Energy, GraphOfARow_HasTheEnergyOfTheMesh) {
  const TemporaryDirectory directory;
  directory.write("g.yaml",
                  "graph: 1\n"
                  "routers: [{name: a}, {name: b}, {name: c}]\n"
                  "links: [{between: [a, b]}, {between: [b, c]}]\n");
  const auto result = [&](const std::string& topology) {
    return run({directory
                    .write("c.yaml",
                           "flitscope: 1\nclock: 1GHz\nlink: {mm: 1}\nenergy: {table: 22nm}\n"
                           "workload: {algorithm: broadcast-binomial, message: 64}\n"
                           "topology: " +
                               topology + "\n")
                    .string()});
  };
  const Json graph = result("{kind: graph, file: g.yaml}");
  const Json mesh = result("{kind: mesh, shape: [3]}");
  EXPECT_EQ(graph["network"]["routers"], 3);
  EXPECT_EQ(graph["events"], mesh["events"]);
  EXPECT_EQ(graph["energy"]["components"], mesh["energy"]["components"]);
}

TEST(Energy, AttachedNodesOfAGraphFile_AreLeftOut) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("c.yaml",
                                             "flitscope: 1\n"
                                             "topology: {kind: graph, file: g.yaml}\n"
                                             "workload: {algorithm: broadcast-binomial, message: 64}\n");
  for (const char* const graph :
       {"graph: 1\nrouters: [{name: s}]\nnodes: [{name: a, router: s}, {name: b, router: s}]\n",
        "graph: 1\nrouters: [{name: s, node: false}, {name: a}, {name: b}]\n"
        "links: [{between: [s, a], kind: cable}, {between: [s, b]}]\n"}) {
    directory.write("g.yaml", graph);
    const Json result = run({config});
    EXPECT_EQ(result["network"]["routers"], 1) << graph;
    // Each message has a link to the switch, and one from it.
    EXPECT_EQ(2 * result["events"]["crossbar_traversals"].get<int>(), result["events"]["link_traversals"])
        << graph;
  }
}

/// The flits of a class pass the routers of its network, whose ports do not depend on other networks.
TEST(Energy, ThirdNetwork_DoesNotChangeTheCrossbarsOfTheFirst) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "c.yaml",
      "flitscope: 1\n"
      "topology: {kind: torus, shape: [3, 3], networks: [{directions: plus}, {directions: minus}]}\n"
      "classes: [{name: a, vcs: 2}, {name: b, vcs: 2, network: 1}]\n"
      "workload: {traffic: uniform, load: 0.1, message: 8, warmup: 100, measure: 500}\n"
      "energy: {table: 45nm}\nclock: 1ns\n");
  const double two = run({config})["energy"]["components"]["crossbar_J"].get<double>();
  EXPECT_GT(two, 0);
  for (const char* const third : {"{first_dimension: 0}", "{directions: plus}", "{directions: minus}"}) {
    const Json three = run(
        {config, "--set",
         std::string("topology.networks=[{directions: plus}, {directions: minus}, ") + third + "]", "--set",
         "classes=[{name: a, vcs: 2}, {name: b, vcs: 2, network: 1}, {name: c, vcs: 2, network: 2}]"});
    EXPECT_DOUBLE_EQ(three["energy"]["components"]["crossbar_J"].get<double>(), two) << third;
  }
}

TEST(Energy, RoutersOfAnExpressCube_AddUpToItsEvents) {
  const TemporaryDirectory directory;
  const std::string config =
      directory.write("c.yaml",
                      "flitscope: 1\n"
                      "topology: {kind: express-cube, shape: [6], interval: 3, wraps: false}\n"
                      "workload: {algorithm: broadcast-binomial, message: 64}\n");
  const Json result = run({config});
  EXPECT_EQ(result["events"]["crossbar_traversals"].get<int>(),
            result["flit_hops"].get<int>() + result["flits"].get<int>());
}

TEST(Energy, LoadCurve_HasItPerByte) {
  const Outcome outcome =
      run_program({"load", shipped_config("uniform-mesh-8x8.yaml"), "--rates", "0.1", "--set", "clock=1GHz",
                   "--set", "workload.measure=2000", "--set", "energy.table=22nm", "--csv"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find(",energy_per_byte_pJ,power_W,"), std::string::npos) << outcome.out;
}

TEST(Energy, TableOfAFile_IsRead) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("one.yaml", kOneMessage);
  const std::string table =
      "energy_table: 1\nname: mine\ntechnology: t\nnanometres: 7\nvoltage: 0.75\nactivity: a\nsource: s\n"
      "router: {flit_bits: 256}\npJ: {crossbar: 2}\n";
  directory.write("mine.yaml", table);
  const Json energy = run({config, "--set", "energy.table=mine.yaml"})["energy"];
  EXPECT_EQ(energy["table"], "mine");
  EXPECT_NEAR(energy["total_J"].get<double>(), 4 * 2e-12, 1e-18);
  directory.write("mine.yaml", table + "leakage: 3\n");
  const Outcome outcome = run_program({"run", config, "--set", "energy.table=mine.yaml"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("mine.yaml:10:1: unknown key 'leakage'"), std::string::npos) << outcome.err;
}

TEST(Energy, TableOfAFile_IsCopiedIntoTheRunDirectory) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("one.yaml", kOneMessage);
  const std::string table =
      directory.write("mine.yaml",
                      "energy_table: 1\nname: mine\ntechnology: 7 nm\nnanometres: 7\nvoltage: 0.75\n"
                      "activity: a third\nsource: synthesis\nrouter: {flit_bits: 256}\npJ: {hop: 2}\n");
  ASSERT_EQ(
      run_program({"run", config, "--quiet", "--set", "energy.table=" + table, "--out", directory / "run"})
          .exit_code,
      0);
  EXPECT_EQ(text_of(directory / "run/energy-table.yaml"), text_of(table));
  std::filesystem::remove(table);
  const Json again = run({directory / "run/config.yaml"});
  EXPECT_EQ(again["energy"]["table"], "mine");
  EXPECT_EQ(again["energy"]["total_J"], 4e-12);  // a hop each of two flits
}

TEST(Energy, FigureOfARouterThatIsNotWhole_IsRefused) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("one.yaml", kOneMessage);
  for (const char* const figure : {"flit_bits: 0.5", "flit_bits: 0", "flit_bits: 256, ports: 4.5"}) {
    directory.write("mine.yaml", fmt::format("energy_table: 1\nname: mine\ntechnology: t\nnanometres: 7\n"
                                             "voltage: 0.75\nactivity: a\nsource: s\nrouter: {{{}}}\n"
                                             "pJ: {{crossbar: 2}}\n",
                                             figure));
    const Outcome outcome = run_program({"run", config, "--set", "energy.table=mine.yaml"});
    EXPECT_EQ(outcome.exit_code, 2) << figure;
    EXPECT_NE(outcome.err.find("mine.yaml:8:"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("must be a whole number from "), std::string::npos) << outcome.err;
  }
}

/// A second network has routers of its own: it adds their leakage.
TEST(Energy, NetworkWithoutFlits_AddsLeakageAlone) {
  const TemporaryDirectory directory;
  const auto energy_on = [&](const char* topology) {
    const std::string config = directory.write(
        "c.yaml", fmt::format("flitscope: 1\ntopology: {}\nnode: {{ports: 1}}\nclock: 1GHz\nlink: {{mm: 2}}\n"
                              "energy: {{table: 22nm}}\n"
                              "workload: {{algorithm: all-to-all-direct, message: 256}}\n",
                              topology));
    return run({config})["energy"]["components"];
  };
  const Json one = energy_on("{kind: mesh, shape: [3, 3]}\nrouter: {virtual_channels: 1}");
  const Json two = energy_on(
      "{kind: mesh, shape: [3, 3], networks: 2}\nclasses: [{name: a, vcs: 1}, {name: b, vcs: 1, network: "
      "1}]");
  for (const auto& [name, joules] : one.items()) {
    EXPECT_DOUBLE_EQ(two[name].get<double>(), joules.get<double>() * (name == "leakage_J" ? 2 : 1)) << name;
  }
}

TEST(Energy, DetoursOfOneWayNetworks_AreThoseInTheNetworkOfTheClass) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "c.yaml",
      "flitscope: 1\ntopology: {kind: torus, shape: [4, 4], networks: [{directions: plus}, {directions: "
      "minus}]}\nclasses: [{name: a, vcs: 2}, {name: b, vcs: 2, network: 1}]\nenergy: {table: 22nm}\n"
      "workload: {traffic: uniform, load: 0.1, message: 16, warmup: 0, measure: 200, message_class: b}\n");
  const Json energy = run({config})["energy"];
  EXPECT_GT(energy["total_J"], 0);
  EXPECT_EQ(energy["detours_J"], 0);
}

/// The table of 12 nm has no leakage: the interval of a run with that of 22 nm has its own on both sides.
TEST(Energy, NeighbouringTableWithoutLeakage_HasThatOfTheRun) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "c.yaml",
      "flitscope: 1\ntopology: {kind: mesh, shape: [8, 8]}\nclock: 1GHz\nenergy: {table: 22nm}\n"
      "workload: {traffic: uniform, load: 0.01, message: 8, warmup: 0, measure: 500}\n");
  const Json energy = run({config})["energy"];
  const double leakage = energy["components"]["leakage_J"].get<double>();
  EXPECT_GT(leakage, energy["total_J"].get<double>() / 2);
  EXPECT_GT(energy["low_J"].get<double>(), leakage);
}

TEST(Energy, UnknownTable_IsRefused) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("one.yaml", kOneMessage);
  const Outcome outcome = run_program({"run", config, "--set", "energy.table=22"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("energy.table: must be one of 11nm, 12nm, 22nm, 32nm, 45nm, or a file ending in "
                             ".yaml, not '22'"),
            std::string::npos)
      << outcome.err;
  EXPECT_EQ(run_program({"run", config, "--set", "energy.table=none.yaml"}).exit_code, 2);
}

}  // namespace
}  // namespace flitscope::test::energy_test
