// neighbour: one node onwards in every dimension.
#include "traffic/displaced.h"

namespace flitscope::traffic_neighbour {
namespace {

const TrafficRegistry::Entry entry{{
    .name = "neighbour",
    .summary = "coordinate x of a side n to x + 1 modulo n, in every dimension",
    .source = "W. Dally, B. Towles: Principles and practices of interconnection networks, 2004, section 3.2",
    .admissible = "any",
    .parameters = {},
    .make =
        [](const PatternInput& in) {
          return std::make_unique<DisplacedPattern>(in.topology,
                                                    std::vector<std::uint32_t>(in.topology.dimensions(), 1));
        },
}};

}  // namespace
}  // namespace flitscope::traffic_neighbour
