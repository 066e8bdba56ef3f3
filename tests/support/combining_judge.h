// An independent judge of collectives that combine: it counts, without sets and without asking how the
// schedule was made.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/route.h"
#include "model/schedule.h"

namespace flitscope::test {

/// Plays a schedule with numbers in the place of data: how often each node's operand is in each value.
/// Returns the first thing that is wrong, or nothing.
inline std::optional<std::string> judge_collective(Schedule& schedule) {
  const ScheduleFacts& facts = schedule.facts();
  const Topology& topology = facts.topology;
  const NodeId p = topology.nodes();
  const Participants participants(topology);
  const std::size_t chunks = facts.collective.chunk_bytes.size();
  // counts[node][chunk]: how often each operand is there; of chunks that are not combined, whether it is.
  using Value = std::map<NodeId, std::uint64_t>;
  std::vector<std::vector<Value>> counts(p, std::vector<Value>(chunks));
  std::vector<std::uint64_t> operands(chunks);
  const auto enter = [&](NodeId node, std::size_t chunk) {
    counts[node][chunk][node] = 1;
    ++operands[chunk];
  };
  for (NodeId node = 0; node < p && facts.collective.operands_everywhere; ++node) {
    if (!participants.has(node)) continue;
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) enter(node, chunk);
  }
  for (const Holding& holding : facts.collective.operands) {
    for (const ChunkId chunk : holding.chunks) enter(holding.node, chunk);
  }
  for (const Holding& holding : facts.collective.initial) {
    for (const ChunkId chunk : holding.chunks) counts[holding.node][chunk][0] = 1;
  }
  std::uint64_t steps = 0;
  std::uint64_t messages = 0;
  for (Step step; schedule.next(step);) {
    ++steps;
    const auto before = counts;
    std::map<NodeId, unsigned> sends;
    std::map<NodeId, unsigned> receives;
    std::map<ChannelId, unsigned> loads;
    for (const Message& message : step.messages()) {
      ++messages;
      const std::string name = fmt::format("step {}, {} -> {}", steps, topology.node_name(message.source),
                                           topology.node_name(message.destination));
      if (message.source == message.destination) return name + ": a message to its own source";
      if (++sends[message.source] > facts.send_ports) return name + ": more sends than ports";
      if (++receives[message.destination] > facts.receive_ports) return name + ": more receives than ports";
      // On other networks the routing function gives the paths.
      NodeId at = topology.is_fault_free_grid() ? message.source : message.destination;
      bool overloaded = false;
      if (topology.is_fault_free_grid())
        for_each_channel(
            topology, message.source, message.destination, message.route, [&](ChannelId channel) {
              at = *topology.neighbour(at, topology.channel_port(channel));
              overloaded = overloaded || ++loads[channel] > facts.claimed_channel_load.value_or(~0U);
            });
      if (at != message.destination) return name + ": the path ends elsewhere";
      if (overloaded) return name + ": more messages on a link than claimed";
      for (const ChunkId chunk : step.chunks(message)) {
        if (before[message.source][chunk].empty()) return fmt::format("{}: has no chunk {}", name, chunk);
      }
      for (const ChunkId chunk : step.replacing(message)) {
        const Value& value = before[message.source][chunk];
        if (operands[chunk] > 0 && value.size() != operands[chunk] &&
            !counts[message.destination][chunk].empty()) {
          return fmt::format("{}: an unfinished chunk {}", name, chunk);
        }
        counts[message.destination][chunk] = value;
      }
      for (const ChunkId chunk : step.reduced(message)) {
        for (const auto& [operand, times] : before[message.source][chunk]) {
          std::uint64_t& count = counts[message.destination][chunk][operand];
          count += times;
          if (count > 1) {
            return fmt::format("{}: counts the operand of {} twice in chunk {}", name, operand, chunk);
          }
        }
      }
    }
  }
  if (steps != facts.steps || messages != facts.messages) {
    return fmt::format("{} steps and {} messages, not {} and {}", steps, messages, facts.steps,
                       facts.messages);
  }
  const auto wanted = [&](NodeId node, std::size_t chunk) -> std::optional<std::string> {
    const std::size_t there = counts[node][chunk].size();
    if (there == (operands[chunk] == 0 ? 1 : operands[chunk])) return std::nullopt;
    return fmt::format("at the end {} has {} operands of chunk {}", topology.node_name(node), there, chunk);
  };
  for (NodeId node = 0; node < p && !facts.collective.goal; ++node) {
    if (!participants.has(node)) continue;
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      if (auto wrong = wanted(node, chunk)) return wrong;
    }
  }
  for (const Holding& holding : facts.collective.goal.value_or(std::vector<Holding>())) {
    for (const ChunkId chunk : holding.chunks) {
      if (auto wrong = wanted(holding.node, chunk)) return wrong;
    }
  }
  return std::nullopt;
}

}  // namespace flitscope::test
