// Patterns on the bits of node numbers: bit-complement, bit-reverse, shuffle, transpose.
#include <cmath>

#include "model/error.h"
#include "traffic/traffic_pattern.h"

namespace flitscope::bit_patterns {

namespace {

constexpr auto kSource =
    "W. Dally, B. Towles: Principles and practices of interconnection networks, 2004, section 3.2";

// bit-complement: to the node that lies opposite through the middle of the network.

/// Coordinate x of a side n goes to n - 1 - x, in every dimension: where sides are powers of two, every bit
/// of the node's number is complemented.
const TrafficRegistry::Entry bit_complement_entry{{
    .name = "bit-complement",
    .summary = "coordinate x of a side n to n - 1 - x, in every dimension",
    .source = kSource,
    .admissible = "any; in a network of odd sides the node in the middle would send to itself",
    .make =
        [](const PatternInput& in) {
          const NodeId nodes = in.topology.nodes();
          return std::make_unique<FixedPattern>(nodes, [=](NodeId source) { return nodes - 1 - source; });
        },
}};

// bit-reverse: to the node whose number has the bits in the opposite order.

std::unique_ptr<TrafficPattern> make_bit_reverse(const PatternInput& in) {
  const unsigned bits = node_bits(in.topology, "bit-reverse");
  return std::make_unique<FixedPattern>(in.topology.nodes(), [bits](NodeId source) {
    NodeId reversed = 0;
    for (unsigned bit = 0; bit < bits; ++bit) reversed |= (source >> bit & 1) << (bits - 1 - bit);
    return reversed;
  });
}

const TrafficRegistry::Entry bit_reverse_entry{{
    .name = "bit-reverse",
    .summary = "to the node whose number has the same bits in the opposite order",
    .source = kSource,
    .admissible = "a power of two of nodes",
    .make = make_bit_reverse,
}};

// shuffle: the perfect shuffle of a pack of cards.

/// Node i of N sends to 2i mod (N - 1), the last one to itself: where N is a power of two, the bits of the
/// number are rotated to the left.
std::unique_ptr<TrafficPattern> make_shuffle(const PatternInput& in) {
  const NodeId nodes = in.topology.nodes();
  refuse_if(nodes % 2 != 0, nodes_key(in.topology),
            "shuffle deals two equal halves, so the number of nodes must be even; the {} has {}",
            in.topology.name(), nodes);
  return std::make_unique<FixedPattern>(nodes, [nodes](NodeId source) {
    return source == nodes - 1 ? source : static_cast<NodeId>(2 * std::uint64_t{source} % (nodes - 1));
  });
}

const TrafficRegistry::Entry shuffle_entry{{
    .name = "shuffle",
    .summary = "node i of N to 2i mod (N - 1): the bits of its number, rotated to the left",
    .source = kSource,
    .admissible = "an even number of nodes; the first and the last would send to themselves",
    .make = make_shuffle,
}};

// transpose: the nodes as the elements of a square matrix; each sends to its place in the transposed one.

/// Node a + m * b sends to b + m * a. With an even number of dimensions, of sides that repeat (8x8, 4x2x4x2),
/// the first half of the coordinates changes places with the second; with a power of two of nodes the lower
/// half of the bits does with the upper half.
std::unique_ptr<TrafficPattern> make_transpose(const PatternInput& in) {
  const NodeId nodes = in.topology.nodes();
  const auto side = static_cast<NodeId>(std::sqrt(nodes));
  refuse_if(side * side != nodes, nodes_key(in.topology),
            "transpose needs a square number of nodes, such as {} or {}; the {} has {}", side * side,
            (side + 1) * (side + 1), in.topology.name(), nodes);
  return std::make_unique<FixedPattern>(
      nodes, [side](NodeId source) { return source / side + source % side * side; });
}

const TrafficRegistry::Entry transpose_entry{{
    .name = "transpose",
    .summary = "node a + m * b to b + m * a, where m * m is the number of nodes",
    .source = kSource,
    .admissible = "a square number of nodes",
    .make = make_transpose,
}};

}  // namespace

}  // namespace flitscope::bit_patterns
