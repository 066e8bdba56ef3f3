// The deadlock verdict before the run, of each routing function and class scheme, between all pairs of nodes.
#include "sim/analysis/deadlock_verdict.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "model/error.h"
#include "model/schedule.h"
#include "tests/reference/test_routings.h"

namespace flitscope::deadlock_verdict_test {
namespace {

MachineConfig machine_of(const std::string& routing, unsigned virtual_channels = 0) {
  MachineConfig machine;
  machine.routing = routing;
  machine.virtual_channels = virtual_channels;
  machine.allow_deadlock = true;
  return machine;
}

DeadlockAnalysis judge(const Topology& topology, MachineConfig machine) {
  if (machine.virtual_channels == 0) {
    machine.virtual_channels = RoutingRegistry::find(machine.routing)->make(topology)->classes();
  }
  DeadlockAnalyzer judge(topology, machine);
  return judge.analyze(every_pair(topology, judge.paths().routing()));
}

std::string text(const DeadlockAnalysis& verdict) {
  return fmt::format("{} {} {}", name_of(verdict.verdict), name_of(verdict.argument),
                     verdict.dependency_cycle.size());
}

Topology torus(std::vector<std::uint32_t> sides) {
  return {TopologyKind::torus, std::move(sides)};
}
Topology mesh(std::vector<std::uint32_t> sides) {
  return {TopologyKind::mesh, std::move(sides)};
}

TEST(DeadlockVerdict, DimensionOrderOnALine_HasOneDependencyForEachInnerNodeAndDirection) {
  const DeadlockAnalysis verdict = judge(mesh({7}), machine_of("dimension-order"));
  EXPECT_EQ(text(verdict), "free acyclic 0");
  EXPECT_EQ(verdict.arcs, 10U);
  EXPECT_EQ(verdict.channels, 12U);
  EXPECT_EQ(verdict.vcs, 12U);
}

TEST(DeadlockVerdict, DimensionOrderOnAMesh_TurnsFromEachDimensionIntoTheNextOnly) {
  // Straight on: 3 inner nodes, 2 directions, 5 lines, 2 dimensions. Turns: at each node, channels into it in
  // dimension 0 times channels out of it in dimension 1; a row has 8 of the ones, a column 8 of the others.
  const DeadlockAnalysis verdict = judge(mesh({5, 5}), machine_of("dimension-order"));
  EXPECT_EQ(text(verdict), "free acyclic 0");
  EXPECT_EQ(verdict.arcs, 60U + 8U * 8U);
}

TEST(DeadlockVerdict, RingWithOneVc_HasTheDependencyCycleOfItsLinks) {
  const DeadlockAnalysis verdict = judge(torus({5}), machine_of("dimension-order", 1));
  EXPECT_EQ(text(verdict), "can-deadlock  5");
  for (const CycleMember& member : verdict.dependency_cycle) {
    // The message of each member starts with its channel and goes on by the next one's.
    EXPECT_EQ(member.flow.source, member.channel / 2);
    EXPECT_EQ(member.vcs, 1U);
  }
}

TEST(DeadlockVerdict, MoreVcsWithoutClasses_DoNotPreventDeadlock) {
  const DeadlockAnalysis verdict = judge(torus({4}), machine_of("dimension-order-without-dateline", 3));
  EXPECT_EQ(text(verdict), "can-deadlock  4");
  EXPECT_EQ(verdict.dependency_cycle.front().vcs, 3U);
  EXPECT_EQ(verdict.arcs, 2U * 4U * 9U);
}

TEST(DeadlockVerdict, RingOfTwo_NeedsNoDateline) {
  // No message goes on behind the first link.
  EXPECT_EQ(text(judge(torus({2}), machine_of("dimension-order", 1))), "free acyclic 0");
  EXPECT_EQ(text(judge(torus({2, 2, 2}), machine_of("dimension-order", 1))), "free acyclic 0");
  EXPECT_EQ(text(judge(torus({2, 3}), machine_of("dimension-order", 1))), "can-deadlock  3");
}

TEST(DeadlockVerdict, DeterministicFunctionsWithAVcForEachClass_AreFree) {
  for (const char* const routing : {"dimension-order", "cyclic-dimension-order", "valiant"}) {
    for (const Topology& topology :
         {torus({2}), torus({5}), torus({3, 2}), torus({4, 3}), torus({2, 3, 2}), torus({3, 3, 3}),
          torus({2, 3, 2, 2}), mesh({5}), mesh({2, 3}), mesh({3, 2, 3}), mesh({2, 2, 2, 3})}) {
      EXPECT_EQ(text(judge(topology, machine_of(routing))), "free acyclic 0")
          << routing << " on a " << topology.name();
    }
  }
}

TEST(DeadlockVerdict, TurnModels_AreFreeWithAnySwitching) {
  for (const char* const routing : {"west-first", "negative-first", "odd-even"}) {
    for (const Topology& topology : {mesh({5}), mesh({2, 2}), mesh({4, 4}), mesh({5, 3}), mesh({2, 6})}) {
      EXPECT_EQ(text(judge(topology, machine_of(routing))), "free acyclic 0")
          << routing << " on a " << topology.name();
      EXPECT_EQ(text(judge(topology, machine_of(routing, 3))), "free acyclic 0");
    }
  }
  EXPECT_EQ(text(judge(mesh({3, 3, 3}), machine_of("negative-first"))), "free acyclic 0");
}

/// Traffic takes the shorter direction in every dimension, so no direction of a schedule is refused.
TEST(DeadlockVerdict, CyclicDimensionOrderOnAMesh_NeedsTwoVcs) {
  EXPECT_EQ(text(judge(mesh({4, 4}), machine_of("cyclic-dimension-order", 1))), "can-deadlock  4");
}

TEST(DeadlockVerdict, MinimalAdaptive_MayDeadlock) {
  EXPECT_EQ(text(judge(mesh({2, 2}), machine_of("minimal-adaptive"))), "may-deadlock  4");
  EXPECT_EQ(text(judge(mesh({5}), machine_of("minimal-adaptive"))), "free acyclic 0");
  EXPECT_EQ(text(judge(torus({3}), machine_of("minimal-adaptive"))), "may-deadlock  3");
}

TEST(DeadlockVerdict, EscapeClasses_AreProofOnlyIfABufferHoldsOneMessageOrAllOfIt) {
  for (const Topology& topology : {mesh({3, 3}), mesh({2, 2, 2}), torus({3, 3}), torus({4, 2})}) {
    MachineConfig machine = machine_of("duato");
    EXPECT_EQ(judge(topology, machine).verdict, DeadlockVerdict::may_deadlock) << topology.name();
    machine.vc_allocation = VcAllocation::atomic;
    EXPECT_EQ(text(judge(topology, machine)), "free escape 0") << topology.name();
    machine.vc_allocation = VcAllocation::non_atomic;
    for (const Switching switching : {Switching::virtual_cut_through, Switching::store_and_forward}) {
      machine.switching = switching;
      EXPECT_EQ(text(judge(topology, machine)), "free escape 0") << topology.name();
    }
    // Shared by the adaptive and the escape classes, a VC is no escape.
    machine.virtual_channels = 1;
    EXPECT_EQ(judge(topology, machine).verdict, DeadlockVerdict::may_deadlock) << topology.name();
  }
}

TEST(DeadlockVerdict, BubbleFlowControl_RingsOfEqualMessages_AreFree) {
  MachineConfig machine = machine_of("dimension-order", 1);
  machine.switching = Switching::virtual_cut_through;
  EXPECT_EQ(judge(torus({4, 3}), machine).verdict, DeadlockVerdict::can_deadlock);
  machine.flow = FlowControl::bubble;
  const DeadlockAnalysis verdict = judge(torus({4, 3}), machine);
  EXPECT_EQ(text(verdict), "free bubble 0");
  // The four rings of dimension 1 in each direction come behind those of dimension 0.
  std::map<std::uint64_t, unsigned> groups_of_rank;
  for (const auto& [group, rank] : verdict.ranks) ++groups_of_rank[rank];
  EXPECT_EQ(groups_of_rank.size(), 2U * (4 + 3));

  DeadlockAnalyzer mixed(torus({4}), machine);
  const Flows two_lengths = [](const std::function<bool(const Flow&)>& visit) {
    for (NodeId node = 0; node < 4; ++node) {
      visit({node, (node + 2) % 4, Route::cyclic(0, Sign::plus), 1 + node, 1 + node % 2});
    }
  };
  EXPECT_EQ(mixed.analyze(two_lengths).verdict, DeadlockVerdict::may_deadlock);
}

TEST(DeadlockVerdict, FewerMessages_HaveNoDependencyCycle) {
  // On a ring of four with one VC: three messages make no dependency cycle, a fourth does.
  DeadlockAnalyzer judge(torus({4}), machine_of("dimension-order", 1));
  const auto messages = [](NodeId count) -> Flows {
    return [count](const std::function<bool(const Flow&)>& visit) {
      for (NodeId node = 0; node < count; ++node) {
        visit({node, (node + 2) % 4, Route::cyclic(0, Sign::plus), message_id(1, node), 8});
      }
    };
  };
  EXPECT_EQ(text(judge.analyze(messages(3))), "free acyclic 0");
  const DeadlockAnalysis verdict = judge.analyze(messages(4));
  EXPECT_EQ(text(verdict), "can-deadlock  4");
  for (const CycleMember& member : verdict.dependency_cycle) {
    EXPECT_EQ(member.flow.message, message_id(1, member.channel / 2));
  }
  EXPECT_EQ(text(judge.analyze(messages(2))), "free acyclic 0");
}

/// In which class a message of a ring travels depends on where it has started: no message starts with
/// class 1.
class OneClassBehindTheOther final : public DeterministicRouting {
 public:
  explicit OneClassBehindTheOther(const Topology& topology) : topology_(topology) {}
  [[nodiscard]] unsigned classes() const override { return 2; }
  [[nodiscard]] Candidate first_candidate(NodeId /*node*/, Arrival arrival, const Head& head) const override {
    const bool first = arrival.port >= topology_.link_ports();
    return {port_of(0, head.route.sign(0)), first ? 0U : 1U};
  }

