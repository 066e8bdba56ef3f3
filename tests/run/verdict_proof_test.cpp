// Deadlock verdicts against all reachable states and against runs: where it says free nothing deadlocks, and
// every deadlock that can form has a reproducer.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "model/error.h"
#include "model/random.h"
#include "sim/verify/witness.h"
#include "tests/reference/brute_force_deadlock.h"
#include "tests/reference/random_case.h"
#include "tests/reference/reference_network.h"
#include "tests/reference/test_routings.h"

namespace flitscope::verdict_proof_test {
namespace {

unsigned cases() {
  const char* const wanted = std::getenv("FLITSCOPE_CASES");
  return wanted == nullptr ? 500 : static_cast<unsigned>(std::strtoul(wanted, nullptr, 10));
}

/// A network, so small that all its states can be seen.
struct SmallCase {
  Topology topology;
  MachineConfig machine;
  std::uint32_t flits = 1;
};

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  std::uint32_t between(std::uint32_t least, std::uint32_t most) {
    return least + static_cast<std::uint32_t>(random_below(random_, most - least + 1));
  }
  bool one_in(std::uint32_t chances) { return between(1, chances) == 1; }

  SmallCase small_case() {
    static const std::vector<Topology> topologies{
        {TopologyKind::torus, {3}},       {TopologyKind::torus, {4}},
        {TopologyKind::torus, {2, 2}},    {TopologyKind::torus, {3, 2}},
        {TopologyKind::torus, {2, 3}},    {TopologyKind::mesh, {4}},
        {TopologyKind::mesh, {2, 2}},     {TopologyKind::mesh, {3, 2}},
        {TopologyKind::mesh, {3, 3}},     {TopologyKind::mesh, {2, 2, 2}},
        {TopologyKind::torus, {2, 2, 2}}, {TopologyKind::mesh, {2, 2, 2, 2}}};
    const auto last = static_cast<std::uint32_t>(topologies.size() - 1);
    SmallCase result{topologies[between(0, last)], {}, between(1, 2)};
    std::vector<const Routing*> choices;
    for (const Routing& routing : RoutingRegistry::all()) {
      if (routing.serves(result.topology)) choices.push_back(&routing);
    }
    const bool rings = result.topology.wraps() && one_in(4);
    const Routing& routing = rings ? *RoutingRegistry::find("dimension-order")
                                   : *choices[between(0, static_cast<std::uint32_t>(choices.size() - 1))];
    const unsigned classes = routing.make(result.topology)->classes();
    MachineConfig& machine = result.machine;
    machine.routing = routing.name;
    machine.switching = static_cast<Switching>(between(rings ? 1 : 0, 2));
    machine.virtual_channels = between(routing.may_share_classes ? 1 : classes, classes + 1);
    machine.allow_deadlock = true;
    if (!rings && one_in(3)) machine.vc_allocation = VcAllocation::atomic;
    machine.buffer = machine.switching == Switching::wormhole ? between(1, 2) : between(result.flits, 3);
    const bool bubble = result.topology.wraps() && routing.name == "dimension-order" &&
                        machine.switching != Switching::wormhole &&
                        machine.vc_allocation == VcAllocation::non_atomic;
    if (bubble && !one_in(3)) {
      machine.flow = FlowControl::bubble;
      machine.buffer = std::max(machine.buffer, 2 * result.flits);
    }
    return result;
  }

  /// One of the flows of all pairs.
  Flow one_of(const std::vector<Flow>& flows) {
    return flows[between(0, static_cast<std::uint32_t>(flows.size() - 1))];
  }

