#include "routers/engine/parallel_stepper.h"

#include <algorithm>
#include <cstddef>

#include "routers/engine/agenda.h"

namespace flitscope {
namespace {

/// Number of indivisible groups of routers.
std::size_t groups_of(NodeId nodes) {
  return (std::size_t{nodes} + Agenda::kNodesOfWord - 1) / Agenda::kNodesOfWord;
}

}  // namespace

unsigned ParallelStepper::threads_for(NodeId nodes, unsigned wanted) {
  return static_cast<unsigned>(std::clamp<std::size_t>(groups_of(nodes), 1, wanted));
}

}  // namespace flitscope
