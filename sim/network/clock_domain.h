// The clock of a network: one process that steps the routers with work, cycle by cycle.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <systemc>
#include <unordered_map>
#include <vector>

#include "routers/engine/agenda.h"
#include "routers/engine/external_links.h"
#include "routers/engine/flit_observer.h"
#include "routers/engine/message_table.h"
#include "routers/engine/router_groups.h"
#include "routers/modules/clock_timing.h"
#include "routers/modules/link_interface.h"
#include "sim/network/transport.h"

namespace flitscope {

/// A module in place of a router and its network interface (Network::replace_router). It feeds its neighbours
/// as any external module does, and ends the messages of its node with ClockDomain::close_message.
class ExternalRouter {
 public:
  virtual ~ExternalRouter() = default;
  /// The receiver of flits from the neighbour's output port `port`.
  [[nodiscard]] virtual flit_if& in(unsigned port) = 0;
  /// Link port `port`; the network binds it before elaboration ends if it has a link.
  [[nodiscard]] virtual sc_core::sc_port_b<flit_if>& out(unsigned port) = 0;
  /// Sends a message of the node that is ready in the present cycle. Messages of one node are sent in the
  /// order of these calls.
  virtual void send(MessageSlot message, const Packet& packet) = 0;
  /// The network begins again, without messages.
  virtual void reset() {}
};

/// The reason for the end of a run.
enum class ClockStop : std::uint8_t {
  quiet,   ///< no more work
  limit,   ///< the cycle limit
  halted,  ///< by the watcher
  failed,  ///< the driver or the watcher threw an exception
};

/// Who begins the cycles of a clock.
enum class ClockTrigger : std::uint8_t {
  kernel,  ///< SystemC's, by time
  caller,  ///< ClockDomain::run_to(), without a simulation
};

/// Called from time to time while the clock runs.
class ClockWatcher {
 public:
  virtual ~ClockWatcher() = default;
  /// Called at the end of cycle `now`, one with work. Returns the cycle of the next call, or nothing to halt
  /// the clock.
  [[nodiscard]] virtual std::optional<Cycle> after_cycle(Cycle now) = 0;
  /// Called before, and in cycles that are run without any work, from the next one asked for on. Which these
  /// are depends on the skip mechanisms; flits that wait for a slow link are among them.
  virtual void look([[maybe_unused]] Cycle now) {}
};

/// Runs all parts with one clock: deliveries and the driver, then routers and network interfaces.
///
/// A SystemC module with one method process that is triggered at the next cycle with work; idle routers and
/// idle cycles cost nothing.
class ClockDomain final : public sc_core::sc_module, public Transport, public ModuleClock {
 public:
  SC_HAS_PROCESS(ClockDomain);

  ClockDomain(const sc_core::sc_module_name& name, const Topology& topology, const MachineConfig& machine,
              const ClockTiming& timing, ClockTrigger trigger = ClockTrigger::kernel);
  ~ClockDomain() override;

  /// Sets the driver and the last cycle. The embedding model starts the simulation. Exceptions of the driver
  /// are reported with type kDriverReport.
  void drive(Driver& driver, Cycle limit = kNever);
  /// For a clock that its caller triggers: runs the cycles with work up to `cycle`, the present one from now
  /// on. Rethrows exceptions of the driver and the watcher.
  void run_to(Cycle cycle);
  /// Likewise: the next cycle with work, kNever if there is none.
  [[nodiscard]] Cycle next_work() const { return planned_; }
  /// Sets a callback for the case that the clock stops before all work is done, also by an exception of the
  /// driver or the watcher (failure()), which is not reported then.
  void when_stopped(std::function<void()> stopped) { when_stopped_ = std::move(stopped); }
  /// Notified after the last cycle with work until the next send: all messages have arrived, or the rest
  /// waits for external modules or is deadlocked (see find_deadlock).
  [[nodiscard]] const sc_core::sc_event& quiet() const { return quiet_; }
  /// Restores the state before the first cycle, which begins with the next edge, at an edge in the next delta
  /// cycle; without observers, driver and watcher. External links are attached again.
  void reset();
  /// Ports of routers that lead to modules of the user, or are fed by them.
  [[nodiscard]] ExternalLinks& external_links() { return links_; }
  [[nodiscard]] const RouterNumbers& numbers() const { return links_.numbers(); }
  /// Gives the messages of `node` to `router`.
  void replace_router(NodeId node, ExternalRouter& router) { external_routers_[node] = &router; }

