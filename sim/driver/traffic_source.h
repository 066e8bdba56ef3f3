// Sources of synthetic traffic, and their messages in flight.
#pragma once

#include <algorithm>
#include <boost/circular_buffer.hpp>
#include <cstdint>
#include <vector>

#include "model/machine.h"
#include "model/random.h"
#include "model/route.h"
#include "model/topology.h"
#include "model/types.h"
#include "routers/engine/agenda.h"
#include "traffic/traffic.h"

namespace flitscope {

/// Messages in flight by rising number.
class SentMessages {
 public:
  struct Record {
    NodeId source = 0;
    NodeId destination = 0;
    std::uint32_t flits = 0;  ///< 0: arrived
    Route route;
    std::uint32_t traffic_class = 0;  ///< counted from 0
    std::uint32_t round_trip = 0;     ///< of a protocol
  };

  /// Adds the next message.
  void add(const Record& record) {
    if (ring_.full()) ring_.set_capacity(std::max<std::size_t>(4, 2 * ring_.capacity()));
    ring_.push_back(record);
  }
  /// Removes message `number`, from 1.
  [[nodiscard]] Record take(std::uint64_t number) {
    Record& record = ring_[number - first_];
    const Record taken = record;
    record.flits = 0;
    for (; !ring_.empty() && ring_.front().flits == 0; ++first_) ring_.pop_front();
    return taken;
  }
  [[nodiscard]] std::uint64_t next_number() const { return first_ + ring_.size(); }

 private:
  boost::circular_buffer<Record> ring_;
  std::uint64_t first_ = 1;
};

/// A generated message; its destination may be its source.
struct GeneratedMessage {
  NodeId source = 0;
  NodeId destination = 0;
  Route route;
  std::uint32_t flits = 1;
  std::uint32_t size = 0;  ///< which of the configuration's sizes, counted from 0
};

/// The sources of all nodes (docs/timing.md, "Synthetic traffic"). Every node has random numbers of its own,
/// so its messages depend on the seed and its number alone.
class TrafficSource {
 public:
  /// All must outlive it but `config`. The configuration has been checked (require_possible).
  TrafficSource(const Topology& topology, const MachineConfig& machine, const TrafficConfig& config,
                const TrafficPattern& pattern);

  /// Number of the class that its messages are of.
  [[nodiscard]] std::uint32_t message_class() const { return message_class_; }
  /// The next cycle with a generated message; kNever if there is none.
  [[nodiscard]] Cycle next() const { return next_; }

  /// The next message of a node whose load is 0, in any cycle. It draws all but the time.
  [[nodiscard]] GeneratedMessage draw(NodeId node);

  /// Calls visit(message) for every message of cycle `now`, by number of node. Requires now == next().
  template <typename Visit>
  void generate(Cycle now, Visit visit) {
    const Cycle agenda_cycle = now + 1;
    agenda_.advance(agenda_cycle);
    agenda_.visit(agenda_cycle, [&](NodeId node) {
      const GeneratedMessage message = generate_at(node, now);
      if (message.destination != node || self_) visit(message);
    });
    find_next(agenda_cycle);
  }

 private:
  struct Node {
    RandomStream random;
    std::uint64_t messages = 0;
    /// on-off: cycles of the present burst from the next one on.
    std::uint64_t burst_left = 0;
    /// periodic: the fraction of a cycle left from the last interval.
    std::uint64_t remainder = 0;
  };
  struct Size {
    std::uint64_t below = 0;  ///< random numbers below are for this size or a smaller one
    std::uint32_t flits = 1;
  };

  void find_next(Cycle agenda_cycle);
  [[nodiscard]] GeneratedMessage generate_at(NodeId node, Cycle now);
  [[nodiscard]] std::uint32_t draw_size(RandomStream& random) const;
  /// The shortest route; of two equal directions one is drawn unless ties go to plus, then one of several
  /// drawn paths.
  [[nodiscard]] Route draw_route(NodeId source, NodeId destination, RandomStream& random) const;
  /// The first cycle from `from` on in which a node generates a message; the last one had `flits` flits.
  [[nodiscard]] Cycle draw_cycle(NodeId node, Cycle from, std::uint32_t flits);
  [[nodiscard]] Cycle draw_in_bursts(NodeId node, Cycle from);
  void schedule_first(NodeId node);
  [[nodiscard]] const Geometric& gap(NodeId node) const { return gaps_[gaps_.size() == 1 ? 0 : node]; }
  [[nodiscard]] std::uint64_t rate(NodeId node) const { return rates_[rates_.size() == 1 ? 0 : node]; }

  Topology topology_;  ///< the network of its messages
  const TrafficPattern& pattern_;
  Injection process_;
  Ties ties_;
  std::uint32_t drawn_paths_;
  bool self_;
  std::uint32_t message_class_;
  std::vector<Size> sizes_;
  /// One for all nodes, or one each. Trials until a message is generated, in cycles or in those of bursts.
  std::vector<Geometric> gaps_;
  Geometric burst_;
  Geometric pause_;
  double burst_share_ = 1;
  /// periodic: flits of 10^15 cycles, for all nodes or each.
  std::vector<std::uint64_t> rates_;
  Cycle start_;
  Cycle end_;  ///< kNever: never
  std::vector<Node> nodes_;
  Agenda agenda_;  ///< with cycle t as t + 1, since it finds the cycle after a given one
  Cycle next_ = kNever;
};

}  // namespace flitscope
