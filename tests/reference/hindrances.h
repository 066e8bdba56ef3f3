// DependencyCycles of input VCs that hinder each other, found by walking every way.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "tests/reference/brute_force_deadlock.h"

namespace flitscope::reference {

/// For every input VC of some set, those of the set that one of its alternatives requires.
using Hindrances = std::map<InputVcName, std::set<InputVcName>>;

/// Who hinders whom among `members`, all of which wait.
[[nodiscard]] Hindrances hindrances(const std::vector<Waiting>& waiting,
                                    const std::set<InputVcName>& members);

/// Input VCs that lie on dependency cycles; two are in the same group if each can be reached from the other.
[[nodiscard]] std::vector<std::set<InputVcName>> groups_in_cycles(const Hindrances& hindrances);

/// Members of a shortest dependency cycle; 0 if there is none.
[[nodiscard]] std::size_t shortest_cycle(const Hindrances& hindrances);

/// Each hinders the one before it in the list, and the first hinders the last.
[[nodiscard]] bool is_dependency_cycle(const Hindrances& hindrances, const std::vector<InputVcName>& members);

}  // namespace flitscope::reference