  void watch(ClockWatcher& watcher, Cycle first) {
    watcher_ = &watcher;
    ask_at_ = first;
  }
  /// Adds the observers that are set to those that watch the routers, one of each kind. Throws
  /// std::logic_error after the first message.
  void observe(const RouterObservers& observers);
  /// Sets a callback: before a cycle that is a multiple of `period` begins, core() has the stalls before that
  /// cycle. Of such cycles without work between two with work only the first and the last are called, since
  /// the same flits are stalled in all of them.
  void on_stalls_counted(Cycle period, std::function<void(Cycle)> call) {
    stall_period_ = period;
    stalls_counted_at_ = period;
    on_stalls_counted_ = std::move(call);
  }
  /// Sets a progress callback, called irregularly with the cycle and the flit-hops so far.
  void on_progress(std::function<void(Cycle, std::uint64_t)> call) { on_progress_ = std::move(call); }

  void send(const Packet& packet) override;
  [[nodiscard]] bool can_send(NodeId node, std::uint32_t message_class) const override;
  /// Messages that wait at a node for an injection channel.
  [[nodiscard]] std::uint32_t queued(NodeId node, std::uint32_t message_class) const;
  void take(std::uint64_t id) override;
  void wait_to_send(std::uint64_t id, std::optional<std::uint32_t> reply) override;
  /// The cycle that began last, 0 before the first one.
  [[nodiscard]] Cycle now() const override {
    if (running_) return last_cycle_;
    if (trigger_ == ClockTrigger::caller) return begun_ - std::min<Cycle>(begun_, 1);
    const std::uint64_t time = sc_core::sc_time_stamp().value();
    return time < origin_ ? 0 : (time - origin_) / period_.value();
  }
  void tick_at(Cycle cycle) override;
  [[nodiscard]] const sc_core::sc_time& period() const { return period_; }
  [[nodiscard]] sc_core::sc_time time_of(Cycle cycle) const {
    return sc_core::sc_time::from_value(origin_ + period_.value() * cycle);
  }
  [[nodiscard]] bool running() const { return running_; }

  /// Opens a record for a message that an external module sends flit by flit.
  [[nodiscard]] MessageSlot open_message(const Packet& packet);
  /// Ends a message at an external module on a link port: it counts as delivered in `cycle`, 1 to `link
  /// delay` cycles ahead. Throws std::logic_error for another cycle, for a slot without a message, and for a
  /// message that has ended already.
  void close_message(MessageSlot message, Cycle cycle);

  /// Records the cycle in which an external router injects the head of a message, or receives it.
  void note_head_entered(MessageSlot message, Cycle cycle) {
    engine_->messages[message].head_entered = cycle;
  }
  void note_head_arrived(MessageSlot message, Cycle cycle) {
    engine_->messages[message].head_arrived = cycle;
  }

  /// Sets whether repeated cycles are counted instead of run; results do not depend on it.
  void set_fast_forward(bool counts_repeats) { fast_forward_ = counts_repeats; }
  /// Sets the threads that step routers in cycles with enough work, at most as many as the network can use;
  /// results do not depend on it.
  void set_threads(unsigned threads);
  /// How many can do so.
  [[nodiscard]] unsigned threads() const { return used_threads_; }
  /// Sets the flit-hops of a cycle from which on the next one is divided among threads.
  void divide_from(std::uint64_t flit_hops);
  /// Cycles that were counted instead of run.
  [[nodiscard]] Cycle cycles_skipped() const { return engine_->groups ? engine_->groups->skipped() : 0; }

  // The state as of the present cycle; references are stale in the next cycle.
  [[nodiscard]] RouterGroups& core() {
    catch_up();
    groups().disturb(last_cycle_);  // the caller may change it
    return groups();
  }
  [[nodiscard]] const RouterGroups& core() const {
    catch_up();
    return const_cast<ClockDomain&>(*this).groups();
  }
  [[nodiscard]] const MessageTable& messages() const { return engine_->messages; }
  [[nodiscard]] std::uint64_t flit_hops() const { return core().flit_hops(); }
  [[nodiscard]] const Topology& topology() const { return topology_; }
  /// The reason why the clock was stopped; quiet if it only has no work.
  [[nodiscard]] ClockStop stop() const { return stop_.value_or(ClockStop::quiet); }
  [[nodiscard]] bool stopped() const { return stop_.has_value(); }
  /// The exception of the driver or a watcher that ended the run.
  [[nodiscard]] const std::exception_ptr& failure() const { return failure_; }
  [[nodiscard]] Cycle last_delivery() const { return last_delivery_; }
  /// The last cycle with work.
  [[nodiscard]] Cycle last_cycle() const { return last_busy_; }
  [[nodiscard]] std::uint64_t flits_sent() const { return flits_sent_; }
  [[nodiscard]] std::uint64_t flits_delivered() const { return flits_delivered_; }

