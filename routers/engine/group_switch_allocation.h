// Stage 5 of docs/timing.md, switch allocation: first in circular order, on planes.
#pragma once

#include "routers/engine/group_cycle.h"

namespace flitscope {

/// Finds the flits at the front of an input VC that have an output VC with room. The others with an output
/// VC are stalled. Returns whether there are any.
template <GroupShape kShape, GroupVersion kVersion>
bool GroupCycle<kShape, kVersion>::find_candidates(GroupRef group) {
  Quads no_room;  // active or not: the number of an output VC without a slot
  Quad some_full{};
  for (unsigned i = 0; i < vc_quads(); ++i) {
    no_room[i] = Quad{};
    some_full |= ~group.quads(layout().room)[i];
  }
  if (kWide) find_without_room(group, no_room);
  const unsigned ports_with_full = !kWide && any_of(some_full) != 0 ? ports() : 0;
  for (unsigned port = 0, output = 0; port < ports_with_full; ++port) {
    const Plane* const room = group.planes(layout().room) + output;
    Plane full = 0;
    for (unsigned number = 0; number < vcs_of_port(port); ++number, ++output) full |= ~room[number];
    if (full == 0) continue;
    for (unsigned i = 0; i < vc_quads(); ++i) {
      Quad of_port = Quad{} | full;
      sliced::keep_equal(output_port(group, i), port_bits(), vc_quads(), port, of_port);
      for (unsigned number = 0; number < vcs_of_port(port); ++number) {
        Quad routers = of_port & ~room[number];
        sliced::keep_equal(output_vc(group, i), vc_bits(), vc_quads(), number, routers);
        no_room[i] |= routers;
      }
    }
  }
  Quad some{};
  Quad changed{};
  for (unsigned i = 0; i < vc_quads(); ++i) {
    const Quad moving = group.quads(layout().ready)[i] & group.quads(layout().active)[i];
    candidates_[i] = moving & ~no_room[i];
    if (has_busy_ports()) {
      find_busy(group, i);
      candidates_[i] &= ~busy_[i];
    }
    some |= candidates_[i];
    Quad& waits = group.quads(layout().no_room)[i];
    before_[i] = waits;
    waits = moving & no_room[i];
    changed |= before_[i] ^ waits;
    moved_[i] = sent_[i] = Quad{};
  }
  if (any_of(changed) != 0) {
    changed_ = works_ = true;  // also for those that look for deadlocks in cycles with work
    const auto* const before = before_.planes();
    for (unsigned vc = 0; vc < input_vcs(); ++vc) {
      const Plane now = group.planes(layout().no_room)[vc];
      if (before[vc] != now) note_stalls(group, vc, before[vc], now);
    }
  }
  return any_of(some) != 0;
}

/// Candidates whose output VC is one of a busy port.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::find_busy(GroupRef group, unsigned i) {
  Quad behind{};
  for (unsigned port = 0; port < ports(); ++port) {
    const Plane busy = group.planes(numbers_.busy)[port];
    if (busy == 0) continue;
    Quad routers = Quad{} | busy;
    sliced::keep_equal(output_port(group, i), port_bits(), vc_quads(), port, routers);
    behind |= routers;
  }
  busy_[i] = candidates_[i] & behind;
}

/// Flits without room in the last cycle and in this one, of all with the number of one input VC.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::note_stalls(GroupRef group, unsigned vc, Plane before, Plane no_room) {
  for_each_bit(no_room & ~before, [&](unsigned router) {
    const NodeId node = group.node(router);
    front(node, vc).since = now_;
    if (has_ejection_buffers()) {
      without_room_.emplace_back(node, vc);
    } else if (observes_stalls()) {
      missing_slots_.emplace_back(node, vc);
    }
  });
  for_each_bit(before & ~no_room, [&](unsigned router) {
    count_stall_since(group, group.node(router), vc, now_);
    if (observes_stalls()) observed_stalls_->end(group.node(router), vc, now_);
  });
}

