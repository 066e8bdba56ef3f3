// Networks of any shape: routers, nodes among them, and the directed links between them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/types.h"
#include "model/units.h"

namespace flitscope {

/// Neighbours on a grid are 1 apart; x grows to the right, y downwards.
struct Point {
  double x = 0;
  double y = 0;
  bool operator==(const Point&) const = default;
};

/// An arc between the two sides of a bipartite graph; several may join the same vertices.
struct ColouredArc {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

/// A colour for every arc, so that no two arcs that leave one vertex, and no two that enter one, have the
/// same. As many colours as the largest degree of a vertex (Koenig, 1916). `vertices` are those
/// of each side. Earlier arcs get lower colours. Ports of routers are such colours.
[[nodiscard]] std::vector<unsigned> edge_colours(std::uint32_t vertices, std::span<const ColouredArc> arcs);

class ParameterValues;
class Topology;

/// The description of a network, before its ports are numbered. Routers are named by their position in the
/// list.
struct GraphPlan {
  struct Router {
    /// Letters, digits and any of _ - . , [ ]; no other router has it.
    std::string name;
    /// A network interface sends and receives here. A router without one only passes on.
    bool node = true;
    std::optional<Point> at = {};
    /// Where it is in the order of its family, such as {group, router, node}; for routing functions.
    std::vector<std::uint32_t> coordinates = {};
    /// Of a node, the part of the network in which nodes are close: a group of a dragonfly, a chiplet.
    std::optional<std::uint32_t> group = {};
  };
  /// One direction of a link.
  struct Link {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    /// Name of the port at `from`; if empty, the link is named by its ends.
    std::string port = {};
    /// In cycles; the machine's if absent.
    std::optional<std::uint32_t> delay = {};
    /// The same in picoseconds, if it is written as a time.
    std::optional<std::uint64_t> delay_time = {};
    /// A flit every so many cycles; the machine's if absent.
    std::optional<Ratio> cycles_per_flit = {};
    /// In bytes a second, instead of it.
    std::optional<std::uint64_t> bandwidth = {};
    /// What its family calls such links, a literal: "global".
    const char* kind = "link";
    /// Length on the layout, in links of length 1.
    double length = 1;
  };

  /// "dragonfly of 72 nodes"
  std::string name;
  std::vector<Router> routers = {};
  std::vector<Link> links = {};
  /// The routing function of `routing: auto`.
  std::string routing = "layered";
  /// The family of the network and its parameters; none for a graph from a file.
  std::string family = {};
  std::shared_ptr<const ParameterValues> parameters = {};

  /// Adds a router and returns its position.
  std::uint32_t add_router(Router router);
  /// Adds a node with a link each way to a router.
  std::uint32_t add_node(std::uint32_t router, Router node);
  /// Adds a link each way. `link` says what both are like; its ends do not count.
  void join(std::uint32_t one, std::uint32_t other, Link link);
  void join(std::uint32_t one, std::uint32_t other) { join(one, other, Link()); }
};

/// A fault of a plan, and the part that has it.
struct PlanFault {
  enum class Part : std::uint8_t { whole, router, link };
  Part part = Part::whole;
  std::uint32_t index = 0;
  std::string message;
};

/// The first fault of a plan: a name twice, a link from a router to itself or two with one name, more links
/// than a router can have, fewer than two nodes, or nodes that cannot reach one another. Nothing if it has
/// none.
[[nodiscard]] std::optional<PlanFault> fault_of(const GraphPlan& plan);

/// The first router that has the name of one before it.
[[nodiscard]] std::optional<PlanFault> fault_of_names(const GraphPlan& plan);

/// Missing links of a network, and missing nodes of a torus or mesh.
struct Faults {
  /// Numbers of directed links (Topology::channel).
  std::vector<ChannelId> links;
  /// With all their links.
  std::vector<NodeId> nodes;

  [[nodiscard]] bool any() const { return !links.empty() || !nodes.empty(); }
};

/// A network whose ports are numbered: output port p of a router leads to input port p of a neighbour. Nodes
/// have the numbers 0 to nodes() - 1, in the order of the plan; routers without a node follow.
class Graph {
 public:
  /// Links a router can have each way at most.
  static constexpr unsigned kMaxPorts = 255;

  /// Ports are edge colours. Throws Inadmissible("topology") for a plan with a fault.
  explicit Graph(GraphPlan plan);
  /// A torus or mesh with faults; its ports keep their numbers. Throws Inadmissible("topology") if the
  /// remaining nodes cannot reach one another.
  Graph(const Topology& whole, const Faults& faults);
  /// A graph without some of its links; numbers, ports and names stay. Throws the same.
  Graph(const std::shared_ptr<const Graph>& whole, const Faults& faults);

