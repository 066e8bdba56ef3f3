// Broadcasts by recursive halving (RH) on linear arrays and meshes.
#include <algorithm>

#include "algorithms/seidel/planned_schedule.h"

namespace flitscope::seidel {

namespace {

/// In the last exchange every node sends the numbers of half the chunks, of which there is one a node.
constexpr MakingMemory kEveryMessageHoldsHalf{.per_pair_of_nodes = 4};

// seidel-rh-linear: the recursive halving (RH) broadcast on a linear array (Sections 3.5 and 4.4).
//
// The message is distributed among all nodes and put together again by a dimensional exchange over all bits,
// the most significant first, so that the shortest messages meet the most contention. That order takes one
// permutation of the message, here at the source before the first step: chunks are numbered as it sends them.

Plan rh_linear(const Setting& setting) {
  const Bits all = setting.all_bits();
  Plan plan;
  plan.permute(Plan::Permutation::at_source);
  Holders holders = setting.start(Numbering(all));
  distribute(plan, holders, all);
  dimensional_exchange(plan, holders, all);
  return plan;
}

const AlgorithmRegistry::Entry rh_linear_entry{declared({
    .name = "seidel-rh-linear",
    .summary = "broadcast on a one-port linear array by recursive halving: scatter, then exchange",
    .source = "3.5",
    .cost = "2d steps; (2 + (d-nu-2)/2^(nu+1) - 1/2^d) m a + 2d b + m rho",
    .dimensions = 1,
    .plan = rh_linear,
    .claimed_steps = [](const Sizes& n) -> std::uint64_t { return 2 * std::uint64_t{n.d2}; },
    .claimed_load = [](const Sizes& n) { return std::uint32_t{1} << (n.d2 - 1); },
    .memory = kEveryMessageHoldsHalf,
})};

// seidel-rh-mesh: the recursive halving (RH) broadcast on a mesh (Section 3.6, Figure 12).
//
// The message is distributed among all nodes, along the column first, and put together again by a dimensional
// exchange, the most significant bits first. Nodes of one colour of the chequerboard exchange along their
// rows while those of the other exchange along their columns, which halves the contention. As on the linear
// array the source permutes the message before the first step.

/// Exchanges over bits t and t' of rows and columns, each in both orders at once.
void exchange_by_colour(Plan& plan, std::vector<Holders>& classes, Address horizontal, Address vertical,
                        Address colour) {
  for (const bool first : {true, false}) {
    std::vector<Transfer> transfers;
    for (Holders& nodes : classes) {
      const Address lowest = nodes.first & colour;
      const bool colour_0 = lowest == 0 || lowest == colour;
      transfers.push_back(nodes.exchange(colour_0 == first ? horizontal : vertical));
    }
    plan.step(std::move(transfers));
  }
}

Plan rh_mesh(const Setting& setting) {
  const Axis& r = setting.rows();
  const Axis& c = setting.columns();
  const Bits all = setting.all_bits();
  Plan plan;
  plan.permute(Plan::Permutation::at_source);
  Holders holders = setting.start(Numbering(all));
  distribute(plan, holders, all);

  const unsigned m0 = std::min(r.bits, c.bits);
  const Axis& longer = r.bits > c.bits ? r : c;
  dimensional_exchange(plan, holders, bits_down(longer, m0, longer.bits));
  plan.phase("exchange");
  std::vector<Holders> classes = by_class(holders, r.bit(0), c.bit(0));
  for (unsigned t = m0 - 1; t >= 1; --t) {
    exchange_by_colour(plan, classes, c.bit(t), r.bit(t), c.bit(0) | r.bit(0));
  }
  holders = united(classes[0], setting.everything(), 0);
  dimensional_exchange(plan, holders, {c.bit(0), r.bit(0)});
  return plan;
}

/// The first exchange: 2^(d2 - 1) messages on a link of the longer axis, or on a square mesh half as many.
std::uint32_t most_on_a_link(const Sizes& n) {
  const unsigned longer = std::max(n.d1, n.d2);
  if (n.d1 != n.d2) return std::uint32_t{1} << (longer - 1);
  return longer < 2 ? 1 : std::uint32_t{1} << (longer - 2);
}

const AlgorithmRegistry::Entry rh_mesh_entry{declared({
    .name = "seidel-rh-mesh",
    .summary =
        "broadcast on a one-port mesh by recursive halving: scatter, then exchange along rows and columns",
    .source = "3.6",
    .cost = "2(d1 + d2) steps; (2 + (2(d2-d1)-3)/2^(d1+nu+2) + 1/2^(2nu+3) - 1/2^(d1+d2)) m a + 2(d1 + d2) b "
            "+ m rho, d1 <= d2",
    .dimensions = 2,
    .plan = rh_mesh,
    .claimed_steps = [](const Sizes& n) -> std::uint64_t { return 2 * std::uint64_t{n.d1 + n.d2}; },
    .claimed_load = most_on_a_link,
    .memory = kEveryMessageHoldsHalf,
})};

}  // namespace

}  // namespace flitscope::seidel
