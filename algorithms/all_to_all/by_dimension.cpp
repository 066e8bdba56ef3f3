// All-to-all on a torus, one dimension after the other: directly within lines, or along rings.
#include <cstdint>
#include <utility>
#include <vector>

#include "algorithms/common/schedule.h"

namespace flitscope::all_to_all {

namespace {

/// The dimension in which data of piece `piece` travels in phase `phase`, from 0: piece i begins in dimension
/// i.
unsigned dimension_of(const Topology& torus, unsigned piece, unsigned phase) {
  return (piece + phase) % torus.dimensions();
}

/// The chunks of piece `piece` that are in phase `phase` in the line of `node` and go there from coordinate
/// `from` of the phase's dimension to coordinate `to`, in a fixed order. What a node holds then comes from
/// all nodes that agree with it in the dimensions not travelled yet, and goes to all that agree with it in
/// those travelled.
std::vector<ChunkId> chunks_of(const Topology& torus, unsigned pieces, unsigned piece, NodeId node,
                               unsigned phase, std::uint32_t from, std::uint32_t to) {
  const auto at = [&](std::uint32_t coordinate) {
    const unsigned k = dimension_of(torus, piece, phase);
    const std::uint32_t side = torus.side(k);
    return torus.moved(node, k, Sign::plus, (coordinate + side - torus.coordinate(node, k)) % side);
  };
  struct Ends {
    NodeId source = 0;
    NodeId destination = 0;
  };
  std::vector<Ends> ends{{at(from), at(to)}};
  for (unsigned other = 0; other < torus.dimensions(); ++other) {
    if (other == phase) continue;
    const unsigned k = dimension_of(torus, piece, other);
    const std::size_t before = ends.size();
    for (std::uint32_t hops = 1; hops < torus.side(k); ++hops) {
      for (std::size_t i = 0; i < before; ++i) {
        Ends moved = ends[i];
        NodeId& open = other < phase ? moved.source : moved.destination;
        open = torus.moved(open, k, Sign::plus, hops);
        ends.push_back(moved);
      }
    }
  }
  std::vector<ChunkId> chunks;
  chunks.reserve(ends.size());
  for (const auto& [source, destination] : ends) {
    chunks.push_back((source * torus.nodes() + destination) * pieces + piece);
  }
  return chunks;
}

/// An algorithm that is common knowledge.
Algorithm declared(std::string name, std::string summary, std::string claim, decltype(Algorithm::make) make,
                   std::string admissible = "torus of any sides and any number of dimensions") {
  return {.name = std::move(name),
          .collective = {CollectiveKind::all_to_all},
          .summary = std::move(summary),
          .source = "common knowledge",
          .claim = std::move(claim),
          .admissible = std::move(admissible),
          .parameters = {common::data_parameter()},
          .make = std::move(make),
          .memory = {.per_pair_of_nodes = 96}};
}

// combining: with one message for all data that goes to the same node of a line.

constexpr auto kCombining = "all-to-all-combining";

std::unique_ptr<Schedule> make_combining(const Topology& topology, const ParameterValues& values) {
  ScheduleFacts facts = common::all_to_all_facts(topology, values, kCombining, 1, 1);
  for (unsigned k = 0; k < topology.dimensions(); ++k) {
    const std::uint64_t before = facts.steps;
    facts.steps += topology.side(k) - 1;
    facts.stages.push_back({"dimension " + std::to_string(k), before + 1, facts.steps});
  }
  facts.claimed_steps = facts.steps;
  facts.messages = facts.steps * topology.nodes();
  const std::vector<Stage> stages = facts.stages;
  return common::stepwise(std::move(facts), [=](std::uint64_t number, Step& step) {
    unsigned k = 0;
    while (number > stages[k].last_step) ++k;
    const auto hops = static_cast<std::uint32_t>(number - stages[k].first_step + 1);
    const std::uint32_t side = topology.side(k);
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      const std::uint32_t x = topology.coordinate(node, k);
      const bool ahead = 2 * hops < side || (2 * hops == side && x % 2 == 0);
      step.add(node, topology.moved(node, k, Sign::plus, hops),
               Route::cyclic(0, ahead ? Sign::plus : Sign::minus),
               chunks_of(topology, 1, 0, node, k, x, (x + hops) % side));
    }
  });
}

const AlgorithmRegistry::Entry combining_entry{declared(
    kCombining, "all-to-all on a torus dimension by dimension: directly within lines, messages combined",
    "the sum of k-1 steps over all sides k", make_combining)};

/// In each phase all data of a piece goes round the rings of one dimension until it has come to its
/// coordinate: every node sends on what came in the step before and does not stay. With both directions data
/// goes in the shorter one, where they are equally long half of it in each.
struct RingPhases {
  bool both_directions = false;
  unsigned pieces = 1;

