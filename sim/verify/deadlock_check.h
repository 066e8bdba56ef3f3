// Can this experiment deadlock? The analysis of its messages, or of those of all pairs of nodes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <ostream>
#include <vector>

#include "sim/analysis/deadlock_verdict.h"
#include "sim/analysis/protocol_graph.h"
#include "sim/config/config.h"

namespace flitscope {

/// The messages that are analysed.
enum class Scope : std::uint8_t {
  schedule,   ///< those of the experiment's schedule; with barriers those of one step at a time
  traffic,    ///< those of the experiment's traffic, of whatever load
  all_pairs,  ///< those of every pair of nodes, by every route that the routing function admits
};

struct DeadlockCheck {
  Scope scope = Scope::schedule;
  /// Message classes with the same network and as many VCs are analysed together: the first one of them.
  std::uint32_t message_class = 0;
  /// If all are free: the checks of those before. Numbers of channels, VCs and dependencies are of all.
  std::vector<DeadlockCheck> others;
  DeadlockAnalysis analysis;
  /// The step in which the deadlock can form, if steps do not overlap.
  std::optional<std::uint64_t> step;
  /// If the verdict is free, but only because steps do not overlap: the analyses of all steps that have
  /// dependencies.
  std::vector<std::pair<std::uint64_t, DeadlockAnalysis>> steps;
  /// Of the nodes of a protocol; nothing: they are assumed to take every message.
  std::optional<ProtocolEnds> ends;
  double seconds = 0;

  /// The dependency cycle goes through ends of nodes.
  [[nodiscard]] bool is_through_ends() const {
    return std::ranges::any_of(analysis.dependency_cycle,
                               [](const CycleMember& member) { return member.end.has_value(); });
  }
};

/// `config` must be of a network with links and have a complete machine (resolve_auto_settings).
[[nodiscard]] DeadlockCheck check_deadlock(const ExperimentConfig& config, Scope scope);

/// False where the routing function's declaration excludes a deadlock, and where the schedule can be read
/// once only.
[[nodiscard]] bool needs_deadlock_check(const ExperimentConfig& config);

/// The messages that were analysed, in the network of the check's message class; of the step in which a
/// deadlock can form, if there is one. `config` must outlive the result.
[[nodiscard]] Flows flows_of(const DeadlockCheck& check, const ExperimentConfig& config);

/// Writes the ranks, a line of JSON for each virtual channel that has dependencies. Requires a verdict that
/// is free.
void write_order(const DeadlockCheck& check, const ExperimentConfig& config, std::ostream& out);

/// Writes the paths of all messages, a line of JSON each, every path once. Throws Inadmissible for a routing
/// function that is not deterministic.
void write_routes(const DeadlockCheck& check, const ExperimentConfig& config, std::ostream& out);

}  // namespace flitscope
