// Algorithms in which pairs of nodes exchange data: recursive doubling, Rabenseifner, Swing.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "algorithms/common/schedule.h"
#include "algorithms/common/spread.h"
#include "model/node_set.h"

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

/// A torus whose sides are powers of two: exchanges go along its dimensions.
bool has_sides_of_powers_of_two(const Topology& topology) {
  return topology.is_fault_free_grid() && topology.wraps() && !topology.is_one_way() &&
         std::has_single_bit(topology.nodes());
}

// Exchanges on other networks.

/// Of p nodes, C = 2^k, the largest power of two, exchange, pairs at distances 1, 2, 4, ... of their numbers.
/// Each of the other p - C gives its data to one of these before, its host, and gets the result after that.
struct Fold {
  Topology topology;
  Participants participants = Participants(topology);
  std::vector<NodeId> order = NodeGroups(topology).order();
  unsigned rounds = static_cast<unsigned>(std::bit_width(order.size())) - 1;  ///< k
  NodeId hosts = NodeId{1} << rounds;                                         ///< C
  /// The first so many hosts have a guest each, which is next to them.
  NodeId guests = static_cast<NodeId>(order.size()) - hosts;
  /// Steps of guests and hosts before the exchanges, and after them.
  unsigned fold_steps = guests > 0 ? 1 : 0;

  [[nodiscard]] std::uint64_t steps(std::uint64_t exchanges) const {
    return exchanges + 2 * std::uint64_t{fold_steps};
  }
  [[nodiscard]] std::uint64_t messages(std::uint64_t exchanges) const {
    return exchanges * hosts + 2 * std::uint64_t{guests};
  }
  [[nodiscard]] NodeId host(NodeId number) const {
    return order[number < guests ? 2 * number : number + guests];
  }
  [[nodiscard]] NodeId guest(NodeId number) const { return order[2 * number + 1]; }
  [[nodiscard]] Route route(NodeId from, NodeId to) const { return shortest_route(topology, from, to); }

  /// Calls visit(host, guest) for the nodes of each such pair.
  template <typename Visit>
  void for_each_guest(Visit visit) const {
    for (NodeId i = 0; i < guests; ++i) visit(host(i), guest(i));
  }
  /// Calls visit(number) for the hosts that `host` has heard of when pairs at the distances 2^(k-1), ..,
  /// 2^(bit + 1) have exchanged: those that agree in the last digits.
  template <typename Visit>
  void for_each_known(NodeId host, unsigned bit, Visit visit) const {
    const NodeId step = NodeId{2} << bit;
    for (NodeId other = host % step; other < hosts; other += step) visit(other);
  }
};

/// All-reduce in which guests give their vectors to their hosts, which get the result in `rounds` steps and
/// hand it back. exchange(round, host, step) adds the message of a host in a round, from 0.
template <typename Exchange>
std::unique_ptr<Schedule> folded(const Fold& fold, ScheduleFacts facts, std::uint64_t rounds,
                                 const Exchange& exchange) {
  facts.steps = fold.steps(rounds);
  facts.claimed_steps = facts.steps;
  facts.messages = fold.messages(rounds);
  const std::uint64_t chunks = facts.collective.chunk_bytes.size();
  return common::stepwise(std::move(facts), [=](std::uint64_t number, Step& step) {
    const bool first = number <= fold.fold_steps;
    const std::uint64_t round = number - 1 - fold.fold_steps;
    if (!first && round < rounds) {
      for (NodeId i = 0; i < fold.hosts; ++i) exchange(round, i, step);
      return;
    }
    const std::vector<ChunkId> vector = first_chunks(chunks);
    fold.for_each_guest([&](NodeId host, NodeId guest) {
      if (first) {
        step.reduce(guest, host, fold.route(guest, host), vector);
      } else {
        step.add(host, guest, fold.route(host, guest), vector);
      }
    });
  });
}

/// All-reduce in which pairs of nodes exchange their whole vectors.
std::unique_ptr<Schedule> folded_doubling(const Topology& topology, const ParameterValues& values,
                                          const std::string& algorithm) {
  const Fold fold{topology};
  return folded(fold, common::whole_vector_facts(topology, values, algorithm, 1), fold.rounds,
                [fold](std::uint64_t round, NodeId i, Step& step) {
                  const ChunkId vector = 0;
                  const NodeId from = fold.host(i);
                  const NodeId to = fold.host(i ^ NodeId{1} << round);
                  step.reduce(from, to, fold.route(from, to), std::span(&vector, 1));
                });
}

/// All-gather by exchanges of all that a pair of nodes has.
common::Spread folded_spread(const Topology& topology) {
  const Fold fold{topology};
  auto produce = [fold](std::uint64_t number, const common::Spread::Send& send) {
    const auto chunk_of = [&](NodeId node) { return fold.participants.place(node); };
    std::vector<ChunkId> chunks;
    if (number <= fold.fold_steps) {
      fold.for_each_guest([&](NodeId host, NodeId guest) {
        chunks.assign(1, chunk_of(guest));
        send(guest, host, fold.route(guest, host), chunks);
      });
      return;
    }
    const std::uint64_t done = number - 1 - fold.fold_steps;
    if (done == fold.rounds) {
      fold.for_each_guest([&](NodeId host, NodeId guest) {
        chunks = first_chunks(fold.order.size());
        chunks.erase(chunks.begin() + chunk_of(guest));
        send(host, guest, fold.route(host, guest), chunks);
      });
      return;
    }
    // The largest distance first, when there is least to send.
    const unsigned bit = fold.rounds - 1 - static_cast<unsigned>(done);
    for (NodeId i = 0; i < fold.hosts; ++i) {
      chunks.clear();
      fold.for_each_known(i, bit, [&](NodeId host) {
        chunks.push_back(chunk_of(fold.host(host)));
        if (host < fold.guests) chunks.push_back(chunk_of(fold.guest(host)));
      });
      std::ranges::sort(chunks);
      const NodeId partner = fold.host(i ^ NodeId{1} << bit);
      send(fold.host(i), partner, fold.route(fold.host(i), partner), chunks);
    }
  };
  return {.steps = fold.steps(fold.rounds),
          .messages = fold.messages(fold.rounds),
          .produce = std::move(produce),
          .channel_load = 0};
}

