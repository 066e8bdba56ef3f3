// flitscope schedule --table: the routing table as text and JSON.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/program.h"

namespace flitscope::test::routing_table_command_test {
namespace {

using Json = nlohmann::json;

class RoutingTableCommand : public testing::Test {
 protected:
  Outcome schedule(const std::vector<std::string>& options,
                   const std::string& algorithm = "hamiltonian-cycles", const std::string& shape = "[3, 3]") {
    std::vector<std::string> words{
        "schedule", config_, "--set", "workload.algorithm=" + algorithm, "--set", "topology.shape=" + shape};
    words.insert(words.end(), options.begin(), options.end());
    return run_program(words);
  }

  TemporaryDirectory directory_;
  std::string config_ = directory_.write("gossip.yaml",
                                         "flitscope: 1\n"
                                         "topology: {kind: torus, shape: [3, 3]}\n"
                                         "workload: {algorithm: hamiltonian-cycles, message: 9}\n");
};

TEST_F(RoutingTableCommand, Text_ListsWhatEachLinkSends) {
  const Outcome outcome = schedule({"--table"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(
      outcome.out.starts_with("hamiltonian-cycles, 3x3 torus: routing table\n"
                              "done after 4 steps and 144 packets; a node keeps at most 4 packets to relay\n"
                              "packet k of a node is chunk 2 * node + k\n"
                              "\n"
                              "[0, 0]\n"
                              "  to +0: own 1; then all from -1 (4 packets)\n"))
      << outcome.out;
}

TEST_F(RoutingTableCommand, Json_HasEveryLink) {
  const Outcome outcome = schedule({"--table=json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json table = Json::parse(outcome.out);
  EXPECT_EQ(table.at("flitscope"), "routing-table");
  EXPECT_EQ(table.at("steps"), 4);
  EXPECT_EQ(table.at("chunks").size(), 18U);
  EXPECT_EQ(table.at("chunks").at(0), 5);
  EXPECT_EQ(table.at("chunks").at(1), 4);
  EXPECT_EQ(table.at("cycles").at(0).at("nodes").at(3), (Json{1, 2}));
  const Json& node = table.at("nodes").at(0);
  EXPECT_EQ(node.at("node"), (Json{0, 0}));
  ASSERT_EQ(node.at("links").size(), 4U);
  const Json& link = node.at("links").at(0);
  EXPECT_EQ(link.at("to"), "+0");
  EXPECT_EQ(link.at("neighbour"), (Json{1, 0}));
  EXPECT_EQ(link.at("rules").at(0), (Json{{"own", {1}}}));
  EXPECT_EQ(link.at("rules").at(1), (Json{{"relay", "-1"}, {"skip", 0}, {"count", nullptr}}));
}

TEST_F(RoutingTableCommand, Out_WritesAFile) {
  const std::string file = directory_ / "table.json";
  EXPECT_EQ(schedule({"--table=json", "--out", file}).exit_code, 0);
  EXPECT_EQ(text_of(file), schedule({"--table=json"}).out);
}

TEST_F(RoutingTableCommand, AlgorithmWithoutTable_IsRefused) {
  const Outcome outcome = schedule({"--table"}, "translated-tree");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("translated-tree has no time-independent routing table; there are tables of "
                             "hamiltonian-cycles"),
            std::string::npos)
      << outcome.err;
}

TEST(RoutingTableOfTraffic, IsRefusedAsTrafficHasNoSchedule) {
  const Outcome outcome = run_program({"schedule", shipped_config("uniform-mesh-8x8.yaml"), "--table"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find(": traffic has no schedule"), std::string::npos) << outcome.err;
}

TEST(RoutesThatAreNoTable, AreRefusedWithTheReason) {
  const auto refusal = [](const std::string& routing) {
    const Outcome outcome = run_program({"schedule", shipped_config("uniform-mesh-8x8.yaml"), "--routes",
                                         "--set", "router.routing=" + routing});
    EXPECT_EQ(outcome.exit_code, 2) << routing;
    EXPECT_EQ(outcome.out, "") << routing;
    return outcome.err;
  };
  EXPECT_NE(refusal("cyclic-dimension-order").find("each message has a first dimension of its own"),
            std::string::npos);
  EXPECT_NE(refusal("minimal-adaptive").find("they are chosen in the run"), std::string::npos);
  EXPECT_NE(refusal("o1turn").find("they depend on more than the destination"), std::string::npos);
}

/// The routes of dimension order as a table run like those of the function.
TEST(RoutesOfDimensionOrder, AsATable_GiveTheSameRun) {
  const TemporaryDirectory directory;
  const std::string routes = directory / "routes.txt";
  const std::string config = directory.write(
      "c.yaml",
      "flitscope: 1\ntopology: {kind: mesh, shape: [4, 3]}\nrouter: {routing: dimension-order}\n"
      "workload: {traffic: uniform, load: 0.3, message: 24, warmup: 100, measure: 500}\n");
  ASSERT_EQ(run_program({"schedule", config, "--routes", "--out", routes}).exit_code, 0);
  const auto latency_of = [&](const std::string& router) {
    return Json::parse(run_program({"run", config, "--json", "--set", router}).out).at("latency");
  };
  EXPECT_EQ(latency_of("router={routing: table, file: " + routes + "}"),
            latency_of("router={routing: dimension-order}"));
  const Outcome torus = run_program({"schedule", config, "--routes", "--set", "topology.kind=torus"});
  EXPECT_NE(torus.err.find("messages to [0, 0] change their class of virtual channels"), std::string::npos)
      << torus.err;
}

TEST_F(RoutingTableCommand, UnknownFormat_IsRefused) {
  EXPECT_NE(schedule({"--table=yaml"}).err.find("--table must be text or json, not 'yaml'"),
            std::string::npos);
  EXPECT_NE(schedule({"--table", "--routes"}).err.find("exclude each other"), std::string::npos);
  EXPECT_NE(schedule({"--svg"}).err.find("flitscope report DIR) draws the cycles"), std::string::npos);
}

}  // namespace
}  // namespace flitscope::test::routing_table_command_test
