#include "sim/report/json_parts.h"

namespace flitscope {

nlohmann::ordered_json latency_json(const LatencySummary& latency) {
  return {{"messages", latency.messages}, {"min", latency.min}, {"mean", latency.mean},
          {"p50", latency.p50},           {"p99", latency.p99}, {"max", latency.max}};
}

nlohmann::ordered_json causes_json(const std::array<std::uint64_t, kStallCauses>& counts) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (unsigned cause = 0; cause < kStallCauses; ++cause) {
    json[name_of(static_cast<StallCause>(cause))] = counts[cause];
  }
  return json;
}

}  // namespace flitscope
