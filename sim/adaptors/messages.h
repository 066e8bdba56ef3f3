// Messages of programs and modules around a network.
#pragma once

#include <any>
#include <cstdint>
#include <utility>

#include "model/error.h"
#include "routers/engine/message_table.h"
#include "sim/network/transport.h"

namespace flitscope {

/// A message that a node sends.
struct OutgoingMessage {
  NodeId destination = 0;
  std::uint32_t flits = 1;          ///< at least 1, below 2^29
  std::any content{};               ///< handed over at the destination; opaque to the network
  std::uint32_t message_class = 0;  ///< number of one of MachineConfig::classes; 0 if there are none
};

/// The same once it has arrived, in cycle `arrived`. Times as in Delivery.
struct IncomingMessage : OutgoingMessage {
  NodeId source = 0;
  Cycle ready = 0;
  Cycle head_entered = 0;
  Cycle arrived = 0;
};

/// A message as the network knows it, by the shortest route. Throws std::invalid_argument for a node or a
/// message class that is missing, and for a message without flits, with too many, or too long for a buffer.
[[nodiscard]] inline Packet packet_of(const Topology& topology, const MachineConfig& machine,
                                      std::uint64_t id, NodeId source, const OutgoingMessage& message) {
  if (message.destination >= topology.nodes()) {
    throw InvalidCall("there is no node {} to send to", message.destination);
  }
  for (const NodeId node : {source, message.destination}) {
    if (topology.is_missing(node)) throw InvalidCall("node {} is missing", topology.node_name(node));
  }
  if (message.message_class >= machine.message_classes()) {
    throw InvalidCall("there is no message class {}: the machine has {}", message.message_class,
                      machine.message_classes());
  }
  if (message.flits == 0 || message.flits > kMaxFlits) {
    throw InvalidCall("a message has 1 to {} flits, not {}", kMaxFlits, message.flits);
  }
  const auto require_buffer = [&](const char* where, std::uint32_t flits) {
    if (message.flits <= flits) return;
    throw InvalidCall("a message of {} flits does not fit into {} of {}", message.flits, where, flits);
  };
  if (machine.flow == FlowControl::bubble && 2 * std::uint64_t{message.flits} > machine.buffer) {
    throw InvalidCall(
        "with bubble flow control a buffer holds two messages: one of {} flits is too long for {}",
        message.flits, machine.buffer);
  }
  if (machine.switching != Switching::wormhole) require_buffer("an input buffer", machine.buffer);
  if (machine.ejection_buffer) require_buffer("an ejection buffer", *machine.ejection_buffer);
  return {.id = id,
          .source = source,
          .destination = message.destination,
          .route = shortest_route(topology.network(machine.network_of(message.message_class)), source,
                                  message.destination),
          .flits = message.flits,
          .message_class = message.message_class};
}

/// A message that was sent, with the times of its delivery.
[[nodiscard]] inline IncomingMessage arrived(IncomingMessage sent, const Delivery& delivery) {
  sent.ready = delivery.ready;
  sent.head_entered = delivery.head_entered;
  sent.arrived = delivery.arrived;
  return sent;
}

}  // namespace flitscope
