// verify of schedule files: every check, and the bounds of their collective.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/support/program.h"
#include "tests/support/thread_blocks.h"

namespace flitscope::test::imported_verdict_test {
namespace {

using Json = nlohmann::json;

/// An all-gather of three nodes in a ring, a link an epoch.
constexpr auto kFlows = R"({"7-Flows": [
  "Chunk 0 from 0 traveled over 0->1 in epoch 0", "Chunk 0 from 1 traveled over 1->2 in epoch 0",
  "Chunk 0 from 2 traveled over 2->0 in epoch 0", "Chunk 0 from 0 traveled over 1->2 in epoch 1",
  "Chunk 0 from 1 traveled over 2->0 in epoch 1", "Chunk 0 from 2 traveled over 0->1 in epoch 1"]})";
/// 0 sends to 1, which sends on to 2.
constexpr auto kGoal = R"(num_ranks 3
rank 0 { send 64b to 1 }
rank 1 { a: recv 64b from 0  b: send 64b to 2  b requires a }
rank 2 { recv 64b from 1 }
)";
/// An all-reduce in a ring, a chunk a rank.
std::string xml() {
  std::string text = R"(<algo name="ring" ngpus="3" coll="allreduce" inplace="1">)";
  for (int rank = 0; rank < 3; ++rank) {
    text += "<gpu id=\"" + std::to_string(rank) + R"(" i_chunks="3" o_chunks="0" s_chunks="0">)";
    text += "<tb id=\"0\" send=\"" + std::to_string((rank + 1) % 3) + "\" recv=\"" +
            std::to_string((rank + 2) % 3) + "\" chan=\"0\">";
    int back = 0;
    for (const char* const type : {"s", "rrs", "rrcs", "rcs", "r"}) {
      const std::string chunk = std::to_string((rank + 6 - back) % 3);
      text += "<step s=\"" + std::to_string(back++) + "\" type=\"" + type + "\" srcbuf=\"i\" srcoff=\"" +
              chunk + "\" dstbuf=\"i\" dstoff=\"" + chunk + "\" cnt=\"1\" depid=\"-1\" deps=\"-1\"/>";
    }
    text += "</tb></gpu>";
  }
  return text + "</algo>";
}

struct Imported {
  Json verdict;
  int exit_code = 0;
};

Imported verdict_on(const std::string& format, const std::string& text) {
  const TemporaryDirectory directory;
  const auto given = directory.write("given", text);
  const auto config = directory.write(
      "ring.yaml",
      "flitscope: 1\ntopology: {kind: torus, shape: [3]}\nworkload: {schedule: schedule.jsonl}\n");
  const Outcome imported = run_program({"import", given.string(), "--format", format, "--on", config.string(),
                                        "--out", (directory / "schedule.jsonl").string()});
  EXPECT_EQ(imported.exit_code, 0) << imported.err;
  const Outcome verified = run_program({"verify", config.string(), "--json"});
  return {Json::parse(verified.out), verified.exit_code};
}

TEST(ImportedVerdict, Schedule_HasEveryCheckAndBound) {
  for (const auto& [format, text] :
       {std::pair<std::string, std::string>{"te-ccl", kFlows}, {"goal", kGoal}, {"msccl-xml", xml()}}) {
    const auto [json, exit_code] = verdict_on(format, text);
    ASSERT_EQ(exit_code, 0) << format << json.dump(2);
    for (const char* const check : {"goal", "possession", "paths", "ports", "waits"}) {
      EXPECT_EQ(json.at("checks").at(check), true) << format << check;
    }
    EXPECT_EQ(json.at("checks").at("operands"), format == "msccl-xml" ? Json(true) : Json());
    EXPECT_EQ(json.at("messages_of_many_links"), 0) << format;
    EXPECT_GE(json.at("bounds").size(), 3U) << format;
    for (const Json& bound : json.at("bounds")) EXPECT_EQ(bound.at("respected"), true) << bound.dump();
  }
}

TEST(ImportedVerdict, AllGather_HasBoundsOfItsClosedForm) {
  const Json json = verdict_on("te-ccl", kFlows).verdict;
  std::map<std::string, std::uint64_t> least;
  for (const Json& bound : json.at("bounds")) least[bound.at("bound")] = bound.at("least");
  EXPECT_EQ(least, (std::map<std::string, std::uint64_t>{
                       {"distance", 1}, {"growth", 2}, {"cut", 1024}, {"pace", 1}}));
  EXPECT_EQ(json.at("busiest_link_bytes"), 2048) << "one way round only";
}

