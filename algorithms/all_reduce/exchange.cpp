// Algorithms in which pairs of nodes exchange data: recursive doubling, Rabenseifner, Swing.
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "algorithms/all_reduce/exchange.h"
#include "algorithms/common/schedule.h"
#include "algorithms/common/spread.h"

namespace flitscope::all_reduce {

namespace {

/// Along one dimension of side k, in round s = 0 .. log_2 k - 1, position x exchanges with another one: this
/// many links away, less than k, in direction - if negative.
using Displacement = std::int64_t (*)(std::uint32_t side, unsigned round, std::uint32_t x);

/// The links to a position that lies `distance` ahead, in the shorter direction; `ties`: the one of two that
/// are equally long.
std::int64_t shorter(std::uint32_t side, std::uint32_t distance, Sign ties) {
  const std::int64_t ahead = distance % side;
  if (2 * ahead < side || (2 * ahead == side && ties == Sign::plus)) return ahead;
  return ahead - side;
}

/// x and x xor 2^s; at half the side even positions go in direction +, odd ones in direction -.
std::int64_t doubling(std::uint32_t side, unsigned round, std::uint32_t x) {
  const std::uint32_t partner = x ^ 1U << round;
  return shorter(side, partner + side - x, x % 2 == 0 ? Sign::plus : Sign::minus);
}

/// Even x with x + rho(s), odd x with x - rho(s), rho(s) = (1 - (-2)^(s+1)) / 3, in the shorter direction.
std::int64_t swinging(std::uint32_t side, unsigned round, std::uint32_t x) {
  const std::int64_t power = std::int64_t{2} << round;
  const std::int64_t rho = (1 + (round % 2 == 0 ? power : -power)) / 3;
  const std::int64_t k = side;
  const std::int64_t ahead = (((x % 2 == 0 ? rho : -rho) % k) + k) % k;
  return shorter(side, static_cast<std::uint32_t>(ahead), x % 2 == 0 ? Sign::plus : Sign::minus);
}

/// The exchanges of one colour, one a step: dimensions take turns from the first one on, each as long as it
/// has rounds left.
class Exchanges {
 public:
  /// Mirrored: + and - change places. Sides are powers of two.
  Exchanges(const Topology& torus, Displacement along, unsigned first_dimension, bool mirrored)
      : torus_(torus), displacement_(along), mirrored_(mirrored) {
    const auto total = static_cast<unsigned>(std::countr_zero(torus.nodes()));
    std::vector<unsigned> done(torus.dimensions());
    for (unsigned turn = first_dimension; rounds_.size() < total; ++turn) {
      const unsigned dimension = turn % torus.dimensions();
      if (1U << done[dimension] < torus.side(dimension)) rounds_.push_back({dimension, done[dimension]++});
    }
  }

  /// log_2 p.
  [[nodiscard]] unsigned steps() const { return static_cast<unsigned>(rounds_.size()); }
  /// Whom `node` exchanges with in step `step`, from 0, and the route there.
  [[nodiscard]] NodeId partner(NodeId node, unsigned step) const {
    return common::displaced(torus_, node, rounds_[step].dimension, displacement(node, step));
  }
  [[nodiscard]] Route route(NodeId node, unsigned step) const {
    return Route::cyclic(0, displacement(node, step) < 0 ? Sign::minus : Sign::plus);
  }

 private:
  struct Round {
    unsigned dimension = 0;
    unsigned round = 0;
  };
  [[nodiscard]] std::int64_t displacement(NodeId node, unsigned step) const {
    const auto& [dimension, round] = rounds_[step];
    const std::uint32_t side = torus_.side(dimension);
    const std::uint32_t x = torus_.coordinate(node, dimension);
    // A mirror image has position x where position -x is.
    return mirrored_ ? -displacement_(side, round, (side - x) % side) : displacement_(side, round, x);
  }

