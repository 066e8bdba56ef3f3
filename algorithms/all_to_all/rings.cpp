#include "algorithms/all_to_all/rings.h"

namespace flitscope::all_to_all {

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

/// What has come from `place` - 1 hops behind and goes on.
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

}  // namespace flitscope::all_to_all
