// seidel-rh-linear: the recursive halving (RH) broadcast on a linear array (Sections 3.5 and 4.4).
//
// The message is distributed among all nodes and put together again by a dimensional exchange over all bits,
// the most significant first, so that the shortest messages meet the most contention. That order takes one
// permutation of the message, here at the source before the first step: chunks are numbered as it sends them.
#include "algorithms/seidel/broadcast.h"
#include "algorithms/seidel/trees.h"

namespace flitscope::seidel::rh_linear {
namespace {

Plan rh_linear(const Setting& setting) {
  const Axis& x = setting.columns();
  const Bits all = bits_down(x, 0, x.bits);
  Plan plan;
  plan.permute(Plan::Permutation::at_source);
  Holders holders = setting.start(Numbering(all));
  distribute(plan, holders, all);
  dimensional_exchange(plan, holders, all);
  return plan;
}

const AlgorithmRegistry::Entry entry{declared({
    .name = "seidel-rh-linear",
    .summary = "broadcast on a one-port linear array by recursive halving: scatter, then exchange",
    .source = "3.5",
    .cost = "2d steps; (2 + (d-nu-2)/2^(nu+1) - 1/2^d) m a + 2d b + m rho",
    .dimensions = 1,
    .plan = rh_linear,
    .claimed_steps = [](const Sizes& n) -> std::uint64_t { return 2 * std::uint64_t{n.d2}; },
    .claimed_load = [](const Sizes& n) { return std::uint32_t{1} << (n.d2 - 1); },
})};

}  // namespace
}  // namespace flitscope::seidel::rh_linear
