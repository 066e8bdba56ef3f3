#include "model/route_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/error.h"

namespace flitscope {

RouteTable::RouteTable(const Topology& topology) : CoreRouters(topology) {
  if (cores() > kMaxCores) {
    throw Inadmissible(
        "router.routing",
        fmt::format(
            "a table of routes for {} routers takes too much memory; it can have {} at most. A routing "
            "function that computes its way, such as dimension-order or one that is made for the family, "
            "does without",
            cores(), kMaxCores));
  }
  ports_.assign(std::size_t{cores()} * cores(), kNoPort);
}

void RouteTable::set_layer(std::uint32_t from, std::uint32_t to, unsigned layer) {
  if (layers_.empty()) layers_.assign(ports_.size(), 0);
  layers_[std::size_t{to} * cores() + from] = static_cast<std::uint8_t>(layer);
  layer_count_ = std::max(layer_count_, layer + 1);
}

}  // namespace flitscope
