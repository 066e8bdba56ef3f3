// Cycles of a directed graph of dependencies, and the order of its vertices if there is none.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace flitscope {

/// An arc between two vertices, by their numbers.
using Arc = std::pair<std::uint64_t, std::uint64_t>;

/// The cycles of a directed graph. Its vertices are those that arcs name.
class DependencyCycles {
 public:
  explicit DependencyCycles(std::vector<Arc> arcs);

  /// A shortest cycle, each member with an arc to the next one, the last to the first; of several, one
  /// through the lowest vertex that lies on any. Empty if there is no cycle.
  [[nodiscard]] std::vector<std::uint64_t> shortest() const;
  [[nodiscard]] bool any() const { return any_; }

  /// All vertices in an order in which every arc leads to a later one. Requires that there is no cycle.
  [[nodiscard]] std::vector<std::uint64_t> order() const;

  [[nodiscard]] std::size_t arcs() const { return targets_.size(); }
  [[nodiscard]] const std::vector<std::uint64_t>& vertices() const { return vertices_; }

 private:
  using Index = std::uint32_t;

  [[nodiscard]] std::vector<Index> cycle_through(Index start, std::size_t shorter_than) const;

  std::vector<std::uint64_t> vertices_;  ///< rising
  std::vector<std::size_t> first_;       ///< by vertex: its first arc; one more at the end
  std::vector<Index> targets_;           ///< by arc
  std::vector<Index> component_;         ///< by vertex: its strongly connected component
  std::vector<Index> members_;           ///< by component
  bool any_ = false;
  // Of the breadth-first searches.
  mutable std::vector<std::uint32_t> seen_;
  mutable std::uint32_t search_ = 0;
  mutable std::vector<Index> before_;
};

}  // namespace flitscope
