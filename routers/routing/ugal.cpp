// UGAL by the queues of the own router. PAR: on a dragonfly a message can still leave the minimal path in its
// source's group.
#include "routers/routing/ugal.h"

#include "routers/routing/coordinate_routing.h"
#include "routers/routing/grid_steps.h"
#include "routers/routing/table_routing.h"

namespace flitscope {

namespace {

/// In dimension order, the shorter direction in every dimension.
class GridPaths final : public TwoPartPaths {
 public:
  explicit GridPaths(const Topology& topology) : topology_(topology), classes_(topology.wraps() ? 2 : 1) {}

  unsigned first_classes() const override { return classes_; }
  unsigned second_classes() const override { return classes_; }
  void build_tables() override { coordinates_.build(topology_); }
  std::uint32_t place(NodeId node) const override { return node; }
  Candidate second(NodeId node, NodeId destination) const override {
    return shortest_step(topology_, coordinates_, node, destination);
  }

 private:
  Topology topology_;
  CoordinateTable coordinates_;
  unsigned classes_;
};

/// In dimension order, one link in each.
class HyperXPaths final : public TwoPartPaths {
 public:
  explicit HyperXPaths(const Topology& topology) : topology_(topology) {}

  void build_tables() override {
    if (steps_ == nullptr) steps_ = std::make_unique<const GridSteps>(topology_);
  }
  std::uint32_t place(NodeId node) const override { return steps_->routers().core_of(node); }
  bool is_leaf(NodeId node) const override { return steps_->routers().is_leaf(node); }
  Candidate second(NodeId node, NodeId destination) const override {
    return {steps_->next(node, destination), 0};
  }

 private:
  Topology topology_;
  std::unique_ptr<const GridSteps> steps_;
};

/// Minimal paths to the group of the intermediate node, where the first part ends behind the global link. In
/// the second part the links of the destination's group have a class of their own, the higher one.
class DragonflyPaths final : public TwoPartPaths {
 public:
  explicit DragonflyPaths(const Topology& topology) : topology_(topology) {}

  unsigned second_classes() const override { return 2; }
  void build_tables() override { table_ = dragonfly_routes(topology_); }
  std::uint32_t place(NodeId node) const override { return table_->group(node); }
  bool is_leaf(NodeId node) const override { return table_->is_leaf(node); }
  Candidate first(NodeId node, NodeId between) const override { return {table_->next(node, between), 0}; }
  Candidate second(NodeId node, NodeId destination) const override {
    return {table_->next(node, destination), table_->group(node) == table_->group(destination) ? 1U : 0U};
  }

