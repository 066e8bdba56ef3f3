#include "sim/observe/flits/latency.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "model/schedule.h"
#include "model/text.h"
#include "model/zero_load_latency.h"
#include "sim/driver/collective_driver.h"

namespace flitscope {

namespace {

/// Waits of a chain of causes that are kept. Those further away explain nothing to a reader.
constexpr unsigned kMaxChain = 6;

/// A copy with so many links at most, itself included.
std::shared_ptr<const Wait> shortened(const Wait& wait, unsigned links) {
  auto copy = std::make_shared<Wait>(wait);
  if (links <= 1) {
    copy->because = nullptr;
  } else if (copy->because != nullptr) {
    unsigned length = 1;
    for (const Wait* each = copy->because.get(); each != nullptr; each = each->because.get()) ++length;
    if (length > links) copy->because = shortened(*copy->because, links - 1);
  }
  return copy;
}

/// "for a VC of channel [1, 0]+0, held by worm 1.2"
std::string hindrance_text(const Wait& wait, const Topology& topology) {
  const bool link = wait.port < topology.link_ports();
  const std::string channel = link
                                  ? "channel " + topology.channel_name(topology.channel(wait.node, wait.port))
                                  : "an ejection channel";
  const StallCauseInfo& cause = info_of(wait.cause);
  if (!wait.culprit) return fmt::format(fmt::runtime(cause.waits_for_nothing), fmt::arg("channel", channel));
  const std::string culprit =
      wait.culprit == wait.message ? "its own flits" : "worm " + message_label(*wait.culprit);
  return fmt::format(fmt::runtime(cause.waits_for), fmt::arg("channel", channel),
                     fmt::arg("culprit", culprit));
}

}  // namespace

std::vector<std::pair<Cycle, std::uint64_t>> LatencyCounter::counts() const {
  std::vector<std::pair<Cycle, std::uint64_t>> counts;
  for (const auto& [block, of_block] : blocks_) {
    for (Cycle place = 0; place < kBlock; ++place) {
      if (of_block[place] > 0) counts.emplace_back(block * kBlock + place, of_block[place]);
    }
  }
  std::ranges::sort(counts);
  return counts;
}

LatencySummary LatencyCounter::summary() const {
  LatencySummary summary;
  const auto counts = this->counts();
  if (counts.empty()) return summary;
  std::uint64_t total = 0;
  for (const auto& [latency, count] : counts) {
    summary.messages += count;
    total += latency * count;
  }
  summary.min = counts.front().first;
  summary.max = counts.back().first;
  summary.mean = static_cast<double>(total) / static_cast<double>(summary.messages);
  const auto quantile = [&](std::uint64_t permille) {
    const std::uint64_t rank = (summary.messages * permille + 999) / 1000;
    std::uint64_t seen = 0;
    for (const auto& [latency, count] : counts) {
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
  for (const auto& [latency, count] : counts()) {
    if (bins.empty() || bins.back().to < latency) {
      const Cycle width = std::max(Cycle{1}, std::bit_floor(latency) / kBinsOfAPower);
      const Cycle from = latency / width * width;
      bins.push_back({from, from + width - 1, 0});
    }
    bins.back().messages += count;
  }
  return bins;
}

std::uint32_t links_of(const ArrivedMessage& arrived, const Paths& paths) {
  if (arrived.delivery.links != 0) return arrived.delivery.links;
  return paths.length(arrived.message.source, arrived.message.destination, arrived.message.route);
}

namespace {

Cycle zero_load_latency(const ArrivedMessage& arrived, std::uint32_t links, const Paths& paths,
                        bool are_taken, const MachineConfig& machine) {
  ZeroLoadLatency latency(machine, arrived.flits);
  const bool alike = machine.links.by_channel.empty() && machine.links.single.empty();
  if (alike || !are_taken) {
    latency.pass({machine.link_delay, alike ? machine.link_cycles_per_flit : Ratio()}, links);
    return latency.cycles() + static_cast<Cycle>(arrived.delivery.link_excess);
  }
  const Message& message = arrived.message;
  paths.for_each_channel(message.source, message.destination, message.route,
                         [&](ChannelId channel) { latency.pass(machine.link(paths.topology(), channel)); });
  return latency.cycles();
}

}  // namespace

LatencyParts split_latency(const ArrivedMessage& arrived, const Paths& paths, bool are_taken,
                           const MachineConfig& machine) {
  const Delivery& delivery = arrived.delivery;
  LatencyParts parts;
  parts.links = links_of(arrived, paths);
  parts.latency = delivery.arrived - delivery.ready;
  parts.startup = machine.startup;
  parts.queueing = delivery.head_entered - delivery.ready - machine.startup;
  parts.hops = Cycle{parts.links + 1} * (machine.head_delay() + machine.link_delay) +
               static_cast<Cycle>(delivery.link_excess);
  parts.head_stalls = delivery.head_stalls;
  const Cycle stalls = std::accumulate(parts.head_stalls.begin(), parts.head_stalls.end(), Cycle{0});
  parts.hol_blocked = delivery.head_arrived - delivery.head_entered - parts.hops - stalls;
  // Packets of one message can arrive through several ejection channels at a time.
  const Cycle behind_head = delivery.arrived - delivery.head_arrived;
  parts.serialization = std::min(Cycle{arrived.flits - 1} * machine.ejection_interval, behind_head);
  parts.tail_serialization = behind_head - parts.serialization;
  parts.zero_load = zero_load_latency(arrived, parts.links, paths, are_taken, machine);
  return parts;
}

void LatencyParts::add(const LatencyParts& other) {
  latency += other.latency;
  startup += other.startup;
  queueing += other.queueing;
  hops += other.hops;
  add_causes(other.head_stalls, head_stalls);
  hol_blocked += other.hol_blocked;
  serialization += other.serialization;
  tail_serialization += other.tail_serialization;
  links += other.links;
  zero_load += other.zero_load;
}

std::string latency_columns() {
  std::string text = "startup_cycles,queueing_cycles,hops_cycles";
  for (const StallCauseInfo& cause : kStallCauseTable) text += fmt::format(",head_{}_cycles", cause.name);
  return text + ",hol_blocked_cycles,serialization_cycles,tail_serialization_cycles";
}

std::vector<Cycle> latency_cells(const LatencyParts& parts) {
  std::vector<Cycle> cells{parts.startup, parts.queueing, parts.hops};
  cells.insert(cells.end(), parts.head_stalls.begin(), parts.head_stalls.end());
  cells.insert(cells.end(), {parts.hol_blocked, parts.serialization, parts.tail_serialization});
  return cells;
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

std::shared_ptr<const Wait> Waits::reason(const FlitStall& stall) const {
  if (!stall.culprit || stall.culprit == stall.message) return nullptr;
  const auto found = longest_.find(*stall.culprit);
  if (found == longest_.end()) return nullptr;
  const Wait& wait = found->second;
  const bool at_the_same_time = wait.from < stall.from + stall.cycles && stall.from < wait.from + wait.cycles;
  return at_the_same_time ? shortened(wait, kMaxChain - 1) : nullptr;
}

void Waits::add(ChannelId channel) {
  place_of_[channel] = static_cast<std::uint32_t>(channels_.size());
  channels_.emplace_back();
}

void Waits::stalled(const FlitStall& stall) {
  if (stall.port < topology_.link_ports()) {
    Wait& longest = at(topology_.channel(stall.node, stall.port));
    if (stall.cycles > longest.cycles) longest = {stall, reason(stall)};
  }
  if (stall.index != 0) return;
  Wait& longest = longest_[stall.message];
  if (stall.cycles > longest.cycles) longest = {stall, reason(stall)};
}

std::optional<Wait> Waits::take(std::uint64_t message) {
  const auto found = longest_.find(message);
  if (found == longest_.end()) return std::nullopt;
  std::optional<Wait> wait = std::move(found->second);
  longest_.erase(found);
  return wait;
}

std::string describe(const Wait& wait, const Topology& topology, const std::optional<ClockPeriod>& clock) {
  std::string text = fmt::format("worm {}", message_label(wait.message));
  for (const Wait* each = &wait; each != nullptr; each = each->because.get()) {
    const double cycles = static_cast<double>(each->cycles);
    text += fmt::format("{} waited {}{} from cycle {} at {} {}", each == &wait ? "" : ", which",
                        counted(each->cycles, "cycle"),
                        clock ? fmt::format(" ({})", readable_time(clock->seconds(cycles))) : "", each->from,
                        topology.node_name(each->node), hindrance_text(*each, topology));
  }
  return text;
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const auto place = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::clamp<std::size_t>(place, 1, values.size()) - 1];
}

}  // namespace flitscope
