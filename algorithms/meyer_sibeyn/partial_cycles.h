// The d partial cycles of the one-packet algorithms (Meyer and Sibeyn, Section 4.3.1).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/meyer_sibeyn/ring.h"

namespace flitscope::meyer_sibeyn {

/// The axes (from 0) of the moves, all in direction +, that a cycle makes from its start back to it: n_1/d *
/// n_2
/// * .. * n_{d-1} laps, each a zigzag and n_d - d + 1 moves along axis d.
[[nodiscard]] std::vector<unsigned> moves_of_laps(std::span<const std::uint32_t> sides);

/// Cycles 0 .. d-1; cycle j starts in PU (j, 0, .., 0). Throws std::logic_error on a torus on which they are
/// no rings.
[[nodiscard]] std::vector<Ring> partial_cycles(const PaperTorus& torus);

}  // namespace flitscope::meyer_sibeyn
