// The two ends of a link between a router and an external module, in plain C++; the SystemC side is
// routers/modules/link_interface.h.
#pragma once

#include <cstdint>

#include "model/types.h"
#include "routers/engine/message_slot.h"

namespace flitscope {

/// A flit as external modules see it.
struct LinkFlit {
  MessageSlot message = kNoMessage;  ///< from ClockDomain::open_message, if a module sends its own
  std::uint32_t index = 0;           ///< position in the message, 0 .. length-1
  bool head = false;
  bool tail = false;
  std::uint64_t id = 0;  ///< the driver's number of the message (filled in by routers)
  NodeId source = 0;
  NodeId destination = 0;

  bool operator==(const LinkFlit&) const = default;
};

/// The sending end of a link, as its receiver sees it.
class credit_if {
 public:
  virtual ~credit_if() = default;
  /// A flit of virtual channel `vc` has left the receiver's buffer in the present cycle. The sender can use
  /// the slot `link delay` cycles later, on an injection channel one cycle later.
  virtual void credit(unsigned vc) = 0;
};

/// The receiving end of a link, as its sender sees it.
class FlitReceiver {
 public:
  virtual ~FlitReceiver() = default;

  /// Sets the receiver of credits, without flits in flight; called at the end of elaboration and at a reset.
  /// Returns the flits that each virtual channel can hold.
  virtual std::uint32_t attach(credit_if& sender) = 0;

  /// A flit leaves the sender in the present cycle; it is at the receiver `link delay` cycles later. The
  /// sender puts at most one flit a cycle, and only with a credit. Routers throw std::logic_error for a
  /// violation.
  virtual void put(unsigned vc, const LinkFlit& flit) = 0;
};

}  // namespace flitscope
