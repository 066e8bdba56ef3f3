#include "sim/observe/deadlock/deadlock.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "model/bits.h"
#include "model/dependency_cycles.h"
#include "model/schedule.h"
#include "model/text.h"

namespace flitscope {

namespace {

HeldChannel channel_of(const RouterNumbers& numbers, NodeId node, unsigned output) {
  const unsigned port = numbers.port_of_vc(output);
  return {node, port, output - numbers.first_vc(port)};
}

/// The channel into an input VC; nothing of an injection channel.
std::optional<HeldChannel> channel_into(const RouterNumbers& numbers, const Topology& topology,
                                        VcPlace place) {
  const auto [node, vc] = place;
  const unsigned port = numbers.port_of_vc(vc);
  if (port >= topology.link_ports()) return std::nullopt;
  return HeldChannel{*topology.upstream(node, port), port, vc - numbers.first_vc(port)};
}

/// The channel that a member of the dependency cycle waits for, and how.
struct Hindrance {
  HeldChannel channel;
  bool room = false;
  bool reply = false;
};

/// How the next member of the dependency cycle blocks this one.
Hindrance hindrance(const RouterGroups& routers, VcPlace waiting, VcPlace next) {
  const auto [node, vc] = waiting;
  const RouterNumbers& numbers = routers.numbers();
  const RouterGroups::Waiting state = routers.waiting(node, vc);
  if (state.output) {
    const bool reply = routers.awaited_replies(node, vc, *state.output).any();
    return {channel_of(numbers, node, *state.output), true, reply};
  }
  if (next.first == node) {
    for (VcSet outputs = state.admissible; outputs.any(); outputs.remove(lowest_bit(outputs))) {
      const unsigned output = lowest_bit(outputs);
      if (routers.awaited_replies(node, vc, output).has(next.second))
        return {channel_of(numbers, node, output), !routers.is_held(node, output), true};
    }
    // The next one holds an admissible output VC of this router.
    return {channel_of(numbers, node, *routers.waiting(node, next.second).output), false};
  }
  return {channel_of(numbers, node, next.second), true};
}

}  // namespace

std::optional<Deadlock> find_deadlock(const ClockDomain& clock) {
  const WaitForGraph graph(clock);
  const std::vector<VcPlace> stuck = graph.deadlocked();
  if (stuck.empty()) return std::nullopt;

  const RouterGroups& routers = clock.core();
  const auto message_at = [&](VcPlace place) { return routers.waiting(place.first, place.second).message; };
  Deadlock deadlock;
  deadlock.detected = clock.last_cycle();
  deadlock.blocked_buffers = stuck.size();
  std::set<MessageSlot> messages;
  for (const VcPlace& place : stuck) messages.insert(message_at(place));
  deadlock.blocked_messages = messages.size();

  // Begin where one worm ends and the next one begins, so that no worm is listed in two halves.
  std::vector<VcPlace> dependency_cycle = graph.shortest_cycle();
  deadlock.standstill = graph.standstill(dependency_cycle);
  const std::size_t members = dependency_cycle.size();
  for (std::size_t i = 0; i < members; ++i) {
    if (message_at(dependency_cycle[i]) != message_at(dependency_cycle[(i + members - 1) % members])) {
      std::ranges::rotate(dependency_cycle, dependency_cycle.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    }
  }
  for (std::size_t i = 0; i < members; ++i) {
    const VcPlace place = dependency_cycle[i];
    const VcPlace before = dependency_cycle[(i + members - 1) % members];
    const MessageSlot slot = message_at(place);
    if (i == 0 || slot != message_at(before)) {
      const MessageRecord& message = clock.messages()[slot];
      DeadlockedWorm& worm = deadlock.dependency_cycle.emplace_back();
      worm.message = message.id;
      worm.step = message.step;
      worm.source = message.source;
      worm.destination = message.head.destination;
      worm.flits = message.flits;
      const Hindrance hindered = hindrance(routers, before, place);
      worm.holds.push_back(hindered.channel);
      if (hindered.reply) {  // the node waits to send by an injection channel
        worm.holds.back() = channel_of(routers.numbers(), place.first, place.second);
        worm.holds.back().injects = true;
      } else if (hindered.room) {  // of a shared buffer, perhaps another VC
        worm.holds.back() = channel_into(routers.numbers(), clock.topology(), place).value();
      }
    } else if (const auto channel = channel_into(routers.numbers(), clock.topology(), place)) {
      std::vector<HeldChannel>& holds = deadlock.dependency_cycle.back().holds;
      if (*channel != holds.back()) holds.push_back(*channel);
    }
    DeadlockedWorm& worm = deadlock.dependency_cycle.back();
    worm.node = place.first;
    worm.stalled_since = routers.waiting(place.first, place.second).since;
    const Hindrance hindered = hindrance(routers, place, dependency_cycle[(i + 1) % members]);
    worm.wants = hindered.channel;
    worm.wants_room = hindered.room;
    worm.wants_reply = hindered.reply;
  }
  return deadlock;
}

std::string channel_name(const HeldChannel& held, const Topology& topology) {
  const unsigned links = topology.link_ports();
  if (held.port < links) return topology.channel_name(topology.channel(held.node, held.port));
  return fmt::format("{} {} of {}", held.injects ? "injection" : "ejection", held.port - links,
                     topology.node_name(held.node));
}

std::vector<std::string> describe(const Deadlock& deadlock, const Topology& topology) {
  const auto channel = [&](const HeldChannel& held) {
    return fmt::format("{} VC {}", channel_name(held, topology), held.vc);
  };
  std::vector<std::string> lines;
  for (const DeadlockedWorm& worm : deadlock.dependency_cycle) {
    const MessageName name = message_name(worm.message);
    const std::vector<std::string> held = texts_of(worm.holds, channel);
    const DeadlockedWorm& holder =
        deadlock.dependency_cycle[(lines.size() + 1) % deadlock.dependency_cycle.size()];
    const MessageName next = message_name(holder.message);
    const std::string wanted =
        fmt::format("{}channel {}, {}", worm.wants_room ? "room behind " : "", channel(worm.wants),
                    worm.wants_reply ? "whose node waits to send behind" : "held by");
    lines.push_back(fmt::format(
        "worm {}.{} ({} to {}, {} flits) holds {} {}, waits at {} since cycle {} for {} worm {}.{}",
        name.step, name.place, topology.node_name(worm.source), topology.node_name(worm.destination),
        worm.flits, held.size() == 1 ? "channel" : "channels", fmt::join(held, ", "),
        topology.node_name(worm.node), worm.stalled_since, wanted, next.step, next.place));
  }
  return lines;
}

WaitForGraph::WaitForGraph(const ClockDomain& clock) {
  find_stalled(clock.core());
  for (Stalled& stalled : stalled_) find_alternatives(clock.core(), clock.messages(), stalled);
  propagate_liveness();
}

void WaitForGraph::find_stalled(const RouterGroups& routers) {
  for (NodeId node = 0; node < routers.numbers().nodes(); ++node) {
    for_each_bit(routers.waiting(node), [&](unsigned vc) {
      const Cycle since = routers.waiting(node, vc).since;
      if (since > routers.now()) return;  // between VC and switch allocation
      index_of_.emplace(VcPlace(node, vc), static_cast<Index>(stalled_.size()));
      stalled_.push_back({{node, vc}, since, {}, false});
    });
  }
}

void WaitForGraph::require(Alternative& alternative, VcPlace place) const {
  const auto found = index_of_.find(place);
  if (found != index_of_.end()) alternative.push_back(found->second);
}

void WaitForGraph::find_alternatives(const RouterGroups& routers, const MessageTable& messages,
                                     Stalled& stalled) {
  const auto [node, vc] = stalled.place;
  const RouterGroups::Waiting waiting = routers.waiting(node, vc);

  // Alternatives for room for `flits` flits behind an output VC, in addition to what they require. External
  // modules are assumed to make room in time.
  const auto require_room = [&](const Alternative& first, unsigned output, std::uint32_t flits) {
    const VcSet blocking = routers.blocking_inputs(node, output, flits);
    if (!blocking.any()) stalled.alternatives.push_back(first);
    for_each_bit(blocking, [&](unsigned input) {
      require(stalled.alternatives.emplace_back(first), {routers.receiver(node, output), input});
    });
  };

  const auto require_replies = [&](unsigned output) {
    const VcSet replies = routers.awaited_replies(node, vc, output);
    for_each_bit(replies, [&](unsigned input) {
      require(stalled.alternatives.emplace_back(), {node, input});
    });
    return replies.any();
  };

  if (waiting.output) {
    if (!require_replies(*waiting.output)) require_room({}, *waiting.output, 1);
    return;
  }
  if (!waiting.admissible.any()) {  // an ejection channel of a node without limits is free some time
    stalled.alternatives.emplace_back();
    return;
  }
  for_each_bit(waiting.admissible, [&](unsigned output) {
    if (require_replies(output)) return;
    Alternative alternative;
    if (const auto owner = routers.holder(node, output)) require(alternative, {node, *owner});
    if (!routers.needs_packet_space()) return stalled.alternatives.push_back(alternative);
    const std::uint32_t flits = messages[waiting.message].flits;
    require_room(alternative, output, routers.numbers().required_slots(vc, output, flits));
  });
}

bool WaitForGraph::can_go_on(const Stalled& stalled) const {
  return std::ranges::any_of(stalled.alternatives, [&](const Alternative& alternative) {
    return std::ranges::all_of(alternative, [&](Index required) { return stalled_[required].live; });
  });
}

void WaitForGraph::propagate_liveness() {
  std::vector<std::vector<Index>> required_by(stalled_.size());
  for (Index index = 0; index < stalled_.size(); ++index) {
    for (const Alternative& alternative : stalled_[index].alternatives) {
      for (const Index required : alternative) required_by[required].push_back(index);
    }
  }
  std::vector<Index> fresh;
  const auto revive = [&](Index index) {
    if (stalled_[index].live || !can_go_on(stalled_[index])) return;
    stalled_[index].live = true;
    fresh.push_back(index);
  };
  for (Index index = 0; index < stalled_.size(); ++index) revive(index);
  while (!fresh.empty()) {
    const Index index = fresh.back();
    fresh.pop_back();
    for (const Index waiting : required_by[index]) revive(waiting);
  }
}

std::vector<VcPlace> WaitForGraph::deadlocked() const {
  std::vector<VcPlace> places;
  for (const Stalled& stalled : stalled_) {
    if (!stalled.live) places.push_back(stalled.place);
  }
  return places;
}

template <typename Visit>
void WaitForGraph::for_each_hindrance(Index from, Visit visit) const {
  for (const Alternative& alternative : stalled_[from].alternatives) {
    for (const Index required : alternative) {
      if (!stalled_[required].live) visit(required);
    }
  }
}

std::vector<VcPlace> WaitForGraph::shortest_cycle() const {
  std::vector<Arc> dependencies;
  for (Index from = 0; from < stalled_.size(); ++from) {
    if (stalled_[from].live) continue;
    for_each_hindrance(from, [&](Index to) { dependencies.emplace_back(from, to); });
  }
  std::vector<VcPlace> places;
  for (const std::uint64_t index : DependencyCycles(std::move(dependencies)).shortest()) {
    places.push_back(stalled_[index].place);
  }
  return places;
}

Cycle WaitForGraph::standstill(const std::vector<VcPlace>& places) const {
  std::vector<bool> seen(stalled_.size(), false);
  std::vector<Index> open;
  const auto visit = [&](Index index) {
    if (!seen[index]) open.push_back(index);
    seen[index] = true;
  };
  for (const VcPlace& place : places) visit(index_of_.at(place));
  Cycle latest = 0;
  while (!open.empty()) {
    const Index index = open.back();
    open.pop_back();
    latest = std::max(latest, stalled_[index].since);
    for_each_hindrance(index, visit);
  }
  return latest;
}

}  // namespace flitscope
