#include "tests/reference/brute_force_deadlock.h"

#include <algorithm>

namespace flitscope::reference {

namespace {

/// Steps along hindrances from `start` to everything that can be reached, and to itself if it can come back.
std::map<InputVcName, std::size_t> distances(const Hindrances& hindrances, const InputVcName& start) {
  std::map<InputVcName, std::size_t> steps;
  std::set<InputVcName> reached{start};
  for (std::size_t step = 1; !reached.empty(); ++step) {
    std::set<InputVcName> next;
    for (const InputVcName& from : reached) {
      for (const InputVcName& to : hindrances.at(from)) {
        if (steps.emplace(to, step).second) next.insert(to);
      }
    }
    reached = next;
  }
  return steps;
}

}  // namespace

Hindrances hindrances(const std::vector<Waiting>& waiting, const std::set<InputVcName>& members) {
  Hindrances result;
  for (const Waiting& one : waiting) {
    if (!members.contains(one.input_vc)) continue;
    std::set<InputVcName>& hinder_it = result[one.input_vc];
    for (const Alternative& required : one.alternatives) {
      for (const InputVcName& other : required) {
        if (members.contains(other)) hinder_it.insert(other);
      }
    }
  }
  return result;
}

std::vector<std::set<InputVcName>> groups_in_cycles(const Hindrances& hindrances) {
  std::map<InputVcName, std::map<InputVcName, std::size_t>> reached;
  for (const auto& [start, others] : hindrances) reached[start] = distances(hindrances, start);
  std::vector<std::set<InputVcName>> groups;
  for (const auto& [start, from_start] : reached) {
    const InputVcName& one = start;
    if (!from_start.contains(one)) continue;
    if (std::ranges::any_of(groups, [&](const auto& group) { return group.contains(one); })) continue;
    std::set<InputVcName>& group = groups.emplace_back();
    for (const auto& [other, steps] : from_start) {
      if (reached.at(other).contains(one)) group.insert(other);
    }
  }
  return groups;
}

std::size_t shortest_cycle(const Hindrances& hindrances) {
  std::size_t shortest = 0;
  for (const auto& [start, others] : hindrances) {
    const auto steps = distances(hindrances, start);
    const auto back = steps.find(start);
    if (back != steps.end() && (shortest == 0 || back->second < shortest)) shortest = back->second;
  }
  return shortest;
}

bool is_dependency_cycle(const Hindrances& hindrances, const std::vector<InputVcName>& members) {
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto found = hindrances.find(members[i]);
    if (found == hindrances.end() || !found->second.contains(members[(i + 1) % members.size()])) return false;
  }
  return !members.empty() && std::set(members.begin(), members.end()).size() == members.size();
}

}  // namespace flitscope::reference
