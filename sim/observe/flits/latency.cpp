#include "sim/observe/flits/latency.h"

namespace flitscope {

LatencySummary LatencyCounter::summary() const {
  LatencySummary summary;
  if (counts_.empty()) return summary;
  std::uint64_t total = 0;
  for (const auto& [latency, count] : counts_) {
    summary.messages += count;
    total += latency * count;
  }
  summary.min = counts_.begin()->first;
  summary.max = counts_.rbegin()->first;
  summary.mean = static_cast<double>(total) / static_cast<double>(summary.messages);
  const auto quantile = [&](std::uint64_t percent) {
    const std::uint64_t rank = (summary.messages * percent + 99) / 100;
    std::uint64_t seen = 0;
    for (const auto& [latency, count] : counts_) {
      seen += count;
      if (seen >= rank) return latency;
    }
    return summary.max;
  };
  summary.p50 = quantile(50);
  summary.p99 = quantile(99);
  return summary;
}

}  // namespace flitscope
