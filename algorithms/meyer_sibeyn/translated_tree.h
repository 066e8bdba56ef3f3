// One broadcast tree whose translates, one at every PU, share no link.
#pragma once

#include <vector>

#include "algorithms/meyer_sibeyn/paper_torus.h"

namespace flitscope::meyer_sibeyn::translated_tree {

/// The PU with this offset from the origin is informed over direction `direction`.
struct Entry {
  Direction direction = 0;
  Pu offset = 0;
};
using TreeSteps = std::vector<std::vector<Entry>>;

/// The fewest steps of a gossip between neighbours: each node has 2d links, of which a pair along a side of 2
/// can bring but one new packet in the first step, and the farthest packet is as many steps away as links.
[[nodiscard]] std::uint64_t claimed_steps(const Topology& torus);

/// A broadcast tree from the origin in claimed_steps() steps that uses each direction at most once a step,
/// and ceil((P-1)/2d) times in all. On sides of at least 3 every step but the last uses all of them.
[[nodiscard]] TreeSteps tree_steps(const PaperTorus& torus);

}  // namespace flitscope::meyer_sibeyn::translated_tree
