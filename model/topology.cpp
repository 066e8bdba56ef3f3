#include "model/topology.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/error.h"

namespace flitscope {

namespace {

struct Traits {
  std::string_view name;
  bool links;
  bool wraps;
};

/// A row for each kind, in the order of kTopologyKinds.
constexpr std::array<Traits, kTopologyKinds.size()> kTraits{{
    {.name = "torus", .links = true, .wraps = true},
    {.name = "mesh", .links = true, .wraps = false},
    {.name = "complete", .links = false, .wraps = false},
}};

const Traits& traits_of(TopologyKind kind) {
  return kTraits.at(static_cast<std::size_t>(kind));
}

}  // namespace

std::string_view name_of(TopologyKind kind) {
  return traits_of(kind).name;
}

bool has_links(TopologyKind kind) {
  return traits_of(kind).links;
}

std::optional<TopologyKind> topology_kind(std::string_view name) {
  for (const TopologyKind kind : kTopologyKinds) {
    if (name == name_of(kind)) return kind;
  }
  return std::nullopt;
}

Topology Topology::complete(std::uint64_t nodes) {
  if (nodes < 2 || nodes > kMaxNodes) {
    throw Inadmissible("topology.nodes",
                       fmt::format("a complete network has 2 to {} nodes, not {}", kMaxNodes, nodes));
  }
  return {TopologyKind::complete, {static_cast<std::uint32_t>(nodes)}};
}

Topology::Topology(TopologyKind kind, std::vector<std::uint32_t> sides)
    : kind_(kind), sides_(std::move(sides)) {
  if (sides_.empty()) {
    throw Inadmissible("topology.shape", "a shape needs at least one side, such as [8, 8]");
  }
  if (sides_.size() > kMaxDimensions) {
    throw Inadmissible("topology.shape", fmt::format("{} dimensions are too many; at most {} are possible",
                                                     sides_.size(), kMaxDimensions));
  }
  std::uint64_t nodes = 1;
  for (const std::uint32_t side : sides_) {
    if (side < 2) {
      throw Inadmissible("topology.shape",
                         fmt::format("a side of {} is too short; every side must be at least 2", side));
    }
    strides_.push_back(static_cast<std::uint32_t>(nodes));
    nodes *= side;
    if (nodes > kMaxNodes) {
      throw Inadmissible("topology.shape",
                         fmt::format("{} has more than {} nodes, the most that can be numbered",
                                     fmt::join(sides_, "x"), kMaxNodes));
    }
  }
  nodes_ = static_cast<NodeId>(nodes);
  link_ports_ = flitscope::has_links(kind_) ? 2 * dimensions() : 0;
  wraps_ = traits_of(kind_).wraps;
}

std::vector<std::uint32_t> Topology::coordinates(NodeId node) const {
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

std::optional<NodeId> Topology::neighbour(NodeId node, unsigned port) const {
  if (!has_links()) return std::nullopt;
  const unsigned dimension = dimension_of_port(port);
  const Sign sign = sign_of_port(port);
  const std::uint32_t at = coordinate(node, dimension);
  const std::uint32_t border = sign == Sign::plus ? sides_[dimension] - 1 : 0;
  const bool around = at == border;
  if (around && !wraps()) return std::nullopt;
  // As moved() by one, without its divisions: drivers ask this for every message.
  const std::uint32_t step = around ? (sides_[dimension] - 1) * strides_[dimension] : strides_[dimension];
  return around == (sign == Sign::plus) ? node - step : node + step;
}

std::optional<NodeId> Topology::feeder(NodeId node, unsigned port) const {
  return neighbour(node, opposite_port(port));
}

std::optional<std::uint32_t> Topology::hops(unsigned dimension, std::uint32_t from, std::uint32_t to,
                                            Sign sign) const {
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
  return fmt::format("[{}]", fmt::join(coordinates(node), ", "));
}

std::string Topology::channel_name(ChannelId channel) const {
  return node_name(channel_node(channel)) + port_name(channel_port(channel));
}

std::string Topology::name() const {
  if (!has_links()) return fmt::format("complete network of {} nodes", nodes_);
  if (dimensions() == 1) {
    return fmt::format("{} of {} nodes", wraps() ? "ring" : "linear array", nodes_);
  }
  return fmt::format("{} {}", fmt::join(sides_, "x"), name_of(kind_));
}

std::string Topology::port_name(unsigned port) const {
  return fmt::format("{}{}", sign_of_port(port) == Sign::plus ? '+' : '-', dimension_of_port(port));
}

}  // namespace flitscope
