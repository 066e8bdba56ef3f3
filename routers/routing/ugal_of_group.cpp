// UGAL on a dragonfly by what a router knows of the global links of its group: UGAL-G knows their queues,
// piggyback which of them are congested, as their routers tell with a delay.
#include <vector>

#include "model/graph.h"
#include "routers/routing/ugal.h"

namespace flitscope::ugal_of_group {
namespace {

/// Watches all global links.
class UgalOfGroup : public Ugal {
 public:
  explicit UgalOfGroup(const Topology& topology) : Ugal(topology, false), global_links_(topology.routers()) {
    const auto group = [&](NodeId router) { return topology.graph()->coordinates(router)[0]; };
    topology.for_each_link([&](NodeId router, unsigned port, NodeId next) {
      if (group(router) != group(next)) global_links_[router].push_back(topology.channel(router, port));
    });
  }

  std::vector<ChannelId> watched_links() const final {
    std::vector<ChannelId> links;
    for (const std::vector<ChannelId>& of_router : global_links_)
      links.insert(links.end(), of_router.begin(), of_router.end());
    return links;
  }

 protected:
  /// The global links that leave a router.
  [[nodiscard]] const std::vector<ChannelId>& global_links(NodeId router) const {
    return global_links_[router];
  }

 private:
  std::vector<std::vector<ChannelId>> global_links_;  ///< by router
};

class UgalG final : public UgalOfGroup {
 public:
  using UgalOfGroup::UgalOfGroup;

  const Candidate& lightest(NodeId node, const Head& head, std::span<const Candidate> candidates,
                            const LinkQueues& queues) const override {
    return least(node, head, candidates, [&](const Candidate& candidate) {
      return queues.queued_before(link_out(node, head, candidate), 1);
    });
  }
};

class Piggyback final : public UgalOfGroup {
 public:
  using UgalOfGroup::UgalOfGroup;

  const Candidate& lightest(NodeId node, const Head& head, std::span<const Candidate> candidates,
                            const LinkQueues& queues) const override {
    const bool minimal = is_congested(node, link_out(node, head, candidates[0]), queues);
    const bool detour = is_congested(node, link_out(node, head, candidates[1]), queues);
    if (minimal != detour) return candidates[minimal ? 1 : 0];
    return Ugal::lightest(node, head, candidates, queues);
  }

 private:
  /// As `node` knows it: of its own links from the end of the cycle before, of others by the link from there.
  [[nodiscard]] bool is_congested(NodeId node, ChannelId link, const LinkQueues& queues) const {
    const NodeId router = topology().channel_node(link);
    const Cycle ago =
        router == node ? 1 : 1 + queues.delay(topology().channel(router, *topology().port_to(router, node)));
    std::uint64_t others = 0;
    std::uint64_t all = 0;
    for (const ChannelId each : global_links(router)) {
      if (each == link) continue;
      others += queues.queued_before(each, ago);
      ++all;
    }
    const std::uint64_t its = queues.queued_before(link, ago);
    if (all == 0) return 8 * its > queues.slots();
    return 8 * all * its > 16 * others + all * queues.slots();
  }
};

const RoutingRegistry::Entry ugal_g_entry{over_drawn_nodes({
    .name = "ugal-g",
    .summary = "as ugal-l on a dragonfly, by the flits queued for the global links of both paths, at "
               "whichever router of the group",
    .source =
        "J. Kim, W. Dally, S. Scott, D. Abts: Technology-driven, highly-scalable dragonfly topology, 2008",
    .families = {"dragonfly"},
    .make = [](const Topology& topology) { return std::make_unique<UgalG>(topology); },
})};

const RoutingRegistry::Entry piggyback_entry{over_drawn_nodes({
    .name = "piggyback",
    .summary = "as ugal-l on a dragonfly, unless the global link of one path alone is congested: routers "
               "tell those of their group which of their global links are",
    .source =
        "N. Jiang, J. Kim, W. Dally: Indirect adaptive routing on large scale interconnection networks, 2009",
    .families = {"dragonfly"},
    .make = [](const Topology& topology) { return std::make_unique<Piggyback>(topology); },
})};

}  // namespace
}  // namespace flitscope::ugal_of_group
