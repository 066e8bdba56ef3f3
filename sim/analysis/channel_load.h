// How many messages of a step use each link.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "model/schedule.h"
#include "model/topology.h"
#include "routers/routing/paths.h"
#include "sim/analysis/stamped_counts.h"

namespace flitscope {

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

/// Counts the messages on every link, one step at a time. The work of a step is proportional to the links
/// its messages travel, not to the links there are.
class ChannelLoad {
 public:
  static constexpr std::uint64_t kMemoryLimit = std::uint64_t{8} << 30;

  /// Throws Inadmissible("topology.shape") if counters for all links would take more than `limit_bytes`.
  explicit ChannelLoad(Paths ways, std::uint64_t limit_bytes = kMemoryLimit);
  /// Of messages that follow their routes.
  explicit ChannelLoad(const Topology& topology, std::uint64_t limit_bytes = kMemoryLimit)
      : ChannelLoad(Paths(topology), limit_bytes) {}

  /// The load of one step. Requires that every message's nodes and way exist (see route_exists).
  StepLoad count(std::span<const Message> messages);

  /// The same message by message: start a step, add its messages, read the load so far.
  void start_step();
  void add(const Message& message);
  [[nodiscard]] const StepLoad& load() const { return load_; }
  [[nodiscard]] const Paths& ways() const { return ways_; }

  /// Messages on one link in the step counted last.
  [[nodiscard]] std::uint32_t load_of(ChannelId channel) const { return counts_[channel]; }

 private:
  Paths ways_;
  StampedCounts counts_;
  StepLoad load_;
};

}  // namespace flitscope
