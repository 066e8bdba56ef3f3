// Traffic for the benchmarks.
#pragma once

#include <cstdint>
#include <queue>
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
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>((next() >> 32) * bound >> 32); }
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  std::uint64_t state_;
};

/// Uniform random destinations; every node's messages come with geometric gaps (Bernoulli injection).
class UniformTraffic final : public Driver {
 public:
  UniformTraffic(const Topology& topology, double flits_per_node_and_cycle, std::uint32_t flits, Cycle cycles);

  void start(Transport& network) override;
  void delivered(Transport&, std::span<const Delivery>, Cycle) override {}
  [[nodiscard]] bool finished() const override { return next_ == kNever; }
  [[nodiscard]] Cycle next_event() const override { return next_; }
  void at(Transport& network, Cycle now) override;

 private:
  [[nodiscard]] Cycle gap();

  using Due = std::pair<Cycle, NodeId>;

  const Topology& topology_;
  double log_stay_;
  std::uint32_t flits_;
  Cycle cycles_;
  Random random_{1};
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  Cycle next_ = 0;
  std::uint64_t id_ = 0;
};

/// A fixed number of messages in flight: each delivery starts another between random nodes.
class ConstantWorms final : public Driver {
 public:
  ConstantWorms(const Topology& topology, unsigned worms, std::uint32_t flits, std::uint64_t messages)
      : topology_(topology), worms_(worms), flits_(flits), messages_(messages) {}

  void start(Transport& network) override;
  void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) override;
  [[nodiscard]] bool finished() const override { return sent_ == messages_; }

 private:
  void send_one(Transport& network);

  const Topology& topology_;
  unsigned worms_;
  std::uint32_t flits_;
  std::uint64_t messages_;
  std::uint64_t sent_ = 0;
  Random random_{1};
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
