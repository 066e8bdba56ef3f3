// VC allocators of a router: which heads get which output VCs in a cycle (docs/timing.md, "Router parts").
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "model/machine.h"
#include "routers/parts/arbiters.h"
#include "routers/parts/router_shape.h"

namespace flitscope {

/// A head without an output VC.
struct VcRequest {
  static constexpr std::uint8_t kNoVc = 255;

  std::uint8_t input = 0;     ///< its input VC
  std::uint8_t group = 0;     ///< link port requested; from RouterShape::link_ports on: ejection of a network
  std::uint8_t vc_class = 0;  ///< of that link's VCs
  std::uint64_t admissible = 0;  ///< output VCs
  std::uint64_t held = 0;        ///< those that are held
  std::uint64_t eligible = 0;    ///< those that can be granted
  std::uint8_t rank = 0;         ///< of Arbiter::age: 0 is that of the oldest message
  std::uint8_t priority = 0;     ///< 0 is the highest

  // Found by the allocator.
  std::uint8_t output = kNoVc;  ///< VC granted
  /// Without one: those that other heads got before it, or hold; and those that only lack slots.
  std::uint64_t taken = 0;
  std::uint64_t without_slots = 0;
};

/// The rule is common to all routers, the state is a router's: bytes, all 0 at the start.
class VcMatcher {
 public:
  virtual ~VcMatcher() = default;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
  /// Requires requests in the order of their input VCs.
  virtual void allocate(std::uint8_t* state, std::span<VcRequest> requests) const = 0;

  [[nodiscard]] static std::unique_ptr<VcMatcher> make(const RouterParts& parts, const RouterShape& shape);
};

/// The VCs of heads that win the switch (VcAllocator::switch_winner).
class WinnerVcs {
 public:
  WinnerVcs(const RouterParts& parts, const RouterShape& shape) : shape_(shape), arbiters_(parts.arbiter) {}
  [[nodiscard]] std::size_t bytes() const { return shape_.ports() * port_bytes(); }
  /// The VC of an output port that the winner gets. Requires one of `eligible`.
  [[nodiscard]] unsigned grant(std::uint8_t* state, unsigned port, std::uint64_t eligible) const {
    const unsigned first = shape_.first_vc(port);
    const unsigned vcs = shape_.vcs_of(port);
    std::uint8_t* const its = state + port * port_bytes();
    const unsigned vc = arbiters_.pick(its, vcs, eligible >> first & ((std::uint64_t{1} << vcs) - 1));
    arbiters_.update(its, vcs, vc);
    return first + vc;
  }

 private:
  [[nodiscard]] std::size_t port_bytes() const { return arbiters_.bytes(shape_.most_vcs_of_port()); }

  RouterShape shape_;
  Arbiters arbiters_;
};

}  // namespace flitscope
