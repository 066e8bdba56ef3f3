// From the plane of class 0 to the whole of every DDN (Sections 3.3.1 and 3.3.2).
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
  /// What the nodes of the plane know after the first gossip, and after the second.
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

}  // namespace flitscope::chen
