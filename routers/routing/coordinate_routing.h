// Coordinates of all nodes of a torus or mesh, for routing functions that compare them hop by hop.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "model/topology.h"
#include "routers/routing/routing.h"

namespace flitscope {

class CoordinateTable;

/// The coordinates of a node, all in one word.
class Coordinates {
 public:
  Coordinates(const CoordinateTable& table, std::uint64_t word) : table_(table), word_(word) {}

  [[nodiscard]] std::uint32_t operator[](unsigned dimension) const;
  /// The coordinate times a power of two: to be compared with another of the same dimension.
  [[nodiscard]] std::uint64_t scaled(unsigned dimension) const;
  [[nodiscard]] std::uint64_t word() const { return word_; }

 private:
  const CoordinateTable& table_;
  std::uint64_t word_;
};

/// A table, since computing a coordinate takes two divisions. The word of a node has as many bits for each
/// dimension as its side needs, dimension 0 lowest: 47 at most, since a node's number has 32, and each of 16
/// dimensions adds less than one.
class CoordinateTable {
 public:
  void build(const Topology& topology) {
    unsigned bit = 0;
    for (unsigned dimension = 0; dimension < topology.dimensions(); ++dimension) {
      const auto bits = static_cast<unsigned>(std::bit_width(topology.sides()[dimension] - 1));
      fields_[dimension] = {bit, (std::uint64_t{1} << bits) - 1};
      masks_[dimension] = fields_[dimension].mask << bit;
      for (unsigned end = bit + bits; bit < end; ++bit) {
        dimension_of_[bit] = static_cast<std::uint8_t>(dimension);
      }
    }
    words_.assign(topology.nodes(), 0);
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      for (unsigned dimension = 0; dimension < topology.dimensions(); ++dimension) {
        words_[node] |= std::uint64_t{topology.coordinate(node, dimension)} << fields_[dimension].first_bit;
      }
    }
  }

  [[nodiscard]] Coordinates of(NodeId node) const { return {*this, words_[node]}; }
  /// Writes the coordinates of the destination into the head.
  void write_target(Head& head) const { head.prepared = words_[head.destination]; }
  /// The coordinates of the destination. Requires write_target().
  [[nodiscard]] Coordinates target_of(const Head& head) const { return {*this, head.prepared}; }

  /// The first dimension in which a head is not yet at its target; requires one. Without a branch, since it
  /// cannot be predicted.
  [[nodiscard]] unsigned first_unfinished(Coordinates here, Coordinates target) const {
    return first_of(here.word() ^ target.word());
  }
  /// As first_unfinished() in cyclic order from dimension `first`.
  [[nodiscard]] unsigned first_unfinished_from(unsigned first, Coordinates here, Coordinates target) const {
    const std::uint64_t unfinished = here.word() ^ target.word();
    const unsigned first_bit = fields_[first].first_bit;
    const std::uint64_t ahead = unfinished >> first_bit << first_bit;
    return first_of(ahead != 0 ? ahead : unfinished);
  }

 private:
  friend class Coordinates;

  /// The dimension of the lowest bit. Requires differences != 0 (which std::countr_zero would test).
  [[nodiscard]] unsigned first_of(std::uint64_t differences) const {
    return dimension_of_[static_cast<unsigned>(__builtin_ctzll(differences))];
  }

  struct Field {
    unsigned first_bit = 0;
    std::uint64_t mask = 0;  ///< of the bits, moved to the lowest
  };
  std::array<Field, kMaxDimensions> fields_{};
  /// Their masks at their positions, which every head on a torus needs.
  std::array<std::uint64_t, kMaxDimensions> masks_{};
  std::array<std::uint8_t, 64> dimension_of_{};  ///< by bit
  std::vector<std::uint64_t> words_;             ///< by node
};

inline std::uint32_t Coordinates::operator[](unsigned dimension) const {
  const auto& [first_bit, mask] = table_.fields_[dimension];
  return static_cast<std::uint32_t>(word_ >> first_bit & mask);
}

inline std::uint64_t Coordinates::scaled(unsigned dimension) const {
  return word_ & table_.masks_[dimension];
}

/// The shorter direction in a dimension; of two equal ones minus if its bit of `minus` is set.
[[nodiscard]] inline Sign shorter_direction(const Topology& topology, unsigned dimension, std::uint32_t from,
                                            std::uint32_t to, std::uint32_t minus) {
  const bool ties = (minus >> dimension & 1) != 0 && topology.wraps() && !topology.is_one_way() &&
                    2 * (from < to ? to - from : from - to) == topology.side(dimension);
  return ties ? Sign::minus : topology.shorter_direction(dimension, from, to);
}

/// The directions of ties by a draw: bit k for minus in dimension k.
[[nodiscard]] inline std::uint32_t ties_of(std::uint8_t draw, const Topology& topology) {
  return draw & ((std::uint32_t{1} << topology.dimensions()) - 1);
}

/// The next link to a destination by the shorter direction in every dimension (with `minus` as above), in
/// order from dimension `first` on; on a torus with the class of its dateline.
[[nodiscard]] inline Candidate shortest_step(const Topology& topology, const CoordinateTable& table,
                                             NodeId node, NodeId destination, unsigned first = 0,
                                             std::uint32_t minus = 0) {
  const Coordinates here = table.of(node);
  const Coordinates target = table.of(destination);
  const unsigned k = table.first_unfinished_from(first, here, target);
  const Sign sign = shorter_direction(topology, k, here[k], target[k], minus);
  return {port_of(k, sign), topology.wraps() ? dateline_class(here[k], target[k], sign) : 0};
}

/// Base of functions on tori and meshes that look at coordinates; `Kind` is AdaptiveRouting or
/// DeterministicRouting.
template <typename Kind>
class RoutingByCoordinates : public Kind {
 public:
  explicit RoutingByCoordinates(const Topology& topology) : topology_(topology), wraps_(topology.wraps()) {}

  void build_tables() final { coordinates_.build(topology_); }
  void prepare(Head& head, NodeId /*source*/) const final { coordinates_.write_target(head); }

 protected:
  [[nodiscard]] const Topology& topology() const { return topology_; }
  [[nodiscard]] unsigned dimensions() const { return topology_.dimensions(); }
  /// It is a torus.
  [[nodiscard]] bool wraps() const { return wraps_; }
  /// The coordinates of a node, and of a head's destination.
  [[nodiscard]] Coordinates coordinates(NodeId node) const { return coordinates_.of(node); }
  [[nodiscard]] Coordinates target_of(const Head& head) const { return coordinates_.target_of(head); }
  [[nodiscard]] const CoordinateTable& table() const { return coordinates_; }

 private:
  Topology topology_;
  CoordinateTable coordinates_;
  bool wraps_;
};

/// A derived class defines classes(), escape_classes() and add_candidates(). Every route is admitted.
using CoordinateRouting = RoutingByCoordinates<AdaptiveRouting>;
/// A derived class defines classes() and first_candidate().
using OrderedRouting = RoutingByCoordinates<DeterministicRouting>;

}  // namespace flitscope
