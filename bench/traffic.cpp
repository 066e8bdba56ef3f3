#include "bench/traffic.h"

#include <cmath>

namespace flitscope::bench {

namespace {

NodeId other_node(Random& random, const Topology& topology, NodeId source) {
  const NodeId drawn = random.below(topology.nodes() - 1);
  return drawn < source ? drawn : drawn + 1;
}

Packet packet(const Topology& topology, std::uint64_t id, NodeId source, NodeId destination, std::uint32_t flits) {
  return {id, source, destination, shortest_route(topology, source, destination), flits, 0};
}

}  // namespace

UniformTraffic::UniformTraffic(const Topology& topology, double flits_per_node_and_cycle, std::uint32_t flits,
                               Cycle cycles)
    : topology_(topology), log_stay_(std::log1p(-flits_per_node_and_cycle / flits)), flits_(flits), cycles_(cycles) {}

Cycle UniformTraffic::gap() { return 1 + static_cast<Cycle>(std::log(random_.unit()) / log_stay_); }

void UniformTraffic::start(Transport&) {
  for (NodeId node = 0; node < topology_.nodes(); ++node) due_.emplace(gap(), node);
  next_ = due_.top().first;
}

void UniformTraffic::at(Transport& network, Cycle now) {
  while (due_.top().first == now) {
    const NodeId source = due_.top().second;
    due_.pop();
    due_.emplace(now + gap(), source);
    network.send(packet(topology_, id_++, source, other_node(random_, topology_, source), flits_));
  }
  next_ = due_.top().first < cycles_ ? due_.top().first : kNever;
}

void ConstantWorms::start(Transport& network) {
  for (unsigned worm = 0; worm < worms_; ++worm) send_one(network);
}

void ConstantWorms::delivered(Transport& network, std::span<const Delivery> deliveries, Cycle) {
  for (std::size_t i = 0; i < deliveries.size() && sent_ < messages_; ++i) send_one(network);
}

void ConstantWorms::send_one(Transport& network) {
  const NodeId source = random_.below(topology_.nodes());
  network.send(packet(topology_, sent_++, source, other_node(random_, topology_, source), flits_));
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
