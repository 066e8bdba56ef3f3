// ring: data goes round the rings of one dimension after the other, in one direction.
#include "algorithms/all_to_all/rings.h"

namespace flitscope::all_to_all::ring {
namespace {

constexpr auto kName = "all-to-all-ring";

const AlgorithmRegistry::Entry entry{{
    .name = kName,
    .summary = "all-to-all on a torus round the rings of one dimension after the other, in one direction",
    .source = "common knowledge",
    .claim = "the sum of k-1 steps over all sides k, between neighbours; (k-1)/2 times a node's data on each "
             "link used",
    .admissible = "torus of any sides and any number of dimensions",
    .parameters = {data_parameter()},
    .make = [](const Topology& topology,
               const ParameterValues& values) { return ring_phases(topology, values, kName, false, 1); },
    .memory = {.per_pair_of_nodes = 96},
}};

}  // namespace
}  // namespace flitscope::all_to_all::ring
