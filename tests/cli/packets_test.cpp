// Packets of messages in whole runs: closed forms, every network, refusals.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/support/csv.h"
#include "tests/support/program.h"

namespace flitscope::test::packets_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Json run(Arguments arguments) {
  arguments.insert(arguments.begin(), "run");
  arguments.emplace_back("--json");
  const Outcome outcome = run_program(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err << outcome.out;
  return Json::parse(outcome.out.empty() ? "{}" : outcome.out);
}

/// A message over one link, alone.
constexpr const char* kOneMessage =
    "flitscope: 1\n"
    "topology: {kind: mesh, shape: [2]}\n"
    "node: {startup: 100}\n"
    "workload: {algorithm: tree-broadcast, message: 256}\n";

TEST(Packets, OneMessage_TakesTheClosedFormOfThePage) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("one.yaml", kOneMessage);
  EXPECT_EQ(run({config})["cycles"], 100 + 4 + 31);
  for (const unsigned payload : {8U, 24U, 64U, 256U, 512U}) {
    for (const unsigned heads : {0U, 1U, 3U}) {
      const Json result =
          run({config, "--set", fmt::format("packet={{payload: {}, head_flits: {}}}", payload, heads)});
      const unsigned packets = (256 + payload - 1) / payload;
      EXPECT_EQ(result["cycles"], 100 + 4 + 32 + packets * heads - 1) << payload << ", " << heads;
      EXPECT_EQ(result["flits"], 32);
      EXPECT_EQ(result["flit_hops"], 32 + packets * heads);
      EXPECT_EQ(result["packets"]["count"], packets);
      EXPECT_EQ(result["packets"]["head_flits"], packets * heads);
      EXPECT_EQ(result["latency"]["messages"], 1);
      EXPECT_EQ(result["latency"]["mean"], result["cycles"]);
    }
  }
}

TEST(Packets, MessageClasses_CountMessages) {
  const TemporaryDirectory directory;
  const Json result =
      run({directory.write("one.yaml", kOneMessage), "--set",
           "classes=[{name: a, vcs: 1}, {name: b, vcs: 1}]", "--set", "packet={payload: 64, head_flits: 1}"});
  const Json& record = result["message_classes"][0];
  EXPECT_EQ(record["messages"], 1);
  EXPECT_EQ(record["flits"], 32);
  EXPECT_EQ(record["latency_mean"], result["latency"]["mean"]);
  EXPECT_EQ(record["latency_max"], result["latency"]["max"]);
}

TEST(Packets, WholeMessagesWithoutHeads_MoveAsWithoutPackets) {
  const TemporaryDirectory directory;
  for (const char* const workload : {"{algorithm: all-to-all-direct, message: 64}",
                                     "{traffic: uniform, load: 0.3, message: {64: 1, 8: 1}}",
                                     "{algorithm: all-reduce-bucket, message: 4KiB, advance: dataflow, "
                                     "background: {traffic: uniform, load: "
                                     "0.1, message: 64}}"}) {
    const std::string config = directory.write(
        "c.yaml",
        std::string("flitscope: 1\ntopology: {kind: torus, shape: [4, 4]}\nworkload: ") + workload + "\n");
    Json plain = run({config});
    Json packets = run({config, "--set", "packet={payload: 4KiB}"});
    EXPECT_GT(packets["packets"]["count"], 0);
    for (Json* const each : {&plain, &packets}) {
      for (const char* const key : {"host", "packets"}) each->erase(key);
    }
    EXPECT_EQ(plain, packets) << workload;
  }
}

/// Two messages of 64 flits at once over one link.
constexpr const char* kTwoMessages =
    R"({"flitscope":"schedule","version":1,"topology":{"kind":"mesh","shape":[2]},"ports":{"send":2,)"
    R"("receive":2},"routing":"dimension-order","algorithm":"by-hand","steps":1,"messages":2,)"
    R"("chunks":[512,512],"initial":[[[0],[0,1]]],"goal":[[[1],[0,1]]]})"
    "\n"
    R"({"step":1,"src":[0],"dst":[1],"path":[[0,1,1]],"chunks":[0]})"
    "\n"
    R"({"step":1,"src":[0],"dst":[1],"path":[[0,1,1]],"chunks":[1]})"
    "\n";

