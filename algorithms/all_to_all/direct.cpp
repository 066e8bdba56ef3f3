// direct: every node sends to every other one, one a step.

#include <bit>
#include <utility>

#include "algorithms/all_to_all/exchange.h"
#include "algorithms/common/schedule.h"

namespace flitscope::all_to_all::direct {
namespace {

constexpr auto kName = "all-to-all-direct";

/// The node whose place is k further on: by coordinates if no node is missing, otherwise by number.
NodeId shifted(const Topology& topology, const Participants& participants, NodeId place, NodeId k) {
  if (!participants.all()) return (place + k) % participants.count();
  for (unsigned d = 0; d < topology.dimensions(); ++d)
    place = topology.moved(place, d, Sign::plus, topology.coordinate(k, d));
  return place;
}

/// The shortest path; where both directions are equally long, even positions go in direction + and odd ones
/// in direction -. On a side k with odd k/2 that would load every other link more, so that each position goes
/// in both, in turn over the other offsets.
Route balanced_route(const Topology& topology, NodeId from, NodeId to) {
  Route route = shortest_route(topology, from, to);
  if (!topology.wraps() || topology.is_one_way()) return route;
  const auto offset = [&](unsigned d) {
    return *topology.hops(d, topology.coordinate(from, d), topology.coordinate(to, d), Sign::plus);
  };
  for (unsigned d = 0; d < topology.dimensions(); ++d) {
    const std::uint32_t side = topology.side(d);
    if (2 * offset(d) != side) continue;
    std::uint64_t turn = 0;  // the number of the offset in all other dimensions
    for (unsigned other = topology.dimensions(); side % 4 != 0 && other-- > 0;) {
      if (other != d) turn = turn * topology.side(other) + offset(other);
    }
    route.set_sign(d, (topology.coordinate(from, d) + turn) % 2 == 0 ? Sign::plus : Sign::minus);
  }
  return route;
}

std::unique_ptr<Schedule> make(const Topology& topology, const ParameterValues& values) {
  const bool exclusive_or = values.text("pairs") == "xor";
  ScheduleFacts facts = all_to_all_facts(topology, values, kName, 1, 1, true);
  const NodeId nodes = Participants(topology).count();
  refuse_if(exclusive_or && !std::has_single_bit(nodes), "workload.pairs",
            "pairs by exclusive or need a power of two nodes, not {}; shifts do with any", nodes);
  facts.steps = nodes - 1;
  facts.claimed_steps = facts.steps;
  facts.lower_bound_steps = facts.steps;
  facts.messages = facts.steps * nodes;
  return common::stepwise(
      std::move(facts), [=, participants = Participants(topology)](std::uint64_t number, Step& step) {
        const auto k = static_cast<NodeId>(number);
        for (NodeId from = 0; from < nodes; ++from) {
          const NodeId to = exclusive_or ? from ^ k : shifted(topology, participants, from, k);
          const ChunkId chunk = from * nodes + to;
          const NodeId source = participants[from];
          const NodeId destination = participants[to];
          step.add(source, destination, balanced_route(topology, source, destination), std::span(&chunk, 1));
        }
      });
}

const AlgorithmRegistry::Entry entry{{
    .name = kName,
    .collective = {CollectiveKind::all_to_all},
    .summary = "all-to-all on any network by messages from every node to every other one, one a step",
    .source = "pairwise exchange, common knowledge",
    .claim = "p-1 steps for p nodes; on a torus, over all of them, shifts load all links of a dimension of "
             "side k alike, on even sides with p k/8 messages, rounded up",
    .admissible = "any network, also one of which links or nodes are missing; pairs by exclusive or: a power "
                  "of two nodes",
    .parameters = {Parameter::choice(
                       "pairs",
                       "whom a node sends to in step k: the node k places further on in all dimensions, on a "
                       "graph and where nodes are missing by number (shift), or node number xor k (xor)",
                       {"shift", "xor"})
                       .or_else("shift"),
                   data_parameter()},
    .make = make,
    .any_network = true,
    .memory = {.per_pair_of_nodes = 96},
}};

}  // namespace
}  // namespace flitscope::all_to_all::direct
