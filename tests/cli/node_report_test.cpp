// Nodes and the critical path of runs on all kinds of networks.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/support/csv.h"
#include "tests/support/program.h"

namespace flitscope::test::node_report_test {
namespace {

using Json = nlohmann::json;

struct Observed {
  Json result;
  Table nodes;
  std::optional<Table> path;
  std::optional<Table> messages;
  std::string text;
};

std::uint64_t number(const Row& row, const char* column) {
  return std::stoull(row.text(column));
}

constexpr int kAtLimit = 5;  ///< exit code of a run that its limit of cycles ends

Observed observe(const std::string& config, int exit_code = 0) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("run.yaml", "flitscope: 1\n" + config);
  const std::string out = directory / "run";
  const Outcome outcome = run_program({"run", file, "--out", out});
  if (outcome.exit_code != exit_code) throw std::runtime_error(config + outcome.err + outcome.out);
  Observed seen{
      Json::parse(text_of(out + "/result.json")), read_csv(out + "/nodes.csv"), {}, {}, outcome.out};
  if (std::filesystem::exists(out + "/critical-path.csv")) seen.path = read_csv(out + "/critical-path.csv");
  if (std::filesystem::exists(out + "/messages.csv")) seen.messages = read_csv(out + "/messages.csv");
  return seen;
}

/// The parts of the critical path, which add up to the cycles of the run.
std::uint64_t sum_of_parts(const Json& result) {
  const Json& path = result["critical_path"];
  std::uint64_t sum = 0;
  for (const char* const part :
       {"before_cycles", "startup_cycles", "queueing_cycles", "hops_cycles", "hol_blocked_cycles",
        "serialization_cycles", "tail_serialization_cycles", "between_cycles"})
    sum += path[part].get<std::uint64_t>();
  for (const auto& [cause, count] : path["head_stall_cycles"].items()) sum += count.get<std::uint64_t>();
  return sum;
}

/// Networks with a schedule: tori, one with faults, families, nodes attached to routers.
const std::vector<std::string> kNetworks{
    "topology: {kind: torus, shape: [4, 4]}\n",
    "topology: {kind: torus, shape: [4, 3], missing_nodes: [[1, 1], [2, 1]]}\n",
    "topology: {kind: k-ary-n-tree, k: 2, n: 3}\n",
    "topology: {kind: torus, shape: [8]}\nlinks: [{at: '[3]+0', cycles_per_flit: 4}]\n",
};

TEST(Nodes, Schedules_SendOrWaitUntilTheyHaveFinished) {
  for (const std::string& network : kNetworks) {
    for (const char* const advance : {"barrier", "dataflow"}) {
      const Observed seen = observe(
          network +
          fmt::format("workload: {{algorithm: all-gather-ring, message: 600, advance: {}}}\n", advance));
      const std::uint64_t cycles = seen.result["cycles"];
      std::uint64_t flits = 0;
      std::uint64_t last = 0;
      for (const Row& row : seen.nodes.rows) {
        EXPECT_EQ(
            number(row, "sending_cycles") + number(row, "waiting_cycles") + number(row, "computing_cycles"),
            number(row, "finished_cycle"));
        EXPECT_EQ(number(row, "finished_cycle") + number(row, "idle_cycles"), cycles);
        EXPECT_LE(number(row, "waits_most_cycles"), number(row, "waiting_cycles"));
        flits += number(row, "arrived_flits");
        last = std::max(last, number(row, "finished_cycle"));
      }
      EXPECT_EQ(flits, seen.result["flits"].get<std::uint64_t>()) << network;
      EXPECT_EQ(last, cycles) << network << advance;
    }
  }
}

/// All send to the last node of a row, and the nearer ones get more of the links: half of what is left each.
TEST(Nodes, ThroughputOfSources_IsThatOfTheirMessages) {
  const Observed seen = observe(
      "topology: {kind: mesh, shape: [6]}\nrouter: {virtual_channels: 1}\nnode: {ports: 1}\n"
      "workload: {traffic: hotspot, nodes: [[5]], share: 1, load: 0.9, message: 8, warmup: 3000, measure: "
      "8000}\n");
  double sum = 0;
  double squares = 0;
  for (std::size_t node = 0; node < 5; ++node) {
    const auto flits = static_cast<double>(number(seen.nodes.rows[node], "delivered_flits"));
    EXPECT_NEAR(flits / 8000, node == 0 ? 1.0 / 16 : std::pow(0.5, 5 - static_cast<double>(node)), 0.002)
        << node;
    sum += flits;
    squares += flits * flits;
  }
  EXPECT_EQ(number(seen.nodes.rows[5], "delivered_flits"), 0U);
  EXPECT_EQ(static_cast<double>(number(seen.nodes.rows[5], "arrived_flits")), sum);
  const Json& nodes = seen.result["per_node"];
  EXPECT_NEAR(nodes["delivered_fairness"].get<double>(), sum * sum / (5 * squares), 1e-9);
  EXPECT_NEAR(nodes["delivered_max"].get<double>(), 0.5, 0.002);
  EXPECT_EQ(nodes["delivered_max_node"], Json::array({4}));
}

TEST(Nodes, WarmUpOfTheBackground_IsNoWaiting) {
  for (const char* const advance : {"barrier", "dataflow"}) {
    const Observed seen = observe(
        kNetworks.front() + fmt::format("workload: {{algorithm: all-gather-ring, message: 600, advance: {}, "
                                        "background: {{traffic: uniform, load: 0.1, warmup: 1000}}}}\n",
                                        advance));
    for (const Row& row : seen.nodes.rows) {
      EXPECT_EQ(number(row, "sending_cycles") + number(row, "waiting_cycles") +
                    number(row, "computing_cycles") + 1000,
                number(row, "finished_cycle"));
      EXPECT_EQ(number(row, "finished_cycle") + number(row, "idle_cycles"), seen.result["cycles"]);
    }
  }
}

TEST(CriticalPath, MessagesFollowOneAnotherFromTheBeginningToTheEnd) {
  for (const std::string& network : kNetworks) {
    for (const char* const advance : {"barrier", "dataflow"}) {
      const Observed seen = observe(
          network +
          fmt::format("workload: {{algorithm: all-gather-ring, message: 600, advance: {}}}\n", advance));
      ASSERT_TRUE(seen.path);
      std::uint64_t last = 0;
      std::string at;
      for (const Row& row : seen.path->rows) {
        EXPECT_EQ(number(row, "ready_cycle"), last) << network << advance;
        if (!at.empty() && advance == std::string("dataflow")) {
          EXPECT_EQ(row.text("source"), at) << network;
        }
        last = number(row, "arrival_cycle");
        at = row.text("destination");
      }
      EXPECT_EQ(last, seen.result["cycles"].get<std::uint64_t>()) << network << advance;
      EXPECT_EQ(sum_of_parts(seen.result), last) << network << advance;
    }
  }
}

TEST(CriticalPath, Messages_HaveTheTermsOfMessagesCsv) {
  for (const std::string& network : kNetworks) {
    const Observed seen =
        observe(network +
                "workload: {algorithm: all-to-all-direct, message: 600, advance: dataflow}\n"
                "router: {buffer: 4}\nnode: {startup: 3}\nobserve: {messages: true}\n");
    std::map<std::string, std::string> lines;
    const auto terms = [](const Row& row) {
      std::string text;
      for (const char* const term :
           {"startup", "queueing", "hops", "head_vc_taken", "head_no_credit", "head_switch_lost",
            "head_ejection_busy", "hol_blocked", "serialization", "tail_serialization"})
        text += row.text(std::string(term) + "_cycles") + " ";
      return text;
    };
    const auto name = [](const Row& row) { return row.text("step") + "." + row.text("message"); };
    for (const Row& row : seen.messages->rows) lines[name(row)] = terms(row);
    for (const Row& row : seen.path->rows) EXPECT_EQ(terms(row), lines.at(name(row))) << network << name(row);
    EXPECT_EQ(sum_of_parts(seen.result), seen.result["cycles"].get<std::uint64_t>()) << network;
  }
}

/// Message 1.1 goes over [3]+0 with 100 flits; 1.2 waits for its VC there, and 1.3 behind 1.2.
TEST(CriticalPath, HeadBehindAnotherMessage_CountsThatForNoLink) {
  const TemporaryDirectory directory;
  const std::string schedule = directory.write(
      "behind.jsonl",
      R"({"flitscope":"schedule","version":1,"topology":{"kind":"torus","shape":[8]},)"
      R"("ports":{"send":2,"receive":2},"routing":"dimension-order","algorithm":"by-hand","steps":1,)"
      R"("messages":3,"chunks":[800,16],"initial":[[[3],[0]],[[1],[1]]],"goal":[[[5],[0]],[[4],[1]]]})"
      "\n"
      R"({"step":1,"src":[3],"dst":[5],"path":[[0,1,2]],"chunks":[0]})"
      "\n"
      R"({"step":1,"src":[1],"dst":[4],"path":[[0,1,3]],"chunks":[1]})"
      "\n"
      R"({"step":1,"src":[1],"dst":[4],"path":[[0,1,3]],"chunks":[1]})"
      "\n");
  const Observed seen =
      observe("topology: {kind: torus, shape: [8]}\nworkload: {schedule: '" + schedule + "'}\n");
  EXPECT_NE(seen.text.find("decides the 107 cycles: queueing 2, hops 8, hol_blocked 96, serialization 1\n"),
            std::string::npos)
      << seen.text;
  EXPECT_NE(seen.text.find("most over or behind link [3]+0 (busy in 97% of all cycles): 1 message, 11 "
                           "cycles (10%)\n"),
            std::string::npos)
      << seen.text;
}

TEST(CriticalPath, ChainOfWaits_NamesTheLinkAtItsRoot) {
  for (const char* const vcs : {"2", "3"}) {
    const Json result = Json::parse(run_program({"run", shipped_config("hot-spot.yaml"), "--json", "--set",
                                                 std::string("router.virtual_channels=") + vcs})
                                        .out);
    EXPECT_EQ(result["critical_path"]["channel"], "[2, 0]+0") << vcs;
    EXPECT_EQ(result["critical_path"]["channel_cycles"].get<int>(),
              result["cycles"].get<int>() - result["critical_path"]["hol_blocked_cycles"].get<int>())
        << vcs;
  }
}

/// Messages of one step, with what they wait for: the sources on the critical path.
TEST(CriticalPath, MessagesOfATrace_FollowWhatTheyWaitFor) {
  constexpr const char* kHeader =
      R"({"flitscope":"schedule","version":2,"topology":{"kind":"mesh","shape":[4]},"ports":{"send":1,"receive":1},)"
      R"("routing":"dimension-order","algorithm":"csv","steps":1,)";
  constexpr const char* kFirst = R"({"step":1,"src":[0],"dst":[1],"path":[[0,1,1]],"chunks":[0],"id":1})";
  const struct {
    std::string lines;
    std::vector<std::string> sources;
  } cases[] = {
      {R"("messages":2,"chunks":[64,64],"initial":[[[0],[0]],[[2],[1]]],"goal":[[[1],[0]],[[3],[1]]]})"
       "\n" +
           std::string(kFirst) +
           "\n"
           R"({"step":1,"src":[2],"dst":[3],"path":[[0,1,1]],"chunks":[1],"wait":50})"
           "\n",
       {"[2]"}},
      {R"("messages":2,"chunks":[64,64],"initial":[[[0],[0]],[[2],[1]]],"goal":[[[1],[0]],[[3],[1]]]})"
       "\n" +
           std::string(kFirst) +
           "\n"
           R"({"step":1,"src":[2],"dst":[3],"path":[[0,1,1]],"chunks":[1],"after":[1],"wait":100})"
           "\n",
       {"[0]", "[2]"}},
      {R"("messages":3,"chunks":[64,512,64],"initial":[[[0],[0]],[[1],[2]],[[2],[1]]],)"
       R"("goal":[[[0],[2]],[[1],[0]],[[3],[1]]]})"
       "\n" +
           std::string(kFirst) +
           "\n"
           R"({"step":1,"src":[2],"dst":[3],"path":[[0,1,1]],"chunks":[1]})"
           "\n"
           R"({"step":1,"src":[1],"dst":[0],"path":[[0,-1,1]],"chunks":[2],"after":[1],"wait":100})"
           "\n",
       {"[0]", "[1]"}},
  };
  for (const auto& [lines, sources] : cases) {
    const TemporaryDirectory directory;
    const std::string file = directory.write("trace.jsonl", kHeader + lines);
    for (const char* const advance : {"barrier", "dataflow"}) {
      const Observed seen =
          observe(fmt::format("topology: {{kind: mesh, shape: [4]}}\nnode: {{ports: 1}}\n"
                              "workload: {{schedule: '{}', advance: {}}}\n",
                              file, advance));
      std::vector<std::string> path;
      for (const Row& row : seen.path->rows) path.push_back(row.text("source"));
      EXPECT_EQ(path, sources) << advance << lines;
    }
  }
}

/// The first line of a schedule of control messages on a ring of six nodes.
std::string ring_header(unsigned steps, unsigned messages) {
  return fmt::format(
      R"({{"flitscope":"schedule","version":2,"topology":{{"kind":"torus","shape":[6]}},)"
      R"("ports":{{"send":9,"receive":9}},"routing":"dimension-order","algorithm":"x","steps":{},)"
      R"("messages":{},"chunks":[],"initial":[],"goal":[]}})"
      "\n",
      steps, messages);
}

/// Computations of 20 cycles before a message of node 0, and of 50 between its arrival and the answer.
TEST(Nodes, WaitsOfMessages_AreComputing) {
  const TemporaryDirectory directory;
  const std::string schedule = directory.write(
      "answer.jsonl",
      ring_header(1, 2) + R"({"step":1,"src":[0],"dst":[1],"path":[[0,1,1]],"control":80,"id":1,"wait":20})" +
          "\n" + R"({"step":1,"src":[1],"dst":[0],"path":[[0,-1,1]],"control":80,"after":[[1,50]]})" + "\n");
  for (const char* const advance : {"barrier", "dataflow"}) {
    const Observed seen = observe("topology: {kind: torus, shape: [6]}\nworkload: {schedule: '" + schedule +
                                  "', advance: " + advance + "}\n");
    const auto of = [&](std::size_t node, const char* column) {
      return number(seen.nodes.rows[node], column);
    };
    EXPECT_EQ(of(0, "computing_cycles"), 20U) << advance;
    EXPECT_EQ(of(1, "computing_cycles"), 50U) << advance;
    EXPECT_EQ(of(1, "waiting_cycles"), 20 + of(0, "sending_cycles")) << advance;
    EXPECT_EQ(of(0, "waiting_cycles"), 50 + of(1, "sending_cycles")) << advance;
    EXPECT_EQ(of(5, "computing_cycles"), 0U) << advance;
    EXPECT_EQ(seen.result["per_node"]["computing_max_cycles"], 50) << advance;
    EXPECT_NE(seen.text.find("computes    2 of 6 nodes between messages; [1] longest, 50 cycles"),
              std::string::npos)
        << seen.text;
  }
}

/// Node 2 computes between its two messages; node 4 waits for a message of node 1, which has computed.
TEST(Nodes, WaitsBehindSends_AreComputingAtTheirNodesOnly) {
  const TemporaryDirectory directory;
  const std::string schedule = directory.write(
      "behind.jsonl",
      ring_header(1, 5) + R"({"step":1,"src":[2],"dst":[3],"path":[[0,1,1]],"control":8,"id":1})" + "\n" +
          R"({"step":1,"src":[2],"dst":[3],"path":[[0,1,1]],"control":8,"behind":[[1,100]]})" + "\n" +
          R"({"step":1,"src":[0],"dst":[1],"path":[[0,1,1]],"control":8,"id":2})" + "\n" +
          R"({"step":1,"src":[1],"dst":[0],"path":[[0,-1,1]],"control":8,"after":[[2,1000]],"id":3})" + "\n" +
          R"({"step":1,"src":[4],"dst":[5],"path":[[0,1,1]],"control":8,"behind":[3]})" + "\n");
  const Observed seen =
      observe("topology: {kind: torus, shape: [6]}\nworkload: {schedule: '" + schedule + "'}\n");
  const auto of = [&](std::size_t node, const char* column) { return number(seen.nodes.rows[node], column); };
  EXPECT_EQ(of(2, "computing_cycles"), 100 - of(2, "sending_cycles") / 2);
  EXPECT_EQ(of(2, "waiting_cycles"), 0U);
  EXPECT_EQ(of(1, "computing_cycles"), 1000U);
  EXPECT_EQ(of(4, "computing_cycles"), 0U);
  EXPECT_EQ(of(4, "waiting_cycles"), 1000 + of(0, "sending_cycles"));
}

/// Nodes 0 and 2 rearrange 8 bytes before their only message, 5 cycles each byte.
TEST(Nodes, RearrangementBeforeTheFirstMessage_IsComputing) {
  const TemporaryDirectory directory;
  const std::string schedule = directory.write(
      "rearranged.jsonl",
      ring_header(1, 2) + R"({"step":1,"src":[0],"dst":[1],"path":[[0,1,1]],"control":80,"rearranged":8})" +
          "\n" + R"({"step":1,"src":[2],"dst":[3],"path":[[0,1,1]],"control":80,"rearranged":8})" + "\n");
  for (const char* const advance : {"barrier", "dataflow"}) {
    const Observed seen = observe(
        "topology: {kind: torus, shape: [6]}\nnode: {copy_cycles_per_byte: 5}\n"
        "workload: {schedule: '" +
        schedule + "', advance: " + advance + "}\n");
    for (const std::size_t node : {0U, 2U}) {
      EXPECT_EQ(number(seen.nodes.rows[node], "computing_cycles"), 40U) << advance;
      EXPECT_EQ(number(seen.nodes.rows[node], "waiting_cycles"), 0U) << advance;
    }
  }
}

TEST(CriticalPath, MessageThatWaitsForRoom_FollowsNoneOfItsOwnStep) {
  const TemporaryDirectory directory;
  const std::string long_one = "{\"step\":1,\"src\":[2],\"dst\":[3],\"path\":[[0,1,1]],\"control\":80}\n";
  const std::string schedule = directory.write(
      "room.jsonl", ring_header(1, 4) + long_one + long_one + long_one +
                        R"({"step":1,"src":[5],"dst":[0],"path":[[0,1,1]],"control":8})" + "\n");
  const Observed seen = observe(
      "topology: {kind: torus, shape: [6]}\nnode: {ports: 1, injection_queue: 1, ejection_buffer: 10}\n"
      "workload: {schedule: '" +
      schedule + "', advance: barrier}\n");
  ASSERT_EQ(seen.path->rows.size(), 1U);
  EXPECT_EQ(seen.path->rows.front().text("source"), "[2]");
  EXPECT_EQ(seen.result["critical_path"]["before_cycles"], 11);
}

TEST(CriticalPath, MessageBehindOneThatWaits_FollowsWhatThatWaitedFor) {
  const TemporaryDirectory directory;
  const std::string schedule = directory.write(
      "behind.jsonl", ring_header(2, 3) +
                          R"({"step":1,"src":[2],"dst":[3],"path":[[0,1,1]],"control":8,"wait":20})"
                          "\n"
                          R"({"step":1,"src":[2],"dst":[3],"path":[[0,1,1]],"control":32})"
                          "\n"
                          R"({"step":2,"src":[1],"dst":[2],"path":[[0,1,1]],"control":8})"
                          "\n");
  const Observed seen =
      observe("topology: {kind: torus, shape: [6]}\nnode: {ports: 1}\nworkload: {schedule: '" + schedule +
              "', advance: dataflow}\n");
  ASSERT_EQ(seen.path->rows.size(), 1U);
  EXPECT_EQ(seen.path->rows.front().text("source"), "[2]");
  EXPECT_EQ(seen.result["critical_path"]["before_cycles"], 20);
}

TEST(CriticalPath, MessageInPackets_HasTheHeadOfItsFirstPacket) {
  const Observed seen = observe(
      "topology: {kind: mesh, shape: [2]}\nnode: {ports: 1, startup: 100}\npacket: {payload: 64, head_flits: "
      "1}\nworkload: {algorithm: tree-broadcast, message: 256}\n");
  ASSERT_EQ(seen.path->rows.size(), 1U);
  EXPECT_EQ(number(seen.path->rows.front(), "head_entered_cycle"), 100U);
  EXPECT_EQ(number(seen.path->rows.front(), "head_arrived_cycle"), 104U);  // two routers, two links
  EXPECT_EQ(sum_of_parts(seen.result), seen.result["cycles"].get<std::uint64_t>());
}

TEST(CriticalPath, PacketsThroughSeveralChannels_HavePartsThatAddUp) {
  const Observed seen = observe(
      "topology: {kind: torus, shape: [4, 4]}\nrouter: {routing: minimal-adaptive}\n"
      "packet: {payload: 16, head_flits: 0}\n"
      "workload: {algorithm: all-to-all-direct, message: 256, advance: dataflow}\n");
  EXPECT_EQ(sum_of_parts(seen.result), seen.result["cycles"].get<std::uint64_t>());
}

TEST(CriticalPath, Reductions_AddTheTimeOfCombining) {
  const Observed seen = observe(
      "topology: {kind: torus, shape: [4, 4]}\nnode: {reduce_cycles_per_byte: 0.5, startup: 7}\n"
      "workload: {algorithm: all-reduce-bucket, message: 1KiB, advance: dataflow}\n");
  EXPECT_GT(seen.result["critical_path"]["between_cycles"].get<std::uint64_t>(), 0U);
  EXPECT_EQ(seen.result["critical_path"]["startup_cycles"].get<std::uint64_t>(),
            7 * seen.result["critical_path"]["messages"].get<std::uint64_t>());
}

TEST(CriticalPath, MessageInANetworkOfOtherDirections_NamesItsLink) {
  const TemporaryDirectory directory;
  const std::string schedule = directory.write(
      "back.jsonl",
      R"({"flitscope":"schedule","version":2,"topology":{"kind":"torus","shape":[4]},)"
      R"("ports":{"send":1,"receive":1},"routing":"dimension-order","algorithm":"x","steps":1,"messages":1,)"
      R"("chunks":[8],"initial":[[[0],[0]]],"goal":[[[0],[0]]],"classes":["a","b"]})"
      "\n"
      R"({"step":1,"src":[0],"dst":[3],"path":[[0,-1,1]],"control":8})"
      "\n");
  const Observed seen = observe(
      "topology: {kind: torus, shape: [4], networks: [{directions: plus}, {}]}\n"
      "classes: [{name: a, vcs: 2, network: 1}, {name: b, vcs: 2}]\nworkload: {schedule: '" +
      schedule + "'}\n");
  EXPECT_EQ(seen.result["critical_path"]["channel"], "[0]-0 of network 1");
}

TEST(Nodes, DegradedLink_IsInTheFirstParagraph) {
  for (const char* const advance : {"barrier", "dataflow"}) {
    const Observed seen = observe(
        fmt::format("topology: {{kind: torus, shape: [8]}}\nlinks: [{{at: '[3]+0', cycles_per_flit: 4}}]\n"
                    "workload: {{algorithm: all-reduce-ring, message: 8KiB, advance: {}}}\n",
                    advance));
    EXPECT_EQ(seen.result["critical_path"]["channel"], "[3]+0") << advance;
    EXPECT_LT(seen.text.find("most over or behind link [3]+0 (a flit every 4 cycles"),
              seen.text.find("step   messages"))
        << seen.text;
    EXPECT_NE(seen.text.find(" nodes wait for data; "), std::string::npos) << seen.text;
  }
}

TEST(Nodes, TrafficOfAllNodes_AddsUpToTheAcceptedLoad) {
  for (const char* const network :
       {"topology: {kind: mesh, shape: [4, 4]}\n", "topology: {kind: k-ary-n-tree, k: 2, n: 3}\n",
        "topology: {kind: dragonfly, p: 1, a: 2, h: 1, groups: 3}\n"}) {
    const Observed seen =
        observe(std::string(network) +
                "workload: {traffic: uniform, load: 0.2, message: 32, warmup: 500, measure: "
                "3000}\n");
    double accepted = 0;
    double least = 1;
    double most = 0;
    for (const Row& row : seen.nodes.rows) {
      const double own = std::stod(row.text("accepted"));
      accepted += own / static_cast<double>(seen.nodes.rows.size());
      least = std::min(least, own);
      most = std::max(most, own);
    }
    EXPECT_NEAR(accepted, seen.result["traffic"]["accepted"].get<double>(), 1e-5) << network;
    EXPECT_NEAR(least, seen.result["per_node"]["accepted_min"].get<double>(), 1e-5);
    EXPECT_NEAR(most, seen.result["per_node"]["accepted_max"].get<double>(), 1e-5);
    EXPECT_GT(seen.result["per_node"]["fairness"].get<double>(), 0.9);
    EXPECT_LE(seen.result["per_node"]["fairness"].get<double>(), 1.0);
  }
}

TEST(Nodes, ARunThatEndsWithinTheMeasurement_HasNoRates) {
  const Observed seen = observe(
      "topology: {kind: mesh, shape: [3, 3]}\n"
      "workload: {classes: [{name: a, traffic: uniform, load: 0.1, message: 32}, "
      "{name: b, traffic: transpose, load: 0.1, message: 32}], warmup: 20, measure: 200}\n"
      "limits: {cycles: 120}\n",
      kAtLimit);
  const Json& traffic = seen.result["traffic"];
  EXPECT_EQ(traffic["end_cycle"], 0);
  EXPECT_GT(traffic["latency"]["messages"], 0);
  for (const char* const key : {"offered", "accepted", "messages_in_flight_mean", "waiting_flits_growth"})
    EXPECT_TRUE(traffic[key].is_null()) << key;
  EXPECT_FALSE(traffic.contains("classes"));
  EXPECT_TRUE(seen.result["per_node"].is_null());
  for (const Row& row : seen.nodes.rows) EXPECT_EQ(row.text("offered") + row.text("accepted"), "");
}

}  // namespace
}  // namespace flitscope::test::node_report_test
