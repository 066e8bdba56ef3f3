// seidel-st-mesh: the better ST broadcast on a mesh (Sections 3.2.1 and 3.2.2, Figure 5).
//
// The mesh is four interleaved submeshes; each broadcasts a quarter of the message, half of them columns
// first and half of them rows first. With nu > 0 the same on each of 2^(2nu) interleaved meshes.
#include <algorithm>

#include "algorithms/seidel/broadcast.h"
#include "algorithms/seidel/trees.h"

namespace flitscope::seidel::st_mesh {
namespace {

const AlgorithmRegistry::Entry entry{declared({
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
}  // namespace flitscope::seidel::st_mesh
