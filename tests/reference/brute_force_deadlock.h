// Deadlock by brute force: every set of input VCs, every path of the wait-for graph, every state of a small
// network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "model/machine.h"
#include "model/types.h"
#include "routers/routing/routing.h"
#include "sim/analysis/path_enumerator.h"

namespace flitscope::reference {

/// An input VC: node, and number of the input VC in its router (docs/timing.md, "Terms and numbers").
using InputVcName = std::pair<NodeId, unsigned>;

/// Input VCs that must all go on.
using Alternative = std::vector<InputVcName>;

/// An input VC whose front flit was usable in the last cycle and did not leave.
struct Waiting {
  InputVcName input_vc;
  /// The message whose flit is at the front.
  std::uint64_t message = 0;
  /// It can go on as soon as all members of any one of these do. None, or one without members: it can move.
  std::vector<Alternative> alternatives;
  bool operator==(const Waiting&) const = default;
};

/// The largest number of input VCs of which all sets are tried.
inline constexpr std::size_t kMaxBlocked = 16;

/// Those that have no alternative whose members all can move, because they do not wait: the rest is certainly
/// not deadlocked.
[[nodiscard]] std::vector<Waiting> blocked(const std::vector<Waiting>& waiting);

/// The largest set S of input VCs such that every member waits and each of its alternatives requires a member
/// of S: the union of all sets with this property, all of which are tried.
/// Throws std::length_error if more than kMaxBlocked input VCs are blocked.
[[nodiscard]] std::set<InputVcName> brute_force_deadlocked(const std::vector<Waiting>& waiting);

/// For every input VC of some set, those of the set that one of its alternatives requires.
using Hindrances = std::map<InputVcName, std::set<InputVcName>>;

/// The wait-for edges among `members`, all of which wait.
[[nodiscard]] Hindrances hindrances(const std::vector<Waiting>& waiting,
                                    const std::set<InputVcName>& members);

/// Input VCs that lie on dependency cycles; two are in the same group if each can be reached from the other.
[[nodiscard]] std::vector<std::set<InputVcName>> groups_in_cycles(const Hindrances& hindrances);

/// Members of a shortest dependency cycle; 0 if there is none.
[[nodiscard]] std::size_t shortest_cycle(const Hindrances& hindrances);

/// Each hinders the one before it in the list, and the first hinders the last.
[[nodiscard]] bool is_dependency_cycle(const Hindrances& hindrances, const std::vector<InputVcName>& members);

enum class Reached : std::uint8_t {
  deadlock,  ///< a state in which messages are in the network and nothing can happen any more
  none,      ///< all states were seen, and there is none like that
  unknown,   ///< too many states
};

/// Goes through the states that can be reached: each message starts at any time, each head is granted any VC
/// that it may have, and any flit that can move does. Time, injection and ejection channels play no part. All
/// messages have `flits` flits.
[[nodiscard]] Reached explore(const Topology& topology, const MachineConfig& machine,
                              const std::vector<Flow>& messages, std::uint32_t flits, std::size_t max_states);

}  // namespace flitscope::reference
