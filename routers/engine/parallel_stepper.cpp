#include "routers/engine/parallel_stepper.h"

#include <utility>

namespace flitscope {
namespace {

/// Waking a sleeping thread takes as long as a short cycle, so threads with a core each poll for about a
/// millisecond before they sleep.
unsigned looks_of(unsigned threads) {
  constexpr unsigned kLooks = 1U << 16;
  return threads <= std::thread::hardware_concurrency() ? kLooks : 0;
}

/// Waits until a word that only increases is `least` or more.
void await(const std::atomic<std::uint64_t>& word, std::uint64_t least, unsigned looks) {
  constexpr unsigned kLooksInARow = 256;  // then a thread without a core may run
  std::uint64_t present = word.load(std::memory_order_acquire);
  for (unsigned look = 0; present < least && look < looks; ++look) {
    if (look % kLooksInARow == kLooksInARow - 1) std::this_thread::yield();
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
    present = word.load(std::memory_order_acquire);
  }
  while (present < least) {
    word.wait(present, std::memory_order_acquire);
    present = word.load(std::memory_order_acquire);
  }
}

void increase(std::atomic<std::uint64_t>& word) {
  word.fetch_add(1, std::memory_order_acq_rel);
  word.notify_all();
}

}  // namespace

ParallelStepper::ParallelStepper(unsigned threads, Work work)
    : work_(std::move(work)), looks_(looks_of(threads)), failures_(threads) {
  for (unsigned thread = 1; thread < threads; ++thread) {
    threads_.emplace_back([this, thread] { do_cycles(thread); });
  }
}

ParallelStepper::~ParallelStepper() {
  over_ = true;
  increase(begun_);
}

void ParallelStepper::do_cycles(unsigned thread) {
  for (std::uint64_t cycle = 0;; ++cycle) {
    await(begun_, cycle + 1, looks_);
    if (over_) return;
    do_phase(thread, 0);
    await_phase(2 * cycle + 1);
    do_phase(thread, 1);
  }
}

void ParallelStepper::do_phase(unsigned thread, unsigned phase) {
  try {
    if (!failures_[thread]) work_(thread, phase);
  } catch (...) {
    failures_[thread] = std::current_exception();
  }
  increase(ended_);
}

/// Waits until all threads have ended so many phases.
void ParallelStepper::await_phase(std::uint64_t phase) const {
  await(ended_, phase * failures_.size(), looks_);
}

void ParallelStepper::step() {
  const std::uint64_t cycle = begun_.load(std::memory_order_relaxed);
  increase(begun_);
  do_phase(0, 0);
  await_phase(2 * cycle + 1);
  do_phase(0, 1);
  await_phase(2 * cycle + 2);
  for (std::exception_ptr& failure : failures_) {
    if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
  }
}

}  // namespace flitscope
