// The part of class Standing that reads and advances the state of routers.
#include "routers/engine/standing.h"

#include <algorithm>
#include <utility>

#include "routers/engine/router_pool.h"

namespace flitscope {
namespace {

/// The position `count` <= `length` behind `position` in a FIFO of `length` slots.
std::uint32_t position_after(std::uint32_t position, std::uint32_t count, std::uint32_t length) {
  const std::uint32_t after = position + count;
  return after < length ? after : after - length;
}

/// The position `count` <= `length` before it.
std::uint32_t position_before(std::uint32_t position, std::uint32_t count, std::uint32_t length) {
  return position >= count ? position - count : position + length - count;
}

}  // namespace

Standing::Standing(RouterPool& routers, Agenda& agenda)
    : routers_(routers),
      agenda_(agenda),
      concerns_(zeroed<bool>(routers.nodes())),
      nodes_(zeroed<AtNode>(routers.nodes())),
      vcs_(zeroed<AtVc>(routers.row(routers.nodes(), 0))),
      notices_(agenda.wheel()) {}

/// Limits the cost of attempts where flits conflict all the time.
void Standing::note_worthwhile() {
  constexpr std::uint64_t kAtFirst = 4000;
  constexpr std::uint64_t kAtFirstOfNode = 64;
  constexpr std::uint64_t kShare = 64;
  const std::uint64_t affordable =
      kAtFirst + kAtFirstOfNode * routers_.nodes() + routers_.flit_hops() / kShare;
  worthwhile_ = allowed_ && lost_ <= affordable ? kWorthwhile : std::numeric_limits<std::uint32_t>::max();
}

void Standing::note_concern(NodeId node) {
  const AtNode& at = nodes_[node];
  const bool concerns = (at.stands | at.inputs | at.coming | at.watched) != 0;
  if (concerns == std::exchange(concerns_[node], concerns)) return;
  concerns ? ++concerned_ : --concerned_;
}

/// Adds or removes the ports of an input VC; no other standing VC has them.
void Standing::note_ports(NodeId node, unsigned vc) {
  AtNode::PortSets& port_sets = nodes_[node].port_sets;
  port_sets.inputs ^= routers_.vc_info(vc).of_port;
  port_sets.outputs ^= routers_.vc_info(routers_.input(node, vc).output).of_port;
}

/// Cycles from a flit's departure until it is usable in the next router.
Cycle Standing::hop() const {
  return routers_.link_delay_ + routers_.router_delay_;
}

// --- Notices between VCs -----------------------------------------------------------------------------------

void Standing::post(Cycle due, const Notice& notice) {
  routers_.expect_standing(notice.node, notice.vc);
  notices_[agenda_.slot(due)].push_back(notice);
  ++pending_;
  agenda_.wake(notice.node, due);
}

/// The receiver of an input VC or an injection channel watches it from the next cycle on; a standing receiver
/// at once, since its slots look free and it may still resume in this cycle.
void Standing::notify_receiver(Cycle due, const Notice& notice) {
  post(due, notice);
  const bool begins = notice.kind == NoticeKind::stands;
  if (begins && (nodes_[notice.node].stands & bit(notice.vc)) == 0) {
    return to_be_watched_.push_back({notice.node, notice.vc});
  }
  watch({notice.node, notice.vc}, begins);
}

void Standing::fetch(NodeId node, unsigned vc) const {
  prefetch(&nodes_[node]);
  prefetch(&vcs_[routers_.row(node, vc)]);
}

void Standing::watch(Place place, bool watches) {
  std::uint64_t& watched = nodes_[place.node].watched;
  watched = watches ? watched | bit(place.vc) : watched & ~bit(place.vc);
  note_concern(place.node);
}

void Standing::begin_to_watch() {
  for (const Place place : to_be_watched_) watch(place, true);
  to_be_watched_.clear();
}

/// A slot of the input VC was not returned: its sender is run from `cycle`, the next one, on.
void Standing::notify_sender(NodeId node, unsigned vc, Cycle cycle, InjectionSide& interfaces) {
  if (vc >= routers_.first_injection_vc()) {
    interfaces.resume(node, vc - routers_.first_injection_vc(), cycle);
    return agenda_.wake(node, cycle);
  }
  const NodeId sender = routers_.port(node, routers_.port_of_vc(vc)).sender;
  post(cycle, {sender, routers_.output(sender, vc).owner, NoticeKind::stuck, {}});
}

void Standing::take_notices(Cycle now) {
  begin_to_watch();
  std::vector<Notice>& due = notices_[agenda_.slot(now)];
  pending_ -= due.size();
  for (const Notice& notice : due) {
    if ((nodes_[notice.node].stands & bit(notice.vc)) != 0) wake(notice.node, notice.vc, now);
    if (notice.kind == NoticeKind::stands) {
      nodes_[notice.node].coming |= bit(notice.vc);
      vcs_[routers_.row(notice.node, notice.vc)].next = notice.next;
    } else if (notice.kind == NoticeKind::moves) {
      nodes_[notice.node].inputs &= ~bit(notice.vc);
    }
    note_concern(notice.node);
  }
  due.clear();
}

// --- One router in one cycle -------------------------------------------------------------------------------

void Standing::before_step(NodeId node, Cycle now, InjectionSide& interfaces) {
  lost_ += kCostOfStep;
  const AtNode& at = nodes_[node];
  for_each_bit(at.watched >> routers_.first_injection_vc(), [&](unsigned channel) {
    if (interfaces.tail_due(node, channel) <= now) interfaces.resume(node, channel, now);
  });
  for_each_bit(at.inputs & ~at.stands, [&](unsigned vc) { let_arrive(node, vc); });
}

/// Writes the flit that arrives in this cycle.
void Standing::let_arrive(NodeId node, unsigned vc) {
  const InputVc& input = routers_.input(node, vc);
  Slot& next = vcs_[routers_.row(node, vc)].next;
  input.fifo[position_after(input.front, usable(node, vc), routers_.buffer())] = next;
  next = next.later(1);
  routers_.this_cycle_.events[node].arrivals |= bit(vc);
}

void Standing::resume_conflicting(NodeId node, Cycle now) {
  if (nodes_[node].stands == 0) return;
  const auto router = routers_.at(node);
  const RouterHeader& state = router.state();
  const std::uint64_t able = state.ready & ~state.blocked;
  for_each_bit(able & ~(state.active | state.routed), [&](unsigned vc) { routers_.route_ahead(router, vc); });
  const AtNode::PortSets port_sets = nodes_[node].port_sets;
  for_each_bit(able, [&](unsigned other) {
    const InputVc& input = router.input(other);
    const bool active = (state.active & bit(other)) != 0;
    const std::uint64_t wanted = active ? bit(input.output) : routers_.choice(input.choice);
    if ((port_sets.inputs & bit(other)) == 0 && (port_sets.outputs & wanted) == 0) return;
    for_each_bit(nodes_[node].stands, [&](unsigned vc) {
      if (!hinders(node, other, vc)) return;
      wake(node, vc, now);
      let_arrive(node, vc);
    });
  });
}

/// Whether the front flit of `other`, which could move, has a port in common with `vc`, which holds an output
/// VC.
bool Standing::hinders(NodeId node, unsigned other, unsigned vc) const {
  if (routers_.port_of_vc(other) == routers_.port_of_vc(vc)) return true;
  const unsigned port = routers_.port_of_vc(routers_.input(node, vc).output);
  const InputVc& input = routers_.input(node, other);
  const RouterHeader& state = routers_.header(node);
  if ((state.active & bit(other)) != 0) return routers_.port_of_vc(input.output) == port;
  // A held VC is no conflict for a head; each ejection channel is a port.
  return input.group == port && port < routers_.link_ports() &&
         (routers_.choice(input.choice) & ~state.held) != 0;
}

void Standing::after_step(NodeId node, Cycle now, InjectionSide& interfaces) {
  AtNode& at = nodes_[node];
  at.inputs |= std::exchange(at.coming, 0);
  for_each_bit(at.watched & ~at.stands, [&](unsigned vc) {
    if (!has_moved(node, vc, now)) notify_sender(node, vc, now + 1, interfaces);
  });
  for_each_bit(at.inputs & ~at.stands, [&](unsigned vc) {
    if (worthwhile_ == kWorthwhile && may_stand(node, vc, now)) stand(node, vc, now);
  });
  if ((at.inputs & ~at.stands) != 0) agenda_.wake(node, now + 1);
}

/// Usable flits in an input VC; if it stands, at the beginning.
std::uint32_t Standing::usable(NodeId node, unsigned vc) const {
  if ((nodes_[node].stands & bit(vc)) != 0) return vcs_[routers_.row(node, vc)].waiting;
  return (routers_.header(node).ready & bit(vc)) != 0 ? routers_.input(node, vc).queued_flits + 1 : 0;
}

/// Whether a flit has left the input VC in cycle `now`.
bool Standing::has_moved(NodeId node, unsigned vc, Cycle now) const {
  const InputVc& input = routers_.input(node, vc);
  const Slot last = input.fifo[position_before(input.front, 1, routers_.buffer())];
  return last.word() == Slot::free_from(now + input.slot_delay).word();
}

/// Whether the input VC has sent a flit of the message that arrives, and will in the next cycles.
bool Standing::may_stand(NodeId node, unsigned vc, Cycle now) const {
  const RouterHeader& state = routers_.header(node);
  const InputVc& input = routers_.input(node, vc);
  const Slot arriving = vcs_[routers_.row(node, vc)].next;
  if ((state.active & ~(state.blocked | state.awaited) & bit(vc)) == 0 || !has_moved(node, vc, now) ||
      input.message != arriving.message()) {
    return false;
  }
  const std::uint32_t waiting = usable(node, vc);
  if (waiting != 0 && input.fifo[input.front].word() != arriving.earlier(waiting).word()) return false;
  bool alone = true;
  for_each_bit(state.ready & ~state.blocked & ~bit(vc),
               [&](unsigned other) { alone = alone && !hinders(node, other, vc); });
  if (!alone) return false;
  const OutputVc& output = routers_.output(node, input.output);
  if (output.leads == OutputTarget::out) return routers_.ejection_interval_ == 1;
  if (output.leads != OutputTarget::to_router) return false;
  return finds_room(output.fifo, output.back, routers_.input(output.receiver, input.output).slot_delay,
                    now) &&
         receives(output.receiver, input.output, now, hop());
}

/// Whether the next flits have slots until slots returned from now on are free.
bool Standing::finds_room(const Slot* fifo, std::uint32_t back, Cycle slot_delay, Cycle now) const {
  if (slot_delay > routers_.buffer()) return false;
  for (std::uint32_t ahead = 0; ahead < slot_delay; ++ahead) {
    if (!fifo[position_after(back, ahead, routers_.buffer())].usable(now + 1 + ahead)) return false;
  }
  return true;
}

/// Whether a flit arrives at the input VC in each of the next `delay` cycles.
bool Standing::receives(NodeId node, unsigned vc, Cycle now, Cycle delay) const {
  for (Cycle ahead = 1; ahead <= delay; ++ahead) {
    if ((routers_.due(now + ahead).events[node].arrivals & bit(vc)) == 0) return false;
  }
  return true;
}

void Standing::stand(NodeId node, unsigned vc, Cycle now) {
  const auto router = routers_.at(node);
  const InputVc& input = router.input(vc);
  const std::size_t row = routers_.row(node, vc);
  const std::uint32_t waiting = usable(node, vc);
  vcs_[row].waiting = waiting;
  vcs_[row].since = now;
  nodes_[node].stands |= bit(vc);
  note_concern(node);
  note_ports(node, vc);
  ++standing_;
  router.state().ready &= ~bit(vc);
  // A sender that was resumed finds free slots until this VC has its notice.
  for (std::uint32_t place = 0; place < waiting; ++place) {
    input.fifo[position_after(input.front, place, routers_.buffer())] = Slot::free_from(0);
  }
  const OutputVc& output = router.output(input.output);
  if (output.leads == OutputTarget::out) return;
  ++hops_a_cycle_;
  hops_before_ += now;
  notify_receiver(now + hop(),
                  {output.receiver, input.output, NoticeKind::stands, vcs_[row].next.earlier(waiting)});
}

/// Resumes an input VC: writes its state as of the beginning of `cycle`.
void Standing::wake(NodeId node, unsigned vc, Cycle cycle) {
  const auto router = routers_.at(node);
  InputVc& input = router.input(vc);
  const std::size_t row = routers_.row(node, vc);
  const std::uint32_t length = routers_.buffer();
  const Cycle since = vcs_[row].since;
  const Cycle passed = cycle - 1 - since;
  const std::uint32_t waiting = vcs_[row].waiting;
  nodes_[node].stands &= ~bit(vc);
  note_concern(node);
  note_ports(node, vc);
  --standing_;
  counted_ += passed;
  account(passed);

  Slot& arriving = vcs_[row].next;
  arriving = arriving.later(passed);
  const auto turned = static_cast<std::uint32_t>(passed % length);
  input.front = position_after(input.front, turned, length);
  if (waiting != 0) {
    router.state().ready |= bit(vc);
    input.queued_flits = waiting - 1;
  }
  for (std::uint32_t place = 0; place < waiting; ++place) {
    input.fifo[position_after(input.front, place, length)] = arriving.earlier(waiting - place);
  }
  // A slot that is free in this cycle may have the next flit of a sender that was stepped before.
  const Cycle left = std::min<Cycle>(passed, Cycle{input.slot_delay} - 1);
  for (std::uint32_t ago = 1; ago <= left; ++ago) {
    input.fifo[position_before(input.front, ago, length)] = Slot::free_from(cycle - ago + input.slot_delay);
  }

  OutputVc& output = router.output(input.output);
  output.flits += passed;
  if (output.leads == OutputTarget::out) {
    output.next() = Slot::free_from(cycle - 1 + routers_.ejection_interval_);
    return;
  }
  output.back = place_of(output.receiver, input.output, arriving.earlier(waiting),
                         position_after(output.back, turned, length));
  routers_.flit_hops_ += passed;
  --hops_a_cycle_;
  hops_before_ -= since;
  notify_receiver(cycle + hop(), {output.receiver, input.output, NoticeKind::moves, {}});
}

/// The position at which a resumed sender puts a flit of an input VC. Fast-forwarded flits do not move in the
/// FIFO, so it follows from the next arrival; before that is known, while flits of the previous message
/// arrive, `counted` is right.
std::uint32_t Standing::place_of(NodeId node, unsigned vc, Slot flit, std::uint32_t counted) const {
  const Slot arriving = vcs_[routers_.row(node, vc)].next;
  if ((nodes_[node].inputs & bit(vc)) == 0 || arriving.message() != flit.message()) return counted;
  const std::uint32_t ahead = flit.index() - arriving.index();
  return position_after(routers_.input(node, vc).front, (usable(node, vc) + ahead) % routers_.buffer(),
                        routers_.buffer());
}

// --- Injection channels ------------------------------------------------------------------------------------

bool Standing::injection_may_stand(NodeId node, unsigned channel, std::uint32_t back, Cycle now) const {
  const unsigned vc = routers_.first_injection_vc() + channel;
  const InputVc& input = routers_.input(node, vc);
  const RouterHeader& state = routers_.header(node);
  return (state.active & ~state.blocked & bit(vc)) != 0 &&
         finds_room(input.fifo, back, input.slot_delay, now) &&
         receives(node, vc, now, routers_.router_delay_ - 1);
}

void Standing::injection_stands(NodeId node, unsigned channel, Slot next, Cycle now) {
  ++standing_;
  used_ = true;
  notify_receiver(now + routers_.router_delay_,
                  {node, routers_.first_injection_vc() + channel, NoticeKind::stands, next});
}

std::uint32_t Standing::injection_resumes(NodeId node, unsigned channel, Slot next, std::uint32_t counted,
                                          Cycle passed, Cycle cycle) {
  const unsigned vc = routers_.first_injection_vc() + channel;
  const std::uint32_t back = place_of(node, vc, next, counted);
  --standing_;
  account(passed);
  notify_receiver(cycle + routers_.router_delay_, {node, vc, NoticeKind::moves, {}});
  return back;
}

bool RouterPool::any_active() const {
  if (!standing_.used() || standing_.any_standing()) return true;
  return agenda_.any_awake(now_, [&](NodeId node) {
    const RouterHeader& state = header(node);
    const PendingEvents& events = this_cycle_.events[node];
    return (events.arrivals | events.credits | (state.ready & ~state.blocked) | state.injecting) != 0 ||
           standing_.concerns(node);
  });
}

// --- End of standing ---------------------------------------------------------------------------------------

void Standing::end(Cycle cycle, InjectionSide& interfaces) {
  begin_to_watch();
  for (NodeId node = 0; node < routers_.nodes() && any_standing(); ++node) {
    if (!concerns(node)) continue;
    agenda_.wake(node, cycle);
    for_each_bit(nodes_[node].stands, [&](unsigned vc) { wake(node, vc, cycle); });
    for_each_bit(nodes_[node].watched >> routers_.first_injection_vc(),
                 [&](unsigned channel) { interfaces.resume(node, channel, cycle); });
  }
}

}  // namespace flitscope
