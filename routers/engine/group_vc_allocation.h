// Stage 4 of docs/timing.md, routing and VC allocation: heads one by one.
#pragma once

#include "routers/engine/group_cycle.h"

namespace flitscope {

/// Heads that are usable for the first time: those behind another message wait for its tail, the others,
/// and all heads of routers that have released a VC which one of them waits for, request an output VC.
template <GroupShape kShape, GroupVersion kVersion>
bool GroupCycle<kShape, kVersion>::take_heads(GroupRef group) {
  // The order of requests matters only where there are several for a group of output VCs.
  Plane several = std::exchange(*group.planes(layout().retry), 0);
  std::fill_n(claims_.begin(), ports(), 0);
  if (beyond_cache_ && group.number + 1 - first_ < own_groups_) prefetch_heads(at(group.number + 1));
  bool works = several != 0;
  fresh_[0] = find_requests(group, false, several, works);
  fresh_[1] = find_requests(group, true, several, works);
  for (const std::span<ComingHead> heads : fresh_) request_vcs(group, heads, several);
  if (needs_space()) several |= regains_slots_ & group.planes(layout().asking)[0];
  for_each_bit(several, [&](unsigned router) { works |= allocate_vcs(group, router); });
  changed_ |= works | (several != 0) | !fresh_[0].empty() | !fresh_[1].empty();
  return works;
}

/// The same in routers with parts, which allocate VCs to all heads together.
template <GroupShape kShape, GroupVersion kVersion>
bool GroupCycle<kShape, kVersion>::take_heads_by_parts(GroupRef group) {
  const Plane askers = std::exchange(*group.planes(layout().retry), 0) | take_askers(group);
  Plane several = askers;
  bool works = askers != 0;
  for (const bool arrived : {false, true}) {
    for (const ComingHead& head : find_requests(group, arrived, several, works)) {
      if (head.flits != 0) wait(group, head);
    }
  }
  parts_->groups[group.number].askers = delays_routing() ? askers : several;
  for_each_bit(parts_->groups[group.number].askers,
               [&](unsigned router) { allocate_vcs_by_parts(group, router); });
  return works;
}

/// Prefetches what the heads that are usable now in a group need, line by line of the cache: while the group
/// before it is visited; and the list of the heads of the next one. In networks of which not even the planes
/// fit there, also those that each cycle reads, with the events of this cycle and those that its flits post.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::prefetch_heads(GroupRef group) {
  constexpr std::size_t kLargeCache = std::size_t{1} << 21;  // planes
  constexpr unsigned kLine = 8;
  if (std::size_t{groups_} * numbers_.words > kLargeCache) {
    const auto fetch = [&](unsigned first, unsigned end) {
      for (unsigned word = first / kLine * kLine; word < end; word += kLine) prefetch(group.planes(word));
    };
    fetch(0, layout().lost);
    fetch(layout().left, layout().left + left_bits_ * vc_words());
    fetch(layout().to_put, layout().to_put + left_bits_ * injector_words());
    fetch(layout().end, numbers_.events);
    fetch(events_now(), events_now() + numbers_.events_of_cycle);
    fetch(after_hop_[0].events, after_hop_[0].events + numbers_.events_of_cycle);
  }
  for (const bool arrived : {false, true}) {
    for (const ComingHead& head : heads_at(now_, group.number, arrived)) {
      if (head.flits == kMostLeft || head.vc >= first_injection_vc()) prefetch(&messages_[head.message]);
      if (arrived) prefetch(&messages_[head.message].head_arrived);
      prefetch(router(group, head.router).block);
      prefetch(&receivers_.nodes[std::size_t{group.node(head.router)} * link_ports()]);
    }
    if (group.number + 1 - first_ >= own_groups_) continue;
    const HeadList& next = heads_at(now_, group.number + 1, arrived);
    for (const ComingHead* head = next.begin(); head < next.end(); head += 2) prefetch(head);
  }
}

