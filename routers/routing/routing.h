// Routing functions: which output port a head may ask for next, and which class of virtual channels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/graph.h"
#include "model/random.h"
#include "model/route.h"
#include "model/topology.h"
#include "model/types.h"
#include "params/registry.h"

namespace flitscope {

/// Contents of a head flit.
struct Head {
  NodeId destination = 0;
  Route route;
  /// Set by RoutingFunction::prepare for later hops; for many functions the coordinates of the destination.
  std::uint64_t prepared = 0;
  bool operator==(const Head&) const = default;
};
static_assert(sizeof(Head) == 16);

/// Port and class by which a head arrived at the current node.
struct Arrival {
  /// Input port: a link port, or at the source of the message an injection channel, Topology::link_ports()
  /// and above (which of these must make no difference).
  std::uint8_t port = 0;
  /// Class of the virtual channel by which it arrived; 0 at the source. Where fewer virtual channels than
  /// classes are allowed, the lowest class of several that share it.
  std::uint8_t channel_class = 0;
};

/// A request that a head may make: any virtual channel of a class of a link.
struct Candidate {
  unsigned port = 0;           ///< link port
  unsigned channel_class = 0;  ///< class of virtual channels on that link
  bool operator==(const Candidate&) const = default;
};

/// Sets of classes are masks, bit c for class c.
using ClassMask = std::uint64_t;

/// What a router knows of the flits queued for links: the slots behind all VCs of a port that are not usable.
class LinkQueues {
 public:
  virtual ~LinkQueues() = default;
  /// For a port of the router itself, at the beginning of stage 4.
  [[nodiscard]] virtual std::uint64_t queued(unsigned port) const = 0;
  /// For one of RoutingFunction::watched_links(), at the end of the cycle `ago` cycles before the present
  /// one: 1 to the longest delay of a link and 1.
  [[nodiscard]] virtual std::uint64_t queued_before(ChannelId link, Cycle ago) const = 0;
  /// Delay of a link.
  [[nodiscard]] virtual Cycle delay(ChannelId link) const = 0;
  /// Slots behind all VCs of a port.
  [[nodiscard]] virtual std::uint64_t slots() const = 0;
};

/// What a path says of the nodes of a core router (CoreRouters): whether it is another one for another node
/// there.
enum class NodesOfRouter : std::uint8_t {
  differ,
  send_alike,  ///< as sources they have the same paths; as destinations they differ
  alike,
};

/// Decides hop by hop. Stateless: the same question has the same answer. Derive from DeterministicRouting or
/// AdaptiveRouting. docs/adding-a-routing-function.md shows one.
class RoutingFunction {
 public:
  virtual ~RoutingFunction() = default;

  /// Number of classes of virtual channels; each needs one virtual channel at least.
  [[nodiscard]] virtual unsigned classes() const = 0;
  /// The escape classes: messages could travel without deadlock in these alone, and every waiting head may
  /// request one of them (Duato, 1993). Empty if the function can deadlock.
  [[nodiscard]] virtual ClassMask escape_classes() const = 0;
  /// True if there is never more than one candidate.
  [[nodiscard]] virtual bool deterministic() const = 0;

  /// True if it selects among several candidates itself, by lightest(), open or not, whatever
  /// router.selection says. Its links must have no dependency cycle, since such a head does not escape.
  [[nodiscard]] virtual bool weighs() const { return false; }
  /// The candidate that a head requests at `node`, of two or more there.
  [[nodiscard]] virtual const Candidate& lightest(NodeId /*node*/, const Head& /*head*/,
                                                  std::span<const Candidate> candidates,
                                                  const LinkQueues& /*queues*/) const {
    return candidates.front();
  }
  /// The links whose queues it reads from other routers.
  [[nodiscard]] virtual std::vector<ChannelId> watched_links() const { return {}; }

  /// False if the path of a message does not depend on its route, but for its draw.
  [[nodiscard]] virtual bool follows_routes() const { return true; }

  /// Unless they differ, the links of heads that differ in Head::prepared are the same.
  [[nodiscard]] virtual NodesOfRouter nodes_of_router() const { return NodesOfRouter::differ; }

