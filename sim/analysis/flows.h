// Messages as a verdict about deadlock looks at them: from where to where, and which way.
#pragma once

#include <cstdint>
#include <functional>

#include "model/route.h"
#include "model/topology.h"
#include "routers/routing/routing.h"

namespace flitscope {

struct Flow {
  NodeId source = 0;
  NodeId destination = 0;
  Route route;
  /// Of a message of a schedule its number (message_id); 0 if it is of none.
  std::uint64_t message = 0;
  /// 0 if it can be of any length.
  std::uint64_t flits = 0;
};

/// Calls the function given for one flow after the other, until it returns false.
using Flows = std::function<void(const std::function<bool(const Flow&)>&)>;

/// From every node to every other by all routes that the routing function admits.
[[nodiscard]] Flows every_pair(const Topology& topology, const RoutingFunction& routing);

}  // namespace flitscope
