// TE-CCL: flows over links become messages of one hop; links that are not there are refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/formats.h"

namespace flitscope::test::te_ccl_test {
namespace {

/// An all-gather on four nodes in a ring: epoch e passes on what came in epoch e - 1.
std::string ring() {
  std::string flows;
  std::string demand;
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (int node = 0; node < 4; ++node) {
      flows += fmt::format("{}\"Chunk 0 from {} traveled over {}->{} in epoch {}\"", flows.empty() ? "" : ",",
                           (node + 4 - epoch) % 4, node, (node + 1) % 4, epoch);
    }
  }
  for (int to = 0; to < 4; ++to) {
    demand += fmt::format("{}\"GPU {}\": {{", to == 0 ? "" : ",", to);
    for (int k = 1; k < 4; ++k) {
      demand += fmt::format("{}\"GPU {}\": {{\"Chunk 0\": 1e-6}}", k == 1 ? "" : ",", (to + k) % 4);
    }
    demand += "}";
  }
  return "{\"1-Epoch_Duration\": 1e-9, \"6-Demand_Met\": {" + demand + "},\n\"7-Flows\": [" + flows + "]}";
}

TEST(TeCcl, RingAllGather_IsRead) {
  const Topology torus(TopologyKind::torus, {4});
  const auto schedule = import_text("te-ccl", ring(), torus);
  EXPECT_EQ(schedule->facts().steps, 3U);
  EXPECT_EQ(schedule->facts().messages, 12U);
  EXPECT_EQ(schedule->facts().send_ports, 1U);
  EXPECT_EQ(problems_of(*schedule), "");
}

TEST(TeCcl, FlowsOverMissingLinks_AreRefused) {
  const ImportOptions array({TopologyKind::mesh, {4}});
  EXPECT_EQ(import_refusal("te-ccl", ring(), array),
            "given: \"7-Flows\"[3]: no link of the linear array of 4 nodes leads from [3] to [0] (ranks 3 "
            "and 0); 3 of "
            "12 flows use links that it does not have");
}

TEST(TeCcl, FlowsOverSwitches_NeedNoLink) {
  const auto schedule =
      import_text("te-ccl", R"({"7-Flows": ["Chunk 1 from 0 traveled over 0->3 in epoch 0 via switches 0",
                               "Chunk 1 from 0 traveled over 3->2 in epoch 4"]})",
                  {TopologyKind::mesh, {4}});
  EXPECT_EQ(lines_of(*schedule),
            (std::vector<std::string>{"1: 0 -> 3, 1024 bytes", "2: 3 -> 2, 1024 bytes"}));
}

/// Half of a chunk goes clockwise, half the other way round; a third of another one.
std::string divided(const std::string& more = "") {
  return R"({"6-Flows": ["Chunk 1 from 0 traveled over 0->1 with volume 0.5 in epoch 0",
    "Chunk 1 from 0 traveled over 0->3 with volume 0.5 in epoch 0"],
  "7-chunk paths": {
    "Demand at 2 for chunk 1 from 0 met by epoch 4": [
      [[0, "0->1 with volume 0.5 in epoch 0"], [1, "1->2 with volume 0.5 in epoch 1"]],
      [[0, "0->3 with volume 0.5 in epoch 0"], [4, "3->2 with volume 0.5 in epoch 4"]]],
    "Demand at 1 for chunk 0 from 0 met by epoch 2": [
      [[0, "0->1 with volume 0.3333333 in epoch 0"]],
      [[1, "0->1 with volume 0.3333333 in epoch 1"]],
      [[2, "0->1 with volume 0.3333334 in epoch 2"]]])" +
         more + "}}";
}

TEST(TeCcl, PartsOfChunks_GoAlongTheirPaths) {
  ImportOptions options({TopologyKind::torus, {4}});
  options.chunk_bytes = 1001;
  const auto schedule = import_text("te-ccl", divided(), options);
  EXPECT_EQ(lines_of(*schedule),
            (std::vector<std::string>{"1: 0 -> 1, 334 bytes", "1: 0 -> 1, 501 bytes", "1: 0 -> 3, 500 bytes",
                                      "1: 0 -> 1, 333 bytes", "1: 0 -> 1, 334 bytes", "2: 1 -> 2, 501 bytes",
                                      "2: 3 -> 2, 500 bytes"}));
  EXPECT_EQ(problems_of(*import_text("te-ccl", divided(), options)), "");
}

