// direct: every node sends its part to every other one, or gets a part from each, one a step.
#include "algorithms/common/circulant.h"

namespace flitscope::any_network::direct {
namespace {

common::Spread make(const Topology& topology, const ParameterValues& /*values*/,
                    const std::string& /*algorithm*/) {
  return common::circulant_spread(topology, common::Circulant::direct);
}

const common::Family family{{
    .name = "direct",
    .how = "by messages between every two nodes, one a step",
    .source = "pairwise exchange, common knowledge",
    .claim = "p-1 steps for p nodes; a node sends (p-1)/p of the vector, no part through another node",
    .admissible = "any network, any number of nodes",
    .make = make,
    .any_network = true,
}};

}  // namespace
}  // namespace flitscope::any_network::direct
