// All-gathers round a circle of all nodes, which reduce backwards.
// bruck: in every step a node sends all that it has, as far as it is lacking, at distances that double.
// direct: every node sends its part to every other one, or gets a part from each, one a step.
#include "algorithms/common/circulant.h"

namespace flitscope::any_network {
namespace {

const common::Family bruck_family{{
    .name = "bruck",
    .how = "at distances 1, 2, 4, ... round a circle of all nodes",
    .source =
        "J. Bruck, C. Ho, S. Kipnis, E. Upfal, D. Weathersby: Efficient algorithms for all-to-all "
        "communications in multiport message-passing systems, 1997, the concatenation; backwards it reduces",
    .claim = "ceil(log_2 p) steps for p nodes, the fewest with one message a node and step; a node sends "
             "(p-1)/p of the vector",
    .admissible = "any network, any number of nodes",
    .make = [](const Topology& topology, const ParameterValues&,
               const std::string&) { return common::circulant_spread(topology, common::Circulant::bruck); },
    .any_network = true,
}};

const common::Family direct_family{{
    .name = "direct",
    .how = "by messages between every two nodes, one a step",
    .source = "pairwise exchange, common knowledge",
    .claim = "p-1 steps for p nodes; a node sends (p-1)/p of the vector, no part through another node",
    .admissible = "any network, any number of nodes",
    .make = [](const Topology& topology, const ParameterValues&,
               const std::string&) { return common::circulant_spread(topology, common::Circulant::direct); },
    .any_network = true,
}};

}  // namespace
}  // namespace flitscope::any_network
