// Which input VCs can never move again, found by trying every set of them.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "model/types.h"

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
  /// It can go on as soon as all members of any one of these do. None, or one without members: it waits for
  /// nobody and can move.
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

}  // namespace flitscope::reference
