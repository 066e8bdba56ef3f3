// How a run is watched from outside, beside what its configuration asks for.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>

#include "model/types.h"

namespace flitscope {

/// How far a run is.
struct Progress {
  std::uint64_t arrived = 0;   ///< messages
  std::uint64_t messages = 0;  ///< that the schedule announces
  Cycle cycle = 0;
  double flit_hops_per_second = 0;
};

struct RunOptions {
  /// Called now and then, if given.
  std::function<void(const Progress&)> on_progress;
  /// The shortest time between two of these calls.
  std::chrono::milliseconds progress_pause{250};
  /// Keeps who waited for whom, for the worst channels and messages of the result. A run of traffic can do
  /// without, and without the loads of its links (TrafficResult::load).
  bool explains_waits = true;
  /// How many threads the run may take where its configuration leaves that open. Whoever makes several runs
  /// at once leaves it at one.
  unsigned free_threads = 1;
  /// Directory for the files that the configuration's `observe` asks for; empty: none is written.
  std::filesystem::path observed_files;
};

}  // namespace flitscope
