// A cycle of a large network, divided among several threads.
//
// Correctness. The order in which routers are stepped in a cycle does not matter (class RouterPool), since an
// effect on another router shows in a later cycle. So ranges of routers can be stepped at the same time if no
// two threads write to the same memory:
//  - A router's ports, VCs and FIFOs, its pending events and its marks in the agenda belong to the thread of
//  its
//    range.
//  - Events for a router of another range (flits, credits, waits for a slot) are recorded, and posted when
//  all
//    threads have ended the cycle.
//  - A flit is put into the slot of another range's FIFO at once: a free slot belongs to the sender. The
//  receiver
//    may free it at the same time, but not for this cycle, so either value read means the same.
//  - Each thread has its own counters, which are added when all have ended the cycle.
// All other work is between cycles, in one thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <thread>
#include <vector>

#include "routers/engine/agenda.h"
#include "routers/engine/message_table.h"
#include "routers/engine/nic_pool.h"
#include "routers/engine/router_pool.h"

namespace flitscope {

/// The threads that step the routers of one network. Results do not depend on how many there are.
class ParallelStepper {
 public:
  /// The threads that a network of `nodes` routers can use, `wanted` at most.
  [[nodiscard]] static unsigned threads_for(NodeId nodes, unsigned wanted);

  /// All links are connected. `threads` is at least 2 and at most threads_for(); the caller's is one of them.
  ParallelStepper(unsigned threads, RouterPool& routers, NicPool& nics, Agenda& agenda,
                  MessageTable& messages);
  ~ParallelStepper();
  ParallelStepper(const ParallelStepper&) = delete;
  ParallelStepper& operator=(const ParallelStepper&) = delete;

  /// True if the last cycle was long enough for several threads, and no observer needs the order of routers.
  [[nodiscard]] bool is_worthwhile() const {
    return routers_.last_hops() >= worthwhile_from_ && routers_.can_divide();
  }
  /// Sets the flit-hops of a long cycle, by default a multiple of the synchronisation time. Results do not
  /// depend on it.
  void divide_from(std::uint64_t flit_hops) { worthwhile_from_ = flit_hops; }

  /// Steps every router that was woken for cycle `now`, which has begun.
  void step(Cycle now);

 private:
  /// The routers of one thread.
  struct Part {
    Part(ParallelStepper& whole, NodeRange range);
    Agenda agenda;
    ArrivingMessages arriving;
    RouterPool routers;
    NicPool nics;
    std::exception_ptr failure;
  };

  void work(Part& part);
  void step(Part& part) const;
  void wait_for_others() const;

  RouterPool& routers_;
  NicPool& nics_;
  Agenda& agenda_;
  MessageTable& messages_;
  std::uint64_t worthwhile_from_ = 1024;
  std::deque<Part> parts_;  ///< the first one is the caller's
  bool over_ = false;
  // Each on a cache line of its own, since threads poll them.
  alignas(64) std::atomic<std::uint64_t> begun_ = 0;  ///< cycles that were divided
  alignas(64) std::atomic<std::uint64_t> ended_ = 0;  ///< parts of these that other threads have stepped
  alignas(64) std::vector<std::jthread> threads_;
};

}  // namespace flitscope
