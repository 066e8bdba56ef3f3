// tree: to the root of a broadcast tree and back, in segments that follow one another.
#include <algorithm>
#include <ranges>
#include <utility>

#include "algorithms/common/node_tree.h"
#include "algorithms/common/schedule.h"
#include "algorithms/common/spread.h"

namespace flitscope::all_reduce::tree {
namespace {

/// One segment: through the tree backward and, in an all-reduce, forward again.
std::unique_ptr<Schedule> make(const Topology& topology, const ParameterValues& values,
                               const std::string& name, bool to_root_only) {
  const NodeId root = node_parameter(topology, values, "root");
  common::BroadcastTree tree = common::fastest_tree(topology, root);
  std::vector<Step> steps;
  for (const Step& step : std::views::reverse(tree.steps)) {
    Step& back = steps.emplace_back();
    for (const Message& message : step.messages()) {
      back.reduce(message.destination, message.source,
                  common::route_back(topology, message.source, message.destination, message.route),
                  step.chunks(message));
    }
  }
  if (!to_root_only) std::ranges::move(tree.steps, std::back_inserter(steps));
  ScheduleFacts facts = common::whole_vector_facts(topology, values, name, 1);
  facts.routing = tree.routing;
  if (to_root_only) common::gather_to(root, facts.collective);
  facts.claimed_steps = steps.size();
  return common::recorded(std::move(facts), std::move(steps));
}

std::vector<Parameter> parameters() {
  return {root_parameter("root", "the node to which the tree leads"), common::vector_parameter()};
}

constexpr auto kSource =
    "common knowledge, on tori on the broadcast of ours with the fewest steps, else on tree-broadcast";
constexpr MakingMemory kMemory{.per_node = 1536};  // of the broadcast, and the messages of one segment
constexpr auto kAdmissible = "any network, any number of nodes";

const AlgorithmRegistry::Entry all_reduce_entry{common::segmented({
    .name = "all-reduce-tree",
    .collective = {CollectiveKind::all_reduce},
    .summary = "all-reduce on any network to the root of a broadcast tree and back, in segments",
    .source = kSource,
    .claim = "2 t + s - 1 steps for s segments, t the steps of the broadcast",
    .admissible = kAdmissible,
    .parameters = parameters(),
    .make = common::make_with(make, "all-reduce-tree", false),
    .any_network = true,
    .memory = kMemory,
})};

const AlgorithmRegistry::Entry reduce_entry{common::segmented({
    .name = "reduce-tree",
    .collective = {CollectiveKind::reduce},
    .summary = "reduce on any network to the root of a broadcast tree, in segments: the root gets the "
               "combination of all vectors",
    .source = kSource,
    .claim = "t + s - 1 steps for s segments, t the steps of the broadcast",
    .admissible = kAdmissible,
    .parameters = parameters(),
    .make = common::make_with(make, "reduce-tree", true),
    .any_network = true,
    .memory = kMemory,
})};

}  // namespace
}  // namespace flitscope::all_reduce::tree
