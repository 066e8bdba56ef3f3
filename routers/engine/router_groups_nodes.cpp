// Network interfaces that are limited by ejection buffers or requests in work, or read the flits of longer
// messages from the memories of their nodes (docs/timing.md, "Network interfaces").
#include <array>
#include <optional>

#include "model/bits.h"
#include "routers/engine/router_groups.h"

namespace flitscope {

// --- Ejection buffers, requests in work --------------------------------------------------------------------

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
  for_each_bit(VcSet(router(node).asking()), [&](unsigned vc) {
    const VcSet full = full_ejection_vcs(node, vc);
    bool waits = full.any() && (cause_without_vc(node, vc) == StallCause::sink_full ||
                                cause_without_vc(node, vc) == StallCause::nic_full);
    for_each_bit(full, [&](unsigned output) { waits = waits && !gets_credit(node, output, now_); });
    if (waits) wait_for_ejection_slot(group, node, vc, lowest_bit(full));
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
VcSet RouterGroups::full_ejection_vcs(NodeId node, unsigned vc) const {
  const Front& front = this->front(node, vc);
  if (ejection_buffers_ == nullptr || !parts_ || !parts_->allocates_late() || front.group < link_ports())
    return {};
  VcSet full = choice(front.choice) & ~VcSet(router(node).holds());
  for_each_bit(full, [&](unsigned output) {
    if ((at(group_of(node)).planes(layout_.room)[output] & plane_of(node)) != 0) full = {};
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
               .slot = slot * kMaxInputVcs + output},
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

/// The input VCs of which one must move before the node of a full ejection buffer, or of requests in work,
/// can send what it has to send first. None if it has nothing to send, or can do so.
VcSet RouterGroups::awaited_replies(NodeId node, unsigned vc, unsigned output) const {
  if (output < first_injection_vc()) return {};
  const bool has_vc = is_active(at(group_of(node)), node, vc);
  if (requests_ != nullptr && !has_vc && is_held(node, output) && !holder(node, output)) {
    if (const VcSet inputs = awaited_answers(node, output - first_injection_vc()); inputs.any())
      return inputs;
  }
  if (ejection_buffers_ == nullptr) return {};
  if (!has_vc && !full_ejection_vcs(node, vc).has(output)) return {};
  const auto reply = ejection_buffers_->hindrance(node, output - first_injection_vc(), now_).reply;
  return reply ? inputs_before_room(node, *reply) : VcSet();
}

/// The same of an ejection VC that is kept for requests in work.
VcSet RouterGroups::awaited_answers(NodeId node, unsigned ejection_vc) const {
  VcSet inputs;
  for (const RequestsInWork::Request& request : requests_->kept_for(node, ejection_vc)) {
    const VcSet before = request.reply            ? inputs_before(node, *request.reply, request.queue)
                         : request.waits_for_room ? inputs_before_room(node, *request.waits_for_room)
                                                  : VcSet();
    if (!before.any()) return {};
    inputs |= before;
  }
  return inputs;
}

/// The input VCs of which one must move before a message that waits in a queue, or is put, goes on; none if
/// it can.
VcSet RouterGroups::inputs_before(NodeId node, std::uint64_t message, unsigned queue) const {
  VcSet inputs;
  bool moves = false;
  const auto add = [&](unsigned injector) {
    const auto input = full_injection_vc(node, injector);
    moves |= !input;
    if (input) inputs.add(*input);
  };
  const auto puts = [&](unsigned injector) {
    const MessageSlot slot = injecting_[injector_row(node, injector)].message;
    return slot != kNoMessage && messages_[slot].id == message;
  };
  unsigned injector = 0;
  while (injector < shape().injectors() && !puts(injector)) ++injector;
  if (injector < shape().injectors()) {
    add(injector);
  } else {
    for_each_taker(queue, add);
  }
  return moves ? VcSet() : inputs;
}

/// The same before the queue of a message class has room; none if it has, or will have.
VcSet RouterGroups::inputs_before_room(NodeId node, std::uint32_t message_class) const {
  if (!injection_queue_ || queued(node, message_class) < *injection_queue_) return {};
  VcSet inputs;
  const NetworkPorts& own = network_ports(message_class);
  for (unsigned channel = own.first_channel; channel < own.end_channel; ++channel) {
    const unsigned i = channel * shape().queues + queue_of_class(message_class);
    if (!queue(node, queue_of(i)).open) continue;
    const auto input = full_injection_vc(node, i);
    if (!input) return {};
    inputs.add(*input);
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
  const RouterBlock router = this->router(group, number);
  router.holds().remove(output);
  if (router.awaited().has(output)) *group.planes(layout_.retry) |= Plane{1} << number;
}

// --- Memories: banks, and intervals of reads ---------------------------------------------------------------

/// Injectors whose present message has several flits.
Plane RouterGroups::puts_several(GroupRef group, unsigned number) const {
  Plane several = ~group.planes(layout_.put_head)[number] | group.planes(layout_.put_more)[number];
  for (unsigned i = 1; i < left_bits_; ++i)
    several |= group.planes(layout_.to_put)[number + i * layout_.injector_words];
  return several;
}

/// Injectors that may put a flit of a longer message, and have not read it.
Plane RouterGroups::needs_read(GroupRef group, unsigned number) const {
  return group.planes(layout_.due)[number] & puts_several(group, number) &
         ~group.planes(layout_.has_read)[number];
}

/// Of `routers`, those in which another injector keeps the bank of an injector's next flit.
Plane RouterGroups::same_bank(GroupRef group, unsigned number, unsigned other, Plane routers) const {
  const Plane* const left = group.planes(layout_.to_put);
  Plane same = group.planes(layout_.has_read)[other] & routers;
  for (unsigned i = 0; bit(i) < shape().banks && same != 0; ++i)
    same &= ~(left[number + i * layout_.injector_words] ^ left[other + i * layout_.injector_words]);
  for_each_bit(same, [&](unsigned router) {
    if (now_ - read_at_[injector_row(group.node(router), other)] >= bank_hold_) same &= ~(Plane{1} << router);
  });
  return same;
}

/// Flits of longer messages that move to an ejection channel write their banks.
void RouterGroups::note_writes(GroupRef group) {
  for_each_plane(moved_.data(), input_vcs(), [&](unsigned vc, Plane routers) {
    for_each_bit(routers, [&](unsigned router) {
      const Front& front = this->front(group.node(router), vc);
      if (front.output < first_injection_vc() || front.flits == 1) return;
      const std::uint32_t behind =
          sliced::of(group.planes(layout_.left) + vc, kLeftBits, layout_.vc_words, router) + front.more;
      written_[(behind + 1) % shape().banks] |= Plane{1} << router;
    });
  });
}

/// Injectors read their next flits, those that have none cannot put one.
void RouterGroups::read_flits(GroupRef group, Plane* could_put) {
  std::array<Plane, kMaxInputVcs> could_read;  // by injector
  for (unsigned number = 0; number < shape().injectors(); ++number)
    could_read[number] = needs_read(group, number);
  if (reads_ != nullptr) keep_pace(group, could_read.data());
  for (unsigned number = 0; number < shape().injectors(); ++number) {
    Plane reads = could_read[number];
    for_each_bit(reads, [&](unsigned router) {
      const unsigned left =
          sliced::of(group.planes(layout_.to_put) + number, kLeftBits, layout_.injector_words, router);
      reads &= ~(written_[left % shape().banks] & Plane{1} << router);
    });
    for (unsigned other = 0; other < shape().injectors() && reads != 0; ++other) {
      if (network_ports(other % shape().queues).network != network_ports(number % shape().queues).network)
        reads &= ~same_bank(group, number, other, reads);
    }
    group.planes(layout_.has_read)[number] |= reads;
    could_put[number] &= ~needs_read(group, number);
    for_each_bit(reads, [&](unsigned router) { read_at_[injector_row(group.node(router), number)] = now_; });
  }
  written_.fill(0);
}

/// Calls visit(its reads, puts[injector], router) for injectors that are in `puts` with a longer message.
template <typename Visit>
void RouterGroups::for_each_paced(GroupRef group, Plane* puts, Visit visit) {
  for (unsigned number = 0; number < shape().injectors(); ++number) {
    for_each_bit(puts[number] & puts_several(group, number), [&](unsigned router) {
      visit(reads_[injector_row(group.node(router), number)], puts[number], Plane{1} << router);
    });
  }
}

/// Injectors whose memory cannot read the next flit of a longer message yet do not read or put it.
void RouterGroups::keep_pace(GroupRef group, Plane* could_put) {
  for_each_paced(group, could_put, [&](const LinkInterval& reads, Plane& puts, Plane router) {
    if (reads.free_from > now_) puts &= ~router;
  });
}

/// Injectors put the flits that their memories have read, and read the next ones later.
void RouterGroups::take_reads(GroupRef group, Plane* puts) {
  for_each_paced(group, puts, [&](LinkInterval& reads, auto&&...) { reads.take(now_, 0); });
}

}  // namespace flitscope
