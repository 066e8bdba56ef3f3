// The clock of a network: one process that looks at the routers with work, cycle by cycle.
#pragma once

#include <exception>
#include <optional>
#include <random>
#include <systemc>
#include <vector>

#include "routers/engine/agenda.h"
#include "routers/engine/message_table.h"
#include "routers/engine/nic_pool.h"
#include "routers/engine/router_pool.h"
#include "sim/network/transport.h"

namespace flitscope {

/// Why a run of the clock ended.
enum class ClockStop : std::uint8_t {
  quiet,   ///< nothing happens any more
  limit,   ///< the cycle limit
  halted,  ///< the watcher asked for it
  failed,  ///< the driver or the watcher threw an exception
};

/// Asked from time to time while the clock runs.
class ClockWatcher {
 public:
  virtual ~ClockWatcher() = default;
  /// Cycle `now` is over. Returns the cycle to be asked at next, or nothing to halt the clock.
  [[nodiscard]] virtual std::optional<Cycle> after_cycle(Cycle now) = 0;
};

/// Runs everything that has one clock: deliveries and the driver, then routers and network interfaces.
///
/// A SystemC module with one method process that is triggered at the next cycle in which anything can happen;
/// idle routers and idle cycles cost nothing.
class ClockDomain final : public sc_core::sc_module, public Transport, public Clock {
 public:
  SC_HAS_PROCESS(ClockDomain);

  ClockDomain(const sc_core::sc_module_name& name, const Topology& topology, const MachineConfig& machine,
              const sc_core::sc_time& period);
  ClockDomain(const ClockDomain&) = delete;
  ClockDomain& operator=(const ClockDomain&) = delete;

  /// Who sends, and until when.
  void drive(Driver& driver, Cycle limit) {
    driver_ = &driver;
    limit_ = limit;
    wake_.notify(sc_core::SC_ZERO_TIME);
  }
  void watch(ClockWatcher& watcher, Cycle first) {
    watcher_ = &watcher;
    ask_at_ = first;
  }
  /// Looks at routers in a random order; results must not depend on it.
  void shuffle(std::uint64_t seed) { shuffle_.emplace(seed); }

  void send(const Packet& packet) override;
  [[nodiscard]] Cycle now() const override { return sc_core::sc_time_stamp().value() / period_.value(); }
  void tick_at(Cycle cycle) override;
  /// Length of a cycle.
  [[nodiscard]] const sc_core::sc_time& period() const { return period_; }

  /// A message that a external module sends flit by flit: gives it a slot.
  [[nodiscard]] MessageSlot open_message(const Packet& packet);
  /// A message that a external module on a link port keeps to itself counts as delivered in `cycle`, 1 to
  /// `link delay` cycles ahead.
  void close_message(MessageSlot message, Cycle cycle) {
    arriving_.add(message, cycle, now());
    tick_at(cycle);
  }

  [[nodiscard]] RouterPool& routers() { return routers_; }
  [[nodiscard]] const RouterPool& routers() const { return routers_; }
  [[nodiscard]] const MessageTable& messages() const { return messages_; }
  [[nodiscard]] const Topology& topology() const { return topology_; }
  /// Why the clock was stopped; quiet if it was not, and simply has nothing to do.
  [[nodiscard]] ClockStop stop() const { return stop_.value_or(ClockStop::quiet); }
  /// What the driver or a watcher threw, if that ended the run.
  [[nodiscard]] const std::exception_ptr& failure() const { return failure_; }
  /// Cycle of the last delivery.
  [[nodiscard]] Cycle last_delivery() const { return last_delivery_; }
  /// The last cycle that was looked at.
  [[nodiscard]] Cycle last_cycle() const { return last_cycle_; }
  [[nodiscard]] std::uint64_t flits_sent() const { return flits_sent_; }
  [[nodiscard]] std::uint64_t flits_delivered() const { return flits_delivered_; }

 private:
  /// A message whose tail has reached its destination.
  struct Arrived {
    std::uint64_t id;
    MessageSlot slot;
  };

  [[nodiscard]] MessageSlot open_message(const Packet& packet, Cycle ready);
  void require_own_injection(NodeId node) const;
  void tick();
  void run_cycle(Cycle now);
  void end(ClockStop reason);
  void deliver(Cycle now);
  void step_routers(Cycle now);

  const Topology& topology_;
  sc_core::sc_time period_;
  sc_core::sc_event wake_{"wake"};
  MessageTable messages_;
  Agenda agenda_;
  ArrivingMessages arriving_;
  RouterPool routers_;
  NicPool nics_;
  Driver* driver_ = nullptr;
  ClockWatcher* watcher_ = nullptr;
  Cycle ask_at_ = kNever;
  Cycle limit_ = kNever;
  std::optional<ClockStop> stop_;
  std::exception_ptr failure_;
  bool started_ = false;
  Cycle last_delivery_ = 0;
  Cycle last_cycle_ = 0;
  std::uint64_t flits_sent_ = 0;
  std::uint64_t flits_delivered_ = 0;
  std::vector<Arrived> arrived_;
  std::vector<Delivery> deliveries_;
  std::optional<std::mt19937_64> shuffle_;
  std::vector<NodeId> shuffled_;
};

}  // namespace flitscope
