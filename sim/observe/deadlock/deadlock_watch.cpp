#include "sim/observe/deadlock/deadlock_watch.h"

#include <algorithm>

namespace flitscope {

std::optional<Cycle> DeadlockWatch::after_cycle(Cycle now) {
  deadlock_ = find_deadlock(clock_);
  if (deadlock_) return std::nullopt;
  // A look costs time in proportion to the network; let it stay a small part of the run's.
  const Cycle pause = std::max({kFirstLook, Cycle{clock_.routers().nodes()}, now / 16});
  return now + pause;
}

}  // namespace flitscope
