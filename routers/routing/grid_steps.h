// Coordinates of core routers of families that are grids, and the port that leads nearest to a value of a
// coordinate. Every link changes one coordinate.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <vector>

#include "model/graph.h"
#include "model/route_table.h"
#include "routers/routing/table_routing.h"

namespace flitscope {

class GridSteps {
 public:
  explicit GridSteps(const Topology& topology)
      : routers_(topology), dimensions_(topology.graph()->coordinates(routers_.router(0)).size()) {
    for (std::uint32_t core = 0; core < routers_.cores(); ++core) {
      const auto digits = topology.graph()->coordinates(routers_.router(core));
      digits_.insert(digits_.end(), digits.begin(), digits.end());
    }
    const CoreLinks links(topology, routers_);
    number_slots(links);
    ports_.assign(std::size_t{routers_.cores()} * slots_, 0);
    for (std::uint32_t core = 0; core < routers_.cores(); ++core) {
      // From the last to the first: of several links to one router the lowest port counts.
      for (const CoreLink& link : std::views::reverse(links.leaving(core))) {
        const std::size_t i = dimension_of(link);
        ports_[slot(core, i, digit(link.to, i))] = link.port;
      }
    }
  }

  [[nodiscard]] const CoreRouters& routers() const { return routers_; }
  [[nodiscard]] std::size_t dimensions() const { return dimensions_.size(); }

  /// The port that leads on in the lowest unfinished dimension; of a leaf and to it their only one.
  [[nodiscard]] unsigned next(NodeId at, NodeId destination) const {
    if (routers_.is_leaf(at)) return routers_.port_out(at);
    const std::uint32_t here = routers_.core_of(at);
    const std::uint32_t there = routers_.core_of(destination);
    if (here == there) return routers_.port_in(destination);
    std::size_t i = 0;
    while (digit(here, i) == digit(there, i)) ++i;
    return *port_along(here, there, i);
  }
  /// The port from one core router that leads nearer to another in a dimension; nothing if that is finished.
  [[nodiscard]] std::optional<unsigned> port_along(std::uint32_t here, std::uint32_t there,
                                                   std::size_t dimension) const {
    if (digit(here, dimension) == digit(there, dimension)) return std::nullopt;
    return ports_[slot(here, dimension, digit(there, dimension))];
  }

 private:
  /// Where a router is joined to all others of its line, a dimension has a slot for each of them; elsewhere
  /// one for each direction.
  struct Dimension {
    std::size_t first_slot = 0;
    bool complete = true;
  };

  void number_slots(const CoreLinks& links) {
    std::vector<std::uint32_t> sides(dimensions_.size());
    for (std::size_t place = 0; place < digits_.size(); ++place) {
      std::uint32_t& side = sides[place % sides.size()];
      side = std::max(side, digits_[place] + 1);
    }
    std::vector<std::uint32_t> leaving(sides.size());
    for (std::uint32_t core = 0; core < routers_.cores(); ++core) {
      std::ranges::fill(leaving, 0);
      for (const CoreLink& link : links.leaving(core)) ++leaving[dimension_of(link)];
      for (std::size_t i = 0; i < sides.size(); ++i) {
        if (leaving[i] + 1 < sides[i]) dimensions_[i].complete = false;
      }
    }
    for (std::size_t i = 0; i < sides.size(); ++i) {
      dimensions_[i].first_slot = slots_;
      slots_ += dimensions_[i].complete ? sides[i] : 2;
    }
  }

  [[nodiscard]] std::uint32_t digit(std::uint32_t core, std::size_t dimension) const {
    return digits_[core * dimensions_.size() + dimension];
  }
  [[nodiscard]] std::size_t dimension_of(const CoreLink& link) const {
    std::size_t i = 0;
    while (digit(link.from, i) == digit(link.to, i)) ++i;
    return i;
  }
  [[nodiscard]] std::size_t slot(std::uint32_t core, std::size_t dimension, std::uint32_t value) const {
    const auto& [first, complete] = dimensions_[dimension];
    const std::size_t within = complete ? value : static_cast<std::size_t>(value > digit(core, dimension));
    return core * slots_ + first + within;
  }

  CoreRouters routers_;
  std::vector<Dimension> dimensions_;
  std::size_t slots_ = 0;              ///< of a router
  std::vector<std::uint32_t> digits_;  ///< by core router and dimension
  std::vector<std::uint8_t> ports_;    ///< by core router and slot
};

}  // namespace flitscope
