// Switch allocation of routers with more than 64 input VCs, flit by flit: planes for each pair of so many
// ports would be mostly empty.
#pragma once

#include "routers/engine/group_cycle.h"

namespace flitscope {

/// Finds the input VCs that hold an output VC without a slot, of those with a usable flit.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::find_without_room(GroupRef group, Quads& no_room) {
  for (unsigned i = 0; i < vc_quads(); ++i) {
    no_room[i] = Quad{};
    const Quad moving = group.quads(layout().ready)[i] & group.quads(layout().active)[i];
    for_each_plane(&moving, 4, [&](unsigned number, Plane routers) {
      for_each_bit(routers, [&](unsigned router) {
        const unsigned output = held_output(group, router, i * 4 + number, layout());
        if ((group.planes(layout().room)[output] >> router & 1) == 0)
          no_room[i][number] |= Plane{1} << router;
      });
    });
  }
}

/// Every output port picks one of the input ports.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::pick_outputs_by_flits(GroupRef group) {
  best_.resize(std::size_t{kGroupSize} * ports());
  std::array<Plane, kMostVcs> wanted{};  // by output port: it has a request
  for_each_plane(picked_.data(), input_vcs(), [&](unsigned vc, Plane routers) {
    for_each_bit(routers, [&](unsigned router) {
      const Plane plane = Plane{1} << router;
      const unsigned output = held_output(group, router, vc, layout());
      const unsigned port = port_of_vc(output);
      const unsigned next =
          sliced::of(group.planes(layout().next_input) + port, port_bits(), port_quads() * 4, router);
      const unsigned place = (port_of_vc(vc) + ports() - next) % ports();  // in circular order
      const bool starved = has_priorities() && (group.planes(layout().starved)[vc] & plane) != 0;
      const unsigned rank = has_priorities() && !starved ? 1U + priority_of(vc) : 0;
      const PortWinner request{static_cast<std::uint16_t>(rank * kMostVcs + place),
                               static_cast<std::uint8_t>(vc), static_cast<std::uint8_t>(output)};
      PortWinner& best = best_[std::size_t{router} * ports() + port];
      if ((wanted[port] & plane) == 0 || request.place < best.place) best = request;
      wanted[port] |= plane;
    });
  });
  for (unsigned port = 0; port < ports(); ++port) {
    for_each_bit(wanted[port], [&](unsigned router) {
      const PortWinner& winner = best_[std::size_t{router} * ports() + port];
      moved_.planes()[winner.vc] |= Plane{1} << router;
      sent(winner.output) |= Plane{1} << router;
      take_turn(group, {router, winner.vc, winner.output});
    });
  }
}

}  // namespace flitscope
