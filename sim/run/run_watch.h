// Looks at a run on links while it goes on.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "sim/network/clock_domain.h"
#include "sim/observe/deadlock/deadlock_watch.h"
#include "sim/observe/observed_run.h"
#include "sim/run/progress.h"

namespace flitscope {

/// Looks for deadlocks, reports progress, and halts the clock when the run is over before the network is
/// empty.
class RunWatch final : public ClockWatcher {
 public:
  /// `arrived`: the messages that have. All must outlive it.
  RunWatch(const ClockDomain& clock, const LinkRun& observed, ProgressReports& progress,
           std::function<std::uint64_t()> arrived)
      : clock_(clock),
        observed_(observed),
        progress_(progress),
        arrived_(std::move(arrived)),
        deadlocks_(clock) {}

  /// Halts the clock after the first cycle in which this holds. It is then asked in every cycle.
  void halt_when(std::function<bool()> over) { over_ = std::move(over); }

  /// The first cycle to be asked in.
  [[nodiscard]] Cycle first() const {
    if (over_ || observed_.looks_at_cycles()) return 0;
    return progress_.wanted() ? ProgressReports::kCycles : DeadlockWatch::kFirstLook;
  }

  std::optional<Cycle> after_cycle(Cycle now) override {
    observed_.after_cycle(now);
    if (over_ && over_()) return std::nullopt;
    if (now >= next_look_) {
      const auto again = deadlocks_.after_cycle(now);
      if (!again) return std::nullopt;
      next_look_ = *again;
    }
    if (progress_.wanted() && now >= next_report_) {
      progress_.report(now, arrived_(), clock_.routers().flit_hops());
      next_report_ = now + ProgressReports::kCycles;
    }
    if (over_ || observed_.looks_at_cycles()) return now + 1;
    return progress_.wanted() ? std::min(next_look_, next_report_) : next_look_;
  }

  [[nodiscard]] const std::optional<Deadlock>& deadlock() const { return deadlocks_.deadlock(); }

 private:
  const ClockDomain& clock_;
  const LinkRun& observed_;
  ProgressReports& progress_;
  std::function<std::uint64_t()> arrived_;
  std::function<bool()> over_;
  DeadlockWatch deadlocks_;
  Cycle next_look_ = DeadlockWatch::kFirstLook;
  Cycle next_report_ = 0;
};

}  // namespace flitscope
