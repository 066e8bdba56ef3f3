// Minimal routing on the dragonfly: in the group to a router with a link to the other group, over that link,
// and in that group to the destination.
#include <algorithm>

#include "routers/routing/core_links.h"
#include "routers/routing/table_routing.h"

namespace flitscope::dragonfly_minimal {
namespace {

/// Links to a group are taken in turn by the pairs of nodes that can choose (BalancedLinks).
RouteTable routes(const Topology& topology) {
  RouteTable table(topology);
  const CoreLinks links(topology, table);
  const Graph& graph = *topology.graph();
  std::vector<std::uint32_t> group(table.cores());
  for (std::uint32_t core = 0; core < table.cores(); ++core) {
    group[core] = graph.coordinates(table.router(core))[0];
  }
  BalancedLinks balanced(links, table);
  std::vector<bool> has_link(table.cores());
  for (std::uint32_t to = 0; to < table.cores(); ++to) {
    const auto leads_there = [&](const CoreLink& link) { return group[link.to] == group[to]; };
    for (std::uint32_t core = 0; core < table.cores(); ++core) {
      has_link[core] = std::ranges::any_of(links.leaving(core), leads_there);
    }
    balanced.begin(to);
    for (std::uint32_t at = 0; at < table.cores(); ++at) {
      if (group[at] == group[to] || has_link[at]) continue;
      balanced.settle(at,
                      [&](const CoreLink& link) { return group[link.to] == group[at] && has_link[link.to]; });
    }
    for (std::uint32_t at = 0; at < table.cores(); ++at) {
      if (group[at] != group[to] && has_link[at]) balanced.settle(at, leads_there);
    }
    for (std::uint32_t at = 0; at < table.cores(); ++at) {
      if (group[at] == group[to] && at != to) {
        balanced.settle(at, [&](const CoreLink& link) { return link.to == to; });
      }
    }
  }
  return table;
}

/// Class 0 until a message is in the group of its destination, class 1 from there on: links in order are
/// those of a group in class 0, global ones, those of a group in class 1.
class DragonflyMinimal final : public DeterministicRouting {
 public:
  explicit DragonflyMinimal(const Topology& topology) : topology_(topology) {}

  bool follows_routes() const override { return false; }
  unsigned classes() const override { return 2; }
  void build_tables() override {
    if (table_ != nullptr) return;
    table_ = topology_.graph()->routes(
        "dragonfly-minimal", [this] { return std::make_shared<const RouteTable>(routes(topology_)); });
  }
  void prepare(Head& head, NodeId /*source*/) const override { head.target[0] = group(head.destination); }
  Candidate first_candidate(NodeId node, Arrival /*arrival*/, const Head& head) const override {
    return {table_->next(node, head.destination), group(node) == head.target[0] ? 1U : 0U};
  }
  std::optional<std::string> objection(NodeId /*source*/, NodeId /*destination*/,
                                       Route /*route*/) const override {
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::uint32_t group(NodeId router) const { return topology_.graph()->coordinates(router)[0]; }

  Topology topology_;
  std::shared_ptr<const RouteTable> table_;
};

const RoutingRegistry::Entry entry{{
    .name = "dragonfly-minimal",
    .summary = "on a dragonfly: one link of a group, a global one, one of a group at most; a second class in "
               "the group of the destination",
    .source = "J. Kim, W. Dally, S. Scott, D. Abts: Technology-driven, highly-scalable dragonfly topology, "
              "2008",
    .families = {"dragonfly"},
    .minimal = false,
    .make = [](const Topology& topology) { return std::make_unique<DragonflyMinimal>(topology); },
}};

}  // namespace
}  // namespace flitscope::dragonfly_minimal
