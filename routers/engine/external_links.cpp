#include "routers/engine/external_links.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace flitscope {

// --- One link ----------------------------------------------------------------------------------------------

void ExternalReceiver::attach(unsigned virtual_channels, std::uint32_t buffer) {
  slots_ = std::min(receiver_.attach(*this), buffer);
  if (slots_ == 0) throw std::logic_error("a receiver must have room for at least one flit");
  flits_.assign(virtual_channels, {});
}

void ExternalReceiver::credit(unsigned vc) {
  if (vc >= flits_.size() || flits_[vc].empty()) {
    throw std::logic_error("a credit for a flit that was never put");
  }
  flits_[vc].pop_front();
  links_.return_slot(node_, port_, vc);
}

void ExternalSender::reset(unsigned virtual_channels, std::uint32_t buffer) {
  fifos_.assign(virtual_channels, {.usable = std::vector<Cycle>(buffer)});
  last_put_.reset();
}

void ExternalSender::put(unsigned vc, MessageSlot message, Cycle now) {
  if (last_put_ == now) throw std::logic_error("a module put two flits in one cycle");
  Fifo& fifo = fifos_[vc];
  if (fifo.flits == fifo.usable.size() || fifo.usable[fifo.back] > now) {
    throw std::logic_error("a module put a flit without a credit");
  }
  last_put_ = now;
  fifo.back = fifo.back + 1 == fifo.usable.size() ? 0 : fifo.back + 1;
  fifo.last = message;
  ++fifo.flits;
}

void ExternalSender::give_credit(unsigned vc, Cycle usable) {
  Fifo& fifo = fifos_[vc];
  fifo.usable[fifo.front] = usable;
  fifo.front = fifo.front + 1 == fifo.usable.size() ? 0 : fifo.front + 1;
  --fifo.flits;
  module_.credit(vc);
}

// --- All links ---------------------------------------------------------------------------------------------

void ExternalLinks::require_modules() const {
  if (has_classes_or_limits(machine_)) {
    throw std::logic_error(
        "networks with message classes or limited network interfaces take no other modules");
  }
  const bool reads_queues_of_others =
      !RoutingRegistry::find(machine_.routing)->make(topology_.network(0))->watched_links().empty();
  if (machine_.has_parts() || reads_queues_of_others) {
    throw std::logic_error(
        "networks whose routers have parts other than the defaults, or read queues of others, take no other "
        "modules");
  }
  if (numbers_.node_vcs() != 1 || machine_.credit_delay != 0) {
    throw std::logic_error("modules of your own need node.vcs: 1 and router.credit_delay: 0");
  }
}

ExternalLinks::Ends& ExternalLinks::made(NodeId node, unsigned port) {
  if (ends_.empty()) {
    rows_.assign(numbers_.nodes(), kNoRow);
    to_modules_.assign((numbers_.nodes() / std::size_t{64} + 1) * numbers_.ports(), 0);
    from_modules_ = to_modules_;
    clock_.links_changed();
  }
  if (rows_[node] == kNoRow) {
    rows_[node] = static_cast<std::uint32_t>(ends_.size());
    ends_.resize(ends_.size() + numbers_.ports());
  }
  return ends_[rows_[node] + port];
}

void ExternalLinks::cut(NodeId node, unsigned port) {
  made(node, port).cut = true;
  clock_.links_changed();
}

bool ExternalLinks::is_cut(NodeId node, unsigned port) const {
  const Ends* const ends = this->ends(node, port);
  return ends != nullptr && ends->cut;
}

void ExternalLinks::connect_receiver(NodeId node, unsigned port, FlitReceiver& receiver) {
  require_modules();
  auto link = std::make_unique<ExternalReceiver>(*this, node, port, receiver);
  link->attach(numbers_.vcs_of_port(port), numbers_.buffer());
  made(node, port).receiver = std::move(link);
  plane(to_modules_, node, port) |= Plane{1} << node % 64;
  clock_.links_changed();
}

std::uint32_t ExternalLinks::connect_sender(NodeId node, unsigned port, credit_if& sender) {
  require_modules();
  const NodeId before = port < numbers_.link_ports() ? neighbour_before(node, port) : kNoNode;
  if ((before != kNoNode && !is_cut(before, port)) || this->sender(node, port) != nullptr) {
    throw std::logic_error("input port " + std::to_string(port) + " of node " + std::to_string(node) +
                           " has two senders");
  }
  const Cycle delay = before == kNoNode ? machine_.link_delay
                                        : machine_.link(topology_, topology_.channel(before, port)).delay;
  auto link = std::make_unique<ExternalSender>(sender, delay);
  link->reset(numbers_.vcs_of_port(port), numbers_.buffer());
  made(node, port).sender = std::move(link);
  plane(from_modules_, node, port) |= Plane{1} << node % 64;
  has_senders_ = true;
  return numbers_.buffer();
}

/// The node whose output port `port` leads to `node` in the topology; kNoNode if there is none.
NodeId ExternalLinks::neighbour_before(NodeId node, unsigned port) {
  const unsigned ports = numbers_.link_ports();
  if (before_.empty()) {
    before_.assign(std::size_t{numbers_.nodes()} * ports, kNoNode);
    for (NodeId from = 0; from < numbers_.nodes(); ++from) {
      for (unsigned number = 0; number < ports; ++number) {
        if (const auto to = topology_.neighbour(from, number))
          before_[std::size_t{*to} * ports + number] = from;
      }
    }
  }
  return before_[std::size_t{node} * ports + port];
}

void ExternalLinks::reset() {
  for (std::size_t place = 0; place < ends_.size(); ++place) {
    const unsigned vcs = numbers_.vcs_of_port(static_cast<unsigned>(place % numbers_.ports()));
    if (ends_[place].receiver != nullptr) ends_[place].receiver->attach(vcs, numbers_.buffer());
    if (ends_[place].sender != nullptr) ends_[place].sender->reset(vcs, numbers_.buffer());
  }
}

}  // namespace flitscope
