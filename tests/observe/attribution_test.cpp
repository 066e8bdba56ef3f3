// Attribution of waits: the worst channels and messages of a run with their culprits, and tail serialization
// by cause.
#include <gtest/gtest.h>

#include "tests/support/observed_run.h"

namespace flitscope::test::attribution_test {
namespace {

using Json = nlohmann::json;

/// Three messages of 512 bytes meet on a mesh: 1.1 needs a link that 1.2 has, 1.2 one that 1.3 has.
const std::string kHotSpot = shipped_config("hot-spot.yaml");

TEST(Attribution, ChainOfWaits_ResultNamesItsRoot) {
  const Outcome outcome = run_program({"run", kHotSpot, "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json result = Json::parse(outcome.out);
  const Json worst = result.at("worst_messages").at(0);
  EXPECT_EQ(worst.at("message"), "1.1");
  EXPECT_EQ(worst.at("delay_cycles"), 124);
  EXPECT_EQ(worst.at("latency_cycles"), 197);
  const Json wait = worst.at("longest_wait");
  EXPECT_EQ(wait.at("cause"), "vc_taken");
  EXPECT_EQ(wait.at("culprit"), "1.2");
  EXPECT_EQ(wait.at("channel"), "[1, 0]+0");
  EXPECT_EQ(wait.at("because").at("message"), "1.2");
  EXPECT_EQ(wait.at("because").at("culprit"), "1.3");
  EXPECT_TRUE(wait.at("because").at("because").is_null()) << "1.3 never waited";
  EXPECT_EQ(wait.at("cycles"), worst.at("head_stall_cycles").at("vc_taken"));
  EXPECT_EQ(result.at("worst_messages").at(1).at("longest_wait").at("culprit"), "1.3");
  EXPECT_EQ(result.at("worst_messages").size(), 2U) << "1.3 was not delayed";

  const Json channel = result.at("worst_channels").at(0);
  EXPECT_EQ(channel.at("channel"), "[1, 0]+0");
  EXPECT_EQ(channel.at("stalled_flit_cycles"), 176);
  std::int64_t stalls = 0;
  for (const auto& cycles : channel.at("stalls")) stalls += cycles.get<std::int64_t>();
  EXPECT_EQ(stalls, 176);
}

TEST(Attribution, ChainOfWaits_ReportDescribesIt) {
  const Outcome outcome = run_program({"run", kHotSpot});
  EXPECT_NE(outcome.out.find("for a VC of channel [2, 0]+0, held by worm 1.3"), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("1.1 ([0, 0] to [3, 1])  124 of 197"), std::string::npos) << outcome.out;
  const Outcome calm = run_program({"run", shipped_config("quickstart.yaml")});
  EXPECT_EQ(calm.out.find("waited most"), std::string::npos) << "nobody waited";
}

TEST(Attribution, StalledFlits_ChannelsHaveThemByCause) {
  const TemporaryDirectory directory;
  std::uint32_t seed = 3;
  for (const SmallMachine& machine : {kTorus43, kMesh332, kCutThrough, kStoreAndForward}) {
    const auto run =
        observe(directory, fmt::format("run{}", seed), write_random_run(directory, machine, seed), {});
    ++seed;
    const Table channels = read_csv(run / "channels.csv");
    std::int64_t vc_taken = 0;
    for (const Row& row : channels.rows) {
      EXPECT_EQ(row.number("vc_taken_flit_cycles") + row.number("no_credit_flit_cycles") +
                    row.number("switch_lost_flit_cycles"),
                row.number("stalled_flit_cycles"));
      EXPECT_LE(row.number("longest_wait_cycles"), row.number("stalled_flit_cycles"));
      EXPECT_EQ(row.number("longest_wait_cycles") > 0, row.number("stalled_flit_cycles") > 0);
      vc_taken += row.number("vc_taken_flit_cycles");
    }
    const Json result = Json::parse(text_of(run / "result.json"));
    EXPECT_EQ(vc_taken, result.at("stalls").at("vc_taken"));
    ASSERT_LE(result.at("worst_channels").size(), 5U);
    std::int64_t least = result.at("worst_channels").back().at("stalled_flit_cycles");
    std::int64_t worse = 0;
    for (const Row& row : channels.rows) worse += row.number("stalled_flit_cycles") > least ? 1 : 0;
    EXPECT_LT(worse, 5) << "those left out waited less";
  }
}

/// One message alone on a line: its tail serialization is the machine's.
Row alone(const TemporaryDirectory& directory, const std::string& name, const std::string& machine) {
  static_cast<void>(directory.write(
      "alone.jsonl",
      R"({"flitscope":"schedule","version":1,"topology":{"kind":"mesh","shape":[4]},"ports":{"send":1,"receive":1},)"
      R"("routing":"dimension-order","algorithm":"alone","steps":1,"messages":1,"chunks":[64],)"
      R"("initial":[[[0],[0]]],"goal":[[[3],[0]]]})"
      "\n"
      R"({"step":1,"src":[0],"dst":[3],"path":[[0,1,3]],"chunks":[0]})"
      "\n"));
  const auto config = directory.write("alone.yaml",
                                      "flitscope: 1\ntopology: {kind: mesh, shape: [4]}\n"
                                      "workload: {schedule: alone.jsonl}\n" +
                                          machine);
  const auto run = observe(directory, name, config, {"observe.messages=true"});
  return read_csv(run / "messages.csv").rows.front();
}

TEST(TailSerialization, ShortBuffer_IsNoCredit) {
  const TemporaryDirectory directory;
  // One slot: a flit passes a link every R + 2D = 7 cycles instead of every one; injection, with a credit
  // delay of 1, every R + 1 = 2, which the links wait for anyway.
  const Row row = alone(directory, "short", "router: {buffer: 1}\nlink: {delay: 3}\n");
  EXPECT_EQ(row.number("flits"), 8);
  EXPECT_EQ(row.number("tail_serialization_cycles"), 7 * (7 - 1));
  EXPECT_EQ(row.number("tail_no_credit_cycles") + row.number("tail_injection_cycles"), 7 * (7 - 1));
  EXPECT_GT(row.number("tail_no_credit_cycles"), 0);
}

TEST(TailSerialization, SlowSourceBuffer_IsInjection) {
  const TemporaryDirectory directory;
  // The source router's only slot is free again R + 1 cycles after the flit was put; links keep up.
  const Row row =
      alone(directory, "injection",
            "router: {buffer: 1, delay: 2}\nnode: {injection_interval: 1, ejection_interval: 1}\n");
  EXPECT_EQ(row.number("tail_serialization_cycles"),
            row.number("tail_no_credit_cycles") + row.number("tail_injection_cycles"));
  EXPECT_GT(row.number("tail_injection_cycles"), 0);
}

TEST(TailSerialization, LargeBuffers_IsZero) {
  const TemporaryDirectory directory;
  const Row row =
      alone(directory, "roomy", "router: {delay: 2}\nnode: {injection_interval: 3, ejection_interval: 3}\n");
  EXPECT_EQ(row.number("tail_serialization_cycles"), 0);
}

}  // namespace
}  // namespace flitscope::test::attribution_test
