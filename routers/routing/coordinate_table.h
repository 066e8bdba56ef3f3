// CoordinateTable of all nodes of a torus or mesh, for routing functions that compare them hop by hop.
#pragma once

#include <bit>
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

/// First dimension in which the head is not yet at its target. Requires CoordinateTable::write_target, and
/// that there is one. Compares two at a time: which of them it is cannot be predicted, so it is no branch.
[[nodiscard]] inline unsigned first_unfinished_dimension(const std::uint32_t* here, const Head& head) {
  for (unsigned first = 0;; first += 2) {
    const auto two = [first](const std::uint32_t* coordinates) {
      return coordinates[first] | std::uint64_t{coordinates[first + 1]} << 32;
    };
    const std::uint64_t difference = two(here) ^ two(head.target.data());
    if (difference != 0) return first + static_cast<unsigned>(std::countr_zero(difference)) / 32;
  }
}

/// The same in cyclic order from the route's first dimension; the number of dimensions if there is none.
[[nodiscard]] inline unsigned unfinished_dimension(unsigned dimensions, const std::uint32_t* here,
                                                   const Head& head) {
  std::uint32_t unfinished = 0;
  for (unsigned dimension = 0; dimension < dimensions; ++dimension) {
    const bool differs = here[dimension] != head.target[dimension];
    unfinished |= static_cast<std::uint32_t>(differs) << dimension;
  }
  const std::uint32_t ahead = unfinished >> head.route.first_dimension << head.route.first_dimension;
  return static_cast<unsigned>(std::countr_zero(ahead != 0 ? ahead : unfinished | 1U << dimensions));
}

}  // namespace flitscope
