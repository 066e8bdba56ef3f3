#include "sim/adaptors/endpoints.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "routers/modules/report.h"

namespace flitscope {

void Endpoint::send(OutgoingMessage message) {
  all_.send(node_, std::move(message));
}

void Endpoint::take(const IncomingMessage& arrival) {
  const std::size_t before = handlers_.size();
  for (std::size_t i = 0; i < before; ++i) handlers_[i](arrival);
  delivered_.notify(sc_core::SC_ZERO_TIME);
}

Endpoints::Endpoints(const sc_core::sc_module_name&, Network& network) : network_(network) {
  network_.clock().drive(*this);
}

Endpoint& Endpoints::at(NodeId node) {
  const Topology& topology = network_.topology();
  if (node >= topology.nodes()) report_error(kUseReport, "there is no node {}", node);
  std::unique_ptr<Endpoint>& endpoint = endpoints_[node];
  if (endpoint == nullptr) {
    const std::string name = fmt::format("endpoint_{}", fmt::join(topology.coordinates(node), "_"));
    simcontext()->hierarchy_push(this);
    endpoint = std::make_unique<Endpoint>(name.c_str(), *this, node);
    simcontext()->hierarchy_pop();
  }
  return *endpoint;
}

void Endpoints::reset() {
  network_.reset();
  waiting_.clear();
  held_.clear();
  in_flight_.clear();
  network_.clock().drive(*this);
}

void Endpoints::send(NodeId source, OutgoingMessage message) {
  const Packet packet = reporting(kUseReport, [&] {
    return packet_of(network_.topology(), network_.machine(), next_id_, source, message);
  });
  ClockDomain& clock = network_.clock();
  in_flight_.emplace(next_id_++, IncomingMessage{std::move(message), source});
  if (clock.running()) return hand_over(clock, packet);
  const bool before = !sc_core::sc_is_running() || sc_core::sc_time_stamp() < clock.time_of(0);
  const Cycle due = before ? 0 : clock.now() + 1;
  waiting_.push_back({due, packet});
  if (!before) clock.tick_at(due);
}

void Endpoints::at(Transport& network, Cycle now) {
  for (; !waiting_.empty() && waiting_.front().due <= now; waiting_.pop_front()) {
    hand_over(network, waiting_.front().packet);
  }
}

void Endpoints::hand_over(Transport& network, const Packet& packet) {
  const std::uint32_t queue = network_.machine().queues_of_node() == 1 ? 0 : packet.message_class;
  const auto held = held_.find({packet.source, queue});
  if (held == held_.end() && network.can_send(packet.source, packet.message_class))
    return network.send(packet);
  held_[{packet.source, queue}].push_back(packet);
}

void Endpoints::can_send_again(Transport& network, std::span<const NodeId> nodes, Cycle) {
  for (const NodeId node : nodes) {
    for (auto held = held_.lower_bound({node, 0}); held != held_.end() && held->first.first == node;) {
      std::deque<Packet>& line = held->second;
      for (; !line.empty() && network.can_send(node, line.front().message_class); line.pop_front())
        network.send(line.front());
      held = line.empty() ? held_.erase(held) : std::next(held);
    }
  }
}

void Endpoints::delivered(Transport&, std::span<const Delivery> deliveries, Cycle) {
  for (const Delivery& delivery : deliveries) {
    auto sent = in_flight_.extract(delivery.id);
    if (sent.empty()) {
      report_error(kUseReport,
                   "message {} arrives, which no endpoint has sent: endpoints and modules that open messages "
                   "need networks of their own",
                   delivery.id);
    }
    const IncomingMessage message = arrived(std::move(sent.mapped()), delivery);
    if (const auto at = endpoints_.find(message.destination); at != endpoints_.end())
      at->second->take(message);
  }
}

}  // namespace flitscope
