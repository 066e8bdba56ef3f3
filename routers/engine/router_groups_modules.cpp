// Flits and credits that external modules and routers send each other.
#include <algorithm>
#include <bit>
#include <stdexcept>

#include "model/bits.h"
#include "routers/engine/external_links.h"
#include "routers/engine/router_groups.h"

namespace flitscope {

void ExternalLinks::put(NodeId node, unsigned port, unsigned vc, const LinkFlit& flit) {
  if (vc >= numbers_.vcs_of_port(port)) {
    throw std::logic_error("a module put a flit into a VC that does not exist");
  }
  if (sender(node, port) == nullptr)
    throw std::logic_error("a module put a flit into a port that it was not attached to");
  clock_.tick_at(clock_.groups().take_external_flit(node, port, vc, flit, clock_.now()));
}

void ExternalLinks::return_slot(NodeId node, unsigned port, unsigned vc) {
  clock_.tick_at(clock_.groups().take_external_credit(node, numbers_.first_vc(port) + vc, clock_.now()));
}

Cycle RouterGroups::take_external_flit(NodeId node, unsigned port, unsigned vc, const LinkFlit& flit,
                                       Cycle now) {
  if (!messages_.is_open(flit.message) || flit.head != (flit.index == 0) ||
      flit.tail != (flit.index + 1 == messages_[flit.message].flits)) {
    throw std::logic_error("a module put a flit that its message does not have");
  }
  ExternalSender& sender = *modules_->sender(node, port);
  sender.put(vc, flit.message, now);
  const unsigned input = first_vc(port) + vc;
  const bool link = port < link_ports();
  const Cycle usable = now + (link ? sender.delay() : 0) + router_delay_;
  MessageRecord& message = messages_[flit.message];
  if (!link) {
    if (flit.head) message.head_entered = now;
    if (observed_flits_ != nullptr) {
      observed_flits_->report_injected(now, node, port - link_ports(), message.id, flit.index, flit.tail);
    }
  }
  left_bits_ =
      std::max(left_bits_, static_cast<unsigned>(std::bit_width(std::min(message.flits, kMostLeft))));
  const ComingCycle then = in(usable - now_);
  if (store_and_forward_ ? flit.tail : flit.head) {
    const LaterEvent head{.cycle = usable,
                          .group = group_of(node),
                          .event = Event::head,
                          .number = input,
                          .routers = plane_of(node),
                          .message = flit.message,
                          .flits = message.flits,
                          .arrived = message.head.destination == node};
    then.reaches(group_of(node)) ? post_later(head) : post_elsewhere(head);
  }
  if (!store_and_forward_) post(then, group_of(node), Event::arrival, input, plane_of(node));
  agenda_.wake_at(group_of(node), usable, now_);
  return usable;
}

Cycle RouterGroups::take_external_credit(NodeId node, unsigned output, Cycle now) {
  const bool link = output < first_injection_vc();
  const Cycle usable = now + (link ? delays_[delay_of(node, port_of_vc(output))] : link_delay_);
  post(in(usable - now_), group_of(node), Event::credit, output, plane_of(node));
  return usable;
}

/// Flits that leave a group for modules, output VC by output VC, before anything else of the traversal.
void RouterGroups::put_into_modules(GroupRef group) {
  for (unsigned output = 0; output < input_vcs(); ++output) {
    const unsigned port = port_of_vc(output);
    const Plane leaving = sent_.planes()[output] & modules_->to_modules(group.number, port);
    if (leaving == 0) continue;
    for (unsigned vc = 0; vc < input_vcs(); ++vc) {
      for_each_bit(leaving & moved_.planes()[vc], [&](unsigned router) {
        if (held_output(group, router, vc, layout_) != output) return;
        const NodeId node = group.node(router);
        MessageRecord& message = messages_[front(node, vc).message];
        const std::uint32_t left = flits_left(group, node, vc);
        const std::uint32_t index = message.flits - left;
        // A router behind the module writes this again; a module that keeps the message does not.
        if (index == 0 && port < link_ports()) message.head_arrived = now_ + delays_[delay_of(node, port)];
        modules_->receiver(node, port)
            ->put(output - first_vc(port), {front(node, vc).message, index, index == 0, left == 1, message.id,
                                            message.source, message.head.destination});
      });
    }
  }
}

/// Slots of input VCs that modules feed are free again.
void RouterGroups::credit_modules(GroupRef group) {
  for (unsigned vc = 0; vc < input_vcs(); ++vc) {
    const unsigned port = port_of_vc(vc);
    for_each_bit(moved_.planes()[vc] & modules_->from_modules(group.number, port), [&](unsigned router) {
      ExternalSender& sender = *modules_->sender(group.node(router), port);
      sender.give_credit(vc - first_vc(port), now_ + (port < link_ports() ? sender.delay() : 1));
    });
  }
}

}  // namespace flitscope
