// Which algorithm is the fastest for a collective on a machine, and for which lengths.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/machine.h"
#include "model/types.h"
#include "sim/sweep/table.h"

namespace flitscope {

/// The goals that can be compared: "all-reduce", "reduce-scatter", "all-gather", "all-to-all", "reduce",
/// "gather", "scatter", "broadcast". Algorithms of all but the last are called GOAL-METHOD.
[[nodiscard]] const std::vector<std::string>& compared_goals();

/// What one way of advancing has come to.
struct ComparedRun {
  Cycle cycles = 0;
  /// Flit-cycles by cause.
  std::array<std::uint64_t, kStallCauses> stalls{};
};

/// One algorithm with one length.
struct ComparedAlgorithm {
  /// With its choices that are not the default: "all-reduce-swing, version latency".
  std::string name;
  std::uint64_t message = 0;
  std::uint64_t steps = 0;
  std::optional<std::uint64_t> lower_bound_steps;
  /// Bytes on the busiest link over all steps, and summed over the busiest links of the steps.
  std::uint64_t link_bytes = 0;
  std::uint64_t step_bytes = 0;
  /// The least that any algorithm without reduction in routers puts on the busiest link.
  double least_bytes = 0;
  /// Cycles with barriers if no message ever waits for another one; nothing if links or a node's channels are
  /// shared in some step, so that there is no such form.
  std::optional<Cycle> closed_form = {};
  ComparedRun barrier = {};
  ComparedRun dataflow = {};
};

struct Comparison {
  std::string goal;
  /// By length, then by cycles with dataflow.
  std::vector<ComparedAlgorithm> algorithms = {};
  /// What does not fit the machine: the name, and why.
  std::vector<std::pair<std::string, std::string>> left_out = {};
};

/// Runs every algorithm of a goal on the machine of a configuration, changed by `settings`; its own workload
/// does not count. `only`: the names of those that take part; all if it is empty. Calls on_algorithm(name)
/// before each. Throws InputError if none fits, or has one of these names.
[[nodiscard]] Comparison compare(const std::string& goal, const std::filesystem::path& config,
                                 std::span<const std::string> settings,
                                 std::span<const std::uint64_t> messages, std::span<const std::string> only,
                                 const std::function<void(const std::string&)>& on_algorithm);

/// All numbers, a row an algorithm and length.
[[nodiscard]] Table to_table(const Comparison& comparison);
/// For people: a table a length, the winners, and where they change.
[[nodiscard]] std::string comparison_text(const Comparison& comparison);
/// The same in Markdown.
[[nodiscard]] std::string comparison_markdown(const Comparison& comparison);

}  // namespace flitscope