/// All-reduce by recursive halving, then doubling. Unlike the two halves of folded_spread it cuts the vector
/// for the nodes that exchange alone, and so has two steps less.
std::unique_ptr<Schedule> folded_halving_doubling(const Topology& topology, const ParameterValues& values,
                                                  const std::string& algorithm) {
  const Fold fold{topology};
  ScheduleFacts facts = common::whole_vector_facts(topology, values, algorithm, 1);
  facts.collective.chunk_bytes = common::split(values.bytes("message"), fold.hosts);
  const std::uint64_t rounds = fold.rounds;
  const std::uint64_t half = rounds + fold.fold_steps;
  facts.stages = {{"reduce-scatter", 1, half}, {"all-gather", half + 1, 2 * half}};
  return folded(fold, std::move(facts), 2 * rounds, [=](std::uint64_t round, NodeId i, Step& step) {
    const bool halving = round < rounds;
    const auto bit = static_cast<unsigned>(halving ? round : 2 * rounds - 1 - round);
    const NodeId other = i ^ NodeId { 1 } << bit;
    std::vector<ChunkId> chunks;
    fold.for_each_known(halving ? other : i, bit, [&](NodeId host) { chunks.push_back(host); });
    const NodeId from = fold.host(i);
    const NodeId to = fold.host(other);
    if (halving) {
      step.reduce(from, to, fold.route(from, to), chunks);
    } else {
      step.add(from, to, fold.route(from, to), chunks);
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

common::Spread make_rabenseifner(const Topology& topology, const ParameterValues& /*values*/,
                                 const std::string& /*algorithm*/) {
  if (!has_sides_of_powers_of_two(topology)) return folded_spread(topology);
  std::vector<Exchanges> colours;
  for (unsigned k = 0; k < topology.dimensions(); ++k) colours.emplace_back(topology, doubling, k, false);
  return exchange_parts(topology.nodes(), std::move(colours));
}

const common::Family rabenseifner_family{{
    .name = "rabenseifner",
    .how = "by recursive halving or doubling, on tori in D colours",
    .source =
        "R. Rabenseifner: Optimization of collective reduction operations, 2004; on tori dimensions take "
        "turns",
    .claim = "log_2 p steps for p nodes, a power of two; otherwise floor(log_2 p) + 2",
    .admissible =
        "any network, any number of nodes; along the dimensions of tori with sides of powers of two",
    .make = make_rabenseifner,
    .any_network = true,
    .adjust =
        [](Algorithm& all_reduce) {
          all_reduce.summary =
              "all-reduce on any network by recursive halving and then doubling, on tori in D colours";
          all_reduce.claim =
              "2 log_2 p steps for p nodes, a power of two; otherwise 2 floor(log_2 p) + 2. On tori the "
              "busiest links of the steps carry together, times V*, 2.48 on 8x8, 2.73 on 16x16, 2.25 on "
              "8x8x8";
          all_reduce.make = [name = all_reduce.name, both_halves = all_reduce.make](
                                const Topology& topology, const ParameterValues& values) {
            return has_sides_of_powers_of_two(topology) ? both_halves(topology, values)
                                                        : folded_halving_doubling(topology, values, name);
          };
        },
}};

// swing: pairs of nodes whose distances swing between + and -, short ones where much is sent.

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

const common::Family swing_family{{
    .name = "swing",
    .how = "by exchanges at swinging distances, in 2D colours",
    .source = "De Sensi and others, Swing (NSDI 2024)",
    .claim = "log_2 p steps for p nodes",
    .admissible = "torus of any number D of dimensions, all sides powers of two",
    .make = swing_spread,
    .adjust =
        [](Algorithm& all_reduce) {
          all_reduce.summary =
              "all-reduce on a torus by exchanges at swinging distances: of parts, in 2D colours, or of "
              "whole vectors";
          all_reduce.claim =
              "bandwidth: 2 log_2 p steps for p nodes; the busiest link carries, times V*, 1.0952 on 8x8, "
              "1.1412 on 16x16, 1.1846 on 64x64, 1.0274 on 8x8x8. latency: log_2 p steps";
          all_reduce.parameters.insert(
              all_reduce.parameters.begin(),
              Parameter::choice(
                  "version", "what nodes exchange: parts of the vector (bandwidth), or the whole (latency)",
                  {"bandwidth", "latency"})
                  .or_else("bandwidth"));
          all_reduce.make = [name = all_reduce.name, of_parts = all_reduce.make](
                                const Topology& topology, const ParameterValues& values) {
            return values.text("version") == "bandwidth" ? of_parts(topology, values)
                                                         : exchange_vectors(topology, values, name, swinging);
          };
        },
}};

}  // namespace

}  // namespace flitscope::all_reduce
