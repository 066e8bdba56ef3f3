// Tori and meshes of any number of dimensions and any side lengths, graphs, and complete networks.
#pragma once

#include <array>
#include <compare>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/text.h"
#include "model/types.h"

namespace flitscope {

class Graph;
struct Faults;
class RouteTable;

enum class TopologyKind : std::uint8_t {
  torus,
  mesh,
  graph,     ///< any routers and links (see graph.h): from a file, or of a family (network_family.h)
  complete,  ///< no links: circuits lead from any node to any other (see circuit_schedule.h)
};
template <>
inline constexpr std::array kNamesOf<TopologyKind>{"torus", "mesh", "graph", "complete"};

/// The directions in which the links of a torus lead.
enum class LinkDirections : std::uint8_t { both, plus, minus };
template <>
inline constexpr std::array kNamesOf<LinkDirections>{"both", "plus", "minus"};

/// One of several networks with the same nodes.
struct PhysicalNetwork {
  LinkDirections directions = LinkDirections::both;  ///< of its links
  /// In which dimension-order routing starts; the others follow in cyclic order.
  std::uint32_t first_dimension = 0;
  auto operator<=>(const PhysicalNetwork&) const = default;
};

/// False if such networks have circuits instead of links.
[[nodiscard]] constexpr bool has_links(TopologyKind kind) {
  return kind != TopologyKind::complete;
}

/// A torus or mesh: which nodes there are, where they lie, and which directed links join them. Or a graph, or
/// a complete network, with one dimension. Copies are cheap.
///
/// On tori and meshes every router has a node, and both have one number. On a graph routers without a node
/// are numbered after those with one.
///
/// A linear array is a mesh of one dimension, a ring a torus of one dimension, a hypercube a mesh of sides 2.
/// A torus of side 2 has two links each way between its two nodes, one for each direction of travel.
class Topology {
 public:
  /// `sides` holds the number of nodes along each dimension.
  /// Throws Inadmissible("topology.shape") for no or too many dimensions, a side below 2, or more than 2^31
  /// nodes; Inadmissible("topology.directions") for links of one direction that is no torus's.
  Topology(TopologyKind kind, std::vector<std::uint32_t> sides,
           LinkDirections directions = LinkDirections::both);
  /// A complete network. Throws Inadmissible("topology.nodes") for fewer than 2 or more than 2^31 nodes.
  [[nodiscard]] static Topology complete(std::uint64_t nodes);
  [[nodiscard]] static Topology of(std::shared_ptr<const Graph> graph);
  /// This network with these faults, in place of others. Throws Inadmissible("topology") if the remaining
  /// nodes cannot reach one another.
  [[nodiscard]] Topology without(const Faults& faults) const;
  /// This network without its faults.
  [[nodiscard]] Topology whole() const;
  /// This network with the routes that the routing function `table` follows.
  [[nodiscard]] Topology with_routes(std::shared_ptr<const RouteTable> routes) const;
  /// Several networks with these nodes: every link of this one that leads in the directions of a network is
  /// there once in it. Throws Inadmissible("topology.networks") for no networks, for one direction on other
  /// networks than tori without faults, and for a first dimension that is not there.
  [[nodiscard]] Topology in_networks(std::vector<PhysicalNetwork> networks) const;
  /// One of several networks, alone; `number` 0 of one.
  [[nodiscard]] Topology network(unsigned number) const;

  [[nodiscard]] TopologyKind kind() const { return kind_; }
  [[nodiscard]] unsigned dimensions() const { return static_cast<unsigned>(sides_.size()); }
  [[nodiscard]] std::span<const std::uint32_t> sides() const { return sides_; }
  [[nodiscard]] std::uint32_t side(unsigned dimension) const { return sides_[dimension]; }
  /// Nodes, numbered from 0; on a torus or mesh also those that are missing.
  [[nodiscard]] NodeId nodes() const { return nodes_; }
  /// Routers: at least as many.
  [[nodiscard]] NodeId routers() const { return routers_; }
  /// The graph of a graph, or of a torus or mesh with faults; nullptr of other networks.
  [[nodiscard]] const Graph* graph() const { return graph_.get(); }
  [[nodiscard]] const RouteTable* given_routes() const { return routes_.get(); }
  /// A torus or mesh, with or without faults: nodes have coordinates, ports have directions.
  [[nodiscard]] bool is_grid() const { return kind_ == TopologyKind::torus || kind_ == TopologyKind::mesh; }
  /// A torus or mesh without faults: every route that exists can be travelled.
  [[nodiscard]] bool is_fault_free_grid() const { return is_grid() && graph_ == nullptr; }
  /// A torus whose links lead in one direction of every dimension only; their ports are those of a torus, so
  /// half of them have no link.
  [[nodiscard]] bool is_one_way() const { return directions_ != LinkDirections::both; }
  [[nodiscard]] LinkDirections directions() const { return directions_; }
  /// Links lead in this direction.
  [[nodiscard]] bool leads(Sign sign) const { return leads(directions_, sign); }
  /// In which dimension-order routing starts.
  [[nodiscard]] unsigned first_dimension() const { return first_dimension_; }
  /// Links or nodes are missing.
  [[nodiscard]] bool has_faults() const;
  /// No link leads to this node of a torus or mesh.
  [[nodiscard]] bool is_missing(NodeId node) const;
  /// The routing function of `routing: auto`.
  [[nodiscard]] std::string default_routing() const;

