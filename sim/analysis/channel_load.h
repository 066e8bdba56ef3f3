// The load of links without a simulation: messages of a step, bytes of a schedule, paths of all pairs,
// synthetic traffic.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/machine.h"
#include "model/schedule.h"
#include "model/topology.h"
#include "routers/routing/paths.h"
#include "sim/analysis/path_enumerator.h"
#include "traffic/traffic.h"

namespace flitscope {

/// One counter for each index. clear() takes O(1): a counter whose stamp is older than the last clear() is
/// zero.
class StampedCounts {
 public:
  explicit StampedCounts(std::size_t size) : counters_(size) {}

  void clear() {
    if (++now_ != 0) return;
    std::ranges::fill(counters_, Counter{});
    now_ = 1;
  }

  /// Returns the new count.
  std::uint32_t increment(std::size_t index) {
    Counter& counter = counters_[index];
    if (counter.stamp != now_) counter = {now_, 0};
    return ++counter.count;
  }

  [[nodiscard]] std::uint32_t operator[](std::size_t index) const {
    const Counter& counter = counters_[index];
    return counter.stamp == now_ ? counter.count : 0;
  }

 private:
  struct Counter {
    std::uint32_t stamp = 0;
    std::uint32_t count = 0;
  };
  std::vector<Counter> counters_;
  std::uint32_t now_ = 1;
};

/// How the messages of one step share the links.
struct StepLoad {
  /// Most messages on one link.
  std::uint32_t max_load = 0;
  /// The link with that many, the one of lowest number if there are several; nothing in a step without hops.
  std::optional<ChannelId> busiest;
  /// Links that carry more than one message.
  std::uint64_t shared_links = 0;
  /// Links travelled by all messages together.
  std::uint64_t hops = 0;
};

/// Counts the messages on every link, one step at a time, in time proportional to the links that the messages
/// of the step travel.
class ChannelLoad {
 public:
  static constexpr std::uint64_t kMemoryLimit = std::uint64_t{8} << 30;

  /// Throws Inadmissible("topology.shape") if counters for all links would take more than `limit_bytes`.
  explicit ChannelLoad(Paths paths, std::uint64_t limit_bytes = kMemoryLimit);
  /// Of messages that follow their routes.
  explicit ChannelLoad(const Topology& topology, std::uint64_t limit_bytes = kMemoryLimit)
      : ChannelLoad(Paths(topology), limit_bytes) {}
  /// Of messages of all networks of a topology, each along the paths of its network.
  ChannelLoad(const Topology& topology, const std::string& routing);

  /// The load of one step. Requires that every message's nodes and path exist (see route_exists).
  StepLoad count(std::span<const Message> messages);

  /// The same message by message: start a step, add its messages, read the load so far.
  void start_step();
  void add(const Message& message, unsigned network = 0);
  [[nodiscard]] const StepLoad& load() const { return load_; }
  /// Those of a network alone.
  [[nodiscard]] const Paths& paths(unsigned network = 0) const { return paths_[network]; }

  /// Messages on one link in the step counted last.
  [[nodiscard]] std::uint32_t load_of(ChannelId channel) const { return counts_[channel]; }

