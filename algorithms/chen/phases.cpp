#include <algorithm>
#include <cstdlib>
#include <map>
#include <ranges>

#include "algorithms/chen/multinode.h"

namespace flitscope::chen {

namespace {

/// Whether some offset in the window of h has a digit above 1 at this place.
bool needs_two_steps(int h, int base, unsigned digits, unsigned digit) {
  for (int offset = -((h - 1) / 2); offset <= h / 2; ++offset) {
    if (std::abs(balanced_digits(offset, base, digits)[digit]) > 1) return true;
  }
  return false;
}

}  // namespace

PrefixSum::PrefixSum(const Partition& partition, const Options& options, const Held& held)
    : partition_(partition),
      options_(options),
      held_(held),
      diagonal_(diagonal_nodes(partition)),
      plane_(plane_nodes(partition.cube())),
      sums_(partition.cube().nodes()),
      offsets_(partition.cube().nodes()),
      classes_(partition.cube().nodes(), 1) {
  const Cube& cube = partition.cube();
  const int n = partition.n();
  for (int k = 0; k < n; ++k) line_.push_back(cube.node(k, 0, k));
  const auto inside_plane = ring_tree(n, options.plane_base);
  add_levels(Ring::of_classes(cube, partition.h(), partition.blocks()), ring_tree(partition.blocks(), 7),
             diagonal_);
  add_levels(Ring::along(cube, kY, 1, n), inside_plane, plane_);
  add_levels(Ring::along(cube, kZ, 1, n), inside_plane, line_);
}

void PrefixSum::add_levels(const Ring& ring, const std::vector<RingLevel>& tree,
                           std::span<const NodeId> nodes) {
  for (const RingLevel& arrows : tree) levels_.push_back({ring, arrows, nodes, {}});
}

void PrefixSum::add_rounds(std::vector<Round>& rounds) {
  const auto add = [&](const Level& level, std::function<void(Moves&)> play) {
    rounds.push_back({"prefix sums", level.ring.steps(level.arrows), std::move(play)});
  };
  rounds.push_back(Round::without_steps([this] { count(); }));
  for (Level& level : levels_) {
    add(level, [this, &level](Moves& moves) { forward(level, moves); });
  }
  rounds.push_back(Round::without_steps([this] { start_backward(); }));
  for (Level& level : std::views::reverse(levels_)) {
    add(level, [this, &level](Moves& moves) { backward(level, moves); });
  }
}

void PrefixSum::count() {
  for (const NodeId node : diagonal_) {
    sums_[node].assign(options_.vector_prefix ? partition_.blocks() : 1, 0);
    sums_[node][component(node)] = static_cast<std::uint32_t>(held_[node].size());
  }
}

void PrefixSum::forward(Level& level, Moves& moves) {
  std::map<NodeId, std::vector<Part>> children;
  for (const Arrow& arrow : level.arrows) {
    for (const NodeId node : level.nodes) {
      if (!level.ring.is_at(node, arrow.from)) continue;
      const NodeId parent = level.ring.send(moves, node, arrow.to - arrow.from, arrow.track, {}, bytes(node));
      children[parent].push_back({arrow.from - arrow.to, arrow.track, node, sums_[node]});
    }
  }
  for (auto& [parent, parts] : children) {
    parts.push_back({0, 0, parent, sums_[parent]});
    std::ranges::sort(parts, {}, &Part::position);
    for (const Part& part : parts) {
      if (part.node == parent) continue;
      for (std::size_t i = 0; i < part.sums.size(); ++i) sums_[parent][i] += part.sums[i];
      if (classes_[parent] < static_cast<std::uint32_t>(partition_.blocks())) {
        classes_[parent] += classes_[part.node];
      }
    }
    level.merges.push_back({parent, std::move(parts)});
  }
}

void PrefixSum::start_backward() {
  const NodeId root = line_.front();
  Sums& start = offsets_[root];
  std::uint32_t before = 0;
  for (const std::uint32_t sum : sums_[root]) {
    start.push_back(before);
    before += sum;
  }
}

/// Every parent of the level takes its merge apart again.
void PrefixSum::backward(Level& level, Moves& moves) {
  for (const Merge& merge : level.merges) {
    Sums next = std::move(offsets_[merge.parent]);
    for (const Part& part : merge.parts) {
      offsets_[part.node] = next;
      for (std::size_t i = 0; i < next.size(); ++i) next[i] += part.sums[i];
      if (part.node == merge.parent) continue;
      level.ring.send(moves, merge.parent, part.position, part.track, {}, bytes(part.node));
    }
  }
}

std::vector<int> balanced_digits(int number, int base, unsigned count) {
  const int half = (base - 1) / 2;
  std::vector<int> digits(count);
  for (unsigned place = count; place-- > 0;) {
    digits[place] = mod(number + half, base) - half;
    number = (number - digits[place]) / base;
  }
  return digits;
}

Tuning::Tuning(const Partition& partition, const Options& options, const PrefixSum& ranks, Held& held)
    : partition_(partition),
      base_(options.plane_base),
      digits_(ceil_log(options.plane_base, partition.h())),
      ranks_(ranks),
      held_(held),
      diagonal_(diagonal_nodes(partition)) {}

void Tuning::add_rounds(std::vector<Round>& rounds) {
  rounds.push_back(Round::without_steps([this] { rank(); }));
  for (const unsigned axis : {kY, kZ}) {
    rounds.push_back(Round::without_steps([this, axis] { plan(axis); }));
    int scale = 1;
    for (unsigned digit = 1; digit < digits_; ++digit) scale *= base_;
    for (unsigned digit = 0; digit < digits_; ++digit, scale /= base_) {
      const unsigned steps = needs_two_steps(partition_.h(), base_, digits_, digit) ? 2 : 1;
      rounds.push_back(
          {"tune", steps, [this, axis, digit, scale](Moves& moves) { play(axis, digit, scale, moves); }});
    }
  }
}

void Tuning::rank() {
  std::size_t count = 0;
  for (const NodeId node : diagonal_) count += held_[node].size();
  ddn_.resize(count);
  offset_digits_.resize(count);
  for (const NodeId node : diagonal_) {
    std::ranges::sort(held_[node]);
    std::uint32_t rank = ranks_.first_rank(node);
    for (const ChunkId chunk : held_[node]) {
      ddn_[chunk] = static_cast<int>(rank++ % static_cast<std::uint32_t>(partition_.ddn_count()));
    }
  }
}

void Tuning::plan(unsigned axis) {
  const int h = partition_.h();
  for (const NodeId node : diagonal_) {
    for (const ChunkId chunk : held_[node]) {
      const int target = axis == kY ? ddn_[chunk] % h : ddn_[chunk] / h;  // v, u
      const int offset = in_window(target - partition_.cube().coordinate(node, axis), h);
      offset_digits_[chunk] = balanced_digits(offset, base_, digits_);
    }
  }
}

void Tuning::play(unsigned axis, unsigned digit, int scale, Moves& moves) {
  std::vector<std::pair<NodeId, std::vector<ChunkId>>> arrivals;
  for (const NodeId node : diagonal_) {
    std::map<int, std::vector<ChunkId>> by_digit;
    for (const ChunkId chunk : held_[node]) by_digit[offset_digits_[chunk][digit]].push_back(chunk);
    held_[node] = std::move(by_digit[0]);
    by_digit.erase(0);
    for (auto& [value, chunks] : by_digit) {
      const NodeId to = moves.within_plane(node, axis, displacement(value, scale),
                                           static_cast<unsigned>(std::abs(value)), chunks);
      arrivals.emplace_back(to, std::move(chunks));
    }
  }
  for (const auto& [node, chunks] : arrivals) {
    held_[node].insert(held_[node].end(), chunks.begin(), chunks.end());
  }
}

}  // namespace flitscope::chen
