#include "sim/run/protocol_ends.h"

#include <fmt/format.h>

#include <string>

#include "model/error.h"
#include "model/text.h"
#include "sim/run/packets.h"

namespace flitscope {

namespace {

/// The machine as the graph counts: with packets one message can fill an injection queue.
MachineConfig machine_of_ends(const ExperimentConfig& config) {
  MachineConfig machine = config.machine;
  if (has_packets(config) && machine.injection_queue) machine.injection_queue = 1;
  return machine;
}

ProtocolConfig protocol_in_packets(const ExperimentConfig& config) {
  ProtocolConfig protocol = *config.workload.protocol;
  for (TrafficConfig& each : protocol.offered) each = in_packets(config, each);
  return protocol;
}

}  // namespace

ConfiguredProtocol::ConfiguredProtocol(const ExperimentConfig& config)
    : patterns_(make_traffic_patterns(config)),
      machine_(machine_of_ends(config)),
      protocol_(protocol_in_packets(config)),
      graph_(config.topology, machine_, protocol_, *patterns_[0], *patterns_[1]) {}

void require_queues_for_replies(const ExperimentConfig& config) {
  constexpr NodeId kMostNodes = 1024;
  const MachineConfig& machine = config.machine;
  const auto& protocol = config.workload.protocol;
  const bool are_finite =
      protocol && protocol->service.queue && machine.injection_queue && machine.ejection_buffer;
  if (!are_finite || machine.allow_deadlock || config.topology.nodes() > kMostNodes) return;
  ConfiguredProtocol configured(config);
  const ProtocolEnds& ends = configured.graph().ends();
  if (ends.filling.empty() || configured.graph().analyze().verdict == DeadlockVerdict::free) return;
  std::string right = "classes for requests and replies, with virtual channels and queues of their own";
  // With packets no number of messages is the limit of that queue.
  if (ends.open && !has_packets(config)) {
    right +=
        fmt::format(", node.injection_queue from {} on", *machine.injection_queue + (*ends.open - ends.held));
  }
  if (ends.held >= ends.sources) right += fmt::format(", outstanding up to {}", ends.held / ends.sources);
  throw Inadmissible(
      "workload.outstanding",
      "{} can be open at {}, but up to {} fit its queues, where they wait for their replies: a deadlock may "
      "form, which flitscope verify shows; right would be {}, or router.allow_deadlock: true",
      ends.open ? counted(*ends.open, "request") : "any number of requests",
      config.topology.node_name(ends.target), ends.held, right);
}

}  // namespace flitscope
