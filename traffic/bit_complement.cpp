// bit-complement: to the node that lies opposite through the middle of the network.
#include "traffic/traffic_pattern.h"

namespace flitscope::traffic_bit_complement {
namespace {

/// Coordinate x of a side n goes to n - 1 - x, in every dimension: where sides are powers of two, every bit
/// of the node's number is complemented.
class BitComplement final : public FixedPattern {
 public:
  explicit BitComplement(NodeId nodes) : nodes_(nodes) {}

  NodeId partner(NodeId source) const override { return nodes_ - 1 - source; }

 private:
  NodeId nodes_;
};

const TrafficRegistry::Entry entry{{
    .name = "bit-complement",
    .summary = "coordinate x of a side n to n - 1 - x, in every dimension",
    .source = "W. Dally, B. Towles: Principles and practices of interconnection networks, 2004, section 3.2",
    .admissible = "any; in a network of odd sides the node in the middle would send to itself",
    .parameters = {},
    .make = [](const PatternInput& in) { return std::make_unique<BitComplement>(in.topology.nodes()); },
}};

}  // namespace
}  // namespace flitscope::traffic_bit_complement
