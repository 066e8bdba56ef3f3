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

void ClockDomain::tick() {
  if (stop_ != ClockStop::running) return;
  const Cycle cycle = now();
  if (cycle > limit_) {
    stop_ = ClockStop::limit;
    sc_core::sc_stop();
    return;
  }
  last_cycle_ = cycle;
  agenda_.advance(cycle);
  if (!started_) {
    started_ = true;
    if (driver_ != nullptr) driver_->start(*this);
  }
  deliver(cycle);
  step_routers(cycle);
  if (cycle >= ask_at_ && halted_by_watcher(cycle)) return;

  const Cycle next = agenda_.next(cycle);
  if (next != kNever) {
    wake_.notify(next == cycle + 1 ? period_ : period_ * static_cast<double>(next - cycle));
  } else {
    stop_ = driver_ == nullptr ? ClockStop::running : ClockStop::quiet;
    if (driver_ != nullptr) sc_core::sc_stop();
  }
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

bool ClockDomain::halted_by_watcher(Cycle now) {
  const std::optional<Cycle> again = watcher_->after_cycle(now);
  if (again) {
    ask_at_ = *again;
    return false;
  }
  stop_ = ClockStop::halted;
  sc_core::sc_stop();
  return true;
}

}  // namespace flitscope
