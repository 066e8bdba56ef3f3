// seidel-bst-mesh-rows: the BST broadcast of linear arrays in the source's column, then in every row
// (Section 3.4.1).
#include "algorithms/seidel/broadcast.h"
#include "algorithms/seidel/trees.h"

namespace flitscope::seidel::bst_mesh_rows {
namespace {

Plan bst_mesh_rows(const Setting& setting) {
  Plan plan;
  Holders holders = setting.start(Numbering({kOppositeTree}));
  for (const Axis& axis : {setting.rows(), setting.columns()}) {
    bidirectional_tree(plan, holders, bits_down(axis, 0, axis.bits));
  }
  return plan;
}

const AlgorithmRegistry::Entry entry{declared({
    .name = "seidel-bst-mesh-rows",
    .summary = "broadcast on a one-port mesh by two opposite trees, in one column, then in all rows",
    .source = "3.4.1",
    .cost = "d1 + d2 + 2 steps; (d1 + d2 + 2)(m a / 2 + b)",
    .dimensions = 2,
    .takes_nu = false,
    .can_be_virtual = true,
    .plan = bst_mesh_rows,
    .claimed_steps = [](const Sizes& n) -> std::uint64_t { return n.d1 + n.d2 + 2; },
})};

}  // namespace
}  // namespace flitscope::seidel::bst_mesh_rows