/// Routes the heads that are usable now, those at their destination or the others, and notes the routers with
/// several for a group of output VCs. Those behind other messages wait.
template <GroupShape kShape, GroupVersion kVersion>
std::span<ComingHead> GroupCycle<kShape, kVersion>::find_requests(GroupRef group, bool arrived,
                                                                  Plane& several, bool& some) {
  const std::span<ComingHead> heads = head_memory_.take(heads_at(now_, group.number, arrived), arrived);
  for (ComingHead& head : heads) {
    const Plane router = Plane{1} << head.router;
    if (stores_and_forwards()) arrive_whole(group, head);
    const RouterBlock block = this->router(group, head.router);
    bool waits = block.asking().has(head.vc);
    if (delays_heads()) waits |= block.granted().has(head.vc) || is_routed(group.node(head.router), head.vc);
    if (waits || (group.planes(layout().active)[head.vc] & router) != 0) {
      append(group, head);
      head.flits = 0;
      continue;
    }
    head.choice = choice_of(group.node(head.router), head.vc, head.content, head.message, arrived);
    if (weighs_requests()) {
      several |= router;
    } else {
      Plane& claims = claims_[head.choice.group];
      several |= claims & router;
      claims |= router;
    }
    some = true;
  }
  return heads;
}

/// All flits of a message are usable.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::arrive_whole(GroupRef group, const ComingHead& head) {
  const Plane router = Plane{1} << head.router;
  sliced::add(group.planes(numbers_.usable) + head.vc, numbers_.count_bits, vc_words(), router,
              messages_[head.message].flits);
  group.planes(layout().ready)[head.vc] |= router;
}

/// The output VCs that a head requests; of several candidates it selects one in every cycle.
template <GroupShape kShape, GroupVersion kVersion>
ComingHead::Choice GroupCycle<kShape, kVersion>::choice_of(NodeId node, unsigned vc, const Head& head,
                                                           MessageSlot message, bool arrived) const {
  const unsigned message_class = has_classes() ? messages_[message].message_class : 0;
  if (arrived) {
    return {static_cast<std::uint16_t>(ejection_choice(vc, message_class)),
            static_cast<std::uint8_t>(link_ports() + network_ports(message_class).network)};
  }
  if (is_adaptive()) return {};
  const Arrival arrival = this->arrival(vc, message_class);
  Candidate candidate;
  if (vc >= first_injection_vc()) {
    candidate = messages_[message].first;
  } else {
    candidate = routing_of_class(message_class).first_candidate(node, arrival, head);
    if (has_classes()) candidate.port += network_ports(message_class).first_link_port;
  }
  return {static_cast<std::uint16_t>(link_choice(candidate.port, candidate.channel_class, message_class)),
          static_cast<std::uint8_t>(candidate.port)};
}

/// Grants an output VC to those that need not contend; the others wait.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::request_vcs(GroupRef group, std::span<ComingHead> heads, Plane several) {
  for (ComingHead& head : heads) {
    if (head.flits == 0) continue;
    const Set free = choice(head.choice.number) & ~Set(router(group, head.router).holds());
    const bool contends = (several >> head.router & 1) != 0;
    if (observes_flits() && !contends) {
      note_routed(group.node(head.router), head.vc, head.choice.group, head.message);
    }
    if (!free.any() || contends) {
      wait(group, head);
      if (!contends && observes_stalls()) note_wait_for_vc(group.node(head.router), head.vc, now_);
      head.flits = 0;
      continue;
    }
    const unsigned output = grant(group, head.router, head.vc, head.choice.group, free, head.flits);
    if (is_observed()) note_granted(group.node(head.router), head.vc, output, head.message);
    head.output = static_cast<std::uint8_t>(output);
  }
}

/// A message comes behind those in an input VC.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::append(GroupRef group, const ComingHead& head) {
  const NodeId node = group.node(head.router);
  Front& front = this->front(node, head.vc);
  waiting_at(node, head.vc, front.first + front.waiting++) = head.message;
  group.planes(layout().behind)[head.vc] |= Plane{1} << head.router;
}

