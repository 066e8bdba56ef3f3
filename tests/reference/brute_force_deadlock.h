// Which input VCs can never move again, found by trying every set of them.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "model/types.h"

namespace flitscope::reference {

/// An input VC: node, and number of the input VC in its router (docs/timing.md, "Words and numbers").
using InputVcName = std::pair<NodeId, unsigned>;

/// An input VC whose front flit was usable in the last cycle and did not leave.
struct Waiting {
  InputVcName input_vc;
  /// The message whose flit is at the front.
  std::uint64_t message = 0;
  /// It can go on as soon as any one of these does. Empty: it waits for nobody and can move.
  std::vector<InputVcName> waits_for;
  bool operator==(const Waiting&) const = default;
};

/// The largest set S of input VCs such that every member waits and everything it waits for lies in S: the
/// union of all sets with this property, all of which are tried.
/// Throws std::length_error if more than 16 input VCs wait for others.
[[nodiscard]] std::set<InputVcName> brute_force_deadlocked(const std::vector<Waiting>& waiting);

}  // namespace flitscope::reference
