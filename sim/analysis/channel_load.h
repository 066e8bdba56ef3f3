// The load of links without a simulation: messages of a step, bytes of a schedule, paths of all pairs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/schedule.h"
#include "model/topology.h"
#include "routers/routing/paths.h"

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
  /// Links that carry any message.
  std::uint64_t used_links = 0;
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

  /// The load of one step. Requires that every message's nodes and path exist (see route_exists).
  StepLoad count(std::span<const Message> messages);

  /// The same message by message: start a step, add its messages, read the load so far.
  void start_step();
  /// `first_port`: of the network by which the message goes (Topology::first_port).
  void add(const Message& message, unsigned first_port = 0);
  [[nodiscard]] const StepLoad& load() const { return load_; }
  [[nodiscard]] const Paths& paths() const { return paths_; }

  /// Messages on one link in the step counted last.
  [[nodiscard]] std::uint32_t load_of(ChannelId channel) const { return counts_[channel]; }

 private:
  Paths paths_;
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
};

/// Consumes all steps of `schedule`. All its nodes and paths must exist.
[[nodiscard]] LinkVolume link_volume(Schedule& schedule, const Paths& paths);
/// Of messages that follow their routes.
[[nodiscard]] LinkVolume link_volume(Schedule& schedule);

/// V*: the least that the busiest link of a torus of p nodes and D dimensions can carry in an all-reduce of a
/// vector of n bytes without reduction in routers, 2n (p-1)/p for each node's 2D links; of one half, half of
/// it.
[[nodiscard]] double least_all_reduce_volume(const Topology& torus, std::uint64_t bytes);

/// Over all pairs of nodes that are not missing.
struct PathsOfPairs {
  double links_mean = 0;           ///< of a path
  std::uint64_t busiest_link = 0;  ///< pairs whose path uses the link with most paths
};

struct FaultCost {
  PathsOfPairs with_faults;
  PathsOfPairs whole;
};

/// What faults cost: paths around missing links and nodes, against those of the whole network. Both by the
/// same routing function, one that follows no routes. `topology` must be a torus or mesh of which something
/// is missing.
[[nodiscard]] FaultCost fault_cost(const Topology& topology, const std::string& routing);

}  // namespace flitscope
