#include "bench/traffic.h"

namespace flitscope::bench {

Packet random_packet(const Topology& topology, NodeId source, std::uint32_t flits, std::uint64_t id,
                     std::mt19937_64& random) {
  const auto drawn = static_cast<NodeId>(random() % (topology.nodes() - 1));
  const NodeId destination = drawn < source ? drawn : drawn + 1;
  return {id, source, destination, shortest_route(topology, source, destination), flits, 0};
}

UniformTraffic::UniformTraffic(const Topology& topology, double flits_per_node_and_cycle, std::uint32_t flits,
                               Cycle cycles) {
  std::mt19937_64 random(1);
  // Trials of all nodes in each cycle, from success to success.
  std::geometric_distribution<std::uint64_t> failures(flits_per_node_and_cycle / flits);
  const std::uint64_t trials = cycles * topology.nodes();
  for (std::uint64_t trial = failures(random); trial < trials; trial += failures(random) + 1) {
    const auto node = static_cast<NodeId>(trial % topology.nodes());
    messages_.push_back(
        {trial / topology.nodes(), random_packet(topology, node, flits, messages_.size(), random)});
  }
  messages_.push_back({kNever, {}});
  next_ = messages_.begin();
}

void UniformTraffic::at(Transport& network, Cycle now) {
  for (; next_->cycle == now; ++next_) network.send(next_->packet);
}

ConstantWorms::ConstantWorms(const Topology& topology, std::size_t worms, std::uint32_t flits,
                             std::uint64_t messages)
    : worms_(worms) {
  std::mt19937_64 random(1);
  for (std::uint64_t id = 0; id < messages; ++id) {
    const auto source = static_cast<NodeId>(random() % topology.nodes());
    messages_.push_back(random_packet(topology, source, flits, id, random));
  }
}

void ConstantWorms::send(Transport& network, std::size_t count) {
  for (; count > 0 && !finished(); --count) network.send(messages_[next_++]);
}

NeighbourExchange::NeighbourExchange(const Topology& topology, std::uint32_t flits, unsigned rounds)
    : rounds_(rounds) {
  topology.for_each_link([&](NodeId node, unsigned port, NodeId neighbour) {
    Route route;
    route.set_sign(port / 2, static_cast<Sign>(port % 2));
    messages_.push_back({messages_.size(), node, neighbour, route, flits, 0});
  });
}

void NeighbourExchange::delivered(Transport& network, std::span<const Delivery> deliveries, Cycle) {
  in_flight_ -= deliveries.size();
  if (in_flight_ == 0 && --rounds_ > 0) send_round(network);
}

void NeighbourExchange::send_round(Transport& network) {
  in_flight_ = messages_.size();
  for (const Packet& message : messages_) network.send(message);
}

}  // namespace flitscope::bench
