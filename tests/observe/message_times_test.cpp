// messages.csv: the terms of every message's latency add up, in congested networks, too.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/support/csv.h"
#include "tests/support/small_schedules.h"

namespace flitscope::test::message_times_test {
namespace {

using Json = nlohmann::json;

struct Machine {
  const char* switching = "wormhole";
  const char* ports = "all";
  unsigned buffer = 8;
  unsigned router_delay = 1;
  unsigned link_delay = 1;
  unsigned startup = 0;
  unsigned interval = 1;
  const char* advance = "dataflow";
  unsigned vc_delay = 0;
  unsigned credit_delay = 0;
  unsigned node_vcs = 1;
  const char* routing = "dimension-order";
};

const std::vector<std::string> kParts{"startup_cycles",
                                      "queueing_cycles",
                                      "hops_cycles",
                                      "head_vc_taken_cycles",
                                      "head_no_credit_cycles",
                                      "head_switch_lost_cycles",
                                      "head_ejection_busy_cycles",
                                      "head_sink_full_cycles",
                                      "head_nic_full_cycles",
                                      "hol_blocked_cycles",
                                      "serialization_cycles",
                                      "tail_serialization_cycles"};

const std::vector<std::string> kPartsOfTheLag{"tail_injection_cycles", "tail_no_credit_cycles",
                                              "tail_switch_lost_cycles", "tail_sink_full_cycles",
                                              "tail_nic_full_cycles"};

struct Recorded {
  Table messages;
  Json result;
};

Recorded record(const TemporaryDirectory& directory, const std::string& topology, const std::string& workload,
                const Machine& machine) {
  const std::string config = directory.write(
      "run.yaml",
      fmt::format("flitscope: 1\n"
                  "topology: {}\n"
                  "router: {{routing: {}, switching: {}, buffer: {}, delay: {}, vc_delay: {}, "
                  "credit_delay: {}}}\n"
                  "link: {{delay: {}}}\n"
                  "node: {{ports: {}, vcs: {}, startup: {}, injection_interval: {}, ejection_interval: {}}}\n"
                  "workload: {{{}, advance: {}}}\n"
                  "observe: {{messages: true}}\n",
                  topology, machine.routing, machine.switching, machine.buffer, machine.router_delay,
                  machine.vc_delay, machine.credit_delay, machine.link_delay, machine.ports, machine.node_vcs,
                  machine.startup, machine.interval, machine.interval, workload, machine.advance));
  const Outcome outcome = run_program({"run", config, "--quiet", "--out", directory / "run"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  Recorded recorded{read_csv(directory / "run/messages.csv"),
                    Json::parse(text_of(directory / "run/result.json"))};
  std::filesystem::remove_all(directory / "run");
  return recorded;
}

void expect_exact_times(const Recorded& recorded, const Machine& machine) {
  for (const Row& message : recorded.messages.rows) {
    std::int64_t total = 0;
    for (const std::string& part : kParts) {
      EXPECT_GE(message.number(part), 0) << part;
      total += message.number(part);
    }
    EXPECT_EQ(total, message.number("latency_cycles"));
    std::int64_t lag = 0;
    for (const std::string& part : kPartsOfTheLag) {
      EXPECT_GE(message.number(part), 0) << part;
      lag += message.number(part);
    }
    EXPECT_EQ(lag, message.number("tail_serialization_cycles"));
    EXPECT_EQ(message.number("latency_cycles"),
              message.number("arrival_cycle") - message.number("ready_cycle"));
    EXPECT_EQ(message.number("startup_cycles"), machine.startup);
    EXPECT_EQ(message.number("hops_cycles"),
              (message.number("links") + 1) * (machine.router_delay + machine.vc_delay + machine.link_delay));
    EXPECT_EQ(message.number("serialization_cycles"), (message.number("flits") - 1) * machine.interval);
  }
}

/// The summary is that of the rows.
void expect_summary(const Recorded& recorded) {
  const Table& messages = recorded.messages;
  const Json& result = recorded.result;
  ASSERT_EQ(messages.rows.size(), result.at("messages"));
  std::vector<std::int64_t> latencies;
  std::int64_t flit_hops = 0;
  for (const Row& message : messages.rows) {
    latencies.push_back(message.number("latency_cycles"));
    flit_hops += message.number("flits") * message.number("links");
  }
  std::ranges::sort(latencies);
  const Json& latency = result.at("latency");
  EXPECT_EQ(latency.at("messages"), latencies.size());
  EXPECT_EQ(latency.at("min"), latencies.front());
  EXPECT_EQ(latency.at("max"), latencies.back());
  EXPECT_EQ(latency.at("p50"), latencies[(latencies.size() + 1) / 2 - 1]);
  EXPECT_DOUBLE_EQ(latency.at("mean"), static_cast<double>(messages.sum("latency_cycles")) /
                                           static_cast<double>(latencies.size()));
  EXPECT_EQ(messages.sum("flits"), result.at("flits"));
  EXPECT_EQ(flit_hops, result.at("flit_hops"));
  for (const char* cause : {"vc_taken", "no_credit", "switch_lost", "ejection_busy"}) {
    // Flits behind the head are stalled too.
    EXPECT_LE(messages.sum(fmt::format("head_{}_cycles", cause)), result.at("stalls").at(cause)) << cause;
  }
}

void expect_all(const Recorded& recorded, const Machine& machine) {
  expect_exact_times(recorded, machine);
  expect_summary(recorded);
}

const std::vector<Machine> kMachines{
    {},
    {.ports = "1", .buffer = 2, .startup = 13, .interval = 3},
    {.ports = "2", .buffer = 1, .router_delay = 3, .link_delay = 2},
    {.buffer = 1, .startup = 1, .interval = 4},
    {.ports = "1", .buffer = 3, .link_delay = 5, .advance = "barrier"},
    {.switching = "virtual-cut-through", .ports = "1", .buffer = 64, .startup = 5, .interval = 2},
    {.switching = "virtual-cut-through", .buffer = 16, .router_delay = 2},
    {.switching = "store-and-forward", .ports = "2", .buffer = 16, .startup = 3, .interval = 2},
    {.ports = "1", .buffer = 4, .router_delay = 2, .vc_delay = 1, .credit_delay = 1, .node_vcs = 4},
    {.switching = "virtual-cut-through", .buffer = 16, .vc_delay = 3, .node_vcs = 2},
    {.switching = "store-and-forward",
     .ports = "1",
     .buffer = 16,
     .startup = 2,
     .vc_delay = 2,
     .credit_delay = 3},
};

TEST(MessageTimes, OverlappingBroadcast_TermsAddUp) {
  const TemporaryDirectory directory;
  const Machine machine{.ports = "1", .buffer = 2, .startup = 25, .interval = 2};
  const Recorded recorded = record(directory, "{kind: torus, shape: [4, 5]}",
                                   "algorithm: binomial-torus, source: [2, 3], message: 200", machine);
  EXPECT_EQ(recorded.messages.rows.size(), 4U * 5 - 1);
  EXPECT_GT(recorded.messages.sum("queueing_cycles"), 0);
  expect_all(recorded, machine);
}

TEST(MessageTimes, RandomTrafficOnATorus_TermsAddUp) {
  const TemporaryDirectory directory;
  std::map<std::string, std::int64_t> seen;
  std::uint32_t seed = 1;
  for (const Machine& machine : kMachines) {
    SCOPED_TRACE(seed);
    MemorySchedule schedule = random_traffic({TopologyKind::torus, {4, 3}}, 6, 40, seed++);
    static_cast<void>(directory.write("random.jsonl", written(schedule)));
    const Recorded recorded =
        record(directory, "{kind: torus, shape: [4, 3]}", "schedule: random.jsonl", machine);
    EXPECT_EQ(recorded.messages.rows.size(), 240U);
    for (const std::string& part : kParts) seen[part] += recorded.messages.sum(part);
    for (const std::string& part : kPartsOfTheLag) seen[part] += recorded.messages.sum(part);
    expect_all(recorded, machine);
  }
  for (const auto& [part, cycles] : seen) {
    // Ejection buffers of these machines are unlimited.
    if (part.ends_with("sink_full_cycles") || part.ends_with("nic_full_cycles")) continue;
    EXPECT_GT(cycles, 0) << part << " has not been put to the test";
  }
}

/// The route of the schedule has no influence.
TEST(MessageTimes, Valiant_HasTheLinksOfThePathTaken) {
  const TemporaryDirectory directory;
  for (const Topology& topology : {Topology(TopologyKind::mesh, {4}), Topology(TopologyKind::torus, {5}),
                                   Topology(TopologyKind::torus, {4, 3})}) {
    MemorySchedule schedule = random_traffic(topology, 3, 20, 7);
    static_cast<void>(directory.write("random.jsonl", written(schedule)));
    const std::string kind = topology.wraps() ? "torus" : "mesh";
    const Machine machine{.routing = "valiant"};
    const Recorded recorded =
        record(directory, fmt::format("{{kind: {}, shape: [{}]}}", kind, fmt::join(topology.sides(), ", ")),
               "schedule: random.jsonl", machine);
    expect_all(recorded, machine);
  }
}

TEST(MessageTimes, RandomTrafficOnAMesh_TermsAddUp) {
  const TemporaryDirectory directory;
  std::uint32_t seed = 100;
  for (const Machine& machine : kMachines) {
    SCOPED_TRACE(seed);
    MemorySchedule schedule = random_traffic({TopologyKind::mesh, {3, 3, 2}}, 5, 60, seed++);
    static_cast<void>(directory.write("random.jsonl", written(schedule)));
    expect_all(record(directory, "{kind: mesh, shape: [3, 3, 2]}", "schedule: random.jsonl", machine),
               machine);
  }
}

TEST(MessageTimes, WithAClock_AreInNanosecondsBesideCycles) {
  const TemporaryDirectory directory;
  const std::string config =
      directory.write("run.yaml",
                      "flitscope: 1\nclock: 2GHz\ntopology: {kind: torus, shape: [4, 4]}\n"
                      "workload: {algorithm: tree-broadcast, message: 512}\nobserve: {messages: true}\n");
  ASSERT_EQ(run_program({"run", config, "--quiet", "--out", directory / "run"}).exit_code, 0);
  for (const Row& message : read_csv(directory / "run/messages.csv").rows) {
    std::vector<std::string> times = kParts;
    times.insert(times.end(), kPartsOfTheLag.begin(), kPartsOfTheLag.end());
    times.insert(times.end(), {"latency_cycles", "longest_wait_cycles", "ready_cycle", "arrival_cycle"});
    for (const std::string& time : times) {
      const std::string name = time.substr(0, time.rfind('_')) + "_ns";
      EXPECT_EQ(std::stod(message.text(name)), 0.5 * static_cast<double>(message.number(time))) << name;
    }
  }
}

TEST(MessageTimes, OfAMachineWithClasses_NameTheClass) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "run.yaml",
      "flitscope: 1\ntopology: {kind: mesh, shape: [4, 4]}\n"
      "classes: [{name: request, vcs: 1}, {name: reply, vcs: 1}]\n"
      "workload: {protocol: request-reply, request: 8, reply: 64, batch: 20}\nobserve: {messages: true}\n");
  const auto run = observe(directory, "run", config, {});
  std::map<std::string, std::int64_t> messages;
  for (const Row& row : read_csv(run / "messages.csv").rows) {
    ++messages[row.text("message_class")];
    EXPECT_EQ(row.number("flits"), row.text("message_class") == "request" ? 1 : 8);
  }
  EXPECT_EQ(messages, (std::map<std::string, std::int64_t>{{"reply", 320}, {"request", 320}}));
}

/// Where a head may leave the shortest paths its links are counted.
TEST(MessageTimes, WeighedDetours_AddUpToTheLinksTravelled) {
  const TemporaryDirectory directory;
  for (const auto& [routing, topology] : {std::pair{"ugal-l", "{kind: mesh, shape: [4, 4]}"},
                                          {"ugal-g", "{kind: dragonfly, p: 1, a: 2, h: 1, groups: 3}"},
                                          {"par", "{kind: dragonfly, p: 1, a: 2, h: 1, groups: 3}"},
                                          {"piggyback", "{kind: dragonfly, p: 1, a: 2, h: 1, groups: 3}"},
                                          {"odd-even", "{kind: mesh, shape: [3, 3]}"},
                                          {"valiant", "{kind: torus, shape: [4]}"}}) {
    SCOPED_TRACE(routing);
    const std::string config = directory.write(
        "detours.yaml",
        fmt::format("flitscope: 1\ntopology: {}\nrouter: {{routing: {}, virtual_channels: 6}}\n"
                    "link: {{delay: 20}}\nworkload: {{algorithm: all-to-all-direct, message: "
                    "64}}\nobserve: {{messages: true}}\n",
                    topology, routing));
    const auto run = observe(directory, routing, config, {});
    std::int64_t flit_hops = 0;
    for (const Row& row : read_csv(run / "messages.csv").rows) {
      flit_hops += row.number("links") * row.number("flits");
      EXPECT_EQ(row.number("hops_cycles"), (row.number("links") + 1) * 21);
      EXPECT_LE(row.number("hol_blocked_cycles"), row.number("latency_cycles"));
    }
    EXPECT_EQ(flit_hops, Json::parse(text_of(run / "result.json")).at("flit_hops"));
  }
}

}  // namespace
}  // namespace flitscope::test::message_times_test
