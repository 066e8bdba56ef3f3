// Says now and then how far a run is.
#pragma once

#include <chrono>
#include <cstdint>

#include "sim/run/run_options.h"

namespace flitscope {

/// Has no influence on the run.
class ProgressReports {
 public:
  /// `messages`: those that the schedule announces. The options must outlive it.
  ProgressReports(const RunOptions& options, std::uint64_t messages)
      : options_(options), messages_(messages) {}

  [[nodiscard]] bool wanted() const { return static_cast<bool>(options_.on_progress); }
  /// Tells how far the run is if the last time is long enough ago. Requires wanted(). `flit_hops`: so far.
  void report(Cycle now, std::uint64_t arrived, std::uint64_t flit_hops);

 private:
  using Stopwatch = std::chrono::steady_clock;

  const RunOptions& options_;
  std::uint64_t messages_;
  Stopwatch::time_point last_report_ = Stopwatch::now();
  std::uint64_t hops_reported_ = 0;
};

}  // namespace flitscope