  Topology torus_;
  Displacement displacement_;
  bool mirrored_;
  std::vector<Round> rounds_;
};

/// All-gather by exchanges from the last one to the first: nodes send all that they have of a colour.
common::Spread exchange_parts(NodeId nodes, std::vector<Exchanges> all) {
  const auto colours = static_cast<unsigned>(all.size());
  const unsigned steps = all.front().steps();
  return {.colours = colours,
          .steps = steps,
          .messages = std::uint64_t{steps} * nodes * colours,
          .ports = colours,
          .produce =
              [=, all = std::move(all)](std::uint64_t number, const common::Spread::Send& send) {
                const auto step = static_cast<unsigned>(steps - number);
                std::vector<ChunkId> chunks;
                for (unsigned colour = 0; colour < colours; ++colour) {
                  for (NodeId node = 0; node < nodes; ++node) {
                    // Chunks of the exchanges behind this one.
                    chunks.assign(1, node);
                    for (unsigned later = step + 1; later < steps; ++later) {
                      const std::size_t before = chunks.size();
                      for (std::size_t i = 0; i < before; ++i) {
                        chunks.push_back(all[colour].partner(chunks[i], later));
                      }
                    }
                    for (ChunkId& chunk : chunks) chunk = chunk * colours + colour;
                    send(node, all[colour].partner(node, step), all[colour].route(node, step), chunks);
                  }
                }
              },
          .channel_load = 0};
}

/// All-reduce in which nodes exchange their whole vectors.
std::unique_ptr<Schedule> exchange_vectors(const Topology& topology, const ParameterValues& values,
                                           const std::string& algorithm, Displacement along) {
  require_torus(topology, algorithm);
  require_powers_of_two(topology, algorithm);
  const Exchanges exchanges(topology, along, 0, false);
  ScheduleFacts facts = common::whole_vector_facts(topology, values, algorithm, 1);
  facts.steps = exchanges.steps();
  facts.claimed_steps = facts.steps;
  facts.messages = facts.steps * topology.nodes();
  return common::stepwise(std::move(facts), [topology, exchanges](std::uint64_t number, Step& step) {
    const auto index = static_cast<unsigned>(number - 1);
    const ChunkId vector = 0;
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      step.reduce(node, exchanges.partner(node, index), exchanges.route(node, index), std::span(&vector, 1));
    }
  });
}

// recursive-doubling: pairs of nodes exchange whole vectors, at distances that double.

constexpr auto kRecursiveDoubling = "all-reduce-recursive-doubling";

const AlgorithmRegistry::Entry recursive_doubling_entry{{
    .name = kRecursiveDoubling,
    .collective = {CollectiveKind::all_reduce},
    .summary = "all-reduce on any network by pairs that exchange whole vectors, at distances that double",
    .source = "recursive doubling, common knowledge; R. Thakur, R. Rabenseifner, W. Gropp: Optimization of "
              "collective communication operations in MPICH, 2005, for any number of nodes",
    .claim = "log_2 p steps for p nodes, a power of two; otherwise floor(log_2 p) + 2",
    .admissible =
        "any network, any number of nodes; along the dimensions of tori with sides of powers of two",
    .parameters = {common::vector_parameter()},
    .make =
        [](const Topology& topology, const ParameterValues& values) {
          if (!has_sides_of_powers_of_two(topology)) {
            return folded_doubling(topology, values, kRecursiveDoubling);
          }
          return exchange_vectors(topology, values, kRecursiveDoubling, doubling);
        },
    .any_network = true,
}};

// rabenseifner: recursive halving and doubling, on tori in D colours that begin in different dimensions.

constexpr auto kRabenseifner = "all-reduce-rabenseifner";
constexpr auto kRabenseifnerSource =
    "R. Rabenseifner: Optimization of collective reduction operations, 2004; on tori dimensions take turns";
constexpr auto kRabenseifnerAdmissible =
    "any network, any number of nodes; along the dimensions of tori with sides of powers of two";

common::Spread make_rabenseifner(const Topology& topology, const ParameterValues& /*values*/,
                                 const std::string& /*algorithm*/) {
  if (!has_sides_of_powers_of_two(topology)) return folded_spread(topology);
  std::vector<Exchanges> colours;
  for (unsigned k = 0; k < topology.dimensions(); ++k) colours.emplace_back(topology, doubling, k, false);
  return exchange_parts(topology.nodes(), std::move(colours));
}

const common::Family rabenseifner_halves{{
    .name = "rabenseifner",
    .how = "by recursive halving or doubling, on tori in D colours",
    .source = kRabenseifnerSource,
    .claim = "log_2 p steps for p nodes, a power of two; otherwise floor(log_2 p) + 2",
    .admissible = kRabenseifnerAdmissible,
    .make = make_rabenseifner,
    .goals = {CollectiveKind::reduce_scatter, CollectiveKind::all_gather},
    .any_network = true,
}};

const AlgorithmRegistry::Entry rabenseifner_entry{{
    .name = kRabenseifner,
    .collective = {CollectiveKind::all_reduce},
    .summary = "all-reduce on any network by recursive halving and then doubling, on tori in D colours",
    .source = kRabenseifnerSource,
    .claim = "2 log_2 p steps for p nodes, a power of two; otherwise 2 floor(log_2 p) + 2. On tori the "
             "busiest links of the steps carry together, times V*, 2.48 on 8x8, 2.73 on 16x16, 2.25 on 8x8x8",
    .admissible = kRabenseifnerAdmissible,
    .parameters = {common::vector_parameter()},
    .make =
        [](const Topology& topology, const ParameterValues& values) {
          if (!has_sides_of_powers_of_two(topology)) {
            return folded_halving_doubling(topology, values, kRabenseifner);
          }
          return common::spread_schedule(topology, values, kRabenseifner, CollectiveKind::all_reduce,
                                         make_rabenseifner(topology, values, kRabenseifner));
        },
    .any_network = true,
    .memory = {.per_pair_of_nodes = 64},
}};

// swing: pairs of nodes whose distances swing between + and -, short ones where much is sent.

constexpr auto kSwing = "all-reduce-swing";
constexpr auto kSwingSource = "De Sensi and others, Swing (NSDI 2024)";
constexpr auto kSwingAdmissible = "torus of any number D of dimensions, all sides powers of two";

/// 2D colours: one begins in each dimension, and its mirror image.
common::Spread swing_spread(const Topology& topology, const ParameterValues& /*values*/,
                            const std::string& algorithm) {
  require_torus(topology, algorithm);
  require_powers_of_two(topology, algorithm);
  std::vector<Exchanges> colours;
  for (unsigned k = 0; k < topology.dimensions(); ++k) {
    for (const bool mirrored : {false, true}) colours.emplace_back(topology, swinging, k, mirrored);
  }
  return exchange_parts(topology.nodes(), std::move(colours));
}

const common::Family swing_halves{{
    .name = "swing",
    .how = "by exchanges at swinging distances, in 2D colours",
    .source = kSwingSource,
    .claim = "log_2 p steps for p nodes",
    .admissible = kSwingAdmissible,
    .make = swing_spread,
    .goals = {CollectiveKind::reduce_scatter, CollectiveKind::all_gather},
}};

const AlgorithmRegistry::Entry swing_entry{{
    .name = kSwing,
    .collective = {CollectiveKind::all_reduce},
    .summary = "all-reduce on a torus by exchanges at swinging distances: of parts, in 2D colours, or of "
               "whole vectors",
    .source = kSwingSource,
    .claim = "bandwidth: 2 log_2 p steps for p nodes; the busiest link carries, times V*, 1.0952 on 8x8, "
             "1.1412 on 16x16, 1.1846 on 64x64, 1.0274 on 8x8x8. latency: log_2 p steps",
    .admissible = kSwingAdmissible,
    .parameters = {Parameter::choice(
                       "version",
                       "what nodes exchange: parts of the vector (bandwidth), or the whole (latency)",
                       {"bandwidth", "latency"})
                       .or_else("bandwidth"),
                   common::vector_parameter()},
    .make =
        [](const Topology& topology, const ParameterValues& values) {
          if (values.text("version") == "bandwidth") {
            return common::spread_schedule(topology, values, kSwing, CollectiveKind::all_reduce,
                                           swing_spread(topology, values, kSwing));
          }
          return exchange_vectors(topology, values, kSwing, swinging);
        },
    .memory = {.per_pair_of_nodes = 64},
}};

}  // namespace

}  // namespace flitscope::all_reduce
