// Detection of deadlocks while the rest of the network still moves.
#pragma once

#include <algorithm>
#include <optional>

#include "sim/network/clock_domain.h"
#include "sim/observe/deadlock/deadlock.h"

namespace flitscope {

/// Looks for a deadlock now and then, and halts the clock when there is one.
class DeadlockWatch final : public ClockWatcher {
 public:
  explicit DeadlockWatch(const ClockDomain& clock) : clock_(clock) {}

  static constexpr Cycle kFirstLook = 1024;
  [[nodiscard]] std::optional<Cycle> after_cycle(Cycle now) override {
    deadlock_ = find_deadlock(clock_);
    if (deadlock_) return std::nullopt;
    // A look costs time in proportion to the network; the pause keeps it a small part of the run's.
    return now + std::max({kFirstLook, Cycle{clock_.numbers().nodes()}, now / 16});
  }
  [[nodiscard]] const std::optional<Deadlock>& deadlock() const { return deadlock_; }

 private:
  const ClockDomain& clock_;
  std::optional<Deadlock> deadlock_;
};

}  // namespace flitscope
