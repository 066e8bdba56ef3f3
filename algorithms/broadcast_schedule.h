// What broadcast schedules share: their common facts, and being made one step at a time.
#pragma once

#include <string>
#include <utility>

#include "model/algorithm.h"
#include "model/schedule.h"

namespace flitscope {

/// The facts of a broadcast that its parameters and its ports settle: the source and the message, n^d - 1
/// messages of which none is redundant, and the lower bound of a torus with all its link ports in use.
/// Steps, claims and stages are left to the algorithm. Throws Inadmissible("workload.source").
[[nodiscard]] inline ScheduleFacts broadcast_facts(const Topology& topology, const ParameterValues& values,
                                                   std::string algorithm, std::string routing,
                                                   unsigned ports) {
  ScheduleFacts facts(topology);
  facts.algorithm = std::move(algorithm);
  facts.routing = std::move(routing);
  facts.send_ports = ports;
  facts.receive_ports = ports;
  facts.messages = topology.nodes() - 1;
  facts.collective =
      Collective::broadcast(node_parameter(topology, values, "source"), values.bytes("message"));
  facts.lower_bound_steps = broadcast_lower_bound(topology.nodes(), topology.link_ports());
  return facts;
}

/// A broadcast whose steps are computed one by one from their numbers.
class BroadcastSchedule : public Schedule {
 public:
  [[nodiscard]] const ScheduleFacts& facts() const final { return facts_; }

  [[nodiscard]] bool next(Step& step) final {
    if (made_ == facts_.steps) return false;
    step.clear();
    produce(++made_, step);
    return true;
  }

 protected:
  explicit BroadcastSchedule(ScheduleFacts facts) : facts_(std::move(facts)) {}

  [[nodiscard]] const Topology& topology() const { return facts_.topology; }
  [[nodiscard]] NodeId source() const { return facts_.collective.initial.front().node; }

 private:
  /// Adds the messages of step `number`, counted from 1, to an empty step.
  virtual void produce(std::uint64_t number, Step& step) = 0;

  ScheduleFacts facts_;
  std::uint64_t made_ = 0;
};

}  // namespace flitscope
