// seidel-st-linear: the spanning tree (ST) broadcast on a linear array (Sections 3.1 and 4.1, 4.2).
//
// L = 2^nu. The message, cut into packets 0 .. L-1, is distributed among the L nodes of the source's
// metanode; then all of them are roots of spanning trees over the interleaved subarrays {jL + i}; in the end
// the nodes of every metanode exchange their packets. nu = 0 leaves the one spanning tree.
#include "algorithms/seidel/broadcast.h"
#include "algorithms/seidel/trees.h"

namespace flitscope::seidel::st_linear {
namespace {

Plan st_linear(const Setting& setting) {
  const Axis& x = setting.columns();
  const Bits place = bits_down(x, 0, setting.nu);
  Plan plan;
  Holders holders = setting.start(Numbering(place));
  distribute(plan, holders, place);
  spanning_tree(plan, holders, bits_down(x, setting.nu, x.bits));
  dimensional_exchange(plan, holders, reversed(place));
  return plan;
}

const AlgorithmRegistry::Entry entry{declared({
    .name = "seidel-st-linear",
    .summary = "broadcast on a one-port linear array by spanning trees",
    .source = "3.1, Equations 1 and 2",
    .cost = "d + nu steps; (2 + (d-nu-2)/2^nu) m a + (d + nu) b",
    .dimensions = 1,
    .can_be_virtual = true,
    .plan = st_linear,
    .claimed_steps = [](const Sizes& n) -> std::uint64_t { return n.d2 + n.nu; },
})};

}  // namespace
}  // namespace flitscope::seidel::st_linear
