#include "sim/observe/deadlock/deadlock.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

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

/// The channel that a member of the dependency cycle waits for, and how.
struct Hindrance {
  HeldChannel channel;
  bool room = false;
  bool reply = false;
};

/// How the next member of the dependency cycle blocks this one.
Hindrance hindrance(const RouterCore& routers, VcPlace waiting, VcPlace next) {
  const auto [node, vc] = waiting;
  const RouterNumbers& numbers = routers.numbers();
  const RouterCore::Waiting state = routers.waiting(node, vc);
  if (state.output) return {channel_of(numbers, node, *state.output), true, state.replies != 0};
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
      const Hindrance hindered = hindrance(routers, before, place);
      worm.holds.push_back(hindered.channel);
      if (hindered.reply) {  // the node waits to send by an injection channel
        worm.holds.back() = channel_of(routers.numbers(), place.first, place.second);
        worm.holds.back().injects = true;
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
    std::vector<std::string> held;
    for (const HeldChannel& each : worm.holds) held.push_back(channel(each));
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

}  // namespace flitscope
