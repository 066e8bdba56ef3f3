#include "sim/adaptors/router_bridge.h"

#include <fmt/format.h>

#include <algorithm>

namespace flitscope {

namespace {

/// The node whose output `port` leads to `node`.
std::optional<NodeId> node_before(const Topology& topology, NodeId node, unsigned port) {
  if (topology.is_fault_free_grid()) return topology.neighbour(node, topology.opposite_port(port));
  for (NodeId from = 0; from < topology.routers(); ++from) {
    if (topology.neighbour(from, port) == node) return from;
  }
  return std::nullopt;
}

}  // namespace

RouterBridge::Sender::Sender(RouterBridge& bridge, unsigned number, Cycle delay)
    : port(std::make_unique<Port>(fmt::format("link_{}", number).c_str())), bridge_(bridge), delay_(delay) {}

/// Delay of the link that leaves a node by `port`; 1 if there is none.
Cycle RouterBridge::delay_of(std::optional<NodeId> from, unsigned port) const {
  const Topology& topology = network_.topology();
  if (!from || !topology.neighbour(*from, port)) return 1;
  const ChannelId channel = topology.channel(*from, port);
  const LinkTime link = network_.machine().link(topology, channel);
  if (link.cycles_per_flit != 1) {
    report_error(kBindingReport,
                 "{}: the wires of a bridge carry a flit a cycle, but {} takes one every {} cycles", name(),
                 topology.channel_name(channel), link.cycles_per_flit.text());
  }
  return link.delay;
}

RouterBridge::RouterBridge(const sc_core::sc_module_name&, Network& network, NodeId node)
    : network_(network),
      node_(node),
      link_ports_(network.topology().link_ports()),
      all_port_(!network.machine().ports.has_value()),
      channels_(network.clock().numbers().channels()) {
  const unsigned ports = network.clock().numbers().ports();
  for (unsigned port = 0; port < ports; ++port) {
    to_router_.push_back(std::make_unique<LinkWires>(fmt::format("to_{}", port)));
    from_router_.push_back(std::make_unique<LinkWires>(fmt::format("from_{}", port)));
  }
  for (unsigned port = 0; port < link_ports_; ++port) {
    receivers_.emplace_back(*this, delay_of(node_before(network.topology(), node, port), port));
    senders_.emplace_back(*this, port, delay_of(node, port));
  }
  RouterBridge::reset();
  network.replace_router(node, *this);
  SC_METHOD(exchange);
  dont_initialize();
  sensitive << wake_;
}

void RouterBridge::reset() {
  for (Receiver& receiver : receivers_) receiver.coming.clear();
  for (Sender& sender : senders_) sender.coming.clear();
  for (Channel& channel : channels_) {
    channel = {};
    channel.slots.assign(network_.machine().buffer, 0);
  }
  waiting_.clear();
  passing_.clear();
  sampled_ = kNever;
  phase_ = Phase::asleep;
  flits_ = 0;
}

void RouterBridge::end_of_elaboration() {
  for (Sender& sender : senders_) {
    if (sender.port->size() == 0) continue;
    sender.room = std::min((*sender.port)->attach(sender), network_.machine().buffer);
  }
  awaited_ = wake_ | wake_;
  for (const auto& wires : from_router_) awaited_ |= wires->valid.value_changed_event();
  for (const auto& wires : to_router_) awaited_ |= wires->credit.value_changed_event();
}

std::uint32_t RouterBridge::Receiver::attach(credit_if& from) {
  sender = &from;
  return bridge_.network_.machine().buffer;
}

void RouterBridge::Receiver::put(unsigned vc, const LinkFlit& flit) {
  coming.push_back({bridge_.network_.clock().now() + delay_ - 1, vc, flit});
  bridge_.wake();
}

void RouterBridge::Sender::credit(unsigned vc) {
  coming.push_back({bridge_.network_.clock().now() + delay_ - 1, vc, {}});
  bridge_.wake();
}

// --- Exchange in the middle of every cycle with a wire in use: values of the last edge are stable, and new
// ones are sampled by the next.

/// Time to the middle of the first cycle whose wires have not been sampled.
sc_core::sc_time RouterBridge::until_middle() const {
  const ClockDomain& clock = network_.clock();
  const Cycle now = clock.now();
  sc_core::sc_time middle = clock.time_of(now) + sc_core::sc_time::from_value(clock.period().value() / 2);
  if (middle < sc_core::sc_time_stamp() || sampled_ == now) middle += clock.period();
  return middle - sc_core::sc_time_stamp();
}

/// Another bridge samples in the same delta cycle, so all values are there to be driven in the next one.
void RouterBridge::exchange() {
  const Cycle now = network_.clock().now();
  if (phase_ == Phase::asleep) {
    phase_ = Phase::sampling;
    const sc_core::sc_time time = until_middle();
    if (time != sc_core::SC_ZERO_TIME) return next_trigger(time);
  }
  if (phase_ == Phase::sampling) {
    sampled_ = now;
    sample_links(now);
    sample_credits(now);
    phase_ = Phase::driving;
    return next_trigger(sc_core::SC_ZERO_TIME);
  }
  drive(now);
  inject(now);
  phase_ = active() ? Phase::sampling : Phase::asleep;
  if (phase_ == Phase::sampling) return next_trigger(network_.clock().period());
  next_trigger(awaited_);
}

bool RouterBridge::active() const {
  const auto in_use = [](const std::unique_ptr<LinkWires>& wires) {
    return wires->valid.read() || wires->credit.read();
  };
  const auto coming = [](const auto& end) { return !end.coming.empty(); };
  const auto sending = [](const Channel& channel) { return channel.now || !channel.waiting.empty(); };
  // Values written in this cycle are cleared in the next.
  return !waiting_.empty() || std::ranges::any_of(to_router_, in_use) ||
         std::ranges::any_of(from_router_, in_use) || std::ranges::any_of(receivers_, coming) ||
         std::ranges::any_of(senders_, coming) || std::ranges::any_of(channels_, sending) || written_;
}

/// Takes the first of a queue, if it is due.
std::optional<RouterBridge::Coming> RouterBridge::take_due(std::deque<Coming>& coming, Cycle now) {
  if (coming.empty() || coming.front().due > now) return std::nullopt;
  const Coming due = coming.front();
  coming.pop_front();
  return due;
}

void RouterBridge::drive(Cycle now) {
  written_ = false;
  for (unsigned port = 0; port < link_ports_; ++port) {
    LinkWires& to_router = *to_router_[port];
    const auto flit = take_due(receivers_[port].coming, now);
    to_router.valid.write(flit.has_value());
    if (flit) {
      to_router.vc.write(flit->vc);
      to_router.flit.write(flit->flit);
      ++passing_[flit->flit.message].came;
    }
    LinkWires& from_router = *from_router_[port];
    const auto credit = take_due(senders_[port].coming, now);
    from_router.credit.write(credit.has_value());
    if (credit) from_router.credit_vc.write(credit->vc);
    written_ = written_ || flit || credit;
  }
}

void RouterBridge::sample_links(Cycle now) {
  for (unsigned port = 0; port < ports(); ++port) {
    const LinkWires& wires = *from_router_[port];
    if (!wires.valid.read()) continue;
    ++flits_;
    LinkFlit flit = wires.flit.read();
    leave(port, wires.vc.read(), flit);
    if (port >= link_ports_) {
      eject(flit, now);
    } else {
      const MessageRecord& message = network_.clock().messages()[flit.message];
      flit.id = message.id;
      flit.source = message.source;
      flit.destination = message.head.destination;
      (*senders_[port].port)->put(wires.vc.read(), flit);
    }
  }
}

/// Notes that a flit leaves the user's router by a port and a VC. Refuses one that cannot.
void RouterBridge::leave(unsigned port, unsigned vc, const LinkFlit& flit) {
  if (port < link_ports_ && senders_[port].port->size() == 0)
    refuse("a flit leaves by link port {}, which has no link", port);
  const auto found = passing_.find(flit.message);
  if (found == passing_.end() || found->second.left == found->second.came)
    refuse("a flit of message slot {} leaves by port {} without having come in", flit.message, port);
  Passing& passing = found->second;
  const MessageRecord& message = network_.clock().messages()[flit.message];
  const bool is_last = passing.left + 1 == message.flits;
  if (flit.index != passing.left || flit.head != (flit.index == 0) || flit.tail != is_last) {
    refuse("flit {} of message {}{}{} leaves by port {}; the next one of its {} is flit {}", flit.index,
           message.id, flit.head ? ", a head" : "", flit.tail ? ", a tail" : "", port, message.flits,
           passing.left);
  }
  const std::pair by{port, vc};
  if (port >= link_ports_) {
    if (message.head.destination != node_) {
      refuse("message {} leaves by port {} at node {}, but its destination is node {}", message.id, port,
             node_, message.head.destination);
    }
    Channel& channel = channels_[port - link_ports_];
    const Cycle now = network_.clock().now();
    if (now < channel.ejects) {
      refuse("a flit leaves by port {} in cycle {}, before cycle {}: node.ejection_interval is {}", port, now,
             channel.ejects, network_.machine().ejection_interval);
    }
    channel.ejects = now + network_.machine().ejection_interval;
  } else if (flit.head) {
    const auto other = std::ranges::find_if(passing_, [&](const auto& each) { return each.second.by == by; });
    if (other != passing_.end()) {
      refuse("message {} leaves by port {}, VC {}, between flits of message {}", message.id, port, vc,
             network_.clock().messages()[other->first].id);
    }
    passing.by = by;
  } else if (passing.by != by) {
    refuse("flit {} of message {} leaves by port {}, VC {}, its head by port {}, VC {}", flit.index,
           message.id, port, vc, passing.by->first, passing.by->second);
  }
  ++passing.left;
  if (is_last) passing_.erase(found);
}

void RouterBridge::sample_credits(Cycle now) {
  for (unsigned port = 0; port < ports(); ++port) {
    const LinkWires& wires = *to_router_[port];
    if (!wires.credit.read()) continue;
    if (port < link_ports_) {
      if (receivers_[port].sender == nullptr) refuse("a credit at port {}, which has no link", port);
      reporting(kProtocolReport, [&] { receivers_[port].sender->credit(wires.credit_vc.read()); });
    } else {
      std::deque<Cycle>& slots = channels_[port - link_ports_].slots;
      if (wires.credit_vc.read() != 0 || slots.size() == network_.machine().buffer)
        refuse("a credit at port {}, VC {}, for a flit that was never put", port, wires.credit_vc.read());
      slots.push_back(now + 1);
    }
  }
}

// --- The network interface ---------------------------------------------------------------------------------

void RouterBridge::send(MessageSlot message, const Packet& packet) {
  const ClockDomain& clock = network_.clock();
  if (all_port_) {
    channels_[clock.messages()[message].first.port].waiting.push_back({message, packet});
  } else {
    waiting_.push_back({message, packet});
  }
  wake();
}

/// Takes the oldest message for the channel, if there is one.
bool RouterBridge::take(Channel& channel, Cycle now) {
  auto& waiting = all_port_ ? channel.waiting : waiting_;
  if (waiting.empty() || channel.due > now) return false;
  channel.now = waiting.front();
  waiting.pop_front();
  channel.index = 0;
  channel.due = now + network_.machine().startup;
  return true;
}

void RouterBridge::inject(Cycle now) {
  for (unsigned number = 0; number < channels_.size(); ++number) {
    Channel& channel = channels_[number];
    LinkWires& wires = *to_router_[link_ports_ + number];
    wires.valid.write(false);
    if (!channel.now && !take(channel, now)) continue;
    if (channel.due > now || channel.slots.empty() || channel.slots.front() > now) continue;
    const auto& [message, packet] = *channel.now;
    const bool head = channel.index == 0;
    const bool tail = channel.index + 1 == packet.flits;
    wires.valid.write(true);
    wires.vc.write(0);
    wires.flit.write({message, channel.index, head, tail, packet.id, packet.source, packet.destination});
    ++passing_[message].came;
    written_ = true;
    if (head) network_.clock().note_head_entered(message, now);
    ++channel.index;
    channel.slots.pop_front();
    channel.due = now + network_.machine().injection_interval;
    if (tail) channel.now.reset();
  }
}

void RouterBridge::eject(const LinkFlit& flit, Cycle now) {
  const Cycle arrival = now + network_.machine().link_delay;
  if (flit.head) network_.clock().note_head_arrived(flit.message, arrival);
  if (flit.tail) network_.clock().close_message(flit.message, arrival);
}

}  // namespace flitscope
