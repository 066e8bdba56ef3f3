// Limited network interfaces: ejection buffers, and requests in work (docs/timing.md, "Network interfaces").
#include <optional>

#include "model/bits.h"
#include "routers/engine/router_groups.h"

namespace flitscope {

/// A message leaves its router for an ejection buffer.
void RouterGroups::buffer_message(NodeId node, unsigned output, MessageSlot message) {
  const MessageRecord& record = messages_[message];
  ejection_buffers_->add(node, output - first_injection_vc(), record.id, record.flits);
}

/// Stage 1: nodes read flits of the messages that they have taken. Returns whether there were any.
bool RouterGroups::read_ejection_buffers() {
  const ComingCycle then = in(link_delay_);
  const bool reads = ejection_buffers_->read(now_, [&](NodeId node, unsigned vc) {
    post(then, group_of(node), Event::credit, first_injection_vc() + vc, plane_of(node));
    agenda_.wake(group_of(node), now_ + 1);
  });
  for (const NodeId node : ejection_buffers_->take_changed()) change_causes(node);
  return reads;
}

/// Flits at a node that wait for slots of ejection buffers may have another cause from the present cycle on.
void RouterGroups::change_causes(NodeId node) {
  const GroupRef group = at(group_of(node));
  for_each_bit(router(node).header().asking, [&](unsigned vc) {
    const std::uint64_t full = full_ejection_vcs(node, vc);
    if (full != 0) wait_for_ejection_slot(group, node, vc, lowest_bit(full));
  });
  for (unsigned vc = 0; vc < input_vcs(); ++vc) {
    if ((group.planes(layout_.no_room)[vc] & plane_of(node)) == 0) continue;
    const unsigned output = front(node, vc).output;
    if (output < first_injection_vc() || gets_credit(node, output, now_)) continue;
    FullBuffer& full = full_buffers_[ejection_row(node, output)];
    const auto hindrance = ejection_buffers_->hindrance(node, output - first_injection_vc(), now_);
    const StallCause cause = hindrance.reply ? StallCause::nic_full : StallCause::sink_full;
    if (cause == full.cause) continue;
    count_stall_since(group, node, vc, now_);
    note_full_buffer(node, vc);
  }
}

/// The flit at the front of an input VC waits for a slot of its ejection buffer, from the present cycle on
/// with its present cause.
void RouterGroups::note_full_buffer(NodeId node, unsigned vc) {
  const unsigned output = front(node, vc).output;
  const auto [message, reply] = ejection_buffers_->hindrance(node, output - first_injection_vc(), now_);
  const StallCause cause = reply ? StallCause::nic_full : StallCause::sink_full;
  FullBuffer& full = full_buffers_[ejection_row(node, output)];
  full = {now_, cause, reply ? under_way(node, *reply) : message};
  if (observed_stalls_ != nullptr) begin_stall(node, vc, {.cause = cause, .culprit = full.culprit}, now_);
}

/// The ejection VCs that a head without one could be granted but for slots of their buffers
/// (VcAllocator::switch_winner), if it lacks nothing else.
std::uint64_t RouterGroups::full_ejection_vcs(NodeId node, unsigned vc) const {
  const Front& front = this->front(node, vc);
  if (ejection_buffers_ == nullptr || !parts_ || !parts_->allocates_late() || front.group < link_ports())
    return 0;
  std::uint64_t full = choice(front.choice) & ~router(node).header().holds;
  for_each_bit(full, [&](unsigned output) {
    if ((at(group_of(node)).planes(layout_.room)[output] & plane_of(node)) != 0) full = 0;
  });
  return full;
}

/// A head waits for a slot of an ejection buffer, before it is granted the VC.
void RouterGroups::wait_for_ejection_slot(GroupRef group, NodeId node, unsigned vc, unsigned output) {
  const auto hindrance = ejection_buffers_->hindrance(node, output - first_injection_vc(), now_);
  wait_because(group, node, vc, hindrance.reply ? StallCause::nic_full : StallCause::sink_full);
  if (observed_stalls_ != nullptr) note_wait_for_ejection_slot(node, vc, output, now_);
}

void RouterGroups::note_wait_for_ejection_slot(NodeId node, unsigned vc, unsigned output, Cycle now) {
  const auto [message, reply] = ejection_buffers_->hindrance(node, output - first_injection_vc(), now);
  // While the cause is the same the culprit stays, as long as the same slot is missing.
  const std::uint64_t slot = (observed_stalls_->sent(row(node, output)) + 1) * 2 + (reply ? 1 : 0);
  begin_stall(node, vc,
              {.cause = reply ? StallCause::nic_full : StallCause::sink_full,
               .culprit = reply ? under_way(node, *reply) : message,
               .slot = slot * kMaxVirtualChannels + output},
              now);
}

/// Of the flits that lack slots from this cycle on, those at their destination wait for their node.
void RouterGroups::note_full_buffers() {
  for (const GroupStalls::MissingSlot& slot : without_room_) {
    if (front(slot.node, slot.vc).output >= first_injection_vc()) {
      note_full_buffer(slot.node, slot.vc);
    } else if (observed_stalls_ != nullptr) {
      missing_slots_.push_back(slot);
    }
  }
  without_room_.clear();
}

/// The input VCs of which one must move before the node of a full ejection buffer can send what it has to
/// send first. None if it has nothing to send, or can do so.
std::uint64_t RouterGroups::awaited_replies(NodeId node, unsigned vc, unsigned output) const {
  if (ejection_buffers_ == nullptr || output < first_injection_vc()) return 0;
  if (!is_active(at(group_of(node)), node, vc) && (full_ejection_vcs(node, vc) & bit(output)) == 0) return 0;
  const auto reply = ejection_buffers_->hindrance(node, output - first_injection_vc(), now_).reply;
  if (!reply || !injection_queue_ || queued(node, *reply) < *injection_queue_) return 0;
  std::uint64_t inputs = 0;
  const NetworkPorts& own = network_ports(*reply);
  for (unsigned channel = own.first_channel; channel < own.end_channel; ++channel) {
    const unsigned i = channel * shape().queues + queue_of_class(*reply);
    if (!queue(node, queue_of(i)).open) continue;
    const auto input = full_injection_vc(node, i);
    if (!input) return 0;
    inputs |= bit(*input);
  }
  return inputs;
}

/// The input VC that has no room for the next flit of an injector's message; nothing if it has room, or there
/// is no message with a VC.
std::optional<unsigned> RouterGroups::full_injection_vc(NodeId node, unsigned injector) const {
  const GroupRef group = at(group_of(node));
  const auto is_in = [&](unsigned plane) { return (group.planes(plane)[injector] & plane_of(node)) != 0; };
  if (injecting_[injector_row(node, injector)].message == kNoMessage) return std::nullopt;
  const bool has_vc = !is_in(layout_.put_head) || is_in(node_vcs() == 1 ? layout_.due : layout_.put_chosen);
  if (!has_vc) return std::nullopt;
  unsigned vc = injector * shape().vcs_of_injector();
  while (node_vcs() != 1 && (group.planes(layout_.chosen)[vc] & plane_of(node)) == 0) ++vc;
  bool has_room = (group.planes(layout_.put_room)[vc] & plane_of(node)) != 0;
  for_each_coming(node, Event::slot, vc, [&](Cycle) { has_room = true; });
  return has_room ? std::nullopt : std::optional(first_injection_vc() + vc);
}

/// The message of the first injection channel that puts one of a class.
std::optional<std::uint64_t> RouterGroups::under_way(NodeId node, std::uint32_t message_class) const {
  for (unsigned i = queue_of_class(message_class); i < shape().injectors(); i += shape().queues) {
    const MessageSlot message = injecting_[injector_row(node, i)].message;
    if (message != kNoMessage) return messages_[message].id;
  }
  return std::nullopt;
}

/// The tail of an injector's message is put: an ejection VC is free if the node has room for a request again.
void RouterGroups::end_request(GroupRef group, unsigned number, unsigned injector) {
  const NodeId node = group.node(number);
  const MessageSlot message = injecting_[injector_row(node, injector)].message;
  const auto vc = requests_->answer(node, messages_[message].id);
  if (!vc) return;
  const unsigned output = first_injection_vc() + *vc;
  RouterBlock::Header& header = router(group, number).header();
  header.holds &= ~bit(output);
  if ((header.awaited & bit(output)) != 0) *group.planes(layout_.retry) |= Plane{1} << number;
}

}  // namespace flitscope
