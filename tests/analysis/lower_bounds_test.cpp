// Lower bounds of schedules in closed form, and schedules that meet them exactly.
#include "sim/analysis/lower_bounds.h"

#include <gtest/gtest.h>

#include <string>

#include "sim/analysis/schedule_checker.h"
#include "tests/support/small_schedules.h"

namespace flitscope::lower_bounds_test {
namespace {

struct Found {
  CheckReport report;
  std::vector<LowerBound> bounds;

  [[nodiscard]] const LowerBound* of(LowerBound::Kind kind) const {
    for (const LowerBound& bound : bounds) {
      if (bound.kind == kind) return &bound;
    }
    return nullptr;
  }
  [[nodiscard]] std::uint64_t least(LowerBound::Kind kind) const {
    const LowerBound* const bound = of(kind);
    return bound == nullptr ? 0 : bound->least;
  }
};

Found bounds_of(Schedule& schedule) {
  const CheckReport report = check_schedule(schedule, {.volumes = true});
  return {report, lower_bounds(schedule.facts(), report)};
}

/// Of a collective on a network, without a schedule.
Found bounds_of(Topology topology, Collective collective, unsigned ports) {
  ScheduleFacts facts(std::move(topology));
  facts.send_ports = ports;
  facts.receive_ports = ports;
  facts.collective = std::move(collective);
  CheckReport report;
  report.longest_message_links = 1;
  report.largest_message_bytes = facts.collective.chunk_bytes.front();
  return {report, lower_bounds(facts, report)};
}

/// Every node has a chunk, and all want all of them.
Collective all_gather(NodeId nodes, std::uint64_t bytes) {
  Collective collective;
  collective.chunk_bytes.assign(nodes, bytes);
  for (NodeId node = 0; node < nodes; ++node) collective.initial.push_back({node, {node}});
  return collective;
}

/// Chunk p * source + target goes from source to target.
Collective all_to_all(NodeId nodes, std::uint64_t bytes) {
  Collective collective;
  collective.chunk_bytes.assign(std::size_t{nodes} * nodes, bytes);
  collective.goal.emplace();
  for (NodeId node = 0; node < nodes; ++node) {
    Holding from{node, {}};
    Holding to{node, {}};
    for (NodeId other = 0; other < nodes; ++other) {
      from.chunks.push_back(node * nodes + other);
      to.chunks.push_back(other * nodes + node);
    }
    collective.initial.push_back(from);
    collective.goal->push_back(to);
  }
  return collective;
}

constexpr auto kDistance = LowerBound::Kind::distance;
constexpr auto kGrowth = LowerBound::Kind::growth;
constexpr auto kCut = LowerBound::Kind::cut;
constexpr auto kPace = LowerBound::Kind::pace;

TEST(LowerBounds, BroadcastThatMeetsThem_HasNoSlack) {
  // 0 -> 2 travels two links: 3 links in two steps. One port doubles the holders.
  MemorySchedule schedule = line();
  const Found found = bounds_of(schedule);
  EXPECT_EQ(found.least(kDistance), 2U);
  EXPECT_EQ(found.least(kGrowth), 2U);
  EXPECT_EQ(found.least(kCut), 64U);
  EXPECT_EQ(found.least(kPace), 1U);
  for (const LowerBound& bound : found.bounds) EXPECT_TRUE(bound.respected()) << bound.reason;
  EXPECT_EQ(found.of(kDistance)->reason,
            "chunk 0 has to travel 3 links to [3], and no message travels more than 2");
  EXPECT_EQ(found.of(kGrowth)->reason,
            "chunk 0 has to travel from 1 node to 4 nodes, and a node sends at most 1 message a step");
  EXPECT_EQ(found.of(kCut)->reason, "64 bytes have to leave [0] over 1 link");
}

TEST(LowerBounds, VolumesOfASchedule_AreCounted) {
  MemorySchedule schedule = line();
  const CheckReport report = check_schedule(schedule, {.volumes = true});
  EXPECT_EQ(report.messages_of_many_links, 1U);
  EXPECT_EQ(report.longest_message_links, 2U);
  EXPECT_EQ(report.largest_message_bytes, 64U);
  EXPECT_EQ(report.link_bytes, 4 * 64U);
  EXPECT_EQ(report.busiest_link_bytes, 2 * 64U);  // from 0 to 1, in both steps
  EXPECT_EQ(report.busiest_link, schedule.facts().topology.channel(0, 0));
  EXPECT_EQ(report.max_sends, 1U);
  EXPECT_EQ(report.max_receives, 1U);
}

TEST(LowerBounds, AllGathers_HaveTheClosedForm) {
  for (const std::uint32_t side : {3U, 4U, 5U}) {
    const NodeId nodes = side * side;
    const Found torus = bounds_of({TopologyKind::torus, {side, side}}, all_gather(nodes, 10), 4);
    EXPECT_EQ(torus.least(kDistance), 2 * (side / 2));
    EXPECT_EQ(torus.least(kGrowth), 2U);
    EXPECT_EQ(torus.least(kCut), ((nodes - 1) * 10 + 3) / 4);  // what a node wants comes in over four links
    // On a mesh a corner has two links.
    const Found mesh = bounds_of({TopologyKind::mesh, {side, side}}, all_gather(nodes, 10), 4);
    EXPECT_EQ(mesh.least(kDistance), 2 * (side - 1));
    EXPECT_EQ(mesh.least(kCut), (nodes - 1) * 10 / 2);
    EXPECT_EQ(mesh.least(kPace), ((nodes - 1) * 10 / 2 + 9) / 10);
    EXPECT_EQ(mesh.of(kCut)->reason,
              std::to_string((nodes - 1) * 10) + " bytes have to enter [0, 0] over 2 links");
  }
}

TEST(LowerBounds, AllToAlls_HaveTheBisectionBound) {
  // Of a ring of k nodes, k/2 next to each other send k/2 chunks each to the others, over two links.
  for (const std::uint32_t k : {4U, 6U, 8U, 10U}) {
    const Found ring = bounds_of({TopologyKind::torus, {k}}, all_to_all(k, 8), 2);
    EXPECT_EQ(ring.least(kCut), k * k / 8 * 8 + (k * k % 8 == 0 ? 0 : 4));
    const Found torus = bounds_of({TopologyKind::torus, {k, 2 * k}}, all_to_all(2 * k * k, 8), 4);
    EXPECT_EQ(torus.least(kCut), std::uint64_t{k} * k * k * k / (2 * k) * 8);
    const Found mesh = bounds_of({TopologyKind::mesh, {k, k}}, all_to_all(k * k, 8), 4);
    EXPECT_EQ(mesh.least(kCut), std::uint64_t{k} * k * k / 4 * 8);
  }
  const Found found = bounds_of({TopologyKind::mesh, {4, 4}}, all_to_all(16, 8), 4);
  EXPECT_EQ(found.of(kCut)->reason, "512 bytes have to enter coordinates 0 to 1 of dimension 0 over 4 links");
}

TEST(LowerBounds, CombinedChunks_CrossACutOnce) {
  Collective collective;
  collective.chunk_bytes = {8};
  collective.operands_everywhere = true;
  collective.goal.emplace(1, Holding{0, {0}});
  const Found reduce = bounds_of({TopologyKind::mesh, {5}}, collective, 1);
  EXPECT_EQ(reduce.least(kDistance), 4U);
  EXPECT_EQ(reduce.least(kGrowth), 3U);  // five operands, two a step
  EXPECT_EQ(reduce.least(kCut), 8U);
  collective.goal.reset();
  const Found all_reduce = bounds_of({TopologyKind::torus, {9}}, collective, 2);
  EXPECT_EQ(all_reduce.least(kDistance), 4U);
  EXPECT_EQ(all_reduce.least(kGrowth), 2U);
  EXPECT_EQ(all_reduce.least(kCut), 4U);  // into a node over two links
}

TEST(LowerBounds, SharedLinks_AreBelowThePace) {
  // Two chunks over the one link into node 1, in one step.
  ScheduleFacts facts({TopologyKind::mesh, {3}});
  facts.send_ports = 2;
  facts.receive_ports = 2;
  facts.collective.chunk_bytes = {64, 64};
  facts.collective.initial.push_back({0, {0, 1}});
  facts.collective.goal.emplace(1, Holding{1, {0, 1}});
  MemorySchedule schedule(facts);
  schedule.begin_step().add(0, 1, kPlus, {0}).add(0, 1, kPlus, {1});
  const Found found = bounds_of(schedule);
  EXPECT_TRUE(found.report.legal);
  ASSERT_NE(found.of(kPace), nullptr);
  EXPECT_EQ(found.of(kPace)->least, 2U);
  EXPECT_FALSE(found.of(kPace)->respected());
  EXPECT_TRUE(found.of(kCut)->respected());
}

TEST(LowerBounds, ScheduleThatMissesItsGoal_CanBeBelowThem) {
  MemorySchedule schedule(broadcast({TopologyKind::mesh, {5}}, 1));
  schedule.begin_step().add(0, 1, kPlus);
  const Found found = bounds_of(schedule);
  EXPECT_FALSE(found.report.legal);
  EXPECT_FALSE(found.of(kDistance)->respected());
  EXPECT_EQ(found.least(kDistance), 4U);
  EXPECT_EQ(found.of(kDistance)->found, 1U);
  EXPECT_FALSE(found.of(kGrowth)->respected());
}

TEST(LowerBounds, ClaimBelowThem_IsRefused) {
  MemorySchedule schedule(broadcast({TopologyKind::mesh, {3}}, 1));
  schedule.edit().claimed_steps = 1;
  schedule.begin_step().add(0, 1, kPlus);
  schedule.begin_step().add(1, 2, kPlus);
  const Found found = bounds_of(schedule);
  EXPECT_TRUE(found.report.legal);
  const auto violations_of_claims = [&] {
    Legality claims;
    ViolationLog log(claims);
    check_claims(found.bounds, schedule.facts(), found.report, log);
    return claims.violations;
  };
  const auto violations = violations_of_claims();
  ASSERT_EQ(violations.size(), 2U);
  EXPECT_EQ(
      violations[0].text,
      "the schedule claims 1 step, but none can take fewer than 2: chunk 0 has to travel 2 links to [2], "
      "and no message travels more than 1");
  EXPECT_EQ(violations[1].kind, ViolationKind::bounds);
  schedule.edit().claimed_steps = 2;
  EXPECT_TRUE(violations_of_claims().empty());
}

TEST(LowerBounds, WorkLimit_LeavesBoundsOut) {
  ScheduleFacts facts({TopologyKind::torus, {16, 16}});
  facts.collective = all_to_all(256, 8);
  EXPECT_TRUE(lower_bounds(facts, {}, 1000).empty());
}

}  // namespace
}  // namespace flitscope::lower_bounds_test
