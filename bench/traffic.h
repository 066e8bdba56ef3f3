// Traffic for the benchmarks. Everything random is drawn before the network's clock starts, so that a
// benchmark measures the network and not the drawing.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "model/route.h"
#include "sim/network/transport.h"

namespace flitscope::bench {

/// A message between random nodes by the shortest path.
[[nodiscard]] Packet random_packet(const Topology& topology, NodeId source, std::uint32_t flits,
                                   std::uint64_t id, std::mt19937_64& random);

/// Uniform random destinations; every node sends with the same probability in every cycle (Bernoulli
/// injection).
class UniformTraffic final : public Driver {
 public:
  UniformTraffic(const Topology& topology, double flits_per_node_and_cycle, std::uint32_t flits,
                 Cycle cycles);

  void start(Transport&) override {}
  void delivered(Transport&, std::span<const Delivery>, Cycle) override {}
  [[nodiscard]] bool finished() const override { return next_->cycle == kNever; }
  [[nodiscard]] Cycle next_event() const override { return next_->cycle; }
  void at(Transport& network, Cycle now) override;

 private:
  struct TimedMessage {
    Cycle cycle = 0;
    Packet packet;
  };
  std::vector<TimedMessage> messages_;  ///< in order of time; behind the last one, one that is never sent
  std::vector<TimedMessage>::const_iterator next_;
};

/// A fixed number of messages in flight: each delivery starts another between random nodes.
class ConstantWorms final : public Driver {
 public:
  ConstantWorms(const Topology& topology, std::size_t worms, std::uint32_t flits, std::uint64_t messages);

  void start(Transport& network) override { send(network, worms_); }
  void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle) override {
    send(network, deliveries.size());
  }
  [[nodiscard]] bool finished() const override { return next_ == messages_.size(); }

 private:
  void send(Transport& network, std::size_t count);

  std::size_t worms_;
  std::vector<Packet> messages_;
  std::size_t next_ = 0;
};

/// Every node sends to all its neighbours at once, again and again.
class NeighbourExchange final : public Driver {
 public:
  NeighbourExchange(const Topology& topology, std::uint32_t flits, unsigned rounds);

  void start(Transport& network) override { send_round(network); }
  void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) override;
  [[nodiscard]] bool finished() const override { return rounds_ == 0; }

 private:
  void send_round(Transport& network);

  std::vector<Packet> messages_;  ///< of one round
  unsigned rounds_;
  std::size_t in_flight_ = 0;
};

}  // namespace flitscope::bench
