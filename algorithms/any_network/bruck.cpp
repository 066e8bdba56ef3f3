// bruck: in every step a node sends all that it has, as far as it is lacking, at distances that double.
#include "algorithms/common/circulant.h"

namespace flitscope::any_network::bruck {
namespace {

common::Spread make(const Topology& topology, const ParameterValues& /*values*/,
                    const std::string& /*algorithm*/) {
  return common::circulant_spread(topology, common::Circulant::bruck);
}

const common::Family family{{
    .name = "bruck",
    .how = "at distances 1, 2, 4, ... round a circle of all nodes",
    .source = "J. Bruck, C. Ho, S. Kipnis, E. Upfal, D. Weathersby: Efficient algorithms for all-to-all "
              "communications in multiport message-passing systems, 1997, the concatenation; backwards it "
              "reduces",
    .claim = "ceil(log_2 p) steps for p nodes, the fewest with one message a node and step; a node sends "
             "(p-1)/p of the vector",
    .admissible = "any network, any number of nodes",
    .make = make,
    .any_network = true,
}};

}  // namespace
}  // namespace flitscope::any_network::bruck
