#include "sim/observe/deadlock/deadlock.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "model/schedule.h"
#include "sim/observe/deadlock/wait_for_graph.h"

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

/// The channel by which the next member of the dependency cycle blocks this one, and whether it waits for
/// room.
std::pair<HeldChannel, bool> hindrance(const RouterCore& routers, VcPlace waiting, VcPlace next) {
  const auto [node, vc] = waiting;
  const RouterNumbers& numbers = routers.numbers();
  if (const auto held = routers.waiting(node, vc).output) return {channel_of(numbers, node, *held), true};
  if (next.first == node) {
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

  const RouterCore& routers = clock.core();
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
      worm.holds.push_back(hindrance(routers, before, place).first);
    } else if (const auto channel = channel_into(routers.numbers(), clock.topology(), place)) {
      std::vector<HeldChannel>& holds = deadlock.dependency_cycle.back().holds;
      if (*channel != holds.back()) holds.push_back(*channel);
    }
    DeadlockedWorm& worm = deadlock.dependency_cycle.back();
    worm.node = place.first;
    worm.stalled_since = routers.waiting(place.first, place.second).since;
    std::tie(worm.wants, worm.wants_room) = hindrance(routers, place, dependency_cycle[(i + 1) % members]);
  }
  return deadlock;
}

std::vector<std::string> describe(const Deadlock& deadlock, const Topology& topology) {
  const auto channel = [&](const HeldChannel& held) {
    return fmt::format("{} VC {}", topology.channel_name(topology.channel(held.node, held.port)), held.vc);
  };
  std::vector<std::string> lines;
  for (const DeadlockedWorm& worm : deadlock.dependency_cycle) {
    const MessageName name = message_name(worm.message);
    std::vector<std::string> held;
    for (const HeldChannel& each : worm.holds) held.push_back(channel(each));
    const DeadlockedWorm& holder =
        deadlock.dependency_cycle[(lines.size() + 1) % deadlock.dependency_cycle.size()];
    const MessageName next = message_name(holder.message);
    lines.push_back(fmt::format(
        "worm {}.{} ({} to {}, {} flits) holds {} {}, waits at {} since cycle {} for {}channel {}, held by "
        "worm {}.{}",
        name.step, name.place, topology.node_name(worm.source), topology.node_name(worm.destination),
        worm.flits, held.size() == 1 ? "channel" : "channels", fmt::join(held, ", "),
        topology.node_name(worm.node), worm.stalled_since, worm.wants_room ? "room behind " : "",
        channel(worm.wants), next.step, next.place));
  }
  return lines;
}

}  // namespace flitscope
