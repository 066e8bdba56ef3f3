// Errors about a message of a schedule file name the file and the message's line, whoever finds them; and
// what the file says reaches a terminal only as text.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/circuit_schedules.h"
#include "tests/support/hand_written_runs.h"
#include "tests/support/program.h"

namespace flitscope::test::message_places_test {
namespace {

/// Message 2 of step 2 sends what node 3 does not hold; it stands in line 6, after a blank one.
const std::string kIllegal = ring_header(2, 3) + ring_message(1, 0, 1, "[[0,1,1]]") + "\n" +
                             ring_message(2, 1, 2, "[[0,1,1]]") + "  \n" +
                             ring_message(2, 3, 2, "[[0,-1,1]]");

TEST(MessagePlaces, ChunkThatTheSenderLacks_NamesItsLine) {
  const TemporaryDirectory directory;
  const std::string config = write_ring_run(directory, kIllegal);
  const std::string place = (directory / "schedule.jsonl").string() + ":6: ";
  const Outcome barrier = run_program({"run", config});
  EXPECT_EQ(barrier.exit_code, 4);
  EXPECT_TRUE(barrier.err.starts_with(place + "step 2, message 2 ([3] to [2]) sends what it does not hold"))
      << barrier.err;
  const Outcome dataflow = run_program({"run", config, "--set", "workload.advance=dataflow"});
  EXPECT_EQ(dataflow.exit_code, 4);
  EXPECT_TRUE(dataflow.err.starts_with(place + "step 2, message 2 ([3] to [2]) waits for data"))
      << dataflow.err;
  const Outcome verified = run_program({"verify", config});
  EXPECT_EQ(verified.exit_code, 4);
  EXPECT_NE(verified.out.find("  " + place + "step 2, message 2"), std::string::npos) << verified.out;
  const Outcome as_json = run_program({"verify", config, "--json"});
  EXPECT_EQ(nlohmann::json::parse(as_json.out).at("violations").at(0).at("place"),
            (directory / "schedule.jsonl").string() + ":6");
}

TEST(MessagePlaces, RefusedRoute_NamesItsLine) {
  const TemporaryDirectory directory;
  static_cast<void>(directory.write(
      "schedule.jsonl",
      R"({"flitscope":"schedule","version":1,"topology":{"kind":"mesh","shape":[3,3]},"ports":{"send":2,"receive":2},)"
      R"("routing":"dimension-order","algorithm":"by-hand","steps":1,"messages":2,"chunks":[16],)"
      R"("initial":[[[0,0],[0]]],"goal":[[[1,1],[0]]]})"
      "\n"
      R"({"step":1,"src":[0,0],"dst":[1,0],"path":[[0,1,1]],"chunks":[0]})"
      "\n"
      R"({"step":1,"src":[0,0],"dst":[1,1],"path":[[1,1,1],[0,1,1]],"first_dimension":1,"chunks":[0]})"
      "\n"));
  const std::string config = directory.write(
      "mesh.yaml",
      "flitscope: 1\ntopology: {kind: mesh, shape: [3, 3]}\nworkload: {schedule: schedule.jsonl}\n");
  const std::string place = (directory / "schedule.jsonl").string() + ":3: step 1, message 2";
  for (const char* const command : {"run", "verify"}) {
    const Outcome outcome = run_program({command, config});
    EXPECT_NE((outcome.err + outcome.out).find(place), std::string::npos) << outcome.err << outcome.out;
  }
}

TEST(MessagePlaces, MissingCircuit_NamesItsLine) {
  const TemporaryDirectory directory;
  static_cast<void>(
      directory.write("circuits.jsonl",
                      R"({"flitscope":"schedule","version":1,"topology":{"kind":"complete","nodes":3},)"
                      R"("ports":{"send":1,"receive":1},"reconfiguration":1,)"
                      R"("algorithm":"by-hand","steps":1,"messages":1,"tunings":1,"circuits":0,"chunks":[8],)"
                      R"("initial":[[0,[0]]],"goal":[[2,[0]]]})"
                      "\n"
                      R"({"tune":{"node":0,"port":0,"target":1,"start":0}})"
                      "\n"
                      R"({"step":1,"src":0,"dst":2,"port":0,"start":1,"chunks":[0]})"
                      "\n"));
  const std::string config = directory.write(
      "complete.yaml",
      "flitscope: 1\ntopology: {kind: complete, nodes: 3}\nnode: {ports: 1}\ncircuits: {reconfiguration: 1}\n"
      "workload: {schedule: circuits.jsonl}\n");
  const Outcome outcome = run_program({"run", config});
  EXPECT_EQ(outcome.exit_code, 4) << outcome.err;
  EXPECT_TRUE(outcome.err.starts_with((directory / "circuits.jsonl").string() + ":3: cycle ")) << outcome.err;
}

TEST(TextsOfAScheduleFile, ControlCharacters_AreEscaped) {
  const TemporaryDirectory directory;
  std::string schedule = ring_header(1, 1) + ring_message(1, 0, 1, "[[0,1,1]]");
  const std::string forged = R"(A\n\nlegal: forged\u001b[31m\u009b32m\u202e)";
  schedule.replace(schedule.find("by-hand"), 7, forged);
  const std::string stages =
      R"("stages":[{"name":"S\u001b[2J\nverified: forged","first_step":1,"last_step":1}],)";
  schedule.insert(schedule.find("\"chunks\""), stages);
  const std::string config = write_ring_run(directory, schedule);
  for (const char* const command : {"run", "verify"}) {
    const Outcome outcome = run_program({command, config});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos) << outcome.out;
    EXPECT_EQ(outcome.out.find("\xC2\x9B"), std::string::npos) << outcome.out;
    EXPECT_EQ(outcome.out.find("\xE2\x80\xAE"), std::string::npos) << outcome.out;
    EXPECT_EQ(outcome.out.find("\nlegal: forged"), std::string::npos) << outcome.out;
    EXPECT_EQ(outcome.out.find("\nverified: forged"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find(R"(A\x0a\x0alegal: forged\x1b[31m\u009b32m\u202e)"), std::string::npos)
        << outcome.out;
  }
}

}  // namespace
}  // namespace flitscope::test::message_places_test
