// seidel-st-mesh-columns: the ST broadcast of linear arrays in the source's column, then in every row
// (Section 3.2.2, Equation 3).
#include "algorithms/seidel/broadcast.h"
#include "algorithms/seidel/trees.h"

namespace flitscope::seidel::st_mesh_columns {
namespace {

Plan st_mesh_columns(const Setting& setting) {
  Plan plan;
  Holders holders = setting.start(Numbering({}));
  for (const Axis& axis : {setting.rows(), setting.columns()}) {
    const Bits place = bits_down(axis, 0, setting.nu);
    holders.numbering = std::make_shared<const Numbering>(place);  // everyone holds the whole message
    distribute(plan, holders, place);
    spanning_tree(plan, holders, bits_down(axis, setting.nu, axis.bits));
    dimensional_exchange(plan, holders, reversed(place));
  }
  return plan;
}

const AlgorithmRegistry::Entry entry{declared({
    .name = "seidel-st-mesh-columns",
    .summary = "broadcast on a one-port mesh: seidel-st-linear in one column, then in all rows",
    .source = "3.2.2, Equation 3",
    .cost = "d1 + d2 + 2 nu steps; (4 + (d1+d2-2nu-4)/2^nu) m a + (d1 + d2 + 2 nu) b",
    .dimensions = 2,
    .plan = st_mesh_columns,
    .claimed_steps = [](const Sizes& n) -> std::uint64_t { return n.d1 + n.d2 + 2 * n.nu; },
})};

}  // namespace
}  // namespace flitscope::seidel::st_mesh_columns
