// All states that a closed loop of requests and replies can reach on a small mesh.
#pragma once

#include <cstddef>
#include <vector>

#include "model/topology.h"
#include "model/types.h"
#include "tests/reference/brute_force_deadlock.h"

namespace flitscope::reference {

/// A mesh in dimension order with one port a node and one VC a link and message class. All messages have one
/// flit; a reply is ready as soon as its service begins.
struct ProtocolLoop {
  Topology topology;
  std::vector<NodeId> sources;
  std::vector<NodeId> targets;
  std::size_t outstanding = 1;
  std::size_t injection_queue = 1;
  std::size_t ejection_buffer = 1;
  std::size_t service_queue = 1;
  std::size_t buffer = 1;
  bool same_vcs = true;     ///< requests and replies have the same VC of a link
  bool same_queues = true;  ///< and the same ends of nodes
};

/// Goes through the states: a source issues a request to any target whenever it may, and any message that can
/// move does. Time plays no part. A deadlock is a state without a move.
[[nodiscard]] Reached explore(const ProtocolLoop& loop, std::size_t max_states);

}  // namespace flitscope::reference
