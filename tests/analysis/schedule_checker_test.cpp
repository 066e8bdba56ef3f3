// Legal schedules in the checker, and the report of their load.
#include "sim/analysis/schedule_checker.h"

#include <gtest/gtest.h>

#include "model/error.h"
#include "tests/support/small_schedules.h"

namespace flitscope::schedule_checker_test {
namespace {

TEST(ScheduleChecker, LegalScheduleOnARing_Passes) {
  MemorySchedule schedule = ring();
  const CheckReport report = check_schedule(schedule);
  EXPECT_TRUE(report.legal);
  EXPECT_TRUE(report.violations.empty());
  EXPECT_EQ(report.steps, 1U);
  EXPECT_EQ(report.messages, 2U);
  EXPECT_EQ(report.hops, 2U);
  EXPECT_EQ(report.redundant_deliveries, 0U);
  EXPECT_EQ(report.max_channel_load, 1U);
  EXPECT_EQ(report.shared_links, 0U);
  EXPECT_EQ(report.most_shared_step, 0U);
  EXPECT_FALSE(report.claim_kept);
}

TEST(ScheduleChecker, LegalScheduleOnALineWithOnePort_Passes) {
  MemorySchedule schedule = line();
  schedule.edit().stages = {{"far", 1, 1}, {"near", 2, 2}};
  EXPECT_TRUE(check_schedule(schedule).legal);
}

TEST(ScheduleChecker, EachStep_IsReported) {
  MemorySchedule schedule = line();
  std::vector<StepSummary> steps;
  CheckOptions options;
  options.on_step = [&](const StepSummary& step) { steps.push_back(step); };
  EXPECT_TRUE(check_schedule(schedule, options).legal);
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].step, 1U);
  EXPECT_EQ(steps[0].messages, 1U);
  EXPECT_EQ(steps[0].load.hops, 2U);
  EXPECT_EQ(steps[1].step, 2U);
  EXPECT_EQ(steps[1].messages, 2U);
  EXPECT_EQ(steps[1].load.busiest, schedule.facts().topology.channel(0, 0));
}

/// Each goes by the network of its class, and links of one have other numbers than those of all.
TEST(ScheduleChecker, ClassesOnSeveralNetworks_LoadTheLinksOfTheirOwn) {
  const Topology ring(TopologyKind::torus, {4});
  const Topology topology = ring.in_networks({{LinkDirections::both, 0}, {LinkDirections::plus, 0}});
  MemorySchedule schedule(broadcast(topology, 2));
  schedule.edit().classes = {"a", "b"};
  schedule.edit().waits = true;
  schedule.edit().collective.initial = {{2, {0}}, {3, {0}}};
  schedule.begin_step().add(2, 0, kPlus).of_class(1).add(3, 1, kPlus).of_class(2);
  schedule.begin_step().add(3, 1, kPlus).of_class(2).add(2, 0, kPlus).of_class(2);
  std::vector<StepLoad> loads;
  const auto on_step = [&](const StepSummary& step) { loads.push_back(step.load); };
  const CheckReport report =
      check_schedule(schedule, {.on_step = on_step, .networks = {0, 0, 1}, .volumes = true});
  ASSERT_EQ(loads.size(), 2U);
  EXPECT_EQ(loads[0].max_load, 1U);
  EXPECT_EQ(loads[0].busiest, topology.channel(0, topology.first_port(1)));
  EXPECT_EQ(loads[1].max_load, 2U);
  EXPECT_EQ(loads[1].busiest, topology.channel(3, topology.first_port(1)));
  EXPECT_EQ(report.busiest_link, loads[1].busiest);
}

TEST(ScheduleChecker, SharedLinks_AreReportedAndLegal) {
  MemorySchedule schedule(broadcast({TopologyKind::mesh, {5}}, 2));
  schedule.edit().collective.initial = {{0, {0}}, {1, {0}}};
  schedule.begin_step().add(0, 3, kPlus).add(1, 4, kPlus);  // both over 1 -> 2 -> 3
  schedule.begin_step().add(1, 2, kPlus).add(0, 3, kPlus);  // as loaded, but step 1 comes first
  const CheckReport report = check_schedule(schedule);
  EXPECT_TRUE(report.legal);
  EXPECT_EQ(report.max_channel_load, 2U);
  EXPECT_EQ(report.max_load_step, 1U);
  EXPECT_EQ(report.max_load_channel, schedule.facts().topology.channel(1, 0));
  EXPECT_EQ(report.shared_links, 3U);
  EXPECT_EQ(report.most_shared_step, 1U);
  EXPECT_EQ(report.most_shared_links, 2U);
}

TEST(ScheduleChecker, ClaimedLoad_IsKeptOrBroken) {
  for (const std::uint32_t claimed : {1U, 2U}) {
    MemorySchedule schedule(broadcast({TopologyKind::mesh, {4}}, 1));
    schedule.edit().collective.initial = {{0, {0}}, {1, {0}}};
    schedule.edit().claimed_channel_load = claimed;
    schedule.begin_step().add(0, 2, kPlus).add(1, 3, kPlus);
    const CheckReport report = check_schedule(schedule);
    EXPECT_TRUE(report.legal);
    EXPECT_EQ(report.claim_kept, claimed == 2);
  }
}

TEST(ScheduleChecker, RedundantDeliveries_AreCountedAndLegal) {
  MemorySchedule schedule = line();
  schedule.begin_step().add(1, 0, kMinus).add(3, 2, kMinus);
  const CheckReport report = check_schedule(schedule);
  EXPECT_TRUE(report.legal);
  EXPECT_EQ(report.redundant_deliveries, 2U);
}

TEST(ScheduleChecker, FewerPortsThanLinks_MessagesMayShareALink) {
  MemorySchedule schedule(broadcast({TopologyKind::mesh, {3, 2}}, 2));
  schedule.edit().collective.goal = std::vector<Holding>{{1, {0}}, {2, {0}}};
  schedule.begin_step().add(0, 1, kPlus).add(0, 2, kPlus);
  EXPECT_TRUE(check_schedule(schedule).legal);
}

TEST(ScheduleChecker, ManyViolations_FirstAreDescribedAndAllCounted) {
  MemorySchedule schedule = line();
  schedule.begin_step();
  for (int i = 0; i < 50; ++i) schedule.add(1, kNoNode, kPlus);
  const CheckReport report = check_schedule(schedule);
  EXPECT_FALSE(report.legal);
  EXPECT_EQ(report.violations.size(), 20U);
  EXPECT_EQ(report.violations.back().message, 20U);
  EXPECT_EQ(report.violation_count, 50U);
}

TEST(ScheduleChecker, PossessionBeyondTheMemoryLimit_IsRefused) {
  MemorySchedule schedule = line();
  CheckOptions options;
  options.possession_limit = 4;
  EXPECT_THROW((void)check_schedule(schedule, options), Inadmissible);
}

}  // namespace
}  // namespace flitscope::schedule_checker_test
