// All-reduce, reduce-scatter and all-gather from one method: each is the mirror of another.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/algorithm.h"
#include "model/schedule.h"

namespace flitscope::all_reduce {

/// Collective on a vector of which every node has one of its own (all-reduce, reduce-scatter), or a part
/// (all-gather).
enum class Goal : std::uint8_t {
  all_reduce,      ///< every node gets the combination of all vectors
  reduce_scatter,  ///< every node gets its part of that combination
  all_gather,      ///< every node gets all parts
};
[[nodiscard]] std::string_view name_of(Goal goal);

/// An all-gather in which every node gets every chunk exactly once: a tree for every chunk, rooted at its
/// node. Run backwards, with messages in the other direction, the trees combine: that is a reduce-scatter,
/// and the two in a row are an all-reduce.
///
/// The vector is cut into equal parts, one a node, and these into `colours` chunks each. Chunk c of node v
/// has number v * colours + c.
class Spread {
 public:
  using Send = std::function<void(NodeId from, NodeId to, Route route, std::span<const ChunkId> chunks)>;

  virtual ~Spread() = default;

  /// Chunks of a node.
  [[nodiscard]] virtual unsigned colours() const = 0;
  [[nodiscard]] virtual std::uint64_t steps() const = 0;
  [[nodiscard]] virtual std::uint64_t messages() const = 0;
  /// Most messages that a node sends, and receives, in one step.
  [[nodiscard]] virtual unsigned ports() const = 0;
  /// Most messages of a step on one link; 0: not promised.
  [[nodiscard]] virtual std::uint32_t channel_load() const { return 1; }
  /// Sends the messages of step `number`, from 1. Called in any order.
  virtual void produce(std::uint64_t number, const Send& send) const = 0;
};

/// A method, which makes up to three algorithms: all-reduce-NAME, reduce-scatter-NAME and all-gather-NAME.
struct Method {
  std::string name;
  /// Method, to follow the goal: "along one Hamiltonian cycle".
  std::string how;
  std::string source;
  /// Of one half. All-reduce is both.
  std::string claim;
  std::string admissible;
  /// Beside `message`.
  std::vector<Parameter> parameters = {};
  /// Throws Inadmissible.
  std::function<std::unique_ptr<Spread>(const Topology&, const ParameterValues&,
                                        const std::string& algorithm)>
      make;
  std::vector<Goal> goals = {Goal::all_reduce, Goal::reduce_scatter, Goal::all_gather};
  /// Also on others than whole tori (Algorithm::any_network).
  bool any_network = false;
};

/// Declared at namespace scope, it registers the algorithms of a method.
class Family {
 public:
  explicit Family(const Method& method);

 private:
  std::vector<AlgorithmRegistry::Entry> entries_;
};

/// `message`: the vector.
[[nodiscard]] Parameter vector_parameter();

/// Facts of a method's schedule without steps and messages: the vector in `chunks` ranges of
/// nearly equal length, `colours` of them at each node that takes part, in the order of Participants. Throws
/// Inadmissible.
[[nodiscard]] ScheduleFacts vector_facts(const Topology& topology, const ParameterValues& values,
                                         std::string algorithm, Goal goal, unsigned colours);

/// The facts of an all-reduce of one chunk, the vector; steps and messages are left to the algorithm.
[[nodiscard]] ScheduleFacts whole_vector_facts(const Topology& topology, const ParameterValues& values,
                                               std::string algorithm, unsigned ports);

/// The schedule of a spread, its mirror, or both.
[[nodiscard]] std::unique_ptr<Schedule> spread_schedule(const Topology& topology,
                                                        const ParameterValues& values, std::string algorithm,
                                                        Goal goal, std::unique_ptr<Spread> spread);

/// A route in the other direction, over the same rings.
[[nodiscard]] constexpr Route reversed(Route route) {
  return {route.first_dimension, static_cast<std::uint16_t>(~route.negative)};
}

/// As require_torus, and throws Inadmissible("topology.shape") if a side of two or more dimensions is below
/// 3, where there need not be D Hamiltonian cycles that share no link.
void require_disjoint_cycles(const Topology& topology, const std::string& algorithm);
void require_powers_of_two(const Topology& topology, const std::string& algorithm);

}  // namespace flitscope::all_reduce
