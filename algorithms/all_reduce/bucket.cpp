// bucket: rings of one dimension after the other, in 2D colours that begin in different dimensions and
// directions.
#include <algorithm>
#include <functional>

#include "algorithms/common/spread.h"

namespace flitscope::all_reduce::bucket {
namespace {

/// Colour 2 d + s gathers last along dimension d, before that along d-1, and so on, in direction s: in phase
/// `phase`, from 0, along this one.
unsigned dimension_of(const Topology& torus, unsigned colour, unsigned phase) {
  return (colour / 2 + torus.dimensions() - 1 - phase) % torus.dimensions();
}

void produce(const Topology& torus, std::uint64_t number, unsigned colour, const common::Spread::Send& send) {
  unsigned phase = 0;
  std::uint64_t place = number;  // of the step in its phase, from 1
  for (; place > torus.side(dimension_of(torus, colour, phase)) - 1; ++phase) {
    place -= torus.side(dimension_of(torus, colour, phase)) - 1;
  }
  const unsigned dimension = dimension_of(torus, colour, phase);
  const auto sign = static_cast<Sign>(colour % 2);
  std::vector<ChunkId> chunks;
  for (NodeId node = 0; node < torus.nodes(); ++node) {
    chunks.assign(1, torus.moved(node, dimension, opposite(sign), static_cast<std::uint32_t>(place - 1)));
    for (unsigned earlier = 0; earlier < phase; ++earlier) {
      common::extend_along(chunks, torus, dimension_of(torus, colour, earlier));
    }
    for (ChunkId& chunk : chunks) chunk = chunk * torus.link_ports() + colour;
    send(node, torus.moved(node, dimension, sign, 1), one_hop(port_of(dimension, sign)), chunks);
  }
}

common::Spread make(const Topology& torus, const ParameterValues& /*values*/, const std::string& algorithm) {
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
                for (unsigned colour = 0; colour < colours; ++colour) produce(torus, number, colour, send);
              },
          .channel_load = equal ? 1U : 0U};
}

const common::Family family{{
    .name = "bucket",
    .how = "along the rings of one dimension after the other, in 2D colours",
    .source = "the multi-dimensional ring (bucket) algorithm, with the colours of Sack and Gropp (2012)",
    .claim = "the sum of k-1 steps over all sides k; between neighbours; on equal sides one message per link "
             "and step and (p-1)/2Dp of the vector on every link, the least possible, on unequal ones more",
    .admissible = "torus of any sides and any number D of dimensions",
    .make = make,
}};

}  // namespace
}  // namespace flitscope::all_reduce::bucket
