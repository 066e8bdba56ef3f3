// How long messages took.
#pragma once

#include <cstdint>
#include <map>

#include "model/types.h"

namespace flitscope {

/// Latencies of messages from ready to the arrival of the tail, in cycles. Quantiles are exact: the smallest
/// latency that at least that share of the messages did not exceed.
struct LatencySummary {
  std::uint64_t messages = 0;
  Cycle min = 0;
  double mean = 0;
  Cycle p50 = 0;
  Cycle p99 = 0;
  Cycle max = 0;
};

/// Counts latencies by value: memory follows the number of different ones.
class LatencyCounter {
 public:
  void add(Cycle latency) { ++counts_[latency]; }
  [[nodiscard]] LatencySummary summary() const;

 private:
  std::map<Cycle, std::uint64_t> counts_;
};

}  // namespace flitscope
