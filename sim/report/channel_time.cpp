#include "sim/report/channel_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "model/error.h"
#include "model/text.h"
#include "sim/observe/flits/flit_trace.h"

namespace flitscope {

void ChannelTimes::Intervals::sort() {
  std::ranges::stable_sort(all_, {}, &Interval::from);
  latest_end_.clear();
  Cycle latest = 0;
  for (const Interval& interval : all_) latest_end_.push_back(latest = std::max(latest, interval.to));
}

template <typename Fits>
const ChannelTimes::Interval* ChannelTimes::Intervals::at(Cycle cycle, const Fits& fits) const {
  // All before the first whose end raises the latest one to the cycle are over.
  const auto first = std::ranges::lower_bound(latest_end_, cycle) - latest_end_.begin();
  for (auto i = static_cast<std::size_t>(first); i < all_.size() && all_[i].from <= cycle; ++i) {
    if (all_[i].to >= cycle && fits(all_[i])) return &all_[i];
  }
  return nullptr;
}

ChannelTimes::ChannelTimes(const Topology& topology)
    : topology_(topology), channels_(topology.channel_ids()), passing_(topology.channel_ids()) {}

void ChannelTimes::take(const FlitEvent& event) {
  last_ = std::max(last_, event.end() - 1);
  std::uint32_t& length = lengths_[event.message];
  length = std::max(length, event.flit + 1);
  const std::optional<ChannelId> link = link_of(event, topology_);
  if (event.kind == FlitEventKind::stall && event.stall_cycles > 0) {
    const Interval stall{.from = event.cycle,
                         .to = event.end() - 1,
                         .message = event.message,
                         .flit = event.flit,
                         .node = event.node,
                         .channel = link,
                         .cause = event.cause,
                         .culprit = event.culprit};
    stalls_[event.message].add(stall);
    if (link) channels_[*link].wanted.add(stall);
  }
  if (!link || (event.kind != FlitEventKind::vc && event.kind != FlitEventKind::hop)) return;
  const std::size_t number = passing_.number(*link, event.vc.value_or(0), event.message, passages_.size());
  if (number == passages_.size()) {
    passages_.push_back({.from = event.cycle, .message = event.message, .node = event.node, .channel = link});
  }
  if (event.kind == FlitEventKind::vc) return;
  channels_[*link].hops.push_back(event.cycle);
  passages_[number].to = event.cycle;
  passages_[number].flit = event.flit + 1;
}

void ChannelTimes::finish() {
  std::ranges::stable_sort(passages_, {}, &Interval::message);
  for (Interval& interval : passages_) {
    // A worm whose tail has not left keeps the link.
    if (interval.flit < lengths_[interval.message]) interval.to = last_;
    channels_[*interval.channel].held.add(interval);
  }
  passages_ = {};
  for (Channel& channel : channels_) {
    channel.held.sort();
    channel.wanted.sort();
  }
  for (auto& [message, intervals] : stalls_) intervals.sort();
}

bool ChannelTimes::moves(ChannelId channel, Cycle cycle) const {
  return std::ranges::binary_search(channels_[channel].hops, cycle);
}

ChannelTimes::Cause ChannelTimes::cause_of_worm(std::uint64_t message, Cycle cycle,
                                                std::vector<const Interval*>& chain) const {
  const auto found = stalls_.find(message);
  const Interval* const stall =
      found == stalls_.end() ? nullptr : found->second.at(cycle, [](const Interval&) { return true; });
  if (stall == nullptr) return {ChannelCycle::in_flight};
  return cause_of(*stall, cycle, chain);
}

ChannelTimes::Cause ChannelTimes::cause_of(const Interval& stall, Cycle cycle,
                                           std::vector<const Interval*>& chain) const {
  if (std::ranges::count(chain, &stall) > 0) return {ChannelCycle::deadlock};
  chain.push_back(&stall);
  if (stall.cause == StallCause::switch_lost) return {ChannelCycle::arbitration};
  // All other causes of flits without a link are of their destination.
  if (!stall.channel) return {ChannelCycle::ejection};
  if (!stall.culprit) {
    const bool has_vc = stall.cause == StallCause::no_credit;
    return {has_vc ? ChannelCycle::round_trip : ChannelCycle::virtual_channel};
  }
  // The holder of the VC waits at this channel, that of the slot in the buffer behind it.
  const bool is_vc = stall.cause == StallCause::vc_taken;
  const NodeId where =
      is_vc ? stall.node : *topology_.neighbour(stall.node, topology_.channel_port(*stall.channel));
  const auto of_culprit = stalls_.find(*stall.culprit);
  if (of_culprit != stalls_.end()) {
    const Interval* const next = of_culprit->second.at(cycle, [&](const Interval& other) {
      if (other.node != where || &other == &stall) return false;
      if (is_vc) return other.channel == stall.channel;
      // Of a worm that comes back to a node, flits wait there for those before them.
      return other.message != stall.message || other.flit < stall.flit;
    });
    if (next != nullptr) return cause_of(*next, cycle, chain);
  }
  if (is_vc && moves(*stall.channel, cycle)) return {ChannelCycle::behind_busy, *stall.channel};
  // The buffer behind frees a slot, whose credit is in flight.
  if (!is_vc) return {ChannelCycle::round_trip};
  return cause_of_worm(*stall.culprit, cycle, chain);
}

ChannelTimes::Cause ChannelTimes::idle_cause(ChannelId channel, Cycle cycle) const {
  const auto any = [](const Interval&) { return true; };
  std::vector<const Interval*> chain;
  const Channel& here = channels_[channel];
  if (const Interval* const stall = here.wanted.at(cycle, any)) return cause_of(*stall, cycle, chain);
  if (const Interval* const worm = here.held.at(cycle, any)) {
    return cause_of_worm(worm->message, cycle, chain);
  }
  const auto& worms = here.held.all();
  const auto& waits = here.wanted.all();
  if (worms.empty() && waits.empty()) return {ChannelCycle::unused};
  const bool has_begun =
      (!worms.empty() && worms.front().from < cycle) || (!waits.empty() && waits.front().from < cycle);
  if (!has_begun) return {ChannelCycle::before};
  const bool goes_on =
      (!worms.empty() && worms.back().from > cycle) || (!waits.empty() && waits.back().from > cycle);
  return {goes_on ? ChannelCycle::between : ChannelCycle::after};
}

ChannelTime ChannelTimes::of(ChannelId channel, Cycle cycles) const {
  ChannelTime time;
  const std::vector<Cycle>& hops = channels_[channel].hops;
  auto hop = hops.begin();
  for (Cycle cycle = 0; cycle < cycles_run(cycles); ++cycle) {
    while (hop != hops.end() && *hop < cycle) ++hop;
    if (hop != hops.end() && *hop == cycle) {
      ++time.cycles[static_cast<unsigned>(ChannelCycle::busy)];
      continue;
    }
    const Cause cause = idle_cause(channel, cycle);
    ++time.cycles[static_cast<unsigned>(cause.cycle)];
    if (cause.cycle == ChannelCycle::behind_busy) ++time.behind[cause.behind];
  }
  return time;
}

ChannelTimes read_channel_times(const std::filesystem::path& trace, const Topology& topology) {
  FlitTraceReader reader(trace);
  if (reader.topology() != topology) {
    throw InputError("{}: is the trace of another network", printable(trace.string()));
  }
  ChannelTimes times(topology);
  while (const auto event = reader.next()) times.take(*event);
  times.finish();
  return times;
}

nlohmann::ordered_json why_json(const Topology& topology, ChannelId channel, const ChannelTime& time) {
  using Json = nlohmann::ordered_json;
  Json cycles = Json::object();
  for (unsigned i = 0; i < kChannelCycles; ++i) cycles[kChannelCycleTable[i].name] = time.cycles[i];
  Json behind = Json::array();
  for (const auto& [other, count] : time.behind)
    behind.push_back({{"channel", topology.channel_name(other)}, {"cycles", count}});
  return {{"channel", topology.channel_name(channel)},
          {"cycles", std::move(cycles)},
          {"behind", std::move(behind)}};
}

std::string why_text(const Topology& topology, ChannelId channel, Cycle cycles, const ChannelTime& time) {
  std::string text = fmt::format("channel {} in the {} of the run:\n", topology.channel_name(channel),
                                 counted(cycles, "cycle", "cycles"));
  for (unsigned i = 0; i < kChannelCycles; ++i) {
    if (time.cycles[i] == 0) continue;
    text += fmt::format("  {:>10}  {:>5.1f}%  {}\n", time.cycles[i],
                        100 * static_cast<double>(time.cycles[i]) / static_cast<double>(cycles),
                        kChannelCycleTable[i].text);
  }
  for (const auto& [other, count] : time.behind) {
    text += fmt::format("  of these, {} for {}\n", count, topology.channel_name(other));
  }
  return text;
}

}  // namespace flitscope
