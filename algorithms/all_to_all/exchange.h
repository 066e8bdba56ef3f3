// Common parts of all-to-all algorithms: every node has a chunk for every other one.
#pragma once

#include <string>

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

}  // namespace flitscope::all_to_all
