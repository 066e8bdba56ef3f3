#include "algorithms/chen/multinode.h"

namespace flitscope::chen {

std::vector<NodeId> diagonal_nodes(const Partition& partition) {
  std::vector<NodeId> nodes;
  for (NodeId node = 0; node < partition.cube().nodes(); ++node) {
    if (partition.is_diagonal(node)) nodes.push_back(node);
  }
  return nodes;
}

std::vector<NodeId> plane_nodes(const Cube& cube) {
  std::vector<NodeId> nodes;
  for (int k = 0; k < cube.n(); ++k) {
    for (int j = 0; j < cube.n(); ++j) nodes.push_back(cube.node(j + k, j, k));
  }
  return nodes;
}

void Collection::add_rounds(const std::string& stage, const std::vector<RingLevel>& tree,
                            std::vector<Round>& rounds) {
  for (const RingLevel& level : tree) {
    rounds.push_back({stage, ring_.steps(level), [this, level](Moves& moves) { play(level, moves); }});
  }
}

void Collection::play(const RingLevel& level, Moves& moves) {
  // A sender of a level does not receive in it.
  for (const Arrow& arrow : level) {
    for (const NodeId node : nodes_) {
      std::vector<ChunkId>& own = held_[node];
      if (own.empty() || !ring_.is_at(node, arrow.from)) continue;
      std::vector<ChunkId>& theirs = held_[ring_.send(moves, node, arrow.to - arrow.from, arrow.track, own)];
      theirs.insert(theirs.end(), own.begin(), own.end());
      own.clear();
    }
  }
}

std::uint64_t lemma_3_startups(int n, int h) {
  return 8 * ceil_log_of(7, n) + 5 * ceil_log_of(7, h) + 2 * ceil_log_of(7, n / h) + 1;
}

std::uint64_t lemma_4_startups(int n, int h) {
  return 6 * ceil_log_of(7, n / h) + ceil_log_of(3, h) + 2 * static_cast<unsigned>(h) - 2;
}

}  // namespace flitscope::chen
