// Moves along a line of planes or blocks, and the patterns in which rings of them broadcast.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/chen/partition.h"
#include "model/schedule.h"

namespace flitscope::chen {

/// The messages of one round, a round being what happens at once: one step, or two if a message may have to
/// pause at a meta-node. All paths are dimension-ordered, and moves of different tracks or signs that all
/// nodes of a plane make together share no link.
///
/// A displacement is travelled in the direction of its sign, also where the other one is as short.
class Moves {
 public:
  explicit Moves(const Cube& cube) : cube_(cube) {}

  void clear() {
    for (Step& step : steps_) step.clear();
  }

  /// Moves by d along x and along `axis` (y inside a row of the plane, z inside a column), which keeps cls.
  /// Track 1: x, then axis, in step 1. Track 2: along the axis to a meta-node in step 1, along x in step 2.
  /// Track 3: x, then axis, in step 2 (T1 and T2 of Section 3.2.2; the third pair of T1 would leave the
  /// plane).
  NodeId within_plane(NodeId from, unsigned axis, int d, unsigned track, std::span<const ChunkId> chunks,
                      std::uint32_t control_bytes = 0);

  /// A straight path of d links in step 1.
  NodeId straight(NodeId from, unsigned dimension, int d, std::span<const ChunkId> chunks,
                  std::uint32_t control_bytes = 0) {
    if (dimension == kX) return add_leg(1, from, d, kY, 0, chunks, control_bytes);
    return add_leg(1, from, 0, dimension, d, chunks, control_bytes);
  }

  /// The messages of a step of the round, 1 or 2.
  [[nodiscard]] const Step& step(unsigned number) const { return steps_[number - 1]; }

 private:
  /// A leg along x by dx, then along `axis` by da.
  NodeId add_leg(unsigned step, NodeId from, int dx, unsigned axis, int da, std::span<const ChunkId> chunks,
                 std::uint32_t control_bytes);

  Cube cube_;
  std::array<Step, 2> steps_;
};

/// Tracks above 1 need the second step.
[[nodiscard]] constexpr unsigned steps_of_track(unsigned track) {
  return track > 1 ? 2 : 1;
}

/// One position sends to another, on track 1 .. (base - 1) / 2. The tracks are the paths that a level may
/// use at once: each leads a message of its own to the receiver, from either side.
struct Arrow {
  int from = 0;
  int to = 0;
  unsigned track = 1;
};

/// Arrows that point all at once.
using RingLevel = std::vector<Arrow>;

/// Collects at position 0 what lies on the positions -((size-1) div 2) .. size div 2 of a ring, in
/// ceil(log_base size) levels, the first one first; backwards it is a broadcast. In a level a position gets
/// from at most (base-1) / 2 others on either side. The paper takes base 7 with the displacements +-1, +-2,
/// +-3 at all sizes (Section 3.2.1), which is right for powers of 7 only. `size` >= 1, `base` odd, >= 3.
[[nodiscard]] std::vector<RingLevel> ring_tree(int size, int base);

/// Messages of every position in a level of a gossip: to the position `displacement` further it passes on
/// what came from those at `origins`, counted from itself.
struct GossipSend {
  int displacement = 0;
  unsigned track = 1;
  std::vector<int> origins;
};

using GossipLevel = std::vector<GossipSend>;

/// All positions of a ring learn what all have, in ceil(log_base size) levels; nothing arrives twice. After a
/// level each knows a window around itself that is `base` times as wide (Section 3.3.1, which leaves the
/// exchange between its groups open).
[[nodiscard]] std::vector<GossipLevel> gossip(int size, int base);

/// A ring of `period` positions, each `scale` apart in class (moves from plane to plane) or along an axis: y
/// (along the rows of a plane) or z (along its columns). Every node has a position on its ring.
class Ring {
 public:
  [[nodiscard]] static Ring of_classes(const Cube& cube, int scale, int period) {
    return {cube, std::nullopt, scale, period};
  }
  [[nodiscard]] static Ring along(const Cube& cube, unsigned axis, int scale, int period) {
    return {cube, axis, scale, period};
  }

  [[nodiscard]] bool is_at(NodeId node, int position) const {
    const int offset = axis_ ? cube_.coordinate(node, *axis_) : cube_.cls(node);
    return offset / scale_ % period_ == mod(position, period_);
  }

  /// The node that lies `positions` further.
  [[nodiscard]] NodeId shifted(NodeId node, int positions) const {
    const NodeId along_x = cube_.moved(node, kX, positions * scale_);
    return axis_ ? cube_.moved(along_x, *axis_, positions * scale_) : along_x;
  }

  /// Adds a message to the node that lies `positions` further on a track; returns that node.
  NodeId send(Moves& moves, NodeId from, int positions, unsigned track, std::span<const ChunkId> chunks,
              std::uint32_t control_bytes = 0) const {
    const int d = positions * scale_;
    if (axis_) return moves.within_plane(from, *axis_, d, track, chunks, control_bytes);
    // Changes cls by d, by a straight path: track 1 along x by d, track 2 along y by -d, track 3 along z by
    // -d.
    return moves.straight(from, track - 1, track == 1 ? d : -d, chunks, control_bytes);
  }

  /// Steps that a level takes: inside a plane tracks above 1 take two, whether or not there is data for them.
  template <typename Level>
  [[nodiscard]] unsigned steps(const Level& level) const {
    unsigned steps = 1;
    for (const auto& entry : level) {
      if (axis_) steps = std::max(steps, steps_of_track(entry.track));
    }
    return steps;
  }

 private:
  Ring(const Cube& cube, std::optional<unsigned> axis, int scale, int period)
      : cube_(cube), axis_(axis), scale_(scale), period_(period) {}

  Cube cube_;
  std::optional<unsigned> axis_;  ///< nothing: the classes
  int scale_;
  int period_;
};

}  // namespace flitscope::chen
