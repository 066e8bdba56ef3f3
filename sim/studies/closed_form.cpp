// What a collective takes at best: bytes on the busiest link, and cycles where no message waits for another
// one.
#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "algorithms/algorithm.h"
#include "model/route.h"
#include "model/schedule.h"
#include "sim/analysis/channel_load.h"
#include "sim/studies/studies.h"

namespace flitscope {

namespace closed_forms {
namespace {

/// Links out of a node or into it, whichever are more, of the node that has fewest.
unsigned fewest_links(const Topology& topology) {
  const Participants participants(topology);
  unsigned fewest = topology.link_ports();
  for (NodeId place = 0; place < participants.count(); ++place) {
    unsigned out = 0;
    unsigned in = 0;
    for (unsigned port = 0; port < topology.link_ports(); ++port) {
      out += topology.neighbour(participants[place], port) ? 1 : 0;
      in += topology.upstream(participants[place], port) ? 1 : 0;
    }
    fewest = std::min(fewest, std::max(out, in));
  }
  return fewest;
}

/// Of a message that is dealt out, what the other nodes get if the root has the largest part.
double bytes_of_others(std::uint64_t message, std::uint64_t nodes) {
  return static_cast<double>(message - (message + nodes - 1) / nodes);
}

/// On any network: the bytes that every node has to send or receive.
double least_bytes_at_a_node(const std::string& collective, const Topology& topology, std::uint64_t message) {
  const double nodes = Participants(topology).count();
  const double others = static_cast<double>(message) * (nodes - 1) / nodes;
  if (collective == "scatter" || collective == "gather")
    return bytes_of_others(message, Participants(topology).count()) / topology.link_ports();  // of the root
  const double links = fewest_links(topology);
  if (collective == "all-reduce") return 2 * others / links;
  return (collective == "reduce" || collective == "broadcast" ? static_cast<double>(message) : others) /
         links;
}

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

/// See closed_form().
class ClosedForm {
 public:
  ClosedForm(const ScheduleFacts& facts, const MachineConfig& machine)
      : facts_(facts), machine_(machine), load_(Paths(facts.topology, machine.routing)) {}

  [[nodiscard]] std::optional<Cycle> of(Schedule& schedule) {
    const Cycle credit_loop = machine_.credit_loop(machine_.longest_link().delay);
    const std::uint64_t interval = std::max(machine_.injection_interval, machine_.ejection_interval);
    if (interval * machine_.window() < credit_loop) return std::nullopt;
    Cycle sum = 0;
    for (Step step; schedule.next(step);) {
      const auto cycles = of_step(step);
      if (!cycles) return std::nullopt;
      sum += *cycles;
    }
    return sum;
  }

 private:
  struct Arrival {
    NodeId node = 0;
    Cycle time = 0;
    Cycle combining = 0;
  };

  [[nodiscard]] std::optional<Cycle> of_step(const Step& step) {
    const Topology& topology = facts_.topology;
    const Paths& paths = load_.paths();
    load_.start_step();
    injections_.clear();
    ejections_.clear();
    std::vector<Arrival> arrivals;
    for (const Message& message : step.messages()) {
      if (message.source == message.destination) return std::nullopt;
      load_.add(message);
      const unsigned first = paths.first_port(message.source, message.destination, message.route);
      unsigned last = first;
      MessageTime time(machine_);
      paths.for_each_channel(message.source, message.destination, message.route, [&](ChannelId channel) {
        last = topology.channel_port(channel);
        time.add(machine_.link(topology, channel));
      });
      if (!time.frees_channels()) return std::nullopt;
      if (!has_channel(injections_, message.source, first)) return std::nullopt;
      if (!has_channel(ejections_, message.destination, last)) return std::nullopt;
      if (message.rearranged_bytes != 0 && machine_.copy_cycles_per_byte != Decimal()) return std::nullopt;
      if (message.extras != 0) return std::nullopt;
      const std::uint64_t flits =
          flits_of(message_bytes(facts_.collective, step, message), machine_.flit_bytes);
      arrivals.push_back({message.destination, time.of(flits),
                          machine_.reduce_cycles_per_byte.times_rounded_up(
                              reduced_bytes(facts_.collective, step, message))});
    }
    if (load_.load().max_load > 1) return std::nullopt;
    return end_of(std::move(arrivals));
  }

  /// False if the node has no channel left in this step: one a port, or as many as the machine says.
  [[nodiscard]] bool has_channel(std::map<std::pair<NodeId, unsigned>, unsigned>& used, NodeId node,
                                 unsigned port) const {
    return ++used[{node, machine_.ports ? 0 : port}] <= machine_.ports.value_or(1);
  }

  [[nodiscard]] static Cycle end_of(std::vector<Arrival> arrivals) {
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

  const ScheduleFacts& facts_;
  const MachineConfig& machine_;
  ChannelLoad load_;
  std::map<std::pair<NodeId, unsigned>, unsigned> injections_;
  std::map<std::pair<NodeId, unsigned>, unsigned> ejections_;
};

}  // namespace
}  // namespace closed_forms

std::uint64_t gossip_bytes(std::uint64_t part, const Topology& topology) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t parts = Participants(topology).count();
  return part > kMost / parts ? kMost : part * parts;
}

double least_link_bytes(const std::string& collective, const Topology& topology, std::uint64_t message) {
  using namespace closed_forms;
  if (collective == name_of(CollectiveKind::gossip)) {
    return least_link_bytes(name_of(CollectiveKind::all_gather), topology, gossip_bytes(message, topology));
  }
  if (!topology.is_fault_free_grid() || topology.is_one_way())
    return least_bytes_at_a_node(collective, topology, message);
  const double all_reduce = least_all_reduce_volume(topology, message);
  if (collective == "all-reduce") return all_reduce;
  if (collective == "reduce-scatter" || collective == "all-gather") return all_reduce / 2;
  const double bytes = static_cast<double>(message);
  if (collective == "scatter" || collective == "gather") {
    return bytes_of_others(message, topology.nodes()) / topology.link_ports();
  }
  if (collective != "all-to-all") return bytes / topology.link_ports();
  // The busiest cut, across the longest rings.
  double least = 0;
  for (const std::uint32_t side : topology.sides()) {
    const std::uint64_t distances = std::uint64_t{side} * side / 4;
    least = std::max(least, bytes * static_cast<double>(distances) / (2.0 * side));
  }
  return least;
}

std::optional<Cycle> closed_form(Schedule& schedule, const MachineConfig& machine) {
  return closed_forms::ClosedForm(schedule.facts(), machine).of(schedule);
}

}  // namespace flitscope
