// UGAL: at its source a message takes a minimal path or one over an intermediate place, whichever has the
// smaller product of queue and length. PAR: on a dragonfly it can still leave the minimal path in its
// source's group.
#include "routers/routing/two_part_paths.h"

namespace flitscope::ugal {
namespace {

/// Classes are those of minimal paths that can still be left (progressive), those of first parts, and those
/// of second parts, of which minimal paths are made. Links are ordered in this order.
class Ugal final : public AdaptiveRouting {
 public:
  Ugal(const Topology& topology, bool progressive)
      : topology_(topology), paths_(two_part_paths(topology)), first_class_(progressive ? 1 : 0) {}

  unsigned classes() const override { return second_class() + paths_->second_classes(); }
  ClassMask escape_classes() const override { return (ClassMask{1} << classes()) - 1; }
  bool follows_routes() const override { return false; }
  bool weighs() const override { return true; }

  void build_tables() override { paths_->build_tables(); }
  void prepare(Head& head, NodeId source) const override {
    head.prepared = random_intermediate(topology_, source, head.destination);
  }
  void add_candidates(NodeId node, Arrival arrival, const Head& head,
                      std::vector<Candidate>& candidates) const override {
    const auto between = static_cast<NodeId>(head.prepared);
    if (is_undecided(node, arrival)) {
      candidates.push_back(minimal(node, head.destination));
      if (is_detour(node, between, head.destination)) candidates.push_back(on_detour(node, between));
    } else if (arrival.channel_class < second_class() && paths_->place(node) != paths_->place(between)) {
      candidates.push_back(on_detour(node, between));
    } else {
      candidates.push_back(on_minimal(node, head.destination));
    }
  }
  std::uint64_t links_by(NodeId node, const Head& head, Candidate candidate) const override {
    if (candidate.channel_class < first_class_ || candidate.channel_class >= second_class()) {
      return links(node, head.destination);
    }
    const auto between = static_cast<NodeId>(head.prepared);
    std::uint64_t count = 0;
    NodeId at = node;
    for (; at != head.destination && paths_->place(at) != paths_->place(between); ++count) {
      at = behind(at, paths_->first(at, between));
    }
    return count + links(at, head.destination);
  }

 private:
  [[nodiscard]] unsigned second_class() const { return first_class_ + paths_->first_classes(); }
  [[nodiscard]] Candidate on_detour(NodeId node, NodeId between) const {
    const Candidate next = paths_->first(node, between);
    return {next.port, first_class_ + next.channel_class};
  }
  [[nodiscard]] Candidate on_minimal(NodeId node, NodeId destination) const {
    const Candidate next = paths_->second(node, destination);
    return {next.port, second_class() + next.channel_class};
  }
  [[nodiscard]] NodeId behind(NodeId node, Candidate candidate) const {
    return *topology_.neighbour(node, candidate.port);
  }

  /// At the router of its source, not in the network interface of a leaf; or, progressive, still on a minimal
  /// path in the place of its source.
  [[nodiscard]] bool is_undecided(NodeId node, Arrival arrival) const {
    if (paths_->is_leaf(node)) return false;
    if (arrival.port >= topology_.link_ports()) return true;
    return arrival.channel_class < first_class_ || paths_->is_leaf(*topology_.upstream(node, arrival.port));
  }
  /// Source, intermediate node and destination are in three places.
  [[nodiscard]] bool is_detour(NodeId node, NodeId between, NodeId destination) const {
    const std::uint32_t here = paths_->place(node);
    const std::uint32_t there = paths_->place(destination);
    const std::uint32_t middle = paths_->place(between);
    return here != there && here != middle && middle != there;
  }
  [[nodiscard]] std::uint64_t links(NodeId node, NodeId destination) const {
    std::uint64_t count = 0;
    for (; node != destination; node = behind(node, paths_->second(node, destination))) ++count;
    return count;
  }
  [[nodiscard]] Candidate minimal(NodeId node, NodeId destination) const {
    Candidate next = on_minimal(node, destination);
    const bool leaves = paths_->place(behind(node, next)) != paths_->place(node);
    if (first_class_ != 0 && !leaves && paths_->place(node) != paths_->place(destination)) {
      next.channel_class = 0;
    }
    return next;
  }

  Topology topology_;
  std::unique_ptr<TwoPartPaths> paths_;
  unsigned first_class_;  ///< of first parts
};

const RoutingRegistry::Entry ugal_entry{{
    .name = "ugal-l",
    .summary = "minimal, or over a node drawn for each pair: at its source a message takes the path with the "
               "smaller product of links and flits queued for the first of them",
    .source =
        "A. Singh: Load-balanced routing in interconnection networks, 2005; J. Kim, W. Dally, S. Scott, D. "
        "Abts: Technology-driven, highly-scalable dragonfly topology, 2008",
    .topologies = {TopologyKind::torus, TopologyKind::mesh},
    .families = {"dragonfly", "flattened-butterfly", "hyperx"},
    .minimal = false,
    .may_share_classes = false,
    .make = [](const Topology& topology) { return std::make_unique<Ugal>(topology, false); },
}};

const RoutingRegistry::Entry par_entry{{
    .name = "par",
    .summary =
        "as ugal-l on a dragonfly, and again at the router of the source's group with the global link: "
        "progressive adaptive routing",
    .source =
        "N. Jiang, J. Kim, W. Dally: Indirect adaptive routing on large scale interconnection networks, "
        "2009",
    .families = {"dragonfly"},
    .minimal = false,
    .may_share_classes = false,
    .make = [](const Topology& topology) { return std::make_unique<Ugal>(topology, true); },
}};

}  // namespace
}  // namespace flitscope::ugal
