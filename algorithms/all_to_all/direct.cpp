// direct: every node sends to every other one, one a step.

#include <bit>
#include <utility>

#include "algorithms/all_to_all/exchange.h"
#include "algorithms/common/schedule.h"

namespace flitscope::all_to_all::direct {
namespace {

constexpr auto kName = "all-to-all-direct";

class Direct {
 public:
  Direct(const Topology& topology, bool exclusive_or)
      : topology_(topology), participants_(topology), exclusive_or_(exclusive_or) {}

  void operator()(std::uint64_t number, Step& step) const {
    const auto k = static_cast<NodeId>(number);
    for (NodeId from = 0; from < participants_.count(); ++from) {
      const NodeId to = exclusive_or_ ? from ^ k : shifted(from, k);
      const ChunkId chunk = from * participants_.count() + to;
      const NodeId source = participants_[from];
      const NodeId destination = participants_[to];
      step.add(source, destination, balanced_route(source, destination), std::span(&chunk, 1));
    }
  }

 private:
  /// Places: by coordinates if no node is missing, otherwise by number.
  [[nodiscard]] NodeId shifted(NodeId place, NodeId k) const {
    if (!participants_.all()) return (place + k) % participants_.count();
    NodeId to = place;
    for (unsigned d = 0; d < topology_.dimensions(); ++d) {
      to = topology_.moved(to, d, Sign::plus, topology_.coordinate(k, d));
    }
    return to;
  }

  /// The shortest path; where both directions are equally long, even positions go in direction + and odd ones
  /// in direction -. On a side k with odd k/2 that would load every other link more, so that each position
  /// goes in both, in turn over the other offsets.
  [[nodiscard]] Route balanced_route(NodeId from, NodeId to) const {
    Route route = shortest_route(topology_, from, to);
    if (!topology_.wraps() || topology_.is_one_way()) return route;
    for (unsigned d = 0; d < topology_.dimensions(); ++d) {
      const std::uint32_t side = topology_.side(d);
      if (2 * offset(from, to, d) != side) continue;
      const std::uint64_t turn = side % 4 == 0 ? 0 : other_offsets(from, to, d);
      route.set_sign(d, (topology_.coordinate(from, d) + turn) % 2 == 0 ? Sign::plus : Sign::minus);
    }
    return route;
  }

  [[nodiscard]] std::uint32_t offset(NodeId from, NodeId to, unsigned d) const {
    return *topology_.hops(d, topology_.coordinate(from, d), topology_.coordinate(to, d), Sign::plus);
  }

  /// The number of the offset in all dimensions but one.
  [[nodiscard]] std::uint64_t other_offsets(NodeId from, NodeId to, unsigned dimension) const {
    std::uint64_t number = 0;
    for (unsigned d = topology_.dimensions(); d-- > 0;) {
      if (d != dimension) number = number * topology_.side(d) + offset(from, to, d);
    }
    return number;
  }

  Topology topology_;
  Participants participants_;
  bool exclusive_or_;
};

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
  return common::stepwise(std::move(facts), Direct(topology, exclusive_or));
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
