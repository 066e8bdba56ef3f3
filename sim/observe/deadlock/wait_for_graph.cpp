#include "sim/observe/deadlock/wait_for_graph.h"

#include <algorithm>

#include "model/bits.h"
#include "model/dependency_cycles.h"

namespace flitscope {

WaitForGraph::WaitForGraph(const ClockDomain& clock) {
  find_stalled(clock.core());
  for (Stalled& stalled : stalled_) find_alternatives(clock.core(), clock.messages(), stalled);
  propagate_liveness();
}

void WaitForGraph::find_stalled(const RouterCore& routers) {
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

void WaitForGraph::find_alternatives(const RouterCore& routers, const MessageTable& messages,
                                     Stalled& stalled) {
  const auto [node, vc] = stalled.place;
  const RouterCore::Waiting waiting = routers.waiting(node, vc);

  // Alternatives for room for `flits` flits behind an output VC, in addition to what they require. External
  // modules are assumed to make room in time.
  const auto require_room = [&](const Alternative& first, unsigned output, std::uint32_t flits) {
    const std::uint64_t blocking = routers.blocking_inputs(node, output, flits);
    if (blocking == 0) stalled.alternatives.push_back(first);
    for_each_bit(blocking, [&](unsigned input) {
      require(stalled.alternatives.emplace_back(first), {routers.receiver(node, output), input});
    });
  };

  for_each_bit(waiting.replies, [&](unsigned input) {
    require(stalled.alternatives.emplace_back(), {node, input});
  });
  if (waiting.replies != 0) return;
  if (waiting.output) return require_room({}, *waiting.output, 1);
  if (waiting.admissible == 0) {  // an ejection channel without a limited buffer is free some time
    stalled.alternatives.emplace_back();
    return;
  }
  for_each_bit(waiting.admissible, [&](unsigned output) {
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
