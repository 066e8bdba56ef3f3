#include "algorithms/common/spread.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "algorithms/common/stepwise_schedule.h"
#include "model/collective.h"
#include "model/error.h"
#include "model/possession.h"

namespace flitscope::all_reduce {

namespace {

class SpreadSchedule final : public StepwiseSchedule {
 public:
  SpreadSchedule(ScheduleFacts facts, Goal goal, std::unique_ptr<Spread> spread)
      : StepwiseSchedule(std::move(facts)), goal_(goal), spread_(std::move(spread)) {}

 private:
  void produce(std::uint64_t number, Step& step) override {
    const std::uint64_t half = spread_->steps();
    if (goal_ == Goal::all_gather || number > half) {
      spread_->produce(goal_ == Goal::all_gather ? number : number - half,
                       [&](NodeId from, NodeId to, Route route, std::span<const ChunkId> chunks) {
                         step.add(from, to, route, chunks);
                       });
      return;
    }
    spread_->produce(half + 1 - number,
                     [&](NodeId from, NodeId to, Route route, std::span<const ChunkId> chunks) {
                       step.reduce(to, from, reversed(route), chunks);
                     });
  }

  Goal goal_;
  std::unique_ptr<Spread> spread_;
};

std::string article(Goal goal) {
  switch (goal) {
    case Goal::all_reduce:
      return "every node gets the combination of all vectors";
    case Goal::reduce_scatter:
      return "every node gets its part of the combination of all vectors";
    case Goal::all_gather:
      return "every node gets all parts of a vector";
  }
  return "?";
}

void require_sides(const Topology& topology, const std::string& algorithm, const char* what,
                   std::uint32_t (*nearest_to)(std::uint32_t side)) {
  std::vector<std::uint32_t> nearest;
  for (const std::uint32_t side : topology.sides()) nearest.push_back(nearest_to(side));
  if (std::ranges::equal(nearest, topology.sides())) return;
  throw Inadmissible("topology.shape",
                     fmt::format("{} needs sides {}, not {}; nearest admissible: [{}]", algorithm, what,
                                 fmt::join(topology.sides(), "x"), fmt::join(nearest, ", ")));
}

}  // namespace

std::string_view name_of(Goal goal) {
  switch (goal) {
    case Goal::all_reduce:
      return "all-reduce";
    case Goal::reduce_scatter:
      return "reduce-scatter";
    case Goal::all_gather:
      return "all-gather";
  }
  return "?";
}

Parameter vector_parameter() {
  return {.name = "message",
          .type = ParameterType::bytes,
          .summary = "length of the whole vector",
          .fallback = "4KiB",
          .unit = "bytes",
          .minimum = 1,
          .maximum = std::int64_t{1} << 40};
}

ScheduleFacts vector_facts(const Topology& topology, const ParameterValues& values, std::string algorithm,
                           Goal goal, unsigned colours) {
  const Participants participants(topology);
  const NodeId nodes = participants.count();
  const std::uint64_t chunks = std::uint64_t{nodes} * colours;
  if (chunks > 8 * Possession::kMemoryLimit / nodes) {
    throw Inadmissible("topology.shape",
                       fmt::format("{} keeps a bit for each node and chunk, which for {} chunks on the {} is "
                                   "more than the limit of {} GiB; it takes a smaller network",
                                   algorithm, chunks, topology.name(), Possession::kMemoryLimit >> 30));
  }
  ScheduleFacts facts(topology);
  facts.algorithm = std::move(algorithm);
  facts.lower_bound_steps = broadcast_lower_bound(nodes, topology.link_ports());
  Collective& collective = facts.collective;
  const std::uint64_t bytes = values.bytes("message");
  collective.chunk_bytes.resize(chunks);
  for (std::uint64_t chunk = 0; chunk < chunks; ++chunk) {
    collective.chunk_bytes[chunk] = bytes / chunks + (chunk < bytes % chunks ? 1 : 0);
  }
  collective.operands_everywhere = goal != Goal::all_gather;
  if (goal == Goal::all_reduce) return facts;
  std::vector<Holding> parts;
  for (NodeId place = 0; place < nodes; ++place) {
    Holding& own = parts.emplace_back(Holding{participants[place], {}});
    for (unsigned colour = 0; colour < colours; ++colour) own.chunks.push_back(place * colours + colour);
  }
  if (goal == Goal::reduce_scatter) {
    collective.goal = std::move(parts);
  } else {
    collective.initial = std::move(parts);
  }
  return facts;
}

ScheduleFacts whole_vector_facts(const Topology& topology, const ParameterValues& values,
                                 std::string algorithm, unsigned ports) {
  ScheduleFacts facts(topology);
  facts.algorithm = std::move(algorithm);
  facts.send_ports = ports;
  facts.receive_ports = ports;
  facts.lower_bound_steps = broadcast_lower_bound(topology.nodes(), topology.link_ports());
  facts.collective.chunk_bytes = {values.bytes("message")};
  facts.collective.operands_everywhere = true;
  return facts;
}

std::unique_ptr<Schedule> spread_schedule(const Topology& topology, const ParameterValues& values,
                                          std::string algorithm, Goal goal, std::unique_ptr<Spread> spread) {
  ScheduleFacts facts = vector_facts(topology, values, std::move(algorithm), goal, spread->colours());
  facts.send_ports = spread->ports();
  facts.receive_ports = spread->ports();
  const std::uint64_t steps = spread->steps();
  const unsigned halves = goal == Goal::all_reduce ? 2 : 1;
  facts.steps = halves * steps;
  facts.messages = halves * spread->messages();
  facts.claimed_steps = facts.steps;
  if (spread->channel_load() != 0) facts.claimed_channel_load = spread->channel_load();
  if (goal == Goal::all_reduce) {
    facts.stages = {{"reduce-scatter", 1, steps}, {"all-gather", steps + 1, 2 * steps}};
  }
  return std::make_unique<SpreadSchedule>(std::move(facts), goal, std::move(spread));
}

namespace {

CollectiveKind kind_of(Goal goal) {
  switch (goal) {
    case Goal::all_reduce:
      return CollectiveKind::all_reduce;
    case Goal::reduce_scatter:
      return CollectiveKind::reduce_scatter;
    case Goal::all_gather:
      break;
  }
  return CollectiveKind::all_gather;
}

}  // namespace

Family::Family(const Method& method) {
  for (const Goal goal : method.goals) {
    const std::string name = fmt::format("{}-{}", name_of(goal), method.name);
    std::vector<Parameter> parameters = method.parameters;
    parameters.push_back(vector_parameter());
    entries_.emplace_back(Algorithm{
        .name = name,
        .collective = {kind_of(goal)},
        .summary = fmt::format("{} on {} {}: {}", name_of(goal),
                               method.any_network ? "any network" : "a torus", method.how, article(goal)),
        .source = method.source,
        .claim = goal == Goal::all_reduce
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
        .memory = {.per_pair_of_nodes = 64}});
  }
}

void require_disjoint_cycles(const Topology& topology, const std::string& algorithm) {
  require_torus(topology, algorithm);
  if (topology.dimensions() == 1) return;
  require_sides(topology, algorithm, "of at least 3, for D Hamiltonian cycles that share no link",
                [](std::uint32_t side) { return std::max(side, 3U); });
}

void require_powers_of_two(const Topology& topology, const std::string& algorithm) {
  require_torus(topology, algorithm);
  require_sides(topology, algorithm, "that are powers of two", [](std::uint32_t side) {
    const std::uint32_t below = std::bit_floor(side);
    return side - below <= 2 * below - side ? below : 2 * below;
  });
}

}  // namespace flitscope::all_reduce