  // --- Links of any network -------------------------------------------------------------------------------

  /// False on a complete network, which has circuits instead.
  [[nodiscard]] bool has_links() const { return link_ports_ != 0; }
  /// Link ports of a router, the same for all, whether or not a link is there (see has_link). Output port p
  /// leads to input port p of a neighbour.
  [[nodiscard]] unsigned link_ports() const { return link_ports_; }
  [[nodiscard]] unsigned networks() const {
    return networks_.empty() ? 1 : static_cast<unsigned>(networks_.size());
  }
  /// Empty of one network.
  [[nodiscard]] std::span<const PhysicalNetwork> physical_networks() const { return networks_; }
  /// Link ports of one of several networks.
  [[nodiscard]] unsigned ports_of_network() const { return link_ports_ / layers(); }
  /// The first link port of a network: networks whose links lead in opposite directions have the same ports,
  /// as torus has; others follow one another.
  [[nodiscard]] unsigned first_port(unsigned network) const {
    return networks_.empty() ? 0 : layer_of_network_[network] * ports_of_network();
  }
  [[nodiscard]] unsigned network_of_port(unsigned port) const;
  /// The port of the same link in its network alone.
  [[nodiscard]] unsigned port_alone(unsigned port) const {
    return layers() == 1 ? port : port % ports_of_network();
  }
  /// The link here that is `channel` in the network alone.
  [[nodiscard]] ChannelId channel_of(unsigned network, ChannelId channel) const {
    if (layers() == 1) return channel;
    const unsigned ports = ports_of_network();
    return ChannelId{channel / ports} * link_ports_ + first_port(network) + channel % ports;
  }
  /// The node behind link port `port` of `node`; nothing if the port has no link.
  [[nodiscard]] std::optional<NodeId> neighbour(NodeId node, unsigned port) const {
    return found(neighbour_or_none(node, port));
  }
  [[nodiscard]] bool has_link(NodeId node, unsigned port) const { return neighbour(node, port).has_value(); }
  /// The node whose link port `port` leads to `node`, the sender of its input port `port`; nothing without a
  /// link.
  [[nodiscard]] std::optional<NodeId> upstream(NodeId node, unsigned port) const {
    return found(upstream_or_none(node, port));
  }
  /// Calls visit(port, neighbour) for the links that leave a router, by rising port.
  template <typename Visit>
  void for_each_link_from(NodeId router, Visit visit) const {
    for (unsigned port = 0; port < link_ports_; ++port) {
      if (const auto to = neighbour(router, port)) visit(port, *to);
    }
  }
  /// Calls visit(router, port, neighbour) for all links, router by router.
  template <typename Visit>
  void for_each_link(Visit visit) const {
    for (NodeId router = 0; router < routers(); ++router) {
      for_each_link_from(router, [&](unsigned port, NodeId to) { visit(router, port, to); });
    }
  }
  /// The lowest link port that leads from one node to another; nothing if none does.
  [[nodiscard]] std::optional<unsigned> port_to(NodeId from, NodeId to) const;
  /// "+1" or "-0": a link port by direction and dimension; of a graph "p3".
  [[nodiscard]] std::string port_name(unsigned port) const;

  // --- Tori and meshes ------------------------------------------------------------------------------------

  /// True if links lead around, from the last node of a dimension to the first.
  [[nodiscard]] bool wraps() const { return wraps_; }
  /// The dimension of a link port of any of the networks.
  [[nodiscard]] unsigned dimension(unsigned port) const { return dimension_of_port(port_alone(port)); }
  /// The link port of the opposite direction.
  [[nodiscard]] unsigned opposite_port(unsigned port) const {
    const unsigned own = port_alone(port);
    return port - own + port_of(dimension_of_port(own), opposite(sign_of_port(own)));
  }
  [[nodiscard]] std::uint32_t coordinate(NodeId node, unsigned dimension) const {
    return node / strides_[dimension] % sides_[dimension];
  }
  [[nodiscard]] std::vector<std::uint32_t> coordinates(NodeId node) const;

