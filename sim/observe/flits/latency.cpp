#include "sim/observe/flits/latency.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "sim/driver/collective_driver.h"

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
  const auto quantile = [&](std::uint64_t permille) {
    const std::uint64_t rank = (summary.messages * permille + 999) / 1000;
    std::uint64_t seen = 0;
    for (const auto& [latency, count] : counts_) {
      seen += count;
      if (seen >= rank) return latency;
    }
    return summary.max;
  };
  summary.p50 = quantile(500);
  summary.p99 = quantile(990);
  summary.p999 = quantile(999);
  return summary;
}

std::vector<LatencyBin> LatencyCounter::distribution() const {
  constexpr Cycle kBinsOfAPower = 16;
  std::vector<LatencyBin> bins;
  for (const auto& [latency, count] : counts_) {
    if (bins.empty() || bins.back().to < latency) {
      const Cycle width = std::max(Cycle{1}, std::bit_floor(latency) / kBinsOfAPower);
      const Cycle from = latency / width * width;
      bins.push_back({from, from + width - 1, 0});
    }
    bins.back().messages += count;
  }
  return bins;
}

LatencyParts split_latency(const ArrivedMessage& arrived, const Paths& paths, const MachineConfig& machine) {
  const Message& message = arrived.message;
  const Delivery& delivery = arrived.delivery;
  LatencyParts parts;
  parts.links = paths.length(message.source, message.destination, message.route);
  parts.latency = delivery.arrived - delivery.ready;
  parts.startup = machine.startup;
  parts.queueing = delivery.head_entered - delivery.ready - machine.startup;
  parts.hops = Cycle{parts.links + 1} * (machine.head_delay() + machine.link_delay) +
               static_cast<Cycle>(delivery.link_excess);
  parts.head_stalls = delivery.head_stalls;
  const Cycle stalls = std::accumulate(parts.head_stalls.begin(), parts.head_stalls.end(), Cycle{0});
  parts.hol_blocked = delivery.head_arrived - delivery.head_entered - parts.hops - stalls;
  parts.serialization = Cycle{arrived.flits - 1} * machine.ejection_interval;
  parts.tail_serialization = delivery.arrived - delivery.head_arrived - parts.serialization;
  return parts;
}

void MostDelayed::add(DelayedMessage candidate) {
  const auto worse = [](const DelayedMessage& one, const DelayedMessage& other) {
    if (one.parts.delay() != other.parts.delay()) return one.parts.delay() > other.parts.delay();
    return one.message < other.message;
  };
  if (candidate.parts.delay() == 0) return;
  if (messages_.size() == keep_ && !worse(candidate, messages_.back())) return;
  const auto at = std::ranges::upper_bound(messages_, candidate, worse);
  messages_.insert(at, std::move(candidate));
  if (messages_.size() > keep_) messages_.pop_back();
}

}  // namespace flitscope
