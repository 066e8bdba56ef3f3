// scatter-direct and gather-direct: a message for every node, from the root or to it.
#include <algorithm>
#include <numeric>
#include <utility>

#include "algorithms/common/spread.h"
#include "algorithms/common/stepwise_schedule.h"
#include "model/route.h"

namespace flitscope::long_broadcast::rooted_direct {
namespace {

/// Chunk v is the part of node v.
class Direct final : public StepwiseSchedule {
 public:
  /// `others`: all nodes but the root, in the order in which it deals with them.
  Direct(ScheduleFacts facts, NodeId root, bool gather, std::vector<NodeId> others)
      : StepwiseSchedule(std::move(facts)), root_(root), gather_(gather), others_(std::move(others)) {}

 private:
  void produce(std::uint64_t number, Step& step) override {
    const std::size_t ports = facts().send_ports;
    const std::size_t begin = (number - 1) * ports;
    for (std::size_t i = begin; i < std::min(begin + ports, others_.size()); ++i) {
      const NodeId from = gather_ ? others_[i] : root_;
      const NodeId to = gather_ ? root_ : others_[i];
      step.add(from, to, shortest_route(topology(), from, to), std::span(&others_[i], 1));
    }
  }

  NodeId root_;
  bool gather_;
  std::vector<NodeId> others_;
};

std::uint32_t distance(const Topology& topology, NodeId from, NodeId to) {
  std::uint32_t links = 0;
  for (unsigned dimension = 0; dimension < topology.dimensions(); ++dimension) {
    const std::uint32_t side = topology.side(dimension);
    const std::uint32_t forward =
        (topology.coordinate(to, dimension) + side - topology.coordinate(from, dimension)) % side;
    links += std::min(forward, side - forward);
  }
  return links;
}

std::unique_ptr<Schedule> make(const Topology& topology, const ParameterValues& values,
                               const std::string& name, bool gather) {
  require_torus(topology, name);
  const NodeId root = node_parameter(topology, values, "root");
  ScheduleFacts facts = all_reduce::vector_facts(topology, values, name, all_reduce::Goal::all_gather, 1);
  std::vector<NodeId> others(topology.nodes());
  std::iota(others.begin(), others.end(), NodeId{0});
  std::erase(others, root);
  // The longest way first: it takes most time.
  std::ranges::stable_sort(others, std::greater(),
                           [&](NodeId node) { return distance(topology, root, node); });
  if (gather) std::ranges::reverse(others);
  facts.send_ports = facts.receive_ports = topology.link_ports();
  facts.steps = (others.size() + facts.send_ports - 1) / facts.send_ports;
  facts.messages = others.size();
  facts.claimed_steps = facts.steps;
  Holding all{root, {}};
  for (NodeId node = 0; node < topology.nodes(); ++node) all.chunks.push_back(node);
  auto parts = std::exchange(facts.collective.initial, {});
  if (gather) {
    facts.collective.initial = std::move(parts);
    facts.collective.goal = {std::move(all)};
  } else {
    facts.collective.initial = {std::move(all)};
    facts.collective.goal = std::move(parts);
  }
  return std::make_unique<Direct>(std::move(facts), root, gather, std::move(others));
}

constexpr auto kSource = "common knowledge";
constexpr auto kAdmissible = "torus of any sides and any number of dimensions";
constexpr auto kClaim = "ceil((p-1)/2D) steps on p nodes in D dimensions";

Parameter root_parameter(const char* summary) {
  return {.name = "root", .type = ParameterType::node, .summary = summary, .fallback = "origin"};
}

const AlgorithmRegistry::Entry scatter{{
    .name = "scatter-direct",
    .collective = {CollectiveKind::scatter},
    .summary =
        "scatter on a torus: the root sends every node its part of a vector by itself, the farthest first",
    .source = kSource,
    .claim = kClaim,
    .admissible = kAdmissible,
    .parameters = {root_parameter("the node that has the vector"), all_reduce::vector_parameter()},
    .make = [](const Topology& topology,
               const ParameterValues& values) { return make(topology, values, "scatter-direct", false); },
}};

const AlgorithmRegistry::Entry gather{{
    .name = "gather-direct",
    .collective = {CollectiveKind::gather},
    .summary = "gather on a torus: every node sends its part to the root by itself, the nearest first",
    .source = kSource,
    .claim = kClaim,
    .admissible = kAdmissible,
    .parameters = {root_parameter("the node that gets the vector"), all_reduce::vector_parameter()},
    .make = [](const Topology& topology,
               const ParameterValues& values) { return make(topology, values, "gather-direct", true); },
}};

}  // namespace
}  // namespace flitscope::long_broadcast::rooted_direct
