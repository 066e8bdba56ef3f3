#include "sim/observe/deadlock/wait_for_graph.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <deque>

namespace flitscope {

WaitForGraph::WaitForGraph(const ClockDomain& clock) {
  find_stalled(clock.routers());
  for (Stalled& stalled : stalled_) find_alternatives(clock.routers(), clock.messages(), stalled);
  propagate_liveness();
}

void WaitForGraph::find_stalled(const RouterPool& routers) {
  for (NodeId node = 0; node < routers.nodes(); ++node) {
    const RouterHeader& state = routers.header(node);
    // Not no_vc(): heads that will be asked again in the next cycle are not in there.
    const std::uint64_t without_vc = state.routed & ~state.active;
    for_each_bit(state.ready & (state.no_room() | without_vc), [&](unsigned vc) {
      if (routers.stalled_since(node, vc) > routers.now()) return;  // between VC and switch allocation
      index_of_.emplace(VcPlace(node, vc), static_cast<Index>(stalled_.size()));
      stalled_.push_back({{node, vc}, routers.stalled_since(node, vc), {}, false});
    });
  }
}

void WaitForGraph::require(Alternative& alternative, VcPlace place) const {
  const auto found = index_of_.find(place);
  if (found != index_of_.end()) alternative.push_back(found->second);
}

void WaitForGraph::find_alternatives(const RouterPool& routers, const MessageTable& messages,
                                     Stalled& stalled) {
  const auto [node, vc] = stalled.place;
  const RouterHeader& state = routers.header(node);
  const InputVc& input = routers.input(node, vc);

  // Room for `flits` flits behind an output VC. Modules that are not ours are taken to make room in time.
  const auto require_room = [&](Alternative& alternative, unsigned output, std::uint32_t flits) {
    const OutputVc& target = routers.output(node, output);
    const Slot last = target.fifo[(std::uint64_t{target.back} + flits - 1) % target.length];
    if (last.occupied() && target.receiver != kNoNode) require(alternative, {target.receiver, output});
  };

  if ((state.active & bit(vc)) != 0) {
    Alternative& alternative = stalled.alternatives.emplace_back();
    if (routers.port_of_vc(input.output) < routers.link_ports()) require_room(alternative, input.output, 1);
    return;
  }
  if (input.group >= routers.link_ports()) {  // ejection channels always move on
    stalled.alternatives.emplace_back();
    return;
  }
  for_each_bit(routers.admissible(node, vc), [&](unsigned output) {
    Alternative& alternative = stalled.alternatives.emplace_back();
    const unsigned owner = routers.output(node, output).owner;
    if ((state.held & bit(output)) != 0 && owner != kNoOwner) require(alternative, {node, owner});
    if (routers.needs_packet_space()) {
      require_room(alternative, output, routers.required_slots(vc, output, messages[input.message].flits));
    }
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

/// Deadlocked input VCs that lie on any dependency cycle: those in strongly connected components of more than
/// one, and those that wait for themselves.
std::vector<WaitForGraph::Index> WaitForGraph::in_dependency_cycles() const {
  boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> graph(stalled_.size());
  std::vector<bool> waits_for_itself(stalled_.size(), false);
  for (Index from = 0; from < stalled_.size(); ++from) {
    if (stalled_[from].live) continue;
    for_each_hindrance(from, [&](Index to) {
      boost::add_edge(from, to, graph);
      if (from == to) waits_for_itself[from] = true;
    });
  }
  std::vector<std::size_t> component(stalled_.size());
  const std::size_t components = boost::strong_components(
      graph, boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, graph)));
  std::vector<std::size_t> members(components, 0);
  for (const std::size_t number : component) ++members[number];
  std::vector<Index> result;
  for (Index index = 0; index < stalled_.size(); ++index) {
    if (members[component[index]] > 1 || waits_for_itself[index]) result.push_back(index);
  }
  return result;
}

/// A shortest dependency cycle through `start` if it has fewer than `shorter_than` members, else nothing.
std::vector<WaitForGraph::Index> WaitForGraph::cycle_through(Index start, std::size_t shorter_than) const {
  constexpr Index kUnseen = 0xFFFFFFFF;
  std::map<Index, std::pair<Index, std::size_t>> reached_from;  // predecessor, members so far
  std::deque<Index> queue{start};
  reached_from[start] = {kUnseen, 1};
  while (!queue.empty()) {
    const Index from = queue.front();
    queue.pop_front();
    const std::size_t members = reached_from[from].second;
    if (members >= shorter_than) return {};
    bool closed = false;
    for_each_hindrance(from, [&](Index to) {
      if (to == start) closed = true;
      if (reached_from.emplace(to, std::pair(from, members + 1)).second) queue.push_back(to);
    });
    if (!closed) continue;
    std::vector<Index> dependency_cycle;
    for (Index at = from; at != kUnseen; at = reached_from[at].first) dependency_cycle.push_back(at);
    std::ranges::reverse(dependency_cycle);
    return dependency_cycle;
  }
  return {};
}

std::vector<VcPlace> WaitForGraph::shortest_cycle() const {
  std::vector<Index> shortest;
  std::size_t bound = stalled_.size() + 1;
  for (const Index start : in_dependency_cycles()) {
    std::vector<Index> dependency_cycle = cycle_through(start, bound);
    if (dependency_cycle.empty()) continue;
    bound = dependency_cycle.size();
    shortest = std::move(dependency_cycle);
  }
  std::vector<VcPlace> places;
  for (const Index index : shortest) places.push_back(stalled_[index].place);
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
