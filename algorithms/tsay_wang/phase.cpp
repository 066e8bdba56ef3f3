#include "algorithms/tsay_wang/phase.h"

namespace flitscope::tsay_wang {

void play(const Phase& phase, const RingSchedule& ring, unsigned k, const RelativeNodes& nodes, Step& step) {
  struct Leg {
    Coordinates difference;
    Route route;
  };
  std::vector<Coordinates> lattice;
  for (const Vector& generator : phase.lattice) lattice.push_back(nodes.mod(generator));
  std::vector<Leg> legs;
  for (const RingSender& sender : ring.senders(k)) {
    legs.clear();
    for (const std::span<const std::int64_t> side : {sender.right, sender.left}) {
      for (const Send& send : phase.sends(side)) legs.push_back({nodes.mod(send.difference), send.route});
    }
    if (legs.empty()) continue;
    const Coordinates first = nodes.mod(phase.generator * sender.ring_class);
    nodes.for_each_in_coset(lattice, first, [&](const Coordinates& from) {
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

}  // namespace flitscope::tsay_wang
