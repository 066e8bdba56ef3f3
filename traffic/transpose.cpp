// transpose: the nodes as the elements of a square matrix; each sends to its place in the transposed one.
#include <fmt/format.h>

#include "model/error.h"
#include "traffic/traffic_pattern.h"

namespace flitscope::traffic_transpose {
namespace {

NodeId square_root(NodeId nodes) {
  NodeId root = 1;
  while (std::uint64_t{root + 1} * (root + 1) <= nodes) ++root;
  return root;
}

/// Node a + m * b sends to b + m * a. With an even number of dimensions, of sides that repeat (8x8, 4x2x4x2),
/// the first half of the coordinates changes places with the second; with a power of two of nodes the lower
/// half of the bits does with the upper half.
class Transpose final : public FixedPattern {
 public:
  explicit Transpose(NodeId side) : side_(side) {}

  NodeId partner(NodeId source) const override { return source / side_ + source % side_ * side_; }

 private:
  NodeId side_;
};

const TrafficRegistry::Entry entry{{
    .name = "transpose",
    .summary = "node a + m * b to b + m * a, where m * m is the number of nodes",
    .source = "W. Dally, B. Towles: Principles and practices of interconnection networks, 2004, section 3.2",
    .admissible = "a square number of nodes",
    .parameters = {},
    .make =
        [](const PatternInput& in) {
          const NodeId side = square_root(in.topology.nodes());
          if (side * side != in.topology.nodes()) {
            throw Inadmissible(
                "topology.shape",
                fmt::format("transpose needs a square number of nodes, such as {} or {}; the {} "
                            "has {}",
                            side * side, (side + 1) * (side + 1), in.topology.name(), in.topology.nodes()));
          }
          return std::make_unique<Transpose>(side);
        },
}};

}  // namespace
}  // namespace flitscope::traffic_transpose