TEST(ImportedVerdict, ClaimBelowBound_IsAViolation) {
  const TemporaryDirectory directory;
  directory.write(
      "two.jsonl",
      R"({"flitscope":"schedule","version":1,"topology":{"kind":"mesh","shape":[3]},"ports":{"send":1,"receive":1},"routing":"dimension-order","algorithm":"claims","steps":2,"messages":2,"chunks":[64],"initial":[[[0],[0]]],"goal":[[[2],[0]]],"claimed_steps":1}
{"step":1,"src":[0],"dst":[1],"path":[[0,1,1]],"chunks":[0]}
{"step":2,"src":[1],"dst":[2],"path":[[0,1,1]],"chunks":[0]}
)");
  const auto config = directory.write(
      "two.yaml", "flitscope: 1\ntopology: {kind: mesh, shape: [3]}\nworkload: {schedule: two.jsonl}\n");
  const Outcome json = run_program({"verify", config.string(), "--json"});
  EXPECT_EQ(json.exit_code, 4);
  const Json verdict = Json::parse(json.out);
  EXPECT_EQ(verdict.at("violations").at(0).at("kind"), "bounds");
  EXPECT_EQ(verdict.at("bounds").at(0).at("claim_respected"), false);
  const Outcome text = run_program({"verify", config.string()});
  EXPECT_NE(text.out.find("respected with 2, and not with the 1 that it claims"), std::string::npos)
      << text.out;
}

/// Whatever the workload of CONFIG is, also one that the algorithm's parameters do not fit.
TEST(Import, Collective_NeedsOnlyTheMachineOfConfig) {
  using namespace chakra_bytes;
  const TemporaryDirectory directory;
  Arguments words{"import"};
  for (int rank = 0; rank < 4; ++rank) {
    const std::string operation = attribute("comm_type", field(9, std::uint64_t{0})) +
                                  attribute("comm_size", field(9, std::uint64_t{64}));
    words.push_back(directory.write("trace." + std::to_string(rank) + ".et",
                                    metadata() + node(1, collective, {}, operation)));
  }
  for (const std::string workload : {"{traffic: uniform, load: 0.1, message: 8}", "{schedule: missing.jsonl}",
                                     "{algorithm: all-reduce-tree, message: 8, segment: 4}"}) {
    Arguments all = words;
    for (const std::string& word :
         Arguments{"--format", "chakra", "--collective", "all-reduce-ring", "--set", "topology.shape=[2, 2]",
                   "--on",
                   directory.write("c.yaml", "flitscope: 1\ntopology: {kind: torus, shape: [4]}\nworkload: " +
                                                 workload + "\n")}) {
      all.push_back(word);
    }
    const Outcome outcome = run_program(all);
    EXPECT_EQ(outcome.exit_code, 0) << workload << outcome.err;
    EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 1 + 6 * 4 * 2) << workload;
  }
}

/// What `verify` refuses on the same machine is not imported.
TEST(Import, MessagesThatTheMachineCannotCarry_AreRefused) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "c.yaml",
      "flitscope: 1\ntopology: {kind: mesh, shape: [2]}\nworkload: {traffic: uniform, load: 0.1}\n");
  const auto refusal = [&](const std::string& send, const std::string& bytes, const Arguments& more = {}) {
    const auto given = directory.write("given.goal", "num_ranks 2\nrank 0 { " + send + "send " + bytes +
                                                         " to 1 }\nrank 1 { recv " + bytes + " from 0 }\n");
    Arguments words{"import", given, "--format", "goal", "--on", config, "--out", directory / "out.jsonl"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run_program(words);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(directory / "out.jsonl"));
    return outcome.err;
  };
  EXPECT_EQ(refusal("", "1000000000000b"),
            config +
                ":1:1: node.flit_bytes: step 1, message 1 ([0] to [1]) has 125000000000 flits; at most "
                "536870911 are possible: use larger flits\n");
  EXPECT_NE(refusal("", "800b", {"--set", "router={switching: store-and-forward, buffer: 16}"})
                .find("'router.buffer' must be at least 100, not 16"),
            std::string::npos);
  EXPECT_NE(refusal("", "8b", {"--set", "router.routing=dragonfly-minimal"})
                .find("dragonfly-minimal does not serve a mesh"),
            std::string::npos);
  EXPECT_EQ(refusal("\n// flitscope step 9000000\n", "8b"),
            (directory / "given.goal").string() +
                ":4:1: belongs to step 9000000, the one before it to step 0; at most 1000000 steps may be "
                "without messages\n");
}

TEST(Import, ScheduleThatIsRefusedOnTheWay_IsNotPrinted) {
  const TemporaryDirectory directory;
  const Outcome outcome = run_program(
      {"import", directory.write("given.csv", "cycle,src,dst,bytes\n0,0,1,8\n0,1,0,1000000000000\n"),
       "--format", "csv", "--on",
       directory.write("c.yaml",
                       "flitscope: 1\ntopology: {kind: mesh, shape: [2]}\nworkload: {traffic: uniform, load: "
                       "0.1}\n")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
}

TEST(ImportedVerdict, MessageToItsOwnNode_CrossesNoLink) {
  const Imported imported = verdict_on("csv", "cycle,src,dst,bytes\n0,1,1,64\n0,0,1,64\n");
  EXPECT_EQ(imported.exit_code, 0);
  EXPECT_EQ(imported.verdict.at("dependency_graph").at("verdict"), "free");
}

}  // namespace
}  // namespace flitscope::test::imported_verdict_test