TEST(Packets, Order_SaysWhenTheFirstOfTwoMessagesIsThere) {
  const TemporaryDirectory directory;
  static_cast<void>(directory.write("two.jsonl", kTwoMessages));
  const std::string config = directory.write("two.yaml",
                                             "flitscope: 1\ntopology: {kind: mesh, shape: [2]}\nnode: "
                                             "{ports: 1}\nworkload: {schedule: two.jsonl}\n");
  const auto first_and_last = [&](const std::string& order) {
    const Json result = run({config, "--set", "packet={payload: 128, head_flits: 1, order: " + order + "}"});
    return std::pair(result["latency"]["min"].get<unsigned>(), result["latency"]["max"].get<unsigned>());
  };
  // Four packets of 17 flits each.
  EXPECT_EQ(first_and_last("in-order"), std::pair(4U + 4 * 17 - 1, 4U + 8 * 17 - 1));
  EXPECT_EQ(first_and_last("interleaved"), std::pair(4U + 7 * 17 - 1, 4U + 8 * 17 - 1));
}

TEST(Packets, LinesOfMessages_AddUp) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "c.yaml",
      "flitscope: 1\ntopology: {kind: torus, shape: [4, 4]}\nnode: {startup: 20}\n"
      "workload: {algorithm: all-to-all-direct, message: 512}\npacket: {payload: 64, head_flits: 1}\n");
  const std::string out = (directory / "out").string();
  ASSERT_EQ(run_program({"run", config, "--quiet", "--set", "observe.messages=true", "--out", out}).exit_code,
            0);
  const Table table = read_csv(out + "/messages.csv");
  const Json result = Json::parse(text_of(out + "/result.json"));
  EXPECT_EQ(table.rows.size(), result["packets"]["count"].get<std::size_t>());
  for (const Row& row : table.rows) {
    std::int64_t sum = 0;
    for (const char* const term :
         {"startup", "queueing", "hops", "head_vc_taken", "head_no_credit", "head_switch_lost",
          "head_ejection_busy", "hol_blocked", "serialization", "tail_serialization"}) {
      sum += row.number(std::string(term) + "_cycles");
    }
    EXPECT_EQ(sum, row.number("latency_cycles"));
    EXPECT_GE(row.number("queueing_cycles"), 0);
    EXPECT_EQ(row.number("startup_cycles"), 20);
  }
}

TEST(Packets, EveryNetwork_DeliversEveryMessage) {
  const fs::path all = fs::path(shipped_config("quickstart.yaml")).parent_path();
  std::vector<std::string> names{"quickstart.yaml",      "uniform-mesh-8x8.yaml",
                                 "two-classes-8x8.yaml", "all-reduce-beside-traffic.yaml",
                                 "one-port-mesh.yaml",   "gossip-8x8.yaml"};
  for (const auto& entry : fs::directory_iterator(all / "networks")) {
    // The one of the ring shows a deadlock.
    if (entry.path().extension() == ".yaml" && entry.path().stem() != "ring-anynet") {
      names.push_back("networks/" + entry.path().filename().string());
    }
  }
  for (const std::string& name : names) {
    const Outcome outcome = run_program({"run", shipped_config(name), "--json", "--set",
                                         "packet={payload: 16, head_flits: 1, order: interleaved}"});
    ASSERT_EQ(outcome.exit_code, 0) << name << outcome.err;
    const Json result = Json::parse(outcome.out);
    EXPECT_TRUE(result["verified"]) << name;
    EXPECT_GE(result["packets"]["count"], result["messages"]) << name;
  }
}

TEST(Packets, AllReduce_CarriesTheShareOfItsPayload) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "all-reduce.yaml",
      "flitscope: 1\nclock: 1GHz\ntopology: {kind: torus, shape: [4, 4]}\nrouter: {buffer: 64}\n"
      "link: {bandwidth: 64GB/s}\nworkload: {algorithm: all-reduce-bucket, message: 16MiB, advance: "
      "dataflow}\n");
  const auto bus = [&](const Arguments& more) {
    Arguments words{config};
    words.insert(words.end(), more.begin(), more.end());
    return run(words)["collective"]["bus_GBps"].get<double>();
  };
  // A head flit before three of data.
  EXPECT_NEAR(bus({"--set", "packet={payload: 192, head_flits: 1}"}) / bus({}), 0.75, 0.01);
}

