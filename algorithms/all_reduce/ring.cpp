// Algorithms along rings: Hamiltonian cycles, and the rings of the dimensions of a torus.
#include <algorithm>
#include <utility>

#include "algorithms/common/cycles.h"
#include "algorithms/common/spread.h"

namespace flitscope::all_reduce {

namespace {

// ring: the chunks go round one circle of all nodes.

common::Spread make_ring(const Topology& topology, const ParameterValues& values,
                         const std::string& /*algorithm*/) {
  const bool is_torus = topology.is_fault_free_grid() && topology.wraps() && !topology.is_one_way();
  common::HamiltonianCycle cycle =
      is_torus ? common::hamiltonian_cycle(topology) : common::searched_cycle(topology);
  // Two nodes have one link in each direction, but on a torus two.
  const bool both = values.text("directions") == "both" && !common::leads_one_way(topology, cycle) &&
                    (is_torus || Participants(topology).count() > 2);
  const std::uint32_t channel_load = common::has_links(topology, cycle) ? 1 : 0;
  return common::cycle_spread(topology, {std::move(cycle)}, both, channel_load);
}

const common::Family ring_family{{
    .name = "ring",
    .how = "round one circle of all nodes",
    .source = "the ring algorithm, common knowledge; the circle is a Hamiltonian cycle where one is known or "
              "found, else a walk round a breadth-first tree",
    .claim = "p-1 steps for p nodes; where every router is a node and a Hamiltonian cycle is found one "
             "message per link and step, between neighbours; (p-1)/p of the vector on each link of the "
             "cycle, half of that with both directions",
    .admissible = "any network, any number of nodes",
    .parameters = {Parameter::choice(
                       "directions",
                       "whether half of the vector goes in the other direction, where links lead there",
                       {"both", "one"})
                       .or_else("both")},
    .make = make_ring,
    .any_network = true,
}};

// hamiltonian: the chunks go round Hamiltonian cycles that together have all links.

common::Spread make_hamiltonian(const Topology& topology, const ParameterValues& /*values*/,
                                const std::string& algorithm) {
  common::require_disjoint_cycles(topology, algorithm);
  return common::cycle_spread(topology, common::disjoint_cycles(topology), true);
}

const common::Family hamiltonian_family{{
    .name = "hamiltonian",
    .how = "along D Hamiltonian cycles that share no link, in both directions of each",
    .source = "ours, after Meyer and Sibeyn, Section 3.4",
    .claim = "p-1 steps for p nodes; one message per link and step, between neighbours; (p-1)/2Dp of the "
             "vector on every link, the least possible",
    .admissible = "ring; torus of any number D of dimensions, all sides at least 3",
    .make = make_hamiltonian,
}};

// bucket: rings of one dimension after the other, in 2D colours that begin in different dimensions and
// directions.

/// Colour 2 d + s gathers last along dimension d, before that along d-1, and so on, in direction s: in phase
/// `phase`, from 0, along this one.
unsigned bucket_dimension(const Topology& torus, unsigned colour, unsigned phase) {
  return (colour / 2 + torus.dimensions() - 1 - phase) % torus.dimensions();
}

void produce_bucket(const Topology& torus, std::uint64_t number, unsigned colour,
                    const common::Spread::Send& send) {
  unsigned phase = 0;
  std::uint64_t place = number;  // of the step in its phase, from 1
  for (; place > torus.side(bucket_dimension(torus, colour, phase)) - 1; ++phase) {
    place -= torus.side(bucket_dimension(torus, colour, phase)) - 1;
  }
  const unsigned dimension = bucket_dimension(torus, colour, phase);
  const auto sign = static_cast<Sign>(colour % 2);
  // Nodes whose chunks a node has by now, by their distance from the lowest of them.
  std::vector<NodeId> gathered{0};
  for (unsigned earlier = 0; earlier < phase; ++earlier) {
    common::extend_along(gathered, torus, bucket_dimension(torus, colour, earlier));
  }
  std::ranges::sort(gathered);
  std::vector<ChunkId> chunks;
  for (NodeId node = 0; node < torus.nodes(); ++node) {
    NodeId lowest = torus.moved(node, dimension, opposite(sign), static_cast<std::uint32_t>(place - 1));
    for (unsigned earlier = 0; earlier < phase; ++earlier) {
      const unsigned along = bucket_dimension(torus, colour, earlier);
      lowest = torus.moved(lowest, along, Sign::minus, torus.coordinate(lowest, along));
    }
    chunks.clear();
    for (const NodeId from : gathered) chunks.push_back((lowest + from) * torus.link_ports() + colour);
    send(node, torus.moved(node, dimension, sign, 1), one_hop(port_of(dimension, sign)), chunks);
  }
}

common::Spread make_bucket(const Topology& torus, const ParameterValues& /*values*/,
                           const std::string& algorithm) {
  require_torus(torus, algorithm);
  const unsigned colours = torus.link_ports();
  std::uint64_t steps = 0;
  for (const std::uint32_t side : torus.sides()) steps += side - 1;
  // Colours that begin in different dimensions of unequal sides come to use the same one.
  const bool equal = std::ranges::adjacent_find(torus.sides(), std::not_equal_to()) == torus.sides().end();
  return {.colours = colours,
          .steps = steps,
          .messages = steps * torus.nodes() * colours,
          .ports = colours,
          .produce =
              [=](std::uint64_t number, const common::Spread::Send& send) {
                for (unsigned colour = 0; colour < colours; ++colour)
                  produce_bucket(torus, number, colour, send);
              },
          .channel_load = equal ? 1U : 0U};
}

const common::Family bucket_family{{
    .name = "bucket",
    .how = "along the rings of one dimension after the other, in 2D colours",
    .source = "the multi-dimensional ring (bucket) algorithm, with the colours of Sack and Gropp (2012)",
    .claim = "the sum of k-1 steps over all sides k; between neighbours; on equal sides one message per link "
             "and step and (p-1)/2Dp of the vector on every link, the least possible, on unequal ones more",
    .admissible = "torus of any sides and any number D of dimensions",
    .make = make_bucket,
}};

}  // namespace

}  // namespace flitscope::all_reduce
