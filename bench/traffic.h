// Traffic for the benchmarks.
#pragma once

#include <cstdint>
#include <vector>

#include "model/route.h"
#include "sim/driver/transport.h"

namespace flitscope::bench {

/// A small, fast generator (xorshift64*), so that drawing numbers does not hide what is measured.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545F4914F6CDD1DULL;
  }
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>((next() >> 32) * bound >> 32);
  }

 private:
  std::uint64_t state_;
};

/// shortest_route() without its divisions, from tables.
class ShortestRoutes {
 public:
  explicit ShortestRoutes(const Topology& topology);
  [[nodiscard]] Route route(NodeId source, NodeId destination) const;

 private:
  unsigned dimensions_;
  std::vector<std::uint32_t> coordinates_;  ///< node by node
  std::vector<std::uint32_t> sides_;
  std::vector<std::uint16_t> negative_;  ///< dimension by dimension: bit of the sign, by from * side + to
};

/// Messages between random nodes, numbered in the order in which they are made.
class RandomPackets {
 public:
  RandomPackets(const Topology& topology, std::uint32_t flits)
      : nodes_(topology.nodes()), flits_(flits), routes_(topology) {}

  [[nodiscard]] Packet from(NodeId source);
  [[nodiscard]] Packet from_anywhere() { return from(random_.below(nodes_)); }
  [[nodiscard]] std::uint64_t made() const { return made_; }
  [[nodiscard]] Random& random() { return random_; }

 private:
  NodeId nodes_;
  std::uint32_t flits_;
  ShortestRoutes routes_;
  Random random_{1};
  std::uint64_t made_ = 0;
};

/// Uniform random destinations; every node sends with the same probability in every cycle (Bernoulli
/// injection).
///
/// Count the nodes of all cycles one after the other: from one that sends to the next it is a geometrically
/// distributed way, so one number is drawn for a message and none for a node that does not send.
class UniformTraffic final : public Driver {
 public:
  UniformTraffic(const Topology& topology, double flits_per_node_and_cycle, std::uint32_t flits,
                 Cycle cycles);

  void start(Transport&) override {}
  void delivered(Transport&, std::span<const Delivery>, Cycle) override {}
  [[nodiscard]] bool finished() const override { return next_ == kNever; }
  [[nodiscard]] Cycle next_event() const override { return next_; }
  void at(Transport& network, Cycle now) override;

 private:
  static constexpr std::uint32_t kQuantiles = 1024;

  NodeId nodes_;
  std::vector<std::uint32_t> ways_;  ///< quantiles of that distribution
  std::uint64_t sender_ = 0;         ///< the next one, counted from node 0 of the coming cycle
  Cycle cycles_;
  RandomPackets packets_;
  Cycle next_ = 0;
};

/// A fixed number of messages in flight: each delivery starts another between random nodes.
class ConstantWorms final : public Driver {
 public:
  ConstantWorms(const Topology& topology, unsigned worms, std::uint32_t flits, std::uint64_t messages)
      : worms_(worms), messages_(messages), packets_(topology, flits) {}

  void start(Transport& network) override;
  void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) override;
  [[nodiscard]] bool finished() const override { return packets_.made() == messages_; }

 private:
  unsigned worms_;
  std::uint64_t messages_;
  RandomPackets packets_;
};

/// Every node sends to all its neighbours at once, again and again.
class NeighbourExchange final : public Driver {
 public:
  NeighbourExchange(const Topology& topology, std::uint32_t flits, unsigned rounds)
      : topology_(topology), flits_(flits), rounds_(rounds) {}

  void start(Transport& network) override { send_round(network); }
  void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) override;
  [[nodiscard]] bool finished() const override { return rounds_ == 0; }

 private:
  void send_round(Transport& network);

  const Topology& topology_;
  std::uint32_t flits_;
  unsigned rounds_;
  std::uint64_t in_flight_ = 0;
};

}  // namespace flitscope::bench
