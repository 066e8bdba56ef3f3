// Routing functions: which output port a head may ask for next, and which class of virtual channels.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/route.h"
#include "model/topology.h"
#include "model/types.h"
#include "params/registry.h"

namespace flitscope {

/// What a head flit carries through the network.
struct Head {
  NodeId destination = 0;
  Route route;
  /// Left by RoutingFunction::prepare for later hops; for many functions the coordinates of the destination.
  std::uint64_t prepared = 0;
  bool operator==(const Head&) const = default;
};
static_assert(sizeof(Head) == 16);

/// How a head came to the node where it asks.
struct Arrival {
  /// Input port: a link port, or at the source of the message an injection channel, Topology::link_ports()
  /// and above (which of these must make no difference).
  std::uint8_t port = 0;
  /// Class of the virtual channel by which it came in; 0 at the source. Where fewer virtual channels than
  /// classes are allowed, the lowest class of several that share it.
  std::uint8_t channel_class = 0;
};

/// What a head may ask for: any virtual channel of that class, of that link.
struct Candidate {
  unsigned port = 0;           ///< link port
  unsigned channel_class = 0;  ///< class of virtual channels on that link
  bool operator==(const Candidate&) const = default;
};

/// Sets of classes are masks, bit c for class c.
using ClassMask = std::uint64_t;

/// Decides hop by hop. Stateless: the same question has the same answer. Derive from DeterministicRouting or
/// AdaptiveRouting. docs/adding-a-routing-function.md shows one.
class RoutingFunction {
 public:
  virtual ~RoutingFunction() = default;

  /// Classes of virtual channels that it tells apart; with one virtual channel for each it works as intended.
  [[nodiscard]] virtual unsigned classes() const = 0;
  /// The escape classes: in these alone its messages could travel without deadlock, and whoever waits may ask
  /// for one of them (Duato, 1993). Empty if the function does not exclude deadlock.
  [[nodiscard]] virtual ClassMask escape_classes() const = 0;
  /// True if there is never more than one candidate.
  [[nodiscard]] virtual bool deterministic() const = 0;

  /// False if messages travel the same way whatever their routes say: how they go is asked hop by hop
  /// (ways.h).
  [[nodiscard]] virtual bool follows_routes() const { return true; }

  /// True if on a torus it admits the shorter way round every ring only, and either if both are equally long.
  [[nodiscard]] virtual bool shorter_ways_only() const { return false; }

  /// Builds the tables that the following three read. Called once before them; who only asks for classes or
  /// failed_checks does without.
  virtual void build_tables() {}
  /// Makes a head ready at its source. Its destination and route are set.
  virtual void prepare(Head& /*head*/, NodeId /*source*/) const {}

  /// The first candidate of a head at `node`, which is not its destination.
  [[nodiscard]] virtual Candidate first_candidate(NodeId node, Arrival arrival, const Head& head) const = 0;
  /// Appends all candidates of a head at `node`, which is not its destination, in order of preference. There
  /// is at least one. Each leads to a neighbour.
  virtual void add_candidates(NodeId node, Arrival arrival, const Head& head,
                              std::vector<Candidate>& candidates) const = 0;

  /// Why a message may not travel this way (beyond route_exists), or nothing if it may, as it always may by
  /// default. source != destination. Whether it may is a matter of the route alone, the same for all pairs of
  /// nodes, but for shorter_ways_only().
  [[nodiscard]] virtual std::optional<std::string> objection(NodeId /*source*/, NodeId /*destination*/,
                                                             Route /*route*/) const {
    return std::nullopt;
  }
};

/// One candidate everywhere: the engine's straight path.
class DeterministicRouting : public RoutingFunction {
 public:
  [[nodiscard]] ClassMask escape_classes() const override { return (ClassMask{1} << classes()) - 1; }
  [[nodiscard]] bool deterministic() const final { return true; }
  void add_candidates(NodeId node, Arrival arrival, const Head& head,
                      std::vector<Candidate>& candidates) const final {
    candidates.push_back(first_candidate(node, arrival, head));
  }
};

/// Several candidates; which one a head asks for is up to the router (docs/timing.md, "Candidates").
class AdaptiveRouting : public RoutingFunction {
 public:
  [[nodiscard]] bool deterministic() const final { return false; }
  [[nodiscard]] Candidate first_candidate(NodeId node, Arrival arrival, const Head& head) const final {
    std::vector<Candidate> candidates;
    add_candidates(node, arrival, head, candidates);
    return candidates.front();
  }
};

/// What a routing function declares of itself.
struct Routing {
  std::string name;
  std::string summary;
  /// Paper or textbook it comes from.
  std::string source;
  /// Topologies it serves, and of how many dimensions at most.
  std::vector<TopologyKind> topologies = {};
  unsigned max_dimensions = kMaxDimensions;
  /// It also serves these families of networks (NetworkFamily), whose coordinates it knows.
  std::vector<std::string> families = {};
  /// It serves whatever has links: graphs, and tori and meshes of which something is missing.
  bool any_network = false;
  /// It follows the routes that the topology was given (Topology::with_routes), and serves no other.
  bool needs_routes = false;
  /// Messages travel as many links as their routes have (route_length), by whatever candidates.
  bool minimal = true;
  /// With fewer virtual channels than classes messages still arrive, if they do not deadlock.
  bool may_share_classes = true;
  /// Requires that it serves the topology.
  std::function<std::unique_ptr<RoutingFunction>(const Topology&)> make;

  [[nodiscard]] bool serves(const Topology& topology) const;
};

using RoutingRegistry = Registry<Routing>;

/// Class 1 if the wrap-around link of this ring is behind the message or will never be used, else 0.
/// (Dally and Seitz, 1987.) Needs no memory of the way: it is read off the coordinates, which must differ.
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

/// Any node, whatever the pair; by the finalizer of splitmix64, in which every bit depends on every bit.
[[nodiscard]] inline NodeId random_intermediate(const Topology& topology, NodeId source, NodeId destination) {
  std::uint64_t number = std::uint64_t{source} * topology.nodes() + destination;
  number += 0x9E3779B97F4A7C15;
  number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9;
  number = (number ^ number >> 27) * 0x94D049BB133111EB;
  return static_cast<NodeId>((number ^ number >> 31) % topology.nodes());
}

}  // namespace flitscope
