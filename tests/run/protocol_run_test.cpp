// Runs of protocols: closed forms of round trips and throughput, batches, targets, and what is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/error.h"
#include "sim/config/config_source.h"
#include "sim/report/run_report.h"
#include "sim/run/experiment.h"
#include "sim/verify/deadlock_check.h"

namespace flitscope::test::protocol_run_test {
namespace {

using Json = nlohmann::json;

Json run(const std::string& sections) {
  return Json::parse(run_isolated([&] {
    Json json = to_json(run_experiment(parse_config("flitscope: 1\n" + sections, "c.yaml", "/")));
    json.erase("host");
    return json.dump();
  }));
}

const std::string kLine = "topology: {kind: mesh, shape: [2]}\nnode: {ports: 1, flit_bytes: 8}\n";

/// One source and one target: the example of docs/timing.md.
TEST(ProtocolRun, OneOutstanding_TakesTheClosedForm) {
  const Json json =
      run(kLine +
          "workload: {protocol: request-reply, sources: [[0]], targets: [[1]], outstanding: 1, request: 8, "
          "reply: 64, service: {latency: 10}, warmup: 100, measure: 2500}\n");
  EXPECT_EQ(json["status"], "completed");
  EXPECT_TRUE(json["verified"].get<bool>()) << json["failed_checks"];
  const Json& protocol = json["protocol"];
  EXPECT_EQ(protocol["round_trip"]["min"], 25);
  EXPECT_EQ(protocol["round_trip"]["max"], 25);
  EXPECT_EQ(protocol["round_trip"]["messages"], 100);
  EXPECT_DOUBLE_EQ(protocol["round_trips_per_cycle"], 1.0 / 25);
  EXPECT_DOUBLE_EQ(protocol["bytes_per_cycle"], 72.0 / 25);
  EXPECT_DOUBLE_EQ(protocol["outstanding_mean"], 1);
  EXPECT_DOUBLE_EQ(protocol["request_mean_cycles"], 4);
  EXPECT_DOUBLE_EQ(protocol["queue_mean_cycles"], 0);
  EXPECT_DOUBLE_EQ(protocol["service_mean_cycles"], 10);
  EXPECT_DOUBLE_EQ(protocol["reply_mean_cycles"], 11);
  EXPECT_EQ(json["traffic"]["classes"][0]["latency"]["mean"], 4.0);
  EXPECT_EQ(json["traffic"]["classes"][1]["latency"]["mean"], 11.0);
  EXPECT_EQ(json["traffic"]["load"], nullptr);
  EXPECT_EQ(json["traffic"]["classes"][0]["load"], nullptr);
}

TEST(ProtocolRun, MessagesThatFillNoWholeFlits_AreNamedByTheirKeys) {
  const Json list =
      run(kLine +
          "workload: {protocol: request-reply, sources: [[0]], targets: [[1]], request: 9, reply: 64, "
          "write_request: 7, reads: 0.5, warmup: 10, measure: 100}\n")["simulated"];
  std::vector<std::string> keys;
  for (const Json& each : list) {
    if (each["asked"] != each["simulated"]) keys.push_back(each["key"].get<std::string>());
  }
  EXPECT_EQ(keys, (std::vector<std::string>{"workload.request", "workload.write_request"}));
}

TEST(ProtocolRun, WithoutARoundTrip_HasNoMeans) {
  const Json json =
      run(kLine +
          "limits: {cycles: 30}\nworkload: {protocol: request-reply, sources: [[0]], targets: [[1]], "
          "service: {latency: 100}, warmup: 0, measure: 20}\n");
  const Json& protocol = json["protocol"];
  EXPECT_EQ(protocol["round_trip"]["messages"], 0);
  for (const char* const part : {"until_issued", "request", "queue", "service", "reply"})
    EXPECT_EQ(protocol[std::string(part) + "_mean_cycles"], nullptr) << part;
}

/// With many outstanding the rate of the target is the throughput, exactly.
TEST(ProtocolRun, ManyOutstanding_ReachTheRateOfTheTarget) {
  const Json json =
      run(kLine +
          "workload: {protocol: request-reply, sources: [[0]], targets: [[1]], outstanding: 16, request: 8, "
          "reply: 8, service: {latency: 10, rate: 0.7, queue: 4}, warmup: 1000, measure: 10000}\n");
  EXPECT_DOUBLE_EQ(json["protocol"]["round_trips_per_cycle"], 0.7);
  // Little's law: 16 requests at 0.7 per cycle.
  EXPECT_NEAR(json["protocol"]["round_trip"]["mean"].get<double>(), 16 / 0.7, 0.01);
  EXPECT_DOUBLE_EQ(json["protocol"]["outstanding_mean"], 16);
}

/// Replies of eight flits fill the link back: a request every eight cycles. Half of the nodes request.
TEST(ProtocolRun, ManyOutstanding_ReachTheBoundOfTheirRequests) {
  const Json json =
      run(kLine +
          "workload: {protocol: request-reply, sources: [[0]], targets: [[1]], outstanding: 64, request: 8, "
          "reply: 64, service: {latency: 10}, warmup: 1000, measure: 8000}\n");
  const Json& bounds = json["traffic"]["bounds"];
  EXPECT_DOUBLE_EQ(bounds["ideal_saturation_flits_per_node_cycle"], 1.0 / 8);
  EXPECT_DOUBLE_EQ(bounds["max_channel_load"], 8);
  EXPECT_DOUBLE_EQ(bounds["sent_flits_per_offered_flit"], 4.5);
  EXPECT_DOUBLE_EQ(json["protocol"]["round_trips_per_cycle"], 1.0 / 8);
  EXPECT_DOUBLE_EQ(json["traffic"]["accepted"], 4.5 / 8);
}

/// What the target and its node do not hold waits in the network, and then at the source.
TEST(ProtocolRun, FiniteEnds_HoldRequestsInTheNetworkAndAtTheSource) {
  const Json json =
      run("topology: {kind: mesh, shape: [2]}\nrouter: {buffer: 2}\n"
          "node: {ports: 1, injection_queue: 1, ejection_buffer: 2}\n"
          "workload: {protocol: request-reply, sources: [[0]], targets: [[1]], outstanding: 16, request: 8, "
          "reply: 8, service: {latency: 10, rate: 0.1, queue: 1}, warmup: 1000, measure: 10000}\n");
  EXPECT_TRUE(json["verified"].get<bool>()) << json["failed_checks"];
  EXPECT_DOUBLE_EQ(json["protocol"]["round_trips_per_cycle"], 0.1);
  // One request in the target's queue, two in the ejection buffer.
  EXPECT_EQ(json["protocol"]["queue_length_max"], 3);
  EXPECT_GT(json["stalls"]["sink_full"], 0);
  EXPECT_LT(json["protocol"]["outstanding_mean"], 12.0);
}

TEST(ProtocolRun, Batch_EndsWithTheLastReply) {
  const Json json =
      run(kLine +
          "workload: {protocol: request-reply, sources: [[0]], targets: [[1]], outstanding: 1, request: 8, "
          "reply: 64, service: {latency: 10}, batch: 40}\n");
  EXPECT_EQ(json["cycles"], 40 * 25);
  EXPECT_TRUE(json["verified"].get<bool>()) << json["failed_checks"];
  EXPECT_EQ(json["protocol"]["round_trip"]["messages"], 40);
  EXPECT_DOUBLE_EQ(json["protocol"]["round_trips_per_cycle"], 1.0 / 25);
}

TEST(ProtocolRun, OpenLoop_OffersItsLoadAndQueuesBehindOutstanding) {
  const std::string workload =
      "topology: {kind: torus, shape: [4, 4]}\nnode: {ports: 1}\nworkload: {protocol: request-reply, "
      "requests: "
      "{traffic: uniform, load: 0.05}, request: 8, reply: 16, service: {latency: 20}, warmup: 1000, measure: "
      "20000, "
      "outstanding: ";
  const Json any = run(workload + "unlimited}\n");
  EXPECT_EQ(any["traffic"]["status"], "ok");
  EXPECT_NEAR(any["protocol"]["round_trips_per_cycle"].get<double>(), 16 * 0.05, 0.02);
  EXPECT_NEAR(any["traffic"]["offered"].get<double>(), 3 * 0.05, 0.005)
      << "a flit of a request, two of a reply";
  EXPECT_EQ(any["protocol"]["until_issued_mean_cycles"], 0.0);
  // A round trip takes some 40 cycles, so with three open requests queue, and with one more and more do.
  EXPECT_GT(run(workload + "3}\n")["protocol"]["until_issued_mean_cycles"], 1.0);
  EXPECT_EQ(run(workload + "1}\n")["traffic"]["status"], "saturated");
}

TEST(ProtocolRun, Targets_AnswerAllRequests) {
  const Json json =
      run("topology: {kind: mesh, shape: [4, 4]}\nnode: {ports: 1}\nworkload: {protocol: request-reply, "
          "targets: [[0, 0], "
          "[3, 3]], outstanding: 4, service: {latency: 5, rate: 0.1}, warmup: 2000, measure: 20000}\n");
  const Json& answers = json["protocol"]["answers_by_node"];
  // A target is idle when all 64 requests are at the other one.
  EXPECT_GT(answers["least"]["per_cycle"].get<double>(), 0.095);
  EXPECT_LE(answers["most"]["per_cycle"].get<double>(), 0.1);
  EXPECT_NEAR(json["protocol"]["outstanding_mean"].get<double>(), 64, 0.01);
}

/// Node 0 has itself as target.
TEST(ProtocolRun, NodeWithoutTarget_IsNoneThatRequests) {
  const Json json = run(
      "topology: {kind: mesh, shape: [3]}\nnode: {ports: 1}\nworkload: {protocol: request-reply, requests: "
      "{traffic: hotspot, nodes: [[0]], share: 1}, sources: [[0], [1]], batch: 3}\n");
  const Json& requests = json["protocol"]["requests_by_node"];
  EXPECT_EQ(requests["least"]["node"], Json({1})) << requests;
  EXPECT_EQ(requests["least"], requests["most"]);
}

TEST(ProtocolRun, Parts_AddUpToTheRoundTrip) {
  const Json json =
      run("topology: {kind: torus, shape: [4, 4]}\nnode: {ports: 1}\nworkload: {protocol: request-reply, "
          "requests: "
          "{traffic: uniform, load: 0.1}, reads: 0.6, outstanding: 8, service: {latency: 30, rate: 0.2, "
          "shared: false}, "
          "warmup: 1000, measure: 10000}\n");
  const Json& protocol = json["protocol"];
  double sum = 0;
  for (const char* const part : {"until_issued", "request", "queue", "service", "reply"}) {
    sum += protocol[std::string(part) + "_mean_cycles"].get<double>();
  }
  EXPECT_NEAR(sum, protocol["round_trip"]["mean"].get<double>(), 1e-6);
  EXPECT_EQ(protocol["reads"]["messages"].get<int>() + protocol["writes"]["messages"].get<int>(),
            protocol["round_trip"]["messages"].get<int>());
  EXPECT_TRUE(json["verified"].get<bool>()) << json["failed_checks"];
}

void expect_refusal(const std::string& workload, const std::string& words) {
  try {
    run("topology: {kind: mesh, shape: [4, 4]}\nrouter: {routing: dimension-order}\nworkload: {protocol: "
        "request-reply, " +
        workload + "}\n");
    ADD_FAILURE() << workload;
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(ProtocolRun, CourseOfABatch_HasItsLastRoundTrip) {
  for (const int batch : {1, 2, 3, 4, 5}) {
    const auto round_trips = run_isolated([&] {
      const RunResult result = run_experiment(parse_config(
          fmt::format("flitscope: 1\n{}workload: {{protocol: request-reply, sources: [[0]], targets: [[1]], "
                      "outstanding: 1, batch: {}, service: {{latency: 10}}}}\n",
                      kLine, batch),
          "c.yaml", "/"));
      const auto& parts = result.links()->protocol->parts;
      const Cycle end = result.links()->traffic->end;
      double sum = 0;
      for (std::size_t i = 0; i < parts.size(); ++i)
        sum += parts[i].round_trips *
               static_cast<double>((i + 1 < parts.size() ? parts[i + 1].begin : end) - parts[i].begin);
      return fmt::format("{:.6f}", sum);
    });
    EXPECT_EQ(round_trips, fmt::format("{}.000000", batch));
  }
}

TEST(ProtocolRun, QueueThatIsThereWhenTheMeasurementBegins_IsTheLongest) {
  const Json result = run(
      "topology: {kind: mesh, shape: [3]}\nnode: {ports: 1}\n"
      "workload: {protocol: request-reply, sources: [[0], [2]], targets: [[1]], outstanding: 4, warmup: 20, "
      "measure: 20, service: {rate: 0.02}}\n");
  EXPECT_EQ(result["protocol"]["queue_length_mean_max"], 8);
  EXPECT_EQ(result["protocol"]["queue_length_max"], 8);
}

TEST(ProtocolRun, WrongNodes_AreRefused) {
  expect_refusal("targets: [[4, 0]]", "c.yaml:4:46: [4, 0] lies outside the 4x4 mesh");
  expect_refusal("targets: []", "workload.targets");
  expect_refusal("sources: [[0, 0], [0, 0]]", "[0, 0] is named twice");
  expect_refusal("sources: [[1, 1]], targets: [[1, 1]]", "no node requests anything");
  expect_refusal("targets: [[1, 1]], requests: {traffic: transpose}", "requests.traffic must be uniform");
}

TEST(ProtocolRun, MoreOpenRequestsThanQueuesHold_AreRefusedWithWhatWouldBeRight) {
  const auto refusal = [](const std::string& more) {
    try {
      run("topology: {kind: mesh, shape: [2, 2]}\nnode: {ports: 1, injection_queue: 4, ejection_buffer: "
          "8}\n" +
          more);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto workload = [](unsigned outstanding, const std::string& more = "") {
    return fmt::format(
        "workload: {{protocol: request-reply, outstanding: {}, service: {{queue: 2}}, batch: 10{}}}\n",
        outstanding, more);
  };
  const std::string message = refusal(workload(4));
  EXPECT_EQ(message.find("c.yaml:4:50: 16 requests can be open at [0, 0], but up to 8 fit its queues"), 0U)
      << message;
  EXPECT_NE(message.find("node.injection_queue from 12 on, outstanding up to 2, or"), std::string::npos)
      << message;
  EXPECT_EQ(refusal(workload(2)), "");
  EXPECT_EQ(refusal(workload(4, ", sources: [[0, 0]], targets: [[1, 1]]")), "") << "no dependency cycle";
  EXPECT_EQ(refusal(workload(4) + "classes: [{name: request, vcs: 1}, {name: reply, vcs: 1}]\n"), "");
  EXPECT_EQ(refusal(workload(4) + "router: {allow_deadlock: true}\n"), "");
}

/// With services of their own a read waits for the service of reads, though a reply of a write waits for
/// room. The numbers are those of a simulator written from docs/timing.md.
TEST(ProtocolRun, RequestBehindAFullQueue_WaitsForItsOwnService) {
  const Json json =
      run("topology: {kind: torus, shape: [3, 3]}\n"
          "router: {routing: dimension-order, buffer: 2, allow_deadlock: true, virtual_channels: 2}\n"
          "node: {injection_queue: 1, ejection_buffer: 64}\n"
          "workload: {protocol: request-reply, requests: {traffic: uniform, ties: plus}, outstanding: 6, "
          "request: 512, reply: 512, write_request: 128, write_reply: 8, batch: 6, seed: 25, reads: 0.5, "
          "think: 19, targets: [[0, 0]], service: {rate: 0.02, queue: 2, shared: false}, "
          "sources: [[2, 1], [2, 0], [0, 2], [0, 0]]}\n");
  EXPECT_EQ(json["status"], "completed");
  EXPECT_EQ(json["stalls"]["sink_full"], 163);
  EXPECT_EQ(json["stalls"]["nic_full"], 51);
}

/// With as many requests open as here, requests fill the queues that replies need.
TEST(ProtocolRun, FiniteEnds_CountInARun) {
  const std::string machine =
      "topology: {kind: mesh, shape: [4, 4]}\n"
      "node: {ports: 1, injection_queue: 2, ejection_buffer: 8}\n"
      "workload: {protocol: request-reply, outstanding: 16, request: 8, reply: 64, service: {latency: 20, "
      "queue: 4}, warmup: 500, measure: 2000}\n";
  const Json together = run(machine + "router: {virtual_channels: 2, buffer: 4, allow_deadlock: true}\n");
  EXPECT_EQ(together["status"], "deadlock");
  EXPECT_NE(together["deadlock"].dump().find("ejection"), std::string::npos) << together["deadlock"];
  const Json apart =
      run(machine + "router: {buffer: 4}\nclasses: [{name: request, vcs: 1}, {name: reply, vcs: 1}]\n");
  EXPECT_EQ(apart["status"], "completed");
  EXPECT_TRUE(apart["verified"].get<bool>()) << apart["failed_checks"];
}

}  // namespace
}  // namespace flitscope::test::protocol_run_test
