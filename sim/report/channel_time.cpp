#include "sim/report/channel_time.h"

#include <fmt/format.h>

#include <utility>

#include "model/error.h"
#include "model/text.h"
#include "routers/engine/neighbours.h"

namespace flitscope {

template <typename Item>
void ChannelTimes::Intervals<Item>::sort() {
  std::ranges::stable_sort(all_, {}, &Item::begin);
  Cycle latest = 0;
  for (const Item* const item : all_) latest_end_.push_back(latest = std::max(latest, item->end));
}

template <typename Item>
template <typename Fits>
const Item* ChannelTimes::Intervals<Item>::at(Cycle cycle, const Fits& fits) const {
  // All before the first whose end raises the latest one to the cycle are over.
  const auto first = std::ranges::lower_bound(latest_end_, cycle) - latest_end_.begin();
  for (auto i = static_cast<std::size_t>(first); i < all_.size() && all_[i]->begin <= cycle; ++i) {
    if (all_[i]->end >= cycle && fits(*all_[i])) return all_[i];
  }
  return nullptr;
}

ChannelTimes::ChannelTimes(TracedWorms worms, const MachineConfig& machine)
    : worms_(std::move(worms)), channels_(worms_.topology.channel_ids()), stalls_(worms_.messages.size()) {
  const auto id = [&](const Passage& passage) { return worms_.messages[passage.message].id; };
  std::ranges::stable_sort(worms_.passages, {}, id);
  for (const Passage& passage : worms_.passages) {
    Channel& channel = channels_[passage.channel];
    channel.held.add(passage);
    for (const TracedWorms::Run& run : passage.runs) {
      for (Cycle flit = 0; flit < run.flits; ++flit) channel.hops.push_back(run.begin + flit);
    }
  }
  for (const Stall& stall : worms_.stalls) {
    stalls_[stall.message].add(stall);
    if (stall.channel) channels_[*stall.channel].wanted.add(stall);
  }
  for (ChannelId number = 0; number < channels_.size(); ++number) {
    Channel& channel = channels_[number];
    std::ranges::sort(channel.hops);
    channel.held.sort();
    channel.wanted.sort();
    if (channel.hops.empty()) continue;
    LinkInterval link{machine.link(worms_.topology, number).cycles_per_flit};
    if (link.cycles == Ratio(1)) continue;
    for (const Cycle hop : channel.hops) {
      link.take(hop, 0);
      channel.free_from.push_back(link.free_from);
    }
  }
  for (Intervals<Stall>& intervals : stalls_) intervals.sort();
}

bool ChannelTimes::is_busy(ChannelId channel, Cycle cycle) const {
  const auto& [hops, free_from, held, wanted] = channels_[channel];
  const auto behind = std::ranges::upper_bound(hops, cycle) - hops.begin();
  if (behind == 0) return false;
  const auto last = static_cast<std::size_t>(behind - 1);
  return hops[last] == cycle || (!free_from.empty() && free_from[last] > cycle);
}

ChannelTimes::Cause ChannelTimes::cause_of_worm(std::uint32_t message, Cycle cycle,
                                                std::vector<const Stall*>& chain) const {
  const Stall* const stall = stalls_[message].at(cycle);
  if (stall == nullptr) return {ChannelCycle::in_flight};
  return cause_of(*stall, cycle, chain);
}

ChannelTimes::Cause ChannelTimes::cause_of(const Stall& stall, Cycle cycle,
                                           std::vector<const Stall*>& chain) const {
  if (std::ranges::count(chain, &stall) > 0) return {ChannelCycle::deadlock};
  chain.push_back(&stall);
  if (stall.cause == StallCause::switch_lost) {
    const bool is_behind_slow_link =
        stall.channel && !channels_[*stall.channel].free_from.empty() && is_busy(*stall.channel, cycle);
    return is_behind_slow_link ? Cause{ChannelCycle::behind_busy, *stall.channel}
                               : Cause{ChannelCycle::arbitration};
  }
  // All other causes of flits without a link are of their destination.
  if (!stall.channel) return {ChannelCycle::ejection};
  if (!stall.culprit) {
    const bool has_vc = stall.cause == StallCause::no_credit;
    return {has_vc ? ChannelCycle::round_trip : ChannelCycle::virtual_channel};
  }
  // The holder of the VC waits at this channel, that of the slot in the buffer behind it.
  const bool is_vc = stall.cause == StallCause::vc_taken;
  const Topology& topology = worms_.topology;
  const NodeId where =
      is_vc ? stall.node : *topology.neighbour(stall.node, topology.channel_port(*stall.channel));
  const Stall* const next = stalls_[*stall.culprit].at(cycle, [&](const Stall& other) {
    if (other.node != where || &other == &stall) return false;
    if (is_vc) return other.channel == stall.channel;
    // Of a worm that comes back to a node, flits wait there for those before them.
    return other.message != stall.message || other.flit < stall.flit;
  });
  if (next != nullptr) return cause_of(*next, cycle, chain);
  if (is_vc && is_busy(*stall.channel, cycle)) return {ChannelCycle::behind_busy, *stall.channel};
  // The buffer behind frees a slot, whose credit is in flight.
  if (!is_vc) return {ChannelCycle::round_trip};
  return cause_of_worm(*stall.culprit, cycle, chain);
}

ChannelTimes::Cause ChannelTimes::idle_cause(ChannelId channel, Cycle cycle) const {
  std::vector<const Stall*> chain;
  const auto& [hops, free_from, held, wanted] = channels_[channel];
  if (const Stall* const stall = wanted.at(cycle)) return cause_of(*stall, cycle, chain);
  if (const Passage* const worm = held.at(cycle)) return cause_of_worm(worm->message, cycle, chain);
  if (held.empty() && wanted.empty()) return {ChannelCycle::unused};
  if (!held.begin_before(cycle) && !wanted.begin_before(cycle)) return {ChannelCycle::before};
  const bool goes_on = held.go_on_behind(cycle) || wanted.go_on_behind(cycle);
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
    const Cause cause = is_busy(channel, cycle) ? Cause{ChannelCycle::interval} : idle_cause(channel, cycle);
    ++time.cycles[static_cast<unsigned>(cause.cycle)];
    if (cause.cycle == ChannelCycle::behind_busy) ++time.behind[cause.behind];
  }
  return time;
}

ChannelTimes read_channel_times(const std::filesystem::path& trace, const Topology& topology,
                                const MachineConfig& machine) {
  TracedWorms worms = read_worms(trace);
  if (worms.topology != topology) {
    throw InputError("{}: is the trace of another network", printable(trace.string()));
  }
  return {std::move(worms), machine};
}

Json why_json(const Topology& topology, ChannelId channel, const ChannelTime& time) {
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
                                 counted(cycles, "cycle"));
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
