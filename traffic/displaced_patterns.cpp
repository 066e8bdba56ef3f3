// Patterns that send a fixed number of nodes onwards in every dimension: neighbour, tornado.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "model/error.h"
#include "traffic/traffic_pattern.h"

namespace flitscope::displaced_patterns {

namespace {

/// Coordinate x of dimension k goes to x + offsets[k], modulo the side.
std::unique_ptr<TrafficPattern> displaced(const Topology& topology,
                                          const std::vector<std::uint32_t>& offsets) {
  return std::make_unique<FixedPattern>(topology.nodes(), [&](NodeId node) {
    std::vector<std::uint32_t> at = topology.coordinates(node);
    for (std::size_t k = 0; k < at.size(); ++k) at[k] = (at[k] + offsets[k]) % topology.sides()[k];
    return topology.node(at);
  });
}

// neighbour: one node onwards in every dimension.

const TrafficRegistry::Entry neighbour_entry{{
    .name = "neighbour",
    .summary = "coordinate x of a side n to x + 1 modulo n, in every dimension",
    .source = "W. Dally, B. Towles: Principles and practices of interconnection networks, 2004, section 3.2",
    .admissible = "any",
    .make =
        [](const PatternInput& in) {
          return displaced(in.topology, std::vector<std::uint32_t>(in.topology.dimensions(), 1));
        },
}};

// tornado: nearly half way around, in every dimension.

/// Coordinate x of a side n goes to x + ceil(n / 2) - 1 modulo n: the farthest way that leads all messages in
/// the same direction around.
std::unique_ptr<TrafficPattern> make_tornado(const PatternInput& in) {
  constexpr std::uint32_t kLeastSide = 3;
  if (std::ranges::all_of(in.topology.sides(), [](std::uint32_t side) { return side < kLeastSide; })) {
    throw Inadmissible("topology.shape",
                       "tornado needs a side of at least {}: on the {} every node "
                       "would send to itself",
                       kLeastSide, in.topology.name());
  }
  std::vector<std::uint32_t> offsets;
  for (const std::uint32_t side : in.topology.sides()) offsets.push_back((side + 1) / 2 - 1);
  return displaced(in.topology, offsets);
}

const TrafficRegistry::Entry tornado_entry{{
    .name = "tornado",
    .summary = "coordinate x of a side n to x + ceil(n / 2) - 1 modulo n, in every dimension",
    .source = "W. Dally, B. Towles: Principles and practices of interconnection networks, 2004, section 3.2",
    .admissible = "a side of at least 3",
    .make = make_tornado,
}};

}  // namespace

}  // namespace flitscope::displaced_patterns
