// tornado: nearly half way around, in every dimension.
#include <fmt/format.h>

#include <algorithm>

#include "model/error.h"
#include "traffic/displaced.h"

namespace flitscope::traffic_tornado {
namespace {

/// Coordinate x of a side n goes to x + ceil(n / 2) - 1 modulo n: the farthest way that leads all messages in
/// the same direction around.
std::unique_ptr<TrafficPattern> make(const PatternInput& in) {
  constexpr std::uint32_t kLeastSide = 3;
  if (std::ranges::all_of(in.topology.sides(), [](std::uint32_t side) { return side < kLeastSide; })) {
    throw Inadmissible("topology.shape",
                       fmt::format("tornado needs a side of at least {}: on the {} every node "
                                   "would send to itself",
                                   kLeastSide, in.topology.name()));
  }
  std::vector<std::uint32_t> offsets;
  for (const std::uint32_t side : in.topology.sides()) offsets.push_back((side + 1) / 2 - 1);
  return std::make_unique<DisplacedPattern>(in.topology, offsets);
}

const TrafficRegistry::Entry entry{{
    .name = "tornado",
    .summary = "coordinate x of a side n to x + ceil(n / 2) - 1 modulo n, in every dimension",
    .source = "W. Dally, B. Towles: Principles and practices of interconnection networks, 2004, section 3.2",
    .admissible = "a side of at least 3",
    .parameters = {},
    .make = make,
}};

}  // namespace
}  // namespace flitscope::traffic_tornado
