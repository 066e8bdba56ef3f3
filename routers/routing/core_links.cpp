#include "routers/routing/core_links.h"

namespace flitscope {

CoreLinks::CoreLinks(const Topology& topology, const CoreRouters& routers)
    : first_(routers.cores() + 1), first_entering_(routers.cores() + 1) {
  for (std::uint32_t core = 0; core < routers.cores(); ++core) {
    std::uint8_t place = 0;
    for (unsigned port = 0; port < topology.link_ports(); ++port) {
      const auto to = topology.neighbour(routers.router(core), port);
      if (!to || routers.is_leaf(*to)) continue;
      const std::uint32_t end = routers.core_of(*to);
      links_.push_back({core, end, static_cast<std::uint8_t>(port), place++});
      ++first_entering_[end + 1];
    }
    first_[core + 1] = count();
  }
  for (std::size_t i = 1; i < first_entering_.size(); ++i) first_entering_[i] += first_entering_[i - 1];
  entering_.resize(links_.size());
  auto next = first_entering_;
  for (std::uint32_t link = 0; link < count(); ++link) entering_[next[links_[link].to]++] = link;
}

}  // namespace flitscope
