// Verdicts on protocols against all states of small networks and against runs of the reference model: where
// they say free nothing deadlocks, and otherwise something does.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>

#include "model/random.h"
#include "sim/analysis/protocol_graph.h"
#include "sim/run/workload.h"
#include "tests/reference/protocol_model.h"
#include "tests/reference/protocol_states.h"
#include "tests/reference/reference_network.h"
#include "tests/support/random_cases.h"

namespace flitscope::protocol_verdict_test {
namespace {

/// A closed loop on a small mesh, and its verdict.
struct Loop {
  explicit Loop(Topology mesh) : topology(std::move(mesh)) {
    machine.routing = "dimension-order";
    machine.ports = 1;
    machine.flit_bytes = 8;
    traffic.pattern = TrafficRegistry::find("uniform");
    traffic.warmup = 0;
    traffic.measure = 1000;
  }

  void set_classes(bool same_vcs, bool same_queues) {
    const std::uint64_t of_replies = same_vcs ? 0b1 : 0b10;
    machine.virtual_channels = same_vcs ? 1 : 2;
    machine.node_queues = same_queues ? NodeQueues::shared : NodeQueues::separate;
    machine.classes = {{"request", 0b1, 0}, {"reply", of_replies, 0}};
  }

  DeadlockAnalysis verdict() {
    offer(protocol, traffic, machine.flit_bytes);
    pattern = std::make_unique<RequestPattern>(
        traffic.pattern->make({topology, traffic.parameters, {}, "workload.requests", false}), targets,
        sources, false);
    const ReplyPattern replies(*pattern, topology.nodes(), false);
    ProtocolGraph graph(topology, machine, protocol, *pattern, replies);
    return graph.analyze();
  }

  [[nodiscard]] std::string name() const {
    return fmt::format("{}, {} VCs of {}, {} queues of {}, ejection {}, service {}, outstanding {}, {} to {}",
                       topology.name(), machine.virtual_channels, machine.buffer,
                       name_of(machine.node_queues), *machine.injection_queue, *machine.ejection_buffer,
                       *protocol.service.queue, *protocol.outstanding, fmt::join(sources, " "),
                       fmt::join(targets, " "));
  }

  Topology topology;
  MachineConfig machine;
  TrafficConfig traffic;
  ProtocolConfig protocol;
  std::vector<NodeId> sources;
  std::vector<NodeId> targets;
  std::unique_ptr<RequestPattern> pattern;
};

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  std::uint32_t between(std::uint32_t least, std::uint32_t most) {
    return least + static_cast<std::uint32_t>(random_below(random_, most - least + 1));
  }
  std::vector<NodeId> some_of(NodeId nodes, bool are_all) {
    std::vector<NodeId> chosen;
    while (chosen.empty()) {
      for (NodeId node = 0; node < nodes; ++node) {
        if (are_all || between(0, 1) == 0) chosen.push_back(node);
      }
    }
    return chosen;
  }
  Loop loop(const std::vector<Topology>& topologies) {
    Loop result(topologies[between(0, static_cast<std::uint32_t>(topologies.size() - 1))]);
    result.set_classes(between(0, 2) > 0, between(0, 1) == 0);
    result.machine.injection_queue = between(1, 2);
    result.protocol.service.queue = between(1, 2);
    const bool are_all = between(0, 1) == 0;
    do {
      result.sources = some_of(result.topology.nodes(), are_all);
      result.targets = some_of(result.topology.nodes(), are_all);
    } while (result.sources == result.targets && result.sources.size() == 1);
    return result;
  }

