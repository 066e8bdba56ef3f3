// A schedule whose steps are computed one by one from their numbers.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "algorithms/algorithm.h"
#include "model/collective.h"
#include "model/schedule.h"

namespace flitscope {

/// Base of algorithms: facts known beforehand, and one step at a time, so that a
/// long schedule costs one step's memory.
class StepwiseSchedule : public Schedule {
 public:
  [[nodiscard]] const ScheduleFacts& facts() const final { return facts_; }

  [[nodiscard]] bool next(Step& step) final {
    if (made_ == facts_.steps) return false;
    step.clear();
    produce(++made_, step);
    return true;
  }

 protected:
  explicit StepwiseSchedule(ScheduleFacts facts) : facts_(std::move(facts)) {}

  [[nodiscard]] const Topology& topology() const { return facts_.topology; }

 private:
  /// Adds the messages of step `number`, counted from 1, to an empty step. Called once for every step, in
  /// order.
  virtual void produce(std::uint64_t number, Step& step) = 0;

  ScheduleFacts facts_;
  std::uint64_t made_ = 0;
};

/// The facts of a broadcast that its parameters and its ports settle: the source and the message, p - 1
/// messages to p nodes, of which none is redundant, and the lower bound of a torus with all its link ports in
/// use. Steps, claims and stages are left to the algorithm. Throws Inadmissible("workload.source").
[[nodiscard]] inline ScheduleFacts broadcast_facts(const Topology& topology, const ParameterValues& values,
                                                   std::string algorithm, std::string routing,
                                                   unsigned ports) {
  ScheduleFacts facts(topology);
  facts.algorithm = std::move(algorithm);
  facts.routing = std::move(routing);
  facts.send_ports = ports;
  facts.receive_ports = ports;
  const NodeId nodes = Participants(topology).count();
  facts.messages = nodes - 1;
  facts.collective =
      Collective::broadcast(node_parameter(topology, values, "source"), values.bytes("message"));
  facts.lower_bound_steps = broadcast_lower_bound(nodes, topology.link_ports());
  return facts;
}

/// A broadcast whose steps are computed one by one from their numbers.
class BroadcastSchedule : public StepwiseSchedule {
 protected:
  using StepwiseSchedule::StepwiseSchedule;

  [[nodiscard]] NodeId source() const { return facts().collective.initial.front().node; }
};

}  // namespace flitscope
