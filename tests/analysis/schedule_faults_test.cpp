// Faults of schedules in the checker, each alone and in its exact place.
#include "sim/analysis/schedule_checker.h"

#include <gtest/gtest.h>

#include "routers/routing/routing.h"
#include "tests/support/small_schedules.h"

namespace flitscope::schedule_faults_test {
namespace {

/// The only violation of a schedule, found in the place given.
void expect_violation(Schedule& schedule, ViolationKind kind, std::uint64_t step, std::uint64_t message,
                      const std::string& text) {
  const CheckReport report = check_schedule(schedule);
  EXPECT_FALSE(report.legal);
  ASSERT_FALSE(report.violations.empty());
  ASSERT_EQ(report.violations.size(), 1U) << report.violations.back().text;
  const Violation& violation = report.violations.front();
  EXPECT_EQ(name_of(violation.kind), name_of(kind));
  EXPECT_EQ(violation.step, step);
  EXPECT_EQ(violation.message, message);
  EXPECT_EQ(violation.text, text);
}

TEST(ScheduleFault, SourceThatDoesNotExist_IsFound) {
  MemorySchedule schedule = ring();
  schedule.begin_step().add(1, 0, kMinus).add(3, 0, kPlus);
  expect_violation(
      schedule, ViolationKind::no_such_node, 2, 2,
      "step 2, message 2: the source is node 3, which does not exist; the ring of 3 nodes has nodes 0 to 2");
}

TEST(ScheduleFault, DestinationThatDoesNotExist_IsFound) {
  MemorySchedule schedule = ring();
  schedule.begin_step().add(1, kNoNode, kMinus);
  expect_violation(
      schedule, ViolationKind::no_such_node, 2, 1,
      "step 2, message 1: the destination is node 4294967295, which does not exist; the ring of 3 nodes has "
      "nodes 0 to 2");
}

TEST(ScheduleFault, PathAcrossTheBorderOfAMesh_IsFound) {
  MemorySchedule schedule = line();
  schedule.begin_step().add(3, 2, kMinus).add(2, 1, kPlus);
  expect_violation(schedule, ViolationKind::no_route, 3, 2,
                   "step 3, message 2: [2] -> [1]: the directions given lead across the border of the linear "
                   "array of 4 nodes; each "
                   "must lead towards the destination");
}

TEST(ScheduleFault, MessageWithoutAPath_DoesNotArrive) {
  MemorySchedule schedule(broadcast({TopologyKind::mesh, {2}}, 1));
  schedule.begin_step().add(0, 1, kMinus);
  const CheckReport report = check_schedule(schedule);
  ASSERT_EQ(report.violations.size(), 2U);
  EXPECT_EQ(report.violations[0].kind, ViolationKind::no_route);
  EXPECT_EQ(report.violations[1].kind, ViolationKind::goal);
}

TEST(ScheduleFault, PathThatTheRoutingFunctionRefuses_IsFound) {
  MemorySchedule schedule(broadcast({TopologyKind::mesh, {2, 2}}, 2));
  schedule.begin_step().add(0, 1, kPlus).add(0, 2, kPlus);
  schedule.begin_step().add(0, 3, {1, 0});
  expect_violation(schedule, ViolationKind::routing, 2, 1,
                   "step 2, message 1: [0, 0] -> [1, 1]: dimension-order does not take the path +1@1 +1@0: "
                   "dimension-order routing starts in dimension 0, not 1");
}

TEST(ScheduleFault, RoutingFunctionThatDoesNotExist_IsFound) {
  MemorySchedule schedule = ring();
  schedule.edit().routing = "scenic";
  std::string known;
  for (const Routing& routing : RoutingRegistry::all()) known += (known.empty() ? "" : ", ") + routing.name;
  expect_violation(schedule, ViolationKind::routing, 0, 0,
                   "no routing function is called \"scenic\"; there are: " + known);
}

TEST(ScheduleFault, EmptyMessage_IsFound) {
  MemorySchedule schedule = ring();
  schedule.begin_step().add(1, 0, kMinus, {}).add(2, 1, kMinus, {}, 4);
  expect_violation(schedule, ViolationKind::empty_message, 2, 1,
                   "step 2, message 1: [1] -> [0]: carries nothing; it must carry a chunk or control data");
}

TEST(ScheduleFault, ChunkThatDoesNotExist_IsFound) {
  MemorySchedule schedule = ring();
  schedule.begin_step().add(1, 0, kMinus, {0, 1});
  expect_violation(
      schedule, ViolationKind::no_such_chunk, 2, 1,
      "step 2, message 1: [1] -> [0]: carries chunk 1, which does not exist; the collective has 1, "
      "numbered from 0");
}

TEST(ScheduleFault, ChunkListedTwice_IsFound) {
  MemorySchedule schedule = ring();
  schedule.begin_step().add(1, 0, kMinus, {0, 0, 0});
  expect_violation(schedule, ViolationKind::repeated_chunk, 2, 1,
                   "step 2, message 1: [1] -> [0]: carries chunk 0 twice; a message carries a chunk once");
}

TEST(ScheduleFault, ChunkSentInTheStepOfItsArrival_IsFound) {
  MemorySchedule schedule(broadcast({TopologyKind::mesh, {3}}, 1));
  schedule.begin_step().add(0, 1, kPlus).add(1, 2, kPlus);
  const CheckReport report = check_schedule(schedule);
  ASSERT_EQ(report.violations.size(), 2U);
  EXPECT_EQ(report.violations[0].kind, ViolationKind::not_held);
  EXPECT_EQ(
      report.violations[0].text,
      "step 1, message 2: [1] -> [2]: [1] does not hold chunk 0 when the step starts; it must have received "
      "what it sends in an earlier step");
  // What it could not send did not arrive.
  EXPECT_EQ(report.violations[1].kind, ViolationKind::goal);
  EXPECT_EQ(report.violations[1].text, "at the end [2] does not hold chunk 0; the goal wants it there");
}

TEST(ScheduleFault, SeveralChunksNotHeld_AreCounted) {
  MemorySchedule schedule(broadcast({TopologyKind::mesh, {2}}, 1));
  schedule.edit().collective = {{8, 8, 8}, {{0, {0, 1, 2}}}, std::vector<Holding>{}};
  schedule.begin_step().add(1, 0, kMinus, {0, 1, 2});
  expect_violation(
      schedule, ViolationKind::not_held, 1, 1,
      "step 1, message 1: [1] -> [0]: [1] does not hold chunk 0 (and 2 more) when the step starts; it "
      "must have received what it sends in an earlier step");
}

TEST(ScheduleFault, MoreSendsThanPorts_AreFound) {
  MemorySchedule schedule = line();
  schedule.begin_step().add(1, 0, kMinus).add(1, 2, kPlus);
  expect_violation(
      schedule, ViolationKind::send_ports, 3, 2,
      "step 3, message 2: [1] -> [2]: it is message 2 that [1] sends in this step; it may send 1");
}

TEST(ScheduleFault, MoreReceivesThanPorts_AreFound) {
  MemorySchedule schedule = line();
  schedule.begin_step().add(0, 1, kPlus).add(2, 1, kMinus);
  expect_violation(
      schedule, ViolationKind::receive_ports, 3, 2,
      "step 3, message 2: [2] -> [1]: it is message 2 that [1] receives in this step; it may receive 1");
}

TEST(ScheduleFault, MessagesOfAStepThatShareALink_AreNoFault) {
  MemorySchedule schedule = ring();
  schedule.begin_step().add(0, 1, kPlus).add(0, 2, kPlus);
  const CheckReport report = check_schedule(schedule);
  EXPECT_TRUE(report.legal);
  EXPECT_EQ(report.max_channel_load, 2);
  EXPECT_EQ(report.max_load_step, 2);
}

TEST(ScheduleFault, MoreStepsThanAnnounced_AreFound) {
  MemorySchedule schedule = line();
  schedule.edit().steps = 1;
  schedule.edit().collective.goal = std::vector<Holding>{{2, {0}}};
  expect_violation(schedule, ViolationKind::steps, 0, 0,
                   "the schedule goes on after step 1, the last it announces");
}

TEST(ScheduleFault, FewerStepsThanAnnounced_AreFound) {
  MemorySchedule schedule = line();
  schedule.edit().steps = 5;
  expect_violation(schedule, ViolationKind::steps, 0, 0, "the schedule ends after 2 steps, but announces 5");
}

TEST(ScheduleFault, OtherNumberOfMessagesThanAnnounced_IsFound) {
  MemorySchedule schedule = line();
  schedule.edit().messages = 4;
  expect_violation(schedule, ViolationKind::messages, 0, 0, "the schedule has 3 messages, but announces 4");
}

TEST(ScheduleFault, MissedGoal_NamesANodeAndAChunk) {
  MemorySchedule schedule(broadcast({TopologyKind::torus, {2, 3}}, 1));
  schedule.begin_step().add(0, 1, kPlus);
  expect_violation(schedule, ViolationKind::goal, 0, 0,
                   "at the end [0, 1] does not hold chunk 0 (and 3 more chunks are missing); the "
                   "goal wants it there");
}

TEST(ScheduleFault, ImpossibleClaimsAndBounds_AreFound) {
  struct Case {
    std::optional<std::uint64_t> claimed;
    std::optional<std::uint64_t> bound;
    std::string text;
  };
  const Case cases[] = {
      {{}, 3, "the schedule takes 2 steps, but announces that none can take fewer than 3"},
      {1, 2, "the schedule claims 1 step, but announces that none can take fewer than 2"},
      {0, {}, "the schedule takes 2 steps, but claims 0"},
  };
  for (const Case& wrong : cases) {
    MemorySchedule schedule = line();
    schedule.edit().claimed_steps = wrong.claimed;
    schedule.edit().lower_bound_steps = wrong.bound;
    expect_violation(schedule, ViolationKind::bounds, 0, 0, wrong.text);
  }
  // What a source claims may be more, or less, than what it takes.
  for (const std::uint64_t claimed : {1, 2, 3}) {
    MemorySchedule schedule = line();
    schedule.edit().claimed_steps = claimed;
    schedule.edit().lower_bound_steps = 1;
    EXPECT_TRUE(check_schedule(schedule).legal) << claimed;
  }
}

TEST(ScheduleFault, StagesThatContradictTheSteps_AreFound) {
  struct Case {
    std::vector<Stage> stages;
    std::string text;
  };
  const Case cases[] = {
      {{{"a", 1, 3}},
       "stage \"a\" has steps 1 to 3; they must lie within 1 to 2, the last not before the first"},
      {{{"a", 0, 1}},
       "stage \"a\" has steps 0 to 1; they must lie within 1 to 2, the last not before the first"},
      {{{"a", 2, 1}},
       "stage \"a\" has steps 2 to 1; they must lie within 1 to 2, the last not before the first"},
      {{{"a", 1, 2}, {"b", 2, 2}},
       "stage \"b\" starts in step 2, but the stage before it lasts until step 2; stages must follow one "
       "another"},
      {{{"", 1, 2}}, "the stage of steps 1 to 2 has no name"},
  };
  for (const Case& wrong : cases) {
    MemorySchedule schedule = line();
    schedule.edit().stages = wrong.stages;
    expect_violation(schedule, ViolationKind::stages, 0, 0, wrong.text);
  }
}

TEST(ScheduleFault, CollectiveWithoutAStart_IsFound) {
  MemorySchedule schedule = line();
  schedule.edit().collective.initial = {{4, {0}}};
  expect_violation(schedule, ViolationKind::collective, 0, 0,
                   "the collective's start names node 4, which does not exist; nodes are numbered 0 to 3");
}

}  // namespace
}  // namespace flitscope::schedule_faults_test