TEST(Packets, Traffic_HasTheZeroLoadLatencyOfItsPackets) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "c.yaml",
      "flitscope: 1\ntopology: {kind: mesh, shape: [4, 4]}\n"
      "workload: {traffic: uniform, load: 0.002, message: 256}\npacket: {payload: 64, head_flits: 1}\n");
  const Json traffic = run({config})["traffic"];
  const double bound = traffic["bounds"]["zero_load_latency_cycles"].get<double>();
  EXPECT_NEAR(traffic["latency"]["mean"].get<double>(), bound, 0.03 * bound);
}

TEST(Packets, HopsOfTraffic_AreThoseOfAllFlits) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "c.yaml",
      "flitscope: 1\ntopology: {kind: mesh, shape: [2]}\nnode: {ports: 1}\npacket: {payload: 16, head_flits: "
      "1}\nworkload: {traffic: neighbour, load: 0.05, message: 64, warmup: 0, measure: 20000}\n");
  const Json result = Json::parse(run_program({"run", config, "--json"}).out);
  EXPECT_NEAR(result["traffic"]["hops_mean"].get<double>(), 1, 0.01);
}

TEST(Packets, VirtualCutThrough_NeedsRoomForAPacket) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("one.yaml", kOneMessage);
  const std::string switching = "router={switching: virtual-cut-through, buffer: 16}";
  EXPECT_EQ(run_program({"run", config, "--set", switching}).exit_code, 2);
  EXPECT_EQ(run({config, "--set", switching, "--set", "packet.payload=64"})["verified"], true);
  const Outcome refused = run_program({"run", config, "--set", switching, "--set", "packet.payload=192"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("a packet has 24 flits"), std::string::npos) << refused.err;
}

TEST(Packets, FiniteEndsWithRoomForAll_MoveAsUnlimitedOnes) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "c.yaml",
      "flitscope: 1\ntopology: {kind: torus, shape: [4, 4]}\nnode: {startup: 20}\n"
      "workload: {algorithm: all-to-all-direct, message: 512}\npacket: {payload: 64, head_flits: 1}\n");
  for (const char* const order : {"in-order", "interleaved"}) {
    const Arguments words{config, "--set", fmt::format("packet.order={}", order)};
    Arguments finite = words;
    finite.insert(finite.end(),
                  {"--set", "node.injection_queue=100000", "--set", "node.ejection_buffer=1000"});
    EXPECT_EQ(run(words)["latency"], run(finite)["latency"]) << order;
  }
}

TEST(Packets, FiniteEnds_DeliverEveryMessageOfEveryWorkload) {
  const TemporaryDirectory directory;
  for (const char* const workload :
       {"{algorithm: all-to-all-direct, message: 512}",
        "{traffic: uniform, load: 0.3, message: {512: 1, 8: 1}}",
        "{algorithm: all-reduce-bucket, message: 4KiB, advance: dataflow, "
        "background: {traffic: uniform, load: 0.1, message: 64}}",
        "{protocol: request-reply, request: 8, reply: 512, outstanding: 8, measure: 2000, "
        "service: {latency: 20, rate: 0.1, queue: 2}}"}) {
    const std::string config = directory.write(
        "c.yaml",
        std::string("flitscope: 1\ntopology: {kind: torus, shape: [4, 4]}\nrouter: {virtual_channels: 4}\n"
                    "classes: [{name: request, vcs: 2}, {name: reply, vcs: 2}]\n"
                    "node: {injection_queue: 2, ejection_buffer: 12}\n"
                    "packet: {payload: 64, head_flits: 1}\nworkload: ") +
            workload + "\n");
    const Json result = run({config});
    EXPECT_TRUE(result["verified"]) << workload << result["failed_checks"];
    EXPECT_GT(result["packets"]["count"], 0) << workload;
  }
}

