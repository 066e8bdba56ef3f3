// Protocols in a configuration: what is taken, that the resolved configuration says the same, and what is
// refused.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <string>

#include "sim/config/keys.h"
#include "tests/support/config_texts.h"

namespace flitscope::test::protocol_config_test {
namespace {

std::string with(const std::string& workload) {
  return kHead + kTorus + "workload: " + workload + "\n";
}

TEST(ProtocolConfig, Keys_AreTakenAndPrinted) {
  const auto given = parse(with(
      "{protocol: request-reply, requests: {traffic: hotspot, nodes: [[1, 2]], load: 0.2, process: periodic, "
      "self: true}, outstanding: unlimited, request: 16, reply: 1KiB, write_request: 512, write_reply: 8, "
      "reads: "
      "0.25, sources: [[0, 0], [1, 1]], think: 7, service: {latency: 100, rate: 0.9, queue: 32, shared: "
      "false}, "
      "warmup: 300, measure: 4000, seed: 5}"));
  for (const auto& config : {given, parse(resolve(given))}) {
    const WorkloadConfig& workload = config.workload;
    ASSERT_TRUE(workload.protocol);
    const ProtocolConfig& protocol = *workload.protocol;
    EXPECT_EQ(workload.work(), KeyWork::protocol);
    EXPECT_FALSE(protocol.closed_loop);
    EXPECT_EQ(workload.traffic.load.text(), "0.2");
    EXPECT_EQ(workload.traffic.pattern->name, "hotspot");
    EXPECT_EQ(workload.traffic.parameters.node_set("nodes"), NodeSet::listed({{"[1, 2]"}}));
    EXPECT_EQ(workload.traffic.process, Injection::periodic);
    EXPECT_EQ(workload.traffic.seed, 5U);
    EXPECT_EQ(workload.traffic.warmup, 300U);
    EXPECT_EQ(protocol.outstanding, std::nullopt);
    EXPECT_EQ(protocol.reply, 1024U);
    EXPECT_EQ(protocol.sources, NodeSet::listed({{"[0, 0]"}, {"[1, 1]"}}));
    EXPECT_EQ(protocol.targets, NodeSet{});
    EXPECT_EQ(protocol.think, 7U);
    EXPECT_EQ(protocol.batch, std::nullopt);
    EXPECT_EQ(protocol.service.latency, 100U);
    EXPECT_EQ(protocol.service.rate->text(), "0.9");
    EXPECT_EQ(protocol.service.queue, 32U);
    EXPECT_FALSE(protocol.service.shared);
    // Requests of a quarter of 2 and three quarters of 64 flits; replies of 128 and 1.
    ASSERT_EQ(workload.offered().size(), 2U);
    EXPECT_EQ(workload.offered()[0].name, "request");
    EXPECT_NEAR(workload.offered()[1].load.approximate(), 0.2 * 32.75 / 48.5, 1e-12) << "flits of replies";
  }
  EXPECT_EQ(resolve(parse(resolve(given))), resolve(given));
}

TEST(ProtocolConfig, WithoutKeys_IsAClosedLoopOfUniformReads) {
  const auto config = parse(with("{protocol: request-reply}"));
  EXPECT_TRUE(config.workload.protocol->closed_loop);
  EXPECT_EQ(config.workload.traffic.pattern->name, "uniform");
  EXPECT_EQ(config.workload.protocol->outstanding, 16U);
  EXPECT_EQ(resolve(parse(resolve(config))), resolve(config));
  EXPECT_EQ(resolve(parse(with("{traffic: uniform}"))).find("service"), std::string::npos);
}

TEST(ProtocolConfig, BatchWithoutKeysOfAMeasurement_IsReadBack) {
  const std::string text = resolve(parse(with("{protocol: request-reply, batch: 10}")));
  EXPECT_EQ(resolve(parse(text)), text);
}

void expect(const std::string& workload, const std::vector<std::string>& words) {
  const std::string error = fmt::format("{}", fmt::join(refusal(with(workload)), "\n"));
  for (const std::string& word : words)
    EXPECT_NE(error.find(word), std::string::npos) << workload << "\n" << error;
}

TEST(ProtocolConfig, Impossible_IsRefused) {
  expect("{protocol: request-reply, request: 0}", {"workload.request", "1"});
  expect("{protocol: request-reply, reply: 0}", {"workload.reply", "1"});
  expect("{protocol: request-reply, outstanding: 0}", {"workload.outstanding", "from 1"});
  expect("{protocol: request-reply, outstanding: unlimited}",
         {"workload.outstanding", "closed loop", "requests.load"});
  expect("{protocol: request-reply, requests: {process: periodic}}",
         {"workload.requests.process", "requests.load"});
  for (const auto& [key, value] :
       {std::pair{"warmup", "0"}, {"window", "500"}, {"measure", "9999"}, {"precision", "0.1"}}) {
    expect(fmt::format("{{protocol: request-reply, batch: 10, {}: {}}}", key, value),
           {fmt::format("workload.{} goes with a measurement", key), "batch"});
  }
  expect("{protocol: request-reply, service: {rate: 0}}", {"workload.service.rate", "above 0"});
  expect("{protocol: request-reply, service: {queue: 0}}", {"workload.service.queue", "from 1"});
  expect("{protocol: request-reply, reads: 1.5}", {"workload.reads", "1"});
  expect("{protocol: request-reply, requests: {load: 9}}", {"workload.requests.load"});
  expect("{protocol: request-answer}", {"workload.protocol", "request-reply"});
}

TEST(ProtocolConfig, KeysOfOtherWorkloads_AreRefused) {
  expect("{protocol: request-reply, traffic: uniform}", {"has both", "protocol"});
  expect("{protocol: request-reply, load: 0.1}", {"workload.load", "workload.requests"});
  expect("{protocol: request-reply, message: 64}", {"workload.message", "workload.requests"});
  expect("{traffic: uniform, outstanding: 4}", {"workload.outstanding", "protocol"});
  expect("{traffic: uniform, service: {latency: 4}}", {"workload.service", "protocol"});
  expect("{algorithm: broadcast-tree, requests: {traffic: uniform}}", {"workload.requests", "protocol"});
  expect("{protocol: request-reply, background: {traffic: uniform}}", {"workload.background", "algorithm"});
  expect("{protocol: request-reply, service: {latencey: 4}}", {"latencey", "latency"});
  expect("{protocol: request-reply, requests: {seed: 4}}", {"seed"});
}

}  // namespace
}  // namespace flitscope::test::protocol_config_test
