// flitscope validate with recordings of a chip's network.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <tuple>

#include "tests/support/csv.h"
#include "tests/support/program.h"

namespace flitscope::validate_recording_test {
namespace {

using test::run_program;

constexpr const char* kMachine =
    "flitscope: 1\n"
    "topology: {kind: torus, shape: [4, 3], networks: [{directions: plus}, {directions: minus, "
    "first_dimension: 1}]}\n"
    "router: {buffer: 20, delay: 4}\n"
    "link: {delay: 5}\n"
    "classes: [{name: request, vcs: 2}, {name: reply, vcs: 4}, {name: request-1, vcs: 2, network: 1}, "
    "{name: reply-1, vcs: 4, network: 1}]\n"
    "node: {ports: 1, flit_bytes: 32}\n"
    "memory: {latency: 30, request_latency: 60, controllers: ['[3, 0] [2, 0]'], controller_latency: 40, "
    "controller_cycles_per_flit: 2, controller_flits_per_cycle: 0.5}\n"
    "workload: {traffic: uniform}\n";

std::string event(const std::string& noc, const std::string& type, const std::string& cycle,
                  const std::string& more = "") {
  return R"({"proc":"BRISC","noc":")" + noc + R"(","sx":1,"sy":2,"type":")" + type + "\"," + more +
         R"("timestamp":)" + cycle + "}";
}

TEST(ValidateRecording, ReadAlone_TakesItsPathsAndItsMemory) {
  // A flit over 3 links, (3+1)(4+5) = 36 cycles; back 5 flits over 4 links, 45 + 4. The shared memory reads a
  // flit in 2 cycles: 40 + 4 x 2 - 4. Network 1 goes the other way: 4 links and 3.
  const test::TemporaryDirectory folder;
  const auto config = folder.write("machine.yaml", kMachine);
  for (const std::string noc : {"NOC_0", "NOC_1"}) {
    const auto recording =
        folder.write(noc + ".json", "[" + event(noc, "READ", "10", R"("dx":3,"dy":0,"num_bytes":128,)") +
                                        "," + event(noc, "READ_BARRIER_START", "20") + "," +
                                        event(noc, "READ_BARRIER_END", "260") + "]");
    const auto result = run_program({"validate", config, recording, "--csv", "--quiet"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const std::string end = std::to_string(60 + 36 + 44 + 45 + 4);
    EXPECT_EQ(result.out,
              "file,kind,first_call_cycle,recorded_end_cycle,simulated_end_cycle,error,waited_most\n" + noc +
                  ",read on network " + noc.back() + ",0,250," + end + ",-0.244,\n");
  }
}

TEST(ValidateRecording, EmptyBarrier_IsTheLeastOfAnyBarrier) {
  // The reply of ReadAlone is there after 229 cycles, before the barrier begins.
  const test::TemporaryDirectory folder;
  const auto config = folder.write("machine.yaml", kMachine);
  const auto recording =
      folder.write("late.json", "[" + event("NOC_0", "READ", "10", R"("dx":3,"dy":0,"num_bytes":128,)") +
                                    "," + event("NOC_0", "READ_BARRIER_START", "300") + "," +
                                    event("NOC_0", "READ_BARRIER_END", "380") + "]");
  const auto end_with = [&](const std::string& setting) {
    return run_program({"validate", config, recording, "--csv", "--quiet", "--set", setting}).out;
  };
  EXPECT_NE(end_with("recording.empty_barrier=70").find(",0,370,360,-0.027,"), std::string::npos);
  EXPECT_NE(end_with("recording.empty_barrier=0").find(",0,370,290,"), std::string::npos);
}

TEST(ValidateRecording, TwoReadsOfOneMemory_TheSecondWaitsForIt) {
  const test::TemporaryDirectory folder;
  const auto config = folder.write("machine.yaml", kMachine);
  const auto recording =
      folder.write("two.json", "[" + event("NOC_0", "READ", "0", R"("dx":3,"dy":0,"num_bytes":3200,)") + "," +
                                   event("NOC_0", "READ", "30", R"("dx":2,"dy":0,"num_bytes":32,)") + "," +
                                   event("NOC_0", "READ_BARRIER_START", "31") + "," +
                                   event("NOC_0", "READ_BARRIER_END", "500") + "]");
  const auto result = run_program({"validate", config, recording});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("1 barrier of 1 recording"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("| memory of [2, 0] ("), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("| BRISC of 1, 2 | read on network 0 |"), std::string::npos) << result.out;
  const auto quiet = run_program({"validate", config, recording, "--quiet"});
  EXPECT_NE(quiet.out.find("in cycles: median error "), std::string::npos) << quiet.out;
  EXPECT_TRUE(result.out.starts_with(quiet.out)) << quiet.out;
  EXPECT_EQ(quiet.out.find("the largest errors"), std::string::npos) << quiet.out;
}

TEST(ValidateRecording, ShippedRecordings_HaveTheseErrors) {
  // docs/silicon/tenstorrent.md has those of all recordings.
  const std::filesystem::path folder = FLITSCOPE_SOURCE_DIR "/configs/silicon/tenstorrent";
  const auto with = [&](const std::string& setting) {
    const auto result = run_program(
        {"validate", folder / "wormhole.yaml", "--set", setting,
         folder / "recordings/1x4_BLOCK_TO_8x8_BLOCK.json", folder / "recordings/2x2_BLOCK_TO_2x4_BLOCK.json",
         folder / "recordings/4x4_BLOCK_TO_4x4_HEIGHT.json", folder / "recordings/DRAM_TO_1x4_BLOCK.json",
         folder / "recordings/DRAM_TO_2x4_HEIGHT.json"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  };
  const std::string found = with("node.requests=4");
  EXPECT_NE(found.find("124 barriers of 5 recordings"), std::string::npos) << found;
  EXPECT_NE(found.find("| 1x4_BLOCK_TO_8x8_BLOCK | 64 | 1.7% | 15.9% | 26.3% |"), std::string::npos) << found;
  EXPECT_NE(found.find("| 2x2_BLOCK_TO_2x4_BLOCK | 16 | 4.2% | 18.6% | 18.9% |"), std::string::npos) << found;
  EXPECT_NE(found.find("| all | 124 | 2.3% | 15.9% | 27.1% |"), std::string::npos) << found;
  EXPECT_NE(found.find("median error 1.7%, worst 4.0%"), std::string::npos) << found;
  // Targets that take all requests at once, in the order in which they come.
  EXPECT_NE(with("node.requests=100000").find("| 1x4_BLOCK_TO_8x8_BLOCK | 64 | 4.4% | 68.5% | 243.1% |"),
            std::string::npos);
}

TEST(ValidateTables, ShippedLoopback_HasTheErrorOfThePage) {
  const std::filesystem::path folder = FLITSCOPE_SOURCE_DIR "/configs/silicon/tenstorrent";
  const auto result = run_program({"validate", folder / "wormhole.yaml", folder / "tables/loopback.csv",
                                   "--set", "memory.request_latency=46"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("| 42 | 0.3% | 2.2% | 4.2% |"), std::string::npos) << result.out;
}

TEST(ValidateTables, Writes_TakeTheirPathsAndTheirCalls) {
  // 60 cycles to the request, 2 flits over 3 links, 40 to the acknowledgement, back over 4 links; the second
  // call is 22 cycles later.
  const test::TemporaryDirectory folder;
  const auto config = folder.write("machine.yaml", kMachine);
  const auto table = folder.write("table.csv",
                                  "table,callers,kind,others,bytes,transactions,call_interval,cycles\n"
                                  "few,1 2,write,3 0,32,1,22,182\nfew,1 2,write,3 0,32,2,22,102\n");
  const auto result = run_program({"validate", config, table, "--csv", "--quiet"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out,
            "table,bytes,transactions,cycles,simulated_cycles,error,waited_most\n"
            "few,32,1,182,182,0.0,\nfew,32,2,102,204,1.0,\n");
}

TEST(ValidateTables, NamesWithCommasAndQuotes_AreOneCell) {
  const test::TemporaryDirectory folder;
  const auto config = folder.write("machine.yaml", kMachine);
  const auto table = folder.write("table.csv",
                                  "table,callers,kind,others,bytes,transactions,call_interval,cycles\n"
                                  "\"a, \"\"b\"\"\",1 2,write,3 0,32,1,22,182\n");
  const auto result = run_program({"validate", config, table, "--csv", "--quiet"});
  EXPECT_EQ(result.out.substr(result.out.find('\n') + 1), "\"a, \"\"b\"\"\",32,1,182,182,0.0,\n");
}

TEST(ValidateTables, CallToANewTarget_ComesATargetIntervalLater) {
  // Without it the third of four calls is in cycle 44, with it in cycle 22 + 40.
  const test::TemporaryDirectory folder;
  const auto config = folder.write("machine.yaml", kMachine);
  const std::string header = "table,callers,kind,others,bytes,transactions,call_interval,";
  const auto without = folder.write("without.csv", header + "cycles\nfew,1 2,write,1 1; 3 0,32,2,22,248\n");
  const auto with =
      folder.write("with.csv", header + "target_interval,cycles\nfew,1 2,write,1 1; 3 0,32,2,22,40,266\n");
  const auto result = run_program({"validate", config, without, with, "--csv", "--quiet"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out,
            "table,bytes,transactions,cycles,simulated_cycles,error,waited_most\n"
            "few,32,2,248,248,0.0,\nfew,32,2,266,266,0.0,\n");
}

TEST(ValidateTables, BadRow_IsRefusedWithItsPlace) {
  const test::TemporaryDirectory folder;
  const auto config = folder.write("machine.yaml", kMachine);
  const auto table = folder.write("table.csv",
                                  "table,callers,kind,others,bytes,transactions,call_interval,cycles\n"
                                  "few,1 2,push,3 0,32,1,22,182\n");
  const auto result = run_program({"validate", config, table});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find(".csv:2: kind must be read or write, not 'push'"), std::string::npos)
      << result.err;
}

/// Four long reads around a ring of one VC, of which a class of routing needs two.
struct DeadlockingReads {
  std::filesystem::path config;
  std::filesystem::path recording;

  explicit DeadlockingReads(const test::TemporaryDirectory& folder) {
    config = folder.write("machine.yaml",
                          "flitscope: 1\n"
                          "topology: {kind: torus, shape: [4, 2], directions: plus}\n"
                          "router: {buffer: 2, allow_deadlock: true}\n"
                          "classes: [{name: request, vcs: 1}, {name: reply, vcs: 1}]\n"
                          "node: {ports: 1, flit_bytes: 32}\nmemory: {latency: 10}\n"
                          "workload: {schedule: ring.jsonl}\n");
    std::string events;
    for (int x = 0; x < 4; ++x) {
      events += (x == 0 ? "" : ",") + std::string(R"({"proc":"BRISC","noc":"NOC_0","sx":)") +
                std::to_string(x) + R"(,"sy":0,"dx":)" + std::to_string((x + 2) % 4) +
                R"(,"dy":0,"type":"READ","num_bytes":3200,"timestamp":1})";
    }
    recording = folder.write("ring.json", "[" + events + "]");
  }
};

TEST(ValidateRecording, MachineThatDeadlocks_IsNamed) {
  const test::TemporaryDirectory folder;
  const DeadlockingReads reads(folder);
  const auto result = run_program({"validate", reads.config, reads.recording, "--quiet"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("the network is deadlocked since cycle "), std::string::npos) << result.err;
}

TEST(ValidateRecording, RunOfARecordingThatDeadlocks_EndsWithTheDeadlock) {
  const test::TemporaryDirectory folder;
  const DeadlockingReads reads(folder);
  const auto imported = run_program(
      {"import", reads.recording, "--format", "npe", "--on", reads.config, "--out", folder / "ring.jsonl"});
  ASSERT_EQ(imported.exit_code, 0) << imported.err;
  const auto result = run_program({"run", reads.config});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE((result.out + result.err).find("NOT VERIFIED (deadlock)"), std::string::npos) << result.out;
}

/// kMachine with a recording as its schedule.
std::string machine_with(const std::string& recording, const std::string& more = "") {
  const std::string machine = kMachine;
  return machine.substr(0, machine.find("workload:")) + more + "workload: {schedule: " + recording + "}\n";
}

TEST(RunRecording, ReadsOfOneMemory_EachBarrierIsBesideItsReplay) {
  // As TwoReadsOfOneMemory; the second processor has a barrier, too.
  const test::TemporaryDirectory folder;
  static_cast<void>(
      folder.write("two.json", "[" + event("NOC_0", "READ", "0", R"("dx":3,"dy":0,"num_bytes":3200,)") + "," +
                                   event("NOC_1", "READ", "30", R"("dx":2,"dy":0,"num_bytes":32,)") + "," +
                                   event("NOC_0", "READ_BARRIER_START", "31") + "," +
                                   event("NOC_1", "READ_BARRIER_START", "32") + "," +
                                   event("NOC_0", "READ_BARRIER_END", "500") + "," +
                                   event("NOC_1", "READ_BARRIER_END", "530") + "]"));
  const auto config = folder.write("machine.yaml", machine_with("two.json"));
  const auto result = run_program({"run", config, "--out", folder / "run"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("barriers beside the recording"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("waited most for memory of [2, 0] ("), std::string::npos) << result.out;
  const test::Table barriers = test::read_csv(folder / "run/barriers.csv");
  ASSERT_EQ(barriers.rows.size(), 2U);
  EXPECT_EQ(barriers.rows[0].text("processor"), "BRISC");
  EXPECT_EQ(barriers.rows[0].text("network"), "0");
  EXPECT_EQ(barriers.rows[0].text("recorded_end_cycle"), "500");
  EXPECT_EQ(barriers.rows[0].text("waited_share"), "0.0000");
  // 101 flits of the other read leave the memory at a flit in two cycles before this one.
  EXPECT_EQ(barriers.rows[1].text("network"), "1");
  EXPECT_EQ(barriers.rows[1].text("first_call_cycle"), "30");
  EXPECT_EQ(barriers.rows[1].text("replayed_first_call_cycle"), "30");
  EXPECT_EQ(barriers.rows[1].text("waited_cause"), "memory");
  EXPECT_EQ(barriers.rows[1].text("waited_place"), "[2, 0]");
  // The copy in the run directory is a recording, too.
  EXPECT_EQ(run_program({"run", folder / "run/config.yaml", "--quiet"}).exit_code, 0);
}

TEST(RunRecording, RelativeCalls_FollowTheSimulatedBarrier) {
  // The first read ends in cycle 189 (ReadAlone) and not in 250, so the second call, 50 cycles behind the
  // barrier, is made in cycle 239.
  const test::TemporaryDirectory folder;
  const std::string read = event("NOC_0", "READ", "10", R"("dx":3,"dy":0,"num_bytes":128,)");
  static_cast<void>(
      folder.write("twice.json", "[" + read + "," + event("NOC_0", "READ_BARRIER_START", "20") + "," +
                                     event("NOC_0", "READ_BARRIER_END", "260") + "," +
                                     event("NOC_0", "READ", "310", R"("dx":3,"dy":0,"num_bytes":128,)") +
                                     "," + event("NOC_0", "READ_BARRIER_START", "320") + "," +
                                     event("NOC_0", "READ_BARRIER_END", "510") + "]"));
  for (const auto& [calls, begin] : {std::pair("relative", "239"), std::pair("recorded", "300")}) {
    const std::string name = std::string(calls) + ".yaml";
    const auto config =
        folder.write(name, machine_with("twice.json", std::string("recording: {calls: ") + calls + "}\n"));
    ASSERT_EQ(run_program({"run", config, "--quiet", "--out", folder / calls}).exit_code, 0);
    const test::Table barriers = test::read_csv(folder / calls / "barriers.csv");
    ASSERT_EQ(barriers.rows.size(), 2U);
    EXPECT_EQ(barriers.rows[1].text("replayed_first_call_cycle"), begin);
    // 189 cycles beside 200 recorded ones, wherever it begins.
    EXPECT_EQ(barriers.rows[1].text("error"), "-0.0550") << calls;
  }
}

/// barriers.csv of a relative replay on kMachine.
test::Table relative_barriers(const test::TemporaryDirectory& folder, const std::string& events,
                              const std::string& empty_barrier = "0") {
  static_cast<void>(folder.write("relative.json", "[" + events + "]"));
  const auto config = folder.write(
      "relative.yaml",
      machine_with("relative.json", "recording: {calls: relative, empty_barrier: " + empty_barrier + "}\n"));
  const auto out = folder / ("run-" + empty_barrier);
  const auto result = run_program({"run", config, "--quiet", "--out", out});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return test::read_csv(out / "barriers.csv");
}

const std::string kTransfer = R"("dx":3,"dy":0,"num_bytes":128,)";

std::string barrier(const std::string& noc, const std::string& kind, const std::string& start,
                    const std::string& end) {
  return "," + event(noc, kind + "_BARRIER_START", start) + "," + event(noc, kind + "_BARRIER_END", end);
}

TEST(RunRecording, RelativeCallBehindTwoBarriers_FollowsBoth) {
  // The read ends in cycle 189 (ReadAlone), as its barrier. 100 cycles later an empty barrier takes its 80
  // recorded cycles, and the second read is made 10 cycles later: 189 + 100 + 80 + 10.
  const test::TemporaryDirectory folder;
  const test::Table barriers = relative_barriers(
      folder, event("NOC_0", "READ", "0", kTransfer) + barrier("NOC_0", "READ", "10", "200") +
                  barrier("NOC_0", "READ", "300", "380") + "," + event("NOC_0", "READ", "390", kTransfer) +
                  barrier("NOC_0", "READ", "400", "600"));
  ASSERT_EQ(barriers.rows.size(), 2U);
  EXPECT_EQ(barriers.rows[0].text("replayed_end_cycle"), "189");
  EXPECT_EQ(barriers.rows[1].text("replayed_first_call_cycle"), "379");
  EXPECT_EQ(barriers.rows[1].text("replayed_end_cycle"), std::to_string(379 + 189));
}

TEST(RunRecording, BarrierThatEndsInTheCycleOfItsFirstCall_HasALineWithoutAnError) {
  const test::TemporaryDirectory folder;
  const test::Table barriers = relative_barriers(
      folder, event("NOC_0", "READ", "70", kTransfer) + barrier("NOC_0", "READ", "70", "70") + "," +
                  event("NOC_0", "READ", "90", kTransfer) + barrier("NOC_0", "READ", "100", "300"));
  ASSERT_EQ(barriers.rows.size(), 2U);
  EXPECT_EQ(barriers.rows[0].text("recorded_end_cycle"), barriers.rows[0].text("first_call_cycle"));
  EXPECT_EQ(barriers.rows[0].text("replayed_end_cycle"), "189");
  EXPECT_EQ(barriers.rows[0].text("error"), "");
  EXPECT_NE(barriers.rows[1].text("error"), "");
}

TEST(RunRecording, RelativeCallOnTheOtherNetwork_FollowsTheBarrier) {
  // The barrier on network 0 ends in cycle 189; the read on network 1 is made 10 cycles later and takes 189.
  const test::TemporaryDirectory folder;
  const test::Table barriers = relative_barriers(
      folder, event("NOC_0", "READ", "0", kTransfer) + barrier("NOC_0", "READ", "10", "50") + "," +
                  event("NOC_1", "READ", "60", kTransfer) + barrier("NOC_1", "READ", "70", "300"));
  ASSERT_EQ(barriers.rows.size(), 2U);
  EXPECT_EQ(barriers.rows[0].text("replayed_end_cycle"), "189");
  EXPECT_EQ(barriers.rows[1].text("network"), "1");
  EXPECT_EQ(barriers.rows[1].text("replayed_first_call_cycle"), "199");
  EXPECT_EQ(barriers.rows[1].text("replayed_end_cycle"), std::to_string(199 + 189));
}

TEST(RunRecording, RelativeCallBehindAShortBarrier_WaitsForItsLeastLength) {
  // The reply is there in cycle 189, but the barrier of cycle 10 takes 400: 410, and a cycle to the next
  // read. Its barrier starts 10 cycles later and takes 400, too.
  const test::TemporaryDirectory folder;
  const test::Table barriers =
      relative_barriers(folder,
                        event("NOC_0", "READ", "0", kTransfer) + barrier("NOC_0", "READ", "10", "200") + "," +
                            event("NOC_0", "READ", "201", kTransfer) + barrier("NOC_0", "READ", "211", "500"),
                        "400");
  ASSERT_EQ(barriers.rows.size(), 2U);
  EXPECT_EQ(barriers.rows[0].text("replayed_end_cycle"), "410");
  EXPECT_EQ(barriers.rows[1].text("replayed_first_call_cycle"), "411");
  EXPECT_EQ(barriers.rows[1].text("replayed_end_cycle"), std::to_string(411 + 10 + 400));
}

TEST(RunRecording, RelativeBarrierBehindABarrier_StartsAfterItsReplayedEnd) {
  // The write is done in cycle 182 (Writes of tables), the read of cycle 300 in cycle 489, which ends the
  // first barrier. The second one starts a cycle later and ends at once, or takes the 70 cycles of any
  // barrier with calls. The last read is made a cycle later.
  const test::TemporaryDirectory folder;
  const std::string events =
      event("NOC_0", "WRITE_", "0", R"("dx":3,"dy":0,"num_bytes":32,)") + "," +
      event("NOC_0", "READ", "300", kTransfer) + barrier("NOC_0", "READ", "310", "900") +
      barrier("NOC_0", "WRITE", "901", "902") + "," + event("NOC_0", "READ", "903", kTransfer) +
      barrier("NOC_0", "READ", "910", "1200");
  for (const auto& [empty_barrier, end, call] :
       {std::tuple("0", "490", "491"), std::tuple("70", "560", "561")}) {
    const test::Table barriers = relative_barriers(folder, events, empty_barrier);
    ASSERT_EQ(barriers.rows.size(), 3U);
    EXPECT_EQ(barriers.rows[0].text("replayed_end_cycle"), "489");
    EXPECT_EQ(barriers.rows[1].text("kind"), "write");
    EXPECT_EQ(barriers.rows[1].text("replayed_first_call_cycle"), "0");
    EXPECT_EQ(barriers.rows[1].text("replayed_end_cycle"), end);
    EXPECT_EQ(barriers.rows[2].text("replayed_first_call_cycle"), call);
  }
}

TEST(RunRecording, NodeThatWorksOnOneRequest_LetsTheOthersWaitAtItsEnd) {
  const test::TemporaryDirectory folder;
  static_cast<void>(
      folder.write("two.json", "[" + event("NOC_0", "READ", "0", R"("dx":3,"dy":0,"num_bytes":3200,)") + "," +
                                   event("NOC_0", "READ", "1", R"("dx":3,"dy":0,"num_bytes":32,)") + "," +
                                   event("NOC_0", "READ_BARRIER_START", "2") + "," +
                                   event("NOC_0", "READ_BARRIER_END", "500") + "]"));
  const auto config = folder.write("machine.yaml", machine_with("two.json"));
  for (const auto& [requests, place] : {std::pair("1", "the end at [3, 0]"), std::pair("2", "[3, 0]")}) {
    ASSERT_EQ(run_program({"run", config, "--quiet", "--set", std::string("node.requests=") + requests,
                           "--out", folder / requests})
                  .exit_code,
              0);
    EXPECT_EQ(test::read_csv(folder / requests / "barriers.csv").rows.at(0).text("waited_place"), place);
  }
  // The node shares a memory.
  const auto of_controllers = run_program({"run", config, "--quiet", "--set", "node.requests=1", "--set",
                                           "memory.controller_requests=2", "--out", folder / "shared"});
  ASSERT_EQ(of_controllers.exit_code, 0) << of_controllers.err;
  EXPECT_EQ(test::read_csv(folder / "shared/barriers.csv").rows.at(0).text("waited_place"), "[3, 0]");
}

TEST(RunRecording, LimitsWhereTheyHaveNoMeaning_AreRefused) {
  const test::TemporaryDirectory folder;
  const auto config = folder.write("machine.yaml", machine_with("one.json"));
  static_cast<void>(
      folder.write("one.json", "[" + event("NOC_0", "READ", "0", R"("dx":3,"dy":0,"num_bytes":32,)") + "]"));
  const std::string machine = kMachine;
  const auto without_memory = folder.write(
      "load.yaml", machine.substr(0, machine.find("memory:")) + "workload: {traffic: uniform, load: 0.1}\n");
  const auto of_traffic = run_program({"run", without_memory, "--quiet", "--set", "node.requests=2"});
  EXPECT_EQ(of_traffic.exit_code, 2);
  EXPECT_NE(of_traffic.err.find("node.requests is for messages of a schedule"), std::string::npos)
      << of_traffic.err;
  const auto six_banks = run_program({"run", config, "--quiet", "--set", "node.banks=6"});
  EXPECT_EQ(six_banks.exit_code, 2);
  EXPECT_NE(six_banks.err.find("node.banks must be a power of two, not 6"), std::string::npos)
      << six_banks.err;
  const auto one_network =
      folder.write("one.yaml",
                   "flitscope: 1\ntopology: {kind: torus, shape: [4]}\nnode: {banks: 8}\n"
                   "workload: {traffic: uniform, load: 0.1}\n");
  const auto of_one = run_program({"run", one_network, "--quiet"});
  EXPECT_EQ(of_one.exit_code, 2);
  EXPECT_NE(of_one.err.find("node.banks is for several networks"), std::string::npos) << of_one.err;
  const auto of_controllers =
      run_program({"run", config, "--quiet", "--set", "memory.controller_requests=2"});
  EXPECT_EQ(of_controllers.exit_code, 2);
  EXPECT_NE(of_controllers.err.find("is for machines with a limit for all nodes"), std::string::npos)
      << of_controllers.err;
}

TEST(RunRecording, MachineWithPackets_IsRefused) {
  const test::TemporaryDirectory folder;
  static_cast<void>(
      folder.write("one.json", "[" + event("NOC_0", "READ", "0", R"("dx":3,"dy":0,"num_bytes":32,)") + "]"));
  const auto config = folder.write("machine.yaml", machine_with("one.json", "packet: {payload: 64}\n"));
  const auto result = run_program({"run", config, "--quiet"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("a recording has packets of its own"), std::string::npos) << result.err;
}

TEST(ValidateRecording, MachineWithoutClasses_IsRefused) {
  const test::TemporaryDirectory folder;
  const auto config = folder.write("machine.yaml",
                                   "flitscope: 1\ntopology: {kind: torus, shape: [4, 3], directions: plus}\n"
                                   "memory: {latency: 30}\nworkload: {traffic: uniform}\n");
  const auto recording =
      folder.write("one.json", "[" + event("NOC_0", "READ", "0", R"("dx":3,"dy":0,"num_bytes":32,)") + "]");
  const auto result = run_program({"validate", config, recording, "--quiet"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("memory needs a message class 'request'"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace flitscope::validate_recording_test
