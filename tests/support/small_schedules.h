// Broadcasts small enough to follow by hand.
#pragma once

#include <utility>

#include "tests/support/memory_schedule.h"

namespace flitscope {

inline constexpr Route kPlus = {0, 0};
inline constexpr Route kMinus = {0, 0xFFFF};

/// One chunk from node 0 to all nodes of a topology.
inline ScheduleFacts broadcast(Topology topology, unsigned ports) {
  ScheduleFacts facts(std::move(topology));
  facts.algorithm = "by-hand";
  facts.send_ports = ports;
  facts.receive_ports = ports;
  facts.collective = Collective::broadcast(0, 64);
  return facts;
}

/// A ring of three nodes, both links used at once; legal.
inline MemorySchedule ring() {
  MemorySchedule schedule(broadcast({TopologyKind::torus, {3}}, 2));
  schedule.begin_step().add(0, 1, kPlus).add(0, 2, kMinus);
  return schedule;
}

/// A line of four nodes, one port; legal: 0 -> 2, then 0 -> 1 and 2 -> 3.
inline MemorySchedule line() {
  MemorySchedule schedule(broadcast({TopologyKind::mesh, {4}}, 1));
  schedule.begin_step().add(0, 2, kPlus);
  schedule.begin_step().add(0, 1, kPlus).add(2, 3, kPlus);
  return schedule;
}

}  // namespace flitscope
