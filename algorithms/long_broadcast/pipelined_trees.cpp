// pipelined-trees: a long message down 2D spanning trees that share no link, in segments that follow one
// another. The trees are Hamiltonian paths.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "algorithms/common/cycles.h"
#include "algorithms/common/schedule.h"

namespace flitscope::long_broadcast::pipelined_trees {
namespace {

constexpr auto kName = "pipelined-trees";
constexpr std::uint64_t kMaxSegments = 1'000'000;

/// Adds the message along hop `hop` of a path. Path 2 c goes round cycle c from the source, path 2 c + 1 the
/// same nodes in the other direction.
void send(const std::vector<common::HamiltonianCycle>& cycles, std::uint64_t path, std::uint64_t hop,
          ChunkId chunk, Step& step) {
  const common::HamiltonianCycle& cycle = cycles[path / 2];
  const std::size_t length = cycle.nodes.size();
  if (path % 2 == 0) {
    step.add(cycle.nodes[hop], cycle.nodes[hop + 1], one_hop(cycle.moves[hop]), std::span(&chunk, 1));
  } else {
    const std::size_t to = length - hop - 1;
    step.add(cycle.nodes[(to + 1) % length], cycle.nodes[to], common::reversed(one_hop(cycle.moves[to])),
             std::span(&chunk, 1));
  }
}

/// Chunk s * paths + q is segment s of the part of path q.
std::unique_ptr<Schedule> make(const Topology& topology, const ParameterValues& values) {
  common::require_disjoint_cycles(topology, kName);
  const NodeId source = node_parameter(topology, values, "source");
  std::vector<common::HamiltonianCycle> cycles = common::disjoint_cycles(topology);
  for (common::HamiltonianCycle& cycle : cycles) {
    const auto at = std::ranges::find(cycle.nodes, source) - cycle.nodes.begin();
    std::ranges::rotate(cycle.nodes, cycle.nodes.begin() + at);
    std::ranges::rotate(cycle.moves, cycle.moves.begin() + at);
  }
  const std::uint64_t bytes = values.bytes("message");
  const std::uint64_t paths = 2 * cycles.size();
  const std::uint64_t part = (bytes + paths - 1) / paths;
  const std::uint64_t segment = values.bytes("segment") == 0 ? part : values.bytes("segment");
  const std::uint64_t segments = (part + segment - 1) / segment;
  if (segments * paths > kMaxSegments) {
    throw Inadmissible("workload.segment", "segments of {} bytes are {}; at most {} are possible", segment,
                       segments * paths, kMaxSegments);
  }
  const std::uint64_t hops = topology.nodes() - 1;
  ScheduleFacts facts = common::facts_of(topology, kName, topology.link_ports());
  facts.lower_bound_steps = broadcast_lower_bound(topology.nodes(), topology.link_ports());
  facts.claimed_channel_load = 1;
  facts.steps = hops + segments - 1;
  facts.claimed_steps = facts.steps;
  facts.messages = segments * paths * hops;
  facts.collective.chunk_bytes = common::split(bytes, segments * paths);
  facts.collective.initial = {common::run_of_chunks(source, segments * paths)};
  return common::stepwise(std::move(facts), [=](std::uint64_t number, Step& step) {
    const std::uint64_t first = number > hops ? number - hops : 0;
    for (std::uint64_t at = first; at < std::min(segments, number); ++at) {
      for (std::uint64_t path = 0; path < paths; ++path) {
        send(cycles, path, number - at - 1, static_cast<ChunkId>(at * paths + path), step);
      }
    }
  });
}

const AlgorithmRegistry::Entry entry{{
    .name = kName,
    .collective = {CollectiveKind::broadcast, "segment"},
    .summary =
        "broadcast of a long message on a torus down 2D spanning trees that share no link, in segments",
    .source = "ours: in both directions along the Hamiltonian cycles after Meyer and Sibeyn, Section 3.4",
    .claim = "p - 2 + s steps for p nodes and s segments a tree; one message per link and step, between "
             "neighbours; 1/2D of the message on a link, the least possible",
    .admissible = "ring; torus of any number D of dimensions, all sides at least 3",
    .parameters = broadcast_parameters(
        {common::segment_parameter("the part of each tree is cut into segments of about that length, which "
                                   "follow one another; 0: one segment",
                                   "512")}),
    .make = make,
}};

}  // namespace
}  // namespace flitscope::long_broadcast::pipelined_trees
