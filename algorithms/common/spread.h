// All-reduce, reduce-scatter and all-gather from one method: each is the mirror of another.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "model/schedule.h"

namespace flitscope::common {

/// An all-gather in which every node gets every chunk exactly once: a tree for every chunk, rooted at its
/// node. Run backwards, with messages in the other direction, the trees combine: that is a reduce-scatter,
/// and the two in a row are an all-reduce.
///
/// The vector is cut into equal parts, one a node, and these into `colours` chunks each. Chunk c of node v
/// has number v * colours + c.
struct Spread {
  using Send = std::function<void(NodeId from, NodeId to, Route route, std::span<const ChunkId> chunks)>;

  /// Chunks of a node.
  unsigned colours = 1;
  std::uint64_t steps = 0;
  std::uint64_t messages = 0;
  /// Most messages that a node sends, and receives, in one step.
  unsigned ports = 1;
  /// Sends the messages of step `number`, from 1. Called in any order.
  std::function<void(std::uint64_t number, const Send& send)> produce;
  /// The messages that are mirrored; empty: the same. Of one-way links, whose mirrors would go far round.
  std::function<void(std::uint64_t number, const Send& send)> produce_mirrored = {};
  /// Most messages of a step on one link; 0: not promised.
  std::uint32_t channel_load = 1;
};

/// Adds the messages of a step of the all-gather.
void add_step(const Spread& spread, std::uint64_t number, Step& step);

/// A method, which makes three algorithms: all-reduce-NAME, reduce-scatter-NAME and all-gather-NAME.
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
  std::function<Spread(const Topology&, const ParameterValues&, const std::string& algorithm)> make;
  /// Also on others than whole tori (Algorithm::any_network).
  bool any_network = false;
  /// Changes the all-reduce, where it is more than both halves in a row.
  std::function<void(Algorithm& all_reduce)> adjust = [](Algorithm&) {};
};

/// Declared at namespace scope, it registers the algorithms of a method.
struct Family {
  explicit Family(const Method& method);
};

/// `message`: the vector.
[[nodiscard]] Parameter vector_parameter();

/// Facts of an all-reduce, reduce-scatter or all-gather without steps, messages and ports: the vector in
/// ranges of nearly equal length, `colours` of them at each node that takes part, in the order of
/// Participants. Throws Inadmissible.
[[nodiscard]] ScheduleFacts vector_facts(const Topology& topology, const ParameterValues& values,
                                         std::string algorithm, CollectiveKind goal, unsigned colours);

/// The facts of an all-reduce of one chunk, the vector; steps and messages are left to the algorithm.
[[nodiscard]] ScheduleFacts whole_vector_facts(const Topology& topology, const ParameterValues& values,
                                               std::string algorithm, unsigned ports);

/// A route in the other direction, over the same rings.
[[nodiscard]] constexpr Route reversed(Route route) {
  return {route.first_dimension, static_cast<std::uint16_t>(~route.negative)};
}

/// The route back to where a message came from; on a torus of one-way links the only one.
[[nodiscard]] inline Route route_back(const Topology& topology, NodeId source, NodeId destination,
                                      Route route) {
  return topology.is_one_way() ? shortest_route(topology, destination, source) : reversed(route);
}

/// The node `distance` links from another in a dimension, in direction - if negative.
[[nodiscard]] inline NodeId displaced(const Topology& torus, NodeId node, unsigned dimension,
                                      std::int64_t distance) {
  return torus.moved(node, dimension, distance < 0 ? Sign::minus : Sign::plus,
                     static_cast<std::uint32_t>(distance < 0 ? -distance : distance));
}

/// Adds to `nodes` all others of their rings of `dimension`, one hop after the other.
void extend_along(std::vector<NodeId>& nodes, const Topology& torus, unsigned dimension);

/// As require_torus, and throws Inadmissible("topology.shape") if a side of two or more dimensions is below
/// 3, where there need not be D Hamiltonian cycles that share no link.
void require_disjoint_cycles(const Topology& topology, const std::string& algorithm);

}  // namespace flitscope::common
