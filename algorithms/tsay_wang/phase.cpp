#include "algorithms/tsay_wang/phase.h"

#include <bit>
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
                                             std::uint32_t stretch, FurtherStep further) {
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

namespace {

/// Dimensions, as bits: bit k-1 is dimension k.
using Dimensions = std::uint32_t;

/// Visits all targets that have n-1 in the dimensions `last`, and only there.
template <typename Visit>
void for_each_target(unsigned d, std::uint32_t n, Dimensions last, unsigned dimension, Coordinates& target,
                     const Visit& visit) {  // NOLINT(misc-no-recursion)
  if (dimension > d) return visit();
  const bool is_last = (last >> (dimension - 1) & 1) != 0;
  std::uint32_t& coordinate = target[dimension - 1];
  const std::uint32_t end = is_last ? n : n - 1;
  for (coordinate = is_last ? n - 1 : 0; coordinate < end; ++coordinate) {
    for_each_target(d, n, last, dimension + 1, target, visit);
  }
}

/// The two dimensions in the order in which the second follows sooner on the first, cyclically; if both
/// follow d/2 later, the lower one first if it is odd.
std::pair<unsigned, unsigned> ordered(unsigned d, unsigned lower, unsigned higher) {
  const unsigned apart = higher - lower;
  const bool lower_first = 2 * apart != d ? 2 * apart < d : lower % 2 == 1;
  return lower_first ? std::pair(lower, higher) : std::pair(higher, lower);
}

/// y: different first links for the targets of one node, second links on the target's own line.
std::uint32_t checksum(unsigned d, std::uint32_t n, unsigned i, unsigned j, const Coordinates& target) {
  std::int64_t y = (j + d - i) % d;
  y -= 1;
  for (unsigned k = 0; k < d; ++k) {
    if (target[k] != n - 1) y -= target[k];
  }
  const std::int64_t modulus = n - 1;
  return static_cast<std::uint32_t>((y % modulus + modulus) % modulus);
}

/// Step e serves the targets with exactly k+1 or k+2 coordinates n-1, k = 2(e-1).
void add_extra_step(unsigned d, std::uint32_t n, Extra extra, unsigned e, const AddMessage& add) {
  const auto k = static_cast<int>(2 * (e - 1));
  for (Dimensions last = 1; last < Dimensions{1} << d; ++last) {
    const int count = std::popcount(last);
    if (count != k + 1 && count != k + 2) continue;
    const auto higher = static_cast<unsigned>(std::bit_width(last));
    const auto lower = static_cast<unsigned>(std::bit_width(last ^ Dimensions{1} << (higher - 1)));
    Coordinates target{};
    for_each_target(d, n, last, 1, target, [&] {
      Coordinates from = target;
      if (count == k + 1) {  // the last of them is reached by its last link
        from[higher - 1] = n - 2;
        return add(from, target, higher, Sign::plus);
      }
      // The last two of them, i and j, are reached from 0 in i and y in j, both downwards.
      const auto [i, j] = extra == Extra::literal ? std::pair(lower, higher) : ordered(d, lower, higher);
      from[i - 1] = 0;
      from[j - 1] = extra == Extra::spread ? checksum(d, n, i, j, target) : 0;
      add(from, target, i, Sign::minus);
    });
  }
}

}  // namespace

std::unique_ptr<Schedule> with_extra_phase(ScheduleFacts facts, std::unique_ptr<Schedule> inner,
                                           Extra extra) {
  const unsigned d = facts.topology.dimensions();
  facts.steps = extra_steps(d);
  facts.messages = facts.topology.nodes() - inner->facts().topology.nodes();
  facts.stages = {{"extra phase", 1, facts.steps}};
  const std::uint32_t n = facts.topology.side(0);
  return extended_broadcast(std::move(facts), std::move(inner), 1,
                            [=](unsigned e, const AddMessage& add) { add_extra_step(d, n, extra, e, add); });
}

void require_links_for_extra_phase(const Topology& topology, const std::string& algorithm) {
  const unsigned d = topology.dimensions();
  const std::uint32_t n = topology.side(0);
  if (d / 2 <= n - 1) return;
  throw Inadmissible("topology.shape",
                     "{} on an even side n = {} needs floor(d/2) <= n-1, so at most {} dimensions, not {}; "
                     "nearest admissible: sides of {}",
                     algorithm, n, 2 * n - 1, d, n + 1);
}

}  // namespace flitscope::tsay_wang