 private:
  std::mt19937_64 random_;
};

std::string name_of_case(const SmallCase& one) {
  const MachineConfig& machine = one.machine;
  return fmt::format("{} on a {}, {} VCs of {}, {}, {}, {}, {} flits", machine.routing, one.topology.name(),
                     machine.virtual_channels, machine.buffer, name_of(machine.switching),
                     name_of(machine.vc_allocation), name_of(machine.flow), one.flits);
}

Flows list(const std::vector<Flow>& flows, std::uint64_t flits) {
  return [flows, flits](const std::function<bool(const Flow&)>& visit) {
    for (Flow flow : flows) {
      flow.flits = flits;
      if (!visit(flow)) return;
    }
  };
}

std::vector<Flow> all_of(const Flows& flows) {
  std::vector<Flow> result;
  flows([&](const Flow& flow) {
    result.push_back(flow);
    return true;
  });
  return result;
}

TEST(VerdictAgainstAllStates, ReachableDeadlock_WasNotExcludedAndEveryDependencyCycleIsReached) {
  constexpr std::size_t kMaxStates = 3000;
  std::map<std::string, unsigned> seen;
  for (std::uint64_t seed = 0; seed < cases() && !HasFailure(); ++seed) {
    Draw draw(seed);
    const SmallCase one = draw.small_case();
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, name_of_case(one)));
    DeadlockAnalyzer judge(one.topology, one.machine);
    const Flows pairs = every_pair(one.topology, judge.paths().routing());
    const DeadlockAnalysis of_all = judge.analyze(pairs);
    ++seen[std::string(name_of(of_all.verdict)) + " " + std::string(name_of(of_all.argument))];

    // Some messages: of a dependency cycle, if there is one, and any others.
    std::vector<Flow> messages;
    for (const CycleMember& member : of_all.dependency_cycle) {
      if (messages.size() < 4) messages.push_back(member.flow);
    }
    const std::vector<Flow> choices = all_of(pairs);
    while (messages.size() < 3 || (messages.size() < 4 && draw.one_in(2))) {
      messages.push_back(draw.one_of(choices));
    }
    const DeadlockAnalysis verdict = judge.analyze(list(messages, one.flits));
    const reference::Reached reached =
        reference::explore(one.topology, one.machine, messages, one.flits, kMaxStates);
    if (reached == reference::Reached::deadlock) {
      ++seen["deadlock reached"];
      ASSERT_NE(verdict.verdict, DeadlockVerdict::free);
    }
    if (reached == reference::Reached::none) {
      ++seen[fmt::format("all states of {} seen", name_of(verdict.verdict))];
    }

    // The verdict's own dependency cycle: a message for each VC of it, as long as the buffer.
    if (of_all.verdict != DeadlockVerdict::can_deadlock) continue;
    std::vector<Flow> dependency_cycle;
    for (const CycleMember& member : of_all.dependency_cycle) {
      for (unsigned vc = 0; vc < member.vcs; ++vc) dependency_cycle.push_back(member.flow);
    }
    const reference::Reached reached_cycle =
        reference::explore(one.topology, one.machine, dependency_cycle, one.machine.buffer, 4 * kMaxStates);
    ASSERT_NE(reached_cycle, reference::Reached::none);
    if (reached_cycle == reference::Reached::deadlock) ++seen["dependency cycle reached"];
  }
  if (cases() < 500) return;
  for (const char* const what :
       {"free acyclic", "free escape", "free bubble", "can-deadlock ", "may-deadlock ", "deadlock reached",
        "all states of free seen", "dependency cycle reached"}) {
    EXPECT_GE(seen[what], 4U) << what;
  }
}

TEST(VerdictAgainstRuns, VerdictFree_NoRunDeadlocks) {
  constexpr Cycle kLimit = 200'000;
  std::map<std::string, unsigned> seen;
  for (std::uint64_t seed = 0; seed < cases() && !HasFailure(); ++seed) {
    const reference::RandomCase one =
        seed % 2 == 0 ? reference::deadlock_case(seed) : reference::random_case(seed);
    SCOPED_TRACE(description(one));
    std::vector<Flow> flows;
    for (const reference::TimedMessage& message : one.messages) {
      const Packet& packet = message.packet;
      flows.push_back({packet.source, packet.destination, packet.route, 1, packet.flits});
    }
    DeadlockAnalyzer judge(one.topology, one.machine);
    const DeadlockAnalysis verdict = judge.analyze([&](const std::function<bool(const Flow&)>& visit) {
      for (const Flow& flow : flows) {
        if (!visit(flow)) return;
      }
    });
    reference::TimedDriver driver(one.messages);
    reference::ReferenceNetwork network(one.topology, one.machine);
    const bool stuck = network.run(driver, kLimit).ending == reference::Ending::stuck;
    if (stuck) {
      ASSERT_NE(verdict.verdict, DeadlockVerdict::free);
    }
    ++seen[std::string(name_of(verdict.verdict)) + (stuck ? ", deadlock" : ", none")];
  }
  if (cases() < 500) return;
  for (const char* const what :
       {"free, none", "can-deadlock, deadlock", "can-deadlock, none", "may-deadlock, none"}) {
    EXPECT_GE(seen[what], 5U) << what;
  }
}

