// Switch allocators of a router: which flits leave in a cycle (docs/timing.md, "Router parts").
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "model/machine.h"
#include "routers/parts/router_shape.h"

namespace flitscope {

/// Input VCs whose flits ask for an output port.
struct SwitchRequests {
  std::uint64_t flits = 0;              ///< with an output VC
  std::uint64_t speculative = 0;        ///< heads without one
  std::uint64_t valid = 0;              ///< heads of these that leave if they win
  std::span<const std::uint8_t> ports;  ///< by input VC: output of the switch
  std::span<const std::uint8_t> ranks;  ///< of Arbiter::age, by input VC: 0 is that of the oldest message
  std::span<const std::uint64_t> priorities{};  ///< see of_highest_priority()
};

/// Those of the highest priority among some input VCs: `priorities` are the input VCs of each, from the
/// highest on; a VC in several is of the first. Without priorities, or of none of them: all.
[[nodiscard]] inline std::uint64_t of_highest_priority(std::uint64_t vcs,
                                                       std::span<const std::uint64_t> priorities) {
  for (const std::uint64_t of_priority : priorities) {
    if ((vcs & of_priority) != 0) return vcs & of_priority;
  }
  return vcs;
}

struct SwitchGrants {
  std::uint64_t moved = 0;  ///< input VCs whose flit leaves
  std::uint64_t picked =
      0;  ///< the choice of each input of the switch, at most one; its other VCs lost to it
  std::uint64_t outputs = 0;  ///< with heads that come last: outputs with a winner, that leaves or not
};

/// The rule is common to all routers, the state is a router's: bytes, all 0 at the start.
class SwitchMatcher {
 public:
  virtual ~SwitchMatcher() = default;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
  [[nodiscard]] virtual SwitchGrants allocate(std::uint8_t* state, const SwitchRequests& requests) const = 0;

  [[nodiscard]] static std::unique_ptr<SwitchMatcher> make(const RouterParts& parts,
                                                           const RouterShape& shape);
};

}  // namespace flitscope