  /// True if on a torus it admits the shorter direction of every ring only, and both if they are equally
  /// long.
  [[nodiscard]] virtual bool shorter_ways_only() const { return false; }

  /// Builds the tables of the following three functions; called once before them.
  virtual void build_tables() {}
  /// Makes a head ready at its source. Its destination and route are set.
  virtual void prepare(Head& /*head*/, NodeId /*source*/) const {}

  /// The first candidate of a head at `node`, which is not its destination.
  [[nodiscard]] virtual Candidate first_candidate(NodeId node, Arrival arrival, const Head& head) const = 0;
  /// Appends all candidates of a head at `node`, which is not its destination, in order of preference. There
  /// is at least one. Each leads to a neighbour.
  virtual void add_candidates(NodeId node, Arrival arrival, const Head& head,
                              std::vector<Candidate>& candidates) const = 0;

  /// The reason why a message may not take this route (beyond route_exists); nothing if it may, the default.
  /// source != destination. Without shorter_ways_only() the answer depends on the route alone.
  [[nodiscard]] virtual std::optional<std::string> objection(NodeId /*source*/, NodeId /*destination*/,
                                                             Route /*route*/) const {
    return std::nullopt;
  }
};

/// One candidate everywhere; uses the engine's fast path.
class DeterministicRouting : public RoutingFunction {
 public:
  [[nodiscard]] ClassMask escape_classes() const override { return (ClassMask{1} << classes()) - 1; }
  [[nodiscard]] bool deterministic() const final { return true; }
  void add_candidates(NodeId node, Arrival arrival, const Head& head,
                      std::vector<Candidate>& candidates) const final {
    candidates.push_back(first_candidate(node, arrival, head));
  }
};

/// Several candidates; the router selects one (docs/timing.md, "Candidates").
class AdaptiveRouting : public RoutingFunction {
 public:
  [[nodiscard]] bool deterministic() const final { return false; }
  [[nodiscard]] Candidate first_candidate(NodeId node, Arrival arrival, const Head& head) const override {
    thread_local std::vector<Candidate> spare;  // memory from one call to the next
    std::vector<Candidate> candidates = std::move(spare);
    candidates.clear();
    add_candidates(node, arrival, head, candidates);
    const Candidate first = candidates.front();
    spare = std::move(candidates);
    return first;
  }
};

/// Base of functions whose paths do not depend on routes, but for the draw; `Kind` is DeterministicRouting or
/// AdaptiveRouting.
template <typename Kind>
class WithoutRoutes : public Kind {
 public:
  explicit WithoutRoutes(const Topology& topology) : topology_(topology) {}
  bool follows_routes() const final { return false; }

 protected:
  [[nodiscard]] const Topology& topology() const { return topology_; }

 private:
  Topology topology_;
};

/// Declaration of a routing function.
struct Routing {
  std::string name;
  std::string summary;
  /// Paper or textbook.
  std::string source;
  /// Topologies that it serves, and the most dimensions.
  std::vector<TopologyKind> topologies = {};
  unsigned max_dimensions = kMaxDimensions;
  /// Families of networks (NetworkFamily) that it serves.
  std::vector<std::string> families = {};
  /// True if it serves any network with links: also graphs, and tori and meshes with faults.
  bool any_network = false;
  /// True if it needs given routes (Topology::with_routes).
  bool needs_routes = false;
  /// True if traffic begins with the dimension that the topology says (Topology::first_dimension).
  bool reads_first_dimension = false;
  /// True if messages travel as many links as their routes have (route_length), with any candidates.
  bool minimal = true;
  /// True if it draws paths for two nodes, and Route::draw says which one a message takes.
  bool draws_paths = false;
  /// True if messages arrive, unless they deadlock, with fewer virtual channels than classes.
  bool may_share_classes = true;
  /// Makes the function of a topology that it serves: of several networks for the first one.
  struct Maker : std::function<std::unique_ptr<RoutingFunction>(const Topology&)> {
    using function::function;
    std::unique_ptr<RoutingFunction> operator()(const Topology& topology) const {
      return function::operator()(topology.network(0));
    }
  };
  Maker make;

