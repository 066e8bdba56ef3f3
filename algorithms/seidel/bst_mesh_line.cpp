// seidel-bst-mesh-line: the BST broadcast over the mesh as one linear array, row after row (Section 3.4.1,
// Equation 9). Only its first message leaves both row and column.
#include "algorithms/seidel/broadcast.h"
#include "algorithms/seidel/trees.h"

namespace flitscope::seidel::bst_mesh_line {
namespace {

Plan bst_mesh_line(const Setting& setting) {
  const Axis& r = setting.rows();
  const Axis& c = setting.columns();
  Plan plan;
  Holders holders = setting.start(Numbering({kOppositeTree}));
  bidirectional_tree(plan, holders, joined({bits_down(r, 0, r.bits), bits_down(c, 0, c.bits)}));
  return plan;
}

const AlgorithmRegistry::Entry entry{declared({
    .name = "seidel-bst-mesh-line",
    .summary = "broadcast on a one-port mesh by two opposite trees over all nodes, row after row",
    .source = "3.4.1, Equation 9",
    .cost = "d1 + d2 + 1 steps; (d1 + d2 + 1)(m a / 2 + b)",
    .dimensions = 2,
    .takes_nu = false,
    .can_be_virtual = true,
    .plan = bst_mesh_line,
    .claimed_steps = [](const Sizes& n) -> std::uint64_t { return n.d1 + n.d2 + 1; },
})};

}  // namespace
}  // namespace flitscope::seidel::bst_mesh_line
