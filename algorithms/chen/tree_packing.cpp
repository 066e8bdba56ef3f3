#include "algorithms/chen/tree_packing.h"

#include <algorithm>
#include <random>
#include <stdexcept>
#include <utility>

#include "model/numbers.h"
#include "model/random.h"

namespace flitscope::chen {

namespace {

/// Depths of all nodes, by walking up to the first node whose depth is known.
std::vector<unsigned> depths_of(const std::vector<NodeId>& parents) {
  constexpr unsigned kUnknown = ~0U;
  std::vector<unsigned> depths(parents.size(), kUnknown);
  depths[0] = 0;
  std::vector<NodeId> path;
  for (NodeId node = 0; node < parents.size(); ++node) {
    NodeId at = node;
    for (; depths[at] == kUnknown; at = parents[at]) {
      if (path.size() == parents.size()) throw std::logic_error("a spanning tree has a cycle");
      path.push_back(at);
    }
    for (unsigned depth = depths[at]; !path.empty(); path.pop_back()) depths[path.back()] = ++depth;
  }
  return depths;
}

/// The parents of a node other than the root in the trees k+ and k- of the explicit packing.
std::array<NodeId, 2> parents_of_pair(const Cube& cube, NodeId node, unsigned k) {
  const int n = cube.n();
  const auto toward_0 = [n](int p) { return p <= (n % 2 == 0 ? n / 2 + 1 : (n - 1) / 2) ? -1 : 1; };
  const int at = cube.coordinate(node, k);
  const auto zeros = std::ranges::count(std::array{cube.x(node), cube.y(node), cube.z(node)}, 0);
  const NodeId ahead = cube.moved(node, k, 1);
  const NodeId behind = cube.moved(node, k, -1);
  if (at == 0) return {ahead, behind};
  if (zeros == 2) return {behind, ahead};  // on axis k
  // The other dimension by which a pair leads on: the next one, or the one in which the node lies off 0.
  const unsigned next = (k + 1) % 3;
  const unsigned j = zeros == 0 || cube.coordinate(node, next) != 0 ? next : (k + 2) % 3;
  const NodeId sideways = cube.moved(node, j, toward_0(cube.coordinate(node, j)));
  const NodeId away = cube.moved(node, k, -toward_0(at));
  const bool plus_goes_sideways = at <= n / 2 ? at % 2 == 1 : (n - at) % 2 == 0;
  return plus_goes_sideways ? std::array{sideways, away} : std::array{away, sideways};
}

}  // namespace

TreePacking::TreePacking(const Cube& cube, std::array<std::vector<NodeId>, kTrees> parents)
    : parents_(std::move(parents)) {
  for (unsigned tree = 0; tree < kTrees; ++tree) {
    depths_[tree] = depths_of(parents_[tree]);
    order_[tree] = numbers_below<NodeId>(cube.nodes());
    std::ranges::stable_sort(order_[tree], {}, [&](NodeId node) { return depths_[tree][node]; });
  }
}

TreePacking explicit_packing(int n) {
  const Cube cube(n);
  std::array<std::vector<NodeId>, kTrees> parents;
  for (auto& tree : parents) tree.resize(cube.nodes());
  for (NodeId node = 1; node < cube.nodes(); ++node) {
    for (unsigned tree = 0; tree < kTrees; ++tree)
      parents[tree][node] = parents_of_pair(cube, node, tree / 2)[tree % 2];
  }
  return {cube, std::move(parents)};
}

namespace {

/// A node in one of the trees.
struct Place {
  unsigned tree = 0;
  NodeId node = 0;
};

class Search {
 public:
  Search(int n, unsigned height, std::uint64_t seed) : cube_(n), target_(height), random_(seed) {
    const TreePacking start = explicit_packing(n);
    parents_ = start.parents();
    depths_ = start.depths();
  }

  [[nodiscard]] TreePacking run(std::uint64_t attempts) {
    for (; attempts > 0 && !reached(); --attempts) {
      const auto [tree, node] = choose();
      if (node == 0) continue;
      const auto other = static_cast<unsigned>((tree + 1 + random_below(random_, kTrees - 1)) % kTrees);
      try_exchange(node, tree, other);
    }
    return {cube_, std::move(parents_)};
  }

