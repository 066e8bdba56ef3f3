#include "algorithms/common/cycles.h"

#include <utility>

#include "algorithms/common/hamiltonian_decomposition.h"

namespace flitscope::common {

namespace {

/// The moves of a Hamiltonian cycle, dimension by dimension. With one more dimension those so far are the
/// columns of a grid: the walk winds row by row through all of them but column 0, and comes back there.
std::vector<unsigned> cycle_moves(const Topology& torus) {
  std::vector<unsigned> columns(torus.side(0), port_of(0, Sign::plus));
  for (unsigned k = 1; k < torus.dimensions(); ++k) {
    const std::size_t n = columns.size();
    const std::uint32_t rows = torus.side(k);
    std::vector<unsigned> moves{columns[0]};
    for (std::uint32_t row = 0; row < rows; ++row) {
      const bool outwards = row % 2 == 0;
      for (std::size_t i = 1; i + 1 < n; ++i) {
        moves.push_back(outwards ? columns[i] : torus.opposite_port(columns[n - 1 - i]));
      }
      if (row + 1 < rows) moves.push_back(port_of(k, Sign::plus));
    }
    // An odd last row ends in column 1, an even one in column n-1.
    moves.push_back(rows % 2 == 0 ? torus.opposite_port(columns[0]) : columns[n - 1]);
    moves.insert(moves.end(), rows - 1, port_of(k, Sign::minus));
    columns = std::move(moves);
  }
  return columns;
}

}  // namespace

HamiltonianCycle hamiltonian_cycle(const Topology& torus) {
  HamiltonianCycle cycle{{0}, cycle_moves(torus)};
  for (const unsigned port : cycle.moves) cycle.nodes.push_back(*torus.neighbour(cycle.nodes.back(), port));
  cycle.nodes.pop_back();
  return cycle;
}

HamiltonianCycle searched_cycle(const Topology& topology) {
  HamiltonianCycle cycle{ring_order(topology), {}};
  for (std::size_t at = 0; at < cycle.nodes.size(); ++at) {
    const NodeId next = cycle.nodes[(at + 1) % cycle.nodes.size()];
    unsigned port = 0;
    while (port + 1 < topology.link_ports() && topology.neighbour(cycle.nodes[at], port) != next) ++port;
    cycle.moves.push_back(port);
  }
  return cycle;
}

std::vector<HamiltonianCycle> disjoint_cycles(const Topology& topology) {
  if (topology.dimensions() == 1) return {hamiltonian_cycle(topology)};
  const PaperTorus torus(topology);
  std::vector<HamiltonianCycle> cycles;
  for (const Ring& ring : hamiltonian_decomposition(torus)) {
    HamiltonianCycle& cycle = cycles.emplace_back();
    for (const Pu pu : ring.pus()) {
      cycle.nodes.push_back(torus.node(pu));
      cycle.moves.push_back(torus.port(ring.exit(pu)));
    }
  }
  return cycles;
}

Spread cycle_spread(const Topology& topology, std::vector<HamiltonianCycle> cycles, bool both_directions,
                    std::uint32_t channel_load) {
  const Participants participants(topology);
  const std::size_t p = participants.count();
  const unsigned directions = both_directions ? 2 : 1;
  const unsigned colours = static_cast<unsigned>(cycles.size()) * directions;
  auto produce = [=, cycles = std::move(cycles)](std::uint64_t number, const Spread::Send& send) {
    for (unsigned colour = 0; colour < colours; ++colour) {
      const HamiltonianCycle& cycle = cycles[colour / directions];
      const bool forward = colour % directions == 0;
      for (std::size_t at = 0; at < p; ++at) {
        // Backward, a link leads from position at + 1 to at.
        const std::size_t next = (at + 1) % p;
        const std::size_t owner = forward ? (at + p - (number - 1)) % p : (next + number - 1) % p;
        const Route route = topology.neighbour(cycle.nodes[at], cycle.moves[at]) == cycle.nodes[next]
                                ? one_hop(cycle.moves[at])
                                : shortest_route(topology, cycle.nodes[at], cycle.nodes[next]);
        const ChunkId chunk = participants.place(cycle.nodes[owner]) * colours + colour;
        send(cycle.nodes[forward ? at : next], cycle.nodes[forward ? next : at],
             forward ? route : reversed(route), std::span(&chunk, 1));
      }
    }
  };
  return {.colours = colours,
          .steps = p - 1,
          .messages = (p - 1) * p * colours,
          .ports = colours,
          .produce = std::move(produce),
          .channel_load = channel_load};
}

}  // namespace flitscope::common
