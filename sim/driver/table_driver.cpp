#include "sim/driver/table_driver.h"

#include <fmt/format.h>

#include <stdexcept>

namespace flitscope {

TableDriver::TableDriver(const LinkPrograms& table, const MachineConfig& machine)
    : CollectiveDriver(table.facts, machine), table_(table), player_(table), left_(table.facts.messages) {
  if (table.links.size() > kMessageNumbers)
    throw std::length_error("more links than a message id can number");
}

Message TableDriver::message_on(ChannelId link) const {
  const Topology& topology = facts().topology;
  const unsigned port = topology.channel_port(link);
  const NodeId from = topology.channel_node(link);
  return {.source = from,
          .destination = *topology.neighbour(from, port),
          .route = one_hop(port),
          .chunk_count = 1};
}

void TableDriver::begin(Transport& network, Cycle now) {
  for (const ChannelId link : player_.links()) send_from(network, link, now);
}

void TableDriver::send_from(Transport& network, ChannelId link, Cycle now) {
  while (const auto chunk = player_.next(link, possession())) {
    player_.advance(link);
    const std::uint64_t place = player_.sent(link);
    if (place > steps().size()) begin_record();
    const std::uint64_t id = message_id(place, link);
    under_way_.emplace(id, *chunk);
    --left_;
    hand_over(network, id, message_on(link), facts().collective.chunk_bytes[*chunk], now, {});
  }
}

void TableDriver::delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) {
  const Topology& topology = facts().topology;
  // All deliveries of the cycle are accepted before any node sends.
  receivers_.clear();
  for (const Delivery& delivery : deliveries) {
    const ChannelId link = message_name(delivery.id).index();
    const auto packet = under_way_.find(delivery.id);
    const ChunkId chunk = packet->second;
    under_way_.erase(packet);
    const Message message = message_on(link);
    player_.arrive(message.destination, topology.opposite_port(topology.channel_port(link)), chunk);
    report(delivery, message, std::span(&chunk, 1), facts().collective.chunk_bytes[chunk]);
    receive(delivery, message, std::span(&chunk, 1), now);
    receivers_.push_back(message.destination);
  }
  std::ranges::sort(receivers_);
  const auto repeated = std::ranges::unique(receivers_);
  receivers_.erase(repeated.begin(), repeated.end());
  for (const NodeId node : receivers_) {
    for (unsigned port = 0; port < topology.link_ports(); ++port) {
      send_from(network, topology.channel(node, port), now);
    }
  }
}

std::string TableDriver::hindrance() const {
  for (const ChannelId link : player_.links()) {
    const std::uint64_t sent = player_.sent(link);
    if (sent == table_.links[link].packets) continue;
    return fmt::format("link {} waits for packet {} of {}, which never arrives",
                       facts().topology.channel_name(link), sent + 1, table_.links[link].packets);
  }
  return "no link waits";
}

}  // namespace flitscope
