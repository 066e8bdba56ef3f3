// The reproducer (witness) of a deadlock: a schedule, of the messages of a protocol a configuration, that
// deadlocks when it is run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/schedule.h"
#include "sim/config/config.h"
#include "sim/verify/deadlock_check.h"

namespace flitscope {

/// A virtual channel that a deadlocked worm holds.
struct WitnessChannel {
  ChannelId channel = 0;
  unsigned vc = 0;
  std::uint64_t message = 0;  ///< number of the worm's message (message_id)
  bool operator==(const WitnessChannel&) const = default;
};

/// Messages that deadlock, all of one step, and the dependency cycle of their run.
struct Witness {
  std::vector<Flow> flows;
  std::vector<WitnessChannel> dependency_cycle;
};

/// Runs messages until some deadlock: those of the analysis' dependency cycle, a few of each and as short as
/// suffices; then, in networks of up to 1024 nodes, random ones, without those that the deadlock does not
/// need. Each run is in a process of its own. Nothing if no run deadlocks; a search ends after 10^8 flits
/// by links. Throws
/// Inadmissible("node.ejection_buffer") if only messages deadlock that the ejection buffers are too short
/// for.
[[nodiscard]] std::optional<Witness> find_witness(const DeadlockCheck& check, const ExperimentConfig& config);

/// The schedule of a witness; its messages are of the check's message class.
[[nodiscard]] std::unique_ptr<Schedule> witness_schedule(const Witness& witness, const DeadlockCheck& check,
                                                         const ExperimentConfig& config);

// The reproducer (witness) of a deadlock of a protocol, in the network or through the ends of nodes: a
// configuration that deadlocks when it is run.

struct ProtocolWitness {
  ExperimentConfig config;
  std::vector<std::string> worms;  ///< of the run's dependency cycle, a line each
};

/// Runs the protocol of a configuration until it deadlocks: as it is, with other seeds, and in a closed loop;
/// then, in networks of up to 256 nodes, as the shortest batch and with the fewest sources found. Each run
/// is in a process of its own. Nothing if no run deadlocks; a search ends after 10^8 cycles of nodes.
[[nodiscard]] std::optional<ProtocolWitness> find_protocol_witness(const ExperimentConfig& config);

}  // namespace flitscope
