// All-to-all along the rings of a torus, between neighbours only.
#include <cstdint>
#include <utility>
#include <vector>

#include "algorithms/all_to_all/exchange.h"
#include "algorithms/common/stepwise_schedule.h"

namespace flitscope::all_to_all {

namespace {

/// In each phase all data goes round the rings of one dimension until it has come to its coordinate: every
/// node sends on what came in the step before and stays not there. With both directions data goes the shorter
/// way, where they are equally long half of it each way. Piece i begins in dimension i.
class RingPhases final : public StepwiseSchedule {
 public:
  RingPhases(ScheduleFacts facts, bool both_directions, unsigned pieces);

  /// Steps of a dimension of side k.
  [[nodiscard]] static std::uint32_t steps_of(std::uint32_t side, bool both_directions) {
    return both_directions ? side / 2 : side - 1;
  }

 private:
  void produce(std::uint64_t number, Step& step) override;
  void produce(std::uint64_t number, unsigned piece, Step& step);
  void send(NodeId node, unsigned phase, std::uint32_t place, Sign sign, const Dimensions& way,
            Step& step) const;

  bool both_directions_;
  std::vector<Dimensions> pieces_;
};

/// An all-to-all by RingPhases.
[[nodiscard]] std::unique_ptr<Schedule> ring_phases(const Topology& topology, const ParameterValues& values,
                                                    const std::string& algorithm, bool both_directions,
                                                    unsigned pieces);

RingPhases::RingPhases(ScheduleFacts facts, bool both_directions, unsigned pieces)
    : StepwiseSchedule(std::move(facts)), both_directions_(both_directions) {
  for (unsigned piece = 0; piece < pieces; ++piece) pieces_.emplace_back(topology(), pieces, piece, piece);
}

void RingPhases::produce(std::uint64_t number, Step& step) {
  for (unsigned piece = 0; piece < pieces_.size(); ++piece) produce(number, piece, step);
}

void RingPhases::produce(std::uint64_t number, unsigned piece, Step& step) {
  const Dimensions& way = pieces_[piece];
  unsigned phase = 0;
  const auto steps = [&] { return steps_of(topology().side(way.dimension(phase)), both_directions_); };
  for (; number > steps(); ++phase) number -= steps();
  for (NodeId node = 0; node < topology().nodes(); ++node) {
    send(node, phase, static_cast<std::uint32_t>(number), Sign::plus, way, step);
    if (both_directions_) send(node, phase, static_cast<std::uint32_t>(number), Sign::minus, way, step);
  }
}

/// Forwards the data from `place` - 1 hops behind.
void RingPhases::send(NodeId node, unsigned phase, std::uint32_t place, Sign sign, const Dimensions& way,
                      Step& step) const {
  const unsigned k = way.dimension(phase);
  const std::uint32_t side = topology().side(k);
  const std::uint32_t x = topology().coordinate(node, k);
  const auto ahead = [&](std::uint32_t from, std::uint32_t hops) {
    return sign == Sign::plus ? (from + hops) % side : (from + side - hops) % side;
  };
  const std::uint32_t origin = ahead(x, side - (place - 1));
  std::vector<ChunkId> chunks;
  for (std::uint32_t hops = place; hops < side; ++hops) {
    if (both_directions_ && 2 * hops > side) break;
    const std::vector<ChunkId> there = way.chunks(node, phase, origin, ahead(origin, hops));
    if (!both_directions_ || 2 * hops != side) {
      chunks.insert(chunks.end(), there.begin(), there.end());
      continue;
    }
    for (std::size_t i = 0; i < there.size(); ++i) {
      if ((i + origin) % 2 == (sign == Sign::plus ? 0U : 1U)) chunks.push_back(there[i]);
    }
  }
  if (chunks.empty()) return;
  const unsigned port = port_of(k, sign);
  step.add(node, *topology().neighbour(node, port), one_hop(port), chunks);
}

std::unique_ptr<Schedule> ring_phases(const Topology& topology, const ParameterValues& values,
                                      const std::string& algorithm, bool both_directions, unsigned pieces) {
  const unsigned directions = both_directions ? 2 : 1;
  ScheduleFacts facts = all_to_all_facts(topology, values, algorithm, pieces, directions * pieces);
  for (unsigned piece = 0; piece < pieces; ++piece) {
    facts.steps = 0;
    for (unsigned phase = 0; phase < topology.dimensions(); ++phase) {
      const std::uint32_t side = topology.side((piece + phase) % topology.dimensions());
      facts.steps += RingPhases::steps_of(side, both_directions);
      // On an even side the last step of both directions has half of the chunks; with a single one for every
      // pair of positions, half of the messages.
      facts.messages +=
          std::uint64_t{topology.nodes()} * directions * RingPhases::steps_of(side, both_directions);
      if (both_directions && side % 2 == 0 && side == topology.nodes()) facts.messages -= topology.nodes();
    }
  }
  facts.claimed_steps = facts.steps;
  return std::make_unique<RingPhases>(std::move(facts), both_directions, pieces);
}

// ring: data goes round the rings of one dimension after the other, in one direction.

constexpr auto kRing = "all-to-all-ring";

const AlgorithmRegistry::Entry ring_entry{{
    .name = kRing,
    .collective = {CollectiveKind::all_to_all},
    .summary = "all-to-all on a torus round the rings of one dimension after the other, in one direction",
    .source = "common knowledge",
    .claim = "the sum of k-1 steps over all sides k, between neighbours; (k-1)/2 times a node's data on each "
             "link used",
    .admissible = "torus of any sides and any number of dimensions",
    .parameters = {data_parameter()},
    .make = [](const Topology& topology,
               const ParameterValues& values) { return ring_phases(topology, values, kRing, false, 1); },
    .memory = {.per_pair_of_nodes = 96},
}};

// half-ring: data goes round the rings of one dimension after the other, the shorter way.

constexpr auto kHalfRing = "all-to-all-half-ring";

const AlgorithmRegistry::Entry half_ring_entry{{
    .name = kHalfRing,
    .collective = {CollectiveKind::all_to_all},
    .summary = "all-to-all on a torus round the rings of one dimension after the other, the shorter way",
    .source = "common knowledge",
    .claim =
        "the sum of floor(k/2) steps over all sides k, between neighbours; k/8 times a node's data on every "
        "link of a dimension of even side k, (k^2-1)/8k of odd",
    .admissible = "torus of any sides and any number of dimensions",
    .parameters = {data_parameter()},
    .make = [](const Topology& topology,
               const ParameterValues& values) { return ring_phases(topology, values, kHalfRing, true, 1); },
    .memory = {.per_pair_of_nodes = 96},
}};

// dim-rotation: half rings in D pieces, each of which begins in another dimension.

constexpr auto kDimRotation = "all-to-all-dim-rotation";

const AlgorithmRegistry::Entry dim_rotation_entry{{
    .name = kDimRotation,
    .collective = {CollectiveKind::all_to_all},
    .summary =
        "all-to-all on a torus round rings, the shorter way, in D pieces that begin in different dimensions",
    .source = "common knowledge",
    .claim = "the sum of floor(k/2) steps over all sides k, between neighbours; all links in use at the same "
             "time on equal sides; k/8 times a node's data on every link of a dimension of even side k",
    .admissible = "torus of any sides and any number D of dimensions",
    .parameters = {data_parameter()},
    .make =
        [](const Topology& topology, const ParameterValues& values) {
          return ring_phases(topology, values, kDimRotation, true, topology.dimensions());
        },
    .memory = {.per_pair_of_nodes = 96},
}};

}  // namespace

}  // namespace flitscope::all_to_all
