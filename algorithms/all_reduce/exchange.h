// Algorithms in which pairs of nodes exchange data, at distances that grow.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/all_reduce/spread.h"

namespace flitscope::all_reduce {

/// Along one dimension of side k, in round s = 0 .. log_2 k - 1, position x exchanges with another one. How
/// far that lies away, with sign: less than k, the way to go.
using Displacement = std::int64_t (*)(std::uint32_t side, unsigned round, std::uint32_t x);

/// x and x xor 2^s; where both ways are equally long, even positions go one way and odd ones the other.
[[nodiscard]] std::int64_t doubling(std::uint32_t side, unsigned round, std::uint32_t x);
/// Even x with x + rho(s), odd x with x - rho(s), rho(s) = (1 - (-2)^(s+1)) / 3, by the shorter way.
[[nodiscard]] std::int64_t swinging(std::uint32_t side, unsigned round, std::uint32_t x);

/// The exchanges of one colour, one a step: dimensions take turns from the first one on, each as long as it
/// has rounds left.
class Exchanges {
 public:
  /// Mirrored: + and - change places. Sides are powers of two.
  Exchanges(const Topology& torus, Displacement along, unsigned first_dimension, bool mirrored);

  /// log_2 p.
  [[nodiscard]] unsigned steps() const { return static_cast<unsigned>(rounds_.size()); }
  /// Whom `node` exchanges with in step `step`, from 0, and how to get there.
  [[nodiscard]] NodeId partner(NodeId node, unsigned step) const;
  [[nodiscard]] Route route(NodeId node, unsigned step) const;

 private:
  struct Round {
    unsigned dimension = 0;
    unsigned round = 0;
  };
  [[nodiscard]] std::int64_t displacement(NodeId node, unsigned step) const;

  Topology torus_;
  Displacement displacement_;
  bool mirrored_;
  std::vector<Round> rounds_;
};

/// All-gather by exchanges from the last one to the first: nodes send all that they have of a colour.
class ExchangeSpread final : public Spread {
 public:
  ExchangeSpread(NodeId nodes, std::vector<Exchanges> colours)
      : nodes_(nodes), colours_(std::move(colours)) {}

  [[nodiscard]] unsigned colours() const override { return static_cast<unsigned>(colours_.size()); }
  [[nodiscard]] std::uint64_t steps() const override { return colours_.front().steps(); }
  [[nodiscard]] std::uint64_t messages() const override { return steps() * nodes_ * colours(); }
  [[nodiscard]] unsigned ports() const override { return colours(); }
  [[nodiscard]] std::uint32_t channel_load() const override { return 0; }
  void produce(std::uint64_t number, const Send& send) const override;

 private:
  NodeId nodes_;
  std::vector<Exchanges> colours_;
};

/// All-reduce in which nodes exchange their whole vectors, by these exchanges.
[[nodiscard]] std::unique_ptr<Schedule> exchange_vectors(const Topology& topology,
                                                         const ParameterValues& values,
                                                         const std::string& algorithm, Exchanges exchanges);

/// The facts of an all-reduce of one chunk, the vector; steps and messages are left to the algorithm.
[[nodiscard]] ScheduleFacts whole_vector_facts(const Topology& topology, const ParameterValues& values,
                                               std::string algorithm, unsigned ports);

}  // namespace flitscope::all_reduce
