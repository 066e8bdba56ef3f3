// Flits on links: the sum over the paths of many flows.
#pragma once

#include <cstdint>
#include <vector>

#include "model/topology.h"
#include "routers/routing/paths.h"

namespace flitscope {

/// A sum of flits per cycle in fixed point, so that it is exact and no order of its terms matters.
class FlitSum {
 public:
  constexpr FlitSum() = default;
  /// Of flits >= 0, without what is below 2^-80.
  explicit FlitSum(double flits);

  [[nodiscard]] double value() const;
  [[nodiscard]] bool is_zero() const { return sum_ == 0; }
  FlitSum& operator+=(FlitSum other) {
    sum_ += other.sum_;
    return *this;
  }
  FlitSum& operator-=(FlitSum other) {
    sum_ -= other.sum_;
    return *this;
  }
  friend FlitSum operator+(FlitSum a, FlitSum b) { return a += b; }
  friend FlitSum operator-(FlitSum a, FlitSum b) { return a -= b; }
  friend FlitSum operator*(FlitSum a, std::uint64_t times) {
    a.sum_ *= times;
    return a;
  }
  /// One of so many equal parts.
  [[nodiscard]] FlitSum part(std::uint32_t parts) const {
    FlitSum part;
    part.sum_ = sum_ / parts;
    return part;
  }
  bool operator==(const FlitSum&) const = default;

 private:
  using Wide = unsigned __int128;
  Wide sum_ = 0;  ///< modulo 2^128: a difference may be below 0 until more is added
};

/// Sums flits per cycle on the links of paths. Where messages follow routes these are the shortest ones, and
/// the flits of a tie go half in each direction if ties are split; ties of dimensions are independent. Of
/// several drawn paths each has its part.
///
/// A flow costs one step for each of its dimensions on fault-free tori and meshes, and one for each of its
/// links elsewhere. Flows from all nodes to one another cost less: on tori and meshes a step for each node
/// and coordinate of a line of nodes, elsewhere one for each pair and link of the tree (one for each group of
/// sources that the routing function treats alike) that the paths to a destination are; the nodes of a router
/// count as one if the routing function does not tell them apart, as sources or at all.
class LinkSums {
 public:
  /// `paths` must outlive it.
  LinkSums(const Paths& paths, bool splits_ties, std::uint32_t drawn_paths = 1);

  /// Paths between two nodes among which flits are divided.
  [[nodiscard]] std::uint32_t drawn_paths() const { return drawn_paths_; }
  /// From one node to another.
  void add(NodeId source, NodeId destination, FlitSum flits);
  /// From every node to each other one. False, and the sums are of no use, if that would take more than
  /// `limit` steps.
  [[nodiscard]] bool add_from_all(const std::vector<FlitSum>& by_destination, double limit);

  /// By link. No flow can be added afterwards.
  [[nodiscard]] std::vector<FlitSum> take();

 private:
  /// Adds to the links of a line of nodes from `at` on; `changes` as changes_.
  void add_leg(std::vector<FlitSum>& changes, NodeId at, unsigned dimension, Sign sign, std::uint32_t hops,
               FlitSum flits) const;
  /// From changes to sums, in one dimension.
  void sum_up(std::vector<FlitSum>& changes, unsigned dimension) const;
  [[nodiscard]] bool add_routes_from_all(const std::vector<FlitSum>& by_destination, double limit);
  [[nodiscard]] bool add_trees_from_all(const std::vector<FlitSum>& by_destination, double limit);
  [[nodiscard]] bool add_trees_of_routers(const std::vector<FlitSum>& by_destination, double limit);

  const Paths& paths_;
  const Topology& topology_;
  bool splits_ties_;
  std::uint32_t drawn_paths_;  ///< for two nodes, 1 where paths follow routes
  std::vector<FlitSum> sums_;
  /// Where messages follow routes: the sum of a link, less that of the link before it in its direction along
  /// its line of nodes.
  std::vector<FlitSum> changes_;
  std::vector<NodeId> strides_;  ///< from a node to the next one of a dimension
};

}  // namespace flitscope