 private:
  Topology topology_;
};

const RoutingRegistry::Entry one_class_behind_the_other{{
    .name = "one-class-behind-the-other",
    .summary = "on rings, class 0 on the first link and class 1 on all others",
    .source = "this test",
    .topologies = {TopologyKind::torus},
    .max_dimensions = 1,
    .make = [](const Topology& topology) { return std::make_unique<OneClassBehindTheOther>(topology); },
}};

TEST(DeadlockVerdict, DependencyCycleOfChannelsThatNoMessageStartsWith_IsNotProven) {
  const DeadlockAnalysis verdict = judge(torus({5}), machine_of("one-class-behind-the-other"));
  EXPECT_EQ(text(verdict), "may-deadlock  5");
  for (const CycleMember& member : verdict.dependency_cycle) EXPECT_EQ(member.vc, 1U);
}

/// Says that class 0 is for escaping and does not offer it.
class FalseEscape final : public AdaptiveRouting {
 public:
  [[nodiscard]] unsigned classes() const override { return 2; }
  [[nodiscard]] ClassMask escape_classes() const override { return 1; }
  void add_candidates(NodeId, Arrival, const Head& head, std::vector<Candidate>& candidates) const override {
    candidates.push_back({port_of(0, head.route.sign(0)), 1});
  }
};

const RoutingRegistry::Entry false_escape{{
    .name = "false-escape",
    .summary = "escape classes that are not connected",
    .source = "this test",
    .topologies = {TopologyKind::torus},
    .max_dimensions = 1,
    .make = [](const Topology&) { return std::make_unique<FalseEscape>(); },
}};

TEST(DeadlockVerdict, EscapeClassesThatAreNotConnected_AreRefused) {
  MachineConfig machine = machine_of("false-escape");
  machine.vc_allocation = VcAllocation::atomic;
  try {
    static_cast<void>(judge(torus({4}), machine));
    FAIL();
  } catch (const Inadmissible& error) {
    EXPECT_EQ(error.key(), "router.routing");
    EXPECT_STREQ(error.what(),
                 "the escape classes of false-escape are not connected: a message from [1] to [0] has no "
                 "candidate of them at [1]");
  }
}

}  // namespace
}  // namespace flitscope::deadlock_verdict_test
