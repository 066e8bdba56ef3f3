// Heads without an output VC whose requests must be weighed in every cycle: for the space behind a VC, or
// among several candidates (docs/timing.md, "Buffer space before a grant" and "Candidates").
#include "model/bits.h"
#include "routers/engine/router_groups.h"

namespace flitscope {

std::uint32_t RouterGroups::usable_slots(GroupRef group, unsigned router, unsigned output) const {
  return sliced::of(group.planes(numbers_.slots) + output, numbers_.count_bits, layout_.vc_words, router);
}

VcSet RouterGroups::with_required_slots(GroupRef group, unsigned router, unsigned vc,
                                        const VcSet& outputs) const {
  const std::uint32_t flits = messages_[this->router(group, router).front(vc).message].flits;
  VcSet result = outputs;
  for_each_bit(outputs, [&](unsigned output) {
    if (output >= first_injection_vc()) return;
    const std::uint32_t required = required_slots(vc, output, flits);
    if (slots_for_grant(group, router, output, required) < required) result.remove(output);
  });
  return result;
}

/// Whether heads of one router require different numbers of slots. Parts look for what their allocation
/// requires of all.
bool RouterGroups::requires_room_by_head() const {
  return needs_packet_space_ && !(parts_ && parts_->needs_slots());
}

/// What a router knows of the queues of a network's links.
class RouterGroups::Queues final : public LinkQueues {
 public:
  Queues(const RouterGroups& routers, GroupRef group, unsigned router, unsigned first_port)
      : routers_(routers), group_(group), router_(router), first_port_(first_port) {}

  std::uint64_t queued(unsigned port) const override {
    return routers_.queued_flits(group_, router_, first_port_ + port);
  }
  std::uint64_t queued_before(ChannelId link, Cycle ago) const override {
    return ago > routers_.now_ ? 0 : routers_.queue_history_->at_end_of(routers_.now_ - ago, row_of(link));
  }
  Cycle delay(ChannelId link) const override {
    const std::size_t row = row_of(link);
    const unsigned ports = routers_.link_ports();
    return routers_
        .delays_[routers_.delay_of(static_cast<NodeId>(row / ports), static_cast<unsigned>(row % ports))];
  }
  std::uint64_t slots() const override {
    return std::uint64_t{routers_.virtual_channels()} * routers_.buffer();
  }

 private:
  [[nodiscard]] std::size_t row_of(ChannelId link) const {
    const unsigned ports = routers_.ports_of_network();
    return routers_.link_row(static_cast<NodeId>(link / ports),
                             first_port_ + static_cast<unsigned>(link % ports));
  }

