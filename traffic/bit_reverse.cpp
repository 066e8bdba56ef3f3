// bit-reverse: to the node whose number has the bits in the opposite order.
#include "traffic/power_of_two.h"
#include "traffic/traffic_pattern.h"

namespace flitscope::traffic_bit_reverse {
namespace {

class BitReverse final : public FixedPattern {
 public:
  explicit BitReverse(unsigned bits) : bits_(bits) {}

  NodeId partner(NodeId source) const override {
    NodeId reversed = 0;
    for (unsigned bit = 0; bit < bits_; ++bit) reversed |= (source >> bit & 1) << (bits_ - 1 - bit);
    return reversed;
  }

 private:
  unsigned bits_;
};

const TrafficRegistry::Entry entry{{
    .name = "bit-reverse",
    .summary = "to the node whose number has the same bits in the opposite order",
    .source = "W. Dally, B. Towles: Principles and practices of interconnection networks, 2004, section 3.2",
    .admissible = "a power of two of nodes",
    .parameters = {},
    .make =
        [](const PatternInput& in) {
          return std::make_unique<BitReverse>(node_bits(in.topology, "bit-reverse"));
        },
}};

}  // namespace
}  // namespace flitscope::traffic_bit_reverse
