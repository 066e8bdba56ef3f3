#include "algorithms/baselines/dimension_by_dimension.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "algorithms/common/broadcast_schedule.h"
#include "algorithms/common/require_torus.h"
#include "model/error.h"

namespace flitscope::baselines {

namespace {

constexpr std::uint32_t kLeastSide = 3;

void require_long_sides(const Topology& topology, const std::string& algorithm) {
  if (std::ranges::min(topology.sides()) >= kLeastSide) return;
  std::vector<std::uint32_t> nearest(topology.sides().begin(), topology.sides().end());
  for (std::uint32_t& side : nearest) side = std::max(side, kLeastSide);
  throw Inadmissible("topology.shape",
                     fmt::format("{} needs sides of at least {}, not {}; nearest admissible: [{}]", algorithm,
                                 kLeastSide, fmt::join(topology.sides(), "x"), fmt::join(nearest, ", ")));
}

class DimensionByDimension final : public BroadcastSchedule {
 public:
  DimensionByDimension(ScheduleFacts facts, std::vector<RingBroadcast> rings)
      : BroadcastSchedule(std::move(facts)), rings_(std::move(rings)) {}

 private:
  void produce(std::uint64_t number, Step& step) override {
    unsigned dimension = 0;
    while (number > facts().stages[dimension].last_step) ++dimension;
    const auto& messages = rings_[dimension][number - facts().stages[dimension].first_step];

    // Informed so far, up to this dimension: all values of the lower coordinates, which are the lowest digits
    // of a node's number, with the source's values in the higher ones.
    NodeId lines = 1;
    for (unsigned lower = 0; lower < dimension; ++lower) lines *= topology().side(lower);
    const NodeId origin = source() - source() % lines;
    for (NodeId line = 0; line < lines; ++line) {
      const NodeId start = origin + line;
      for (const RingMessage& message : messages) {
        Route route;
        route.set_sign(dimension, message.sign);
        step.add(topology().moved(start, dimension, Sign::plus, message.from),
                 topology().moved(start, dimension, Sign::plus, message.to), route);
      }
    }
  }

  std::vector<RingBroadcast> rings_;
};

}  // namespace

std::unique_ptr<Schedule> dimension_by_dimension(const Topology& topology, const ParameterValues& values,
                                                 const std::string& algorithm, unsigned ports,
                                                 RingBroadcast (*ring)(std::uint32_t side)) {
  require_torus(topology, algorithm);
  require_long_sides(topology, algorithm);
  ScheduleFacts facts = broadcast_facts(topology, values, algorithm, "dimension-order", ports);
  facts.claimed_channel_load = 1;
  std::uint64_t claimed_steps = 0;
  std::vector<RingBroadcast> rings;
  for (unsigned dimension = 0; dimension < topology.dimensions(); ++dimension) {
    rings.push_back(ring(topology.side(dimension)));
    const std::uint64_t before = facts.steps;
    facts.steps += rings.back().size();
    facts.stages.push_back({fmt::format("dimension {}", dimension), before + 1, facts.steps});
    claimed_steps += ceil_log(std::uint64_t{ports} + 1, topology.side(dimension));
  }
  facts.claimed_steps = claimed_steps;
  return std::make_unique<DimensionByDimension>(std::move(facts), std::move(rings));
}

}  // namespace flitscope::baselines