 private:
  /// Whether no node is deeper than the target; keeps the list of those that are.
  bool reached() {
    while (!deep_.empty()) {
      const std::size_t at = random_below(random_, deep_.size());
      if (is_deep(deep_[at])) {
        chosen_ = deep_[at];
        return false;
      }
      std::swap(deep_[at], deep_.back());
      deep_.pop_back();
    }
    for (unsigned tree = 0; tree < kTrees; ++tree) {
      for (NodeId node = 0; node < cube_.nodes(); ++node) {
        if (is_deep({tree, node})) deep_.push_back({tree, node});
      }
    }
    if (deep_.empty()) return true;
    chosen_ = deep_.front();
    return false;
  }

  [[nodiscard]] bool is_deep(Place place) const { return depths_[place.tree][place.node] > target_; }

  /// Mostly one of the nodes that are too deep, or an ancestor of it; sometimes any node.
  Place choose() {
    if (random_below(random_, 8) == 0) {
      return {static_cast<unsigned>(random_below(random_, kTrees)),
              static_cast<NodeId>(random_below(random_, cube_.nodes()))};
    }
    Place place = chosen_;
    for (std::uint64_t up = random_below(random_, depths_[place.tree][place.node]); up > 0; --up) {
      place.node = parents_[place.tree][place.node];
    }
    return place;
  }

  void try_exchange(NodeId node, unsigned left, unsigned right) {
    const NodeId from_left = parents_[left][node];
    const NodeId from_right = parents_[right][node];
    if (is_below(right, from_left, node) || is_below(left, from_right, node)) return;
    const int left_shift = shift(left, node, from_right);
    const int right_shift = shift(right, node, from_left);
    if (left_shift > 0 && right_shift > 0) return;
    if (growth(left, node, left_shift) + growth(right, node, right_shift) > 0) return;
    std::swap(parents_[left][node], parents_[right][node]);
    lower(left, node, left_shift);
    lower(right, node, right_shift);
  }

  /// Increase of the depth of the node below a new parent.
  [[nodiscard]] int shift(unsigned tree, NodeId node, NodeId parent) const {
    return static_cast<int>(depths_[tree][parent]) + 1 - static_cast<int>(depths_[tree][node]);
  }

  /// Whether `node` is an ancestor of `from`, or the same.
  [[nodiscard]] bool is_below(unsigned tree, NodeId from, NodeId node) const {
    while (depths_[tree][from] > depths_[tree][node]) from = parents_[tree][from];
    return from == node;
  }

  /// Change of the sum of 2^depth if the node and its subtree move `shift` deeper.
  [[nodiscard]] double growth(unsigned tree, NodeId node, int shift) {
    if (shift == 0) return 0;
    double sum = 0;
    for_each_below(tree, node,
                   [&](NodeId each) { sum += std::ldexp(1.0, static_cast<int>(depths_[tree][each])); });
    return sum * (std::ldexp(1.0, shift) - 1);
  }

  void lower(unsigned tree, NodeId node, int shift) {
    if (shift == 0) return;
    for_each_below(tree, node, [&](NodeId each) {
      unsigned& depth = depths_[tree][each];
      depth = static_cast<unsigned>(static_cast<int>(depth) + shift);
      if (depth > target_) deep_.push_back({tree, each});
    });
  }

  /// The node and everything below it.
  template <typename Visit>
  void for_each_below(unsigned tree, NodeId node, const Visit& visit) {
    stack_.assign(1, node);
    while (!stack_.empty()) {
      const NodeId at = stack_.back();
      stack_.pop_back();
      for (unsigned dimension = 0; dimension < 3; ++dimension) {
        for (const int step : {1, -1}) {
          const NodeId next = cube_.moved(at, dimension, step);
          if (next != 0 && parents_[tree][next] == at) stack_.push_back(next);
        }
      }
      visit(at);
    }
  }

  Cube cube_;
  unsigned target_;
  std::mt19937_64 random_;
  std::array<std::vector<NodeId>, kTrees> parents_;
  std::array<std::vector<unsigned>, kTrees> depths_;
  /// Nodes that were found too deep; may name one twice, and some that are no longer.
  std::vector<Place> deep_;
  Place chosen_;
  std::vector<NodeId> stack_;
};

}  // namespace

TreePacking searched_packing(int n, unsigned height, std::uint64_t seed, std::uint64_t attempts) {
  return Search(n, height, seed).run(attempts);
}

}  // namespace flitscope::chen
