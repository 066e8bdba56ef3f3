#include "algorithms/tsay_wang/phase.h"

#include <utility>

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

void play(const std::vector<Phase>& phases, const RingSchedule& ring, std::uint64_t number,
          const RelativeNodes& nodes, Step& step) {
  struct Leg {
    Coordinates difference;
    Route route;
  };
  const Phase& phase = phases[(number - 1) / ring.steps()];
  const auto k = static_cast<unsigned>((number - 1) % ring.steps() + 1);
  std::vector<Leg> legs;
  for (const RingSender& sender : ring.senders(k)) {
    legs.clear();
    for (const std::span<const std::int64_t> side : {sender.right, sender.left}) {
      for (const Send& send : phase.sends(side)) legs.push_back({nodes.mod(send.difference), send.route});
    }
    if (legs.empty()) continue;
    const Coordinates first = nodes.mod(phase.generator * sender.ring_class);
    nodes.for_each_in_coset(phase.lattice, first, [&](const Coordinates& from) {
      const NodeId source = nodes.node(from);
      for (const Leg& leg : legs) {
        Coordinates to = from;
        nodes.add(to, leg.difference);
        step.add(source, nodes.node(to), leg.route);
      }
    });
  }
}

std::uint64_t messages(const Phase& phase, const RingSchedule& ring, std::uint32_t n) {
  std::uint64_t senders = 1;
  for (std::size_t i = 0; i < phase.lattice.size(); ++i) senders *= n;
  return senders * ring.displacements();
}

void add_stages(const std::vector<Phase>& phases, const RingSchedule& ring, std::vector<Stage>& stages) {
  for (const Phase& phase : phases) {
    const std::uint64_t before = stages.empty() ? 0 : stages.back().last_step;
    stages.push_back({phase.name, before + 1, before + ring.steps()});
  }
}

std::unique_ptr<Schedule> extended_broadcast(ScheduleFacts facts, std::unique_ptr<Schedule> inner,
                                             std::uint32_t stretch, const FurtherStep& further) {
  const RelativeNodes nodes(facts.topology, common::source_of(facts));
  facts = joined(std::move(facts), inner.get());
  const std::uint64_t inner_steps = inner ? inner->facts().steps : 0;
  return common::stepwise(std::move(facts), [=, inner = std::shared_ptr(std::move(inner)),
                                             inner_step = Step()](std::uint64_t number, Step& step) mutable {
    if (number > inner_steps) {
      return further(
          static_cast<unsigned>(number - inner_steps),
          [&](const Coordinates& from, const Coordinates& to, unsigned first_dimension, Sign sign) {
            step.add(nodes.node(from), nodes.node(to), Route::cyclic(first_dimension - 1, sign));
          });
    }
    (void)inner->next(inner_step);
    const Topology& small = inner->facts().topology;
    const auto image = [&](NodeId node) {
      Coordinates coordinates{};
      for (unsigned i = 0; i < nodes.d(); ++i) coordinates[i] = stretch * small.coordinate(node, i);
      return nodes.node(coordinates);
    };
    for (const Message& message : inner_step.messages()) {
      step.add(image(message.source), image(message.destination), message.route);
    }
  });
}

std::unique_ptr<Schedule> inner_broadcast(const std::string& algorithm, unsigned d, std::uint32_t n,
                                          std::uint64_t bytes) {
  ParameterValues values;
  values.set("source", NodeName());
  values.set("message", static_cast<std::int64_t>(bytes));
  return AlgorithmRegistry::find(algorithm)->make(
      Topology(TopologyKind::torus, std::vector<std::uint32_t>(d, n)), values);
}

}  // namespace flitscope::tsay_wang
