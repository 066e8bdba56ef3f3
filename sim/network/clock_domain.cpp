#include "sim/network/clock_domain.h"

#include <algorithm>

namespace flitscope {

namespace {

Cycle horizon(const MachineConfig& machine) {
  return std::max<Cycle>(Cycle{machine.router_delay} + machine.link_delay, machine.slowdown);
}

}  // namespace

ClockDomain::ClockDomain(const sc_core::sc_module_name&, const Topology& topology, const MachineConfig& machine,
                         sc_core::sc_time period)
    : topology_(topology),
      period_(period),
      agenda_(topology.nodes(), horizon(machine)),
      routers_(topology, machine, messages_, agenda_, *this, *this),
      nics_(machine, messages_, agenda_, routers_),
      arriving_(agenda_.wheel()) {
  SC_METHOD(tick);
  sensitive << wake_;
}

MessageSlot ClockDomain::open_message(const Packet& packet) {
  const MessageSlot slot = messages_.open();
  MessageRecord& message = messages_[slot];
  message.id = packet.id;
  message.source = packet.source;
  message.flits = packet.flits;
  message.step = packet.step;
  message.ready = now();
  message.head.destination = packet.destination;
  message.head.route = packet.route;
  for (unsigned dimension = 0; dimension < topology_.dimensions(); ++dimension) {
    message.head.target[dimension] = topology_.coordinate(packet.destination, dimension);
  }
  flits_sent_ += packet.flits;
  return slot;
}

void ClockDomain::send(const Packet& packet) {
  nics_.send(open_message(packet), first_port(topology_, packet.source, packet.destination, packet.route), now());
}

void ClockDomain::arrives(MessageSlot message, Cycle cycle) {
  arriving_[agenda_.slot(cycle)].push_back(message);
  agenda_.mark(cycle);
}

void ClockDomain::tick_at(Cycle cycle) { wake_.notify(period_ * static_cast<double>(cycle - now())); }

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
  if (driver_ != nullptr) next = std::min(next, driver_->next_event());
  if (next == cycle + 1) {
    wake_.notify(period_);
  } else if (next != kNever) {
    tick_at(next);
  }
}

void ClockDomain::run_cycle(Cycle now) {
  last_cycle_ = now;
  agenda_.advance(now);
  if (!started_ && driver_ != nullptr) {
    started_ = true;
    driver_->start(*this);
  }
  deliver(now);
  if (driver_ != nullptr && driver_->next_event() <= now) driver_->at(*this, now);
  step_routers(now);
}

void ClockDomain::deliver(Cycle now) {
  std::vector<MessageSlot>& arrived = arriving_[agenda_.slot(now)];
  if (arrived.empty()) return;
  deliveries_.clear();
  for (const MessageSlot slot : arrived) {
    const MessageRecord& message = messages_[slot];
    deliveries_.push_back({message.id, message.ready, message.head_entered, message.head_arrived, now,
                           message.head_stalls});
    flits_delivered_ += message.flits;
    messages_.close(slot);
  }
  arrived.clear();
  last_delivery_ = now;
  std::ranges::sort(deliveries_, {}, &Delivery::id);
  if (driver_ != nullptr) driver_->delivered(*this, deliveries_, now);
}

void ClockDomain::step_routers(Cycle now) {
  if (shuffle_) {
    shuffled_.clear();
    agenda_.visit(now, [&](NodeId node) { shuffled_.push_back(node); });
    std::ranges::shuffle(shuffled_, *shuffle_);
    for (const NodeId node : shuffled_) {
      routers_.step(node, now);
      nics_.step(node, now);
    }
    return;
  }
  agenda_.visit(now, [&](NodeId node) {
    routers_.step(node, now);
    if (routers_.injecting(node) != 0) nics_.step(node, now);
  });
}

}  // namespace flitscope
