// Latency of a message alone in the network (docs/timing.md, "Zero-load latency").
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/machine.h"
#include "model/types.h"

namespace flitscope {

/// Of a worm, or a packet, from ready to the arrival of its tail, channel by channel of its path. No message
/// has a lower latency on that path, and one alone has it if the buffers cover their credit loops.
class ZeroLoadLatency {
 public:
  /// Of `flits` flits, at least 1. `machine` must outlive it.
  ZeroLoadLatency(const MachineConfig& machine, std::uint64_t flits)
      : machine_(machine),
        flits_(flits),
        delays_(Cycle{machine.startup} + machine.router_delay + machine.link_delay),
        most_(lag(machine.injection_interval)),
        sum_(most_) {}

  /// The next `count` links of the path, all alike.
  void pass(const LinkTime& link, std::uint64_t count = 1) {
    if (count == 0) return;
    delays_ += count * (machine_.router_delay + Cycle{link.delay});
    head_waits_ += count * head_wait();
    most_ = std::max(most_, head_waits_ + lag(link.cycles_per_flit));
    sum_ += count * lag(link.cycles_per_flit);
  }

  /// Once all links are passed.
  [[nodiscard]] Cycle cycles() const {
    const Cycle waits = head_waits_ + head_wait();
    const Cycle ejection = lag(machine_.ejection_interval);
    if (machine_.switching == Switching::store_and_forward) return delays_ + waits + sum_ + ejection;
    return delays_ + std::max(most_, waits + ejection);
  }

  /// Whether buffers cover the credit loop of such links, or hold all flits. Without waits for VCs flits come
  /// no faster than the slowest channel takes them; behind a head that waits, or unevenly, they can stop an
  /// on-off sender.
  [[nodiscard]] bool buffers_cover(LinkTime link) const {
    const bool stops = machine_.parts.credits == Credits::on_off;
    if (flits_ + (stops ? machine_.go_slots() : 0) <= machine_.buffer) return true;
    Ratio pace = link.cycles_per_flit;
    if (head_wait() == 0)
      pace = std::max({pace, Ratio(machine_.injection_interval), Ratio(machine_.ejection_interval)});
    if (stops && (head_wait() != 0 || !pace.is_whole())) return false;
    return pace.times_rounded_down(machine_.window()) >= machine_.credit_loop(link.delay);
  }

 private:
  /// Cycles from when the head has left a channel until the last flit has.
  [[nodiscard]] Cycle lag(Ratio interval) const { return interval.times_rounded_down(flits_ - 1); }
  /// In a router, for its VC.
  [[nodiscard]] Cycle head_wait() const { return machine_.head_delay() - machine_.router_delay; }

  const MachineConfig& machine_;
  std::uint64_t flits_;
  Cycle delays_;          ///< of every flit, and the startup
  Cycle head_waits_ = 0;  ///< in the routers before the next channel
  Cycle most_;            ///< lag of the tail behind an empty network's delays, by the slowest channel so far
  Cycle sum_;             ///< of the lags of all channels so far
};

}  // namespace flitscope
