#include "model/topology.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <ranges>

#include "model/error.h"
#include "model/graph.h"
#include "model/numbers.h"

namespace flitscope {

namespace {

/// "1 node and 3 links"
std::string faults_text(const Faults& faults) {
  std::string links = counted(faults.links.size(), "directed link");
  const std::string nodes = counted(faults.nodes.size(), "node");
  if (faults.nodes.empty()) return links;
  return faults.links.empty() ? nodes : nodes + " and " + links;
}

}  // namespace

Topology Topology::complete(std::uint64_t nodes) {
  refuse_if(nodes < 2 || nodes > kMaxNodes, "topology.nodes", "a complete network has 2 to {} nodes, not {}",
            kMaxNodes, nodes);
  return {TopologyKind::complete, {static_cast<std::uint32_t>(nodes)}};
}

Topology Topology::of(std::shared_ptr<const Graph> graph) {
  Topology result(TopologyKind::graph, {graph->nodes()});
  result.routers_ = graph->routers();
  result.link_ports_ = graph->ports();
  result.graph_ = std::move(graph);
  return result;
}

Topology Topology::whole() const {
  if (kind_ == TopologyKind::graph && graph_->whole() == nullptr) return *this;
  const Topology one =
      kind_ == TopologyKind::graph ? of(graph_->whole()) : Topology(kind_, sides_, directions_);
  return networks_.empty() ? one : one.in_networks(networks_);
}

Topology Topology::without(const Faults& faults) const {
  Topology result = whole().network(0);
  if (!faults.any()) return whole();
  if (kind_ == TopologyKind::graph)
    result = of(std::make_shared<const Graph>(result.graph_, faults));
  else
    result.graph_ = std::make_shared<const Graph>(result, faults);
  return networks_.empty() ? result : result.in_networks(networks_);
}

bool Topology::has_faults() const {
  return graph_ != nullptr && graph_->faults().any();
}

Topology Topology::with_routes(std::shared_ptr<const RouteTable> routes) const {
  Topology result = *this;
  result.routes_ = std::move(routes);
  return result;
}

Topology Topology::in_networks(std::vector<PhysicalNetwork> networks) const {
  const auto refuse = [](std::size_t number, const std::string& reason) {
    throw Inadmissible("topology.networks", "topology.networks[{}]: {}", number, reason);
  };
  if (networks.empty()) throw Inadmissible("topology.networks", "there is at least one network");
  Topology result = *this;
  result.layers_.clear();
  result.layer_of_network_.clear();
  for (std::size_t number = 0; number < networks.size(); ++number) {
    PhysicalNetwork& each = networks[number];
    if (each.directions == LinkDirections::both) each.directions = directions_;
    if (each.directions != LinkDirections::both && (kind_ != TopologyKind::torus || graph_ != nullptr))
      refuse(number, "links of one direction are for tori without missing links");
    if (each.first_dimension >= dimensions())
      refuse(number, fmt::format("there is no dimension {}: a {} has {}", each.first_dimension,
                                 network(0).name(), counted(dimensions(), "dimension")));
    // Links that lead in opposite directions are at ports of their own on a torus.
    const auto opposite_only = [&](LinkDirections layer) {
      return layer != LinkDirections::both && each.directions != LinkDirections::both &&
             layer != each.directions;
    };
    const auto layer = std::ranges::find_if(result.layers_, opposite_only);
    result.layer_of_network_.push_back(static_cast<std::uint8_t>(layer - result.layers_.begin()));
    if (layer == result.layers_.end()) {
      result.layers_.push_back(each.directions);
    } else {
      *layer = LinkDirections::both;
    }
  }
  result.directions_ = result.layers_.front();
  result.link_ports_ = ports_of_network() * result.layers();
  result.networks_ = std::move(networks);
  return result;
}

Topology Topology::network(unsigned number) const {
  if (networks_.empty()) return *this;
  Topology result = *this;
  result.directions_ = networks_[number].directions;
  result.first_dimension_ = networks_[number].first_dimension;
  result.link_ports_ = ports_of_network();
  result.networks_.clear();
  result.layers_.clear();
  result.layer_of_network_.clear();
  return result;
}

unsigned Topology::network_of_port(unsigned port) const {
  const unsigned layer = port / ports_of_network();
  unsigned of_layer = 0;
  for (unsigned network = 0; network < networks_.size(); ++network) {
    if (layer_of_network_[network] != layer) continue;
    of_layer = network;
    if (!is_grid() || leads(networks_[network].directions, sign_of_port(port_alone(port)))) break;
  }
  return of_layer;
}

/// Of tori and meshes: links lead in the direction of this port.
bool Topology::has_port(unsigned port) const {
  if (layers_.empty()) return leads(sign_of_port(port));
  return leads(layers_[port / ports_of_network()], sign_of_port(port_alone(port)));
}

bool Topology::operator==(const Topology& other) const {
  if (networks_ != other.networks_ || first_dimension_ != other.first_dimension_) return false;
  if (kind_ != other.kind_ || sides_ != other.sides_ || directions_ != other.directions_) return false;
  if (graph_ == nullptr || other.graph_ == nullptr) return graph_ == other.graph_;
  return graph_->digest() == other.graph_->digest();
}

bool Topology::is_missing(NodeId node) const {
  return graph_ != nullptr && graph_->is_missing(node);
}

std::string Topology::default_routing() const {
  if (graph_ == nullptr) return "dimension-order";
  return graph_->routing();
}

Topology::Topology(TopologyKind kind, std::vector<std::uint32_t> sides, LinkDirections directions)
    : kind_(kind), sides_(std::move(sides)), directions_(directions) {
  refuse_if(is_one_way() && kind_ != TopologyKind::torus, "topology.directions",
            "links of one direction are for tori: on a {} they lead no message back", name_of(kind_));
  refuse_if(sides_.empty(), "topology.shape", "a shape needs at least one side, such as [8, 8]");
  refuse_if(sides_.size() > kMaxDimensions, "topology.shape",
            "{} dimensions are too many; at most {} are possible", sides_.size(), kMaxDimensions);
  std::uint64_t nodes = 1;
  for (const std::uint32_t side : sides_) {
    refuse_if(side < 2, "topology.shape", "a side of {} is too short; every side must be at least 2", side);
    strides_.push_back(static_cast<std::uint32_t>(nodes));
    nodes *= side;
    refuse_if(nodes > kMaxNodes, "topology.shape", "{} has more than {} nodes, the most that can be numbered",
              fmt::join(sides_, "x"), kMaxNodes);
  }
  nodes_ = static_cast<NodeId>(nodes);
  routers_ = nodes_;
  link_ports_ = flitscope::has_links(kind_) ? 2 * dimensions() : 0;
  wraps_ = kind_ == TopologyKind::torus;
}

std::vector<std::uint32_t> Topology::coordinates(NodeId node) const {
  if (kind_ == TopologyKind::graph) return {node};
  std::vector<std::uint32_t> result(sides_.size());
  for (unsigned dimension = 0; dimension < dimensions(); ++dimension) {
    result[dimension] = coordinate(node, dimension);
  }
  return result;
}

NodeId Topology::node(std::span<const std::uint32_t> coordinates) const {
  NodeId result = 0;
  for (unsigned dimension = 0; dimension < dimensions(); ++dimension) {
    result += coordinates[dimension] * strides_[dimension];
  }
  return result;
}

NodeId Topology::moved(NodeId node, unsigned dimension, Sign sign, std::uint32_t hops) const {
  const std::uint32_t side = sides_[dimension];
  const std::uint32_t from = coordinate(node, dimension);
  hops %= side;
  const std::uint32_t forward = sign == Sign::plus ? hops : (side - hops) % side;
  const auto to = static_cast<std::uint32_t>((std::uint64_t{from} + forward) % side);
  return node - from * strides_[dimension] + to * strides_[dimension];
}

NodeId Topology::neighbour_or_none(NodeId node, unsigned port) const {
  if (graph_ != nullptr) return graph_->neighbour(node, port_alone(port)).value_or(kNoNode);
  return has_links() && has_port(port) ? beside(node, port_alone(port)) : kNoNode;
}

NodeId Topology::beside(NodeId node, unsigned port) const {
  const unsigned dimension = dimension_of_port(port);
  const Sign sign = sign_of_port(port);
  const std::uint32_t at = coordinate(node, dimension);
  const std::uint32_t border = sign == Sign::plus ? sides_[dimension] - 1 : 0;
  const bool around = at == border;
  if (around && !wraps()) return kNoNode;
  // node_at_offset() by one without its divisions: drivers call this for every message.
  const std::uint32_t step = around ? (sides_[dimension] - 1) * strides_[dimension] : strides_[dimension];
  return around == (sign == Sign::plus) ? node - step : node + step;
}

NodeId Topology::upstream_or_none(NodeId node, unsigned port) const {
  if (graph_ != nullptr) return graph_->upstream(node, port_alone(port)).value_or(kNoNode);
  return has_links() && has_port(port) ? beside(node, opposite_port(port_alone(port))) : kNoNode;
}

std::optional<unsigned> Topology::port_to(NodeId from, NodeId to) const {
  for (unsigned port = 0; port < link_ports(); ++port) {
    if (neighbour(from, port) == to) return port;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> Topology::hops(unsigned dimension, std::uint32_t from, std::uint32_t to,
                                            Sign sign) const {
  if (!leads(sign)) return from == to ? std::optional(0U) : std::nullopt;
  const bool around = sign == Sign::plus ? to < from : to > from;
  const std::uint32_t difference = to > from ? to - from : from - to;
  if (!around) return difference;
  if (!wraps()) return std::nullopt;
  return sides_[dimension] - difference;
}

Sign Topology::shorter_direction(unsigned dimension, std::uint32_t from, std::uint32_t to) const {
  const auto forward = hops(dimension, from, to, Sign::plus);
  const auto backward = hops(dimension, from, to, Sign::minus);
  if (!forward) return Sign::minus;
  if (!backward) return Sign::plus;
  return *forward <= *backward ? Sign::plus : Sign::minus;
}

std::string Topology::node_name(NodeId node) const {
  if (!has_links()) return fmt::format("node {}", node);
  if (kind_ == TopologyKind::graph) return graph_->router_name(node);
  return fmt::format("[{}]", fmt::join(coordinates(node), ", "));
}

std::string Topology::channel_name(ChannelId channel) const {
  const NodeId node = channel_node(channel);
  const unsigned port = channel_port(channel);
  if (kind_ != TopologyKind::graph) return node_name(node) + port_name(port);
  return graph_->channel_name(node, port_alone(port)) + suffix_of(port);
}

/// " of network 1"; nothing for the first ports.
std::string Topology::suffix_of(unsigned port) const {
  return port == port_alone(port) ? std::string() : fmt::format(" of network {}", network_of_port(port));
}

std::string Topology::name() const {
  if (networks() > 1) {
    Topology one = network(0);
    one.directions_ = directions_;
    return fmt::format("{} in {} networks", one.name(), networks());
  }
  if (!has_links()) return fmt::format("complete network of {} nodes", nodes_);
  if (has_faults()) return fmt::format("{} without {}", graph_->name(), faults_text(graph_->faults()));
  if (kind_ == TopologyKind::graph) return graph_->name();
  const std::string_view one_way = is_one_way() ? "one-way " : "";
  if (dimensions() == 1) {
    return fmt::format("{}{} of {} nodes", one_way, wraps() ? "ring" : "linear array", nodes_);
  }
  return fmt::format("{} {}{}", fmt::join(sides_, "x"), one_way, name_of(kind_));
}

std::string Topology::port_name(unsigned port) const {
  const unsigned own = port_alone(port);
  if (kind_ == TopologyKind::graph) return fmt::format("p{}", own) + suffix_of(port);
  return fmt::format("{}{}", sign_of_port(own) == Sign::plus ? '+' : '-', dimension_of_port(own)) +
         suffix_of(port);
}

Graph::Graph(const Topology& whole, const Faults& faults)
    : nodes_(whole.nodes()), ports_(whole.link_ports()), missing_(whole.nodes()), faults_(faults) {
  std::vector<bool> gone(whole.channel_ids());
  for (const ChannelId channel : faults.links) gone[channel] = true;
  for (const NodeId node : faults.nodes) missing_[node] = true;
  to_.assign(std::size_t{nodes_} * ports_, kNoNode);
  from_ = to_;
  link_.assign(to_.size(), kNoLink);
  for (NodeId node = 0; node < nodes_; ++node) {
    places_.push_back(node);
    plan_.routers.push_back({whole.node_name(node), !missing_[node]});
    whole.for_each_link_from(node, [&](unsigned port, NodeId to) {
      if (gone[whole.channel(node, port)] || missing_[node] || missing_[to]) return;
      link_[at(node, port)] = static_cast<std::uint32_t>(plan_.links.size());
      plan_.links.push_back({node, to});
      to_[at(node, port)] = to;
      from_[at(to, port)] = node;
    });
  }
  plan_.name = whole.name();
  complete_with_faults();
}

namespace {

std::string without_spaces(std::string_view text) {
  std::string result(text);
  std::erase(result, ' ');
  return result;
}

/// The coordinates in "[1,0]", or nothing.
std::optional<std::vector<std::uint32_t>> coordinates_in(std::string_view text) {
  if (!text.starts_with('[') || !text.ends_with(']')) return std::nullopt;
  std::vector<std::uint32_t> coordinates;
  for (const auto part : std::views::split(text.substr(1, text.size() - 2), ',')) {
    const auto number = number_in<std::uint32_t>({part.begin(), part.end()});
    if (!number) return std::nullopt;
    coordinates.push_back(*number);
  }
  return coordinates.empty() ? std::nullopt : std::optional(coordinates);
}

/// What is wrong with the coordinates of a node on a grid; empty if nothing is.
std::string fault_of(const std::vector<std::uint32_t>& coordinates, const Topology& topology) {
  if (coordinates.size() != topology.dimensions()) {
    return fmt::format("[{}] has {}, but the {} has {}", fmt::join(coordinates, ", "),
                       counted(coordinates.size(), "coordinate"), topology.name(),
                       counted(topology.dimensions(), "dimension"));
  }
  for (unsigned dimension = 0; dimension < topology.dimensions(); ++dimension) {
    if (coordinates[dimension] < topology.side(dimension)) continue;
    return fmt::format("[{}] lies outside the {}: coordinate {} must be 0 to {}",
                       fmt::join(coordinates, ", "), topology.name(), dimension,
                       topology.side(dimension) - 1);
  }
  return "";
}

std::optional<NodeId> node_in(std::string_view text, const Topology& topology) {
  if (topology.is_grid()) {
    const auto coordinates = coordinates_in(text);
    if (!coordinates) return std::nullopt;
    const std::string fault = fault_of(*coordinates, topology);
    if (!fault.empty()) throw InputError(fault);
    return topology.node(*coordinates);
  }
  if (topology.has_links()) return topology.graph()->router_named(text);
  const auto number = number_in<std::uint64_t>(text);
  return number && *number < topology.nodes() ? std::optional(static_cast<NodeId>(*number)) : std::nullopt;
}

/// The router that "[1,0]+0", "r0>r1" or "r0:east" leaves.
std::optional<NodeId> router_of_channel(std::string_view text, const Topology& topology) {
  if (!topology.has_links()) return std::nullopt;
  if (!topology.is_grid()) return topology.graph()->router_named(text.substr(0, text.find_first_of(">:")));
  const auto coordinates = coordinates_in(text.substr(0, text.find(']') + 1));
  if (!coordinates || !fault_of(*coordinates, topology).empty()) return std::nullopt;
  return topology.node(*coordinates);
}

/// The channels of a topology, for a message.
std::string channels_text(const Topology& topology) {
  std::optional<ChannelId> first;
  ChannelId last = 0;
  topology.for_each_link([&](NodeId router, unsigned port, NodeId) {
    last = topology.channel(router, port);
    if (!first) first = last;
  });
  if (!first) return "it has none";
  return fmt::format("its channels are '{}' to '{}'", topology.channel_name(*first),
                     topology.channel_name(last));
}

}  // namespace

std::string node_text(NodeId node, const Topology& topology) {
  return !topology.has_links() ? std::to_string(node) : topology.node_name(node);
}

NodeId parse_node(const std::string& text, const Topology& topology) {
  if (const auto node = node_in(without_spaces(text), topology)) return *node;
  if (text == "origin") return 0;
  throw InputError("{} is no node of the {}; its nodes are {} to {}", in_quotes(text), topology.name(),
                   node_text(0, topology), node_text(topology.nodes() - 1, topology));
}

ChannelId parse_channel(const std::string& text, const Topology& topology) {
  const std::string plain = without_spaces(text);
  const auto router = router_of_channel(plain, topology);
  std::vector<std::string> leaving;
  for (unsigned port = 0; router && port < topology.link_ports(); ++port) {
    if (!topology.has_link(*router, port)) continue;
    const ChannelId channel = topology.channel(*router, port);
    const std::string name = topology.channel_name(channel);
    if (without_spaces(name) == plain) return channel;
    leaving.push_back(in_quotes(name));
  }
  if (leaving.empty()) {
    throw InputError("{} is no channel of the {}; {}", in_quotes(text), topology.name(),
                     channels_text(topology));
  }
  constexpr std::size_t kFew = 8;
  const std::string more =
      leaving.size() > kFew ? fmt::format(" and {} more", leaving.size() - kFew) : std::string();
  leaving.resize(std::min(kFew, leaving.size()));
  throw InputError("{} is no channel of the {}; from {} lead {}{}", in_quotes(text), topology.name(),
                   topology.node_name(*router), fmt::join(leaving, ", "), more);
}

}  // namespace flitscope