  [[nodiscard]] NodeId nodes() const { return nodes_; }
  [[nodiscard]] NodeId routers() const { return static_cast<NodeId>(places_.size()); }
  [[nodiscard]] unsigned ports() const { return ports_; }
  [[nodiscard]] std::size_t links() const { return plan_.links.size(); }

  [[nodiscard]] std::optional<NodeId> neighbour(NodeId router, unsigned port) const {
    return there(to_[at(router, port)]);
  }
  [[nodiscard]] std::optional<NodeId> upstream(NodeId router, unsigned port) const {
    return there(from_[at(router, port)]);
  }
  /// The node is missing: no link leads to it.
  [[nodiscard]] bool is_missing(NodeId node) const { return !missing_.empty() && missing_[node]; }
  [[nodiscard]] const Faults& faults() const { return faults_; }
  /// The graph without its faults; nullptr if it has none, or is a torus or mesh.
  [[nodiscard]] const std::shared_ptr<const Graph>& whole() const { return whole_; }

  /// The plan, without the links that are missing; of a torus or mesh its nodes and remaining links.
  [[nodiscard]] const GraphPlan& plan() const { return plan_; }
  [[nodiscard]] const std::string& name() const { return plan_.name; }
  [[nodiscard]] const std::string& routing() const { return plan_.routing; }
  [[nodiscard]] const std::string& family() const { return plan_.family; }
  /// Of a graph of a family.
  [[nodiscard]] const ParameterValues& parameters() const { return *plan_.parameters; }
  [[nodiscard]] const std::string& router_name(NodeId router) const { return router_of(router).name; }
  /// The router of that name; nothing if none has it.
  [[nodiscard]] std::optional<NodeId> router_named(std::string_view name) const;
  [[nodiscard]] std::span<const std::uint32_t> coordinates(NodeId router) const {
    return router_of(router).coordinates;
  }
  [[nodiscard]] std::optional<Point> at(NodeId router) const { return router_of(router).at; }
  [[nodiscard]] std::optional<std::uint32_t> group(NodeId router) const { return router_of(router).group; }
  /// The link of the plan at a port that leads somewhere.
  [[nodiscard]] const GraphPlan::Link& link(NodeId router, unsigned port) const {
    return plan_.links[link_[at(router, port)]];
  }
  /// "r0:east", or "r0>r1", or of the second link from r0 to r1 "r0>r1#2".
  [[nodiscard]] std::string channel_name(NodeId router, unsigned port) const;

  /// Equal for equal networks, names included: 16 hexadecimal digits.
  [[nodiscard]] const std::string& digest() const { return digest_; }

  /// What `make` makes at the first call with that name, such as a table of routes: a std::shared_ptr.
  template <typename Make>
  [[nodiscard]] auto computed(const std::string& name, const Make& make) const {
    return std::static_pointer_cast<typename decltype(make())::element_type>(stored(name, make));
  }

 private:
  [[nodiscard]] std::shared_ptr<const void> stored(
      const std::string& name, const std::function<std::shared_ptr<const void>()>& make) const;
  struct RouteStore;
  static constexpr std::uint32_t kNoLink = 0xFFFFFFFF;

  static std::optional<NodeId> there(NodeId router) {
    return router == kNoNode ? std::nullopt : std::optional(router);
  }
  [[nodiscard]] std::size_t at(NodeId router, unsigned port) const {
    return std::size_t{router} * ports_ + port;
  }
  [[nodiscard]] const GraphPlan::Router& router_of(NodeId router) const {
    return plan_.routers[places_[router]];
  }
  /// Completes a network with faults whose plan and ports are set. Throws as the constructor does.
  void complete_with_faults();
  [[nodiscard]] std::string digest_of() const;

  GraphPlan plan_;
  NodeId nodes_ = 0;
  unsigned ports_ = 0;
  std::vector<std::uint32_t> places_;  ///< in the plan, by number
  std::vector<NodeId> by_name_;        ///< routers, sorted by name
  std::vector<NodeId> to_;             ///< by router and port
  std::vector<NodeId> from_;
  std::vector<std::uint32_t> link_;  ///< in the plan, by router and port
  std::vector<bool> missing_;
  Faults faults_;
  std::shared_ptr<const Graph> whole_;
  std::string digest_;
  std::shared_ptr<RouteStore> store_;
};

}  // namespace flitscope
