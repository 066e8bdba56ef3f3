#include "algorithms/common/spread.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "algorithms/common/schedule.h"
#include "model/possession.h"

namespace flitscope::common {

void add_step(const Spread& spread, std::uint64_t number, Step& step) {
  spread.produce(number, [&](NodeId from, NodeId to, Route route, std::span<const ChunkId> chunks) {
    step.add(from, to, route, chunks);
  });
}

Parameter vector_parameter() {
  return bytes_parameter("message", "length of the whole vector", "4KiB");
}

ScheduleFacts vector_facts(const Topology& topology, const ParameterValues& values, std::string algorithm,
                           CollectiveKind goal, unsigned colours) {
  const Participants participants(topology);
  const NodeId nodes = participants.count();
  const std::uint64_t chunks = std::uint64_t{nodes} * colours;
  refuse_if(chunks > 8 * Possession::kMemoryLimit / nodes, "topology.shape",
            "{} keeps a bit for each node and chunk, which for {} chunks on the {} is more than "
            "the limit of {} GiB; it takes a smaller network",
            algorithm, chunks, topology.name(), Possession::kMemoryLimit >> 30);
  ScheduleFacts facts = facts_of(topology, std::move(algorithm), 1);
  facts.lower_bound_steps = broadcast_lower_bound(nodes, topology.link_ports());
  Collective& collective = facts.collective;
  collective.chunk_bytes = split(values.bytes("message"), chunks);
  collective.operands_everywhere = goal != CollectiveKind::all_gather;
  if (goal == CollectiveKind::reduce_scatter) collective.goal = own_chunks(participants, colours);
  if (goal == CollectiveKind::all_gather) collective.initial = own_chunks(participants, colours);
  return facts;
}

ScheduleFacts whole_vector_facts(const Topology& topology, const ParameterValues& values,
                                 std::string algorithm, unsigned ports) {
  ScheduleFacts facts = facts_of(topology, std::move(algorithm), ports);
  facts.lower_bound_steps = broadcast_lower_bound(Participants(topology).count(), topology.link_ports());
  facts.collective.chunk_bytes = {values.bytes("message")};
  facts.collective.operands_everywhere = true;
  return facts;
}

namespace {

std::string article(CollectiveKind goal) {
  switch (goal) {
    case CollectiveKind::all_reduce:
      return "every node gets the combination of all vectors";
    case CollectiveKind::reduce_scatter:
      return "every node gets its part of the combination of all vectors";
    default:
      return "every node gets all parts of a vector";
  }
}

/// The schedule of a spread, its mirror, or both.
std::unique_ptr<Schedule> spread_schedule(const Topology& topology, const ParameterValues& values,
                                          std::string algorithm, CollectiveKind goal, Spread spread) {
  ScheduleFacts facts = vector_facts(topology, values, std::move(algorithm), goal, spread.colours);
  facts.send_ports = spread.ports;
  facts.receive_ports = spread.ports;
  const unsigned halves = goal == CollectiveKind::all_reduce ? 2 : 1;
  facts.steps = halves * spread.steps;
  facts.messages = halves * spread.messages;
  facts.claimed_steps = facts.steps;
  if (spread.channel_load != 0) facts.claimed_channel_load = spread.channel_load;
  if (goal == CollectiveKind::all_reduce) {
    facts.stages = {{"reduce-scatter", 1, spread.steps}, {"all-gather", spread.steps + 1, facts.steps}};
  }
  const std::uint64_t reducing = goal == CollectiveKind::all_gather ? 0 : spread.steps;
  return stepwise(std::move(facts), [topology, reducing, spread = std::move(spread)](std::uint64_t number,
                                                                                     Step& step) {
    if (number > reducing) return add_step(spread, number - reducing, step);
    const auto& produce = spread.produce_mirrored ? spread.produce_mirrored : spread.produce;
    produce(reducing + 1 - number, [&](NodeId from, NodeId to, Route route, std::span<const ChunkId> chunks) {
      step.reduce(to, from, route_back(topology, from, to, route), chunks);
    });
  });
}

}  // namespace

Family::Family(const Method& method) {
  using enum CollectiveKind;
  for (const CollectiveKind goal : {all_reduce, reduce_scatter, all_gather}) {
    const std::string name = fmt::format("{}-{}", name_of(goal), method.name);
    std::vector<Parameter> parameters = method.parameters;
    parameters.push_back(vector_parameter());
    Algorithm algorithm{
        .name = name,
        .collective = {goal},
        .summary = fmt::format("{} on {} {}: {}", name_of(goal),
                               method.any_network ? "any network" : "a torus", method.how, article(goal)),
        .source = method.source,
        .claim = goal == all_reduce
                     ? fmt::format("reduce-scatter and then all-gather, each: {}", method.claim)
                     : method.claim,
        .admissible = method.admissible,
        .parameters = std::move(parameters),
        .make =
            [name, goal, make = method.make](const Topology& topology, const ParameterValues& values) {
              return spread_schedule(topology, values, name, goal, make(topology, values, name));
            },
        .any_network = method.any_network,
        // Chunks of a step's messages, and the trees of all nodes.
        .memory = {.per_pair_of_nodes = 64}};
    if (goal == all_reduce) method.adjust(algorithm);
    const AlgorithmRegistry::Entry entry(std::move(algorithm));
  }
}

void extend_along(std::vector<NodeId>& nodes, const Topology& torus, unsigned dimension) {
  const std::size_t before = nodes.size();
  for (std::uint32_t hops = 1; hops < torus.side(dimension); ++hops) {
    for (std::size_t i = 0; i < before; ++i) {
      nodes.push_back(torus.moved(nodes[i], dimension, Sign::plus, hops));
    }
  }
}

void require_disjoint_cycles(const Topology& topology, const std::string& algorithm) {
  require_torus(topology, algorithm);
  if (topology.dimensions() == 1) return;
  require_sides(topology, algorithm, "sides of at least 3, for D Hamiltonian cycles that share no link",
                [](std::uint32_t side) { return std::max(side, 3U); });
}

}  // namespace flitscope::common
