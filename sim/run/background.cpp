#include "sim/run/background.h"

namespace flitscope {

BackgroundResult Background::result(NodeId nodes, Cycle cycles) const {
  const TrafficTally& tally = driver_.tally();
  const double node_cycles = static_cast<double>(nodes) * static_cast<double>(cycles + 1);
  return {.schedule_begin = warmup_,
          .messages = tally.generated_messages,
          .flits = tally.generated_flits,
          .arrived_messages = tally.arrived_messages,
          .arrived_flits = tally.arrived_flits,
          .offered = static_cast<double>(tally.generated_flits) / node_cycles,
          .accepted = static_cast<double>(tally.arrived_flits) / node_cycles,
          .latency = latencies_.summary(),
          .network_latency = network_latencies_.summary()};
}

}  // namespace flitscope
