// Hamiltonian cycles that together have all links of a torus, in the coordinates of Meyer and Sibeyn.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "model/topology.h"

namespace flitscope::common {

/// Number of a PU, row-major over the axes of its PaperTorus. Ties in the constructions go by this number.
using Pu = std::uint32_t;

/// A direction of travel, by the paper's axes: 2 * axis for +, 2 * axis + 1 for -; axes count from 0 here.
using Direction = unsigned;
[[nodiscard]] constexpr Direction plus(unsigned axis) {
  return 2 * axis;
}
[[nodiscard]] constexpr Direction minus(unsigned axis) {
  return 2 * axis + 1;
}
[[nodiscard]] constexpr Direction reverse(Direction direction) {
  return direction ^ 1U;
}

/// The axes of the constructions may be the dimensions of the topology in another order (a transposed torus).
class PaperTorus {
 public:
  /// Axis a is dimension `order[a]`; no order: axis a is dimension a.
  explicit PaperTorus(const Topology& topology, std::vector<unsigned> order = {})
      : topology_(topology), order_(std::move(order)) {
    for (unsigned axis = static_cast<unsigned>(order_.size()); axis < topology.dimensions(); ++axis) {
      order_.push_back(axis);
    }
    strides_.resize(order_.size());
    Pu stride = 1;
    for (std::size_t axis = order_.size(); axis-- > 0;) {
      strides_[axis] = stride;
      stride *= side(static_cast<unsigned>(axis));
    }
  }

  [[nodiscard]] unsigned axes() const { return static_cast<unsigned>(order_.size()); }
  [[nodiscard]] unsigned directions() const { return 2 * axes(); }
  /// n_{axis + 1}.
  [[nodiscard]] std::uint32_t side(unsigned axis) const { return topology_.side(order_[axis]); }
  /// P.
  [[nodiscard]] Pu size() const { return topology_.nodes(); }

  [[nodiscard]] std::uint32_t coordinate(Pu pu, unsigned axis) const {
    return pu / strides_[axis] % side(axis);
  }
  [[nodiscard]] Pu at(std::span<const std::uint32_t> coordinates) const {
    Pu pu = 0;
    for (unsigned axis = 0; axis < axes(); ++axis) pu += coordinates[axis] * strides_[axis];
    return pu;
  }
  /// Of a torus of two axes: PU (row, column).
  [[nodiscard]] Pu at(std::uint32_t row, std::uint32_t column) const { return row * strides_[0] + column; }

  [[nodiscard]] Pu neighbour(Pu pu, Direction direction) const {
    const unsigned axis = direction / 2;
    const std::uint32_t n = side(axis);
    const std::uint32_t from = coordinate(pu, axis);
    const std::uint32_t to = direction % 2 == 0 ? (from + 1 == n ? 0 : from + 1) : (from == 0 ? n : from) - 1;
    return pu + to * strides_[axis] - from * strides_[axis];
  }

  [[nodiscard]] const Topology& topology() const { return topology_; }
  [[nodiscard]] NodeId node(Pu pu) const {
    std::vector<std::uint32_t> coordinates(axes());
    for (unsigned axis = 0; axis < axes(); ++axis) coordinates[order_[axis]] = coordinate(pu, axis);
    return topology_.node(coordinates);
  }
  /// The link port of the topology that leads in a direction.
  [[nodiscard]] unsigned port(Direction direction) const { return 2 * order_[direction / 2] + direction % 2; }
  [[nodiscard]] ChannelId link(Pu pu, Direction direction) const {
    return topology_.channel(node(pu), port(direction));
  }

 private:
  Topology topology_;
  std::vector<unsigned> order_;
  std::vector<Pu> strides_;
};

/// A ring that passes no PU twice. Forward (F) is the order in which its PUs are listed.
class Ring {
 public:
  static constexpr std::uint32_t kOff = std::numeric_limits<std::uint32_t>::max();

  /// Starts in `first` and makes `moves` one after the other; the last leads back to `first`.
  /// Throws std::logic_error if they do not lead back, or pass a PU twice.
  Ring(const PaperTorus& torus, Pu first, std::span<const Direction> moves);

  /// L, the number of its PUs.
  [[nodiscard]] std::uint32_t length() const { return static_cast<std::uint32_t>(pus_.size()); }
  [[nodiscard]] const std::vector<Pu>& pus() const { return pus_; }
  [[nodiscard]] bool passes(Pu pu) const { return position_[pu] != kOff; }

  /// Directions from which forward packets arrive at a PU (that of the PU before), and in which they leave.
  [[nodiscard]] Direction entry(Pu pu) const {
    return reverse(moves_[(position_[pu] + length() - 1) % length()]);
  }
  [[nodiscard]] Direction exit(Pu pu) const { return moves_[position_[pu]]; }

  /// Forward distance, and the shorter one, between two PUs it passes.
  [[nodiscard]] std::uint32_t forward(Pu from, Pu to) const {
    return (position_[to] + length() - position_[from]) % length();
  }
  [[nodiscard]] std::uint32_t distance(Pu from, Pu to) const {
    const std::uint32_t ahead = forward(from, to);
    return ahead < length() - ahead ? ahead : length() - ahead;
  }

 private:
  std::vector<Pu> pus_;
  std::vector<Direction> moves_;
  std::vector<std::uint32_t> position_;  ///< by PU: its place, 0 for the first
};

/// d Hamiltonian cycles of a torus of d >= 2 axes, all sides at least 3, that share no link: each link lies
/// on exactly one. Every cycle starts in PU 0 and goes to the one of its neighbours on the cycle first that
/// has the smaller number.
[[nodiscard]] std::vector<Ring> hamiltonian_decomposition(const PaperTorus& torus);

}  // namespace flitscope::common
