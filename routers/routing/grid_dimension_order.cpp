// Dimension-order routing on families of networks that are grids: one dimension after the other, lowest
// first.
#include <algorithm>

#include "routers/routing/core_links.h"
#include "routers/routing/table_routing.h"

namespace flitscope::grid_dimension_order {
namespace {

/// Coordinates of routers, and which port leads nearest to a value of one of them. Every link changes one
/// coordinate.
class Steps {
 public:
  Steps(const Topology& topology, const RouteTable& table) : graph_(*topology.graph()), table_(table) {
    dimensions_ = graph_.coordinates(table.router(0)).size();
    first_.assign(dimensions_ + 1, 0);
    for (std::size_t i = 0; i < dimensions_; ++i) {
      std::uint32_t side = 0;
      for (std::uint32_t core = 0; core < table.cores(); ++core) side = std::max(side, digit(core, i) + 1);
      first_[i + 1] = first_[i] + side;
    }
    ports_.assign(std::size_t{table.cores()} * first_.back(), 0);
    const CoreLinks links(topology, table);
    for (std::uint32_t core = 0; core < table.cores(); ++core) find_ports(core, links.leaving(core));
  }

  [[nodiscard]] unsigned port(std::uint32_t at, std::uint32_t to) const {
    std::size_t i = 0;
    while (digit(at, i) == digit(to, i)) ++i;
    return ports_[place(at, i, digit(to, i))];
  }

 private:
  [[nodiscard]] std::uint32_t digit(std::uint32_t core, std::size_t dimension) const {
    return graph_.coordinates(table_.router(core))[dimension];
  }
  [[nodiscard]] std::size_t place(std::uint32_t core, std::size_t dimension, std::uint32_t value) const {
    return std::size_t{core} * first_.back() + first_[dimension] + value;
  }
  [[nodiscard]] static std::uint32_t gap(std::uint32_t one, std::uint32_t other) {
    return one < other ? other - one : one - other;
  }

  void find_ports(std::uint32_t core, std::span<const CoreLink> leaving) {
    for (std::size_t i = 0; i < dimensions_; ++i) {
      for (std::uint32_t value = 0; value < first_[i + 1] - first_[i]; ++value) {
        std::uint32_t nearest = gap(digit(core, i), value);
        for (const CoreLink& link : leaving) {
          const std::uint32_t left = gap(digit(link.to, i), value);
          if (left >= nearest) continue;
          nearest = left;
          ports_[place(core, i, value)] = link.port;
        }
      }
    }
  }

  const Graph& graph_;
  const RouteTable& table_;
  std::size_t dimensions_;
  std::vector<std::size_t> first_;  ///< by dimension: values of those before it
  std::vector<std::uint8_t> ports_;
};

class GridDimensionOrder final : public TableRouting {
 public:
  explicit GridDimensionOrder(const Topology& topology) : TableRouting(topology, "grid-dimension-order") {}

 private:
  RouteTable compute() const override {
    RouteTable table(topology());
    const Steps steps(topology(), table);
    for (std::uint32_t to = 0; to < table.cores(); ++to) {
      for (std::uint32_t at = 0; at < table.cores(); ++at) {
        if (at != to) table.set_port(at, to, steps.port(at, to));
      }
    }
    return table;
  }
};

const RoutingRegistry::Entry entry{{
    .name = "grid-dimension-order",
    .summary = "on a HyperX, concentrated mesh or mesh of chiplets: one dimension after the other, lowest "
               "first; one class",
    .source = "J. Ahn et al.: HyperX: topology, routing, and packaging of efficient large-scale networks, "
              "2009; W. Dally, B. Towles: Principles and practices of interconnection networks, 2004",
    .families = {"chiplets", "concentrated-mesh", "hyperx"},
    .minimal = false,
    .make = [](const Topology& topology) { return std::make_unique<GridDimensionOrder>(topology); },
}};

}  // namespace
}  // namespace flitscope::grid_dimension_order