 private:
  Topology topology_;
  std::vector<Paths> paths_;  ///< by network
  StampedCounts counts_;
  StepLoad load_;
};

/// Bytes of data, without headers.
struct LinkVolume {
  /// Over all steps on the link that carries most.
  std::uint64_t busiest_link = 0;
  /// The sum over the steps of the bytes on the busiest link of each: the time of steps that wait for one
  /// another.
  std::uint64_t busiest_of_steps = 0;
  /// On all links together.
  std::uint64_t total = 0;
  std::vector<std::uint64_t> of_links;  ///< over all steps, by channel
};

/// Consumes all steps of `schedule`. All its nodes and paths must exist.
[[nodiscard]] LinkVolume link_volume(Schedule& schedule, const Paths& paths);

/// Over all pairs of nodes that are not missing.
struct PathsOfPairs {
  double links_mean = 0;           ///< of a path
  std::uint64_t busiest_link = 0;  ///< pairs whose path uses the link with most paths
};

struct FaultCost {
  PathsOfPairs with_faults;
  /// Nothing with given routes: there are none for the whole network.
  std::optional<PathsOfPairs> whole;
};

/// What faults cost: paths around missing links and nodes, against those of the whole network. Both by the
/// same routing function, one that follows no routes. `topology` must be a network of which something is
/// missing.
[[nodiscard]] FaultCost fault_cost(const Topology& topology, const std::string& routing);

// The load of synthetic traffic on links and nodes, without a run.

/// On the paths of the routing function, with ties as the configuration has them. Loads are flits per cycle
/// for an offered load of one flit per node and cycle.
///
/// A deterministic function has one path for two nodes and their ties, so its loads are exact. An adaptive
/// one has the least loads that a cut of the network leaves it: any path on a mesh, and a minimal one on a
/// torus, crosses every plane between two neighbouring coordinates that it must cross, any other path enters
/// its destination, and what crosses a cut is spread over its links in proportion to their capacity. No other
/// choice of paths loads all links of a cut less.
struct TrafficLoad {
  /// Links that a message travels, on average over all messages that are sent.
  double hops_mean = 0;
  /// Flits sent per node and cycle: below 1 if nodes send nothing to themselves.
  double sent = 0;
  /// Of the link that is busy for the most cycles, and which it is (the first of several); nothing if the
  /// routing function chooses among links.
  double max_channel_load = 0;
  std::optional<ChannelId> busiest;
  /// Of every link, by number.
  std::vector<double> channels;
  /// Cycles of the injection channels of every node together, startups included, and of its ejection
  /// channels.
  std::vector<double> injection_cycles;
  std::vector<double> ejection_cycles;
  /// Cycles of every injection channel, node after node, where a message can only take that of its first link
  /// and the channel can be slower than the link; empty elsewhere, and where they would take too long.
  std::vector<double> port_injection_cycles;

  /// What is always busy first, and the offered load from which on it is; load 0 if nothing is ever busy.
  struct Limit {
    enum class Of : std::uint8_t { links, injection, ejection };
    double load = 0;
    Of of = Of::links;
    NodeId node = 0;  ///< of injection and ejection channels
  };
  /// Its load is an upper bound of saturation.
  Limit limit;
  /// The load of the limit beside other traffic; 0 if that alone saturates the network.
  [[nodiscard]] double ideal_saturation(const Topology& topology, const MachineConfig& machine,
                                        const TrafficLoad& beside) const;
  /// Cycles that a message spends on links, on average.
  [[nodiscard]] double mean_link_delay(const Topology& topology, const MachineConfig& machine) const;
};

/// One of several kinds of traffic, and its weight.
struct LoadPart {
  const TrafficLoad& load;
  double part = 1;
};
/// The sum of at least one kind of traffic, each times its weight: shares that add up to 1, or loads in flits
/// per node and cycle.
[[nodiscard]] TrafficLoad sum_of(const std::vector<LoadPart>& parts, const Topology& topology,
                                 const MachineConfig& machine);

/// Whether the routing function of this machine chooses among several links.
[[nodiscard]] bool chooses_links(const Topology& topology, const MachineConfig& machine);

/// `message_flits`: flits of a message on average, among which its startup is divided. Sums are exact,
/// rounded once at the end, but for parts of drawn paths and for injection channels. Nothing if it would take
/// more than `limit` steps (see LinkSums).
[[nodiscard]] std::optional<TrafficLoad> traffic_load(const Topology& topology, const MachineConfig& machine,
                                                      const TrafficConfig& config,
                                                      const TrafficPattern& pattern, double message_flits,
                                                      double limit = 5e8);

// The flows of synthetic traffic, as an analysis of deadlock looks at them.

/// Calls visit(flow) until it returns false, for every node and all others to which traffic has it send, by
/// the shortest paths; returns whether it never did.
bool for_each_pair(const Topology& all, const MachineConfig& machine, const TrafficConfig& traffic,
                   const TrafficPattern& pattern, const std::function<bool(const Flow&)>& visit);

}  // namespace flitscope