 private:
  Topology topology_;
  std::shared_ptr<const DragonflyRoutes> table_;
};

}  // namespace

Ugal::Ugal(const Topology& topology, bool progressive)
    : WithoutRoutes(topology), paths_(two_part_paths(topology)), first_class_(progressive ? 1 : 0) {}

void Ugal::build_tables() {
  paths_->build_tables();
  places_.resize(topology().routers());
  undecided_ = BitRows(topology().routers(), topology().link_ports() + std::size_t{1});
  for (NodeId router = 0; router < topology().routers(); ++router) {
    places_[router] = paths_->place(router);
    if (!paths_->is_leaf(router)) {
      undecided_.add(router, topology().link_ports());
      continue;
    }
    topology().for_each_link_from(router, [&](unsigned port, NodeId to) { undecided_.add(to, port); });
  }
}

Candidate Ugal::first_candidate(NodeId node, Arrival arrival, const Head& head) const {
  if (is_undecided(node, arrival)) return minimal(node, head.destination);
  const auto between = static_cast<NodeId>(head.prepared);
  if (arrival.channel_class < second_class() && place(node) != place(between))
    return on_detour(node, between);
  return on_minimal(node, head.destination);
}

void Ugal::add_candidates(NodeId node, Arrival arrival, const Head& head,
                          std::vector<Candidate>& candidates) const {
  candidates.push_back(first_candidate(node, arrival, head));
  const auto between = static_cast<NodeId>(head.prepared);
  if (is_undecided(node, arrival) && is_detour(node, between, head.destination))
    candidates.push_back(on_detour(node, between));
}

const Candidate& Ugal::lightest(NodeId node, const Head& head, std::span<const Candidate> candidates,
                                const LinkQueues& queues) const {
  return least(node, head, candidates,
               [&](const Candidate& candidate) { return queues.queued(candidate.port); });
}

std::uint64_t Ugal::links_by(NodeId node, const Head& head, Candidate candidate) const {
  if (!is_first_part(candidate)) return links(node, head.destination);
  const auto between = static_cast<NodeId>(head.prepared);
  std::uint64_t count = 0;
  NodeId at = node;
  for (; at != head.destination && place(at) != place(between); ++count) {
    at = behind(at, paths_->first(at, between));
  }
  return count + links(at, head.destination);
}

ChannelId Ugal::link_out(NodeId node, const Head& head, Candidate candidate) const {
  const bool first_part = is_first_part(candidate);
  const auto between = static_cast<NodeId>(head.prepared);
  NodeId next = behind(node, candidate);
  for (; place(next) == place(node); next = behind(next, candidate)) {
    node = next;
    candidate = first_part ? paths_->first(node, between) : paths_->second(node, head.destination);
  }
  return topology().channel(node, candidate.port);
}

Candidate Ugal::on_detour(NodeId node, NodeId between) const {
  const Candidate next = paths_->first(node, between);
  return {next.port, first_class_ + next.channel_class};
}

Candidate Ugal::on_minimal(NodeId node, NodeId destination) const {
  const Candidate next = paths_->second(node, destination);
  return {next.port, second_class() + next.channel_class};
}

/// At the router of its source, not in the network interface of a leaf; or, progressive, still on a minimal
/// path in the place of its source.
bool Ugal::is_undecided(NodeId node, Arrival arrival) const {
  const unsigned links = topology().link_ports();
  if (!undecided_.has(node, links)) return false;
  return arrival.channel_class < first_class_ ||
         undecided_.has(node, std::min<unsigned>(arrival.port, links));
}

/// Source, intermediate node and destination are in three places.
bool Ugal::is_detour(NodeId node, NodeId between, NodeId destination) const {
  const std::uint32_t here = place(node);
  const std::uint32_t there = place(destination);
  const std::uint32_t middle = place(between);
  return here != there && here != middle && middle != there;
}

std::uint64_t Ugal::links(NodeId node, NodeId destination) const {
  std::uint64_t count = 0;
  for (; node != destination; node = behind(node, paths_->second(node, destination))) ++count;
  return count;
}

Candidate Ugal::minimal(NodeId node, NodeId destination) const {
  Candidate next = on_minimal(node, destination);
  const bool can_be_left = first_class_ != 0 && place(node) != place(destination);
  if (can_be_left && place(behind(node, next)) == place(node)) next.channel_class = 0;
  return next;
}

namespace {

const RoutingRegistry::Entry ugal_entry{over_drawn_nodes({
    .name = "ugal-l",
    .summary = "minimal, or over a node drawn for each pair: at its source a message takes the path with the "
               "smaller product of links and flits queued for the first of them",
    .source = "A. Singh: Load-balanced routing in interconnection networks, 2005; J. Kim, W. Dally, S. "
              "Scott, D. Abts: Technology-driven, highly-scalable dragonfly topology, 2008",
    .topologies = {TopologyKind::torus, TopologyKind::mesh},
    .families = {"dragonfly", "flattened-butterfly", "hyperx"},
    .make = [](const Topology& topology) { return std::make_unique<Ugal>(topology, false); },
})};

const RoutingRegistry::Entry par_entry{over_drawn_nodes({
    .name = "par",
    .summary = "as ugal-l on a dragonfly, and again at the router of the source's group with the global "
               "link: progressive adaptive routing",
    .source =
        "N. Jiang, J. Kim, W. Dally: Indirect adaptive routing on large scale interconnection networks, 2009",
    .families = {"dragonfly"},
    .make = [](const Topology& topology) { return std::make_unique<Ugal>(topology, true); },
})};

}  // namespace

std::unique_ptr<TwoPartPaths> two_part_paths(const Topology& topology) {
  if (topology.graph() == nullptr) return std::make_unique<GridPaths>(topology);
  if (topology.graph()->family() == "dragonfly") return std::make_unique<DragonflyPaths>(topology);
  return std::make_unique<HyperXPaths>(topology);
}

}  // namespace flitscope
