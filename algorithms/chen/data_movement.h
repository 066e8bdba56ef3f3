// Distribution of the data among the nodes of a plane, and its collection.
#pragma once

#include <vector>

#include "algorithms/chen/multinode.h"

namespace flitscope::chen {

/// Every node of the plane learns all messages of its DDN, by a gossip along the rows and one along the
/// columns; then the planes spread them over the DDN. No message leaves the channels of its DDN.
class Distribution {
 public:
  /// Takes what `held` has at the plane's nodes when the first round is played; `held` must outlive this.
  Distribution(const Partition& partition, const Options& options, const Held& held);

  Distribution(const Distribution&) = delete;  // the rounds point to this
  Distribution& operator=(const Distribution&) = delete;

  void add_rounds(std::vector<Round>& rounds);

  /// M_{u,v}, all messages of DDN u * h + v, sorted. Known when the gossip is over.
  [[nodiscard]] const std::vector<ChunkId>& messages_of(int ddn) const { return messages_[ddn]; }

 private:
  void add_gossip(const std::string& stage, const Ring& ring, const Held& pieces, std::vector<Round>& rounds);
  void gossip_round(const Ring& ring, const GossipLevel& level, const Held& pieces, Moves& moves);
  /// Knowledge of the nodes of the plane after the first gossip, and after the second.
  void unite_rows();
  void unite_columns();
  void broadcast(const RingLevel& level, Moves& moves);

  Partition partition_;
  int base_;
  const Held& held_;
  std::vector<NodeId> diagonal_;
  std::vector<NodeId> plane_;
  Ring classes_;
  Ring rows_;
  Ring columns_;
  Held in_row_;
  std::vector<std::vector<ChunkId>> messages_;
};

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
  /// Contribution of a node at `place` of its block to the exchange along `dimension`.
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
