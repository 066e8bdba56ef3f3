#include "algorithms/chen/multinode_schedule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "algorithms/chen/data_movement.h"
#include "algorithms/chen/prefix_sum.h"
#include "algorithms/chen/tuning.h"
#include "algorithms/common/stepwise_schedule.h"
#include "model/error.h"

namespace flitscope::chen {

namespace {

/// All that nodes know, and the rounds in which they act on it. It stays where it is made: rounds point to
/// it.
class Multinode {
 public:
  Multinode(const Partition& partition, const Options& options, const Collective& collective)
      : held_(partition.cube().nodes()),
        aggregation_(Ring::of_classes(partition.cube(), 1, partition.h()), all_nodes(partition), held_),
        prefix_sum_(partition, options, held_),
        tuning_(partition, options, prefix_sum_, held_),
        alignment_(Ring::of_classes(partition.cube(), partition.h(), partition.blocks()),
                   diagonal_nodes(partition), held_),
        distribution_(partition, options, held_),
        collection_(partition, options, distribution_) {
    for (const Holding& holding : collective.initial) held_[holding.node] = holding.chunks;
    // Aggregation phase, Section 3.2: to the diagonals of the blocks, then evenly to the DDNs.
    aggregation_.add_rounds("aggregate", ring_tree(partition.h(), 7), rounds_);
    prefix_sum_.add_rounds(rounds_);
    tuning_.add_rounds(rounds_);
    // Distribution phase, Section 3.3: to the plane, over each DDN, then within the blocks.
    alignment_.add_rounds("align", ring_tree(partition.blocks(), 7), rounds_);
    distribution_.add_rounds(rounds_);
    collection_.add_rounds(rounds_);
  }

  Multinode(const Multinode&) = delete;
  Multinode& operator=(const Multinode&) = delete;

  [[nodiscard]] const std::vector<Round>& rounds() const { return rounds_; }

 private:
  static std::vector<NodeId> all_nodes(const Partition& partition) {
    return diagonal_nodes(Partition(partition.n(), 1));
  }

  Held held_;
  Collection aggregation_;
  PrefixSum prefix_sum_;
  Tuning tuning_;
  Collection alignment_;
  Distribution distribution_;
  DataCollection collection_;
  std::vector<Round> rounds_;
};

class MultinodeSchedule final : public StepwiseSchedule {
 public:
  MultinodeSchedule(ScheduleFacts facts, const Partition& partition, const Options& options)
      : StepwiseSchedule(std::move(facts)),
        algorithm_(partition, options, this->facts().collective),
        moves_(partition.cube()) {}

 private:
  void produce(std::uint64_t /*number*/, Step& step) override {
    if (step_ == round_steps_) begin_round();
    moves_.emit(++step_, step);
  }

  /// Plays rounds up to one that has steps.
  void begin_round() {
    const Round* round = nullptr;
    do {
      round = &algorithm_.rounds()[next_round_++];
      moves_.clear();
      round->play(moves_);
    } while (round->steps == 0);
    round_steps_ = round->steps;
    step_ = 0;
  }

