#include "sim/network/clock_domain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "model/error.h"
#include "routers/engine/agenda.h"
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

[[gnu::noinline, noreturn]] void refuse(const Packet& packet) {
  throw std::logic_error(fmt::format(
      "message {} of {} flits and class {} from node {} to node {} is impossible: a node or the class does "
      "not exist, or there are not 1 to {} flits",
      packet.id, packet.flits, packet.message_class, packet.source, packet.destination, kMaxFlits));
}

}  // namespace

ClockDomain::Engine::Engine(const Topology& topology, const MachineConfig& machine)
    : agenda(RouterGroups::groups_of(topology) + 1, horizon_of(machine)),  // the last one: deliveries
      arriving(messages, agenda, RouterGroups::groups_of(topology)) {}

RouterGroups& ClockDomain::make_groups() {
  engine_->groups = RouterGroups::make(topology_, machine_, engine_->messages, engine_->agenda,
                                       engine_->arriving, observers_, links_.empty() ? nullptr : &links_);
  start_threads();
  return *engine_->groups;
}

/// The routers are made anew, with other modules or observers.
void ClockDomain::reset_groups(const char* error) {
  if (running_ || flits_sent_ != 0) throw std::logic_error(error);
  engine_->groups.reset();
}

void ClockDomain::links_changed() {
  reset_groups("the first module must be attached to routers before the first message");
}

void ClockDomain::observe(const RouterObservers& observers) {
  reset_groups("observers of routers must be added before the first message");
  if (observers.stalls != nullptr) observers_.stalls = observers.stalls;
  if (observers.flits != nullptr) {
    if (observers_.flits != nullptr)
      throw std::logic_error("a network has one observer of flits: a PortTrace takes the nodes of all");
    observers_.flits = observers.flits;
    observers_.flits_at = observers.flits_at;
  }
}

ClockDomain::~ClockDomain() = default;

ClockDomain::ClockDomain(const sc_core::sc_module_name&, const Topology& topology,
                         const MachineConfig& machine, const ClockTiming& timing, ClockTrigger trigger)
    : topology_(topology),
      machine_(machine),
      period_(timing.period),
      origin_(timing.first.value()),
      trigger_(trigger),
      links_(topology_, machine_, *this),
      engine_(std::in_place, topology_, machine_) {
  if (trigger_ == ClockTrigger::caller) return;
  SC_METHOD(tick);
  sensitive << wake_;
  dont_initialize();
}