/// Allocates the switch by what differs from the last traversal, if that is little: candidates that moved a
/// flit then move one to the same output VC, as long as none of the others contends with them. Returns
/// whether it did.
template <GroupShape kShape, GroupVersion kVersion>
bool GroupCycle<kShape, kVersion>::repeat_moves(GroupRef group) {
  if (*group.planes(layout().repeatable) == 0) return false;
  Quad* const moved = group.quads(layout().moved);
  Quads changed;
  Quad some{};
  for (unsigned i = 0; i < vc_quads(); ++i) {
    changed[i] = candidates_[i] ^ moved[i];
    some |= changed[i];
  }
  if (any_of(some) != 0 && (count_of(some) > ports() || !change_moves(group, changed))) {
    if (steady_ != nullptr) steady_[group.number].has_posts = false;
    return false;
  }
  std::copy_n(moved, vc_quads(), moved_.data());
  std::copy_n(group.quads(layout().sent), vc_quads(), sent_.data());
  return true;
}

/// Removes and adds the moves of some input VCs, one by one. Returns false if too many are added, or one
/// contends with another; `moved`, `sent` and the posts of the group are of no use then.
template <GroupShape kShape, GroupVersion kVersion>
bool GroupCycle<kShape, kVersion>::change_moves(GroupRef group, Quads& changed) {
  std::array<Move, kMostVcs> added;
  std::size_t size = 0;
  const Plane* const candidates = candidates_.planes();
  Plane* const moved = group.planes(layout().moved);
  Plane* const sent = group.planes(layout().sent);
  const bool has_posts = this->has_posts(group);
  for_each_plane(changed.data(), input_vcs(), [&](unsigned vc, Plane routers) {
    for_each_bit(routers, [&](unsigned router) {
      const Move move{router, vc, held_output(group, router, vc, layout())};
      const Plane plane = Plane{1} << router;
      if ((moved[vc] & plane) == 0) {
        if (size < added.size()) added[size] = move;
        ++size;
        return;
      }
      sent[move.output] &= ~plane;
      if (has_posts) change_posts(group, move, false);
    });
    moved[vc] = candidates[vc];
  });
  if (size > added.size()) return false;
  for (const auto& [router, vc, output] : std::span(added.data(), size)) {
    Plane others = 0;
    for_each_of_port(vc, [&](unsigned other) { others |= other != vc ? candidates[other] : 0; });
    for_each_of_port(output, [&](unsigned other) { others |= sent[other]; });
    if ((others >> router & 1) != 0) return false;
    sent[output] |= Plane{1} << router;
  }
  for (const Move& move : std::span(added.data(), size)) {
    take_turn(group, move);
    if (has_posts) change_posts(group, move, true);
  }
  return true;
}

/// The next ones are the turn of others: a flit moves from an input VC of a router to an output VC.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::take_turn(GroupRef group, const Move& move) {
  const auto& [router, vc, output] = move;
  const Plane plane = Plane{1} << router;
  Plane* const next = group.planes(layout().next_input) + port_of_vc(output);
  const unsigned behind = (port_of_vc(vc) + 1) % ports();
  for (unsigned k = 0; k < port_bits(); ++k) {
    Plane& digit = next[k * port_quads() * 4];
    digit = (digit & ~plane) | Plane{behind >> k & 1} << router;
  }
  Plane* const turn = group.planes(layout().turn);
  for_each_of_port(vc, [&](unsigned other) { turn[other] &= ~plane; });
  turn[vc] |= plane;
}

/// Every input port picks one of its VCs.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::pick_inputs(GroupRef group) {
  std::copy_n(candidates_.data(), vc_quads(), picked_.data());
  if (has_priorities()) keep_highest_of_ports(group, candidates_.planes(), picked_.planes());
  const auto* const candidates = picked_.planes();
  const unsigned all = ports();
#pragma GCC unroll 16
  for (unsigned port = 0, vc = 0; port < all; ++port) {
    const unsigned first = vc;
    Plane any = 0;
    Plane several = 0;
    for (const unsigned end = first + vcs_of_port(port); vc < end; ++vc) {
      several |= any & candidates[vc];
      any |= candidates[vc];
    }
    if (several != 0) arbitrate_input(group, first, vc - first, several);
  }
}

