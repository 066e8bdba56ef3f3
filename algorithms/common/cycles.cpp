#include "algorithms/common/cycles.h"

#include <utility>

#include "algorithms/common/cycle_search.h"
#include "algorithms/common/hamiltonian_decomposition.h"

namespace flitscope::all_reduce {

namespace {

/// A walk that records its nodes and ports.
class Walk {
 public:
  explicit Walk(const Topology& torus) : torus_(torus) {}

  void move(unsigned port) {
    cycle_.nodes.push_back(at_);
    cycle_.moves.push_back(port);
    at_ = *torus_.neighbour(at_, port);
  }
  [[nodiscard]] HamiltonianCycle cycle() && { return std::move(cycle_); }

 private:
  const Topology& torus_;
  NodeId at_ = 0;
  HamiltonianCycle cycle_;
};

/// The moves of a Hamiltonian cycle of the first `dimensions` dimensions. With one more dimension these are
/// the columns of a grid: the walk winds row by row through all of them but column 0, and comes back there.
std::vector<unsigned> cycle_moves(const Topology& torus, unsigned dimensions) {
  std::vector<unsigned> columns(torus.side(0), port_of(0, Sign::plus));
  for (unsigned k = 1; k < dimensions; ++k) {
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
  Walk walk(torus);
  for (const unsigned port : cycle_moves(torus, torus.dimensions())) walk.move(port);
  return std::move(walk).cycle();
}

HamiltonianCycle searched_cycle(const Topology& topology, const std::string& algorithm) {
  HamiltonianCycle cycle{any_network::hamiltonian_order(topology, algorithm), {}};
  for (std::size_t at = 0; at < cycle.nodes.size(); ++at) {
    const NodeId next = cycle.nodes[(at + 1) % cycle.nodes.size()];
    unsigned port = 0;
    while (port + 1 < topology.link_ports() && topology.neighbour(cycle.nodes[at], port) != next) ++port;
    cycle.moves.push_back(port);
  }
  return cycle;
}

std::vector<HamiltonianCycle> disjoint_cycles(const Topology& topology) {
  std::vector<HamiltonianCycle> cycles;
  if (topology.dimensions() == 1) {
    cycles.push_back(hamiltonian_cycle(topology));
  } else {
    const meyer_sibeyn::PaperTorus torus(topology);
    for (const meyer_sibeyn::Ring& ring : meyer_sibeyn::hamiltonian_decomposition(torus)) {
      HamiltonianCycle& cycle = cycles.emplace_back();
      for (const meyer_sibeyn::Pu pu : ring.pus()) {
        cycle.nodes.push_back(torus.node(pu));
        cycle.moves.push_back(torus.port(ring.exit(pu)));
      }
    }
  }
  return cycles;
}

void CycleSpread::produce(std::uint64_t number, const Send& send) const {
  const std::size_t p = participants_.count();
  const unsigned all = colours();
  for (unsigned colour = 0; colour < all; ++colour) {
    const HamiltonianCycle& cycle = cycles_[colour / directions_];
    const bool forward = colour % directions_ == 0;
    for (std::size_t at = 0; at < p; ++at) {
      // Backward, a link leads from position at + 1 to at.
      const std::size_t next = (at + 1) % p;
      const std::size_t from = forward ? at : next;
      const std::size_t owner = forward ? (at + p - (number - 1)) % p : (next + number - 1) % p;
      const Route route = one_hop(cycle.moves[at]);
      const ChunkId chunk = participants_.place(cycle.nodes[owner]) * all + colour;
      send(cycle.nodes[from], cycle.nodes[forward ? next : at], forward ? route : reversed(route),
           std::span(&chunk, 1));
    }
  }
}

}  // namespace flitscope::all_reduce
