// Messages of programs and modules around a network.
#pragma once

#include <any>
#include <cstdint>

#include "model/types.h"

namespace flitscope {

/// A message that a node sends.
struct OutgoingMessage {
  NodeId destination = 0;
  std::uint32_t flits = 1;          ///< at least 1, below 2^29
  std::any content{};               ///< handed over at the destination; opaque to the network
  std::uint32_t message_class = 0;  ///< number of one of MachineConfig::classes; 0 if there are none
};

/// A message that arrived in cycle `arrived`. Times as in Delivery.
struct IncomingMessage {
  NodeId source = 0;
  NodeId destination = 0;
  std::any content{};
  Cycle ready = 0;
  Cycle head_entered = 0;
  Cycle arrived = 0;
  std::uint32_t flits = 0;
  std::uint32_t message_class = 0;
};

}  // namespace flitscope
