#include "routers/routing/tree_ports.h"

#include "model/graph.h"
#include "params/parameter.h"

namespace flitscope {

TreePorts::TreePorts(const Topology& topology)
    : nodes_(topology.nodes()),
      k_(static_cast<std::uint32_t>(topology.graph()->parameters().integer("k"))),
      level_(topology.routers()),
      prefix_(topology.routers()),
      out_(nodes_),
      ports_(std::size_t{topology.routers() - nodes_} * 2 * k_) {
  const Graph& graph = *topology.graph();
  const auto levels = static_cast<std::size_t>(graph.parameters().integer("n"));
  below_.assign(levels + 1, 1);
  for (std::size_t level = levels; level > 0; --level) below_[level - 1] = below_[level] * k_;
  for (NodeId router = 0; router < topology.routers(); ++router) {
    const auto at = graph.coordinates(router);
    level_[router] = static_cast<std::uint8_t>(at[0]);
    for (std::uint32_t i = 0; i < at[0]; ++i) prefix_[router] = prefix_[router] * k_ + at[i + 1];
    for (unsigned port = 0; port < topology.link_ports(); ++port) {
      const auto to = topology.neighbour(router, port);
      if (!to) continue;
      if (router < nodes_) {
        out_[router] = static_cast<std::uint8_t>(port);
        continue;
      }
      // Both links between two levels change the digit of the upper one.
      const auto end = graph.coordinates(*to);
      const bool is_down = end[0] > at[0];
      const std::uint32_t changed = is_down ? end[at[0] + 1] : end[at[0]];
      ports_[slot(router) + (is_down ? 0 : k_) + changed] = static_cast<std::uint8_t>(port);
    }
  }
}

}  // namespace flitscope
