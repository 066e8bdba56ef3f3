// combining: dimension by dimension, with one message for all data that goes the same way.
#include <utility>

#include "algorithms/all_to_all/exchange.h"
#include "algorithms/common/stepwise_schedule.h"

namespace flitscope::all_to_all::combining {
namespace {

constexpr auto kName = "all-to-all-combining";

class Combining final : public StepwiseSchedule {
 public:
  explicit Combining(ScheduleFacts facts) : StepwiseSchedule(std::move(facts)), dimensions_(topology(), 1) {}

 private:
  void produce(std::uint64_t number, Step& step) override {
    unsigned k = 0;
    while (number > facts().stages[k].last_step) ++k;
    const auto hops = static_cast<std::uint32_t>(number - facts().stages[k].first_step + 1);
    const std::uint32_t side = topology().side(k);
    for (NodeId node = 0; node < topology().nodes(); ++node) {
      const std::uint32_t x = topology().coordinate(node, k);
      const bool ahead = 2 * hops < side || (2 * hops == side && x % 2 == 0);
      step.add(node, topology().moved(node, k, Sign::plus, hops),
               Route::cyclic(0, ahead ? Sign::plus : Sign::minus),
               dimensions_.chunks(node, k, x, (x + hops) % side));
    }
  }

  Dimensions dimensions_;
};

const AlgorithmRegistry::Entry entry{{
    .name = kName,
    .collective = {CollectiveKind::all_to_all},
    .summary = "all-to-all on a torus dimension by dimension: directly within lines, messages combined",
    .source = "common knowledge",
    .claim = "the sum of k-1 steps over all sides k",
    .admissible = "torus of any sides and any number of dimensions",
    .parameters = {data_parameter()},
    .make = [](const Topology& topology, const ParameterValues& values) -> std::unique_ptr<Schedule> {
      ScheduleFacts facts = all_to_all_facts(topology, values, kName, 1, 1);
      for (unsigned k = 0; k < topology.dimensions(); ++k) {
        facts.stages.push_back(
            {"dimension " + std::to_string(k), facts.steps + 1, facts.steps + topology.side(k) - 1});
        facts.steps = facts.stages.back().last_step;
      }
      facts.claimed_steps = facts.steps;
      facts.messages = facts.steps * topology.nodes();
      return std::make_unique<Combining>(std::move(facts));
    },
    .memory = {.per_pair_of_nodes = 96},
}};

}  // namespace
}  // namespace flitscope::all_to_all::combining
