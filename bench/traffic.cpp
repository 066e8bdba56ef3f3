#include "bench/traffic.h"

#include <cmath>

namespace flitscope::bench {

ShortestRoutes::ShortestRoutes(const Topology& topology)
    : dimensions_(topology.dimensions()), sides_(topology.sides().begin(), topology.sides().end()) {
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (unsigned dimension = 0; dimension < dimensions_; ++dimension) {
      coordinates_.push_back(topology.coordinate(node, dimension));
    }
  }
  for (unsigned dimension = 0; dimension < dimensions_; ++dimension) {
    for (std::uint32_t from = 0; from < sides_[dimension]; ++from) {
      for (std::uint32_t to = 0; to < sides_[dimension]; ++to) {
        Route route;
        route.set_sign(dimension, topology.shorter_direction(dimension, from, to));
        negative_.push_back(route.negative);
      }
    }
  }
}

Route ShortestRoutes::route(NodeId source, NodeId destination) const {
  const std::uint32_t* const from = &coordinates_[std::size_t{source} * dimensions_];
  const std::uint32_t* const to = &coordinates_[std::size_t{destination} * dimensions_];
  const std::uint16_t* table = negative_.data();
  unsigned negative = 0;
  for (unsigned dimension = 0; dimension < dimensions_; ++dimension) {
    const std::uint32_t side = sides_[dimension];
    negative |= table[from[dimension] * side + to[dimension]];
    table += std::size_t{side} * side;
  }
  return {0, static_cast<std::uint16_t>(negative)};
}

Packet RandomPackets::from(NodeId source) {
  const NodeId drawn = random_.below(nodes_ - 1);
  const NodeId destination = drawn < source ? drawn : drawn + 1;
  return {made_++, source, destination, routes_.route(source, destination), flits_, 0};
}

UniformTraffic::UniformTraffic(const Topology& topology, double flits_per_node_and_cycle, std::uint32_t flits,
                               Cycle cycles)
    : nodes_(topology.nodes()), cycles_(cycles), packets_(topology, flits) {
  const double log_silent = std::log1p(-flits_per_node_and_cycle / flits);
  for (unsigned i = 0; i < kQuantiles; ++i) {
    ways_.push_back(1 + static_cast<std::uint32_t>(std::log((i + 0.5) / kQuantiles) / log_silent));
  }
}

void UniformTraffic::at(Transport& network, Cycle now) {
  for (; sender_ < nodes_; sender_ += ways_[packets_.random().below(kQuantiles)]) {
    network.send(packets_.from(static_cast<NodeId>(sender_)));
  }
  sender_ -= nodes_;
  next_ = now + 1 < cycles_ ? now + 1 : kNever;
}

void ConstantWorms::start(Transport& network) {
  for (unsigned worm = 0; worm < worms_; ++worm) network.send(packets_.from_anywhere());
}

void ConstantWorms::delivered(Transport& network, std::span<const Delivery> deliveries, Cycle) {
  for (std::size_t i = 0; i < deliveries.size() && !finished(); ++i) network.send(packets_.from_anywhere());
}

void NeighbourExchange::delivered(Transport& network, std::span<const Delivery> deliveries, Cycle) {
  in_flight_ -= deliveries.size();
  if (in_flight_ == 0 && --rounds_ > 0) send_round(network);
}

void NeighbourExchange::send_round(Transport& network) {
  for (NodeId node = 0; node < topology_.nodes(); ++node) {
    for (unsigned port = 0; port < topology_.link_ports(); ++port) {
      const auto neighbour = topology_.neighbour(node, port);
      if (!neighbour) continue;
      Route route;
      route.set_sign(port / 2, static_cast<Sign>(port % 2));
      network.send({in_flight_++, node, *neighbour, route, flits_, 0});
    }
  }
}

}  // namespace flitscope::bench