  /// Steps of a dimension of side k.
  [[nodiscard]] std::uint32_t steps_of(std::uint32_t side) const {
    return both_directions ? side / 2 : side - 1;
  }
};

/// In step `place` of a phase, from 1: forwards the data from `place` - 1 hops behind.
void send(const Topology& torus, const RingPhases& rings, unsigned piece, NodeId node, unsigned phase,
          std::uint32_t place, Sign sign, Step& step) {
  const unsigned k = dimension_of(torus, piece, phase);
  const std::uint32_t side = torus.side(k);
  const std::uint32_t x = torus.coordinate(node, k);
  const auto ahead = [&](std::uint32_t from, std::uint32_t hops) {
    return sign == Sign::plus ? (from + hops) % side : (from + side - hops) % side;
  };
  const std::uint32_t origin = ahead(x, side - (place - 1));
  std::vector<ChunkId> chunks;
  for (std::uint32_t hops = place; hops < side; ++hops) {
    if (rings.both_directions && 2 * hops > side) break;
    const auto there = chunks_of(torus, rings.pieces, piece, node, phase, origin, ahead(origin, hops));
    const bool is_shared = rings.both_directions && 2 * hops == side;
    for (std::size_t i = 0; i < there.size(); ++i) {
      if (!is_shared || (i + origin) % 2 == (sign == Sign::plus ? 0U : 1U)) chunks.push_back(there[i]);
    }
  }
  if (chunks.empty()) return;
  const unsigned port = port_of(k, sign);
  step.add(node, *torus.neighbour(node, port), one_hop(port), chunks);
}

std::unique_ptr<Schedule> ring_phases(const Topology& topology, const ParameterValues& values,
                                      const std::string& algorithm, bool both_directions, unsigned pieces) {
  const RingPhases rings{both_directions, pieces};
  const unsigned directions = both_directions ? 2 : 1;
  ScheduleFacts facts = common::all_to_all_facts(topology, values, algorithm, pieces, directions * pieces);
  for (const std::uint32_t side : topology.sides()) {
    const std::uint32_t steps = rings.steps_of(side);
    facts.steps += steps;
    facts.messages += std::uint64_t{topology.nodes()} * directions * steps * pieces;
    // On an even side the last step of both directions has half of the chunks; with a single one for every
    // pair of positions, half of the messages.
    if (both_directions && side % 2 == 0 && side == topology.nodes()) facts.messages -= topology.nodes();
  }
  facts.claimed_steps = facts.steps;
  return common::stepwise(std::move(facts), [=](std::uint64_t number, Step& step) {
    for (unsigned piece = 0; piece < pieces; ++piece) {
      unsigned phase = 0;
      std::uint64_t place = number;
      const auto steps = [&] { return rings.steps_of(topology.side(dimension_of(topology, piece, phase))); };
      for (; place > steps(); ++phase) place -= steps();
      for (NodeId node = 0; node < topology.nodes(); ++node) {
        for (unsigned sign = 0; sign < directions; ++sign) {
          send(topology, rings, piece, node, phase, static_cast<std::uint32_t>(place),
               static_cast<Sign>(sign), step);
        }
      }
    }
  });
}

// ring: data goes round the rings of one dimension after the other, in one direction.

constexpr auto kRing = "all-to-all-ring";

const AlgorithmRegistry::Entry ring_entry{declared(
    kRing, "all-to-all on a torus round the rings of one dimension after the other, in one direction",
    "the sum of k-1 steps over all sides k, between neighbours; (k-1)/2 times a node's data on each link "
    "used",
    common::make_with(ring_phases, kRing, false, 1))};

// half-ring: data goes round the rings of one dimension after the other, in the shorter direction.

constexpr auto kHalfRing = "all-to-all-half-ring";

const AlgorithmRegistry::Entry half_ring_entry{declared(
    kHalfRing,
    "all-to-all on a torus round the rings of one dimension after the other, in the shorter direction",
    "the sum of floor(k/2) steps over all sides k, between neighbours; k/8 times a node's data on every link "
    "of a dimension of even side k, (k^2-1)/8k of odd",
    common::make_with(ring_phases, kHalfRing, true, 1))};

// dim-rotation: half rings in D pieces, each of which begins in another dimension.

constexpr auto kDimRotation = "all-to-all-dim-rotation";

const AlgorithmRegistry::Entry dim_rotation_entry{declared(
    kDimRotation,
    "all-to-all on a torus round rings, in the shorter direction, in D pieces that begin in different "
    "dimensions",
    "the sum of floor(k/2) steps over all sides k, between neighbours; all links in use at the same time on "
    "equal sides; k/8 times a node's data on every link of a dimension of even side k",
    [](const Topology& topology, const ParameterValues& values) {
      return ring_phases(topology, values, kDimRotation, true, topology.dimensions());
    },
    "torus of any sides and any number D of dimensions")};

}  // namespace

}  // namespace flitscope::all_to_all
