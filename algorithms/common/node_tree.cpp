#include "algorithms/common/node_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "algorithms/common/schedule.h"
#include "algorithms/common/spread.h"
#include "model/node_groups.h"

namespace flitscope::common {

namespace {

enum class Towards : std::uint8_t { root, leaves };

/// The steps of all trees, tree t with chunk t.
void add_steps(const Topology& topology, const std::vector<NodeTree>& trees, Towards towards,
               std::vector<Step>& steps) {
  std::size_t count = 0;
  for (const NodeTree& tree : trees) count = std::max(count, tree.size());
  for (std::size_t number = 0; number < count; ++number) {
    Step& step = steps.emplace_back();
    const std::size_t index = towards == Towards::root ? count - 1 - number : number;
    for (std::size_t tree = 0; tree < trees.size(); ++tree) {
      if (index >= trees[tree].size()) continue;
      const auto chunk = static_cast<ChunkId>(tree);
      for (const auto& [from, to] : trees[tree][index]) {
        if (towards == Towards::root) {
          step.reduce(to, from, shortest_route(topology, to, from), std::span(&chunk, 1));
        } else {
          step.add(from, to, shortest_route(topology, from, to), std::span(&chunk, 1));
        }
      }
    }
  }
}

ScheduleFacts facts_for(const Topology& topology, const ParameterValues& values, const std::string& name,
                        CollectiveKind goal, std::uint64_t parts) {
  const std::vector<std::uint64_t> sizes = split(values.bytes("message"), parts);
  if (goal == CollectiveKind::broadcast) {
    ScheduleFacts facts = broadcast_facts(topology, values, name, topology.default_routing(), 1);
    facts.collective.chunk_bytes = sizes;
    facts.collective.initial = {run_of_chunks(source_of(facts), parts)};
    return facts;
  }
  ScheduleFacts facts = whole_vector_facts(topology, values, name, 1);
  facts.collective.chunk_bytes = sizes;
  if (goal == CollectiveKind::reduce) gather_to(node_parameter(topology, values, "root"), facts.collective);
  return facts;
}

Algorithm algorithm_of(const TreeMethod& method, CollectiveKind goal) {
  const std::string name = fmt::format("{}-{}", name_of(goal), method.name);
  std::vector<Parameter> parameters = method.parameters;
  if (goal == CollectiveKind::broadcast) {
    parameters = broadcast_parameters(std::move(parameters));
  } else {
    if (goal == CollectiveKind::reduce) {
      parameters.push_back(root_parameter("root", "the node that gets the combination"));
    }
    parameters.push_back(vector_parameter());
  }
  const char* const root = goal == CollectiveKind::broadcast ? "source" : "root";
  const auto make = [=](const Topology& topology, const ParameterValues& values) {
    if (goal == CollectiveKind::all_reduce) {
      return tree_schedule(topology, values, name, goal, method.all_reduce(topology));
    }
    const NodeId node = node_parameter(topology, values, root);
    return tree_schedule(topology, values, name, goal, method.rooted(topology, values, node));
  };
  return segmented({.name = name,
                    .collective = {goal},
                    .summary = fmt::format("{} on any network {}, in segments", name_of(goal), method.how),
                    .source = method.source,
                    .claim = goal == CollectiveKind::all_reduce ? method.all_reduce_claim : method.claim,
                    .admissible = "any network, any number of nodes",
                    .parameters = std::move(parameters),
                    .make = make,
                    .any_network = true,
                    .memory = {.per_node = 1024}});
}

}  // namespace

NodeTree binomial_tree(std::span<const NodeId> nodes) {
  const unsigned steps = ceil_log(2, nodes.size());
  NodeTree tree(steps);
  for (unsigned step = 0; step < steps; ++step) {
    const std::size_t distance = std::size_t{1} << (steps - 1 - step);
    for (std::size_t at = 0; at + distance < nodes.size(); at += 2 * distance) {
      tree[step].push_back({nodes[at], nodes[at + distance]});
    }
  }
  return tree;
}

std::vector<NodeId> order_from(const Topology& topology, NodeId first) {
  std::vector<NodeId> order = NodeGroups(topology).order();
  std::ranges::rotate(order, std::ranges::find(order, first));
  return order;
}

std::unique_ptr<Schedule> tree_schedule(const Topology& topology, const ParameterValues& values,
                                        const std::string& name, CollectiveKind goal,
                                        const std::vector<NodeTree>& trees) {
  ScheduleFacts facts = facts_for(topology, values, name, goal, trees.size());
  std::vector<Step> steps;
  if (goal != CollectiveKind::broadcast) add_steps(topology, trees, Towards::root, steps);
  const std::size_t reducing = steps.size();
  if (goal != CollectiveKind::reduce) add_steps(topology, trees, Towards::leaves, steps);
  if (goal == CollectiveKind::all_reduce) {
    facts.stages = {{"reduce", 1, reducing}, {"broadcast", reducing + 1, steps.size()}};
  }
  facts.claimed_steps = steps.size();
  facts.messages = 0;
  for (const Step& step : steps) facts.messages += step.messages().size();
  facts.send_ports = ports_of(steps, topology.nodes(), &Message::source);
  facts.receive_ports = ports_of(steps, topology.nodes(), &Message::destination);
  return recorded(std::move(facts), std::move(steps));
}

TreeFamily::TreeFamily(const TreeMethod& method) {
  for (const CollectiveKind goal :
       {CollectiveKind::broadcast, CollectiveKind::reduce, CollectiveKind::all_reduce}) {
    if (goal == CollectiveKind::all_reduce && !method.all_reduce) continue;
    entries_.emplace_back(algorithm_of(method, goal));
  }
}

}  // namespace flitscope::common
