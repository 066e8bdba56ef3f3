// Threads that do the work of a cycle together.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace flitscope {

/// Threads, of which each does its work of a cycle in two phases; the second one begins when all have ended
/// the first. They wait for the next cycle awake for some time, then asleep.
class ParallelStepper {
 public:
  using Work = std::function<void(unsigned thread, unsigned phase)>;

  /// `threads` is at least 2; the caller's is number 0. They call `work` in step() only.
  ParallelStepper(unsigned threads, Work work);
  ~ParallelStepper();
  ParallelStepper(const ParallelStepper&) = delete;
  ParallelStepper& operator=(const ParallelStepper&) = delete;

  /// Does the work of a cycle. Rethrows an exception of a thread when all have ended.
  void step();

 private:
  void do_cycles(unsigned thread);
  void do_phase(unsigned thread, unsigned phase);
  void await_phase(std::uint64_t phase) const;

  Work work_;
  unsigned looks_;                            ///< at a word before a thread that waits for it sleeps
  std::vector<std::exception_ptr> failures_;  ///< by thread
  bool over_ = false;
  // Each on a cache line of its own, since threads poll them.
  alignas(64) std::atomic<std::uint64_t> begun_ = 0;  ///< cycles
  alignas(64) std::atomic<std::uint64_t> ended_ = 0;  ///< phases of threads
  alignas(64) std::vector<std::jthread> threads_;
};

}  // namespace flitscope
