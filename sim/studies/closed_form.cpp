// Cycles of a schedule where no message waits for another one.
#include <algorithm>
#include <map>
#include <utility>

#include "model/route.h"
#include "model/schedule.h"
#include "sim/analysis/channel_load.h"
#include "sim/studies/studies.h"

namespace flitscope {

namespace closed_forms {
namespace {

/// docs/timing.md, "Zero-load latency".
class MessageTime {
 public:
  explicit MessageTime(const MachineConfig& machine)
      : machine_(machine),
        delays_(machine.startup + machine.router_delay + machine.link_delay),
        shortest_(machine.link_delay),
        channels_{{machine.injection_interval, 0}} {}

  /// Adds a link of the path.
  void add(LinkTime link) {
    delays_ += machine_.router_delay + link.delay;
    shortest_ = std::min(shortest_, link.delay);
    channels_.push_back({link.cycles_per_flit, channels_.back().head_waits + head_waits()});
  }
  [[nodiscard]] Cycle of(std::uint64_t flits) const {
    const Channel ejection{machine_.ejection_interval, channels_.back().head_waits + head_waits()};
    const auto lag = [&](const Channel& channel) { return channel.interval.times_rounded_down(flits - 1); };
    if (machine_.switching == Switching::store_and_forward) {
      Cycle time = delays_ + ejection.head_waits + lag(ejection);
      for (const Channel& channel : channels_) time += lag(channel);
      return time;
    }
    Cycle most = ejection.head_waits + lag(ejection);
    for (const Channel& channel : channels_) most = std::max(most, channel.head_waits + lag(channel));
    return delays_ + most;
  }
  /// Whether all its channels are free again when messages of the next step come: those pass two routers at
  /// least, before and behind a channel.
  [[nodiscard]] bool frees_channels() const {
    const Cycle gap = machine_.startup + 2 * (Cycle{machine_.router_delay} + shortest_);
    return machine_.ejection_interval <= gap && std::ranges::all_of(channels_, [&](const Channel& channel) {
             return channel.interval.rounded_up() <= gap;
           });
  }

 private:
  struct Channel {
    Ratio interval;
    Cycle head_waits = 0;  ///< of the head in the routers before it, for its VCs
  };

  /// In a router.
  [[nodiscard]] Cycle head_waits() const { return machine_.head_delay() - machine_.router_delay; }

  const MachineConfig& machine_;
  Cycle delays_;                   ///< of every flit
  std::uint32_t shortest_;         ///< delay of its links and of the ejection channel
  std::vector<Channel> channels_;  ///< but for the ejection channel
};

struct Arrival {
  NodeId node = 0;
  Cycle time = 0;
  Cycle combining = 0;
};

/// When all have arrived and are combined, one after the other at each node.
Cycle end_of(std::vector<Arrival> arrivals) {
  std::ranges::stable_sort(arrivals, {}, &Arrival::time);
  std::map<NodeId, Cycle> free;
  Cycle end = 0;
  for (const Arrival& arrival : arrivals) {
    Cycle& memory = free[arrival.node];
    const Cycle done =
        arrival.combining == 0 ? arrival.time : std::max(memory, arrival.time) + arrival.combining;
    if (arrival.combining != 0) memory = done;
    end = std::max(end, done);
  }
  return end;
}

std::optional<Cycle> cycles_of(const Step& step, const ScheduleFacts& facts, const MachineConfig& machine,
                               ChannelLoad& load) {
  // Channels of the nodes that are used: one a port, or as many as the machine says.
  std::map<std::pair<NodeId, unsigned>, unsigned> injections;
  std::map<std::pair<NodeId, unsigned>, unsigned> ejections;
  const auto has_channel = [&](auto& used, NodeId node, unsigned port) {
    return ++used[{node, machine.ports ? 0 : port}] <= machine.ports.value_or(1);
  };
  load.start_step();
  std::vector<Arrival> arrivals;
  for (const Message& message : step.messages()) {
    if (message.source == message.destination) return std::nullopt;
    load.add(message);
    const unsigned first = load.paths().first_port(message.source, message.destination, message.route);
    unsigned last = first;
    MessageTime time(machine);
    load.paths().for_each_channel(message.source, message.destination, message.route, [&](ChannelId channel) {
      last = facts.topology.channel_port(channel);
      time.add(machine.link(facts.topology, channel));
    });
    if (!time.frees_channels() || !has_channel(injections, message.source, first) ||
        !has_channel(ejections, message.destination, last)) {
      return std::nullopt;
    }
    if (message.rearranged_bytes != 0 && machine.copy_cycles_per_byte != Decimal()) return std::nullopt;
    if (message.extras != 0) return std::nullopt;
    const std::uint64_t flits = flits_of(message_bytes(facts.collective, step, message), machine.flit_bytes);
    arrivals.push_back(
        {message.destination, time.of(flits),
         machine.reduce_cycles_per_byte.times_rounded_up(reduced_bytes(facts.collective, step, message))});
  }
  if (load.load().max_load > 1) return std::nullopt;
  return end_of(std::move(arrivals));
}

}  // namespace
}  // namespace closed_forms

std::optional<Cycle> closed_form(Schedule& schedule, const MachineConfig& machine) {
  const Cycle credit_loop = machine.credit_loop(machine.longest_link().delay);
  const std::uint64_t interval = std::max(machine.injection_interval, machine.ejection_interval);
  if (interval * machine.window() < credit_loop) return std::nullopt;
  ChannelLoad load(Paths(schedule.facts().topology, machine.routing));
  Cycle sum = 0;
  for (Step step; schedule.next(step);) {
    const auto cycles = closed_forms::cycles_of(step, schedule.facts(), machine, load);
    if (!cycles) return std::nullopt;
    sum += *cycles;
  }
  return sum;
}

}  // namespace flitscope
