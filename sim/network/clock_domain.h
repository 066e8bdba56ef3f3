// The clock of a network: one process that looks at the routers with work, cycle by cycle.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <systemc>
#include <unordered_map>
#include <vector>

#include "routers/engine/agenda.h"
#include "routers/engine/fast_forward.h"
#include "routers/engine/message_table.h"
#include "routers/engine/nic_pool.h"
#include "routers/engine/router_pool.h"
#include "routers/modules/clock_timing.h"
#include "routers/modules/link_interface.h"
#include "sim/network/rounds.h"
#include "sim/network/transport.h"

namespace flitscope {

/// What takes the place of a router and its network interface (Network::replace_router). It feeds its
/// neighbours as any module feeds a router, and ends the messages of its node with
/// ClockDomain::close_message.
class ExternalRouter {
 public:
  virtual ~ExternalRouter() = default;
  /// Receives what the neighbour sends by its output port `port`.
  [[nodiscard]] virtual flit_if& in(unsigned port) = 0;
  /// Link port `port`; the network binds it before elaboration ends, unless it leads nowhere.
  [[nodiscard]] virtual sc_core::sc_port_b<flit_if>& out(unsigned port) = 0;
  /// The driver sends this message from the node, in the present cycle: it is ready in it. Messages of one
  /// node are sent in the order of these calls.
  virtual void send(MessageSlot message, const Packet& packet) = 0;
};

class ParallelStepper;

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
              const ClockTiming& timing);
  ClockDomain(const ClockDomain&) = delete;
  ClockDomain& operator=(const ClockDomain&) = delete;
  ~ClockDomain() override;

  /// Who sends, and until when. Whoever owns the simulation starts it. What the driver throws is reported as
  /// an error of type kDriverReport.
  void drive(Driver& driver, Cycle limit = kNever);
  /// From now on `stopped` is called when the clock stops before there is nothing to do, also because the
  /// driver or the watcher threw (failure()), which is not reported then.
  void when_stopped(std::function<void()> stopped) { when_stopped_ = std::move(stopped); }
  /// Notified in the cycle after which nothing happens any more, until somebody sends: everything has
  /// arrived, or what is left waits for modules that are not ours, or is deadlocked (find_deadlock says
  /// which).
  [[nodiscard]] const sc_core::sc_event& quiet() const { return quiet_; }
  /// As it was before the first cycle, which is the next one to begin; without driver and watcher. Who wires
  /// routers must wire them again.
  void reset(const MachineConfig& machine);
  /// Messages that `node` is to send are given to `router`.
  void replace_router(NodeId node, ExternalRouter& router) { external_routers_[node] = &router; }

  void watch(ClockWatcher& watcher, Cycle first) {
    watcher_ = &watcher;
    ask_at_ = first;
  }
  /// `call` gets the cycle after some that have been run, not counted: often enough for a report now and
  /// then, and nothing may depend on when. And the flit-hops so far, but for a round under way that repeats
  /// an earlier one.
  void at_times(std::function<void(Cycle, std::uint64_t)> call) { at_times_ = std::move(call); }
  /// Looks at routers in a random order; results must not depend on it.
  void shuffle(std::uint64_t seed) { shuffle_.emplace(seed); }

  void send(const Packet& packet) override;
  /// The cycle that has begun last, 0 before the first one.
  [[nodiscard]] Cycle now() const override {
    if (running_) return last_cycle_;
    const std::uint64_t time = sc_core::sc_time_stamp().value();
    return time < origin_ ? 0 : (time - origin_) / period_.value();
  }
  void tick_at(Cycle cycle) override;
  /// Length of a cycle.
  [[nodiscard]] const sc_core::sc_time& period() const { return period_; }
  /// When `cycle` begins.
  [[nodiscard]] sc_core::sc_time time_of(Cycle cycle) const {
    return sc_core::sc_time::from_value(origin_ + period_.value() * cycle);
  }
  /// The cycle is being run: the driver is asked or routers move.
  [[nodiscard]] bool running() const { return running_; }

  /// A message that an external module sends flit by flit: gives it a slot.
  [[nodiscard]] MessageSlot open_message(const Packet& packet);
  /// A message that an external module on a link port keeps to itself counts as delivered in `cycle`, 1 to
  /// `link delay` cycles ahead.
  void close_message(MessageSlot message, Cycle cycle) {
    engine_->arriving.add(message, cycle, now());
    tick_at(cycle);
  }

  /// The head of a message is put by the module that has the place of its router, or arrives there in
  /// `cycle`.
  void note_head_entered(MessageSlot message, Cycle cycle) {
    engine_->messages[message].head_entered = cycle;
  }
  void note_head_arrived(MessageSlot message, Cycle cycle) {
    engine_->messages[message].head_arrived = cycle;
  }

  /// Cycles that repeat those before them are counted and not run; results do not depend on it.
  void set_fast_forward(FastForwardMode mode);
  /// So many threads step the routers in cycles with enough to do, as far as the network can keep them busy;
  /// results do not depend on it. From 2 on nobody stands (class Standing).
  void set_threads(unsigned threads);
  [[nodiscard]] unsigned threads() const { return threads_; }
  /// Cycles are divided after one of at least so many flit-hops.
  void divide_from(std::uint64_t flit_hops) { divide_from_ = flit_hops; }
  /// Cycles that were counted and not run.
  [[nodiscard]] Cycle cycles_skipped() const {
    return engine_->forward.skipped() + engine_->rounds.skipped();
  }
  /// Flits that left routers which were not run, but known to go on as before (class Standing); as of the
  /// last time when they were run or looked at.
  [[nodiscard]] std::uint64_t flits_standing() const { return engine_->routers.standing().counted(); }

  // The state as of the present cycle. Ask again at another time: cycles may have been counted only.
  [[nodiscard]] RouterPool& routers() {
    catch_up();
    end_standing();
    // They may be changed.
    engine_->forward.disturb(last_cycle_);
    engine_->rounds.disturb();
    return engine_->routers;
  }
  [[nodiscard]] const RouterPool& routers() const {
    catch_up();
    const_cast<ClockDomain&>(*this).end_standing();
    return engine_->routers;
  }
  [[nodiscard]] const MessageTable& messages() const {
    catch_up();
    return engine_->messages;
  }
  /// Flit-hops so far.
  [[nodiscard]] std::uint64_t flit_hops() const {
    catch_up();
    return flit_hops_up_to(past());
  }
  [[nodiscard]] const Topology& topology() const { return topology_; }
  /// Why the clock was stopped; quiet if it was not, and simply has nothing to do.
  [[nodiscard]] ClockStop stop() const { return stop_.value_or(ClockStop::quiet); }
  [[nodiscard]] bool stopped() const { return stop_.has_value(); }
  /// What the driver or a watcher threw, if that ended the run.
  [[nodiscard]] const std::exception_ptr& failure() const { return failure_; }
  /// Cycle of the last delivery.
  [[nodiscard]] Cycle last_delivery() const { return last_delivery_; }
  /// The last cycle in which anybody had something to do.
  [[nodiscard]] Cycle last_cycle() const { return last_busy_; }
  [[nodiscard]] std::uint64_t flits_sent() const { return flits_sent_; }
  [[nodiscard]] std::uint64_t flits_delivered() const { return flits_delivered_; }

 private:
  /// Cycles that are run between two calls of at_times().
  static constexpr unsigned kBetweenCalls = 16;

  /// A message whose tail has reached its destination.
  struct Arrived {
    std::uint64_t id;
    MessageSlot slot;
  };
  /// All that changes while a network runs, but for the counters.
  struct Engine {
    Engine(const Topology& topology, const MachineConfig& machine, Clock& clock);
    ~Engine();
    MessageTable messages;
    Agenda agenda;
    ArrivingMessages arriving;
    RouterPool routers;
    NicPool nics;
    FastForward forward;
    Rounds rounds;
    std::unique_ptr<ParallelStepper> divided;  ///< from the first cycle on, if there are several threads
  };

  bool send_external(const Packet& packet);
  void send_now(const Packet& packet);
  [[nodiscard]] bool collects(const Packet& packet);
  void begin_round(Cycle now);
  void simulate_round();
  void settle_rounds();
  [[nodiscard]] std::uint64_t next_edge() const;
  void tick();
  void run_cycle(Cycle now);
  void plan(Cycle now);
  [[nodiscard]] bool plan_to_skip(Cycle now, Cycle work, Cycle event);
  /// For those who look between two cycles of the clock: nothing changes that they could see.
  void catch_up() const {
    if (skipping_from_ && !running_) const_cast<ClockDomain&>(*this).catch_up_with_time();
    const Rounds& rounds = engine_->rounds;
    if (rounds.repeating() || rounds.collecting() || rounds.unsettled()) {
      const_cast<ClockDomain&>(*this).settle_rounds();
    }
  }
  void catch_up_with_time();
  void catch_up(Cycle cycle);
  /// The last cycle in which all has been done that is to be done, as far as anybody can see.
  [[nodiscard]] Cycle past() const;
  void end_standing();
  void end(ClockStop reason);
  void report_failure() const;
  void deliver(Cycle now);
  void take_arrived(Cycle now);
  void step_routers(Cycle now);
  [[nodiscard]] std::uint64_t flit_hops_up_to(Cycle cycle) const {
    const RouterPool& routers = engine_->routers;
    return routers.flit_hops() + routers.standing().flit_hops(cycle) + engine_->rounds.flit_hops();
  }
  void step_shuffled(Cycle now);
  void step_with_threads(Cycle now);
  void enable_streams();

  const Topology& topology_;
  sc_core::sc_time period_;
  std::uint64_t origin_;  ///< when cycle 0 begins, as a value of time
  sc_core::sc_event wake_{"wake"};
  sc_core::sc_event quiet_{"quiet"};
  std::optional<Engine> engine_;  ///< always there; made anew by a reset, at the same place
  std::unordered_map<NodeId, ExternalRouter*> external_routers_;
  std::function<void()> when_stopped_;
  bool running_ = false;
  bool moved_ = false;  ///< in the cycle that is run the routers have been stepped
  Driver* driver_ = nullptr;
  ClockWatcher* watcher_ = nullptr;
  std::function<void(Cycle, std::uint64_t)> at_times_;
  unsigned cycles_run_ = 0;  ///< since it was called
  Cycle ask_at_ = kNever;
  Cycle limit_ = kNever;
  std::optional<ClockStop> stop_;
  std::exception_ptr failure_;
  bool started_ = false;
  Cycle last_delivery_ = 0;
  Cycle last_cycle_ = 0;                ///< that was run
  Cycle last_busy_ = 0;                 ///< in which anybody had something to do
  std::optional<Cycle> skipping_from_;  ///< cycles from this one on have not been run, nor counted yet
  std::uint64_t flits_sent_ = 0;
  std::uint64_t flits_delivered_ = 0;
  unsigned threads_ = 1;
  std::optional<std::uint64_t> divide_from_;
  bool may_stand_ = true;
  std::vector<Arrived> arrived_;
  std::vector<Delivery> deliveries_;
  std::optional<std::mt19937_64> shuffle_;
  std::vector<NodeId> shuffled_;
};

}  // namespace flitscope