/// A request of 32 flits and a reply of as many, in packets of nine flits with heads, over one link: nothing
/// but the target's rate holds them back.
TEST(Packets, ProtocolWithFiniteEnds_HoldsItsLastPacketsInTheNetwork) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "c.yaml",
      "flitscope: 1\ntopology: {kind: mesh, shape: [2]}\nnode: {ports: 1, injection_queue: 2, "
      "ejection_buffer: 9}\npacket: {payload: 64, head_flits: 1}\n"
      "workload: {protocol: request-reply, sources: [[0]], targets: [[1]], request: 256, reply: 8, "
      "outstanding: 8, "
      "service: {latency: 10, rate: 0.005, queue: 1}, warmup: 2000, measure: 20000}\n");
  const Json result = run({config});
  EXPECT_TRUE(result["verified"]) << result["failed_checks"];
  EXPECT_DOUBLE_EQ(result["protocol"]["round_trips_per_cycle"], 0.005);
  // One in the target's queue, the last packet of another in the ejection buffer.
  EXPECT_EQ(result["protocol"]["queue_length_max"], 2);
  EXPECT_GT(result["stalls"]["sink_full"], 0);
}

/// An injection queue is full of the packets of one reply, however many replies it could hold.
TEST(Packets, VerdictOfAProtocol_CountsMessagesThatFillAnInjectionQueue) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "c.yaml",
      "flitscope: 1\ntopology: {kind: mesh, shape: [2]}\nrouter: {virtual_channels: 1}\n"
      "node: {injection_queue: 8, ejection_buffer: 9}\n"
      "workload: {protocol: request-reply, request: 64, reply: 64, outstanding: 6, service: {queue: 2}}\n");
  const auto verdict = [&](const Arguments& more) {
    Arguments words{"verify", config, "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return Json::parse(run_program(words).out)["dependency_graph"]["verdict"];
  };
  EXPECT_EQ(verdict({}), "free");
  EXPECT_EQ(verdict({"--set", "packet.payload=64"}), "may-deadlock");
  EXPECT_EQ(verdict({"--set", "packet.payload=64", "--set", "workload.outstanding=2"}), "free");
}

TEST(Packets, BubbleFlowControl_ExcludesDeadlockOfPacketsOfOneLength) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "c.yaml",
      "flitscope: 1\ntopology: {kind: torus, shape: [4, 4]}\n"
      "router: {routing: dimension-order, virtual_channels: 1, switching: virtual-cut-through, flow: bubble, "
      "buffer: 18}\nworkload: {traffic: uniform, load: 0.2, message: 512, measure: 2000}\n"
      "packet: {payload: 64, head_flits: 1}\n");
  EXPECT_TRUE(run({config})["verified"]);
  const auto verdict = [&](const std::string& message) {
    const Outcome outcome = run_program({"verify", config, "--json", "--set", "workload.message=" + message});
    return Json::parse(outcome.out)["dependency_graph"]["verdict"];
  };
  EXPECT_EQ(verdict("512"), "free");
  EXPECT_EQ(verdict("520"), "may-deadlock") << "the last packet of a message is shorter";
  const Outcome refused = run_program({"run", config, "--set", "router.buffer=17"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("a packet has 9 flits, so 'router.buffer' must be at least 18, not 17"),
            std::string::npos)
      << refused.err;
}

TEST(Packets, ThatCannotBe_AreRefused) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("one.yaml", kOneMessage);
  const auto complaint = [&](const std::string& packet) {
    const Outcome outcome = run_program({"run", config, "--set", "packet=" + packet});
    EXPECT_EQ(outcome.exit_code, 2);
    return outcome.err;
  };
  EXPECT_NE(complaint("{payload: 20}")
                .find("20 bytes are 2.5 flits of 8 bytes, which is not whole; nearest: 16 or 24"),
            std::string::npos);
  EXPECT_NE(complaint("{head_flits: 1}").find("packet has no 'payload'"), std::string::npos);
  EXPECT_NE(complaint("{payload: 64, order: random}").find("'in-order', 'interleaved'"), std::string::npos);
}

}  // namespace
}  // namespace flitscope::test::packets_test
