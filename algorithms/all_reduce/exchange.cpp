#include "algorithms/all_reduce/exchange.h"

#include <bit>
#include <utility>

#include "algorithms/common/stepwise_schedule.h"

namespace flitscope::all_reduce {
namespace {

/// A position that lies `distance` ahead, seen the shorter way; `ties` says which way if both are equal.
std::int64_t shorter(std::uint32_t side, std::uint32_t distance, Sign ties) {
  const std::int64_t ahead = distance % side;
  if (2 * ahead < side || (2 * ahead == side && ties == Sign::plus)) return ahead;
  return ahead - side;
}

class ExchangedVectors final : public StepwiseSchedule {
 public:
  ExchangedVectors(ScheduleFacts facts, Exchanges exchanges)
      : StepwiseSchedule(std::move(facts)), exchanges_(std::move(exchanges)) {}

 private:
  void produce(std::uint64_t number, Step& step) override {
    const auto index = static_cast<unsigned>(number - 1);
    const ChunkId vector = 0;
    for (NodeId node = 0; node < topology().nodes(); ++node) {
      step.reduce(node, exchanges_.partner(node, index), exchanges_.route(node, index),
                  std::span(&vector, 1));
    }
  }

  Exchanges exchanges_;
};

}  // namespace

std::int64_t doubling(std::uint32_t side, unsigned round, std::uint32_t x) {
  const std::uint32_t partner = x ^ 1U << round;
  return shorter(side, partner + side - x, x % 2 == 0 ? Sign::plus : Sign::minus);
}

std::int64_t swinging(std::uint32_t side, unsigned round, std::uint32_t x) {
  const std::int64_t power = std::int64_t{2} << round;
  const std::int64_t rho = (1 + (round % 2 == 0 ? power : -power)) / 3;
  const std::int64_t k = side;
  const std::int64_t ahead = (((x % 2 == 0 ? rho : -rho) % k) + k) % k;
  return shorter(side, static_cast<std::uint32_t>(ahead), x % 2 == 0 ? Sign::plus : Sign::minus);
}

Exchanges::Exchanges(const Topology& torus, Displacement along, unsigned first_dimension, bool mirrored)
    : torus_(torus), displacement_(along), mirrored_(mirrored) {
  const auto total = static_cast<unsigned>(std::countr_zero(torus.nodes()));
  std::vector<unsigned> done(torus.dimensions());
  for (unsigned turn = first_dimension; rounds_.size() < total; ++turn) {
    const unsigned dimension = turn % torus.dimensions();
    if (1U << done[dimension] < torus.side(dimension)) rounds_.push_back({dimension, done[dimension]++});
  }
}

std::int64_t Exchanges::displacement(NodeId node, unsigned step) const {
  const auto& [dimension, round] = rounds_[step];
  const std::uint32_t side = torus_.side(dimension);
  const std::uint32_t x = torus_.coordinate(node, dimension);
  // A mirror image has position x where position -x is.
  return mirrored_ ? -displacement_(side, round, (side - x) % side) : displacement_(side, round, x);
}

NodeId Exchanges::partner(NodeId node, unsigned step) const {
  const std::int64_t distance = displacement(node, step);
  return torus_.moved(node, rounds_[step].dimension, distance < 0 ? Sign::minus : Sign::plus,
                      static_cast<std::uint32_t>(distance < 0 ? -distance : distance));
}

Route Exchanges::route(NodeId node, unsigned step) const {
  return Route::cyclic(0, displacement(node, step) < 0 ? Sign::minus : Sign::plus);
}

void ExchangeSpread::produce(std::uint64_t number, const Send& send) const {
  const unsigned all = colours();
  std::vector<ChunkId> chunks;
  for (unsigned colour = 0; colour < all; ++colour) {
    const Exchanges& exchanges = colours_[colour];
    const auto step = static_cast<unsigned>(steps() - number);
    for (NodeId node = 0; node < nodes_; ++node) {
      // What the exchanges behind this one have brought.
      chunks.assign(1, node);
      for (unsigned later = step + 1; later < steps(); ++later) {
        const std::size_t before = chunks.size();
        for (std::size_t i = 0; i < before; ++i) chunks.push_back(exchanges.partner(chunks[i], later));
      }
      for (ChunkId& chunk : chunks) chunk = chunk * all + colour;
      send(node, exchanges.partner(node, step), exchanges.route(node, step), chunks);
    }
  }
}

ScheduleFacts whole_vector_facts(const Topology& topology, const ParameterValues& values,
                                 std::string algorithm, unsigned ports) {
  ScheduleFacts facts(topology);
  facts.algorithm = std::move(algorithm);
  facts.send_ports = ports;
  facts.receive_ports = ports;
  facts.lower_bound_steps = broadcast_lower_bound(topology.nodes(), topology.link_ports());
  facts.collective.chunk_bytes = {values.bytes("message")};
  facts.collective.operands_everywhere = true;
  return facts;
}

std::unique_ptr<Schedule> exchange_vectors(const Topology& topology, const ParameterValues& values,
                                           const std::string& algorithm, Exchanges exchanges) {
  ScheduleFacts facts = whole_vector_facts(topology, values, algorithm, 1);
  facts.steps = exchanges.steps();
  facts.claimed_steps = facts.steps;
  facts.messages = facts.steps * topology.nodes();
  return std::make_unique<ExchangedVectors>(std::move(facts), std::move(exchanges));
}

}  // namespace flitscope::all_reduce
