#include "routers/engine/parallel_stepper.h"

#include <algorithm>

namespace flitscope {
namespace {

/// Number of indivisible groups of routers.
std::size_t groups_of(NodeId nodes) {
  return (std::size_t{nodes} + Agenda::kNodesOfWord - 1) / Agenda::kNodesOfWord;
}

std::vector<NodeRange> ranges_of(NodeId nodes, unsigned threads) {
  const auto border = [&, groups = groups_of(nodes)](std::size_t thread) {
    return static_cast<NodeId>(
        std::min<std::size_t>(groups * thread / threads * Agenda::kNodesOfWord, nodes));
  };
  std::vector<NodeRange> ranges;
  for (unsigned thread = 0; thread < threads; ++thread)
    ranges.push_back({border(thread), border(thread + 1)});
  return ranges;
}

/// Waits until a word is no longer `old`; returns its value. Waking a sleeping thread takes as long as a
/// cycle, so the word is polled for longer than the usual time between two cycles before the thread sleeps.
std::uint64_t await_change(const std::atomic<std::uint64_t>& word, std::uint64_t old) {
  constexpr unsigned kLooks = 1U << 16;
  constexpr unsigned kLooksInARow = 256;  // then a thread without a core of its own may run
  for (unsigned look = 1; look < kLooks; ++look) {
    const std::uint64_t present = word.load(std::memory_order_acquire);
    if (present != old) return present;
    if (look % kLooksInARow == 0) std::this_thread::yield();
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  word.wait(old, std::memory_order_acquire);
  return word.load(std::memory_order_acquire);
}

}  // namespace

unsigned ParallelStepper::threads_for(NodeId nodes, unsigned wanted) {
  return static_cast<unsigned>(std::clamp<std::size_t>(groups_of(nodes), 1, wanted));
}

ParallelStepper::Part::Part(ParallelStepper& whole, NodeRange range)
    : agenda(whole.agenda_, range.first, range.end),
      arriving(whole.messages_, agenda),
      routers(whole.routers_, agenda, arriving, range),
      nics(whole.nics_, agenda, routers) {}

ParallelStepper::ParallelStepper(unsigned threads, RouterPool& routers, NicPool& nics, Agenda& agenda,
                                 MessageTable& messages)
    : routers_(routers), nics_(nics), agenda_(agenda), messages_(messages) {
  const std::vector<NodeRange> ranges = ranges_of(routers.nodes(), threads);
  routers_.divide(ranges);
  for (const NodeRange range : ranges) parts_.emplace_back(*this, range);
  for (unsigned thread = 1; thread < threads; ++thread) {
    threads_.emplace_back([this, thread] { work(parts_[thread]); });
  }
}

ParallelStepper::~ParallelStepper() {
  over_ = true;
  begun_.fetch_add(1, std::memory_order_release);
  begun_.notify_all();
}

void ParallelStepper::work(Part& part) {
  for (std::uint64_t begun = 0;;) {
    begun = await_change(begun_, begun);
    if (over_) return;
    step(part);
    ended_.fetch_add(1, std::memory_order_release);
    ended_.notify_one();
  }
}

void ParallelStepper::wait_for_others() const {
  const std::uint64_t all = begun_.load(std::memory_order_relaxed) * threads_.size();
  for (std::uint64_t ended = ended_.load(std::memory_order_acquire); ended != all;) {
    ended = await_change(ended_, ended);
  }
}

void ParallelStepper::step(Part& part) const {
  try {
    part.routers.begin_cycle_of_part(routers_);
    part.routers.step_awake(part.nics);
  } catch (...) {
    part.failure = std::current_exception();
  }
}

void ParallelStepper::step(Cycle now) {
  agenda_.forget_mark(now);
  routers_.begin_division();
  begun_.fetch_add(1, std::memory_order_release);
  begun_.notify_all();
  step(parts_.front());
  wait_for_others();
  for (Part& part : parts_) {
    routers_.merge(part.routers);
    nics_.merge(part.nics);
  }
  for (const Part& part : parts_) {
    if (part.failure) std::rethrow_exception(part.failure);
  }
}

}  // namespace flitscope
