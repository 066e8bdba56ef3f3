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

/// A broadcast tree from the origin that uses each direction at most once a step, and all of them in every
/// step but the last. All sides are at least 3.
[[nodiscard]] TreeSteps tree_steps(const PaperTorus& torus);

}  // namespace flitscope::meyer_sibeyn::translated_tree
