// seidel-st-mesh-five-phase: the packets of a column's broadcast are not collected before the rows have
// theirs (Section 3.2.2, Figure 6).
//
// L = 2^nu. Phase 1 distributes packets p(x) in the source's column, 2 broadcasts them down that column; in
// phase 3 every node of the column distributes the parts p(x, y) of its packet in its row, 4 broadcasts them
// along the rows; phase 5 exchanges them in every block of L * L nodes. The printed cost, Equation 4, counts
// phase 3 as if it moved the whole message; this algorithm takes what its five phases take.
#include "algorithms/seidel/broadcast.h"
#include "algorithms/seidel/trees.h"

namespace flitscope::seidel::st_mesh_five_phase {
namespace {

Plan st_mesh_five_phase(const Setting& setting) {
  const Axis& r = setting.rows();
  const Axis& c = setting.columns();
  const unsigned nu = setting.nu;
  const Bits x = bits_down(r, 0, nu);
  const Bits y = bits_down(c, 0, nu);
  Plan plan;
  Holders holders = setting.start(Numbering(joined({x, y})));
  distribute(plan, holders, x);
  spanning_tree(plan, holders, bits_down(r, nu, r.bits));
  distribute(plan, holders, y);
  spanning_tree(plan, holders, bits_down(c, nu, c.bits));
  dimensional_exchange(plan, holders, joined({reversed(y), reversed(x)}));
  return plan;
}

const AlgorithmRegistry::Entry entry{declared({
    .name = "seidel-st-mesh-five-phase",
    .summary = "broadcast on a one-port mesh by spanning trees in five phases",
    .source = "3.2.2, Equation 4, corrected",
    .cost = "d1 + d2 + 2 nu steps; (2 + (d1-nu)/2^nu + (d2-nu-2)/4^nu) m a + (d1 + d2 + 2 nu) b",
    .dimensions = 2,
    .plan = st_mesh_five_phase,
    .claimed_steps = [](const Sizes& n) -> std::uint64_t { return n.d1 + n.d2 + 2 * n.nu; },
})};

}  // namespace
}  // namespace flitscope::seidel::st_mesh_five_phase