TEST(TeCcl, PartsOfChunksWithoutWholePaths_AreRefused) {
  const ImportOptions options({TopologyKind::torus, {4}});
  const auto refusal = [&](const std::string& path) {
    return import_refusal(
        "te-ccl", divided(R"(, "Demand at 3 for chunk 2 from 0 met by epoch 0": [)" + path + "]"), options);
  };
  const std::string where = "given: \"7-chunk paths\": \"Demand at 3 for chunk 2 from 0 met by epoch 0\"";
  EXPECT_EQ(refusal(R"([[0, "0->3 with volume 0.25 in epoch 0"]])"),
            where + ": its paths carry 0.25 of the chunk and must carry all of it");
  EXPECT_EQ(refusal(R"([[0, "0->1 with volume 1.0 in epoch 0"], [1, "1->2 with volume 0.5 in epoch 1"]])"),
            where + "[0][1]: carries 0.5 of the chunk, and the hop before it 1");
  EXPECT_EQ(
      refusal(R"([[0, "0->1 in volume 1.0"]])"),
      where + "[0][0]: must be [e, \"u->v with volume V in epoch e\"], not '[0,\"0->1 in volume 1.0\"]'");
  EXPECT_EQ(refusal("[]"), where + "[0]: must be a list of hops");
  EXPECT_EQ(
      import_refusal("te-ccl", divided(R"(, "Demand": [])"), options),
      "given: \"7-chunk paths\": \"Demand\": must be \"Demand at d for chunk c from s met by epoch e\"");
  EXPECT_EQ(import_refusal("te-ccl",
                           R"({"7-Flows": ["Chunk 0 from 0 traveled over 0->1 with volume 0.5 in epoch 0"]})",
                           options),
            "given: \"7-Flows\"[0]: carries a part of a chunk; which parts belong together is in \"8-Chunk "
            "paths\", which the file does not have");
}

TEST(TeCcl, InvalidFile_IsRefused) {
  const ImportOptions options({TopologyKind::mesh, {4}});
  const auto refusal = [&](const std::string& text) { return import_refusal("te-ccl", text, options); };
  EXPECT_TRUE(refusal("{\n\"7-Flows\": [x]}").starts_with("given:2:13: not valid JSON: "));
  EXPECT_EQ(refusal(R"({"7-Flows": [],
                       "7-Flows": []})"),
            "given: duplicate key \"7-Flows\"");
  EXPECT_EQ(refusal(R"({"7-Flows": [], "Flows": []})"), "given: has both \"7-Flows\" and \"Flows\"");
  EXPECT_TRUE(refusal(R"({"7-Flows": ["Chunk 0 from 0 traveled over 0->1 in epoch 0",
                                      "Chunk 0 from 0 traveled over 1->99 in epoch 1"]})")
                  .starts_with("given: \"7-Flows\"[1]: has 100 ranks, but the "));
  EXPECT_EQ(refusal("{}"), "given: has no list of flows, \"7-Flows\": [...]");
  EXPECT_EQ(refusal(R"({"7-Flows": []})"), "given: \"7-Flows\": is empty");
  EXPECT_EQ(refusal(R"({"7-Flows": ["Chunk 0 from 0 over 0->1"]})"),
            "given: \"7-Flows\"[0]: must be \"Chunk c from s traveled over u->v in epoch e\", not '\"Chunk 0 "
            "from 0 over "
            "0->1\"'");
  EXPECT_EQ(
      refusal(R"({"7-Flows": ["Chunk 4294967296 from 0 traveled over 0->1 in epoch 0"]})"),
      "given: \"7-Flows\"[0]: must be \"Chunk c from s traveled over u->v in epoch e\", not "
      "'\"Chunk 4294967296 from 0 traveled over 0->1 in epoch 0\"'; 4294967296 is more than 4294967295");
  EXPECT_EQ(refusal("{\n\"7-Flows\": [\"1e999\", 1e999]}"),
            "given:2:22: not valid JSON: number overflow parsing '1e999'");
  EXPECT_EQ(refusal(R"({"7-Flows": ["Chunk 0 from 0 traveled over 1->2 in epoch 3",
                                   "Chunk 0 from 0 traveled over 0->1 in epoch 3"]})"),
            "given: \"7-Flows\"[0]: chunk 0 from 0 has not arrived at 1 before epoch 3");
}

}  // namespace
}  // namespace flitscope::test::te_ccl_test