  const RouterGroups& routers_;
  GroupRef group_;
  unsigned router_;
  unsigned first_port_;
};

/// Notes the queues of a group that other routers read, at the end of a cycle.
void RouterGroups::note_queues(GroupRef group) {
  for (unsigned port = 0; port < link_ports(); ++port) {
    Plane changed = 0;
    for_each_of_port(first_vc(port),
                     [&](unsigned output) { changed |= sent_.planes()[output] | credits_.planes()[output]; });
    for_each_bit(changed & queue_history_->watched(group.number, port), [&](unsigned router) {
      queue_history_->note(std::uint64_t{group.node(router)} * link_ports() + port, now_,
                           queued_flits(group, router, port));
    });
  }
}

VcSet RouterGroups::select_candidates(GroupRef group, unsigned router, const VcSet& free) {
  VcSet hopeful;
  for_each_bit(VcSet(this->router(group, router).asking()), [&](unsigned vc) {
    Front& front = this->router(group, router).front(vc);
    if (front.group >= link_ports()) return;
    const NodeId node = group.node(router);
    const MessageRecord& message = messages_[front.message];
    const RoutingFunction& routing = routing_of_class(message.message_class);
    const unsigned first_port = network_ports(message.message_class).first_link_port;
    head_candidates_.clear();
    routing.add_candidates(node, arrival(vc, message.message_class), message.head, head_candidates_);
    Candidate selected = head_candidates_.front();
    if (head_candidates_.size() > 1 && routing.weighs()) {
      selected =
          routing.lightest(node, message.head, head_candidates_, Queues(*this, group, router, first_port));
      hopeful.add(vc);
    } else {
      offers_.clear();
      for (Candidate candidate : head_candidates_) {
        candidate.port += first_port;
        offers_.push_back(offer(group, router, vc, candidate, free));
      }
      if (const auto best = selector_->select(row(node, vc), offers_)) {
        selected = head_candidates_[*best];
        hopeful.add(vc);
      }
    }
    const unsigned port = first_port + selected.port;
    front.choice =
        static_cast<std::uint16_t>(link_choice(port, selected.channel_class, message.message_class));
    front.group = static_cast<std::uint8_t>(port);
  });
  return hopeful;
}

std::uint64_t RouterGroups::queued_flits(GroupRef group, unsigned router, unsigned port) const {
  std::uint64_t flits = 0;
  for (unsigned vc = 0; vc < virtual_channels(); ++vc) {
    flits += link_buffer() - usable_slots(group, router, port * virtual_channels() + vc);
  }
  return flits;
}

Offer RouterGroups::offer(GroupRef group, unsigned router, unsigned vc, Candidate candidate,
                          const VcSet& free) const {
  const unsigned message_class = messages_[this->router(group, router).front(vc).message].message_class;
  VcSet open = choice(link_choice(candidate.port, candidate.channel_class, message_class)) & free;
  if (requires_room_by_head()) open = with_required_slots(group, router, vc, open);
  Offer offer{
      .candidate = candidate,
      .escape = (routing_of_class(message_class).escape_classes() >> candidate.channel_class & 1) != 0,
      .open = open.any()};
  if (selector_->counts_credits()) {
    for_each_bit(open, [&](unsigned output) { offer.credits += usable_slots(group, router, output); });
  }
  return offer;
}

/// Heads of a router wait on: those with an open candidate request again in the next cycle, and all where a
/// grant may change the causes of their stalls.
void RouterGroups::wait_on(GroupRef group, unsigned number, bool hopeful, bool granted) {
  const RouterBlock router = this->router(group, number);
  const Plane plane = Plane{1} << number;
  const bool some = router.asking().any();
  if (selector_ && some) router.awaited().add(~VcSet());
  if (hopeful || (needs_packet_space_ && granted && some)) *group.planes(layout_.retry) |= plane;
  Plane& asking = group.planes(layout_.asking)[0];
  asking = some ? asking | plane : asking & ~plane;
}

void RouterGroups::fail_request(GroupRef group, NodeId node, unsigned vc, const VcSet& taken,
                                const VcSet& without_slots) {
  if (without_slots.any() && full_ejection_vcs(node, vc).any())
    return wait_for_ejection_slot(group, node, vc, lowest_bit(without_slots));
  const StallCause cause = front(node, vc).group >= link_ports() ? StallCause::ejection_busy
                           : !without_slots.any()                ? StallCause::vc_taken
                                                                 : StallCause::no_credit;
  wait_because(group, node, vc, cause);
  if (observed_stalls_ == nullptr) return;
  if (!without_slots.any()) return note_wait_for_vc(node, vc, taken, now_);
  if (cause == StallCause::ejection_busy) return begin_stall(node, vc, {.cause = cause, .culprit = {}}, now_);
  const GroupStalls::MissingSlot slot = missing_slot(node, vc, lowest_bit(without_slots));
  if (slot.beyond >= 0) return missing_slots_.push_back(slot);
  // A tracker may not know yet that the slot is left.
  begin_stall(node, vc, {.cause = cause, .culprit = {}, .slot = slot.name}, now_);
}

void RouterGroups::wait_because(GroupRef group, NodeId node, unsigned vc, StallCause cause) {
  const Front& front = this->front(node, vc);
  const auto port = static_cast<std::uint8_t>(port_of_group(front.group));
  HeadWait& wait = head_waits_[row(node, vc)];
  if (front.since < now_ && wait.cause == cause && wait.port == port) return;
  count_stall_since(group, node, vc, now_);
  wait = {cause, port, now_};
}

GroupStalls::MissingSlot RouterGroups::missing_slot(NodeId node, unsigned vc, unsigned output) const {
  const std::uint32_t required = required_slots(vc, output, front(node, vc).flits);
  const std::uint32_t usable = slots_for_grant(at(group_of(node)), node % kGroupSize, output, required);
  return {.node = node,
          .vc = vc,
          .output = output,
          .beyond = static_cast<std::int32_t>(required - 1 - usable),
          .name = (observed_stalls_->sent(row(node, output)) + required) * kMaxInputVcs + output};
}

VcSet RouterGroups::admissible(NodeId node, unsigned vc) const {
  const Front& front = this->front(node, vc);
  if (!selector_) return choice(front.choice);
  const MessageRecord& message = messages_[front.message];
  const unsigned message_class = message.message_class;
  std::vector<Candidate> candidates;
  routing_of_class(message_class).add_candidates(node, arrival(vc, message_class), message.head, candidates);
  VcSet outputs;
  for (const auto& [port, channel_class] : candidates) {
    const unsigned first_port = network_ports(message_class).first_link_port;
    outputs |= choice(link_choice(first_port + port, channel_class, message_class));
  }
  return outputs;
}

}  // namespace flitscope
