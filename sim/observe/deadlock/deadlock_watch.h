// Deadlocks found while the rest of the network still moves.
#pragma once

#include <optional>

#include "sim/network/clock_domain.h"
#include "sim/observe/deadlock/deadlock.h"

namespace flitscope {

/// Looks for a deadlock now and then while the rest of the network still moves, and halts the clock when
/// there is one.
class DeadlockWatch final : public ClockWatcher {
 public:
  explicit DeadlockWatch(const ClockDomain& clock) : clock_(clock) {}

  static constexpr Cycle kFirstLook = 1024;
  [[nodiscard]] std::optional<Cycle> after_cycle(Cycle now) override;
  [[nodiscard]] const std::optional<Deadlock>& deadlock() const { return deadlock_; }

 private:
  const ClockDomain& clock_;
  std::optional<Deadlock> deadlock_;
};

}  // namespace flitscope
