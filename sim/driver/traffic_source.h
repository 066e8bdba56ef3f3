// What the nodes of synthetic traffic generate and when, and which of it has not arrived.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/machine.h"
#include "model/random.h"
#include "model/route.h"
#include "model/topology.h"
#include "model/types.h"
#include "routers/engine/agenda.h"
#include "traffic/traffic.h"

namespace flitscope {

/// Messages that have not arrived, by their numbers: a ring that grows when it must.
class SentMessages {
 public:
  struct Record {
    NodeId source = 0;
    NodeId destination = 0;
    std::uint32_t flits = 0;  ///< 0: arrived
    Route route;
    std::uint32_t traffic_class = 0;  ///< counted from 0
  };

  /// The next message.
  void add(const Record& record) {
    if (end_ - first_ == ring_.size()) grow();
    ring_[end_++ & (ring_.size() - 1)] = record;
  }
  /// Takes out message `number`, from 1.
  [[nodiscard]] Record take(std::uint64_t number) {
    Record& record = ring_[number & (ring_.size() - 1)];
    const Record taken = record;
    record.flits = 0;
    while (first_ < end_ && ring_[first_ & (ring_.size() - 1)].flits == 0) ++first_;
    return taken;
  }
  [[nodiscard]] std::uint64_t next_number() const { return end_; }

 private:
  void grow();

  std::vector<Record> ring_;
  std::uint64_t first_ = 1;
  std::uint64_t end_ = 1;
};

/// A message that a node has generated. It may be for the node itself.
struct GeneratedMessage {
  NodeId source = 0;
  NodeId destination = 0;
  Route route;
  std::uint32_t flits = 1;
};

/// The sources of all nodes (docs/timing.md, "Synthetic traffic"). Every node has random numbers of its own,
/// so what it generates depends on nothing but the seed and its number.
class TrafficSource {
 public:
  /// All must outlive it but `config`. The configuration has been checked (require_possible).
  TrafficSource(const Topology& topology, const MachineConfig& machine, const TrafficConfig& config,
                const TrafficPattern& pattern);

  /// The next cycle in which a node generates a message; kNever if none ever does.
  [[nodiscard]] Cycle next() const { return next_; }

  /// Calls visit(message) for every message of cycle `now`, by number of node. Requires now == next().
  template <typename Visit>
  void generate(Cycle now, Visit visit) {
    const Cycle day = now + 1;
    agenda_.advance(day);
    agenda_.visit(day, [&](NodeId node) {
      const GeneratedMessage message = generate_at(node, now);
      if (message.destination != node || self_) visit(message);
    });
    find_next(day);
  }

 private:
  struct Node {
    RandomStream random;
    std::uint64_t messages = 0;
    /// on-off: cycles of the present burst from the next one on.
    std::uint64_t burst_left = 0;
    /// periodic: what of the last interval was less than a cycle, in parts of one.
    std::uint64_t remainder = 0;
  };
  struct Size {
    std::uint64_t below = 0;  ///< random numbers below are for this size or a smaller one
    std::uint32_t flits = 1;
  };

  void find_next(Cycle day);
  [[nodiscard]] GeneratedMessage generate_at(NodeId node, Cycle now);
  [[nodiscard]] std::uint32_t draw_flits(RandomStream& random) const;
  /// The shortest way; which of two equal ones is drawn, if that is wanted.
  [[nodiscard]] Route draw_route(NodeId source, NodeId destination, RandomStream& random) const;
  /// The first cycle from `from` on in which a node generates a message; the last one had `flits` flits.
  [[nodiscard]] Cycle draw_cycle(NodeId node, Cycle from, std::uint32_t flits);
  [[nodiscard]] Cycle draw_in_bursts(NodeId node, Cycle from);
  void schedule_first(NodeId node);
  [[nodiscard]] const Geometric& gap(NodeId node) const { return gaps_[gaps_.size() == 1 ? 0 : node]; }
  [[nodiscard]] std::uint64_t rate(NodeId node) const { return rates_[rates_.size() == 1 ? 0 : node]; }

  const Topology& topology_;
  const TrafficPattern& pattern_;
  Injection process_;
  Ties ties_;
  bool self_;
  std::vector<Size> sizes_;
  /// One for all nodes, or one each. Trials until a message is generated, in cycles or in those of bursts.
  std::vector<Geometric> gaps_;
  Geometric burst_;
  Geometric pause_;
  double burst_share_ = 1;
  /// periodic: flits of 10^15 cycles, likewise.
  std::vector<std::uint64_t> rates_;
  Cycle start_;
  Cycle end_;  ///< kNever: never
  std::vector<Node> nodes_;
  Agenda agenda_;  ///< it calls cycle t t + 1, since it finds what comes after a cycle
  Cycle next_ = kNever;
};

}  // namespace flitscope
