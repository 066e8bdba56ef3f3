#include "algorithms/chen/ring.h"

#include <algorithm>

#include "algorithms/algorithm.h"

namespace flitscope::chen {

NodeId Moves::within_plane(NodeId from, unsigned axis, int d, unsigned track, std::span<const ChunkId> chunks,
                           std::uint32_t control_bytes) {
  if (track != 2) return add_leg(steps_of_track(track), from, d, axis, d, chunks, control_bytes);
  const NodeId meta_node = add_leg(1, from, 0, axis, d, chunks, control_bytes);
  return add_leg(2, meta_node, d, axis, 0, chunks, control_bytes);
}

NodeId Moves::add_leg(unsigned step, NodeId from, int dx, unsigned axis, int da,
                      std::span<const ChunkId> chunks, std::uint32_t control_bytes) {
  Route route;
  if (dx < 0) route.set_sign(kX, Sign::minus);
  if (da < 0) route.set_sign(axis, Sign::minus);
  const NodeId to = cube_.moved(cube_.moved(from, kX, dx), axis, da);
  steps_[step - 1].add(from, to, route, chunks, control_bytes);
  return to;
}

namespace {

int ceil_div(int a, int b) {
  return (a + b - 1) / b;
}

/// Collects lo .. hi at mid in the first `k` levels.
void collect_at(int lo, int mid, int hi, std::size_t k, int base,
                std::vector<RingLevel>& levels) {  // NOLINT(misc-no-recursion)
  if (k == 0) return;
  int reach = 1;  // base^(k-1), what the levels below can collect
  for (std::size_t level = 1; level < k; ++level) reach *= base;
  const int left = mid - std::min(mid - lo, (reach - 1) / 2);
  const int right = mid + std::min(hi - mid, (reach - 1) / 2);
  collect_at(left, mid, right, k - 1, base, levels);
  // The positions beyond on either side are cut into runs, from the centre outwards; the middle of each sends
  // to mid on a track of its own.
  for (const int side : {-1, 1}) {
    int edge = side < 0 ? left : right;
    const int count = side < 0 ? left - lo : hi - right;
    const int parts = std::min((base - 1) / 2, count);
    for (int i = 0; i < parts; ++i) {
      const int near = edge + side;
      edge += side * ceil_div(count - i, parts);
      const int middle = floor_div(near + edge, 2);
      collect_at(std::min(near, edge), middle, std::max(near, edge), k - 1, base, levels);
      levels[k - 1].push_back({middle, mid, static_cast<unsigned>(i) + 1});
    }
  }
}

/// The window grows on one side from `known` positions to `wanted`, by at most `half` messages.
void grow(GossipLevel& level, int side, int known, int wanted, int half) {
  const int count = wanted - known;
  const int parts = std::min(half, count);
  int first = known + 1;
  for (int i = 0; i < parts; ++i) {
    const int last = first + ceil_div(count - i, parts) - 1;
    const int offset = last - known;  // what is this far away must lie within the window known there
    GossipSend send{-side * offset, static_cast<unsigned>(i) + 1, {}};
    for (int position = first; position <= last; ++position) {
      send.origins.push_back(side * (position - offset));
    }
    level.push_back(std::move(send));
    first = last + 1;
  }
}

}  // namespace

std::vector<RingLevel> ring_tree(int size, int base) {
  std::vector<RingLevel> levels(ceil_log(base, size));
  collect_at(-((size - 1) / 2), 0, size / 2, levels.size(), base, levels);
  return levels;
}

std::vector<GossipLevel> gossip(int size, int base) {
  std::vector<GossipLevel> levels;
  int left = 0;
  int right = 0;
  while (left + right + 1 < size) {
    const int width = std::min(size, base * (left + right + 1));
    GossipLevel level;
    grow(level, 1, right, width / 2, (base - 1) / 2);
    grow(level, -1, left, (width - 1) / 2, (base - 1) / 2);
    left = (width - 1) / 2;
    right = width / 2;
    levels.push_back(std::move(level));
  }
  return levels;
}

}  // namespace flitscope::chen
