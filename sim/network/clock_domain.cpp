#include "sim/network/clock_domain.h"

#include <algorithm>
#include <stdexcept>

#include "routers/engine/horizon.h"

namespace flitscope {

ClockDomain::ClockDomain(const sc_core::sc_module_name&, const Topology& topology,
                         const MachineConfig& machine, const sc_core::sc_time& period)
    : topology_(topology),
      period_(period),
      agenda_(topology.nodes(), horizon_of(machine)),
      arriving_(messages_, agenda_),
      routers_(topology, machine, messages_, agenda_, arriving_, *this),
      nics_(machine, messages_, agenda_, routers_) {
  SC_METHOD(tick);
  sensitive << wake_;
  dont_initialize();
}

inline MessageSlot ClockDomain::open_message(const Packet& packet, Cycle ready) {
  const MessageSlot slot = messages_.open();
  MessageRecord& message = messages_[slot];
  message.id = packet.id;
  message.source = packet.source;
  message.flits = packet.flits;
  message.step = packet.step;
  message.ready = ready;
  message.head_entered = ready;
  message.head.route = packet.route;
  routers_.prepare(message.head, packet.source, packet.destination);
  if (packet.destination != packet.source) {
    message.first = routers_.first_candidate(packet.source, message.head);
  } else {
    message.first = {};  // it has none; any channel will do
  }
  flits_sent_ += packet.flits;
  return slot;
}

MessageSlot ClockDomain::open_message(const Packet& packet) {
  return open_message(packet, now());
}

[[gnu::noinline]] void ClockDomain::require_own_injection(NodeId node) const {
  for (unsigned port = routers_.link_ports(); port < routers_.ports(); ++port) {
    if (!routers_.has_external_sender(node, port)) continue;
    throw std::logic_error("node " + topology_.node_name(node) +
                           " cannot send: another module feeds its injection channels");
  }
}

void ClockDomain::send(const Packet& packet) {
  if (routers_.has_external_senders()) require_own_injection(packet.source);
  const MessageSlot slot = open_message(packet, last_cycle_);
  nics_.send(slot, messages_[slot].first.port, last_cycle_);
}

void ClockDomain::tick_at(Cycle cycle) {
  // Other modules may call at any time between two cycles.
  wake_.notify(sc_core::sc_time::from_value(period_.value() * cycle) - sc_core::sc_time_stamp());
}

void ClockDomain::end(ClockStop reason) {
  stop_ = reason;
  sc_core::sc_stop();
}

void ClockDomain::tick() {
  if (stop_) return;
  const Cycle cycle = now();
  if (cycle > limit_) return end(ClockStop::limit);
  try {
    run_cycle(cycle);
    if (cycle >= ask_at_) {
      const std::optional<Cycle> again = watcher_->after_cycle(cycle);
      if (!again) return end(ClockStop::halted);
      ask_at_ = *again;
    }
  } catch (...) {  // SystemC would keep the text and lose the type
    failure_ = std::current_exception();
    return end(ClockStop::failed);
  }

  Cycle next = agenda_.next(cycle);
  if (driver_ != nullptr) next = std::min(next, std::max(driver_->next_event(), cycle + 1));
  if (next == cycle + 1) {
    wake_.notify(period_);
  } else if (next != kNever) {
    tick_at(next <= limit_ ? next : limit_ + 1);  // a driver may plan beyond what time can count
  }
}

void ClockDomain::run_cycle(Cycle now) {
  last_cycle_ = now;
  agenda_.advance(now);
  routers_.begin_cycle(now);
  if (!started_ && driver_ != nullptr) {
    started_ = true;
    driver_->start(*this);
  }
  deliver(now);
  if (driver_ != nullptr && driver_->next_event() <= now) driver_->at(*this, now);
  step_routers(now);
}

void ClockDomain::deliver(Cycle now) {
  arrived_.clear();
  arriving_.take(now, [&](MessageSlot slot) { arrived_.push_back({messages_[slot].id, slot}); });
  if (arrived_.empty()) return;
  std::ranges::sort(arrived_, {}, &Arrived::id);
  deliveries_.clear();
  for (const auto& [id, slot] : arrived_) {
    const MessageRecord& message = messages_[slot];
    deliveries_.push_back({id, message.ready, message.head_entered, message.head_arrived, now,
                           message.head_stalls, message.link_excess});
    flits_delivered_ += message.flits;
    messages_.close(slot);
  }
  last_delivery_ = now;
  if (driver_ != nullptr) driver_->delivered(*this, deliveries_, now);
}

void ClockDomain::step_routers(Cycle now) {
  if (!shuffle_) return routers_.step_awake(nics_);
  shuffled_.clear();
  agenda_.visit(now, [&](NodeId node) { shuffled_.push_back(node); });
  std::ranges::shuffle(shuffled_, *shuffle_);
  for (const NodeId node : shuffled_) routers_.step(node, nics_);
}

}  // namespace flitscope
