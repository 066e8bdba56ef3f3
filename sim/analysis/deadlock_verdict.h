// Can a deadlock form? The verdict before the run, with what it takes to check it. docs/deadlock.md explains
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "model/machine.h"
#include "sim/analysis/dependency_cycles.h"
#include "sim/analysis/dependency_graph.h"
#include "sim/analysis/flows.h"
#include "sim/analysis/path_enumerator.h"

namespace flitscope {

enum class Verdict : std::uint8_t {
  free,          ///< no deadlock can form
  can_deadlock,  ///< one can form if messages can start anywhere on their ways
  may_deadlock,  ///< neither is proven
};
/// "free", "can-deadlock", "may-deadlock"
[[nodiscard]] std::string_view name_of(Verdict verdict);

/// Why no deadlock can form.
enum class Argument : std::uint8_t {
  none,     ///< it can, perhaps
  acyclic,  ///< the dependency graph has no dependency cycle (Dally and Seitz, 1987)
  escape,   ///< that of the escape classes has none (Duato, 1993)
  bubble,   ///< nor that of the rings, in each of which a bubble stays (Carrion, Beivide et al., 1997)
};
/// "acyclic", "escape", "bubble"; empty for none
[[nodiscard]] std::string_view name_of(Argument argument);

/// A virtual channel, and a message that can hold it while it waits for the one of the next member.
struct CycleMember {
  ChannelId channel = 0;
  unsigned vc = 0;   ///< the lowest of those that the message cannot tell apart
  unsigned vcs = 1;  ///< how many these are
  /// If the verdict is can_deadlock, it starts where the channel does and takes it first; where only nodes
  /// that hang on that router can send, it starts at one of them.
  Flow flow;
};

/// VcGroups and their ranks.
using Ranks = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

struct DeadlockVerdict {
  Verdict verdict = Verdict::free;
  Argument argument = Argument::acyclic;
  /// Of the dependency graph: channels and virtual channels that have a dependency, and dependencies.
  std::uint64_t channels = 0;
  std::uint64_t vcs = 0;
  std::uint64_t arcs = 0;
  /// Empty if the verdict is free.
  std::vector<CycleMember> dependency_cycle;
  /// If the verdict is free: every dependency goes up; with Argument::escape those
  /// between escape channels do, with Argument::bubble those from ring to ring.
  Ranks ranks;
};

/// Judges what a machine can do with some messages.
class DeadlockJudge {
 public:
  /// `machine` must be one that can be built on the topology.
  DeadlockJudge(const Topology& topology, const MachineConfig& machine);

  /// Goes through `flows` once, and if the verdict is not free some times more. Throws
  /// Inadmissible("router.routing") for a routing function that breaks its word about escape classes.
  [[nodiscard]] DeadlockVerdict judge(const Flows& flows);

  [[nodiscard]] const PathEnumerator& ways() const { return ways_; }

 private:
  [[nodiscard]] bool fill(const Flows& flows);
  void count(DeadlockVerdict& verdict) const;
  [[nodiscard]] std::vector<Arc> arcs(const DependencyGraph& graph) const;
  [[nodiscard]] std::uint64_t ring_of(std::uint64_t lane) const;
  [[nodiscard]] std::vector<Arc> arcs_between_rings() const;
  [[nodiscard]] Ranks ranks_of_rings(const DependencyCycles& rings) const;
  [[nodiscard]] std::vector<Arc> escape_arcs(const Flows& flows);
  [[noreturn]] void refuse_escapes(const Flow& flow, NodeId node) const;
  [[nodiscard]] std::optional<NodeId> start(const Flow& flow, std::uint64_t lane, std::uint64_t next) const;
  [[nodiscard]] std::vector<Arc> arcs_from_the_start(const Flows& flows);
  [[nodiscard]] std::vector<CycleMember> members(const std::vector<std::uint64_t>& dependency_cycle,
                                                 const Flows& flows, bool from_the_start);

  MachineConfig machine_;
  PathEnumerator ways_;
  DependencyGraph graph_;
  /// By router: two of the nodes that hang on it by one link, if there are any.
  std::vector<std::vector<NodeId>> hanging_;
};

}  // namespace flitscope
