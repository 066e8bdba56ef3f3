// Message classes of several priorities, and VCs that are starved (docs/timing.md, "Message classes").
#include <algorithm>
#include <functional>

#include "model/bits.h"
#include "routers/engine/router_groups.h"

namespace flitscope {

/// The input VCs of every priority.
void RouterGroups::sort_by_priority(const Topology& topology, const MachineConfig& machine) {
  std::map<std::uint32_t, VcSet, std::greater<>> vcs;
  for (unsigned each = 0; each < machine.message_classes(); ++each) {
    VcSet& own = vcs[machine.classes[each].priority];
    for (unsigned port = 0; port < link_ports(); ++port) {
      if (topology.network_of_port(port) != machine.network_of(each)) continue;
      for_each_bit(machine.classes[each].vcs, [&](unsigned vc) { own.add(first_vc(port) + vc); });
    }
    for (unsigned port = link_ports(); port < ports(); ++port)
      own |= VcSet::range(first_vc(port) + each * machine.node_vcs, machine.node_vcs);
  }
  for (const auto& [priority, own] : vcs) input_vcs_of_priority_.push_back(own);
  losses_ = std::make_shared<std::uint32_t[]>(row(nodes(), 0));
}

/// The place of an input VC's priority among all, from the highest on.
std::uint8_t RouterGroups::priority_of(unsigned vc) const {
  if (!shape().priorities) return 0;
  const auto has_vc = [vc](const VcSet& of_priority) { return of_priority.has(vc); };
  const auto found = std::ranges::find_if(input_vcs_of_priority_, has_vc);
  return static_cast<std::uint8_t>(found - input_vcs_of_priority_.begin());
}

/// Of some input VCs, those of the highest priority among them.
VcSet RouterGroups::of_highest_priority(const VcSet& vcs) const {
  return flitscope::of_highest_priority(vcs, input_vcs_of_priority_);
}

/// The input VCs of a router for SwitchRequests::priorities: those that are starved, then priority by
/// priority.
std::span<const VcSet> RouterGroups::find_priorities(GroupRef group, unsigned number) {
  if (!shape().priorities) return {};
  priorities_.assign(1, VcSet());
  for (unsigned vc = 0; vc < input_vcs(); ++vc) {
    if ((group.planes(layout_.starved)[vc] >> number & 1) != 0) priorities_[0].add(vc);
  }
  priorities_.insert(priorities_.end(), input_vcs_of_priority_.begin(), input_vcs_of_priority_.end());
  return priorities_;
}

/// Of the injectors of a channel that could put a flit, only those of the highest priority do.
void RouterGroups::keep_highest_priority(unsigned channel, Plane* puts) const {
  Plane higher = 0;
  for (const VcSet& of_priority : input_vcs_of_priority_) {
    Plane equal = 0;
    for (unsigned i = 0; i < shape().queues; ++i) {
      const unsigned vc = first_injection_vc() + (channel * shape().queues + i) * shape().vcs_of_injector();
      if (!of_priority.has(vc)) continue;
      puts[i] &= ~higher;
      equal |= puts[i];
    }
    higher |= equal;
  }
}

/// Calls visit(rank) from the highest rank to the lowest: that of starved VCs, then priority by priority.
/// rank(vc) has the routers in which an input VC may be of it.
template <typename Visit>
void RouterGroups::for_each_rank(GroupRef group, Visit visit) const {
  visit([&](unsigned vc) { return group.planes(layout_.starved)[vc]; });
  for (const VcSet& of_priority : input_vcs_of_priority_)
    visit([&](unsigned vc) { return of_priority.has(vc) ? ~Plane{0} : 0; });
}

/// Every input port keeps the candidates of the highest rank that it has.
void RouterGroups::keep_highest_of_ports(GroupRef group, const Plane* candidates, Plane* kept) const {
  for (unsigned port = 0; port < ports(); ++port) {
    for_each_of_port(first_vc(port), [&](unsigned vc) { kept[vc] = 0; });
    Plane decided = 0;
    for_each_rank(group, [&](auto rank) {
      Plane some = 0;
      for_each_of_port(first_vc(port), [&](unsigned vc) {
        const Plane of_rank = candidates[vc] & rank(vc) & ~decided;
        kept[vc] |= of_rank;
        some |= of_rank;
      });
      decided |= some;
    });
  }
}

/// Of the requests of input ports for four output ports, those of the highest rank at each are kept.
void RouterGroups::keep_highest_requests(GroupRef group, unsigned quad, const Plane* picked,
                                         Quad* requests) const {
  for (unsigned from = 0; from < ports(); ++from) requests[from] = Quad{};
  Quad decided{};
  for_each_rank(group, [&](auto rank) {
    Quad some{};
    for (unsigned vc = 0; vc < input_vcs(); ++vc) {
      Quad of_rank;
      sliced::decode(group.planes(layout_.output_port) + vc, shape().port_bits(), layout_.vc_words,
                     picked[vc] & rank(vc), quad, of_rank);
      of_rank &= ~decided;
      requests[port_of_vc(vc)] |= of_rank;
      some |= of_rank;
    }
    decided |= some;
  });
}

/// VCs are starved that have lost the switch often enough.
void RouterGroups::count_losses_for_rank(GroupRef group, unsigned quad, const Quad& lost) {
  for_each_plane(&lost, 4, [&](unsigned i, Plane routers) {
    for_each_bit(routers, [&](unsigned router) { count_loss_for_rank(group, router, quad * 4 + i); });
  });
}

void RouterGroups::count_loss_for_rank(GroupRef group, unsigned number, unsigned vc) {
  std::uint32_t& losses = losses_[row(group.node(number), vc)];
  if (losses >= starvation_limit_) return;
  ++losses;
  if (losses == starvation_limit_) group.planes(layout_.starved)[vc] |= Plane{1} << number;
}

/// Input VCs that have moved a flit have lost nothing any more.
void RouterGroups::forget_losses(GroupRef group) {
  for_each_plane(moved_.data(), input_vcs(), [&](unsigned vc, Plane routers) {
    group.planes(layout_.starved)[vc] &= ~routers;
    for_each_bit(routers, [&](unsigned router) { losses_[row(group.node(router), vc)] = 0; });
  });
}

}  // namespace flitscope