 private:
  std::mt19937_64 random_;
};

/// With so many requests open as here, which is more than the whole network holds, the verdict is exact.
TEST(ProtocolVerdict, AllStatesOfSmallNetworks_DeadlockWhereItSaysSo) {
  constexpr std::size_t kMaxStates = 15'000;
  std::map<std::string, unsigned> seen;
  for (std::uint64_t seed = 0; seed < test::cases(120) && !HasFailure(); ++seed) {
    Draw draw(seed);
    Loop one =
        draw.loop({{TopologyKind::mesh, {2}}, {TopologyKind::mesh, {3}}, {TopologyKind::mesh, {2, 2}}});
    one.machine.buffer = 1;
    one.machine.ejection_buffer = draw.between(1, 2);
    one.protocol.request = one.protocol.reply = 8;
    const bool many = draw.between(0, 1) == 0;
    one.protocol.outstanding = many ? 100 : draw.between(1, 4);
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, one.name()));
    const bool is_free = one.verdict().verdict == DeadlockVerdict::free;
    const reference::Reached reached =
        reference::explore({.topology = one.topology,
                            .sources = one.sources,
                            .targets = one.targets,
                            .outstanding = *one.protocol.outstanding,
                            .injection_queue = *one.machine.injection_queue,
                            .ejection_buffer = *one.machine.ejection_buffer,
                            .service_queue = *one.protocol.service.queue,
                            .buffer = one.machine.buffer,
                            .same_vcs = one.machine.virtual_channels == 1,
                            .same_queues = one.machine.node_queues == NodeQueues::shared},
                           kMaxStates);
    if (reached == reference::Reached::deadlock) {
      ASSERT_FALSE(is_free);
      ++seen["deadlock"];
    } else if (reached == reference::Reached::none) {
      ASSERT_TRUE(is_free || !many);
      ++seen[is_free ? "free" : "careful"];
    } else {
      ++seen["unknown"];
    }
  }
  if (test::cases(120) < 120) return;
  EXPECT_GE(seen["deadlock"], 10U);
  EXPECT_GE(seen["free"], 10U);
}

TEST(ProtocolVerdict, VerdictFree_NoRunDeadlocks) {
  std::map<std::string, unsigned> seen;
  for (std::uint64_t seed = 0; seed < test::cases(80) && !HasFailure(); ++seed) {
    Draw draw(5000 + seed);
    Loop one =
        draw.loop({{TopologyKind::mesh, {3}}, {TopologyKind::mesh, {3, 3}}, {TopologyKind::mesh, {4, 4}}});
    one.machine.buffer = draw.between(1, 3);
    one.protocol.request = 8 * draw.between(1, 2);
    one.protocol.reply = 8 * draw.between(4, 8);
    one.machine.ejection_buffer = 8;
    one.protocol.outstanding = draw.between(1, 24);
    one.protocol.service.latency = draw.between(0, 40);
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, one.name()));
    const bool is_free = one.verdict().verdict == DeadlockVerdict::free;
    reference::ReferenceNetwork network(one.topology, one.machine);
    reference::ProtocolModel model(one.topology, one.machine, one.traffic, one.protocol, *one.pattern);
    // The model looks at its nodes in every cycle, so a deadlock ends at the limit.
    const bool stuck = network.run(model, 20'000).ending != reference::Ending::completed;
    if (stuck) {
      ASSERT_FALSE(is_free);
    }
    ++seen[std::string(is_free ? "free" : "may deadlock") + (stuck ? ", deadlock" : ", none")];
  }
  if (test::cases(80) < 80) return;
  EXPECT_GE(seen["free, none"], 10U);
  EXPECT_GE(seen["may deadlock, deadlock"], 5U);
}

DeadlockVerdict verdict_of(bool same_vcs, bool same_queues, std::uint32_t outstanding = 16) {
  Loop one(Topology(TopologyKind::mesh, {2}));
  one.set_classes(same_vcs, same_queues);
  one.machine.injection_queue = 4;
  one.machine.ejection_buffer = 8;
  one.protocol.service.queue = 2;
  one.protocol.outstanding = outstanding;
  return one.verdict().verdict;
}

TEST(ProtocolVerdict, ClassesWithTheSameVcsOrTheSameQueues_MayDeadlock) {
  EXPECT_EQ(verdict_of(true, true), DeadlockVerdict::may_deadlock);
  EXPECT_EQ(verdict_of(true, false), DeadlockVerdict::may_deadlock);
  EXPECT_EQ(verdict_of(false, true), DeadlockVerdict::may_deadlock);
  EXPECT_EQ(verdict_of(false, false), DeadlockVerdict::free);
}

/// A target refuses a request forever from the ninth on: four replies and one that waits, two requests in its
/// queue, one that has arrived, and this one.
TEST(ProtocolVerdict, QueuesThatHoldAllOpenRequests_AreFree) {
  EXPECT_EQ(verdict_of(true, false, 8), DeadlockVerdict::free);
  EXPECT_EQ(verdict_of(true, false, 9), DeadlockVerdict::may_deadlock);
}

}  // namespace
}  // namespace flitscope::protocol_verdict_test
