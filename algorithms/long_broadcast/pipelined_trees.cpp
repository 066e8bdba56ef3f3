// pipelined-trees: a long message down 2D spanning trees that share no link, in segments that follow one
// another. The trees are Hamiltonian paths.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "algorithms/common/cycles.h"
#include "algorithms/common/segmented.h"
#include "algorithms/common/stepwise_schedule.h"
#include "model/error.h"

namespace flitscope::long_broadcast::pipelined_trees {
namespace {

using all_reduce::HamiltonianCycle;

constexpr auto kName = "pipelined-trees";
constexpr std::uint64_t kMaxSegments = 1'000'000;

/// Chunk s * paths + q is segment s of the part of path q. Path 2 c goes round cycle c, path 2 c + 1 the
/// other way.
class PipelinedTrees final : public StepwiseSchedule {
 public:
  PipelinedTrees(ScheduleFacts facts, std::vector<HamiltonianCycle> cycles, NodeId source)
      : StepwiseSchedule(std::move(facts)), cycles_(std::move(cycles)) {
    for (HamiltonianCycle& cycle : cycles_) {
      const auto at = std::ranges::find(cycle.nodes, source) - cycle.nodes.begin();
      std::ranges::rotate(cycle.nodes, cycle.nodes.begin() + at);
      std::ranges::rotate(cycle.moves, cycle.moves.begin() + at);
    }
  }

 private:
  void produce(std::uint64_t number, Step& step) override {
    const std::uint64_t paths = 2 * cycles_.size();
    const std::uint64_t segments = this->facts().collective.chunk_bytes.size() / paths;
    const std::uint64_t hops = topology().nodes() - 1;
    const std::uint64_t first = number > hops ? number - hops : 0;
    for (std::uint64_t segment = first; segment < std::min(segments, number); ++segment) {
      for (std::uint64_t path = 0; path < paths; ++path) {
        send(path, number - segment - 1, static_cast<ChunkId>(segment * paths + path), step);
      }
    }
  }

  /// Along hop `hop` of a path.
  void send(std::uint64_t path, std::uint64_t hop, ChunkId chunk, Step& step) const {
    const HamiltonianCycle& cycle = cycles_[path / 2];
    const std::size_t length = cycle.nodes.size();
    const bool forward = path % 2 == 0;
    const std::size_t from = forward ? hop : (length - hop) % length;
    const std::size_t link = forward ? hop : length - hop - 1;
    const unsigned port = forward ? cycle.moves[link] : topology().opposite_port(cycle.moves[link]);
    const std::size_t to = forward ? hop + 1 : length - hop - 1;
    step.add(cycle.nodes[from], cycle.nodes[to], one_hop(port), std::span(&chunk, 1));
  }

  std::vector<HamiltonianCycle> cycles_;
};

std::unique_ptr<Schedule> make(const Topology& topology, const ParameterValues& values) {
  all_reduce::require_disjoint_cycles(topology, kName);
  const NodeId source = node_parameter(topology, values, "source");
  std::vector<HamiltonianCycle> cycles = all_reduce::disjoint_cycles(topology);
  const std::uint64_t bytes = values.bytes("message");
  const std::uint64_t paths = 2 * cycles.size();
  const std::uint64_t part = (bytes + paths - 1) / paths;
  const std::uint64_t segment = values.bytes("segment") == 0 ? part : values.bytes("segment");
  const std::uint64_t segments = (part + segment - 1) / segment;
  if (segments * paths > kMaxSegments) {
    throw Inadmissible("workload.segment", fmt::format("segments of {} bytes are {}; at most {} are possible",
                                                       segment, segments * paths, kMaxSegments));
  }
  const std::uint64_t chunks = segments * paths;

  ScheduleFacts facts(topology);
  facts.algorithm = kName;
  facts.send_ports = topology.link_ports();
  facts.receive_ports = topology.link_ports();
  facts.claimed_channel_load = 1;
  facts.lower_bound_steps = broadcast_lower_bound(topology.nodes(), topology.link_ports());
  facts.steps = topology.nodes() - 1 + segments - 1;
  facts.claimed_steps = facts.steps;
  facts.messages = chunks * (topology.nodes() - 1);
  Holding all{source, {}};
  for (std::uint64_t chunk = 0; chunk < chunks; ++chunk) {
    all.chunks.push_back(static_cast<ChunkId>(chunk));
    facts.collective.chunk_bytes.push_back(bytes / chunks + (chunk < bytes % chunks ? 1 : 0));
  }
  facts.collective.initial = {std::move(all)};
  return std::make_unique<PipelinedTrees>(std::move(facts), std::move(cycles), source);
}

std::vector<Parameter> parameters() {
  std::vector<Parameter> list = broadcast_parameters();
  list.push_back(
      segment_parameter("the part of each tree is cut into segments of about that length, which follow one "
                        "another; 0: one segment",
                        "512"));
  return list;
}

const AlgorithmRegistry::Entry entry{{
    .name = kName,
    .collective = {CollectiveKind::broadcast, "segment"},
    .summary =
        "broadcast of a long message on a torus down 2D spanning trees that share no link, in segments",
    .source = "ours: both ways along the Hamiltonian cycles after Meyer and Sibeyn, Section 3.4",
    .claim = "p - 2 + s steps for p nodes and s segments a tree; one message per link and step, between "
             "neighbours; 1/2D of the message on a link, the least possible",
    .admissible = "ring; torus of any number D of dimensions, all sides at least 3",
    .parameters = parameters(),
    .make = make,
}};

}  // namespace
}  // namespace flitscope::long_broadcast::pipelined_trees
