// dim-rotation: half rings in D pieces, each of which begins in another dimension.
#include "algorithms/all_to_all/rings.h"

namespace flitscope::all_to_all::dim_rotation {
namespace {

constexpr auto kName = "all-to-all-dim-rotation";

const AlgorithmRegistry::Entry entry{{
    .name = kName,
    .summary =
        "all-to-all on a torus round rings, the shorter way, in D pieces that begin in different dimensions",
    .source = "common knowledge",
    .claim = "the sum of floor(k/2) steps over all sides k, between neighbours; all links in use at the same "
             "time on equal sides; k/8 times a node's data on every link of a dimension of even side k",
    .admissible = "torus of any sides and any number D of dimensions",
    .parameters = {data_parameter()},
    .make =
        [](const Topology& topology, const ParameterValues& values) {
          return ring_phases(topology, values, kName, true, topology.dimensions());
        },
    .memory = {.per_pair_of_nodes = 96},
}};

}  // namespace
}  // namespace flitscope::all_to_all::dim_rotation
