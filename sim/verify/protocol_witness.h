// The reproducer (witness) of a deadlock through the ends of nodes: a configuration that deadlocks when it is
// run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/config/config.h"

namespace flitscope {

struct ProtocolWitness {
  ExperimentConfig config;
  std::vector<std::string> worms;  ///< of the run's dependency cycle, a line each
};

/// Runs the protocol of a configuration until it deadlocks: as it is, with other seeds, and in a closed loop;
/// then, in networks of up to 256 nodes, as the shortest batch and with the fewest sources found. Each run
/// is in a process of its own. Nothing if no run deadlocks.
[[nodiscard]] std::optional<ProtocolWitness> find_protocol_witness(const ExperimentConfig& config);

}  // namespace flitscope
