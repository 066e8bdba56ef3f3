// CoordinateTable of all nodes of a torus or mesh, for routing functions that compare them hop by hop.
#pragma once

#include <cstring>
#include <vector>

#include "model/topology.h"
#include "routers/routing/routing.h"

namespace flitscope {

/// A table, because to compute a coordinate takes two divisions.
class CoordinateTable {
 public:
  void build(const Topology& topology) {
    row_ = (topology.dimensions() + kStep - 1) / kStep * kStep;
    table_.assign(std::size_t{topology.nodes()} * row_, 0);
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      for (unsigned dimension = 0; dimension < topology.dimensions(); ++dimension) {
        table_[std::size_t{node} * row_ + dimension] = topology.coordinate(node, dimension);
      }
    }
  }

  /// One for each dimension.
  [[nodiscard]] const std::uint32_t* of(NodeId node) const { return &table_[std::size_t{node} * row_]; }
  /// Makes Head::target the coordinates of the destination.
  void write_target(Head& head) const {
    const std::uint32_t* const destination = of(head.destination);
    for (unsigned first = 0; first < row_; first += kStep) {
      std::memcpy(&head.target[first], destination + first, kStep * sizeof(std::uint32_t));
    }
  }

 private:
  /// Rows are filled up so that they can be copied a few numbers at a time.
  static constexpr unsigned kStep = 4;
  static_assert(kMaxDimensions % kStep == 0);
  unsigned row_ = 0;
  std::vector<std::uint32_t> table_;
};

/// First dimension in cyclic order from the route's first in which the head is not yet at its target;
/// the number of dimensions if there is none. Requires CoordinateTable::write_target.
[[nodiscard]] inline unsigned unfinished_dimension(unsigned dimensions, const std::uint32_t* here,
                                                   const Head& head) {
  for (unsigned i = 0, dimension = head.route.first_dimension; i < dimensions; ++i) {
    if (here[dimension] != head.target[dimension]) return dimension;
    if (++dimension == dimensions) dimension = 0;
  }
  return dimensions;
}

}  // namespace flitscope