  /// The node at `coordinates` (one per dimension, each below its side).
  [[nodiscard]] NodeId node(std::span<const std::uint32_t> coordinates) const;

  /// The node `hops` links away from `node` in one dimension; on a torus it wraps around. On a mesh the
  /// caller guarantees that the border is not crossed.
  [[nodiscard]] NodeId moved(NodeId node, unsigned dimension, Sign sign, std::uint32_t hops) const;

  /// Links to travel from coordinate `from` to `to` of `dimension` in direction `sign`; nothing if there is
  /// no such path on a mesh or a one-way torus.
  [[nodiscard]] std::optional<std::uint32_t> hops(unsigned dimension, std::uint32_t from, std::uint32_t to,
                                                  Sign sign) const;

  /// Direction of the shorter path, or of the only one; plus if both are equally long.
  [[nodiscard]] Sign shorter_direction(unsigned dimension, std::uint32_t from, std::uint32_t to) const;

  // --- Numbers and names of links ------------------------------------------------------------------------

  /// Numbers of directed links lie in [0, channel_ids()); at the border of a mesh, and on graphs, some are
  /// unused.
  [[nodiscard]] ChannelId channel_ids() const { return ChannelId{routers_} * link_ports(); }
  [[nodiscard]] ChannelId channel(NodeId node, unsigned port) const {
    return ChannelId{node} * link_ports() + port;
  }
  [[nodiscard]] NodeId channel_node(ChannelId channel) const {
    return static_cast<NodeId>(channel / link_ports());
  }
  [[nodiscard]] unsigned channel_port(ChannelId channel) const {
    return static_cast<unsigned>(channel % link_ports());
  }

  /// "[1, 2, 0]"; on a complete network "node 5"; on a graph the name that it has there
  [[nodiscard]] std::string node_name(NodeId node) const;
  /// "[1, 2, 0]+1" : the link that leaves node [1, 2, 0] in direction + of dimension 1. On a graph "r0>r1".
  /// Of several networks also "[1, 2, 0]+1 of network 1", unless network 0 has these ports.
  [[nodiscard]] std::string channel_name(ChannelId channel) const;
  /// "7x7x7 torus", "10x12 one-way torus"; of one dimension: "ring of 8 nodes", "linear array of 8 nodes";
  /// "complete network of 8 nodes"
  [[nodiscard]] std::string name() const;

  /// Given routes are not compared.
  bool operator==(const Topology& other) const;

 private:
  // kNoNode instead of nothing: a returned std::optional is stored in parts and read as a whole, for which a
  // processor waits.
  [[nodiscard]] NodeId neighbour_or_none(NodeId node, unsigned port) const;
  [[nodiscard]] NodeId upstream_or_none(NodeId node, unsigned port) const;
  /// The node behind a port of a torus or mesh, whether or not links lead in this direction; or kNoNode.
  [[nodiscard]] NodeId beside(NodeId node, unsigned port) const;
  [[nodiscard]] static std::optional<NodeId> found(NodeId node) {
    return node == kNoNode ? std::nullopt : std::optional(node);
  }

  [[nodiscard]] static bool leads(LinkDirections directions, Sign sign) {
    return directions != (sign == Sign::plus ? LinkDirections::minus : LinkDirections::plus);
  }
  /// Networks with ports of their own.
  [[nodiscard]] unsigned layers() const {
    return layers_.empty() ? 1 : static_cast<unsigned>(layers_.size());
  }
  [[nodiscard]] bool has_port(unsigned port) const;
  [[nodiscard]] std::string suffix_of(unsigned port) const;

  TopologyKind kind_;
  std::vector<std::uint32_t> sides_;
  std::vector<std::uint32_t> strides_;
  NodeId nodes_ = 0;
  NodeId routers_ = 0;
  unsigned link_ports_ = 0;
  unsigned first_dimension_ = 0;
  bool wraps_ = false;
  LinkDirections directions_ = LinkDirections::both;
  std::shared_ptr<const Graph> graph_;
  std::shared_ptr<const RouteTable> routes_;
  std::vector<PhysicalNetwork> networks_;
  std::vector<LinkDirections> layers_;  ///< of all links at the ports of each layer
  std::vector<std::uint8_t> layer_of_network_;
};

/// A node as configurations write it: "[1, 0]"; "5" on a complete network.
[[nodiscard]] std::string node_text(NodeId node, const Topology& topology);
/// The node of such a text. Throws InputError that says what would be right.
[[nodiscard]] NodeId parse_node(const std::string& text, const Topology& topology);
/// "[1, 0]+0", a link of the topology. Throws InputError.
[[nodiscard]] ChannelId parse_channel(const std::string& text, const Topology& topology);

}  // namespace flitscope
