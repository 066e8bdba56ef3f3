// Looks at a run on links while it goes on, in cycles that matter to its result.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "sim/network/clock_domain.h"
#include "sim/observe/deadlock/deadlock_watch.h"
#include "sim/observe/observer.h"

namespace flitscope {

/// Looks for deadlocks, and halts the clock when the run is over before the network is empty.
class RunWatch final : public ClockWatcher {
 public:
  /// Both must outlive it.
  RunWatch(const ClockDomain& clock, const LinkRun& observed) : observed_(observed), deadlocks_(clock) {}

  /// Halts the clock after the first cycle in which this holds. It is then asked in every cycle.
  void halt_when(std::function<bool()> over) { over_ = std::move(over); }

  /// The first cycle to be asked in.
  [[nodiscard]] Cycle first() const { return looks_at_cycles() ? 0 : DeadlockWatch::kFirstLook; }

  std::optional<Cycle> after_cycle(Cycle now) override {
    observed_.after_cycle(now);
    if (over_ && over_()) return std::nullopt;
    if (now >= next_look_) {
      const auto again = deadlocks_.after_cycle(now);
      if (!again) return std::nullopt;
      next_look_ = *again;
    }
    return looks_at_cycles() ? now + 1 : next_look_;
  }

  [[nodiscard]] const std::optional<Deadlock>& deadlock() const { return deadlocks_.deadlock(); }

 private:
  [[nodiscard]] bool looks_at_cycles() const { return over_ || observed_.looks_at_cycles(); }

  const LinkRun& observed_;
  std::function<bool()> over_;
  DeadlockWatch deadlocks_;
  Cycle next_look_ = DeadlockWatch::kFirstLook;
};

}  // namespace flitscope
