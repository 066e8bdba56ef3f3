#include "sim/adaptors/messages.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "routers/engine/message_slot.h"

namespace flitscope {

Packet packet_of(const Topology& topology, const MachineConfig& machine, std::uint64_t id, NodeId source,
                 const OutgoingMessage& message) {
  if (message.destination >= topology.nodes()) {
    throw std::invalid_argument(fmt::format("there is no node {} to send to", message.destination));
  }
  if (message.message_class >= machine.message_classes()) {
    throw std::invalid_argument(fmt::format("there is no message class {}: the machine has {}",
                                            message.message_class, machine.message_classes()));
  }
  if (message.flits == 0 || message.flits > kMaxFlits) {
    throw std::invalid_argument(fmt::format("a message has 1 to {} flits, not {}", kMaxFlits, message.flits));
  }
  return {.id = id,
          .source = source,
          .destination = message.destination,
          .route = shortest_route(topology.network(machine.network_of(message.message_class)), source,
                                  message.destination),
          .flits = message.flits,
          .message_class = message.message_class};
}

IncomingMessage arrived(SentMessage sent, const Delivery& delivery) {
  return {.source = sent.source,
          .destination = sent.message.destination,
          .content = std::move(sent.message.content),
          .ready = delivery.ready,
          .head_entered = delivery.head_entered,
          .arrived = delivery.arrived,
          .flits = sent.message.flits,
          .message_class = sent.message.message_class};
}

}  // namespace flitscope
