// half-ring: data goes round the rings of one dimension after the other, the shorter way.
#include "algorithms/all_to_all/rings.h"

namespace flitscope::all_to_all::half_ring {
namespace {

constexpr auto kName = "all-to-all-half-ring";

const AlgorithmRegistry::Entry entry{{
    .name = kName,
    .summary = "all-to-all on a torus round the rings of one dimension after the other, the shorter way",
    .source = "common knowledge",
    .claim =
        "the sum of floor(k/2) steps over all sides k, between neighbours; k/8 times a node's data on every "
        "link of a dimension of even side k, (k^2-1)/8k of odd",
    .admissible = "torus of any sides and any number of dimensions",
    .parameters = {data_parameter()},
    .make = [](const Topology& topology,
               const ParameterValues& values) { return ring_phases(topology, values, kName, true, 1); },
    .memory = {.per_pair_of_nodes = 96},
}};

}  // namespace
}  // namespace flitscope::all_to_all::half_ring
