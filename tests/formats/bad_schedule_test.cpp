// Schedule files that are broken or do not fit: refused with the place of the mistake, and nothing is
// written.
#include <gtest/gtest.h>

#include "tests/support/hand_written_runs.h"

namespace flitscope::test::bad_schedule_test {
namespace {

constexpr int kBadInput = 2;
constexpr int kIllegal = 4;
const std::vector<std::string> kRunsOnly{"run"};

class BadSchedule : public testing::Test {
 protected:
  void refused(const std::string& schedule, int exit_code, const std::vector<std::string>& parts,
               const std::vector<std::string>& commands = {"run", "verify", "schedule"}) {
    const std::string config = write_ring_run(directory_, schedule);
    for (const std::string advance : {"barrier", "dataflow"}) {
      expect_refused(directory_, config, {"workload.advance=" + advance}, exit_code, parts, commands);
    }
  }

  TemporaryDirectory directory_;
  const std::string good_ = ring_header(1, 1) + ring_message(1, 0, 1, "[[0,1,1]]");
};

TEST_F(BadSchedule, ValidSchedule_IsAcceptedByAllCommands) {
  const std::string config = write_ring_run(directory_, good_);
  for (const std::string command : {"run", "verify", "schedule"}) {
    EXPECT_EQ(run_program({command, config}).exit_code, 0);
  }
}

TEST_F(BadSchedule, ByteOrderMark_IsSkipped) {
  EXPECT_EQ(run_program({"run", write_ring_run(directory_, "\xEF\xBB\xBF" + good_)}).exit_code, 0);
  refused("\xEF\xBB" + good_, kBadInput, {"schedule.jsonl:1:1: this is no schedule"});
}

TEST_F(BadSchedule, ChunkThatTheSenderLacks_IsRefused) {
  refused(ring_header(1, 1) + ring_message(1, 2, 1, "[[0,-1,1]]"), kIllegal,
          {"step 1, message 1 ([2] to [1])", "[2] does not hold chunk 0"}, kRunsOnly);
  // What arrives in a step cannot be sent in the same step; a later one that lacks it is the second step's.
  refused(ring_header(2, 2) + ring_message(1, 0, 1, "[[0,1,1]]") + ring_message(2, 2, 3, "[[0,1,1]]"),
          kIllegal, {"step 2, message 1 ([2] to [3])", "[2] does not hold chunk 0"}, kRunsOnly);
}

TEST_F(BadSchedule, PathOutOfTheNetwork_IsRefused) {
  static_cast<void>(directory_.write(
      "schedule.jsonl",
      R"({"flitscope":"schedule","version":1,"topology":{"kind":"mesh","shape":[4]},)"
      R"("ports":{"send":2,"receive":2},"routing":"dimension-order","algorithm":"by-hand","steps":1,"messages":1,)"
      R"("chunks":[16],"initial":[[[0],[0]]],"goal":[]})"
      "\n" +
          ring_message(1, 3, 0, "[[0,1,1]]")));
  const std::string config = directory_.write(
      "mesh.yaml",
      "flitscope: 1\ntopology: {kind: mesh, shape: [4]}\nworkload: {schedule: schedule.jsonl}\n");
  expect_refused(directory_, config, {}, kBadInput, {"schedule.jsonl:2:", "leaves the"});
}

TEST_F(BadSchedule, MissingNode_IsRefused) {
  refused(ring_header(1, 1) + ring_message(1, 0, 4, "[[0,1,1]]"), kBadInput,
          {"schedule.jsonl:2:", "does not exist", "0 to 3"});
  refused(ring_header(1, 1, "[[[9],[0]]]"), kBadInput, {"schedule.jsonl:1:", "does not exist"});
}

TEST_F(BadSchedule, PathToAnotherNode_IsRefused) {
  refused(ring_header(1, 1) + ring_message(1, 0, 1, "[[0,1,2]]"), kBadInput,
          {"schedule.jsonl:2:", "not at dst [1]"});
}

TEST_F(BadSchedule, OtherNumberOfMessages_IsRefused) {
  const std::string message = ring_message(1, 0, 1, "[[0,1,1]]");
  refused(ring_header(1, 2) + message, kBadInput, {"schedule.jsonl:2:", "announces 2"});
  refused(ring_header(1, 1) + message + message, kBadInput, {"schedule.jsonl:3:", "announces 1"});
}

TEST_F(BadSchedule, OtherNetwork_IsRefused) {
  const std::string config = write_ring_run(directory_, good_);
  expect_refused(directory_, config, {"topology.shape=[5]"}, kBadInput,
                 {"topology.shape=[5]", "is made for a"});
  expect_refused(directory_, config, {"topology.kind=mesh"}, kBadInput,
                 {"topology.kind=mesh", "is made for a"});
}

TEST_F(BadSchedule, PathOfAnotherNetwork_IsRefusedByItsName) {
  const std::string config =
      write_ring_run(directory_, ring_header(1, 1) + ring_message(1, 0, 1, "[[0,-1,3]]"));
  const std::string networks = "topology.networks=[{directions: plus}, {directions: minus}]";
  const std::string classes = "classes=[{name: a, vcs: 2}, {name: b, vcs: 2, network: 1}]";
  expect_refused(directory_, config, {networks, classes}, kBadInput,
                 {"by -3@0 cannot travel: links of network 0 lead in direction plus only"}, kRunsOnly);
}

TEST_F(BadSchedule, OtherRouting_IsRefused) {
  static_cast<void>(directory_.write(
      "schedule.jsonl",
      R"({"flitscope":"schedule","version":1,"topology":{"kind":"torus","shape":[4,4]},)"
      R"("ports":{"send":4,"receive":4},"routing":"cyclic-dimension-order","algorithm":"by-hand","steps":1,"messages":1,)"
      R"("chunks":[16],"initial":[[[0,0],[0]]],"goal":[]})"
      "\n"
      R"({"step":1,"src":[0,0],"dst":[1,3],"path":[[1,-1,1],[0,1,1]],"chunks":[0]})"
      "\n"));
  const std::string config = directory_.write(
      "torus.yaml",
      "flitscope: 1\ntopology: {kind: torus, shape: [4, 4]}\nworkload: {schedule: schedule.jsonl}\n");
  EXPECT_EQ(run_program({"run", config}).exit_code, 0);
  expect_refused(directory_, config, {"router.routing=dimension-order"}, kBadInput,
                 {"schedule.jsonl:2: step 1, message 1", "starts in dimension 0, not 1", "dimension-order"},
                 kRunsOnly);
}

TEST_F(BadSchedule, MissingFile_IsRefused) {
  const std::string config = write_ring_run(directory_, good_);
  std::filesystem::remove(directory_ / "schedule.jsonl");
  expect_refused(directory_, config, {}, kBadInput, {"schedule.jsonl", "No such file"});
  refused("", kBadInput, {"schedule.jsonl:1:1:", "empty"});
  refused(std::string("\x7f"
                      "ELF\0\0\xff\xfe",
                      8),
          kBadInput, {"schedule.jsonl:1:1:", "no schedule"});
  refused("{\"flitscope\": \"schedule\", \"version\": 1\n", kBadInput, {"schedule.jsonl:1:"});
  refused(ring_header(1, 1) + "{\"step\": 1, \xff\n", kBadInput, {"schedule.jsonl:2:"});
}

}  // namespace
}  // namespace flitscope::test::bad_schedule_test
