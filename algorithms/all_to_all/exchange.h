// Common parts of all-to-all algorithms on tori: every node has a chunk for every other one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "model/schedule.h"

namespace flitscope::all_to_all {

/// `message`: all that one node sends.
[[nodiscard]] Parameter data_parameter();

/// The facts of an all-to-all. The data of a node is cut into p parts, nearly equal, one for each node, its
/// own among them, and these into `pieces` chunks each. Piece i of what the node at place s has for the one
/// at place d (Participants) is chunk (s * p + d) * pieces + i. Steps and messages are left to the algorithm.
/// Throws Inadmissible("topology.kind") unless it is a torus, or `any_network`, and
/// Inadmissible("topology.shape") if that is too large.
[[nodiscard]] ScheduleFacts all_to_all_facts(const Topology& topology, const ParameterValues& values,
                                             std::string algorithm, unsigned pieces, unsigned ports,
                                             bool any_network = false);

/// Data on its way dimension by dimension: what a node holds then comes from all nodes that agree with it in
/// the dimensions not travelled yet, and goes to all that agree with it in those travelled.
class Dimensions {
 public:
  /// Dimensions are travelled cyclically from `first` on; the chunks are those of piece `piece`.
  Dimensions(const Topology& torus, unsigned pieces, unsigned piece = 0, unsigned first = 0)
      : torus_(torus), pieces_(pieces), piece_(piece), first_(first) {}

  /// The dimension of phase `phase`, from 0.
  [[nodiscard]] unsigned dimension(unsigned phase) const { return (first_ + phase) % torus_.dimensions(); }
  /// The chunks that are in phase `phase` in the line of `node` and go there from coordinate `from` of the
  /// phase's dimension to coordinate `to`, in a fixed order.
  [[nodiscard]] std::vector<ChunkId> chunks(NodeId node, unsigned phase, std::uint32_t from,
                                            std::uint32_t to) const;

 private:
  Topology torus_;
  unsigned pieces_;
  unsigned piece_;
  unsigned first_;
};

}  // namespace flitscope::all_to_all