/// In the routers `contested` a port with so many VCs picks the first one in circular order behind the last
/// winner.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::arbitrate_input(GroupRef group, unsigned first, unsigned vcs,
                                                   Plane contested) {
  const Plane* const turn = group.planes(layout().turn) + first;
  keep_first<kMaxVirtualChannels>(picked_.planes() + first, vcs, contested, [&](unsigned i, Plane& behind) {
    if (i != 0) behind |= turn[i - 1];
  });
}

/// Every output port picks one of the input ports.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::pick_outputs(GroupRef group) {
  PortRequests requests;
  find_port_requests(group, requests);
  const unsigned all = ports();
  unsigned output = 0;
  for (unsigned i = 0; i < port_quads(); ++i) {
    // The requests of an input port, and of them those that win: bit by bit of four output ports.
    PortQuads wins;
    Quad any{};
    Quad contested{};
#pragma GCC unroll 16
    for (unsigned from = 0; from < all; ++from) {
      sliced::decode(requests[from].port, port_bits(), 1, requests[from].routers, i, wins[from]);
      contested |= any & wins[from];
      any |= wins[from];
    }
    if (has_priorities() && any_of(contested) != 0)
      keep_highest_requests(group, i, picked_.planes(), wins.quads);
    Quad* const next = group.quads(layout().next_input) + i;
    if (any_of(contested) != 0) {
      keep_first<kMostVcs>(wins.quads, all, contested, [&](unsigned from, Quad& behind) {
        Quad at_next = ~Quad{};
        sliced::keep_equal(next, port_bits(), port_quads(), from, at_next);
        behind |= at_next;
      });
    }
    for (unsigned k = 0; k < port_bits(); ++k) next[k * port_quads()] &= ~any;
    Quad vc[kNumberBits] = {};  // of the winner's output VC
#pragma GCC unroll 16
    for (unsigned from = 0, input = 0; from < all; ++from) {
      for (unsigned k = 0; k < port_bits(); ++k) {
        if (((from + 1) % all >> k & 1) != 0) next[k * port_quads()] |= wins[from];
      }
      for (unsigned k = 0; k < vc_bits(); ++k) vc[k] |= wins[from] & requests[from].vc[k];
      const Plane some = any_of(wins[from]);
      for (const unsigned end = input + vcs_of_port(from); input < end; ++input) {
        moved_.planes()[input] |= picked_.planes()[input] & some;
      }
    }
    for (unsigned port = i * 4; port < std::min(i * 4 + 4, all); ++port) {
      for (unsigned number = 0; number < vcs_of_port(port); ++number, ++output) {
        Plane routers = any[port % 4];
        for (unsigned k = 0; k < vc_bits(); ++k) routers &= vc[k][port % 4] ^ (Plane{number >> k & 1} - 1);
        sent(output) = routers;
      }
    }
  }
}

/// Finds the output VCs behind the input VCs that input ports have picked.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::find_port_requests(GroupRef group, PortRequests& requests) {
  const Plane* const picked = picked_.planes();
  const unsigned all = ports();
#pragma GCC unroll 16
  for (unsigned from = 0, vc = 0; from < all; ++from) {
    PortRequest& request = requests[from];
    request.routers = 0;
    std::fill_n(request.port, port_bits(), 0);
    std::fill_n(request.vc, vc_bits(), 0);
    for (const unsigned end = vc + vcs_of_port(from); vc < end; ++vc) {
      request.routers |= picked[vc];
      for (unsigned k = 0; k < port_bits(); ++k)
        request.port[k] |= picked[vc] & group.planes(layout().output_port + k * vc_words())[vc];
      for (unsigned k = 0; k < vc_bits(); ++k)
        request.vc[k] |= picked[vc] & group.planes(layout().output_vc + k * vc_words())[vc];
    }
  }
}

}  // namespace flitscope
