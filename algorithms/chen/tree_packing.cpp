#include "algorithms/chen/tree_packing.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace flitscope::chen {

namespace {

/// Depths of all nodes, by walking up to the first node whose depth is known.
std::vector<unsigned> depths_of(const std::vector<NodeId>& parents) {
  constexpr unsigned kUnknown = ~0U;
  std::vector<unsigned> depths(parents.size(), kUnknown);
  depths[0] = 0;
  std::vector<NodeId> way;
  for (NodeId node = 0; node < parents.size(); ++node) {
    NodeId at = node;
    for (; depths[at] == kUnknown; at = parents[at]) {
      if (way.size() == parents.size()) throw std::logic_error("a spanning tree has a dependency cycle");
      way.push_back(at);
    }
    for (unsigned depth = depths[at]; !way.empty(); way.pop_back()) depths[way.back()] = ++depth;
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

}  // namespace flitscope::chen
