// tree: to the root of a broadcast tree and back, in segments that follow one another.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "algorithms/common/broadcast_tree.h"
#include "algorithms/common/spread.h"
#include "algorithms/common/stepwise_schedule.h"
#include "model/error.h"

namespace flitscope::all_reduce::tree {
namespace {

/// Every segment goes through the tree backward and, in an all-reduce, forward again; each starts a step
/// after the one before.
class TreeSchedule final : public StepwiseSchedule {
 public:
  TreeSchedule(ScheduleFacts facts, BroadcastTree tree, std::uint64_t passes)
      : StepwiseSchedule(std::move(facts)), tree_(std::move(tree)), passes_(passes) {}

 private:
  void produce(std::uint64_t number, Step& step) override {
    const std::uint64_t segments = this->facts().collective.chunk_bytes.size();
    const std::uint64_t depth = tree_.steps.size();
    const std::uint64_t first = number > passes_ * depth ? number - passes_ * depth : 0;
    for (std::uint64_t segment = first; segment < std::min(segments, number); ++segment) {
      const std::uint64_t place = number - segment - 1;  // in the way of the segment, from 0
      const auto chunk = static_cast<ChunkId>(segment);
      if (place < depth) {
        for (const TreeEdge& edge : tree_.steps[depth - 1 - place]) {
          step.reduce(edge.to, edge.from, reversed(edge.route), std::span(&chunk, 1));
        }
      } else {
        for (const TreeEdge& edge : tree_.steps[place - depth]) {
          step.add(edge.from, edge.to, edge.route, std::span(&chunk, 1));
        }
      }
    }
  }

  BroadcastTree tree_;
  std::uint64_t passes_;
};

/// The most messages that a node sends, or receives, in `window` steps in a row of the way of a segment.
unsigned most_in_window(const BroadcastTree& tree, NodeId nodes, std::uint64_t passes, std::uint64_t window) {
  const std::size_t depth = tree.steps.size();
  const auto length = static_cast<std::size_t>(passes * depth);
  unsigned most = 0;
  std::vector<unsigned> sends(nodes);
  std::vector<unsigned> receives(nodes);
  const auto count = [&](std::size_t place, int sign) {
    const bool back = place < depth;
    for (const TreeEdge& edge : tree.steps[back ? depth - 1 - place : place - depth]) {
      most = std::max(most, sends[back ? edge.to : edge.from] += static_cast<unsigned>(sign));
      most = std::max(most, receives[back ? edge.from : edge.to] += static_cast<unsigned>(sign));
    }
  };
  for (std::size_t place = 0; place < length; ++place) {
    if (place >= window) count(static_cast<std::size_t>(place - window), -1);
    count(place, 1);
  }
  return most;
}

std::unique_ptr<Schedule> make(const Topology& topology, const ParameterValues& values,
                               const std::string& name, bool to_root_only) {
  constexpr std::uint64_t kMaxSegments = 1'000'000;
  require_torus(topology, name);
  const NodeId root = node_parameter(topology, values, "root");
  BroadcastTree tree = fastest_tree(topology, root);
  ScheduleFacts facts = whole_vector_facts(topology, values, name, 1);
  const std::uint64_t bytes = values.bytes("message");
  const std::uint64_t segment = values.bytes("segment") == 0 ? bytes : values.bytes("segment");
  const std::uint64_t segments = (bytes - 1) / segment + 1;
  if (segments > kMaxSegments) {
    throw Inadmissible("workload.segment",
                       fmt::format("segments of {} bytes are {}; at most {} are possible: use segments of at "
                                   "least {} bytes",
                                   segment, segments, kMaxSegments, (bytes - 1) / kMaxSegments + 1));
  }
  facts.routing = tree.routing;
  facts.collective.chunk_bytes.assign(segments, segment);
  facts.collective.chunk_bytes.back() = bytes - (segments - 1) * segment;
  const std::uint64_t passes = to_root_only ? 1 : 2;
  if (to_root_only) {
    Holding& all = facts.collective.goal.emplace().emplace_back(Holding{root, {}});
    for (ChunkId chunk = 0; chunk < segments; ++chunk) all.chunks.push_back(chunk);
  }
  const std::uint64_t depth = tree.steps.size();
  facts.steps = passes * depth + segments - 1;
  facts.claimed_steps = facts.steps;
  facts.messages = passes * (topology.nodes() - 1) * segments;
  facts.send_ports = most_in_window(tree, topology.nodes(), passes, segments);
  facts.receive_ports = facts.send_ports;
  return std::make_unique<TreeSchedule>(std::move(facts), std::move(tree), passes);
}

std::vector<Parameter> parameters() {
  return {{.name = "root",
           .type = ParameterType::node,
           .summary = "the node to which the tree leads",
           .fallback = "origin"},
          {.name = "segment",
           .type = ParameterType::bytes,
           .summary = "the vector is cut into segments of that length, which follow one another; 0: one "
                      "segment",
           .fallback = "0",
           .unit = "bytes",
           .minimum = 0,
           .maximum = std::int64_t{1} << 40},
          vector_parameter()};
}

constexpr auto kSource = "common knowledge, on the broadcast of ours with the fewest steps";
constexpr auto kAdmissible = "torus of any sides and any number of dimensions";

const AlgorithmRegistry::Entry all_reduce_entry{{
    .name = "all-reduce-tree",
    .collective = {CollectiveKind::all_reduce, "segment"},
    .summary = "all-reduce on a torus to the root of a broadcast tree and back, in segments",
    .source = kSource,
    .claim = "2 t + s - 1 steps for s segments, t the steps of the broadcast",
    .admissible = kAdmissible,
    .parameters = parameters(),
    .make = [](const Topology& topology,
               const ParameterValues& values) { return make(topology, values, "all-reduce-tree", false); },
}};

const AlgorithmRegistry::Entry reduce_entry{{
    .name = "reduce-tree",
    .collective = {CollectiveKind::reduce, "segment"},
    .summary =
        "reduce on a torus to the root of a broadcast tree, in segments: the root gets the combination "
        "of all vectors",
    .source = kSource,
    .claim = "t + s - 1 steps for s segments, t the steps of the broadcast",
    .admissible = kAdmissible,
    .parameters = parameters(),
    .make = [](const Topology& topology,
               const ParameterValues& values) { return make(topology, values, "reduce-tree", true); },
}};

}  // namespace
}  // namespace flitscope::all_reduce::tree
