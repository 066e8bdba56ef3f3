// VC allocators of a router: which heads get which output VCs in a cycle (docs/timing.md, "Router parts").
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "model/machine.h"
#include "routers/parts/arbiters.h"
#include "routers/parts/router_shape.h"
#include "routers/parts/vc_set.h"

namespace flitscope {

/// A head without an output VC.
template <typename Vcs>
struct VcRequest {
  static constexpr std::uint16_t kNoVc = kMaxInputVcs;

  std::uint8_t input = 0;     ///< its input VC
  std::uint8_t group = 0;     ///< link port requested; from RouterShape::link_ports on: ejection of a network
  std::uint8_t vc_class = 0;  ///< of that link's VCs
  Vcs admissible{};           ///< output VCs
  Vcs held{};                 ///< those that are held
  Vcs eligible{};             ///< those that can be granted
  std::uint8_t rank = 0;      ///< of Arbiter::age: 0 is that of the oldest message
  std::uint8_t priority = 0;  ///< 0 is the highest

  // Found by the allocator.
  std::uint16_t output = kNoVc;  ///< VC granted
  /// Without one: those that other heads got before it, or hold; and those that only lack slots.
  Vcs taken{};
  Vcs without_slots{};
};

template <typename Vcs>
class VcMatcher : public RouterPart {
 public:
  /// Requires requests in the order of their input VCs.
  virtual void allocate(std::uint8_t* state, std::span<VcRequest<Vcs>> requests) const = 0;

  [[nodiscard]] static std::unique_ptr<VcMatcher> make(const RouterParts& parts, const RouterShape& shape);
};

/// The VCs of heads that win the switch (VcAllocator::switch_winner).
class WinnerVcs {
 public:
  WinnerVcs(const RouterParts& parts, const RouterShape& shape) : shape_(shape), arbiters_(parts.arbiter) {}
  [[nodiscard]] std::size_t bytes() const { return shape_.ports() * port_bytes(); }
  /// The VC of an output port that the winner gets. Requires one of `eligible`.
  template <typename Vcs>
  [[nodiscard]] unsigned grant(std::uint8_t* state, unsigned port, Vcs eligible) const {
    const unsigned first = shape_.first_vc(port);
    const unsigned vcs = shape_.vcs_of(port);
    std::uint8_t* const its = state + port * port_bytes();
    Vcs of_port;
    for (unsigned i = 0; i < vcs; ++i) {
      if (eligible.has(first + i)) of_port.add(i);
    }
    const unsigned vc = arbiters_.pick(its, vcs, of_port);
    arbiters_.update(its, vcs, vc);
    return first + vc;
  }

 private:
  [[nodiscard]] std::size_t port_bytes() const { return arbiters_.bytes(shape_.most_vcs_of_port()); }

  RouterShape shape_;
  Arbiters arbiters_;
};

}  // namespace flitscope
