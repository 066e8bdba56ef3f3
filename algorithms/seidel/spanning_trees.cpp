// Broadcasts by spanning trees (ST) and bidirectional ones (BST) on linear arrays and meshes.
#include <algorithm>
#include <ranges>

#include "algorithms/seidel/planned_schedule.h"

namespace flitscope::seidel {

namespace {

// seidel-st-linear: the spanning tree (ST) broadcast on a linear array (Sections 3.1 and 4.1, 4.2).
//
// L = 2^nu. The message, cut into packets 0 .. L-1, is distributed among the L nodes of the source's
// metanode; then all of them are roots of spanning trees over the interleaved subarrays {jL + i}; in the end
// the nodes of every metanode exchange their packets. nu = 0 leaves the one spanning tree.
//
// On a mesh the same in the source's column, then in every row.
//
// The bidirectional spanning tree (BST) broadcast (Sections 3.3 and 4.3) has on every subarray two trees with
// half a packet each, from the source's node and from the one opposite; their messages travel in opposite
// directions. Packet i is atoms 2i and 2i+1, of which the second goes to the opposite root.

template <bool kBidirectional>
Plan along_lines(const Setting& setting) {
  Plan plan;
  Holders holders = setting.start(Numbering({}));
  for (const Axis& axis : std::views::reverse(setting.axes)) {
    const Bits place = bits_down(axis, 0, setting.nu);
    const Bits above = bits_down(axis, setting.nu, axis.bits);
    // Every node holds the whole message.
    holders.numbering =
        std::make_shared<const Numbering>(kBidirectional ? joined({place, {kOppositeTree}}) : place);
    distribute(plan, holders, place);
    (kBidirectional ? bidirectional_tree : spanning_tree)(plan, holders, above);
    dimensional_exchange(plan, holders, reversed(place));
  }
  return plan;
}

const AlgorithmRegistry::Entry st_linear_entry{declared({
    .name = "seidel-st-linear",
    .summary = "broadcast on a one-port linear array by spanning trees",
    .source = "3.1, Equations 1 and 2",
    .cost = "d + nu steps; (2 + (d-nu-2)/2^nu) m a + (d + nu) b",
    .dimensions = 1,
    .can_be_virtual = true,
    .plan = along_lines<false>,
    .claimed_steps = [](const Sizes& n) -> std::uint64_t { return n.d2 + n.nu; },
})};

// seidel-st-mesh-simple: a spanning tree down the source's column, then one in every row (Section 3.2.1,
// Figure 4).

const AlgorithmRegistry::Entry st_mesh_simple_entry{declared({
    .name = "seidel-st-mesh-simple",
    .summary = "broadcast on a one-port mesh by spanning trees, one column, then all rows",
    .source = "3.2.1",
    .cost = "d1 + d2 steps; (d1 + d2)(m a + b)",
    .dimensions = 2,
    .takes_nu = false,
    .can_be_virtual = true,
    .plan = along_lines<false>,
    .claimed_steps = [](const Sizes& n) -> std::uint64_t { return n.d1 + n.d2; },
})};

// seidel-st-mesh-columns: the ST broadcast of linear arrays in the source's column, then in every row
// (Section 3.2.2, Equation 3).

const AlgorithmRegistry::Entry st_mesh_columns_entry{declared({
    .name = "seidel-st-mesh-columns",
    .summary = "broadcast on a one-port mesh: seidel-st-linear in one column, then in all rows",
    .source = "3.2.2, Equation 3",
    .cost = "d1 + d2 + 2 nu steps; (4 + (d1+d2-2nu-4)/2^nu) m a + (d1 + d2 + 2 nu) b",
    .dimensions = 2,
    .plan = along_lines<false>,
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

// Broadcasts by bidirectional spanning trees (BST) on linear arrays and meshes.

// seidel-bst-linear: as seidel-st-linear (Sections 3.3 and 4.3).

const AlgorithmRegistry::Entry bst_linear_entry{declared({
    .name = "seidel-bst-linear",
    .summary = "broadcast on a one-port linear array by two spanning trees from opposite roots",
    .source = "3.3, Equations 7 and 8",
    .cost = "d + nu + 1 steps; (2 + (d-nu-3)/2^(nu+1)) m a + (d + nu + 1) b",
    .dimensions = 1,
    .can_be_virtual = true,
    .plan = along_lines<true>,
    .claimed_steps = [](const Sizes& n) -> std::uint64_t { return n.d2 + n.nu + 1; },
})};

// seidel-bst-mesh-rows: the BST broadcast of linear arrays in the source's column, then in every row
// (Section 3.4.1).

const AlgorithmRegistry::Entry bst_mesh_rows_entry{declared({
    .name = "seidel-bst-mesh-rows",
    .summary = "broadcast on a one-port mesh by two opposite trees, in one column, then in all rows",
    .source = "3.4.1",
    .cost = "d1 + d2 + 2 steps; (d1 + d2 + 2)(m a / 2 + b)",
    .dimensions = 2,
    .takes_nu = false,
    .can_be_virtual = true,
    .plan = along_lines<true>,
    .claimed_steps = [](const Sizes& n) -> std::uint64_t { return n.d1 + n.d2 + 2; },
})};

// seidel-bst-mesh-line: the BST broadcast over the mesh as one linear array, row after row (Section 3.4.1,
// Equation 9). Only its first message leaves both row and column.

Plan bst_mesh_line(const Setting& setting) {
  Plan plan;
  Holders holders = setting.start(Numbering({kOppositeTree}));
  bidirectional_tree(plan, holders, setting.all_bits());
  return plan;
}

const AlgorithmRegistry::Entry bst_mesh_line_entry{declared({
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

// seidel-bst-mesh: the better BST broadcast on a mesh (Sections 3.4.1 and 3.4.2, Figures 9 and 10).
//
// Four interleaved submeshes as in the better ST broadcast, each with two trees, from the 2 x 2 block of the
// source and from the opposite block. Of eight packets the nodes of class (a, b) get 4a + 2b and 4a + 2b + 1:
// 4a + 3b from the near tree, 4a + 1 + b from the opposite one. With nu > 0 the same on each of 2^(2nu)
// interleaved meshes. On submeshes of 2 x 2 nodes both blocks are the same, and the better ST broadcast does.

/// The roots of the eight trees, four near and four opposite, after three steps (Figure 9).
std::vector<Holders> distribute_to_opposite_blocks(Plan& plan, Holders& source, const Setting& setting) {
  const Address row = setting.rows().bit(setting.nu);
  const Address column = setting.columns().bit(setting.nu);
  const Address to_opposite_block =
      setting.rows().from(setting.nu + 1) | setting.columns().from(setting.nu + 1);

  plan.step({source.distribute(row)});

  // Packets 4a + 1 and 4a + 2 to the opposite block, to two different columns.
  Holders near = source;
  near.varying &= ~row;
  Holders near_below = near;
  near_below.first ^= row;
  Holders opposite;
  Holders opposite_below;
  plan.step({near.part_with(kOppositeTree, to_opposite_block, opposite),
             near_below.part_with(kOppositeTree, to_opposite_block ^ column, opposite_below)});

  std::vector<Transfer> sideways;
  std::vector<Holders> roots;
  for (Holders* const holders : {&near, &near_below, &opposite, &opposite_below}) {
    sideways.push_back(holders->distribute(column));
    holders->varying &= ~column;
    roots.push_back(*holders);
    holders->first ^= column;
    roots.push_back(*holders);
  }
  plan.step(std::move(sideways));
  return roots;
}

Plan bst_mesh(const Setting& setting) {
  const Axis& r = setting.rows();
  const Axis& c = setting.columns();
  const unsigned nu = setting.nu;
  if (std::max(r.bits, c.bits) == nu + 1) return better_st(setting);

  const Bits x = bits_down(r, 0, nu);
  const Bits y = bits_down(c, 0, nu);
  Numbering packets(joined({x, y, {r.bit(nu), c.bit(nu), kOppositeTree}}));
  packets.let(c.bit(nu), 3);  // 4a + 3b in the near tree; in the opposite one, by its image 1, 4a + 1 + b
  Plan plan;
  Holders holders = setting.start(std::move(packets));
  distribute(plan, holders, joined({x, y}));
  std::vector<Holders> roots = distribute_to_opposite_blocks(plan, holders, setting);
  red_black_trees(plan, roots, setting);
  holders = united(roots[0], setting.everything(), kOppositeTree);
  dimensional_exchange(plan, holders, joined({{c.bit(nu), r.bit(nu)}, reversed(y), reversed(x)}));
  return plan;
}

const AlgorithmRegistry::Entry bst_mesh_entry{declared({
    .name = "seidel-bst-mesh",
    .summary = "broadcast on a one-port mesh by eight trees of interleaved submeshes from opposite corners",
    .source = "3.4.2, Equation 10, Table I",
    .cost = "2M + 2 nu + 3 steps, M = max(d1, d2); (2 + (2M-2nu-5)/2^(2nu+3)) m a + (2M + 2 nu + 3) b",
    .dimensions = 2,
    .plan = bst_mesh,
    .claimed_steps = [](const Sizes& n) -> std::uint64_t { return 2 * std::max(n.d1, n.d2) + 2 * n.nu + 3; },
})};

}  // namespace

}  // namespace flitscope::seidel
