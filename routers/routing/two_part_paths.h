// Paths over an intermediate place, or straight to the destination, on networks where both are known.
#pragma once

#include <memory>

#include "routers/routing/routing.h"

namespace flitscope {

/// A path has a first part, to the place of an intermediate node, and a second, minimal one to its
/// destination; or the second alone. Each part has classes of its own in which its links are ordered, so that
/// all links of first parts come before those of second ones. A place is a router with its nodes; of a
/// dragonfly a group.
class TwoPartPaths {
 public:
  virtual ~TwoPartPaths() = default;

  [[nodiscard]] virtual unsigned first_classes() const = 0;
  [[nodiscard]] virtual unsigned second_classes() const = 0;
  /// Builds the tables of the following functions.
  virtual void build_tables() = 0;

  [[nodiscard]] virtual std::uint32_t place(NodeId node) const = 0;
  /// A node without a link to others than its router.
  [[nodiscard]] virtual bool is_leaf(NodeId node) const = 0;
  /// The next link to the place of `between`, from another place; its class is one of the first part's.
  [[nodiscard]] virtual Candidate first(NodeId node, NodeId between) const = 0;
  /// The next link to a destination; its class is one of the second part's.
  [[nodiscard]] virtual Candidate second(NodeId node, NodeId destination) const = 0;
};

/// Of a torus, mesh, HyperX, flattened butterfly or dragonfly.
[[nodiscard]] std::unique_ptr<TwoPartPaths> two_part_paths(const Topology& topology);

}  // namespace flitscope
