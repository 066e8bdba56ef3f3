// Declaration of an algorithm; see docs/adding-an-algorithm.md.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/circuit_schedule.h"
#include "model/error.h"
#include "model/link_programs.h"
#include "model/node_set.h"
#include "model/schedule.h"
#include "model/text.h"
#include "model/topology.h"
#include "params/parameter.h"
#include "params/registry.h"

namespace flitscope {

/// The collective operation of an algorithm. `message` is the length of what the root sends, of a node's
/// vector, or of all parts together; with `gossip` and `multinode_broadcast`, of one node's part.
enum class CollectiveKind : std::uint8_t {
  other,  ///< of its own kind, which nothing is compared with
  broadcast,
  multinode_broadcast,  ///< broadcasts from some nodes at the same time
  scatter,
  gather,
  all_gather,
  gossip,  ///< an all-gather
  reduce,
  reduce_scatter,
  all_reduce,
  all_to_all,
};
template <>
inline constexpr std::array kNamesOf<CollectiveKind>{
    "other",  "broadcast", "multinode-broadcast", "scatter",    "gather",    "all-gather",
    "gossip", "reduce",    "reduce-scatter",      "all-reduce", "all-to-all"};

struct DeclaredCollective {
  CollectiveKind kind = CollectiveKind::other;
  /// The parameter that cuts the message into segments; empty: there is none.
  std::string_view segments = {};
  /// The parameter, without a default, whose values are the divisors of the side of the torus; empty: there
  /// is none.
  std::string_view divisor = {};
};

/// Bytes that making a schedule takes at most, roughly. A schedule that is made as it is read takes little;
/// one whose plan is made first, or whose messages of a step have a chunk for every node, takes more.
struct MakingMemory {
  double per_node = 128;
  double per_pair_of_nodes = 0;

  [[nodiscard]] double bytes(NodeId nodes) const {
    return per_node * nodes + per_pair_of_nodes * nodes * nodes;
  }
};

/// A collective-communication algorithm: parameters in, schedule out. Pure: no SystemC, no files.
struct Algorithm {
  std::string name;
  DeclaredCollective collective = {};
  /// One line: what it does, where.
  std::string summary;
  /// Paper and section, or that it is ours.
  std::string source;
  /// Steps, and whether links are shared within a step.
  std::string claim;
  /// Admissible shapes and sizes.
  std::string admissible;
  std::vector<Parameter> parameters;
  /// Makes a schedule from its first step on. Throws Inadmissible with the configuration path of the value
  /// that does not fit ("topology.shape", "workload.source", ...), the reason, and the nearest that would.
  std::function<std::unique_ptr<Schedule>(const Topology&, const ParameterValues&)> make = {};
  /// As `make`, for a complete network; an algorithm has one of the two. Its parameter `message` is the
  /// size of a chunk.
  std::function<std::unique_ptr<CircuitSchedule>(const CircuitMachine&, const ParameterValues&)>
      make_circuits = {};
  /// Of an algorithm whose routing is time-independent: the table that `make` unrolls. Same errors. Empty for
  /// the others.
  std::function<LinkPrograms(const Topology&, const ParameterValues&)> table = {};
  /// `make` uses node numbers and links alone, so that it takes graphs too, and tori and meshes with faults.
  bool any_network = false;
  /// Schedules beyond the memory of the process are refused before they are made.
  MakingMemory memory = {};
};

using AlgorithmRegistry = Registry<Algorithm>;

/// A length in bytes, from `minimum` to 1 TiB.
[[nodiscard]] Parameter bytes_parameter(std::string name, std::string summary, std::string fallback,
                                        std::int64_t minimum = 1);
/// A node; by default node 0.
[[nodiscard]] Parameter root_parameter(std::string name, std::string summary);
/// The parameters every broadcast has: `source` (default: node 0) and `message`, its bytes (default: 64).
/// Then `more`.
[[nodiscard]] std::vector<Parameter> broadcast_parameters(std::vector<Parameter> more = {});

/// `group_size`, and the groups that it gives.
[[nodiscard]] Parameter group_size_parameter();
[[nodiscard]] NodeGroups groups_of(const Topology& topology, const ParameterValues& values);

/// The node a parameter names. Throws Inadmissible("workload." + name) if it has another number of
/// coordinates than the topology has dimensions, or lies outside.
[[nodiscard]] NodeId node_parameter(const Topology& topology, const ParameterValues& values,
                                    const std::string& name);

/// The nodes a parameter names, each once. Throws Inadmissible("workload." + name); see nodes_of.
[[nodiscard]] std::vector<NodeId> node_set_parameter(const Topology& topology, const ParameterValues& values,
                                                     const std::string& name);

/// Least t with base^t >= value; value >= 1, base >= 2.
[[nodiscard]] constexpr unsigned ceil_log(std::uint64_t base, std::uint64_t value) {
  unsigned exponent = 0;
  for (std::uint64_t power = 1; power < value; ++exponent) {
    if (power > value / base) return exponent + 1;
    power *= base;
  }
  return exponent;
}

/// Fewest steps in which any broadcast can reach `nodes` nodes if each node sends to at most `ports` others
/// per step: least t with (ports + 1)^t >= nodes (Tsay and Wang, Lemma 1, for ports = 2d).
[[nodiscard]] constexpr unsigned broadcast_lower_bound(NodeId nodes, unsigned ports) {
  return ceil_log(std::uint64_t{ports} + 1, nodes);
}

/// Inadmissible("topology.shape"): "NAME needs WHAT, not 5x5; nearest admissible: [5, 6]", and `otherwise`.
[[nodiscard]] Inadmissible wrong_shape(const Topology& topology, const std::string& algorithm,
                                       const std::string& what, const std::vector<std::uint32_t>& nearest,
                                       const std::string& otherwise = "");

/// Throws wrong_shape unless `nearest_to` gives every side back: the nearest side that is admissible.
void require_sides(const Topology& topology, const std::string& algorithm, const std::string& what,
                   std::uint32_t (*nearest_to)(std::uint32_t side), const std::string& otherwise = "");
/// The same for sides that are powers of two.
void require_powers_of_two(const Topology& topology, const std::string& algorithm,
                           const std::string& otherwise = "");

/// Throws Inadmissible("topology.kind") unless the topology is a torus, and wrong_shape if a side is below
/// `least`.
void require_torus(const Topology& topology, const std::string& algorithm, std::uint32_t least = 2);

/// Requires a torus of equal sides, each at least `least`, and returns the side. Throws as require_torus.
[[nodiscard]] std::uint32_t equal_torus_side(const Topology& topology, const std::string& algorithm,
                                             std::uint32_t least);

}  // namespace flitscope
