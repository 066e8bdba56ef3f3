// seidel-bst-mesh: the better BST broadcast on a mesh (Sections 3.4.1 and 3.4.2, Figures 9 and 10).
//
// Four interleaved submeshes as in the better ST broadcast, each with two trees, from the 2 x 2 block of the
// source and from the opposite block. Of eight packets the nodes of class (a, b) get 4a + 2b and 4a + 2b + 1:
// 4a + 3b from the near tree, 4a + 1 + b from the opposite one. With nu > 0 the same on each of 2^(2nu)
// interleaved meshes. On submeshes of 2 x 2 nodes both blocks are the same, and the better ST broadcast does.
#include <algorithm>

#include "algorithms/seidel/broadcast.h"
#include "algorithms/seidel/trees.h"

namespace flitscope::seidel::bst_mesh {
namespace {

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

const AlgorithmRegistry::Entry entry{declared({
    .name = "seidel-bst-mesh",
    .summary = "broadcast on a one-port mesh by eight trees of interleaved submeshes from opposite corners",
    .source = "3.4.2, Equation 10, Table I",
    .cost = "2M + 2 nu + 3 steps, M = max(d1, d2); (2 + (2M-2nu-5)/2^(2nu+3)) m a + (2M + 2 nu + 3) b",
    .dimensions = 2,
    .plan = bst_mesh,
    .claimed_steps = [](const Sizes& n) -> std::uint64_t { return 2 * std::max(n.d1, n.d2) + 2 * n.nu + 3; },
})};

}  // namespace
}  // namespace flitscope::seidel::bst_mesh
