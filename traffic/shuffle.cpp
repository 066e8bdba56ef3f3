// shuffle: the perfect shuffle of a pack of cards.
#include <fmt/format.h>

#include "model/error.h"
#include "traffic/traffic_pattern.h"

namespace flitscope::traffic_shuffle {
namespace {

/// Node i of N sends to 2i mod (N - 1), the last one to itself: where N is a power of two, the bits of the
/// number are rotated to the left.
class Shuffle final : public FixedPattern {
 public:
  explicit Shuffle(NodeId nodes) : nodes_(nodes) {}

  NodeId partner(NodeId source) const override {
    if (source == nodes_ - 1) return source;
    return static_cast<NodeId>(2 * std::uint64_t{source} % (nodes_ - 1));
  }

 private:
  NodeId nodes_;
};

const TrafficRegistry::Entry entry{{
    .name = "shuffle",
    .summary = "node i of N to 2i mod (N - 1): the bits of its number, rotated to the left",
    .source = "W. Dally, B. Towles: Principles and practices of interconnection networks, 2004, section 3.2",
    .admissible = "an even number of nodes; the first and the last would send to themselves",
    .parameters = {},
    .make =
        [](const PatternInput& in) {
          if (in.topology.nodes() % 2 != 0) {
            throw Inadmissible(
                "topology.shape",
                fmt::format("shuffle deals two equal halves, so the number of nodes must be even; "
                            "the {} has {}",
                            in.topology.name(), in.topology.nodes()));
          }
          return std::make_unique<Shuffle>(in.topology.nodes());
        },
}};

}  // namespace
}  // namespace flitscope::traffic_shuffle
