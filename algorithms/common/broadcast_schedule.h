// What broadcast schedules share: their common facts and their source.
#pragma once

#include <string>
#include <utility>

#include "algorithms/algorithm.h"
#include "algorithms/common/stepwise_schedule.h"
#include "model/collective.h"

namespace flitscope {

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
