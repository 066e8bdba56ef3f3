// The two interfaces of a complete network: nodes send into free space, and receive from it.
#pragma once

#include <cstdint>
#include <systemc>

#include "model/types.h"

namespace flitscope {

/// A message on its way: it leaves its source and arrives at its destination during the cycles begin ..
/// end-1.
struct Transmission {
  std::uint64_t id = 0;  ///< the driver's number
  NodeId source = 0;
  std::uint32_t port = 0;
  NodeId destination = 0;
  std::uint32_t flits = 1;
  Cycle begin = 0;
  Cycle end = 0;
};

/// Where transmissions arrive.
class receiver_if : public virtual sc_core::sc_interface {
 public:
  /// Throws ScheduleError if more messages would arrive at the same time than the node has ports.
  virtual void begin_reception(const Transmission& transmission) = 0;
  virtual void end_reception(const Transmission& transmission) = 0;
};

/// Free space: whatever leaves a node by a circuit reaches its target and disturbs nothing else.
class transmission_if : public virtual sc_core::sc_interface {
 public:
  /// Called once a node at the end of elaboration: who receives what is sent to it.
  virtual void attach(NodeId node, receiver_if& receiver) = 0;
  /// A message begins to travel in the present cycle.
  virtual void transmit(const Transmission& transmission) = 0;
};

}  // namespace flitscope
