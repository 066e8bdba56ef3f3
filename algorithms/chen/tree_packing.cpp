#include "algorithms/chen/tree_packing.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>
#include <utility>

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

/// The explicit trees. Tree 2k is k+, tree 2k + 1 is k-.
class Explicit {
 public:
  explicit Explicit(int n) : cube_(n), n_(n) {}

  [[nodiscard]] TreePacking make() const {
    std::array<std::vector<NodeId>, kTrees> parents;
    for (auto& tree : parents) tree.resize(cube_.nodes());
    for (NodeId node = 1; node < cube_.nodes(); ++node) {
      for (unsigned k = 0; k < kDimensions; ++k) {
        const auto [plus, minus] = parents_of_pair(node, k);
        parents[std::size_t{2} * k][node] = plus;
        parents[std::size_t{2} * k + 1][node] = minus;
      }
    }
    return {cube_, std::move(parents)};
  }

 private:
  static constexpr unsigned kDimensions = 3;
  struct Pair {
    NodeId plus;
    NodeId minus;
  };

  /// The parents of a node other than the root in the trees k+ and k-.
  [[nodiscard]] Pair parents_of_pair(NodeId node, unsigned k) const {
    const int at = cube_.coordinate(node, k);
    const int zeros = static_cast<int>(cube_.x(node) == 0) + static_cast<int>(cube_.y(node) == 0) +
                      static_cast<int>(cube_.z(node) == 0);
    const NodeId ahead = cube_.moved(node, k, 1);
    const NodeId behind = cube_.moved(node, k, -1);
    if (at == 0) return {ahead, behind};
    if (zeros == 2) return {behind, ahead};  // on axis k
    const unsigned j = via(node, k, zeros);
    const NodeId sideways = cube_.moved(node, j, toward(cube_.coordinate(node, j)));
    const NodeId away = cube_.moved(node, k, -toward(at));
    return is_plus(at) ? Pair{sideways, away} : Pair{away, sideways};
  }

  /// The other dimension by which a pair leads on: the next one, or the one in which the node lies off 0.
  [[nodiscard]] unsigned via(NodeId node, unsigned k, int zeros) const {
    const unsigned next = (k + 1) % kDimensions;
    return zeros == 0 || cube_.coordinate(node, next) != 0 ? next : (k + 2) % kDimensions;
  }

  /// Which tree of a pair goes sideways at coordinate p.
  [[nodiscard]] bool is_plus(int p) const { return p <= n_ / 2 ? p % 2 == 1 : (n_ - p) % 2 == 0; }

  [[nodiscard]] int toward(int p) const {
    const int last = n_ % 2 == 0 ? n_ / 2 + 1 : (n_ - 1) / 2;
    return p <= last ? -1 : 1;
  }

  Cube cube_;
  int n_;
};

}  // namespace

TreePacking::TreePacking(const Cube& cube, std::array<std::vector<NodeId>, kTrees> parents)
    : parents_(std::move(parents)) {
  for (unsigned tree = 0; tree < kTrees; ++tree) {
    depths_[tree] = depths_of(parents_[tree]);
    heights_[tree] = std::ranges::max(depths_[tree]);
    order_[tree].resize(cube.nodes());
    std::iota(order_[tree].begin(), order_[tree].end(), 0);
    std::ranges::stable_sort(order_[tree], {}, [&](NodeId node) { return depths_[tree][node]; });
  }
}

unsigned TreePacking::height() const {
  return std::ranges::max(heights_);
}

TreePacking explicit_packing(int n) {
  return Explicit(n).make();
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
