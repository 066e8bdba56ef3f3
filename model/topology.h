// Tori and meshes of any number of dimensions and any side lengths, graphs, and complete networks.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
inline constexpr std::array kTopologyKinds{TopologyKind::torus, TopologyKind::mesh, TopologyKind::graph,
                                           TopologyKind::complete};

/// The directions in which the links of a torus lead.
enum class LinkDirections : std::uint8_t { both, plus, minus };
inline constexpr std::array kLinkDirections{LinkDirections::both, LinkDirections::plus,
                                            LinkDirections::minus};

[[nodiscard]] std::string_view name_of(TopologyKind kind);
/// "both", "plus", "minus"
[[nodiscard]] std::string_view name_of(LinkDirections directions);
/// The kind, or the directions, of that name; nothing if there is none.
[[nodiscard]] std::optional<TopologyKind> topology_kind(std::string_view name);
[[nodiscard]] std::optional<LinkDirections> link_directions(std::string_view name);
/// False if such networks have circuits instead of links.
[[nodiscard]] bool has_links(TopologyKind kind);

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
  [[nodiscard]] bool leads(Sign sign) const {
    return directions_ != (sign == Sign::plus ? LinkDirections::minus : LinkDirections::plus);
  }
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
  /// The node behind link port `port` of `node`; nothing if the port has no link.
  [[nodiscard]] std::optional<NodeId> neighbour(NodeId node, unsigned port) const;
  [[nodiscard]] bool has_link(NodeId node, unsigned port) const { return neighbour(node, port).has_value(); }
  /// The node whose link port `port` leads to `node`, the sender of its input port `port`; nothing without a
  /// link.
  [[nodiscard]] std::optional<NodeId> upstream(NodeId node, unsigned port) const;
  /// "+1" or "-0": a link port by direction and dimension; of a graph "p3".
  [[nodiscard]] std::string port_name(unsigned port) const;

  // --- Tori and meshes ------------------------------------------------------------------------------------

  /// True if links lead around, from the last node of a dimension to the first.
  [[nodiscard]] bool wraps() const { return wraps_; }
  /// The link port of the opposite direction.
  [[nodiscard]] unsigned opposite_port(unsigned port) const {
    return port_of(dimension_of_port(port), opposite(sign_of_port(port)));
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
  [[nodiscard]] std::string channel_name(ChannelId channel) const;
  /// "7x7x7 torus", "10x12 one-way torus"; of one dimension: "ring of 8 nodes", "linear array of 8 nodes";
  /// "complete network of 8 nodes"
  [[nodiscard]] std::string name() const;

  /// Given routes are not compared.
  bool operator==(const Topology& other) const;

 private:
  /// The node behind a port of a torus or mesh, whether or not links lead in this direction.
  [[nodiscard]] std::optional<NodeId> beside(NodeId node, unsigned port) const;

  TopologyKind kind_;
  std::vector<std::uint32_t> sides_;
  std::vector<std::uint32_t> strides_;
  NodeId nodes_ = 0;
  NodeId routers_ = 0;
  unsigned link_ports_ = 0;
  bool wraps_ = false;
  LinkDirections directions_ = LinkDirections::both;
  std::shared_ptr<const Graph> graph_;
  std::shared_ptr<const RouteTable> routes_;
};

/// A node as configurations write it: "[1, 0]"; "5" on a complete network.
[[nodiscard]] std::string node_text(NodeId node, const Topology& topology);
/// The node of such a text. Throws InputError that says what would be right.
[[nodiscard]] NodeId parse_node(const std::string& text, const Topology& topology);
/// "[1, 0]+0", a link of the topology. Throws InputError.
[[nodiscard]] ChannelId parse_channel(const std::string& text, const Topology& topology);

}  // namespace flitscope
