#include "sim/report/report_parts.h"

namespace flitscope {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char each : text) {
    switch (each) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      default:
        result += each;
    }
  }
  return result;
}

nlohmann::ordered_json latency_json(const LatencySummary& latency) {
  return {{"messages", latency.messages}, {"min", latency.min}, {"mean", latency.mean},
          {"p50", latency.p50},           {"p99", latency.p99}, {"max", latency.max}};
}

nlohmann::ordered_json causes_json(const std::array<std::uint64_t, kStallCauses>& counts) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (unsigned cause = 0; cause < kStallCauses; ++cause) {
    json[kStallCauseTable[cause].name] = counts[cause];
  }
  return json;
}

}  // namespace flitscope
