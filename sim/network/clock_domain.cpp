#include "sim/network/clock_domain.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "model/error.h"
#include "routers/engine/horizon.h"
#include "routers/engine/parallel_stepper.h"
#include "routers/engine/router_groups.h"
#include "routers/modules/report.h"

namespace flitscope {
namespace {

NewMessage new_message(const Packet& packet, Cycle ready) {
  return {.id = packet.id,
          .ready = ready,
          .destination = packet.destination,
          .flits = packet.flits & kMaxFlits,
          .message_class = packet.message_class & (kMaxMessageClasses - 1),
          .step = packet.step,
          .route = packet.route};
}

}  // namespace

/// Routers that are stepped together.
struct ClockDomain::TogetherCore {
  TogetherCore(const Topology& topology, const MachineConfig& machine, MessageTable& messages,
               const RouterObservers& observers)
      : agenda((topology.routers() + RouterGroups::kRouters - 1) / RouterGroups::kRouters,
               horizon_of(machine)),
        arriving(messages, agenda),
        groups(RouterGroups::make(topology, machine, messages, agenda, arriving, observers)) {}

  Agenda agenda;
  ArrivingMessages arriving;
  std::unique_ptr<RouterGroups> groups;
};

ClockDomain::SingleCore::SingleCore(const Topology& topology, const MachineConfig& machine,
                                    MessageTable& messages, Clock& clock)
    : agenda(topology.routers(), horizon_of(machine)),
      arriving(messages, agenda),
      routers(topology, machine, messages, agenda, arriving, clock),
      nics(machine, messages, agenda, routers),
      forward(agenda, messages, routers, nics, horizon_of(machine)),
      rounds(routers, longest_wait_of(machine)) {}

ClockDomain::SingleCore::~SingleCore() = default;

ClockDomain::SingleCore& ClockDomain::make_single() {
  engine_->single.emplace(topology_, machine_, engine_->messages, *this);
  apply_options();
  return *engine_->single;
}

Agenda& ClockDomain::agenda() {
  return engine_->together ? engine_->together->agenda : single().agenda;
}

Cycle ClockDomain::skipped_together() const {
  return engine_->together->groups->skipped();
}

bool ClockDomain::step_together(const RouterObservers& observers) {
  if (threads_ != 1 || shuffle_ || has_modules()) return false;
  engine_->together = std::make_unique<TogetherCore>(topology_, machine_, engine_->messages, observers);
  return true;
}

void ClockDomain::require_modules() const {
  if (!RouterGroups::is_needed(machine_)) return;
  reporting(kBindingReport, [] {
    throw std::logic_error(
        "networks with message classes or limited network interfaces take no other modules");
  });
}

RouterCore& ClockDomain::core() {
  if (engine_->together) {
    catch_up();
    engine_->together->groups->disturb(last_cycle_);  // the caller may change it
    return *engine_->together->groups;
  }
  return routers();
}

const RouterCore& ClockDomain::core() const {
  if (engine_->together) {
    catch_up();
    return *engine_->together->groups;
  }
  return routers();
}

std::uint64_t ClockDomain::flit_hops_up_to(Cycle cycle) const {
  if (engine_->together) return engine_->together->groups->flit_hops();
  if (!engine_->single) return 0;
  const RouterPool& routers = engine_->single->routers;
  return routers.flit_hops() + routers.standing().flit_hops(cycle) + engine_->single->rounds.flit_hops();
}

ClockDomain::~ClockDomain() = default;

ClockDomain::ClockDomain(const sc_core::sc_module_name&, const Topology& topology,
                         const MachineConfig& machine, const ClockTiming& timing, ClockTrigger trigger)
    : topology_(topology),
      machine_(machine),
      period_(timing.period),
      origin_(timing.first.value()),
      trigger_(trigger) {
  make_engine();
  if (trigger_ == ClockTrigger::caller) return;
  SC_METHOD(tick);
  sensitive << wake_;
  dont_initialize();
}

void ClockDomain::make_engine() {
  const auto reads_queues_of_others = [&] {
    return !RoutingRegistry::find(machine_.routing)->make(topology_)->watched_links().empty();
  };
  together_only_ = machine_.has_parts() || RouterGroups::is_needed(machine_) || reads_queues_of_others();
  const bool single = engine_ && engine_->single;
  engine_.emplace();
  if (single) make_single();
  if (steps_together_only()) step_together();
  class_tallies_.assign(machine_.classes.size(), {});
}

void ClockDomain::drive(Driver& driver, Cycle limit) {
  if (has_modules() && steps_together_only()) {
    throw Inadmissible("router",
                       "a router of these parts, or that reads queues of others, cannot be stepped together "
                       "with modules of the user");
  }
  driver_ = &driver;
  limit_ = limit;
  stop_.reset();
  if (trigger_ == ClockTrigger::kernel) wake_at(next_cycle());  // a caller's driver wakes it by tick_at()
}

void ClockDomain::run_to(Cycle cycle) {
  while (planned_ <= cycle) {
    begun_ = std::exchange(planned_, kNever) + 1;
    tick();
    if (failure_) std::rethrow_exception(failure_);
  }
  begun_ = cycle + 1;
}

/// The next cycle, which begins now or later.
Cycle ClockDomain::next_cycle() const {
  return trigger_ == ClockTrigger::caller ? begun_ : (next_edge() - origin_) / period_.value();
}

void ClockDomain::wake_at(Cycle cycle) {
  if (trigger_ == ClockTrigger::caller) {
    planned_ = std::min(planned_, cycle);
  } else {
    wake_.notify(time_of(cycle) - sc_core::sc_time_stamp());
  }
}

/// Time of the next clock edge; the present time if a cycle begins now.
std::uint64_t ClockDomain::next_edge() const {
  const std::uint64_t time = sc_core::sc_time_stamp().value();
  if (time <= origin_) return origin_;
  const std::uint64_t period = period_.value();
  return origin_ + (time - origin_ + period - 1) / period * period;
}

void ClockDomain::reset(const MachineConfig& machine) {
  if (running_) throw std::logic_error("a network cannot be reset while it runs a cycle");
  origin_ = next_edge();
  wake_.cancel();
  quiet_.cancel();
  machine_ = machine;
  make_engine();
  driver_ = nullptr;
  watcher_ = nullptr;
  on_progress_ = nullptr;
  ask_at_ = kNever;
  limit_ = kNever;
  stop_.reset();
  failure_ = nullptr;
  started_ = false;
  last_delivery_ = 0;
  last_cycle_ = 0;
  last_busy_ = 0;
  skipping_from_.reset();
  flits_sent_ = 0;
  flits_delivered_ = 0;
}

MessageSlot ClockDomain::open_message(const Packet& packet) {
  flits_sent_ += packet.flits;
  return single().nics.open(packet.source, new_message(packet, now()));
}

/// Sends by the external router in place of the source's, if there is one. Returns whether it did.
[[gnu::noinline]] bool ClockDomain::send_external(const Packet& packet) {
  if (const auto found = external_routers_.find(packet.source); found != external_routers_.end()) {
    flits_sent_ += packet.flits;
    found->second->send(single().nics.open(packet.source, new_message(packet, last_cycle_)), packet);
    return true;
  }
  const RouterPool& routers = single().routers;
  for (unsigned port = routers.link_ports(); port < routers.ports(); ++port) {
    if (!routers.has_external_sender(packet.source, port)) continue;
    reporting(kBindingReport, [&] {
      throw std::logic_error("node " + topology_.node_name(packet.source) +
                             " cannot send: another module feeds its injection channels");
    });
  }
  return false;
}

void ClockDomain::send(const Packet& packet) {
  if (has_modules() && send_external(packet)) return;
  flits_sent_ += packet.flits;
  if (engine_->together)
    return engine_->together->groups->send(packet.source, new_message(packet, last_cycle_));
  if (single().rounds.phase() != Rounds::Phase::busy && collects(packet)) return;
  send_now(packet);
}

bool ClockDomain::can_send(NodeId node, std::uint32_t message_class) const {
  return !machine_.injection_queue || queued(node, message_class) < *machine_.injection_queue;
}

std::uint32_t ClockDomain::queued(NodeId node, std::uint32_t message_class) const {
  return engine_->together->groups->queued(node, message_class);
}

void ClockDomain::take(std::uint64_t id) {
  if (machine_.ejection_buffer) engine_->together->groups->ejection_buffers()->take(id);
}

void ClockDomain::wait_to_send(NodeId node, std::uint32_t message_class, std::optional<std::uint32_t> reply) {
  if (!machine_.ejection_buffer) return;
  engine_->together->groups->ejection_buffers()->wait_to_send(node, message_class, reply);
}

void ClockDomain::send_now(const Packet& packet) {
  SingleCore& core = single();
  core.forward.disturb(last_cycle_);
  core.nics.send(packet.source, new_message(packet, last_cycle_));
}

/// Returns whether the message is collected, to be sent when all of its round are known.
[[gnu::noinline]] bool ClockDomain::collects(const Packet& packet) {
  Rounds& rounds = single().rounds;
  if (rounds.repeating()) simulate_round();
  if (rounds.phase() == Rounds::Phase::resting && running_ && !moved_) {
    rounds.collect(packet);
    return true;
  }
  rounds.interrupt();
  return false;
}

/// Begins a round with the messages that the driver sent in cycle `now` to an idle network.
void ClockDomain::begin_round(Cycle now) {
  SingleCore& core = single();
  core.agenda.forget_mark(now);
  core.forward.disturb(now);
  const Cycle until = std::min(ask_at_, limit_ == kNever ? kNever : limit_ + 1);
  if (core.rounds.begin(now, until, !core.agenda.is_empty(now))) return;
  for (const Packet& packet : core.rounds.messages()) send_now(packet);
}

/// Simulates a replayed round up to the present, because of a query or a message within it.
void ClockDomain::simulate_round() {
  SingleCore& core = single();
  const Cycle last_cycle = last_cycle_;
  const bool before_moves = running_ && !moved_;
  const Cycle present = before_moves ? last_cycle : past() + 1;
  core.rounds.give_up();
  const auto begin_cycle = [&](Cycle cycle) {
    last_cycle_ = cycle;
    core.agenda.advance(cycle);
    core.routers.begin_cycle(cycle);
    // Arrivals were delivered by the replay.
    core.arriving.take(cycle, [&](MessageSlot slot) { engine_->messages.close(slot); });
  };
  for (Cycle cycle = core.rounds.began(); cycle < present; cycle = core.agenda.next(cycle)) {
    begin_cycle(cycle);
    if (cycle == core.rounds.began()) {
      for (const Packet& packet : core.rounds.messages()) send_now(packet);
    }
    step_routers(cycle);
  }
  if (before_moves) return begin_cycle(last_cycle);
  last_cycle_ = std::max(last_cycle_, last_cycle);
  last_busy_ = last_cycle_;
  if (running_) return;
  if (const Cycle next = core.agenda.next(present - 1); next != kNever) tick_at(next);
}

void ClockDomain::settle_rounds() {
  Rounds& rounds = single().rounds;
  if (rounds.repeating()) simulate_round();
  if (rounds.collecting()) {
    rounds.interrupt();
    for (const Packet& packet : rounds.messages()) send_now(packet);
  }
  rounds.settle();
}

void ClockDomain::tick_at(Cycle cycle) {
  if (running_) return;  // in the agenda, which is read at the end of the cycle
  wake_at(cycle);        // other modules may call at any time between two cycles
}

void ClockDomain::end(ClockStop reason) {
  stop_ = reason;
  end_standing();  // time may go on
  if (trigger_ == ClockTrigger::caller) return;
  if (when_stopped_) return when_stopped_();
  if (failure_) report_failure();
}

/// Reports the failure to the embedding simulation; by default SystemC ends it.
void ClockDomain::report_failure() const {
  try {
    std::rethrow_exception(failure_);
  } catch (const sc_core::sc_report&) {
    throw;
  } catch (const std::exception& error) {
    SC_REPORT_ERROR(kDriverReport, error.what());
  }
}

void ClockDomain::tick() {
  if (stop_) return;
  const Cycle cycle = now();
  if (skipping_from_) catch_up(cycle);
  if (cycle > limit_) return end(ClockStop::limit);
  std::optional<Cycle> ask_again = ask_at_;
  last_cycle_ = cycle;
  running_ = true;
  try {
    run_cycle(cycle);
    // Which cycles are run without any work depends on the skip mechanisms; a watcher sees none of these.
    if (cycle >= ask_at_ && last_busy_ == cycle) ask_again = watcher_->after_cycle(cycle);
    if (on_progress_ && ++cycles_run_ == kCyclesBetweenCalls) {
      cycles_run_ = 0;
      on_progress_(cycle, flit_hops_up_to(cycle));
    }
  } catch (...) {  // SystemC would lose the type of the exception
    failure_ = std::current_exception();
  }
  running_ = false;
  if (failure_) return end(ClockStop::failed);
  if (!ask_again) return end(ClockStop::halted);
  ask_at_ = *ask_again;

  plan(cycle);
}

/// Schedules the next cycle after `now`.
void ClockDomain::plan(Cycle now) {
  if (engine_->together) {
    const Cycle called = driver_ == nullptr ? kNever : std::max(driver_->next_event(), now + 1);
    const Cycle work = engine_->together->agenda.next(now);
    if (fast_forward_ != FastForwardMode::off && work != kNever && plan_to_skip(now, work, called)) return;
    const Cycle next = std::min(work, called);
    if (trigger_ == ClockTrigger::kernel && next == now + 1) return wake_.notify(period_);
    if (next != kNever) return tick_at(next <= limit_ ? next : limit_ + 1);
    if (trigger_ == ClockTrigger::kernel) quiet_.notify(sc_core::SC_ZERO_TIME);
    return;
  }
  const SingleCore& core = single();
  Cycle work = core.agenda.next(now);
  // Every cycle with a standing VC has work.
  if (core.routers.standing().any_standing()) work = std::min(work, std::max(ask_at_, now + 1));
  const Cycle called = driver_ == nullptr ? kNever : std::max(driver_->next_event(), now + 1);
  const Cycle event = std::min(called, core.rounds.next_delivery());
  if (work != kNever && plan_to_skip(now, work, event)) return;
  const Cycle next = std::min(work, event);
  if (next == now + 1) {
    wake_.notify(period_);
  } else if (next != kNever) {
    tick_at(next <= limit_ ? next : limit_ + 1);  // a driver may plan beyond what time can count
  } else {
    quiet_.notify(sc_core::SC_ZERO_TIME);
  }
}

/// Schedules a skip of cycles if possible, with the next work in cycle `work` and the next event of the
/// driver in `event`. Returns whether it did.
bool ClockDomain::plan_to_skip(Cycle now, Cycle work, Cycle event) {
  const Cycle end = std::min(event, limit_ == kNever ? kNever : limit_ + 1);
  const Cycle until = std::min(end, ask_at_);
  const auto plan = [&](auto& forward, bool any_standing) {
    for (Cycle over = now; over < std::min(work, until); ++over) {
      const Cycle skipped = forward.after_cycle(over, until);
      if (skipped != 0) {
        skipping_from_ = over + 1;
        // Every cycle with a standing VC has work, so the watcher must be called in time.
        tick_at(std::min(work + skipped, any_standing ? until : end));
        return true;
      }
      if (!forward.busy()) return false;
    }
    return false;
  };
  if (engine_->together) return plan(*engine_->together->groups, false);
  return plan(single().forward, single().routers.standing().any_standing());
}

/// Counts or runs the skipped cycles before `cycle`.
void ClockDomain::catch_up(Cycle cycle) {
  Cycle at = *std::exchange(skipping_from_, std::nullopt);
  if (cycle <= at) return;
  at += engine_->together ? engine_->together->groups->advance(cycle - at)
                          : single().forward.advance(cycle - at);
  last_cycle_ = at - 1;
  last_busy_ = last_cycle_;
  at = agenda().next(last_cycle_);
  if (at >= cycle) return;
  running_ = true;
  for (; at < cycle; at = agenda().next(at)) {
    last_cycle_ = at;
    run_cycle(at);
  }
  running_ = false;
  if (engine_->single) engine_->single->forward.disturb(last_cycle_);
}

/// Counts or runs the skipped cycles up to the present one, which has not been run yet.
void ClockDomain::catch_up_with_time() {
  const Cycle next = std::max<Cycle>(*skipping_from_, next_cycle());
  catch_up(next);
  tick_at(next);
}

void ClockDomain::set_fast_forward(FastForwardMode mode) {
  fast_forward_ = mode;
  if (engine_->single) apply_options();
}

void ClockDomain::set_threads(unsigned threads) {
  threads_ = steps_together_only() ? 1 : ParallelStepper::threads_for(topology_.routers(), threads);
  if (engine_->single) apply_options();
}

/// Threads and skip mechanisms of routers that are stepped one by one.
void ClockDomain::apply_options() {
  SingleCore& core = single();
  core.divided.reset();
  core.forward.set_mode(fast_forward_);
  const bool skips = fast_forward_ != FastForwardMode::off;
  routers().standing().allow(skips && threads_ == 1);
  core.rounds.allow(skips);
}

void ClockDomain::run_cycle(Cycle now) {
  moved_ = false;
  agenda().advance(now);
  if (engine_->together) {
    engine_->together->groups->begin_cycle(now);
  } else {
    single().routers.begin_cycle(now);
  }
  if (!started_ && driver_ != nullptr) {
    started_ = true;
    driver_->start(*this);
  }
  deliver(now);
  if (machine_.injection_queue && driver_ != nullptr) {
    const std::vector<NodeId> nodes = engine_->together->groups->take_relieved();
    if (!nodes.empty()) driver_->can_send_again(*this, nodes, now);
  }
  const bool called = driver_ != nullptr && driver_->next_event() <= now;
  if (called) driver_->at(*this, now);
  if (engine_->together) {
    const bool works = engine_->together->groups->step();
    if (called || last_delivery_ == now || works) last_busy_ = now;
    moved_ = true;
    return;
  }
  Rounds& rounds = single().rounds;
  if (rounds.collecting()) begin_round(now);
  if (called || last_delivery_ == now || single().routers.any_active()) last_busy_ = now;
  if (!rounds.repeating()) {
    rounds.step(now);
    step_routers(now);
  }
  moved_ = true;
}

Cycle ClockDomain::past() const {
  if (running_) return moved_ ? last_cycle_ : last_cycle_ - 1;
  if (stopped()) return stop_ == ClockStop::limit ? limit_ : last_cycle_;
  const Cycle next = next_cycle();
  return std::max(last_cycle_, next - std::min<Cycle>(next, 1));
}

/// Brings standing VCs up to date, as if they had been run.
void ClockDomain::end_standing() {
  if (!engine_->single) return;
  SingleCore& core = *engine_->single;
  Standing& standing = core.routers.standing();
  if (!standing.any_standing()) return;
  const Cycle next = past() + 1;
  standing.end(next, core.nics);
  core.forward.disturb(last_cycle_);
  tick_at(next);
}

void ClockDomain::deliver(Cycle now) {
  deliveries_.clear();
  Rounds* const rounds = engine_->together ? nullptr : &single().rounds;
  if (rounds != nullptr && rounds->repeating()) {
    flits_delivered_ += rounds->take(now, deliveries_);
    // Fast path: replayed deliveries are mostly in this order.
    if (!std::ranges::is_sorted(deliveries_, {}, &Delivery::id)) {
      std::ranges::sort(deliveries_, {}, &Delivery::id);
    }
  } else {
    take_arrived(now);
    if (rounds != nullptr && !deliveries_.empty()) {
      if (rounds->phase() == Rounds::Phase::noting) rounds->note(deliveries_);
      if (engine_->messages.open_messages() == 0) rounds->rest();
    }
  }
  if (deliveries_.empty()) return;
  if (rounds != nullptr) single().forward.disturb(now);
  last_delivery_ = now;
  if (driver_ != nullptr) driver_->delivered(*this, deliveries_, now);
}

void ClockDomain::take_arrived(Cycle now) {
  MessageTable& messages = engine_->messages;
  arrived_.clear();
  ArrivingMessages& arriving = engine_->together ? engine_->together->arriving : single().arriving;
  arriving.take(now, [&](MessageSlot slot) { arrived_.push_back({messages[slot].id, slot}); });
  std::ranges::sort(arrived_, {}, &Arrived::id);
  for (const auto& [id, slot] : arrived_) {
    const MessageRecord& message = messages[slot];
    deliveries_.push_back({id, message.ready, message.head_entered, message.head_arrived, now,
                           message.head_stalls, message.link_excess});
    flits_delivered_ += message.flits;
    if (!class_tallies_.empty()) {
      ClassTally& tally = class_tallies_[message.message_class];
      ++tally.messages;
      tally.flits += message.flits;
      tally.latencies += now - message.ready;
      tally.longest = std::max(tally.longest, now - message.ready);
    }
    messages.close(slot);
  }
  if (machine_.ejection_buffer) {
    EjectionBuffers& buffers = *engine_->together->groups->ejection_buffers();
    const bool holds = driver_ != nullptr && driver_->holds_deliveries();
    for (const auto& [id, slot] : arrived_) {
      buffers.deliver(id);
      if (!holds) buffers.take(id);
    }
  }
}

void ClockDomain::step_routers(Cycle now) {
  if (shuffle_) {
    step_shuffled(now);
  } else if (threads_ > 1) {
    step_with_threads(now);
  } else {
    single().routers.step_awake(single().nics);
  }
  single().nics.open_next();
}

void ClockDomain::step_shuffled(Cycle now) {
  shuffled_.clear();
  SingleCore& core = single();
  core.agenda.visit(now, [&](NodeId node) { shuffled_.push_back(node); });
  std::ranges::shuffle(shuffled_, *shuffle_);
  for (const NodeId node : shuffled_) core.routers.step(node, core.nics);
}

void ClockDomain::step_with_threads(Cycle now) {
  SingleCore& core = single();
  if (core.divided == nullptr) {
    core.divided =
        std::make_unique<ParallelStepper>(threads_, core.routers, core.nics, core.agenda, engine_->messages);
    if (divide_from_) core.divided->divide_from(*divide_from_);
  }
  if (core.divided->is_worthwhile()) return core.divided->step(now);
  core.routers.step_awake(core.nics);
}

}  // namespace flitscope