/// docs/deadlock.md has why: the smallest network on which the verdict is too careful.
TEST(VerdictAgainstRuns, MinimalAdaptiveOnFourNodes_DeadlocksFromAPoolOfPortsOnly) {
  const Topology mesh(TopologyKind::mesh, {2, 2});
  const auto deadlocks = [&](std::optional<unsigned> ports) {
    MachineConfig machine;
    machine.routing = "minimal-adaptive";
    machine.virtual_channels = 1;
    machine.allow_deadlock = true;
    machine.ports = ports;
    machine.buffer = 2;
    DeadlockAnalyzer judge(mesh, machine);
    EXPECT_EQ(judge.analyze(every_pair(mesh, judge.paths().routing())).verdict,
              DeadlockVerdict::may_deadlock);
    unsigned count = 0;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      std::mt19937_64 random(seed);
      std::vector<reference::TimedMessage> messages;
      for (std::uint64_t id = 0; id < 3000; ++id) {
        const auto source = static_cast<NodeId>(random_below(random, 4));
        const auto distance = static_cast<NodeId>(random_below(random, 3));
        const NodeId destination = (source + 1 + distance) % 4;
        messages.push_back({{.id = id,
                             .source = source,
                             .destination = destination,
                             .route = shortest_route(mesh, source, destination),
                             .flits = 4},
                            random_below(random, 4000),
                            {}});
      }
      reference::TimedDriver driver(messages);
      reference::ReferenceNetwork network(mesh, machine);
      count += network.run(driver, 100'000).ending == reference::Ending::stuck ? 1U : 0U;
    }
    return count;
  };
  EXPECT_GT(deadlocks(2), 0U);
  EXPECT_EQ(deadlocks({}), 0U);
}

/// The verdict on all pairs of a random small network, and a machine to show a deadlock on.
struct ShownCase {
  explicit ShownCase(std::uint64_t seed) : ShownCase(Draw(1'000'000 + seed)) {}

  std::string name;
  ExperimentConfig config;
  DeadlockCheck check;

 private:
  explicit ShownCase(Draw draw) : ShownCase(draw, draw.small_case()) {}
  ShownCase(Draw& draw, const SmallCase& one) : name(name_of_case(one)), config(one.topology) {
    DeadlockAnalyzer judge(one.topology, one.machine);
    check.scope = Scope::all_pairs;
    check.analysis = judge.analyze(every_pair(one.topology, judge.paths().routing()));
    config.machine = one.machine;
    if (draw.one_in(2)) config.machine.ports = draw.between(1, one.topology.link_ports());
  }
};

template <typename Circle>
std::set<ChannelId> channels_of(const Circle& dependency_cycle) {
  std::set<ChannelId> channels;
  for (const auto& member : dependency_cycle) channels.insert(member.channel);
  return channels;
}

TEST(Witness, DeadlockThatCanForm_IsShownInItsDependencyCycle) {
  unsigned shown = 0;
  for (std::uint64_t seed = 0; seed < cases() / 3 && !HasFailure(); ++seed) {
    const ShownCase one(seed);
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, one.name));
    if (one.check.analysis.verdict != DeadlockVerdict::can_deadlock) continue;
    const auto witness = find_witness(one.check, one.config);
    if (!witness) {
      // With several VCs alike, it takes a moment in which messages that start have all of them.
      ASSERT_GT(one.check.analysis.dependency_cycle.front().vcs, 1U);
      continue;
    }
    ASSERT_EQ(channels_of(witness->dependency_cycle), channels_of(one.check.analysis.dependency_cycle));
    ++shown;
  }
  if (cases() < 500) return;
  EXPECT_GE(shown, 10U);
}

/// With fewer of its messages this one can deadlock in another dependency cycle.
TEST(Witness, FewerMessages_KeepTheDependencyCycle) {
  ExperimentConfig config(Topology(TopologyKind::mesh, {2, 2, 2, 2}));
  config.machine.routing = "shortest";
  config.machine.switching = Switching::virtual_cut_through;
  config.machine.virtual_channels = 2;
  config.machine.buffer = 1;
  config.machine.allow_deadlock = true;
  DeadlockAnalyzer judge(config.topology, config.machine);
  DeadlockCheck check;
  check.scope = Scope::all_pairs;
  check.analysis = judge.analyze(every_pair(config.topology, judge.paths().routing()));
  ASSERT_EQ(check.analysis.verdict, DeadlockVerdict::can_deadlock);
  const auto witness = find_witness(check, config);
  ASSERT_TRUE(witness);
  EXPECT_EQ(channels_of(witness->dependency_cycle), channels_of(check.analysis.dependency_cycle));
}

