// Standing, as far as it reads and moves on the state of routers.
#include "routers/engine/standing.h"

#include <algorithm>
#include <utility>

#include "routers/engine/router_pool.h"

namespace flitscope {
namespace {

/// The position `count` behind `position` in a FIFO of `length` slots.
std::uint32_t position_after(std::uint32_t position, std::uint64_t count, std::uint32_t length) {
  return static_cast<std::uint32_t>((position + count) % length);
}

/// The position `count` <= `length` before it.
std::uint32_t position_before(std::uint32_t position, std::uint32_t count, std::uint32_t length) {
  return (position + length - count) % length;
}

}  // namespace

Standing::Standing(RouterPool& routers, Agenda& agenda)
    : routers_(routers),
      agenda_(agenda),
      concerns_(zeroed<bool>(routers.nodes())),
      stands_(zeroed<std::uint64_t>(routers.nodes())),
      inputs_(zeroed<std::uint64_t>(routers.nodes())),
      coming_(zeroed<std::uint64_t>(routers.nodes())),
      watched_(zeroed<std::uint64_t>(routers.nodes())),
      ways_(zeroed<Ways>(routers.nodes())),
      next_(zeroed<Slot>(routers.row(routers.nodes(), 0))),
      since_(zeroed<Cycle>(routers.row(routers.nodes(), 0))),
      waiting_(zeroed<std::uint32_t>(routers.row(routers.nodes(), 0))),
      notices_(agenda.wheel()) {}

void Standing::allow(bool allowed) {
  worthwhile_ = allowed ? kWorthwhile : std::numeric_limits<std::uint32_t>::max();
}

void Standing::note_concern(NodeId node) {
  const bool concerns = (stands_[node] | inputs_[node] | coming_[node] | watched_[node]) != 0;
  if (concerns == std::exchange(concerns_[node], concerns)) return;
  concerns ? ++concerned_ : --concerned_;
}

void Standing::note_ways(NodeId node) {
  Ways ways;
  for_each_bit(stands_[node], [&](unsigned vc) {
    ways.inputs |= routers_.vc_place(vc).of_port;
    ways.outputs |= routers_.vc_place(routers_.input(node, vc).output).of_port;
  });
  ways_[node] = ways;
}

/// From when a flit leaves a router until it is usable in the next one.
Cycle Standing::hop() const {
  return routers_.link_delay_ + routers_.router_delay_;
}

// --- What they tell one another ----------------------------------------------------------------------------

void Standing::post(Cycle due, const Notice& notice) {
  notices_[agenda_.slot(due)].push_back(notice);
  ++pending_;
  agenda_.wake(notice.node, due);
}

/// The receiver of what an input VC or an injection channel puts watches over it at once.
void Standing::tell_receiver(Cycle due, const Notice& notice) {
  post(due, notice);
  std::uint64_t& watched = watched_[notice.node];
  watched = notice.tells == Tells::stands ? watched | bit(notice.vc) : watched & ~bit(notice.vc);
  note_concern(notice.node);
}

/// A slot of the input VC was not given back. Its sender is run from `cycle`, the next one, on.
void Standing::tell_sender(NodeId node, unsigned vc, Cycle cycle, InjectionSide& interfaces) {
  if (vc >= routers_.first_injection_vc()) {
    interfaces.resume(node, vc - routers_.first_injection_vc(), cycle);
    return agenda_.wake(node, cycle);
  }
  const NodeId sender = routers_.port(node, routers_.port_of_vc(vc)).sender;
  post(cycle, {sender, routers_.output(sender, vc).owner, Tells::stuck, {}});
}

void Standing::take_notices(Cycle now) {
  std::vector<Notice>& due = notices_[agenda_.slot(now)];
  pending_ -= due.size();
  for (const Notice& notice : due) {
    if ((stands_[notice.node] & bit(notice.vc)) != 0) wake(notice.node, notice.vc, now);
    if (notice.tells == Tells::stands) {
      coming_[notice.node] |= bit(notice.vc);
      next_[routers_.row(notice.node, notice.vc)] = notice.next;
    } else if (notice.tells == Tells::moves) {
      inputs_[notice.node] &= ~bit(notice.vc);
    }
    note_concern(notice.node);
  }
  due.clear();
}

// --- One router in one cycle -------------------------------------------------------------------------------

void Standing::before_step(NodeId node, Cycle now, InjectionSide& interfaces) {
  for_each_bit(watched_[node] >> routers_.first_injection_vc(), [&](unsigned channel) {
    if (interfaces.tail_due(node, channel) <= now) interfaces.resume(node, channel, now);
  });
  for_each_bit(inputs_[node] & ~stands_[node], [&](unsigned vc) { let_arrive(node, vc); });
}

/// The flit of this cycle.
void Standing::let_arrive(NodeId node, unsigned vc) {
  const InputVc& input = routers_.input(node, vc);
  Slot& next = next_[routers_.row(node, vc)];
  input.fifo[position_after(input.front, usable(node, vc), routers_.buffer())] = next;
  next = next.later(1);
  routers_.this_cycle_.mail[node].arrivals |= bit(vc);
}

void Standing::make_way(NodeId node, Cycle now) {
  if (stands_[node] == 0) return;
  const auto here = routers_.at(node);
  const RouterHeader& state = here.state();
  const std::uint64_t able = state.ready & ~state.blocked;
  for_each_bit(able & ~(state.active | state.routed), [&](unsigned vc) { routers_.route_ahead(here, vc); });
  const Ways ways = ways_[node];
  for_each_bit(able, [&](unsigned other) {
    const InputVc& input = here.input(other);
    const bool active = (state.active & bit(other)) != 0;
    const std::uint64_t wanted = active ? bit(input.output) : routers_.choice(input.choice);
    if ((ways.inputs & bit(other)) == 0 && (ways.outputs & wanted) == 0) return;
    for_each_bit(stands_[node], [&](unsigned vc) {
      if (!hinders(node, other, vc)) return;
      wake(node, vc, now);
      let_arrive(node, vc);
    });
  });
}

/// The flit in front of `other`, which could move, wants the same port as those of `vc`, which holds an
/// output VC.
bool Standing::hinders(NodeId node, unsigned other, unsigned vc) const {
  if (routers_.port_of_vc(other) == routers_.port_of_vc(vc)) return true;
  const unsigned port = routers_.port_of_vc(routers_.input(node, vc).output);
  const InputVc& input = routers_.input(node, other);
  const RouterHeader& state = routers_.header(node);
  if ((state.active & bit(other)) != 0) return routers_.port_of_vc(input.output) == port;
  // A head gets none that is held, and each ejection channel is a port.
  return input.group == port && port < routers_.link_ports() &&
         (routers_.choice(input.choice) & ~state.held) != 0;
}

void Standing::after_step(NodeId node, Cycle now, InjectionSide& interfaces) {
  inputs_[node] |= std::exchange(coming_[node], 0);
  for_each_bit(watched_[node] & ~stands_[node], [&](unsigned vc) {
    if (!has_moved(node, vc, now)) tell_sender(node, vc, now + 1, interfaces);
  });
  for_each_bit(inputs_[node] & ~stands_[node], [&](unsigned vc) {
    if (may_stand(node, vc, now)) stand(node, vc, now);
  });
  if ((inputs_[node] & ~stands_[node]) != 0) agenda_.wake(node, now + 1);
}

/// Flits behind an input VC that are usable; if it stands, when it began to.
std::uint32_t Standing::usable(NodeId node, unsigned vc) const {
  if ((stands_[node] & bit(vc)) != 0) return waiting_[routers_.row(node, vc)];
  return (routers_.header(node).ready & bit(vc)) != 0 ? routers_.input(node, vc).followers + 1 : 0;
}

/// A flit has left the input VC in cycle `now`.
bool Standing::has_moved(NodeId node, unsigned vc, Cycle now) const {
  const InputVc& input = routers_.input(node, vc);
  const Slot last = input.fifo[position_before(input.front, 1, routers_.buffer())];
  return last.word() == Slot::free_from(now + input.slot_delay).word();
}

/// Where flits hinder each other all the time, little is lost by trying.
bool Standing::affordable() const {
  constexpr std::uint64_t kAtFirst = 1000;
  return spent_ <= kAtFirst + routers_.flit_hops() / 32;
}

/// The input VC has sent a flit of the message whose flits arrive, and so it will in the cycles to come.
bool Standing::may_stand(NodeId node, unsigned vc, Cycle now) const {
  const RouterHeader& state = routers_.header(node);
  const InputVc& input = routers_.input(node, vc);
  const Slot arriving = next_[routers_.row(node, vc)];
  if (!affordable()) return false;
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
  if (output.leads == Leads::out) return routers_.ejection_pace_ == 1;
  if (output.leads != Leads::to_router) return false;
  return finds_room(output.fifo, output.back, routers_.input(output.receiver, input.output).slot_delay, now) &&
         receives(output.receiver, input.output, now, hop());
}

/// There are slots for the next flits until those are free again that the receiver gives back from now on.
bool Standing::finds_room(const Slot* fifo, std::uint32_t back, Cycle slot_delay, Cycle now) const {
  for (std::uint32_t ahead = 0; ahead < slot_delay; ++ahead) {
    if (!fifo[position_after(back, ahead, routers_.buffer())].usable(now + 1 + ahead)) return false;
  }
  return true;
}

/// A flit arrives behind the input VC in each of the next `delay` cycles.
bool Standing::receives(NodeId node, unsigned vc, Cycle now, Cycle delay) const {
  for (Cycle ahead = 1; ahead <= delay; ++ahead) {
    if ((routers_.due(now + ahead).mail[node].arrivals & bit(vc)) == 0) return false;
  }
  return true;
}

void Standing::stand(NodeId node, unsigned vc, Cycle now) {
  const auto here = routers_.at(node);
  const InputVc& input = here.input(vc);
  const std::size_t row = routers_.row(node, vc);
  const std::uint32_t waiting = usable(node, vc);
  waiting_[row] = waiting;
  since_[row] = now;
  stands_[node] |= bit(vc);
  note_concern(node);
  note_ways(node);
  ++standing_;
  pay();
  here.state().ready &= ~bit(vc);
  // A sender that does not stand any more finds room until this one knows.
  for (std::uint32_t place = 0; place < waiting; ++place) {
    input.fifo[position_after(input.front, place, routers_.buffer())] = Slot::free_from(0);
  }
  const OutputVc& output = here.output(input.output);
  if (output.leads == Leads::out) return;
  ++hops_a_cycle_;
  hops_before_ += now;
  tell_receiver(now + hop(), {output.receiver, input.output, Tells::stands, next_[row].earlier(waiting)});
}

/// All that has happened to the input VC before `cycle` is done.
void Standing::wake(NodeId node, unsigned vc, Cycle cycle) {
  const auto here = routers_.at(node);
  InputVc& input = here.input(vc);
  const std::size_t row = routers_.row(node, vc);
  const std::uint32_t length = routers_.buffer();
  const Cycle since = since_[row];
  const Cycle passed = cycle - 1 - since;
  const std::uint32_t waiting = waiting_[row];
  stands_[node] &= ~bit(vc);
  note_concern(node);
  note_ways(node);
  --standing_;
  counted_ += passed;
  gain(passed);

  Slot& arriving = next_[row];
  arriving = arriving.later(passed);
  input.front = position_after(input.front, passed, length);
  if (waiting != 0) {
    here.state().ready |= bit(vc);
    input.followers = waiting - 1;
  }
  for (std::uint32_t place = 0; place < waiting; ++place) {
    input.fifo[position_after(input.front, place, length)] = arriving.earlier(waiting - place);
  }
  const Cycle left = std::min<Cycle>(passed, input.slot_delay);
  for (std::uint32_t ago = 1; ago <= left; ++ago) {
    input.fifo[position_before(input.front, ago, length)] = Slot::free_from(cycle - ago + input.slot_delay);
  }

  OutputVc& output = here.output(input.output);
  output.flits += passed;
  if (output.leads == Leads::out) {
    output.next() = Slot::free_from(cycle - 1 + routers_.ejection_pace_);
    return;
  }
  output.back = place_of(output.receiver, input.output, arriving.earlier(waiting),
                         position_after(output.back, passed, output.length));
  routers_.flit_hops_ += passed;
  --hops_a_cycle_;
  hops_before_ -= since;
  tell_receiver(cycle + hop(), {output.receiver, input.output, Tells::moves, {}});
}

/// Where a sender that has stood puts a flit behind an input VC. What is counted does not move in its FIFO
/// (class FastForward), so that this follows from where the next one arrives; `counted` is right before that
/// is known, as long as those of the message before arrive.
std::uint32_t Standing::place_of(NodeId node, unsigned vc, Slot flit, std::uint32_t counted) const {
  const Slot arriving = next_[routers_.row(node, vc)];
  if ((inputs_[node] & bit(vc)) == 0 || arriving.message() != flit.message()) return counted;
  const std::uint32_t ahead = flit.index() - arriving.index();
  return position_after(routers_.input(node, vc).front, std::uint64_t{usable(node, vc)} + ahead,
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
  pay();
  tell_receiver(now + routers_.router_delay_,
                {node, routers_.first_injection_vc() + channel, Tells::stands, next});
}

std::uint32_t Standing::injection_resumes(NodeId node, unsigned channel, Slot next, std::uint32_t counted,
                                          Cycle cycle) {
  const unsigned vc = routers_.first_injection_vc() + channel;
  const std::uint32_t back = place_of(node, vc, next, counted);
  --standing_;
  tell_receiver(cycle + routers_.router_delay_, {node, vc, Tells::moves, {}});
  return back;
}

bool RouterPool::anybody_busy() const {
  if (!standing_.used() || standing_.anybody()) return true;
  return agenda_.any_awake(now_, [&](NodeId node) {
    const RouterHeader& state = header(node);
    const Mailbox& mail = this_cycle_.mail[node];
    return (mail.arrivals | mail.credits | (state.ready & ~state.blocked) | state.injecting) != 0 ||
           standing_.concerns(node);
  });
}

// --- All ---------------------------------------------------------------------------------------------------

void Standing::end(Cycle cycle, InjectionSide& interfaces) {
  for (NodeId node = 0; node < routers_.nodes() && anybody(); ++node) {
    if (!concerns(node)) continue;
    agenda_.wake(node, cycle);
    for_each_bit(stands_[node], [&](unsigned vc) { wake(node, vc, cycle); });
    for_each_bit(watched_[node] >> routers_.first_injection_vc(),
                 [&](unsigned channel) { interfaces.resume(node, channel, cycle); });
  }
}

}  // namespace flitscope
