// Can this experiment deadlock? The analysis of its messages, or of those of all pairs of nodes; and changes
// that would make it free of deadlock.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "model/text.h"
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
template <>
inline constexpr std::array kNamesOf<Scope>{"schedule", "traffic", "all-pairs"};

struct DeadlockCheck {
  Scope scope = Scope::schedule;
  /// Message classes with the same VCs of the same network are analysed together: the first one of them.
  std::uint32_t message_class = 0;
  /// If all are free: the checks of those before. Numbers of channels, VCs and dependencies are of all.
  std::vector<DeadlockCheck> others;
  DeadlockAnalysis analysis;
  /// The step in which the deadlock can form, if steps do not overlap.
  std::optional<std::uint64_t> step;
  /// If the verdict is free, but only because steps do not overlap: the analyses of all steps that have
  /// dependencies.
  std::vector<std::pair<std::uint64_t, DeadlockAnalysis>> steps;
  /// Of the nodes of a protocol, whose messages these are; nothing: nodes are assumed to take every message.
  std::optional<ProtocolEnds> ends;
  double seconds = 0;

  /// Of all checks: that of the first class whose messages have a dependency cycle.
  [[nodiscard]] Argument argument() const {
    const auto has_cycle = [](const DeadlockCheck& check) {
      return check.analysis.argument != Argument::acyclic;
    };
    const auto found = std::ranges::find_if(others, has_cycle);
    return found == others.end() ? analysis.argument : found->analysis.argument;
  }
  /// Some class is free only because steps do not overlap.
  [[nodiscard]] bool is_by_steps() const {
    return !steps.empty() || std::ranges::any_of(others, &DeadlockCheck::is_by_steps);
  }
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

// Changes that would make an experiment free of deadlock: settings, layers of virtual channels, turns.

/// From one link port into another.
struct Turn {
  unsigned from = 0;
  unsigned into = 0;
  bool operator==(const Turn&) const = default;
};

/// A path and its layer of virtual channels; `flow` is one that takes it.
struct LayeredPath {
  unsigned layer = 0;
  Flow flow;
  std::vector<ChannelId> channels;
};
struct PathLayers {
  unsigned count = 0;
  /// The paths above layer 0, by rising layers; of a schedule, those of each message.
  std::vector<LayeredPath> above;
};

/// Each was computed and tried.
struct SuggestedFixes {
  /// Settings, each of which alone frees the experiment, such as "router.virtual_channels=2"; several that
  /// belong together are separated by line breaks.
  std::vector<std::string> settings;
  /// Layers of virtual channels that suffice if each message stays in one: an upper bound. Only of
  /// deterministic routing functions.
  std::optional<PathLayers> layers;
  /// A smallest set of kinds of turns without which there is no dependency cycle and still a path for every
  /// message; nothing if it takes more than four, or the network is too large to try. Only of adaptive
  /// routing functions.
  std::optional<std::vector<Turn>> turns;
};

/// Requires a verdict that is not free.
[[nodiscard]] SuggestedFixes suggest_fixes(const DeadlockCheck& check, const ExperimentConfig& config);

}  // namespace flitscope