/// The head at the front of an input VC waits for an output VC.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::wait(GroupRef group, const ComingHead& head) {
  Front& front = router(group, head.router).front(head.vc);
  front.message = head.message;
  front.flits = flits_of(head);
  front.choice = head.choice.number;
  front.group = head.choice.group;
  front.since = now_;
  if (delays_routing()) return request_after(group, head.router, head.vc, parts_->options.routing_delay);
  const RouterBlock router = this->router(group, head.router);
  router.asking().add(head.vc);
  router.awaited().add(choice(head.choice.number));
}

/// All heads of a router without an output VC request one. Returns whether any gets one.
template <GroupShape kShape, GroupVersion kVersion>
bool GroupCycle<kShape, kVersion>::allocate_vcs(GroupRef group, unsigned number) {
  const RouterBlock router = this->router(group, number);
  router.awaited().clear();
  const VcSet hopeful = is_adaptive() ? select_candidates(group, number, ~VcSet(router.holds())) : VcSet();
  bool granted = false;
  Set left = router.asking();
  while (left.any()) {
    const unsigned wanted = router.front(lowest_bit(left)).group;
    Set requests;
    for_each_bit(left, [&](unsigned vc) {
      if (router.front(vc).group == wanted) requests.add(vc);
    });
    left &= ~requests;
    const unsigned first = router.turn(wanted).request;
    while (requests.any()) {
      const unsigned vc = first_from(has_priorities() ? Set(of_highest_priority(requests)) : requests, first);
      requests.remove(vc);
      Front& front = router.front(vc);
      if (observes_flits() && front.since == now_) {
        note_routed(group.node(number), vc, front.group, front.message);
      }
      const Set holds = router.holds();
      Set free = choice(front.choice) & ~holds;
      if (needs_space()) free = Set(with_required_slots(group, number, vc, free));
      if (!free.any()) {
        router.awaited().add(choice(front.choice));
        if (weighs_requests()) {
          fail_request(group, group.node(number), vc, choice(front.choice) & holds,
                       choice(front.choice) & ~holds);
        } else if (observes_stalls()) {
          note_wait_for_vc(group.node(number), vc, now_);
        }
        continue;
      }
      granted = true;
      router.asking().remove(vc);
      if (front.since < now_) count_stall_since(group, group.node(number), vc, now_);
      if (observes_stalls()) observed_stalls_->end(group.node(number), vc, now_);
      const std::uint32_t counted = std::min(front.flits, kMostLeft);
      front.output = static_cast<std::uint8_t>(grant(group, number, vc, wanted, free, counted));
      front.more = front.flits - counted;
      if (is_observed()) note_granted(group.node(number), vc, front.output, front.message);
      group.planes(layout().head)[vc] |= Plane{1} << number;
      if (is_adaptive() && wanted < link_ports()) {
        selector_->note_grant(row(group.node(number), vc), wanted);
      }
    }
  }
  if (weighs_requests()) wait_on(group, number, (hopeful & VcSet(router.asking())).any(), granted);
  return granted;
}

/// Grants one of the free output VCs to the head at the front of an input VC, whose message has so many
/// flits or more. Returns which.
template <GroupShape kShape, GroupVersion kVersion>
unsigned GroupCycle<kShape, kVersion>::grant(GroupRef group, unsigned number, unsigned vc, unsigned requested,
                                             const Set& free, std::uint32_t counted) {
  const RouterBlock router = this->router(group, number);
  RouterBlock::Turn& turn = router.turn(requested);
  const unsigned output = first_from(free, turn.vc);
  turn.vc = vc_info(output).next_of_group;
  turn.request = vc_info(vc).next;
  router.holds().add(output);
  const Plane plane = Plane{1} << number;
  sliced::set(group.planes(layout().left) + vc, vc_words(), plane, counted);
  if (!delays_grants()) {
    hold(group, number, vc, output, layout());
  } else {
    router.granted().add(vc);
    router.front(vc).output = static_cast<std::uint8_t>(output);
    post(after_grant_, group, Event::hold, vc, plane);
  }
  return output;
}

}  // namespace flitscope
