// Output ports that are busy: links within their intervals, and output queues without room.
//
// The flits of a group that have room may all wait for busy links. Until the first of these is free, or an
// event comes, the group is not visited: they lose the switch in each of these cycles.
#include <algorithm>

#include "model/bits.h"
#include "routers/engine/router_groups.h"

namespace flitscope {

/// Output ports whose interval is over, or whose queues have room.
void RouterGroups::free_ports(GroupRef group) {
  Plane* const busy = group.planes(numbers_.busy);
  for (unsigned port = 0; port < ports(); ++port) {
    for_each_bit(busy[port], [&](unsigned number) {
      const NodeId node = group.node(number);
      if (has_queues() ? parts_->can_queue(node, port) : intervals_[port_row(node, port)].free_from <= now_)
        busy[port] &= ~(Plane{1} << number);
    });
  }
}

/// The flits that leave take their links for an interval.
void RouterGroups::take_links(GroupRef group) {
  for_each_plane(moved_.data(), input_vcs(), [&](unsigned vc, Plane routers) {
    for_each_bit(routers, [&](unsigned number) {
      const Front& front = router(group, number).front(vc);
      if (front.output >= first_injection_vc()) return;
      const unsigned port = port_of_vc(front.output);
      LinkInterval& link = intervals_[port_row(group.node(number), port)];
      link.take(now_, messages_[front.message].id);
      if (link.free_from > now_ + 1) group.planes(numbers_.busy)[port] |= Plane{1} << number;
    });
  });
}

bool RouterGroups::is_busy(GroupRef group, unsigned number, unsigned port) const {
  return has_busy_ports_ && (group.planes(numbers_.busy)[port] >> number & 1) != 0;
}

GroupStalls::Reason RouterGroups::busy_port(NodeId node, unsigned port) const {
  return {.cause = StallCause::switch_lost, .culprit = intervals_[port_row(node, port)].last_message};
}

/// The output port of the flit at the front of an input VC is busy in this cycle.
void RouterGroups::note_busy_port(NodeId node, unsigned vc) {
  begin_stall(node, vc, busy_port(node, port_of_vc(front(node, vc).output)), now_, now_ + 1);
}

template <typename Visit>
void RouterGroups::for_each_with_room(GroupRef group, Visit visit) const {
  for (unsigned vc = 0; vc < input_vcs(); ++vc) {
    const Plane flits = group.planes(layout_.ready)[vc] & group.planes(layout_.active)[vc];
    for_each_bit(flits & ~group.planes(layout_.no_room)[vc],
                 [&](unsigned router) { visit(group.node(router), vc); });
  }
}

void RouterGroups::sleep(GroupRef group) {
  Cycle first = kNever;
  for_each_with_room(group, [&](NodeId node, unsigned vc) {
    const unsigned port = port_of_vc(front(node, vc).output);
    first = std::min(first, intervals_[port_row(node, port)].free_from);
  });
  if (first <= now_ + 1) return marks_->wake(group.number, now_ + 1);
  if (first == kNever) return;
  asleep_from_[group.number] = now_ + 1;
  marks_->wake_at(group.number, first, now_);
  if (observed_stalls_ != nullptr) observe_sleep(group);
}

/// The group is visited in the present cycle.
void RouterGroups::wake_up(GroupRef group) {
  Cycle& from = asleep_from_[group.number];
  if (from == kNever) return;
  count_sleep(group, now_);
  if (observed_stalls_ != nullptr) end_observed_sleep(group, now_);
  from = kNever;
}

/// Counts the cycles of sleep before `end`; it goes on.
void RouterGroups::count_sleep(GroupRef group, Cycle end) {
  Cycle& from = asleep_from_[group.number];
  if (from >= end) return;
  for_each_with_room(group, [&](NodeId node, unsigned vc) {
    count_losses(group, node % kGroupSize, vc);
    count_stall(group, node, vc, StallCause::switch_lost, end - from);
  });
  from = end;
}

/// The stalls of a sleeping group as they are reported go on.
void RouterGroups::observe_sleep(GroupRef group) {
  for_each_with_room(group, [&](NodeId node, unsigned vc) {
    const unsigned port = port_of_vc(front(node, vc).output);
    begin_stall(node, vc, busy_port(node, port), asleep_from_[group.number]);
  });
}

/// They end before cycle `end`.
void RouterGroups::end_observed_sleep(GroupRef group, Cycle end) {
  for_each_with_room(group, [&](NodeId node, unsigned vc) { observed_stalls_->end(node, vc, end); });
}

}  // namespace flitscope
