#include "sim/report/report_parts.h"

#include <nlohmann/json.hpp>

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

template <typename T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}
template nlohmann::ordered_json or_null(const std::optional<bool>&);
template nlohmann::ordered_json or_null(const std::optional<double>&);
template nlohmann::ordered_json or_null(const std::optional<std::uint32_t>&);
template nlohmann::ordered_json or_null(const std::optional<std::uint64_t>&);
template nlohmann::ordered_json or_null(const std::optional<std::string>&);

nlohmann::ordered_json latency_json(const LatencySummary& latency) {
  return {
      {"messages", latency.messages}, {"min", latency.min},   {"mean", latency.mean}, {"p50", latency.p50},
      {"p99", latency.p99},           {"p999", latency.p999}, {"max", latency.max}};
}

nlohmann::ordered_json causes_json(const std::array<std::uint64_t, kStallCauses>& counts) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (unsigned cause = 0; cause < kStallCauses; ++cause) {
    json[kStallCauseTable[cause].name] = counts[cause];
  }
  return json;
}

}  // namespace flitscope