 private:
  static constexpr unsigned kCyclesBetweenCalls = 16;

  /// A message whose tail has reached its destination.
  struct Arrived {
    std::uint64_t id;
    MessageSlot slot;
  };
  /// The state of a running network without the counters.
  struct Engine {
    Engine(const Topology& topology, const MachineConfig& machine);
    MessageTable messages;
    Agenda agenda;  ///< of groups
    ArrivingMessages arriving;
    std::unique_ptr<RouterGroups> groups;  ///< made at their first use
  };

  // ModuleClock.
  [[nodiscard]] RouterGroups& groups() override { return engine_->groups ? *engine_->groups : make_groups(); }
  void reset_groups(const char* error);
  void links_changed() override;
  RouterGroups& make_groups();
  /// Modules of the user feed routers.
  [[nodiscard]] bool has_modules() const { return !external_routers_.empty() || links_.has_senders(); }
  bool send_external(const Packet& packet);
  [[nodiscard]] std::uint64_t next_edge() const;
  [[nodiscard]] Cycle next_cycle() const;
  void wake_at(Cycle cycle);
  void tick();
  void run_cycle(Cycle now);
  [[nodiscard]] std::optional<ClockStop> run_present_cycle();
  void plan(Cycle now);
  [[nodiscard]] bool plan_to_skip(Cycle now, Cycle work, Cycle event);
  /// Brings the state up to date for a query between two cycles; no visible change.
  void catch_up() const {
    if (skipping_from_ && !running_) const_cast<ClockDomain&>(*this).catch_up_with_time();
  }
  void catch_up_with_time();
  void catch_up(Cycle cycle);
  void end(ClockStop reason);
  void report_failure() const;
  void sort_arrived();
  void deliver(Cycle now);
  void start_threads();
  void count_stalls(Cycle now);

  const Topology& topology_;
  MachineConfig machine_;
  sc_core::sc_time period_;
  std::uint64_t origin_;  ///< when cycle 0 begins, as a value of time
  ClockTrigger trigger_;
  Cycle begun_ = 0;         ///< cycles that the caller has begun
  Cycle planned_ = kNever;  ///< the next one with work, likewise
  sc_core::sc_event wake_{"wake"};
  sc_core::sc_event quiet_{"quiet"};
  ExternalLinks links_;
  RouterObservers observers_;
  std::optional<Engine> engine_;  ///< always set; rebuilt by a reset
  std::unordered_map<NodeId, ExternalRouter*> external_routers_;
  std::function<void()> when_stopped_;
  std::optional<sc_dt::uint64> reset_in_delta_;  ///< the delta cycle of the last reset, until the next tick
  bool running_ = false;
  Driver* driver_ = nullptr;
  ClockWatcher* watcher_ = nullptr;
  std::function<void(Cycle, std::uint64_t)> on_progress_;
  unsigned cycles_run_ = 0;  ///< since it was called
  Cycle ask_at_ = kNever;
  Cycle limit_ = kNever;
  std::optional<ClockStop> stop_;
  std::exception_ptr failure_;
  bool started_ = false;
  Cycle last_delivery_ = 0;
  Cycle last_cycle_ = 0;                ///< that was run
  Cycle last_busy_ = 0;                 ///< last cycle with work
  std::optional<Cycle> skipping_from_;  ///< first cycle neither run nor counted yet
  std::uint64_t flits_sent_ = 0;
  std::uint64_t flits_delivered_ = 0;
  unsigned threads_ = 1;
  unsigned used_threads_ = 1;
  std::optional<std::uint64_t> divide_from_;
  bool fast_forward_ = true;
  Cycle stall_period_ = kNever;       ///< of on_stalls_counted()
  Cycle stalls_counted_at_ = kNever;  ///< the next of its cycles
  std::function<void(Cycle)> on_stalls_counted_;
  std::vector<Arrived> arrived_;
  std::vector<Delivery> deliveries_;
};

}  // namespace flitscope
