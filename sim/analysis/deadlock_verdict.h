// Can a deadlock form? The verdict before the run, and its proof. docs/deadlock.md explains it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/bit_rows.h"
#include "model/dependency_cycles.h"
#include "model/machine.h"
#include "model/text.h"
#include "sim/analysis/path_enumerator.h"

namespace flitscope {

enum class DeadlockVerdict : std::uint8_t {
  free,          ///< no deadlock can form
  can_deadlock,  ///< one can form if messages can start anywhere on their paths
  may_deadlock,  ///< neither is proven
};
template <>
inline constexpr std::array kNamesOf<DeadlockVerdict>{"free", "can-deadlock", "may-deadlock"};

/// Why no deadlock can form.
enum class Argument : std::uint8_t {
  none,     ///< a deadlock is not excluded
  acyclic,  ///< the dependency graph has no dependency cycle (Dally and Seitz, 1987)
  escape,   ///< that of the escape classes has none (Duato, 1993)
  bubble,   ///< nor that of the rings, in each of which a bubble stays (Carrion, Beivide et al., 1997)
};
template <>
inline constexpr std::array kNamesOf<Argument>{"", "acyclic", "escape", "bubble"};

/// What messages of a protocol can wait for at a node with finite ends.
struct NodeEnd {
  enum class Kind : std::uint8_t { ejection, injection };
  NodeId node = 0;
  Kind kind = Kind::ejection;
};

/// A virtual channel, and a message that can hold it while it waits for the one of the next member.
struct CycleMember {
  ChannelId channel = 0;
  unsigned vc = 0;   ///< the lowest of its group (VcGroups)
  unsigned vcs = 1;  ///< VCs of its group
  /// If the verdict is can_deadlock, it starts at the channel's router and takes the channel first; where the
  /// router has no node that sends, it starts at a node with one link, to that router.
  Flow flow;
  /// The buffers or the queue of a node in place of a channel.
  std::optional<NodeEnd> end{};
};

/// Groups of virtual channels (VcGroups) and their ranks.
using Ranks = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

struct DeadlockAnalysis {
  DeadlockVerdict verdict = DeadlockVerdict::free;
  Argument argument = Argument::acyclic;
  /// Of the dependency graph: channels and virtual channels that have a dependency, and dependencies.
  std::uint64_t channels = 0;
  std::uint64_t vcs = 0;
  std::uint64_t arcs = 0;
  /// Nodes whose ends have one, which is not in `arcs`.
  std::uint64_t ends = 0;
  /// Empty if the verdict is free.
  std::vector<CycleMember> dependency_cycle;
  /// If the verdict is free: every dependency leads to a higher rank; with Argument::escape those between
  /// escape channels do, with Argument::bubble those from ring to ring.
  Ranks ranks;
};

/// The channel dependency graph (Dally and Seitz, 1987) of groups of virtual channels. An arc says that some
/// message can hold a VC of the one while it asks for a VC of the other, at the router that the first leads
/// to.
class DependencyGraph {
 public:
  explicit DependencyGraph(const PathEnumerator& paths)
      : paths_(paths),
        next_(paths.topology().channel_ids() * paths.groups().of_channel(), paths.groups().of_router()) {}

  [[nodiscard]] bool has(std::uint64_t from, std::uint64_t to) const {
    return next_.has(from, to - first_next(from));
  }
  /// `to` must leave the router that `from` leads to.
  void add(std::uint64_t from, std::uint64_t to) {
    if (!next_.any(from)) sources_.push_back(from);
    next_.add(from, to - first_next(from));
  }
  /// Takes as long as there are arcs.
  void clear() {
    for (const std::uint64_t from : sources_) next_.clear(from);
    sources_.clear();
  }
  [[nodiscard]] std::vector<Arc> arcs() const;

 private:
  /// The first group that can follow.
  [[nodiscard]] std::uint64_t first_next(std::uint64_t from) const {
    return std::uint64_t{paths_.end(from)} * paths_.groups().of_router();
  }

  const PathEnumerator& paths_;
  BitRows next_;                        ///< by group: groups of the next router, from its first on
  std::vector<std::uint64_t> sources_;  ///< groups that arcs leave, in any order
};

/// Finds what a machine can do with some messages.
class DeadlockAnalyzer {
 public:
  /// `machine` must be one that can be built on the topology.
  DeadlockAnalyzer(const Topology& topology, const MachineConfig& machine);
  DeadlockAnalyzer(const DeadlockAnalyzer&) = delete;
  DeadlockAnalyzer& operator=(const DeadlockAnalyzer&) = delete;

  /// Goes through `flows` once, and if there is a dependency cycle some times more. Throws
  /// Inadmissible("router.routing") for a routing function whose escape classes are not connected.
  [[nodiscard]] DeadlockAnalysis analyze(const Flows& flows);

  [[nodiscard]] const PathEnumerator& paths() const { return paths_; }
  [[nodiscard]] PathEnumerator& paths() { return paths_; }

  /// The dependencies of the proof of the last analysis, which must have been of these flows.
  [[nodiscard]] std::vector<Arc> proof_arcs(Argument argument, const Flows& flows);
  /// Their vertex for a group: itself, or its ring; nothing of a group that is no escape, if these count.
  [[nodiscard]] std::optional<std::uint64_t> proof_vertex(Argument argument, std::uint64_t group) const;

 private:
  void count(DeadlockAnalysis& analysis) const;
  [[nodiscard]] std::uint64_t ring_of(std::uint64_t group) const;
  [[nodiscard]] std::vector<Arc> arcs_between_rings() const;
  [[nodiscard]] Ranks ranks_of_rings(const DependencyCycles& rings) const;
  [[nodiscard]] bool is_escape(std::uint64_t group) const;
  [[nodiscard]] std::vector<Arc> escape_arcs(const Flows& flows);
  void refuse_escapes(const Flows& flows);
  [[nodiscard]] std::optional<NodeId> start(const Flow& flow, std::uint64_t group, std::uint64_t next) const;
  [[nodiscard]] std::vector<Arc> arcs_from_the_start(const Flows& flows);
  [[nodiscard]] std::vector<CycleMember> members(const std::vector<std::uint64_t>& dependency_cycle,
                                                 const Flows& flows, bool from_the_start);

  MachineConfig machine_;
  PathEnumerator paths_;
  DependencyGraph graph_;
  /// By router: up to two of the nodes whose only link leads to it.
  std::vector<std::vector<NodeId>> leaves_;
};

}  // namespace flitscope
