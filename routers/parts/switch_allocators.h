// Switch allocators of a router: which flits leave in a cycle (docs/timing.md, "Router parts").
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "model/machine.h"
#include "routers/parts/router_shape.h"
#include "routers/parts/vc_set.h"

namespace flitscope {

/// Input VCs whose flits ask for an output port.
template <typename Vcs>
struct SwitchRequests {
  Vcs flits{};                          ///< with an output VC
  Vcs speculative{};                    ///< heads without one
  Vcs valid{};                          ///< heads of these that leave if they win
  std::span<const std::uint8_t> ports;  ///< by input VC: output of the switch
  std::span<const std::uint8_t> ranks;  ///< of Arbiter::age, by input VC: 0 is that of the oldest message
  std::span<const VcSet> priorities{};  ///< see of_highest_priority()
};

/// Those of the highest priority among some input VCs: `priorities` are the input VCs of each, from the
/// highest on; a VC in several is of the first. Without priorities, or of none of them: all.
template <typename Vcs>
[[nodiscard]] Vcs of_highest_priority(Vcs vcs, std::span<const VcSet> priorities) {
  for (const VcSet& of_priority : priorities) {
    if ((vcs & Vcs(of_priority)).any()) return vcs & Vcs(of_priority);
  }
  return vcs;
}

template <typename Vcs>
struct SwitchGrants {
  Vcs moved{};    ///< input VCs whose flit leaves
  Vcs picked{};   ///< the choice of each input of the switch, at most one; its other VCs lost to it
  Vcs outputs{};  ///< with heads that come last: outputs with a winner, that leaves or not
};

template <typename Vcs>
class SwitchMatcher : public RouterPart {
 public:
  [[nodiscard]] virtual SwitchGrants<Vcs> allocate(std::uint8_t* state,
                                                   const SwitchRequests<Vcs>& requests) const = 0;

  [[nodiscard]] static std::unique_ptr<SwitchMatcher> make(const RouterParts& parts,
                                                           const RouterShape& shape);
};

}  // namespace flitscope
