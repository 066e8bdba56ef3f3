#include <algorithm>
#include <ranges>

#include "algorithms/chen/multinode.h"

namespace flitscope::chen {

namespace {

std::vector<int> embedded_ring(int h) {
  std::vector<int> ring;
  for (int place = 0; place < h; place += 2) ring.push_back(place);
  for (int place = h - 1 - h % 2; place > 0; place -= 2) ring.push_back(place);
  return ring;
}

}  // namespace

DataMovement::DataMovement(const Partition& partition, const Options& options, const Held& held)
    : partition_(partition),
      options_(options),
      held_(held),
      diagonal_(diagonal_nodes(partition)),
      plane_(plane_nodes(partition.cube())),
      classes_(Ring::of_classes(partition.cube(), partition.h(), partition.blocks())),
      rows_(Ring::of_rows(partition.cube(), partition.h(), partition.blocks())),
      columns_(Ring::of_columns(partition.cube(), partition.h(), partition.blocks())),
      in_blocks_(Ring::of_classes(partition.cube(), 1, partition.h())),
      in_row_(partition.cube().nodes()),
      messages_(partition.ddn_count()),
      ring_(embedded_ring(partition.h())),
      place_on_ring_(ring_.size()),
      united_(partition.h()) {
  for (std::size_t i = 0; i < ring_.size(); ++i) place_on_ring_[ring_[i]] = static_cast<int>(i);
}

void DataMovement::add_rounds(std::vector<Round>& rounds) {
  add_gossip("rows", rows_, held_, rounds);
  rounds.push_back(Round::without_steps([this] { unite_rows(); }));
  add_gossip("columns", columns_, in_row_, rounds);
  rounds.push_back(Round::without_steps([this] { unite_ddns(); }));
  for (const RingLevel& level : std::views::reverse(ring_tree(partition_.blocks(), 7))) {
    rounds.push_back({"broadcast", 1, [this, level](Moves& moves) { broadcast(level, moves); }});
  }
  for (const RingLevel& level : std::views::reverse(ring_tree(partition_.h(), 3))) {
    rounds.push_back({"collect rows", 1, [this, level](Moves& moves) { collect_row(level, moves); }});
  }
  add_exchange("collect columns", kY, rounds);
  rounds.push_back(Round::without_steps([this] { unite_columns(); }));
  add_exchange("collect horizontally", kZ, rounds);
}

void DataMovement::add_gossip(const std::string& stage, const Ring& ring, const Held& pieces,
                              std::vector<Round>& rounds) {
  for (const GossipLevel& level : gossip(partition_.blocks(), options_.plane_base)) {
    rounds.push_back({stage, ring.steps(level), [this, ring, level, &pieces](Moves& moves) {
                        gossip_round(ring, level, pieces, moves);
                      }});
  }
}

void DataMovement::gossip_round(const Ring& ring, const GossipLevel& level, const Held& pieces,
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

void DataMovement::unite_rows() {
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

void DataMovement::unite_ddns() {
  for (const NodeId node : plane_) {
    const auto& row = in_row_[node];
    auto& all = messages_[*partition_.ddn_of(node)];
    if (partition_.cube().y(node) < partition_.h()) all.insert(all.end(), row.begin(), row.end());
  }
  for (auto& all : messages_) std::ranges::sort(all);
}

void DataMovement::broadcast(const RingLevel& level, Moves& moves) {
  for (const Arrow& arrow : level) {
    for (const NodeId node : diagonal_) {
      const auto& all = messages_[*partition_.ddn_of(node)];
      if (all.empty() || !classes_.is_at(node, arrow.to)) continue;
      classes_.send(moves, node, arrow.from - arrow.to, arrow.track, all);
    }
  }
}

/// Along x, cls counts the distance from the diagonal node.
void DataMovement::collect_row(const RingLevel& level, Moves& moves) {
  const Cube& cube = partition_.cube();
  for (const Arrow& arrow : level) {
    for (NodeId node = 0; node < cube.nodes(); ++node) {
      const auto& all = messages_[partition_.ddn_of_row(cube.y(node), cube.z(node))];
      if (all.empty() || !in_blocks_.is_at(node, arrow.to)) continue;
      moves.straight(node, kX, arrow.from - arrow.to, all);
    }
  }
}

void DataMovement::add_exchange(const std::string& stage, unsigned dimension, std::vector<Round>& rounds) {
  const int steps = options_.bidirectional ? partition_.h() / 2 : partition_.h() - 1;
  for (int step = 0; step < steps; ++step) {
    rounds.push_back({stage, 1, [this, dimension, step](Moves& moves) {
                        options_.bidirectional ? bidirectional_step(dimension, step, moves)
                                               : ring_step(dimension, step, moves);
                      }});
  }
}

/// Every node passes on what it got last, at first its own piece.
void DataMovement::ring_step(unsigned dimension, int step, Moves& moves) {
  const Cube& cube = partition_.cube();
  const int h = partition_.h();
  for (NodeId node = 0; node < cube.nodes(); ++node) {
    const int place = cube.coordinate(node, dimension) % h;
    const int on_ring = place_on_ring_[place];
    const auto& chunks = piece(node, dimension, ring_[mod(on_ring - step, h)]);
    if (!chunks.empty()) moves.straight(node, dimension, ring_[(on_ring + 1) % h] - place, chunks);
  }
}

/// Direction + carries the pieces of lower places, direction - those of higher ones; where both would bring
/// the same piece, the last step goes without direction -.
void DataMovement::bidirectional_step(unsigned dimension, int step, Moves& moves) {
  const Cube& cube = partition_.cube();
  const int h = partition_.h();
  for (NodeId node = 0; node < cube.nodes(); ++node) {
    const int place = cube.coordinate(node, dimension) % h;
    const auto& from_below = piece(node, dimension, mod(place - step, h));
    if (!from_below.empty()) moves.straight(node, dimension, 1, from_below);
    if (2 * step + 1 == h - 1) continue;
    const auto& from_above = piece(node, dimension, mod(place + step, h));
    if (!from_above.empty()) moves.straight(node, dimension, -1, from_above);
  }
}

void DataMovement::unite_columns() {
  const int h = partition_.h();
  for (int u = 0; u < h; ++u) {
    for (int v = 0; v < h; ++v) {
      const auto& all = messages_[u * h + v];
      united_[u].insert(united_[u].end(), all.begin(), all.end());
    }
    std::ranges::sort(united_[u]);
  }
}

const std::vector<ChunkId>& DataMovement::piece(NodeId node, unsigned dimension, int place) const {
  if (dimension == kZ) return united_[place];
  return messages_[partition_.ddn_of_row(place, partition_.cube().z(node))];
}

}  // namespace flitscope::chen
