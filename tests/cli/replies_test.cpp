// Schedules whose messages have replies, at nodes with finite buffers and queues.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/program.h"

namespace flitscope::test::replies_test {
namespace {

using Json = nlohmann::json;

Json header(std::uint32_t nodes, std::uint64_t messages, const Json& classes) {
  Json line{{"flitscope", "schedule"},
            {"version", 2},
            {"topology", {{"kind", "mesh"}, {"shape", {nodes}}}},
            {"ports", {{"send", 9999}, {"receive", 9999}}},
            {"routing", "dimension-order"},
            {"algorithm", "replies"},
            {"steps", 1},
            {"messages", messages},
            {"chunks", {8}},
            {"initial", Json::parse("[[[0],[0]]]")},
            {"goal", Json::parse("[[[0],[0]]]")}};
  if (!classes.empty()) line["classes"] = classes;
  return line;
}

/// A message of `bytes` of control to the next node, in direction + or -.
Json message(std::uint32_t from, int direction, std::uint64_t bytes, const std::string& of_class = "") {
  Json line{{"step", 1},
            {"src", {from}},
            {"dst", {static_cast<int>(from) + direction}},
            {"path", {{0, direction, 1}}},
            {"control", bytes}};
  if (!of_class.empty()) line["class"] = of_class;
  return line;
}

/// With a reply of eight bytes.
Json answered(Json request, const std::string& of_class = "", std::uint64_t wait = 0) {
  Json reply{{"path", {{0, -request.at("path")[0][1].get<int>(), 1}}}, {"control", 8}};
  if (!of_class.empty()) reply["class"] = of_class;
  if (wait > 0) reply["wait"] = wait;
  request["replies"] = std::move(reply);
  return request;
}

Outcome run(const TemporaryDirectory& directory, const std::string& machine, const std::vector<Json>& lines) {
  std::string text;
  for (const Json& line : lines) text += line.dump() + "\n";
  static_cast<void>(directory.write("s.jsonl", text));
  return run_program(
      {"run", directory.write("r.yaml", "flitscope: 1\n" + machine + "workload: {schedule: s.jsonl}\n"),
       "--json"});
}

/// The reply to the first message waits for its time, that to the last one for room in the injection queue:
/// only the last one's slot lacks room there.
TEST(Replies, ReplyThatWaitsForItsTime_IsNotSaidToWaitForTheInjectionQueue) {
  const TemporaryDirectory directory;
  std::vector<Json> lines{header(3, 9, {}), answered(message(0, 1, 8), "", 200), message(0, 1, 8)};
  for (unsigned i = 0; i < 4; ++i) lines.push_back(message(1, 1, 8));
  lines.push_back(answered(message(2, -1, 8)));
  const Outcome outcome =
      run(directory,
          "topology: {kind: mesh, shape: [3]}\nnode: {ports: all, startup: 40, ejection_buffer: 1, "
          "injection_queue: 1, flit_bytes: 8}\nrouter: {allow_deadlock: true}\n",
          lines);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err << outcome.out;
  const Json stalls = Json::parse(outcome.out).at("stalls");
  EXPECT_EQ(stalls.at("nic_full"), 0);
  EXPECT_EQ(stalls.at("sink_full"), 161);
}

/// Two nodes work on one request of the other each, and what they answer waits behind more requests.
TEST(Replies, RequestsThatKeepTheirNodesBusy_DeadlockInACycleThroughTheNodes) {
  const TemporaryDirectory directory;
  std::vector<Json> lines{header(2, 8, {})};
  for (unsigned i = 0; i < 2; ++i) {
    lines.push_back(answered(message(0, 1, 64)));
    lines.push_back(answered(message(1, -1, 64)));
  }
  const std::string machine =
      "topology: {kind: mesh, shape: [2]}\nnode: {ports: 1, requests: 1, flit_bytes: 8}\nrouter: {buffer: "
      "1}\n";
  const Outcome outcome = run(directory, machine, lines);
  ASSERT_EQ(outcome.exit_code, 3) << outcome.err << outcome.out;
  const Json deadlock = Json::parse(outcome.out).at("deadlock");
  EXPECT_EQ(deadlock.at("blocked_messages"), 2) << "others are not in the network";
  const Json& worms = deadlock.at("dependency_cycle");
  ASSERT_EQ(worms.size(), 2U) << worms;
  for (const Json& worm : worms) {
    EXPECT_EQ(worm.at("wants_reply"), true) << worm;
    EXPECT_EQ(worm.at("wants_room"), false) << worm;
    EXPECT_EQ(worm.at("wants").at("channel").get<std::string>().substr(0, 10), "ejection 0") << worm;
  }
  // Replies that wait for room in the injection queue wait as well.
  const Outcome queued =
      run(directory,
          "topology: {kind: mesh, shape: [2]}\nnode: {ports: 1, requests: 1, injection_queue: 1, "
          "flit_bytes: 8}\nrouter: {buffer: 1}\n",
          lines);
  EXPECT_EQ(queued.exit_code, 3) << queued.err;
  EXPECT_EQ(run(directory, "topology: {kind: mesh, shape: [2]}\nnode: {ports: 1, flit_bytes: 8}\n", lines)
                .exit_code,
            0);
}

/// As the first reply has a queue of its own with room, its request leaves the ejection buffer in the end.
/// The messages from node 3 to node 4 keep the network at work until deadlocks are looked for.
TEST(Replies, ReplyThatWaitsForItsTime_IsNoDeadlock) {
  constexpr unsigned kAnswered = 10;
  constexpr unsigned kOthers = 2500;
  const TemporaryDirectory directory;
  std::vector<Json> lines{header(5, 3 + kAnswered + kOthers + 2 + kAnswered, {"request", "reply", "late"}),
                          answered(message(0, 1, 8, "request"), "late", 5000),
                          answered(message(0, 1, 8, "request"), "reply"), message(0, 1, 8, "request")};
  for (unsigned i = 0; i < kAnswered; ++i) lines.push_back(answered(message(1, 1, 8, "reply"), "request"));
  for (unsigned i = 0; i < kOthers; ++i) lines.push_back(message(3, 1, 16, "late"));
  const Outcome outcome =
      run(directory,
          "topology: {kind: mesh, shape: [5]}\nnode: {ports: 1, ejection_buffer: 2, injection_queue: 1, "
          "flit_bytes: 8}\nrouter: {allow_deadlock: true, buffer: 1}\n"
          "classes: [{name: request, vcs: 1}, {name: reply, vcs: 1}, {name: late, vcs: 1}]\n",
          lines);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err << outcome.out;
  EXPECT_GT(Json::parse(outcome.out).at("cycles"), 5000);
}

}  // namespace
}  // namespace flitscope::test::replies_test
