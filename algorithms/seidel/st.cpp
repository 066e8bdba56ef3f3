// Broadcasts by spanning trees (ST) on linear arrays and meshes.
#include <algorithm>

#include "algorithms/seidel/planned_schedule.h"

namespace flitscope::seidel {

namespace {

// seidel-st-linear: the spanning tree (ST) broadcast on a linear array (Sections 3.1 and 4.1, 4.2).
//
// L = 2^nu. The message, cut into packets 0 .. L-1, is distributed among the L nodes of the source's
// metanode; then all of them are roots of spanning trees over the interleaved subarrays {jL + i}; in the end
// the nodes of every metanode exchange their packets. nu = 0 leaves the one spanning tree.

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

const AlgorithmRegistry::Entry st_linear_entry{declared({
    .name = "seidel-st-linear",
    .summary = "broadcast on a one-port linear array by spanning trees",
    .source = "3.1, Equations 1 and 2",
    .cost = "d + nu steps; (2 + (d-nu-2)/2^nu) m a + (d + nu) b",
    .dimensions = 1,
    .can_be_virtual = true,
    .plan = st_linear,
    .claimed_steps = [](const Sizes& n) -> std::uint64_t { return n.d2 + n.nu; },
})};

// seidel-st-mesh-simple: a spanning tree down the source's column, then one in every row (Section 3.2.1,
// Figure 4).

Plan st_mesh_simple(const Setting& setting) {
  Plan plan;
  Holders holders = setting.start(Numbering({}));
  for (const Axis& axis : {setting.rows(), setting.columns()}) {
    spanning_tree(plan, holders, bits_down(axis, 0, axis.bits));
  }
  return plan;
}

const AlgorithmRegistry::Entry st_mesh_simple_entry{declared({
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

// seidel-st-mesh-columns: the ST broadcast of linear arrays in the source's column, then in every row
// (Section 3.2.2, Equation 3).

Plan st_mesh_columns(const Setting& setting) {
  Plan plan;
  Holders holders = setting.start(Numbering({}));
  for (const Axis& axis : {setting.rows(), setting.columns()}) {
    const Bits place = bits_down(axis, 0, setting.nu);
    holders.numbering = std::make_shared<const Numbering>(place);  // every node holds the whole message
    distribute(plan, holders, place);
    spanning_tree(plan, holders, bits_down(axis, setting.nu, axis.bits));
    dimensional_exchange(plan, holders, reversed(place));
  }
  return plan;
}

const AlgorithmRegistry::Entry st_mesh_columns_entry{declared({
    .name = "seidel-st-mesh-columns",
    .summary = "broadcast on a one-port mesh: seidel-st-linear in one column, then in all rows",
    .source = "3.2.2, Equation 3",
    .cost = "d1 + d2 + 2 nu steps; (4 + (d1+d2-2nu-4)/2^nu) m a + (d1 + d2 + 2 nu) b",
    .dimensions = 2,
    .plan = st_mesh_columns,
    .claimed_steps = [](const Sizes& n) -> std::uint64_t { return n.d1 + n.d2 + 2 * n.nu; },
})};

// seidel-st-mesh-five-phase: the packets of a column's broadcast are not collected before the rows have
// theirs (Section 3.2.2, Figure 6).
//
// L = 2^nu. Phase 1 distributes packets p(x) in the source's column, 2 broadcasts them down that column; in
// phase 3 every node of the column distributes the parts p(x, y) of its packet in its row, 4 broadcasts them
// along the rows; phase 5 exchanges them in every block of L * L nodes. The printed cost, Equation 4, counts
// phase 3 as if it moved the whole message; this algorithm takes what its five phases take.

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

const AlgorithmRegistry::Entry st_mesh_five_phase_entry{declared({
    .name = "seidel-st-mesh-five-phase",
    .summary = "broadcast on a one-port mesh by spanning trees in five phases",
    .source = "3.2.2, Equation 4, corrected",
    .cost = "d1 + d2 + 2 nu steps; (2 + (d1-nu)/2^nu + (d2-nu-2)/4^nu) m a + (d1 + d2 + 2 nu) b",
    .dimensions = 2,
    .plan = st_mesh_five_phase,
    .claimed_steps = [](const Sizes& n) -> std::uint64_t { return n.d1 + n.d2 + 2 * n.nu; },
})};

// seidel-st-mesh: the better ST broadcast on a mesh (Sections 3.2.1 and 3.2.2, Figure 5).
//
// The mesh is four interleaved submeshes; each broadcasts a quarter of the message, half of them columns
// first and half of them rows first. With nu > 0 the same on each of 2^(2nu) interleaved meshes.

const AlgorithmRegistry::Entry st_mesh_entry{declared({
    .name = "seidel-st-mesh",
    .summary =
        "broadcast on a one-port mesh by spanning trees of interleaved submeshes, rows and columns at once",
    .source = "3.2.2, Equations 5 and 6, Table I",
    .cost = "2M + 2 nu + 2 steps, M = max(d1, d2); (2 + (M-nu-2)/2^(2nu+1)) m a + (2M + 2 nu + 2) b",
    .dimensions = 2,
    .plan = [](const Setting& setting) { return better_st(setting); },
    .claimed_steps = [](const Sizes& n) -> std::uint64_t { return 2 * std::max(n.d1, n.d2) + 2 * n.nu + 2; },
})};

}  // namespace

}  // namespace flitscope::seidel