TEST(Witness, DimensionOrderOnACubeWithOneVc_IsAMessageForEachLinkOfARing) {
  ExperimentConfig config(Topology(TopologyKind::torus, {4, 4, 4}));
  config.machine.virtual_channels = 1;
  config.machine.allow_deadlock = true;
  const DeadlockCheck check = check_deadlock(config, Scope::all_pairs);
  EXPECT_EQ(check.analysis.verdict, DeadlockVerdict::can_deadlock);
  EXPECT_EQ(check.analysis.dependency_cycle.size(), 4U);
  const auto witness = find_witness(check, config);
  ASSERT_TRUE(witness);
  EXPECT_EQ(witness->flows.size(), 4U);
  EXPECT_EQ(witness->dependency_cycle.size(), 4U);
}

TEST(Witness, MinimalAdaptiveRouting_IsFound) {
  ExperimentConfig config(Topology(TopologyKind::mesh, {3, 3}));
  config.machine.routing = "minimal-adaptive";
  config.machine.virtual_channels = 1;
  config.machine.buffer = 2;
  config.machine.ports = 4;
  DeadlockCheck check = check_deadlock(config, Scope::all_pairs);
  EXPECT_EQ(check.analysis.verdict, DeadlockVerdict::may_deadlock);
  const auto witness = find_witness(check, config);
  ASSERT_TRUE(witness);
  EXPECT_GE(witness->flows.size(), 4U);
}

TEST(Witness, DuatoWithTwoMessagesInABuffer_IsFound) {
  // Wormhole with non-atomic allocation: the theorem does not hold, and here is the deadlock.
  ExperimentConfig config(Topology(TopologyKind::mesh, {3, 3}));
  config.machine.routing = "duato";
  config.machine.virtual_channels = 2;
  config.machine.ports = 4;
  config.machine.buffer = 1;
  DeadlockCheck check = check_deadlock(config, Scope::all_pairs);
  EXPECT_EQ(check.analysis.verdict, DeadlockVerdict::may_deadlock);
  EXPECT_TRUE(find_witness(check, config));
  config.machine.vc_allocation = VcAllocation::atomic;
  EXPECT_EQ(check_deadlock(config, Scope::all_pairs).analysis.verdict, DeadlockVerdict::free);
}

/// Messages around a ring with one VC; `buffer` of a VC and `ejection_buffer` in flits.
ExperimentConfig ring_with_ejection_buffer(std::uint32_t buffer, std::uint32_t ejection_buffer) {
  ExperimentConfig config(Topology(TopologyKind::torus, {4}));
  config.machine.virtual_channels = 1;
  config.machine.allow_deadlock = true;
  config.machine.buffer = buffer;
  config.machine.ejection_buffer = ejection_buffer;
  return config;
}

TEST(Witness, EjectionBufferShorterThanVcBuffer_HasMessagesThatFit) {
  for (const std::uint32_t ejection_buffer : {1U, 8U, 16U, 31U}) {
    SCOPED_TRACE(ejection_buffer);
    const ExperimentConfig config = ring_with_ejection_buffer(32, ejection_buffer);
    const auto witness = find_witness(check_deadlock(config, Scope::all_pairs), config);
    ASSERT_TRUE(witness);
    for (const Flow& flow : witness->flows) EXPECT_LE(flow.flits, ejection_buffer);
  }
}

TEST(Witness, OnlyMessagesLongerThanTheEjectionBufferDeadlock_TheBufferIsRefused) {
  const ExperimentConfig config = ring_with_ejection_buffer(600, 1);
  const DeadlockCheck check = check_deadlock(config, Scope::all_pairs);
  try {
    static_cast<void>(find_witness(check, config));
    FAIL() << "found one";
  } catch (const Inadmissible& refusal) {
    EXPECT_EQ(refusal.key(), "node.ejection_buffer");
    EXPECT_NE(std::string(refusal.what()).find("must be at least"), std::string::npos) << refusal.what();
  }
}

}  // namespace
}  // namespace flitscope::verdict_proof_test
