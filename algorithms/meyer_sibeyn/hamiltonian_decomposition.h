// All links of a torus as edge-disjoint Hamiltonian cycles.
#pragma once

#include <vector>

#include "algorithms/meyer_sibeyn/ring.h"

namespace flitscope::meyer_sibeyn {

/// d Hamiltonian cycles of a torus of d >= 2 axes, all sides at least 3, that share no link: each link lies
/// on exactly one. Every cycle starts in PU 0 and goes to the one of its neighbours on the cycle first that
/// has the smaller number.
[[nodiscard]] std::vector<Ring> hamiltonian_decomposition(const PaperTorus& torus);

/// The same of a torus of m x n nodes, m, n >= 3, numbered row by row, as lists of nodes.
[[nodiscard]] std::vector<std::vector<Pu>> two_hamiltonian_cycles(std::uint32_t m, std::uint32_t n);

}  // namespace flitscope::meyer_sibeyn
