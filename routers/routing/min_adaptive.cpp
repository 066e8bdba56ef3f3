// Minimal adaptive routing on a HyperX: dimensions in any order; a class for every link.
#include <algorithm>

#include "routers/routing/grid_steps.h"
#include "routers/routing/routing.h"

namespace flitscope::min_adaptive {

namespace {

/// The class is the number of links between routers behind a message, so that links are ordered by it.
class MinAdaptive final : public WithoutRoutes<AdaptiveRouting> {
 public:
  explicit MinAdaptive(const Topology& topology)
      : WithoutRoutes(topology), steps_(std::make_shared<const GridSteps>(topology)) {}

  unsigned classes() const override { return static_cast<unsigned>(steps_->dimensions()); }
  ClassMask escape_classes() const override { return (ClassMask{1} << classes()) - 1; }

  void add_candidates(NodeId node, Arrival arrival, const Head& head,
                      std::vector<Candidate>& candidates) const override {
    const CoreRouters& routers = steps_->routers();
    const std::uint32_t here = routers.core_of(node);
    const std::uint32_t there = routers.core_of(head.destination);
    if (routers.is_leaf(node) || here == there) {
      candidates.push_back({steps_->next(node, head.destination), 0});
      return;
    }
    const bool is_first = arrival.port >= topology().link_ports() || routers.is_from_leaf(node, arrival.port);
    const unsigned channel_class = is_first ? 0 : std::min(arrival.channel_class + 1U, classes() - 1);
    for (std::size_t i = 0; i < steps_->dimensions(); ++i) {
      if (const auto port = steps_->port_along(here, there, i)) candidates.push_back({*port, channel_class});
    }
  }

 private:
  std::shared_ptr<const GridSteps> steps_;
};

const RoutingRegistry::Entry entry{{
    .name = "min-adaptive",
    .summary = "on a HyperX or flattened butterfly: unfinished dimensions in any order; a class of virtual "
               "channels for every link, as many as dimensions",
    .source =
        "J. Ahn et al.: HyperX: topology, routing, and packaging of efficient large-scale networks, 2009",
    .families = {"flattened-butterfly", "hyperx"},
    .minimal = false,
    .make = [](const Topology& topology) { return std::make_unique<MinAdaptive>(topology); },
}};

}  // namespace

}  // namespace flitscope::min_adaptive
