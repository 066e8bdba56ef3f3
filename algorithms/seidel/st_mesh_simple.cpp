// seidel-st-mesh-simple: a spanning tree down the source's column, then one in every row (Section 3.2.1,
// Figure 4).
#include "algorithms/seidel/broadcast.h"
#include "algorithms/seidel/trees.h"

namespace flitscope::seidel::st_mesh_simple {
namespace {

Plan st_mesh_simple(const Setting& setting) {
  Plan plan;
  Holders holders = setting.start(Numbering({}));
  for (const Axis& axis : {setting.rows(), setting.columns()}) {
    spanning_tree(plan, holders, bits_down(axis, 0, axis.bits));
  }
  return plan;
}

const AlgorithmRegistry::Entry entry{declared({
    .name = "seidel-st-mesh-simple",
    .summary = "broadcast on a one-port mesh by spanning trees, one column, then all rows",
    .source = "3.2.1",
    .cost = "d1 + d2 steps; (d1 + d2)(m a + b)",
    .dimensions = 2,
    .takes_nu = false,
    .can_be_virtual = true,
    .plan = st_mesh_simple,
    .claimed_steps = [](const Sizes& n) -> std::uint64_t { return n.d1 + n.d2; },
})};

}  // namespace
}  // namespace flitscope::seidel::st_mesh_simple
