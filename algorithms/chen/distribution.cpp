#include "algorithms/chen/distribution.h"

#include <algorithm>
#include <ranges>

namespace flitscope::chen {

Distribution::Distribution(const Partition& partition, const Options& options, const Held& held)
    : partition_(partition),
      base_(options.plane_base),
      held_(held),
      diagonal_(diagonal_nodes(partition)),
      plane_(plane_nodes(partition.cube())),
      classes_(Ring::of_classes(partition.cube(), partition.h(), partition.blocks())),
      rows_(Ring::of_rows(partition.cube(), partition.h(), partition.blocks())),
      columns_(Ring::of_columns(partition.cube(), partition.h(), partition.blocks())),
      in_row_(partition.cube().nodes()),
      messages_(partition.ddn_count()) {}

void Distribution::add_rounds(std::vector<Round>& rounds) {
  add_gossip("rows", rows_, held_, rounds);
  rounds.push_back(Round::without_steps([this] { unite_rows(); }));
  add_gossip("columns", columns_, in_row_, rounds);
  rounds.push_back(Round::without_steps([this] { unite_columns(); }));
  const auto tree = ring_tree(partition_.blocks(), 7);
  for (const RingLevel& level : std::views::reverse(tree)) {
    rounds.push_back({"broadcast", 1, [this, level](Moves& moves) { broadcast(level, moves); }});
  }
}

void Distribution::add_gossip(const std::string& stage, const Ring& ring, const Held& pieces,
                              std::vector<Round>& rounds) {
  for (const GossipLevel& level : gossip(partition_.blocks(), base_)) {
    rounds.push_back({stage, ring.steps(level), [this, ring, level, &pieces](Moves& moves) {
                        gossip_round(ring, level, pieces, moves);
                      }});
  }
}

void Distribution::gossip_round(const Ring& ring, const GossipLevel& level, const Held& pieces,
                                Moves& moves) {
  std::vector<ChunkId> gathered;
  for (const NodeId node : plane_) {
    for (const GossipSend& send : level) {
      gathered.clear();
      for (const int origin : send.origins) {
        const auto& piece = pieces[ring.shifted(node, origin)];
        gathered.insert(gathered.end(), piece.begin(), piece.end());
      }
      if (!gathered.empty()) ring.send(moves, node, send.displacement, send.track, gathered);
    }
  }
}

void Distribution::unite_rows() {
  const Cube& cube = partition_.cube();
  for (const NodeId node : plane_) {
    // Row k of the plane has n nodes, R of each DDN that it meets: the first of them speaks for all.
    if (cube.y(node) >= partition_.h()) continue;
    std::vector<ChunkId> all;
    for (int i = 0; i < partition_.blocks(); ++i) {
      const auto& piece = held_[rows_.shifted(node, i)];
      all.insert(all.end(), piece.begin(), piece.end());
    }
    for (int i = 0; i < partition_.blocks(); ++i) in_row_[rows_.shifted(node, i)] = all;
  }
}

void Distribution::unite_columns() {
  for (const NodeId node : plane_) {
    const auto& row = in_row_[node];
    auto& all = messages_[*partition_.ddn_of(node)];
    if (partition_.cube().y(node) < partition_.h()) all.insert(all.end(), row.begin(), row.end());
  }
  for (auto& all : messages_) std::ranges::sort(all);
}

void Distribution::broadcast(const RingLevel& level, Moves& moves) {
  for (const Arrow& arrow : level) {
    for (const NodeId node : diagonal_) {
      const auto& all = messages_of(*partition_.ddn_of(node));
      if (all.empty() || !classes_.is_at(node, arrow.to)) continue;
      classes_.send(moves, node, arrow.from - arrow.to, arrow.track, all);
    }
  }
}

}  // namespace flitscope::chen
