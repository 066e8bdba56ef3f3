#include "model/dependency_cycles.h"

#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>

namespace flitscope {

namespace {

using ArcGraph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                                    boost::no_property, std::uint32_t, std::size_t>;

ArcGraph graph_of(const std::vector<std::size_t>& first, const std::vector<std::uint32_t>& targets) {
  const auto vertices = static_cast<std::uint32_t>(first.size() - 1);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> arcs;
  arcs.reserve(targets.size());
  for (std::uint32_t from = 0; from < vertices; ++from) {
    for (std::size_t arc = first[from]; arc < first[from + 1]; ++arc) arcs.emplace_back(from, targets[arc]);
  }
  return {boost::edges_are_sorted, arcs.begin(), arcs.end(), vertices, arcs.size()};
}

}  // namespace

DependencyCycles::DependencyCycles(std::vector<Arc> arcs) {
  std::ranges::sort(arcs);
  arcs.erase(std::ranges::unique(arcs).begin(), arcs.end());
  for (const auto& [from, to] : arcs) {
    vertices_.push_back(from);
    vertices_.push_back(to);
  }
  std::ranges::sort(vertices_);
  vertices_.erase(std::ranges::unique(vertices_).begin(), vertices_.end());
  const auto index_of = [&](std::uint64_t vertex) {
    return static_cast<Index>(std::ranges::lower_bound(vertices_, vertex) - vertices_.begin());
  };
  first_.assign(vertices_.size() + 1, 0);
  targets_.reserve(arcs.size());
  Index from_index = 0;
  for (const auto& [from, to] : arcs) {
    while (vertices_[from_index] != from) first_[++from_index] = targets_.size();
    targets_.push_back(index_of(to));
    if (from == to) any_ = true;
  }
  while (from_index < vertices_.size()) first_[++from_index] = targets_.size();

  const ArcGraph graph = graph_of(first_, targets_);
  component_.resize(vertices_.size());
  const std::size_t components = boost::strong_components(
      graph, boost::make_iterator_property_map(component_.begin(), boost::get(boost::vertex_index, graph)));
  members_.assign(components, 0);
  for (const Index number : component_) ++members_[number];
  if (std::ranges::any_of(members_, [](Index members) { return members > 1; })) any_ = true;
}

/// A shortest cycle through `start` if it has fewer than `shorter_than` members, else nothing.
std::vector<DependencyCycles::Index> DependencyCycles::cycle_through(Index start,
                                                                     std::size_t shorter_than) const {
  ++search_;
  std::vector<Index> level{start};
  seen_[start] = search_;
  for (std::size_t members = 1; members < shorter_than && !level.empty(); ++members) {
    std::vector<Index> next;
    for (const Index from : level) {
      for (std::size_t arc = first_[from]; arc < first_[from + 1]; ++arc) {
        const Index to = targets_[arc];
        if (to == start) {
          std::vector<Index> cycle{from};
          while (cycle.back() != start) cycle.push_back(before_[cycle.back()]);
          std::ranges::reverse(cycle);
          return cycle;
        }
        if (component_[to] != component_[start] || seen_[to] == search_) continue;
        seen_[to] = search_;
        before_[to] = from;
        next.push_back(to);
      }
    }
    level = std::move(next);
  }
  return {};
}

std::vector<std::uint64_t> DependencyCycles::shortest() const {
  std::vector<std::uint64_t> result;
  if (!any_) return result;
  seen_.assign(vertices_.size(), 0);
  before_.assign(vertices_.size(), 0);
  search_ = 0;
  std::vector<Index> shortest;
  std::size_t bound = vertices_.size() + 1;
  for (Index start = 0; start < vertices_.size() && bound > 1; ++start) {
    std::vector<Index> cycle = cycle_through(start, bound);
    if (cycle.empty()) continue;
    bound = cycle.size();
    shortest = std::move(cycle);
  }
  for (const Index index : shortest) result.push_back(vertices_[index]);
  return result;
}

/// Tarjan's algorithm numbers components from the last to the first: each after all that it leads to.
std::vector<std::uint64_t> DependencyCycles::order() const {
  std::vector<std::uint64_t> result(vertices_.size());
  for (std::size_t index = 0; index < vertices_.size(); ++index) {
    result[vertices_.size() - 1 - component_[index]] = vertices_[index];
  }
  return result;
}

}  // namespace flitscope
