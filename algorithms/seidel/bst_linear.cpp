// seidel-bst-linear: the bidirectional spanning tree (BST) broadcast on a linear array (Sections 3.3
// and 4.3).
//
// As ST, but on every subarray two trees with half a packet each, from the source's node and from the one
// opposite; their messages travel in opposite directions. Packet i is atoms 2i and 2i+1, of which the second
// goes to the opposite root.
#include "algorithms/seidel/broadcast.h"
#include "algorithms/seidel/trees.h"

namespace flitscope::seidel::bst_linear {
namespace {

Plan bst_linear(const Setting& setting) {
  const Axis& x = setting.columns();
  const Bits place = bits_down(x, 0, setting.nu);
  Plan plan;
  Holders holders = setting.start(Numbering(joined({place, {kOppositeTree}})));
  distribute(plan, holders, place);
  bidirectional_tree(plan, holders, bits_down(x, setting.nu, x.bits));
  dimensional_exchange(plan, holders, reversed(place));
  return plan;
}

const AlgorithmRegistry::Entry entry{declared({
    .name = "seidel-bst-linear",
    .summary = "broadcast on a one-port linear array by two spanning trees from opposite roots",
    .source = "3.3, Equations 7 and 8",
    .cost = "d + nu + 1 steps; (2 + (d-nu-3)/2^(nu+1)) m a + (d + nu + 1) b",
    .dimensions = 1,
    .can_be_virtual = true,
    .plan = bst_linear,
    .claimed_steps = [](const Sizes& n) -> std::uint64_t { return n.d2 + n.nu + 1; },
})};

}  // namespace
}  // namespace flitscope::seidel::bst_linear
