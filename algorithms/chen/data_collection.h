// Inside the blocks: every node collects the messages of all DDNs (Section 3.3.3).
#pragma once

#include <vector>

#include "algorithms/chen/distribution.h"
#include "algorithms/chen/multinode.h"

namespace flitscope::chen {

/// Along x every diagonal node sends the messages of its DDN to its row; then the nodes of a column, and
/// after that those of a horizontal line, exchange what they have. At the end of the column stage a node has
/// N_u, the messages of all DDNs (u, v), v = 0 .. h-1, for the u of its z.
///
/// Columns and lines exchange either by the paper's ring, which is embedded in each block (even places
/// upwards, then the odd ones downwards; h - 1 steps), or on the lines of the torus, in both directions at
/// once (h div 2 steps, ours). There it does no harm that blocks have borders: what a node needs from place p
/// of its block, the same place of every other block has as well.
class DataCollection {
 public:
  /// `distribution` must outlive this.
  DataCollection(const Partition& partition, const Options& options, const Distribution& distribution);

  DataCollection(const DataCollection&) = delete;  // the rounds point to this
  DataCollection& operator=(const DataCollection&) = delete;

  void add_rounds(std::vector<Round>& rounds);

 private:
  void row(const RingLevel& level, Moves& moves);
  void add_exchange(const std::string& stage, unsigned dimension, std::vector<Round>& rounds);
  void ring_step(unsigned dimension, int step, Moves& moves);
  void bidirectional_step(unsigned dimension, int step, Moves& moves);
  void unite_columns();
  /// What a node contributes to the exchange along `dimension`, if it stood at `place` of its block.
  [[nodiscard]] const std::vector<ChunkId>& piece(NodeId node, unsigned dimension, int place) const;

  Partition partition_;
  bool bidirectional_;
  const Distribution& distribution_;
  Ring classes_;
  /// The places of a block's line in the order of the embedded ring: 0, 2, 4, .., then the odd ones down.
  std::vector<int> ring_;
  std::vector<int> place_on_ring_;
  /// N_u.
  std::vector<std::vector<ChunkId>> united_;
};

}  // namespace flitscope::chen
