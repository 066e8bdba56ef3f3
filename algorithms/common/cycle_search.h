// Hamiltonian cycles of networks that have no formula for one.
#pragma once

#include <string>
#include <vector>

#include "model/topology.h"

namespace flitscope::any_network {

/// A cycle through all nodes that are there in which each is a neighbour of the next, both ways: a link joins
/// them, or a path through routers without a node. Where all nodes hang on routers they come in the order of
/// a walk round a breadth-first tree, which uses every link of the tree once each way.
///
/// The search: give every node a successor, so that cycles cover the network (a matching); then join cycles
/// that lie side by side. That is repeated with other covers, a bounded number of times. The same network has
/// the same cycle. Throws Inadmissible("topology.kind") if there is no cycle, with a reason where there is
/// one, or if none is found.
[[nodiscard]] std::vector<NodeId> hamiltonian_order(const Topology& topology, const std::string& algorithm);

}  // namespace flitscope::any_network