void ClockDomain::drive(Driver& driver, Cycle limit) {
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

void ClockDomain::reset() {
  if (running_) throw std::logic_error("a network cannot be reset while it runs a cycle");
  origin_ = next_edge();
  wake_.cancel();
  if (trigger_ == ClockTrigger::kernel && sc_core::sc_get_status() == sc_core::SC_RUNNING)
    reset_in_delta_ = sc_core::sc_delta_count();
  quiet_.cancel();
  engine_.emplace(topology_, machine_);
  observers_ = {};
  on_stalls_counted(kNever, {});
  links_.reset();
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
  return groups().open(packet.source, new_message(packet, now()));
}

/// Sends by the external router in place of the source's, if there is one. Returns whether it did.
[[gnu::noinline]] bool ClockDomain::send_external(const Packet& packet) {
  if (const auto found = external_routers_.find(packet.source); found != external_routers_.end()) {
    flits_sent_ += packet.flits;
    found->second->send(groups().open(packet.source, new_message(packet, last_cycle_)), packet);
    return true;
  }
  for (unsigned port = numbers().link_ports(); port < numbers().ports(); ++port) {
    if (links_.sender(packet.source, port) == nullptr) continue;
    report_error(kBindingReport, "node {} cannot send: another module feeds its injection channels",
                 topology_.node_name(packet.source));
  }
  return false;
}

void ClockDomain::close_message(MessageSlot message, Cycle cycle) {
  const MessageTable& messages = engine_->messages;
  if (!messages.is_open(message)) {
    throw std::logic_error(fmt::format(
        "message slot {} has no message to end: it has ended already, or was never opened", message));
  }
  if (engine_->arriving.contains(message)) {
    throw std::logic_error(
        fmt::format("message {} of slot {} is ended twice", messages[message].id, message));
  }
  if (cycle <= now() || cycle - now() > machine_.longest_link().delay) {
    throw std::logic_error(
        fmt::format("message slot {} cannot end in cycle {}, {} cycles after the present one", message, cycle,
                    static_cast<std::int64_t>(cycle - now())));
  }
  engine_->arriving.add(message, cycle, now());
  tick_at(cycle);
}

void ClockDomain::send(const Packet& packet) {
  if (std::max(packet.source, packet.destination) >= topology_.nodes() || packet.flits - 1 >= kMaxFlits ||
      packet.message_class >= machine_.message_classes())
    refuse(packet);
  if (has_modules() && send_external(packet)) return;
  flits_sent_ += packet.flits;
  if (machine_.requests) {
    groups().requests()->send(packet.source, packet.id, packet.is_answered, packet.answers);
  }
  groups().send(packet.source, new_message(packet, last_cycle_));
}

bool ClockDomain::can_send(NodeId node, std::uint32_t message_class) const {
  return !machine_.injection_queue || queued(node, message_class) < *machine_.injection_queue;
}

std::uint32_t ClockDomain::queued(NodeId node, std::uint32_t message_class) const {
  return const_cast<ClockDomain&>(*this).groups().queued(node, message_class);
}

void ClockDomain::take(std::uint64_t id) {
  if (machine_.ejection_buffer) groups().ejection_buffers()->take(id);
}

void ClockDomain::wait_to_send(std::uint64_t id, std::optional<std::uint32_t> reply) {
  if (machine_.ejection_buffer) groups().ejection_buffers()->wait_to_send(id, reply);
  if (machine_.requests && reply) groups().requests()->wait_for_room(id, *reply);
}

void ClockDomain::tick_at(Cycle cycle) {
  if (running_) return;  // in the agenda, which is read at the end of the cycle
  wake_at(cycle);        // other modules may call at any time between two cycles
}

void ClockDomain::end(ClockStop reason) {
  stop_ = reason;
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
  // A reset in this delta cycle came too late to cancel a cycle of the time before it. One that is planned
  // after the reset begins in a later delta cycle.
  if (reset_in_delta_ && *std::exchange(reset_in_delta_, std::nullopt) == sc_core::sc_delta_count()) return;
  std::optional<ClockStop> why;
  try {
    why = run_present_cycle();
  } catch (...) {  // SystemC would lose the type of the exception
    failure_ = std::current_exception();
    why = ClockStop::failed;
  }
  running_ = false;
  if (why) end(*why);
}

/// Runs what was skipped and the present cycle, and plans the next one. Returns why the clock stops.
std::optional<ClockStop> ClockDomain::run_present_cycle() {
  const Cycle cycle = now();
  if (skipping_from_) catch_up(cycle);
  if (cycle > limit_) return ClockStop::limit;
  std::optional<Cycle> ask_again = ask_at_;
  last_cycle_ = cycle;
  running_ = true;
  run_cycle(cycle);
  if (cycle >= ask_at_) {
    watcher_->look(cycle);
    if (last_busy_ == cycle) ask_again = watcher_->after_cycle(cycle);
  }
  if (on_progress_ && ++cycles_run_ == kCyclesBetweenCalls) {
    cycles_run_ = 0;
    on_progress_(cycle, groups().flit_hops());
  }
  running_ = false;
  if (!ask_again) return ClockStop::halted;
  ask_at_ = *ask_again;
  plan(cycle);
  return std::nullopt;
}

/// Schedules the next cycle after `now`.
void ClockDomain::plan(Cycle now) {
  const Cycle called = driver_ == nullptr ? kNever : std::max(driver_->next_event(), now + 1);
  const Cycle work = engine_->agenda.next(now);
  if (fast_forward_ && work != kNever && plan_to_skip(now, work, called)) return;
  const Cycle next = std::min(work, called);
  if (trigger_ == ClockTrigger::kernel && next == now + 1) return wake_.notify(period_);
  // A driver may plan beyond what time can count.
  if (next != kNever) return tick_at(next <= limit_ ? next : limit_ + 1);
  if (trigger_ == ClockTrigger::kernel) quiet_.notify(sc_core::SC_ZERO_TIME);
}

/// Schedules a skip of cycles if possible, with the next work in cycle `work` and the next event of the
/// driver in `event`. Returns whether it did.
bool ClockDomain::plan_to_skip(Cycle now, Cycle work, Cycle event) {
  const Cycle end = std::min(event, limit_ == kNever ? kNever : limit_ + 1);
  const Cycle until = std::min({end, ask_at_, stalls_counted_at_});
  RouterGroups& groups = this->groups();
  for (Cycle over = now; over < std::min(work, until); ++over) {
    const Cycle skipped = groups.after_cycle(over, until);
    if (skipped != 0) {
      skipping_from_ = over + 1;
      tick_at(std::min(work + skipped, end));
      return true;
    }
    if (!groups.busy()) return false;
  }
  return false;
}

/// Counts or runs the skipped cycles before `cycle`.
void ClockDomain::catch_up(Cycle cycle) {
  Cycle at = *std::exchange(skipping_from_, std::nullopt);
  if (cycle <= at) return;
  at += groups().advance(cycle - at);
  last_cycle_ = at - 1;
  last_busy_ = last_cycle_;
  at = engine_->agenda.next(last_cycle_);
  if (at >= cycle) return;
  running_ = true;
  for (; at < cycle; at = engine_->agenda.next(at)) {
    last_cycle_ = at;
    run_cycle(at);
  }
  running_ = false;
}

/// Counts or runs the skipped cycles up to the present one, which has not been run yet.
void ClockDomain::catch_up_with_time() {
  const Cycle next = std::max<Cycle>(*skipping_from_, next_cycle());
  catch_up(next);
  tick_at(next);
}

void ClockDomain::set_threads(unsigned threads) {
  threads_ = threads;
  if (engine_->groups) start_threads();
}

void ClockDomain::divide_from(std::uint64_t flit_hops) {
  divide_from_ = flit_hops;
  if (engine_->groups) start_threads();
}

void ClockDomain::start_threads() {
  used_threads_ = engine_->groups->set_threads(threads_, divide_from_);
}

void ClockDomain::run_cycle(Cycle now) {
  RouterGroups& groups = this->groups();
  engine_->agenda.advance(now);
  groups.begin_cycle(now);
  if (now >= stalls_counted_at_) count_stalls(now);
  if (!started_ && driver_ != nullptr) {
    started_ = true;
    driver_->start(*this);
  }
  deliver(now);
  if (machine_.injection_queue && driver_ != nullptr) {
    const std::vector<NodeId> nodes = groups.take_relieved();
    if (!nodes.empty()) driver_->can_send_again(*this, nodes, now);
  }
  const bool called = driver_ != nullptr && driver_->next_event() <= now;
  if (called) driver_->at(*this, now);
  const bool works = groups.step();
  if (called || last_delivery_ == now || works) last_busy_ = now;
}

/// Counts the stalls before the multiples of the period up to the present cycle.
void ClockDomain::count_stalls(Cycle now) {
  const Cycle last = now / stall_period_ * stall_period_;
  for (const Cycle cycle : {stalls_counted_at_, last}) {
    groups().count_stalls(cycle);
    on_stalls_counted_(cycle);
  }
  stalls_counted_at_ = last + stall_period_;
}

/// Sorts the messages that arrive by their ids. Of few, those before each are counted, without branches.
void ClockDomain::sort_arrived() {
  constexpr std::size_t kFew = 24;
  if (arrived_.size() > kFew) {
    std::ranges::sort(arrived_, {}, &Arrived::id);
    return;
  }
  std::array<Arrived, kFew> sorted;
  for (std::size_t i = 0; i < arrived_.size(); ++i) {
    std::size_t before = 0;
    for (std::size_t j = 0; j < i; ++j) before += arrived_[j].id <= arrived_[i].id ? 1 : 0;
    for (std::size_t j = i + 1; j < arrived_.size(); ++j) before += arrived_[j].id < arrived_[i].id ? 1 : 0;
    sorted[before] = arrived_[i];
  }
  std::copy_n(sorted.begin(), arrived_.size(), arrived_.begin());
}

void ClockDomain::deliver(Cycle now) {
  MessageTable& messages = engine_->messages;
  arrived_.clear();
  engine_->arriving.take(now, [&](MessageSlot slot) { arrived_.push_back({messages[slot].id, slot}); });
  if (arrived_.empty()) return;
  sort_arrived();
  deliveries_.clear();
  for (const auto& [id, slot] : arrived_) {
    const MessageRecord& message = messages[slot];
    deliveries_.push_back({id, message.ready, message.head_entered, message.head_arrived, now,
                           message.head_stalls, message.link_excess(), message.counted_links(),
                           message.message_class});
    flits_delivered_ += message.flits;
    if (machine_.requests) groups().requests()->deliver(message.head.destination, id);
    messages.close(slot);
  }
  if (machine_.ejection_buffer && (driver_ == nullptr || !driver_->holds_deliveries())) {
    for (const auto& [id, slot] : arrived_) take(id);
  }
  last_delivery_ = now;
  if (driver_ != nullptr) driver_->delivered(*this, deliveries_, now);
}

}  // namespace flitscope
