// The two ways in which everything moves: from plane to plane, and inside a plane.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/chen/cube.h"
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

  void clear();

  /// Changes cls by d, by a straight path: track 1 along x by d, track 2 along y by -d, track 3 along z by
  /// -d. One step. Returns where it leads.
  NodeId change_class(NodeId from, int d, unsigned track, std::span<const ChunkId> chunks,
                      std::uint32_t control_bytes = 0);

  /// Moves by d along x and along `axis` (y inside a row of the plane, z inside a column), which keeps cls.
  /// Track 1: x, then axis, in step 1. Track 2: along the axis to a meta-node in step 1, along x in step 2.
  /// Track 3: x, then axis, in step 2 (T1 and T2 of Section 3.2.2; the third pair of T1 would leave the
  /// plane).
  NodeId within_plane(NodeId from, unsigned axis, int d, unsigned track, std::span<const ChunkId> chunks,
                      std::uint32_t control_bytes = 0);

  /// A straight path of d links in step 1.
  NodeId straight(NodeId from, unsigned dimension, int d, std::span<const ChunkId> chunks,
                  std::uint32_t control_bytes = 0);

  /// Adds the messages of a step of the round, 1 or 2.
  void emit(unsigned step, Step& into) const;

 private:
  struct Leg {
    NodeId from = 0;
    NodeId to = 0;
    Route route;
    unsigned step = 1;
    std::uint32_t control_bytes = 0;
    std::size_t first_chunk = 0;
    std::size_t chunk_count = 0;
  };

  /// A leg along x by dx, then along `axis` by da. Its chunks are those added last.
  NodeId add_leg(unsigned step, NodeId from, int dx, unsigned axis, int da, std::size_t chunk_count,
                 std::uint32_t control_bytes);
  std::size_t keep(std::span<const ChunkId> chunks);

  Cube cube_;
  std::vector<Leg> legs_;
  std::vector<ChunkId> chunks_;
};

/// Tracks above 1 need the second step.
[[nodiscard]] constexpr unsigned steps_of_track(unsigned track) {
  return track > 1 ? 2 : 1;
}

}  // namespace flitscope::chen
