// Schedules in memory and as text: small ones to follow by hand, and random ones.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "model/schedule.h"
#include "sim/formats/schedule_file.h"
#include "tests/support/random_cases.h"

namespace flitscope {

/// Build it with begin_step() and add(); its facts count steps and messages along, and can be changed
/// afterwards through edit().
class MemorySchedule final : public Schedule {
 public:
  explicit MemorySchedule(ScheduleFacts facts) : facts_(std::move(facts)) {}

  MemorySchedule& begin_step() {
    steps_.emplace_back();
    ++facts_.steps;
    return *this;
  }
  /// A message of the step begun last.
  MemorySchedule& add(NodeId source, NodeId destination, Route route,
                      const std::vector<ChunkId>& chunks = {0}, std::uint32_t control_bytes = 0) {
    steps_.back().add(source, destination, route, chunks, control_bytes);
    ++facts_.messages;
    return *this;
  }

  /// A message of the step begun last whose chunks are combined with what the receiver has.
  MemorySchedule& reduce(NodeId source, NodeId destination, Route route,
                         const std::vector<ChunkId>& chunks = {0}) {
    steps_.back().reduce(source, destination, route, chunks);
    ++facts_.messages;
    return *this;
  }

  /// The message added last has to wait until its sender has rearranged `bytes` bytes.
  MemorySchedule& rearrange(std::uint64_t bytes) {
    steps_.back().rearrange(steps_.back().messages().size() - 1, bytes);
    return *this;
  }

  /// The message added last waits for these.
  MemorySchedule& wait(const std::vector<Dependency>& dependencies) {
    facts_.waits = true;
    steps_.back().wait(steps_.back().messages().size() - 1, dependencies);
    return *this;
  }
  /// Later ones may wait for the message added last.
  MemorySchedule& announce() {
    facts_.waits = true;
    steps_.back().announce(steps_.back().messages().size() - 1);
    return *this;
  }

  /// The message added last is one of a kind.
  MemorySchedule& kind(std::uint32_t number) {
    facts_.waits = true;
    steps_.back().set_kind(steps_.back().messages().size() - 1, number);
    return *this;
  }
  /// The message added last belongs to a class of the facts, counted from 1.
  MemorySchedule& of_class(std::uint32_t number) {
    steps_.back().set_class(steps_.back().messages().size() - 1, number);
    return *this;
  }
  /// Adds a reply of `control_bytes` to the message added last, `wait` cycles after it; without a route by
  /// the shortest one.
  MemorySchedule& reply(std::uint32_t control_bytes, std::uint64_t wait = 0,
                        std::optional<Route> route = std::nullopt) {
    const std::size_t index = steps_.back().messages().size() - 1;
    const Message request = steps_.back().messages()[index];
    const Topology& topology = facts_.topology;
    const Route back =
        topology.is_grid() ? shortest_route(topology, request.destination, request.source) : Route();
    announce();
    steps_.back().set_reply_follows(index);
    add(request.destination, request.source, route.value_or(back), {}, control_bytes);
    return this->wait({{message_id(steps_.size(), index), wait}});
  }

  [[nodiscard]] ScheduleFacts& edit() { return facts_; }
  [[nodiscard]] std::span<const Step> steps() const { return steps_; }
  /// Starts again from the first step.
  void rewind() { given_ = 0; }

  [[nodiscard]] const ScheduleFacts& facts() const override { return facts_; }
  [[nodiscard]] bool next(Step& step) override {
    if (given_ == steps_.size()) return false;
    step = steps_[given_++];
    return true;
  }

 private:
  ScheduleFacts facts_;
  std::vector<Step> steps_;
  std::size_t given_ = 0;
};

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

inline std::string written(Schedule& schedule) {
  std::ostringstream out;
  write_schedule(schedule, out);
  return out.str();
}

/// A schedule file of that text; errors call it "given.jsonl".
inline ScheduleFile read_text(std::string text) {
  return {std::make_unique<std::istringstream>(std::move(text)), "given.jsonl"};
}

inline std::vector<Step> all_steps(Schedule& schedule) {
  std::vector<Step> steps;
  for (Step step; schedule.next(step);) steps.push_back(step);
  return steps;
}

}  // namespace flitscope

namespace flitscope::test {

/// In each of `steps` steps `messages` messages between random nodes by their shortest paths. Every node has
/// a chunk of its own, of 1 to 100 bytes, which is all it ever sends.
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