  [[nodiscard]] bool serves(const Topology& topology) const;
};

/// A function with paths over nodes that are drawn, whose classes record how far a message is.
[[nodiscard]] inline Routing over_drawn_nodes(Routing routing) {
  routing.minimal = false;
  routing.draws_paths = true;
  routing.may_share_classes = false;
  return routing;
}

using RoutingRegistry = Registry<Routing>;

/// Of so many paths for two nodes those that messages take: one with a function that draws none.
[[nodiscard]] inline std::uint32_t drawn_paths_of(const std::string& routing, std::uint32_t wanted) {
  const Routing* const function = RoutingRegistry::find(routing);
  return function != nullptr && function->draws_paths ? wanted : 1;
}

/// Class 1 if the wrap-around link of this ring is behind the message or will never be used, else 0.
/// (Dally and Seitz, 1987.) Computed from the coordinates alone, which must differ.
[[nodiscard]] constexpr unsigned dateline_class(std::uint64_t here, std::uint64_t target, Sign sign) {
  return static_cast<unsigned>(target > here) ^ static_cast<unsigned>(sign);
}

/// Which virtual channels each class may use: bit v of entry c. Class c is the VCs v with floor(v*C/V) = c;
/// with fewer VCs than classes, classes share: class c is VC floor(c*V/C) (see `allow_deadlock`).
[[nodiscard]] inline std::vector<std::uint64_t> class_masks(unsigned classes, unsigned virtual_channels) {
  std::vector<std::uint64_t> masks(classes, 0);
  for (unsigned c = 0; c < classes; ++c) {
    if (virtual_channels < classes) {
      masks[c] = std::uint64_t{1} << (c * virtual_channels / classes);
      continue;
    }
    for (unsigned v = 0; v < virtual_channels; ++v) {
      if (v * classes / virtual_channels == c) masks[c] |= std::uint64_t{1} << v;
    }
  }
  return masks;
}

/// The random number of a pair of nodes and a draw, the same in every run: by the finalizer of splitmix64.
[[nodiscard]] inline std::uint64_t number_of_pair(const Topology& topology, NodeId source, NodeId destination,
                                                  std::uint8_t draw) {
  const std::uint64_t nodes = topology.nodes();
  return RandomStream::mix((draw * nodes + source) * nodes + destination + RandomStream::kGamma);
}

/// The random intermediate node of a pair of nodes and a draw.
[[nodiscard]] inline NodeId random_intermediate(const Topology& topology, NodeId source, NodeId destination,
                                                std::uint8_t draw) {
  return static_cast<NodeId>(number_of_pair(topology, source, destination, draw) % topology.nodes());
}

inline bool Routing::serves(const Topology& topology) const {
  if (needs_routes && topology.given_routes() == nullptr) return false;
  if (any_network) return topology.has_links();
  if (topology.has_faults()) return false;
  if (topology.kind() == TopologyKind::graph) {
    return std::ranges::find(families, topology.graph()->family()) != families.end();
  }
  if (topology.dimensions() > max_dimensions) return false;
  if (std::ranges::find(topologies, topology.kind()) == topologies.end()) return false;
  return !topology.is_one_way() || !make(topology)->shorter_ways_only();
}

/// make(network) for each network of a topology, alone; networks that are alike share what is made.
template <typename Make>
[[nodiscard]] auto of_networks(const Topology& topology, Make make) {
  const auto networks = topology.physical_networks();
  std::vector<std::invoke_result_t<Make, const Topology&>> made;
  for (unsigned network = 0; network < topology.networks(); ++network) {
    unsigned first = 0;
    while (first < network && networks[first] != networks[network]) ++first;
    made.push_back(first < network ? made[first] : make(topology.network(network)));
  }
  return made;
}

/// The classes of a function in each network of a topology.
[[nodiscard]] inline std::vector<unsigned> classes_of_networks(const Topology& topology,
                                                               const Routing& routing) {
  return of_networks(topology, [&](const Topology& network) { return routing.make(network)->classes(); });
}

}  // namespace flitscope
