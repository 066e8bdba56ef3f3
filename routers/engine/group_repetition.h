// Cycles of a group that are like the last one: what leaves is posted again, all else stays as it is
// (SteadyGroup).
#pragma once

#include "routers/engine/group_cycle.h"

namespace flitscope {

/// The greatest k for which the numbers of all `routers` are at least 2^k, of `quads` quads side by side; 0
/// if one of them is 0.
[[gnu::always_inline]] [[nodiscard]] inline unsigned log_of_least(const Quad* number, unsigned bits,
                                                                  unsigned quads, const Quad* routers) {
  Quads above{};
  for (unsigned k = bits - 1; k != 0; --k) {
    Quad below{};
    for (unsigned i = 0; i < quads; ++i) {
      above[i] |= number[k * quads + i];
      below |= routers[i] & ~above[i];
    }
    if (any_of(below) == 0) return k;
  }
  return 0;
}

/// Notes whether the next cycle can be like this one, in which all candidates have moved.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::find_steady(GroupRef group) {
  Quad differs{};
  Quad moves{};
  for (unsigned i = 0; i < vc_quads(); ++i) {
    const Quad moved = group.quads(layout().moved)[i];
    differs |= (arrivals_[i] & ~last_[i]) ^ moved;
    moves |= moved;
  }
  for (unsigned i = 0; i < injector_quads(); ++i) {
    differs |= group.quads(layout().idle)[i] & group.quads(layout().queued)[i];
    group.quads(layout().put)[i] = put_[i] & group.quads(layout().due)[i];
  }
  steady_[group.number].cycles = 0;
  *group.planes(layout().steady) =
      any_of(moves) != 0 && (any_of(differs) | *group.planes(layout().retry)) == 0 ? 1 : 0;
}

/// Passes a cycle like the last one. Returns false if it is not.
template <GroupShape kShape, GroupVersion kVersion>
bool GroupCycle<kShape, kVersion>::repeat_cycle(GroupRef group) {
  SteadyGroup& steady = steady_[group.number];
  Quad* const events = group.quads(events_now());
  bool repeats = has_same_flits(group, events);
  if (repeats && steady.passed == steady.cycles) {
    steady.cycles = cycles_without_tails(group);
    repeats = steady.cycles != 0;
  }
  if (!repeats || !exchange_slots(group, events)) {
    *group.planes(layout().steady) = 0;
    settle(group, layout());
    return false;
  }
  std::fill_n(events, numbers_.events_of_cycle / 4, Quad{});
  if (!steady.has_posts && steady.passed == 1) find_posts(group);
  if (steady.has_posts) {
    post_moves(steady);
  } else {
    std::copy_n(group.quads(layout().moved), vc_quads(), moved_.data());
    std::copy_n(group.quads(layout().sent), vc_quads(), sent_.data());
    post_credits(group);
    post_arrivals(group);
  }
  for_each_plane(group.quads(layout().put), injectors(), [&](unsigned number, Plane put) {
    post(after_put_, group, Event::arrival, first_injection_vc() + number, put);
  });
  marks_->wake(group.number, now_ + 1);
  works_ = true;
  ++steady.passed;
  return true;
}

/// Whether flits arrive in this cycle in the input VCs from which they leave, and no head or message comes.
template <GroupShape kShape, GroupVersion kVersion>
bool GroupCycle<kShape, kVersion>::has_same_flits(GroupRef group, const Quad* events) {
  for (const bool arrived : {false, true}) {
    const HeadList& heads = heads_at(now_, group.number, arrived);
    if (heads.begin() != heads.end()) return false;
  }
  Quad differs{};
  for (unsigned i = 0; i < vc_quads(); ++i) differs |= events[i] ^ group.quads(layout().moved)[i];
  for (unsigned i = 0; i < injector_quads(); ++i)
    differs |= group.quads(layout().idle)[i] & group.quads(layout().queued)[i];
  // Behind credits and slots of injection VCs, see exchange_slots().
  for (unsigned i = numbers_.of(Event::slot) / 4 + injector_quads(); i < numbers_.events_of_cycle / 4; ++i)
    differs |= events[i];
  return (any_of(differs) | *group.planes(layout().retry)) == 0;
}

