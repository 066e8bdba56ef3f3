// Rings of the torus along which messages are collected or spread: of classes, of a row, of a column.
#pragma once

#include <span>

#include "algorithms/chen/cube.h"
#include "algorithms/chen/moves.h"
#include "algorithms/chen/ring_pattern.h"

namespace flitscope::chen {

/// A ring of `period` positions, each `scale` apart in class (moves from plane to plane), in y (along the
/// rows of a plane) or in z (along its columns). Every node has a position on its ring.
class Ring {
 public:
  [[nodiscard]] static Ring of_classes(const Cube& cube, int scale, int period) {
    return {cube, Kind::classes, scale, period};
  }
  [[nodiscard]] static Ring of_rows(const Cube& cube, int scale, int period) {
    return {cube, Kind::rows, scale, period};
  }
  [[nodiscard]] static Ring of_columns(const Cube& cube, int scale, int period) {
    return {cube, Kind::columns, scale, period};
  }

  [[nodiscard]] int period() const { return period_; }

  /// 0 .. period-1.
  [[nodiscard]] int position(NodeId node) const {
    const int offset = kind_ == Kind::classes ? cube_.cls(node) : cube_.coordinate(node, axis());
    return offset / scale_ % period_;
  }
  [[nodiscard]] bool is_at(NodeId node, int position) const {
    return this->position(node) == mod(position, period_);
  }

  /// The node that lies `positions` further.
  [[nodiscard]] NodeId shifted(NodeId node, int positions) const {
    const NodeId along_x = cube_.moved(node, kX, positions * scale_);
    return kind_ == Kind::classes ? along_x : cube_.moved(along_x, axis(), positions * scale_);
  }

  /// Adds a message to the node that lies `positions` further on a track; returns that node.
  NodeId send(Moves& moves, NodeId from, int positions, unsigned track, std::span<const ChunkId> chunks,
              std::uint32_t control_bytes = 0) const {
    if (kind_ == Kind::classes) {
      return moves.change_class(from, positions * scale_, track, chunks, control_bytes);
    }
    return moves.within_plane(from, axis(), positions * scale_, track, chunks, control_bytes);
  }

  /// Steps that a level takes: inside a plane tracks above 1 take two, whether or not there is data for them.
  template <typename Level>
  [[nodiscard]] unsigned steps(const Level& level) const {
    unsigned steps = 1;
    for (const auto& entry : level) {
      if (kind_ != Kind::classes && steps_of_track(entry.track) > steps) steps = steps_of_track(entry.track);
    }
    return steps;
  }

 private:
  enum class Kind : std::uint8_t { classes, rows, columns };

  Ring(const Cube& cube, Kind kind, int scale, int period)
      : cube_(cube), kind_(kind), scale_(scale), period_(period) {}

  [[nodiscard]] unsigned axis() const { return kind_ == Kind::rows ? kY : kZ; }

  Cube cube_;
  Kind kind_;
  int scale_;
  int period_;
};

}  // namespace flitscope::chen
