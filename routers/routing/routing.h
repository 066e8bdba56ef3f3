// Routing functions: which output port a head asks for, and which class of virtual channels.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/registry.h"
#include "model/route.h"
#include "model/topology.h"
#include "model/types.h"

namespace flitscope {

/// What a head flit carries through the network.
struct Head {
  NodeId destination = 0;
  Route route;
  /// Coordinates of the destination.
  std::array<std::uint32_t, kMaxDimensions> target{};
};

/// What a head asks for.
struct RoutingDecision {
  static constexpr unsigned kEject = ~0U;
  unsigned port = kEject;      ///< link port, or kEject at the destination
  unsigned channel_class = 0;  ///< class of virtual channels on that link
};

/// Decides hop by hop. Stateless: the same question has the same answer.
class RoutingFunction {
 public:
  virtual ~RoutingFunction() = default;

  /// Classes of virtual channels that make it free of deadlock.
  [[nodiscard]] virtual unsigned classes() const = 0;

  /// The next hop of a head at the node with coordinates `here` (one per dimension).
  [[nodiscard]] virtual RoutingDecision decide(const std::uint32_t* here, const Head& head) const = 0;

  /// Why a message may not travel this way, or nothing if it may (beyond route_exists).
  [[nodiscard]] virtual std::optional<std::string> objection(Route route) const = 0;
};

/// What a routing function declares of itself.
struct Routing {
  std::string name;
  std::string summary;
  /// Paper or textbook it comes from.
  std::string source;
  std::function<std::unique_ptr<RoutingFunction>(const Topology&)> make;
};

using RoutingRegistry = Registry<Routing>;

/// Class 1 if the wrap-around link of this ring is behind the message or will never be used, else 0.
/// (Dally and Seitz, 1987.) Needs no memory of the way: it is read off the coordinates, which must differ.
[[nodiscard]] constexpr unsigned dateline_class(std::uint32_t here, std::uint32_t target, Sign sign) {
  return static_cast<unsigned>(target > here) ^ static_cast<unsigned>(sign);
}

/// First dimension in cyclic order from the route's first in which the head is not yet at its target;
/// the number of dimensions if there is none.
[[nodiscard]] inline unsigned unfinished_dimension(unsigned dimensions, const std::uint32_t* here,
                                                   const Head& head) {
  for (unsigned i = 0, dimension = head.route.first_dimension; i < dimensions; ++i) {
    if (here[dimension] != head.target[dimension]) return dimension;
    if (++dimension == dimensions) dimension = 0;
  }
  return dimensions;
}

/// Which virtual channels each class may use: bit v of entry c. Class c is the VCs v with floor(v*C/V) = c;
/// with fewer VCs than classes, classes share: class c is VC floor(c*V/C) (see `allow_deadlock`).
[[nodiscard]] inline std::vector<std::uint64_t> class_masks(unsigned classes, unsigned virtual_channels) {
  std::vector<std::uint64_t> masks(classes, 0);
  for (unsigned c = 0; c < classes; ++c) {
    if (virtual_channels < classes) {
      masks[c] = std::uint64_t{1} << (c * virtual_channels / classes);
      continue;
    }
    for (unsigned v = 0; v < virtual_channels; ++v) {
      if (v * classes / virtual_channels == c) masks[c] |= std::uint64_t{1} << v;
    }
  }
  return masks;
}

}  // namespace flitscope