/// Cycles in which no tail leaves, or is put; perhaps not all of them.
template <GroupShape kShape, GroupVersion kVersion>
std::uint32_t GroupCycle<kShape, kVersion>::cycles_without_tails(GroupRef group) {
  settle(group, layout());
  const unsigned left =
      log_of_least(group.quads(layout().left), left_bits_, vc_quads(), group.quads(layout().moved));
  const unsigned to_put =
      log_of_least(group.quads(layout().to_put), left_bits_, injector_quads(), group.quads(layout().put));
  return (1U << std::min(left, to_put)) - 1;
}

/// Output VCs and injection VCs get the slots of this cycle, and the flits that move take some. Returns
/// false, and changes nothing, if one without room gets or lacks a slot: it may change which flits move.
template <GroupShape kShape, GroupVersion kVersion>
bool GroupCycle<kShape, kVersion>::exchange_slots(GroupRef group, const Quad* events) {
  const Quad* const credits = events + numbers_.of(Event::credit) / 4;
  const Quad* const freed = events + numbers_.of(Event::slot) / 4;
  const Quad* const sent = group.quads(layout().sent);
  const Quad* const put = group.quads(layout().put);
  Quad differs{};
  Quad without_room{};
  for (unsigned i = 0; i < vc_quads(); ++i) {
    const Quad changes = (credits[i] ^ sent[i]) & links_[i];
    differs |= changes;
    without_room |= changes & ~group.quads(layout().room)[i];
  }
  for (unsigned i = 0; i < injector_quads(); ++i) {
    differs |= freed[i] ^ put[i];
    without_room |= (freed[i] ^ put[i]) & ~group.quads(layout().put_room)[i];
  }
  if (any_of(differs) == 0) return true;
  if (any_of(without_room) != 0) return false;
  for (unsigned i = 0; i < vc_quads(); ++i) count_slots(group, i, credits[i], sent[i]);
  for (unsigned i = 0; i < injector_quads(); ++i) count_put_slots(group, i, freed[i], put[i]);
  return true;
}

/// Finds what the flits that move post, if these are few.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::find_posts(GroupRef group) {
  SteadyGroup& steady = steady_[group.number];
  unsigned moves = 0;
  for (unsigned i = 0; i < vc_quads(); ++i) moves += count_of(group.quads(layout().moved)[i]);
  if (moves > kGroupSize) return;
  steady.has_posts = true;
  steady.flit_hops = 0;
  steady.posts.resize(2 * delays_.size() + 1);
  for (SteadyGroup::Posts& posts : steady.posts) posts.clear();
  for_each_plane(group.quads(layout().moved), input_vcs(), [&](unsigned vc, Plane routers) {
    for_each_bit(routers, [&](unsigned router) {
      change_posts(group, {router, vc, held_output(group, router, vc, layout())}, true);
    });
  });
}

/// Adds what a flit posts that moves in each cycle, or removes it.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::change_posts(GroupRef group, const Move& move, bool adds) {
  SteadyGroup& steady = steady_[group.number];
  const auto change = [&](std::size_t list, Event event, unsigned number, NodeId node) {
    const GroupRef other = at(group_of(node));
    const SteadyGroup::Post post{other.planes(numbers_.of(event) + number), plane_of(node), other.number};
    adds ? steady.add(list, post) : steady.remove(list, post);
  };
  const NodeId node = group.node(move.router);
  if (move.output < first_injection_vc()) {
    const unsigned port = port_of_vc(move.output);
    change(delay_of(node, port), Event::arrival, move.output, receivers_.nodes[link_row(node, port)]);
    adds ? ++steady.flit_hops : --steady.flit_hops;
  }
  if (move.vc < first_injection_vc()) {
    const unsigned port = port_of_vc(move.vc);
    const NodeId sender = senders_.nodes[link_row(node, port)];
    change(delays_.size() + delay_of(sender, port), Event::credit, move.vc, sender);
  } else {
    change(2 * delays_.size(), Event::slot, move.vc - first_injection_vc(), node);
  }
}

/// Posts what the flits that move in each cycle do.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::post_moves(const SteadyGroup& steady) {
  const SteadyGroup::Posts* posts = steady.posts.data();
  const auto post = [&](const ComingCycle& then) {
    for (const SteadyGroup::Post& each : *posts) {
      each.word[then.events] |= each.routers;
      then.agenda.wake(each.group);
    }
    ++posts;
  };
  for (const ComingCycle& then : after_hop_) post(then);
  for (const ComingCycle& then : after_credit_) post(then);
  post(after_slot_);
  flit_hops_ += steady.flit_hops;
}

}  // namespace flitscope
