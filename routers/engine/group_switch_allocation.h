// Stage 5 of docs/timing.md, switch allocation: first in circular order, on planes.
#pragma once

#include "routers/engine/group_cycle.h"

namespace flitscope {

/// Finds the flits at the front of an input VC that have an output VC with room. The others with an output
/// VC are stalled. Returns whether there are any.
template <GroupShape kShape, bool kPlain>
bool GroupCycle<kShape, kPlain>::find_candidates(GroupRef group) {
  forget_released(group);
  Quads active;
  Quads room;
  for (unsigned i = 0; i < vc_quads(); ++i) active[i] = room[i] = Quad{};
  for_each_bit(*group.planes(layout().used), [&](unsigned output) {
    const Plane has_room = group.planes(layout().room)[output];
    for (unsigned i = 0; i < vc_quads(); ++i) {
      const Quad held = group.quads(this->held(output))[i];
      active[i] |= held;
      room[i] |= held & has_room;
    }
  });
  Quad some{};
  Quad changed{};
  for (unsigned i = 0; i < vc_quads(); ++i) {
    group.quads(layout().active)[i] = active[i];
    const Quad moving = group.quads(layout().ready)[i] & active[i];
    candidates_[i] = moving & room[i];
    if (has_busy_ports()) {
      find_busy(group, i);
      candidates_[i] &= ~busy_[i];
    }
    some |= candidates_[i];
    Quad& no_room = group.quads(layout().no_room)[i];
    before_[i] = no_room;
    no_room = moving & ~room[i];
    changed |= before_[i] ^ no_room;
    moved_[i] = Quad{};
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

/// Output VCs that are not held in any router any more are not looked at.
template <GroupShape kShape, bool kPlain>
void GroupCycle<kShape, kPlain>::forget_released(GroupRef group) {
  for_each_bit(std::exchange(*group.planes(layout().released), 0), [&](unsigned output) {
    Quad held{};
    for (unsigned i = 0; i < vc_quads(); ++i) held |= group.quads(this->held(output))[i];
    if (any_of(held) == 0) *group.planes(layout().used) &= ~bit(output);
  });
}

/// Candidates whose output VC is one of a busy port.
template <GroupShape kShape, bool kPlain>
void GroupCycle<kShape, kPlain>::find_busy(GroupRef group, unsigned i) {
  Quad behind{};
  for (unsigned output = 0; output < input_vcs(); ++output) {
    behind |= group.quads(held(output))[i] & group.planes(numbers_.busy)[port_of_vc(output)];
  }
  busy_[i] = candidates_[i] & behind;
}

/// Flits without room in the last cycle and in this one, of all with the number of one input VC.
template <GroupShape kShape, bool kPlain>
void GroupCycle<kShape, kPlain>::note_stalls(GroupRef group, unsigned vc, Plane before, Plane no_room) {
  for_each_bit(no_room & ~before, [&](unsigned router) {
    const NodeId node = group.node(router);
    front(node, vc).since = now_;
    if (has_ejection_buffers()) {
      without_room_.push_back({.node = node, .vc = vc});
    } else if (observes_stalls()) {
      note_without_room({.node = node, .vc = vc});
    }
  });
  for_each_bit(before & ~no_room, [&](unsigned router) {
    count_stall_since(group, group.node(router), vc, now_);
    if (observes_stalls()) observed_stalls_->end(group.node(router), vc, now_, now_);
  });
}

/// Of the flits that wait for room from this cycle on, those at their destination wait for their node.
template <GroupShape kShape, bool kPlain>
void GroupCycle<kShape, kPlain>::note_full_buffers() {
  for (const GroupStalls::MissingSlot& slot : without_room_) {
    if (front(slot.node, slot.vc).output >= first_injection_vc()) {
      note_full_buffer(slot.node, slot.vc);
    } else if (observes_stalls()) {
      note_without_room(slot);
    }
  }
  without_room_.clear();
}

/// Every input port picks one of its VCs.
template <GroupShape kShape, bool kPlain>
void GroupCycle<kShape, kPlain>::pick_inputs(GroupRef group) {
  std::copy_n(candidates_.data(), vc_quads(), picked_.data());
  if (has_priorities()) keep_highest_of_ports(group);
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
    if (several != 0) arbitrate_input(group, vc_info(first).of_port, several);
  }
}

/// In the routers `contested` a port with these VCs picks the first one in circular order behind the last
/// winner.
template <GroupShape kShape, bool kPlain>
void GroupCycle<kShape, kPlain>::arbitrate_input(GroupRef group, std::uint64_t vcs, Plane contested) {
  auto* const picked = picked_.planes();
  std::array<Plane, kMaxVirtualChannels> candidates;
  Plane behind = 0;  // the last winner is a VC before
  Plane left = contested;
  for_each_bit(vcs, [&](unsigned vc) {
    candidates[vc] = picked[vc];
    const Plane wins = candidates[vc] & behind & left;
    left &= ~wins;
    behind |= group.planes(layout().turn)[vc];
    picked[vc] = (candidates[vc] & ~contested) | wins;
  });
  for_each_bit(vcs, [&](unsigned vc) {
    const Plane first = candidates[vc] & left;  // nothing is behind the last winner
    left &= ~first;
    picked[vc] |= first;
  });
}

/// Calls visit(vc, rank) for some input VCs from the highest rank to the lowest: those that are starved,
/// then priority by priority. `rank` has the routers in which the VC may be of it.
template <GroupShape kShape, bool kPlain>
template <typename Visit>
void GroupCycle<kShape, kPlain>::for_each_rank(GroupRef group, std::uint64_t vcs, Visit visit) const {
  visit([&](auto each) {
    for_each_bit(vcs, [&](unsigned vc) { each(vc, group.planes(layout().starved)[vc]); });
  });
  for (const std::uint64_t of_priority : input_vcs_of_priority_) {
    visit([&](auto each) { for_each_bit(vcs & of_priority, [&](unsigned vc) { each(vc, ~Plane{0}); }); });
  }
}

/// Every input port keeps the candidates of the highest rank that it has.
template <GroupShape kShape, bool kPlain>
void GroupCycle<kShape, kPlain>::keep_highest_of_ports(GroupRef group) {
  auto* const kept = picked_.planes();
  const auto* const candidates = candidates_.planes();
  for (unsigned port = 0; port < ports(); ++port) {
    const std::uint64_t vcs = vc_info(first_vc(port)).of_port;
    for_each_bit(vcs, [&](unsigned vc) { kept[vc] = 0; });
    Plane decided = 0;
    for_each_rank(group, vcs, [&](auto for_each_vc) {
      Plane some = 0;
      for_each_vc([&](unsigned vc, Plane rank) {
        const Plane of_rank = candidates[vc] & rank & ~decided;
        kept[vc] |= of_rank;
        some |= of_rank;
      });
      decided |= some;
    });
  }
}

/// Of the requests for four output ports, those of the highest rank at each are kept.
template <GroupShape kShape, bool kPlain>
void GroupCycle<kShape, kPlain>::keep_highest_requests(GroupRef group, unsigned quad, PortQuads& requests) {
  const Plane* const picked = picked_.planes();
  for (unsigned from = 0; from < ports(); ++from) requests[from] = Quad{};
  Quad decided{};
  for_each_rank(group, ~std::uint64_t{0} >> (64 - input_vcs()), [&](auto for_each_vc) {
    Quad some{};
    for_each_vc([&](unsigned vc, Plane rank) {
      const Quad of_rank = group.quads(wanted(vc))[quad] & (picked[vc] & rank) & ~decided;
      requests[port_of_vc(vc)] |= of_rank;
      some |= of_rank;
    });
    decided |= some;
  });
}

/// Every output port picks one of the input ports.
template <GroupShape kShape, bool kPlain>
void GroupCycle<kShape, kPlain>::pick_outputs(GroupRef group) {
  const Plane* const picked = picked_.planes();
  Plane* const moved = moved_.planes();
  const unsigned all = ports();
  for (unsigned i = 0; i < port_quads(); ++i) {
    // The requests of an input port, and of them those that win: bit by bit of four output ports.
    PortQuads wins;
    Quad any{};
    Quad contested{};
#pragma GCC unroll 16
    for (unsigned from = 0, vc = 0; from < all; ++from) {
      Quad requests{};
      for (const unsigned end = vc + vcs_of_port(from); vc < end; ++vc) {
        requests |= group.quads(wanted(vc))[i] & picked[vc];
      }
      wins[from] = requests;
      contested |= any & requests;
      any |= requests;
    }
    if (has_priorities() && any_of(contested) != 0) keep_highest_requests(group, i, wins);
    Quad* const behind = group.quads(layout().behind_winner) + i;
    if (any_of(contested) != 0) arbitrate_outputs(wins, behind, contested);
    Quad winner{};  // in an input port before
#pragma GCC unroll 16
    for (unsigned from = 0, vc = 0; from < all; ++from) {
      behind[from * port_quads()] = (behind[from * port_quads()] & ~any) | winner;
      winner |= wins[from];
      const Plane some = any_of(wins[from]);
      for (const unsigned end = vc + vcs_of_port(from); vc < end; ++vc) moved[vc] |= picked[vc] & some;
    }
  }
  std::fill_n(sent_.data(), vc_quads(), Quad{});
  for_each_bit(*group.planes(layout().used), [&](unsigned output) {
    Quad sum{};
    for (unsigned i = 0; i < vc_quads(); ++i) sum |= moved_[i] & group.quads(held(output))[i];
    sent(output) = any_of(sum);
  });
}

/// Where requests of several input ports contend for one of four output ports, the first in circular order
/// behind the last winner wins.
template <GroupShape kShape, bool kPlain>
void GroupCycle<kShape, kPlain>::arbitrate_outputs(PortQuads& wins, const Quad* behind,
                                                   const Quad& contested) const {
  Quad left = contested;
  PortQuads requests;
  for (unsigned from = 0; from < ports(); ++from) {
    requests[from] = wins[from];
    const Quad won = requests[from] & behind[from * port_quads()] & left;
    left &= ~won;
    wins[from] = (requests[from] & ~contested) | won;
  }
  for (unsigned from = 0; from < ports(); ++from) {
    const Quad first = requests[from] & left;  // nothing is behind the last winner
    left &= ~first;
    wins[from] |= first;
  }
}

}  // namespace flitscope
