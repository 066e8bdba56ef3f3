// Schedules of messages that nobody has arranged: they meet, queue and block each other.
#pragma once

#include <string>

#include "tests/support/memory_schedule.h"
#include "tests/support/random_numbers.h"

namespace flitscope::test {

/// In each of `steps` steps `messages` messages between random nodes by their shortest ways. Every node has a
/// chunk of its own, of 1 to 100 bytes, which is all it ever sends.
inline MemorySchedule random_traffic(const Topology& topology, unsigned steps, unsigned messages,
                                     std::uint32_t seed) {
  RandomNumbers random(seed);
  ScheduleFacts facts(topology);
  facts.algorithm = "random";
  facts.send_ports = facts.receive_ports = messages;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    facts.collective.chunk_bytes.push_back(1 + random.below(100));
    facts.collective.initial.push_back({node, {node}});
  }
  facts.collective.goal.emplace();
  MemorySchedule schedule(std::move(facts));
  for (unsigned step = 0; step < steps; ++step) {
    schedule.begin_step();
    for (unsigned message = 0; message < messages; ++message) {
      const NodeId source = random.below(topology.nodes());
      const NodeId destination = (source + 1 + random.below(topology.nodes() - 1)) % topology.nodes();
      schedule.add(source, destination, shortest_route(topology, source, destination), {source});
    }
  }
  return schedule;
}

}  // namespace flitscope::test
