// Routers on a grid of any number of dimensions, or on circles, as several families number, name and draw
// them.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "model/error.h"
#include "model/graph.h"
#include "params/parameter.h"

namespace flitscope {

/// More routers are refused, before they take memory.
inline constexpr std::uint64_t kMaxFamilyRouters = std::uint64_t{1} << 20;

/// Throws Inadmissible(key) for more links at a router than there can be.
inline void require_links(const std::string& key, std::uint64_t links) {
  refuse_if(links > Graph::kMaxPorts, key, "a router would have {} links; it can have {} at most", links,
            Graph::kMaxPorts);
}

/// Throws Inadmissible(key) for more routers than there can be, nodes attached to them included.
inline void require_routers(const std::string& key, std::uint64_t routers) {
  refuse_if(routers > kMaxFamilyRouters, key, "the network would have more than {} routers",
            kMaxFamilyRouters);
}

/// Parameter of the families of grids. `maximum`: routers along a dimension.
inline Parameter sides_parameter(std::int64_t maximum) {
  return Parameter::integers("shape", "routers along each dimension, such as [4, 4]", {2, maximum},
                             "routers");
}
inline Parameter concentration_parameter(std::string fallback) {
  return Parameter::integer("concentration", "nodes attached to each router", {1, Graph::kMaxPorts - 1},
                            "nodes")
      .or_else(std::move(fallback));
}

/// Links each way of the least cut that parts a mesh, or a torus, of these sides in halves: of the sides,
/// longest first, sums the cuts across each up to the first even one (J. Aroca, A. Fernandez Anta: Bisection
/// (band)width of product networks with application to data centers, 2014).
inline std::uint64_t grid_bisection(std::vector<std::uint32_t> sides, bool wraps) {
  std::ranges::sort(sides, std::greater());
  std::uint64_t cut = 1;
  for (const std::uint32_t side : sides) cut *= side;
  std::uint64_t sum = 0;
  for (const std::uint32_t side : sides) {
    cut /= side;
    sum += cut;
    if (side % 2 == 0) break;
  }
  return wraps ? 2 * sum : sum;
}

class Grid {
 public:
  explicit Grid(std::vector<std::uint32_t> sides) : sides_(std::move(sides)) {
    for (const std::uint32_t side : sides_) {
      strides_.push_back(routers_);
      routers_ *= side;
    }
  }

  /// Throws Inadmissible(key) for a grid with too many routers, `each` for every place.
  static void require_size(const std::string& key, const std::vector<std::uint32_t>& sides,
                           std::uint64_t each) {
    for (const std::uint32_t side : sides) {
      each *= side;
      require_routers(key, each);
    }
  }

  [[nodiscard]] std::uint32_t routers() const { return routers_; }
  [[nodiscard]] std::size_t dimensions() const { return sides_.size(); }
  [[nodiscard]] std::uint32_t side(std::size_t dimension) const { return sides_[dimension]; }
  /// Difference of the numbers of neighbours in a dimension; dimension 0 counts fastest.
  [[nodiscard]] std::uint32_t stride(std::size_t dimension) const { return strides_[dimension]; }
  [[nodiscard]] std::uint32_t digit(std::uint32_t router, std::size_t dimension) const {
    return router / strides_[dimension] % sides_[dimension];
  }
  [[nodiscard]] std::vector<std::uint32_t> coordinates(std::uint32_t router) const {
    std::vector<std::uint32_t> result;
    for (std::size_t i = 0; i < dimensions(); ++i) result.push_back(digit(router, i));
    return result;
  }
  /// The router with these coordinates.
  [[nodiscard]] std::uint32_t router(const std::vector<std::uint32_t>& at) const {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < dimensions(); ++i) number += at[i] * strides_[i];
    return number;
  }
  /// "4x4"
  [[nodiscard]] std::string name() const { return fmt::format("{}", fmt::join(sides_, "x")); }

  /// Place in drawings: even dimensions to the right, odd ones down, `pitch` apart. With a `bend`
  /// rows are curved, so that links which skip routers of a row do not overlap.
  [[nodiscard]] Point at(std::uint32_t router, double pitch, double bend = 0) const {
    Point point;
    double right = pitch;
    double down = pitch;
    for (std::size_t i = 0; i < dimensions(); ++i) {
      const double place = digit(router, i);
      const double bulge = bend * place * (side(i) - 1 - place);
      double& step = i % 2 == 0 ? right : down;
      (i % 2 == 0 ? point.x : point.y) += place * step;
      (i % 2 == 0 ? point.y : point.x) -= bulge;
      step *= side(i) + 0.5;
    }
    return point;
  }

 private:
  std::vector<std::uint32_t> sides_;
  std::vector<std::uint32_t> strides_;
  std::uint32_t routers_ = 1;
};

// Places on circles, and groups of routers on small ones, for drawings.

/// The point `distance` from another, `turn` of a turn clockwise from straight up.
inline Point beside(Point point, double distance, double turn) {
  const double angle = 2 * std::numbers::pi * turn;
  return {point.x + distance * std::sin(angle), point.y - distance * std::cos(angle)};
}

/// Adds `count` nodes attached to a router; `at(place)` is where, a place between -1/2 and 1/2 of the
/// router's share of its circle, and `name` and coordinates are the router's with the node's number behind.
template <typename At>
void attach_nodes(GraphPlan& plan, std::uint32_t router, std::uint32_t count, At at) {
  for (std::uint32_t node = 0; node < count; ++node) {
    const GraphPlan::Router& base = plan.routers[router];
    GraphPlan::Router leaf{"n" + base.name.substr(1) + "." + std::to_string(node), true,
                           at((node + 0.5) / count - 0.5), base.coordinates, base.group};
    leaf.coordinates.push_back(node);
    plan.add_node(router, std::move(leaf));
  }
}

/// Groups on a circle, the routers of a group on a small one, and what is attached to them outside that.
struct CircleOfGroups {
  std::uint32_t groups = 1;
  std::uint32_t routers = 1;  ///< of a group

  /// Adds the routers of all groups.
  void add_routers(GraphPlan& plan) const {
    for (std::uint32_t group = 0; group < groups; ++group) {
      for (std::uint32_t i = 0; i < routers; ++i) {
        plan.add_router({fmt::format("r{}.{}", group, i), false, at(group, i, 0), {group, i}, group});
      }
    }
  }
  /// Adds `count` nodes at a router of `group`, at `place` of its circle.
  void attach(GraphPlan& plan, std::uint32_t router, std::uint32_t group, std::uint32_t place,
              std::uint32_t count) const {
    attach_nodes(plan, router, count, [&](double at_router) { return at(group, place + at_router, 1); });
  }

  [[nodiscard]] Point at(std::uint32_t group, double place, double distance) const {
    const double small = 0.25 * routers;
    const double large = groups * (2 * small + 3) / (2 * std::numbers::pi);
    const double turn = static_cast<double>(group) / groups;
    return beside(beside({large, large}, large, turn), small + distance, turn + place / routers);
  }
};

}  // namespace flitscope
