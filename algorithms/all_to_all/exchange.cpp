#include "algorithms/all_to_all/exchange.h"

#include <utility>

#include "algorithms/common/schedule.h"
#include "model/possession.h"

namespace flitscope::all_to_all {

Parameter data_parameter() {
  return bytes_parameter("message", "all that one node sends, the part for itself included", "4KiB");
}

ScheduleFacts all_to_all_facts(const Topology& topology, const ParameterValues& values, std::string algorithm,
                               unsigned pieces, unsigned ports, bool any_network) {
  if (!any_network) require_torus(topology, algorithm);
  const Participants participants(topology);
  const std::uint64_t p = participants.count();
  constexpr std::uint64_t kMaxNodesCubed = 8 * Possession::kMemoryLimit;
  refuse_if(p > 65536 || p * p * p > kMaxNodesCubed / pieces, "topology.shape",
            "{} keeps a bit for each node and chunk, p^3 of them for p nodes and {} pieces, which "
            "on the {} is more than the limit of {} GiB; it takes a smaller network",
            algorithm, pieces, topology.name(), Possession::kMemoryLimit >> 30);
  ScheduleFacts facts = common::facts_of(topology, std::move(algorithm), ports);
  Collective& collective = facts.collective;
  const std::uint64_t parts = p * pieces;
  const std::vector<std::uint64_t> sizes = common::split(values.bytes("message"), parts);
  collective.initial = common::own_chunks(participants, parts);
  auto& goal = collective.goal.emplace();
  for (NodeId place = 0; place < p; ++place) {
    Holding& wants = goal.emplace_back(Holding{participants[place], {}});
    for (std::uint64_t part = 0; part < parts; ++part) {
      wants.chunks.push_back(static_cast<ChunkId>((part / pieces * p + place) * pieces + part % pieces));
    }
    collective.chunk_bytes.insert(collective.chunk_bytes.end(), sizes.begin(), sizes.end());
  }
  return facts;
}

}  // namespace flitscope::all_to_all
