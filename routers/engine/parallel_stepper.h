// The threads that a large network can use.
#pragma once

#include "model/types.h"

namespace flitscope {

/// The threads that step the routers of one network. Results do not depend on how many there are.
class ParallelStepper {
 public:
  /// The threads that a network of `nodes` routers can use, `wanted` at most.
  [[nodiscard]] static unsigned threads_for(NodeId nodes, unsigned wanted);
};

}  // namespace flitscope
