// binomial: in every step each node that has the message sends it to one more.
#include "algorithms/common/node_tree.h"

namespace flitscope::any_network::binomial {
namespace {

const common::TreeFamily family{{
    .name = "binomial",
    .how = "along a binomial tree",
    .source = "common knowledge",
    .claim = "ceil(log_2 p) + s - 1 steps for p nodes and s segments",
    .rooted = [](const Topology& topology, const ParameterValues& /*values*/,
                 NodeId root) -> std::vector<common::NodeTree> {
      return {common::binomial_tree(common::order_from(topology, root))};
    },
}};

}  // namespace
}  // namespace flitscope::any_network::binomial
