// Six spanning trees of the n x n x n torus that share no directed channel.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "algorithms/chen/partition.h"

namespace flitscope::chen {

inline constexpr unsigned kTrees = 6;

/// Six spanning trees rooted at node 0, arc-disjoint: no channel leads from parent to child in two of them.
/// Each node's parents are its six neighbours, a different one in every tree.
class TreePacking {
 public:
  /// `parents[t][v]` is the parent of node v in tree t; that of the root is the root. The trees must be
  /// trees.
  TreePacking(const Cube& cube, std::array<std::vector<NodeId>, kTrees> parents);

  /// By tree and node.
  [[nodiscard]] const std::array<std::vector<NodeId>, kTrees>& parents() const { return parents_; }
  [[nodiscard]] const std::array<std::vector<unsigned>, kTrees>& depths() const { return depths_; }
  [[nodiscard]] NodeId parent(unsigned tree, NodeId node) const { return parents_[tree][node]; }
  [[nodiscard]] unsigned depth(unsigned tree, NodeId node) const { return depths_[tree][node]; }
  [[nodiscard]] unsigned height(unsigned tree) const { return depths_[tree][order_[tree].back()]; }
  /// Of the highest tree.
  [[nodiscard]] unsigned height() const {
    unsigned most = 0;
    for (unsigned tree = 0; tree < kTrees; ++tree) most = std::max(most, height(tree));
    return most;
  }
  /// The nodes of a tree by depth, the root first.
  [[nodiscard]] const std::vector<NodeId>& by_depth(unsigned tree) const { return order_[tree]; }

 private:
  std::array<std::vector<NodeId>, kTrees> parents_;
  std::array<std::vector<unsigned>, kTrees> depths_;
  std::array<std::vector<NodeId>, kTrees> order_;
};

/// The trees x+, x-, y+, y-, z+, z- by rule (ours; the paper refers to six such trees without giving them).
/// Height 2(n-1) for odd n, 2n + 1 or 2n + 2 for even n. n >= 3.
[[nodiscard]] TreePacking explicit_packing(int n);

/// Lower trees, by local search from the explicit ones: two trees exchange their parents at one node, as long
/// as that does not raise the sum of 2^depth over all nodes. Stops when no tree is higher than `height`, or
/// after `attempts` exchanges were looked at, with the trees that it has come to then. The same seed gives
/// the same trees.
[[nodiscard]] TreePacking searched_packing(int n, unsigned height, std::uint64_t seed,
                                           std::uint64_t attempts);

/// D + 2 with D = 3 floor(n/2): the height that Section 4.1 gives for six edge-disjoint spanning trees.
[[nodiscard]] constexpr unsigned height_in_paper(int n) {
  return static_cast<unsigned>(3 * (n / 2) + 2);
}

}  // namespace flitscope::chen
