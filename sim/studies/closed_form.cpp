// Cycles of a schedule where no message waits for another one.
#include <algorithm>
#include <map>
#include <utility>

#include "model/route.h"
#include "model/schedule.h"
#include "model/zero_load_latency.h"
#include "sim/analysis/channel_load.h"
#include "sim/run/packets.h"
#include "sim/studies/studies.h"

namespace flitscope {

namespace {

/// Cycles of a message that is alone, over these links. Nothing if one of its channels may not be free again
/// when messages of the next step come: those pass two routers at least, before and behind a channel.
std::optional<Cycle> cycles_alone(const MachineConfig& machine, const std::vector<LinkTime>& links,
                                  std::uint64_t flits) {
  ZeroLoadLatency latency(machine, flits);
  Ratio slowest = std::max(machine.injection_interval, machine.ejection_interval);
  std::uint32_t shortest = machine.link_delay;
  std::uint32_t longest = 0;
  for (const LinkTime& link : links) {
    latency.pass(link);
    slowest = std::max(slowest, link.cycles_per_flit);
    shortest = std::min(shortest, link.delay);
    longest = std::max(longest, link.delay);
  }
  const Cycle gap = machine.startup + 2 * (Cycle{machine.router_delay} + shortest);
  // The next message waits for the last credit of the one before.
  const bool lacks_credits =
      machine.vc_allocation == VcAllocation::atomic && machine.credit_loop(longest) > gap;
  return slowest.rounded_up() > gap || lacks_credits ? std::nullopt : std::optional(latency.cycles());
}

struct TimedArrival {
  NodeId node = 0;
  Cycle time = 0;
  Cycle combining = 0;
};

/// When all have arrived and are combined, one after the other at each node.
Cycle end_of(std::vector<TimedArrival> arrivals) {
  std::ranges::stable_sort(arrivals, {}, &TimedArrival::time);
  std::map<NodeId, Cycle> free;
  Cycle end = 0;
  for (const TimedArrival& arrival : arrivals) {
    Cycle& memory = free[arrival.node];
    const Cycle done =
        arrival.combining == 0 ? arrival.time : std::max(memory, arrival.time) + arrival.combining;
    if (arrival.combining != 0) memory = done;
    end = std::max(end, done);
  }
  return end;
}

std::optional<Cycle> cycles_of(const Step& step, const ScheduleFacts& facts, const MachineConfig& machine,
                               const LoneWorms& worms, ChannelLoad& load) {
  // Channels of the nodes that are used: one a port, or as many as the machine says.
  std::map<std::pair<NodeId, unsigned>, unsigned> injections;
  std::map<std::pair<NodeId, unsigned>, unsigned> ejections;
  std::map<NodeId, std::uint32_t> queued;
  const auto has_channel = [&](auto& used, NodeId node, unsigned port) {
    return ++used[{node, machine.ports ? 0 : port}] <= machine.ports.value_or(1);
  };
  load.start_step();
  std::vector<TimedArrival> arrivals;
  for (const Message& message : step.messages()) {
    if (message.source == message.destination) return std::nullopt;
    if (machine.injection_queue && ++queued[message.source] > *machine.injection_queue) return std::nullopt;
    load.add(message);
    const unsigned first = load.paths().first_port(message.source, message.destination, message.route);
    unsigned last = first;
    std::vector<LinkTime> links;
    load.paths().for_each_channel(message.source, message.destination, message.route, [&](ChannelId channel) {
      last = facts.topology.channel_port(channel);
      links.push_back(machine.link(facts.topology, channel));
    });
    const auto flits =
        worms.flits(flits_of(message_bytes(facts.collective, step, message), machine.flit_bytes));
    if (!flits) return std::nullopt;
    const auto alone = cycles_alone(machine, links, *flits);
    if (!alone || !has_channel(injections, message.source, first) ||
        !has_channel(ejections, message.destination, last)) {
      return std::nullopt;
    }
    if (message.rearranged_bytes != 0 && machine.copy_cycles_per_byte != Decimal()) return std::nullopt;
    if (message.extras != 0) return std::nullopt;
    arrivals.push_back(
        {message.destination, *alone,
         machine.reduce_cycles_per_byte.times_rounded_up(reduced_bytes(facts.collective, step, message))});
  }
  if (load.load().max_load > 1) return std::nullopt;
  return end_of(std::move(arrivals));
}

}  // namespace

std::optional<Cycle> closed_form(Schedule& schedule, const ExperimentConfig& config) {
  const MachineConfig& machine = config.machine;
  const Cycle credit_loop = machine.credit_loop(machine.longest_link().delay);
  const std::uint64_t interval = std::max(machine.injection_interval, machine.ejection_interval);
  if (interval * machine.window() < credit_loop) return std::nullopt;
  const LoneWorms worms(config);
  ChannelLoad load(Paths(schedule.facts().topology, machine.routing));
  Cycle sum = 0;
  for (Step step; schedule.next(step);) {
    const auto cycles = cycles_of(step, schedule.facts(), machine, worms, load);
    if (!cycles) return std::nullopt;
    sum += *cycles;
  }
  return sum;
}

}  // namespace flitscope
