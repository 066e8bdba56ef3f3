#include "algorithms/tsay_wang/extended_broadcast.h"

namespace flitscope::tsay_wang {

namespace {

/// The facts of the whole, from those of the further steps and those of the smaller broadcast before them.
ScheduleFacts joined(ScheduleFacts facts, const Schedule* inner) {
  if (inner == nullptr) return facts;
  const ScheduleFacts& before = inner->facts();
  for (Stage& stage : facts.stages) {
    stage.first_step += before.steps;
    stage.last_step += before.steps;
  }
  facts.stages.insert(facts.stages.begin(), before.stages.begin(), before.stages.end());
  facts.steps += before.steps;
  facts.messages += before.messages;
  return facts;
}

}  // namespace

ExtendedBroadcast::ExtendedBroadcast(ScheduleFacts facts, std::unique_ptr<Schedule> inner,
                                     std::uint32_t stretch, FurtherStep further)
    : BroadcastSchedule(joined(std::move(facts), inner.get())),
      nodes_(topology(), source()),
      inner_(std::move(inner)),
      inner_steps_(inner_ ? inner_->facts().steps : 0),
      stretch_(stretch),
      further_(std::move(further)) {}

void ExtendedBroadcast::produce(std::uint64_t number, Step& step) {
  if (number > inner_steps_) {
    MessageSink sink(nodes_, step);
    further_(static_cast<unsigned>(number - inner_steps_), sink);
    return;
  }
  (void)inner_->next(inner_step_);
  const Topology& small = inner_->facts().topology;
  const auto image = [&](NodeId node) {
    Coordinates coordinates{};
    for (unsigned i = 0; i < nodes_.d(); ++i) coordinates[i] = stretch_ * small.coordinate(node, i);
    return nodes_.node(coordinates);
  };
  for (const Message& message : inner_step_.messages()) {
    step.add(image(message.source), image(message.destination), message.route);
  }
}

std::unique_ptr<Schedule> inner_broadcast(const std::string& algorithm, unsigned d, std::uint32_t n,
                                          std::uint64_t bytes) {
  ParameterValues values;
  values.set("source", std::vector<std::uint32_t>(d, 0));
  values.set("message", static_cast<std::int64_t>(bytes));
  return AlgorithmRegistry::find(algorithm)->make(
      Topology(TopologyKind::torus, std::vector<std::uint32_t>(d, n)), values);
}

}  // namespace flitscope::tsay_wang