  Multinode algorithm_;
  Moves moves_;
  std::size_t next_round_ = 0;
  unsigned round_steps_ = 0;
  unsigned step_ = 0;
};

Options options_of(const ParameterValues& values) {
  return {.plane_base = values.text("plane_base") == "3" ? 3 : 7,
          .vector_prefix = values.text("prefix") == "vector",
          .bidirectional = values.text("collection") == "bidirectional",
          .word_bytes = static_cast<std::uint32_t>(values.bytes("word"))};
}

int divisor_parameter(const ParameterValues& values, int n) {
  const std::int64_t h = values.integer("h");
  if (h <= n && n % h == 0) return static_cast<int>(h);
  std::vector<int> divisors;
  for (int divisor = 1; divisor <= n; ++divisor) {
    if (n % divisor == 0) divisors.push_back(divisor);
  }
  throw Inadmissible("workload.h", fmt::format("h must divide the side {} of the torus: {}; {} does not", n,
                                               fmt::join(divisors, ", "), h));
}

/// Rounds of the same name that follow one another are a stage.
void add_stages(ScheduleFacts& facts, const std::vector<Round>& rounds) {
  for (const Round& round : rounds) {
    if (round.steps == 0) continue;
    const std::uint64_t first = facts.steps + 1;
    facts.steps += round.steps;
    if (facts.stages.empty() || facts.stages.back().name != round.stage) {
      facts.stages.push_back({round.stage, first, facts.steps});
    }
    facts.stages.back().last_step = facts.steps;
  }
}

/// Empty messages are not sent, so only going through the schedule tells how many there are.
std::uint64_t count_messages(Schedule& schedule) {
  std::uint64_t messages = 0;
  Step step;
  while (schedule.next(step)) messages += step.messages().size();
  return messages;
}

}  // namespace

std::vector<Parameter> multinode_parameters() {
  return {
      {.name = "sources",
       .type = ParameterType::node_set,
       .summary = "the nodes that hold a message at the start",
       .fallback = "all"},
      {.name = "message",
       .type = ParameterType::bytes,
       .summary = "length of each source's message",
       .fallback = "64",
       .unit = "bytes",
       .minimum = 1,
       .maximum = std::int64_t{1} << 40},
  };
}

ScheduleFacts multinode_facts(const Topology& topology, const ParameterValues& values,
                              const std::string& algorithm) {
  const std::uint32_t n = equal_torus_side(topology, algorithm, 3);
  if (topology.dimensions() != 3) {
    throw Inadmissible("topology.shape", fmt::format("{} needs 3 dimensions, not {}; nearest admissible: "
                                                     "[{}, {}, {}]",
                                                     algorithm, topology.dimensions(), n, n, n));
  }
  ScheduleFacts facts(topology);
  facts.algorithm = algorithm;
  facts.send_ports = topology.link_ports();
  facts.receive_ports = topology.link_ports();
  facts.lower_bound_steps = broadcast_lower_bound(topology.nodes(), topology.link_ports());
  facts.claimed_channel_load = 1;
  for (const NodeId source : node_set_parameter(topology, values, "sources")) {
    const auto chunk = static_cast<ChunkId>(facts.collective.chunk_bytes.size());
    facts.collective.chunk_bytes.push_back(values.bytes("message"));
    facts.collective.initial.push_back({source, {chunk}});
  }
  return facts;
}

std::vector<Parameter> aggregation_parameters(const std::string& plane_base, const std::string& collection) {
  auto parameters = multinode_parameters();
  parameters.push_back({.name = "h",
                        .type = ParameterType::integer,
                        .summary = "side of a data-collecting block; there are h^2 distribution networks",
                        .minimum = 1,
                        .maximum = std::int64_t{1} << 20});
  parameters.push_back({.name = "plane_base",
                        .type = ParameterType::choice,
                        .summary = "base of the patterns inside a plane: 7, two steps a level; 3, one step",
                        .fallback = plane_base,
                        .choices = {"3", "7"}});
  parameters.push_back({.name = "prefix",
                        .type = ParameterType::choice,
                        .summary = "one prefix sum over all messages, or a vector with one for each plane",
                        .fallback = "scalar",
                        .choices = {"scalar", "vector"}});
  parameters.push_back({.name = "collection",
                        .type = ParameterType::choice,
                        .summary = "along rings embedded in the blocks, or in both directions of a line",
                        .fallback = collection,
                        .choices = {"ring", "bidirectional"}});
  parameters.push_back({.name = "word",
                        .type = ParameterType::bytes,
                        .summary = "length of a count in the prefix sums",
                        .fallback = "4",
                        .unit = "bytes",
                        .minimum = 1,
                        .maximum = 64});
  return parameters;
}

std::unique_ptr<Schedule> aggregation_schedule(const Topology& topology, const ParameterValues& values,
                                               const std::string& algorithm,
                                               std::uint64_t (*claimed_steps)(int n, int h,
                                                                              const Options& options)) {
  ScheduleFacts facts = multinode_facts(topology, values, algorithm);
  const int n = static_cast<int>(topology.side(0));
  const Partition partition(n, divisor_parameter(values, n));
  const Options options = options_of(values);
  facts.claimed_steps = claimed_steps(n, partition.h(), options);
  add_stages(facts, Multinode(partition, options, facts.collective).rounds());
  MultinodeSchedule rehearsal(facts, partition, options);
  facts.messages = count_messages(rehearsal);
  return std::make_unique<MultinodeSchedule>(std::move(facts), partition, options);
}

}  // namespace flitscope::chen
