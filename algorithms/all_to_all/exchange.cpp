#include "algorithms/all_to_all/exchange.h"

#include <fmt/format.h>

#include <utility>

#include "algorithms/algorithm.h"
#include "model/collective.h"
#include "model/error.h"
#include "model/possession.h"

namespace flitscope::all_to_all {

Parameter data_parameter() {
  return {.name = "message",
          .type = ParameterType::bytes,
          .summary = "all that one node sends, the part for itself included",
          .fallback = "4KiB",
          .unit = "bytes",
          .minimum = 1,
          .maximum = std::int64_t{1} << 40};
}

ScheduleFacts all_to_all_facts(const Topology& topology, const ParameterValues& values, std::string algorithm,
                               unsigned pieces, unsigned ports, bool any_network) {
  if (!any_network) require_torus(topology, algorithm);
  const Participants participants(topology);
  const std::uint64_t p = participants.count();
  constexpr std::uint64_t kMaxNodesCubed = 8 * Possession::kMemoryLimit;
  if (p > 65536 || p * p * p > kMaxNodesCubed / pieces) {
    throw Inadmissible("topology.shape",
                       fmt::format("{} keeps a bit for each node and chunk, p^3 of them for p nodes and {} "
                                   "pieces, which on the {} is more than the limit of {} GiB; it takes a "
                                   "smaller network",
                                   algorithm, pieces, topology.name(), Possession::kMemoryLimit >> 30));
  }
  ScheduleFacts facts(topology);
  facts.algorithm = std::move(algorithm);
  facts.send_ports = ports;
  facts.receive_ports = ports;
  Collective& collective = facts.collective;
  collective.chunk_bytes.reserve(p * p * pieces);
  const std::uint64_t bytes = values.bytes("message");
  const std::uint64_t parts = p * pieces;
  auto& goal = collective.goal.emplace();
  for (NodeId place = 0; place < p; ++place) {
    Holding& has = collective.initial.emplace_back(Holding{participants[place], {}});
    Holding& wants = goal.emplace_back(Holding{participants[place], {}});
    for (std::uint64_t part = 0; part < parts; ++part) {
      has.chunks.push_back(static_cast<ChunkId>(place * parts + part));
      wants.chunks.push_back(static_cast<ChunkId>((part / pieces * p + place) * pieces + part % pieces));
      collective.chunk_bytes.push_back(bytes / parts + (part < bytes % parts ? 1 : 0));
    }
  }
  return facts;
}

std::vector<ChunkId> Dimensions::chunks(NodeId node, unsigned phase, std::uint32_t from,
                                        std::uint32_t to) const {
  struct Ends {
    NodeId source = 0;
    NodeId destination = 0;
  };
  const auto at = [&](NodeId from_node, unsigned k, std::uint32_t coordinate) {
    const std::uint32_t side = torus_.side(k);
    return torus_.moved(from_node, k, Sign::plus,
                        (coordinate + side - torus_.coordinate(from_node, k)) % side);
  };
  const unsigned travelled = dimension(phase);
  std::vector<Ends> ends{{at(node, travelled, from), at(node, travelled, to)}};
  for (unsigned other = 0; other < torus_.dimensions(); ++other) {
    if (other == phase) continue;
    const unsigned k = dimension(other);
    const std::size_t before = ends.size();
    for (std::uint32_t hops = 1; hops < torus_.side(k); ++hops) {
      for (std::size_t i = 0; i < before; ++i) {
        Ends moved = ends[i];
        NodeId& open = other < phase ? moved.source : moved.destination;
        open = torus_.moved(open, k, Sign::plus, hops);
        ends.push_back(moved);
      }
    }
  }
  std::vector<ChunkId> chunks;
  chunks.reserve(ends.size());
  for (const auto& [source, destination] : ends) {
    chunks.push_back((source * torus_.nodes() + destination) * pieces_ + piece_);
  }
  return chunks;
}

}  // namespace flitscope::all_to_all
