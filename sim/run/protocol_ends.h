// The dependencies of a configuration's protocol through the ends of its nodes.
#pragma once

#include "sim/analysis/protocol_graph.h"
#include "sim/config/config.h"
#include "sim/run/workload.h"

namespace flitscope {

/// The graph of what the network carries of a protocol: messages, or their packets.
class ConfiguredProtocol {
 public:
  /// The configuration must have a protocol and a complete machine, and outlive this object.
  explicit ConfiguredProtocol(const ExperimentConfig& config);

  [[nodiscard]] ProtocolGraph& graph() { return graph_; }
  [[nodiscard]] const ProtocolGraph& graph() const { return graph_; }

 private:
  OfferedPatterns patterns_;
  MachineConfig machine_;
  ProtocolConfig protocol_;
  ProtocolGraph graph_;
};

/// Throws Inadmissible for more open requests than the ends of a target hold, where these wait for their
/// replies. Not in networks that take long to analyse.
void require_queues_for_replies(const ExperimentConfig& config);

}  // namespace flitscope
