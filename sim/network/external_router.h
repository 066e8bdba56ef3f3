// A router of the network that is not ours.
#pragma once

#include "routers/modules/link_interface.h"
#include "sim/network/transport.h"

namespace flitscope {

/// What takes the place of a router and its network interface (Network::replace_router). It feeds its
/// neighbours as any module feeds a router, and ends the messages of its node with
/// ClockDomain::close_message.
class ExternalRouter {
 public:
  virtual ~ExternalRouter() = default;
  /// Receives what the neighbour sends by its output port `port`.
  [[nodiscard]] virtual flit_if& in(unsigned port) = 0;
  /// Link port `port`; the network binds it before elaboration ends, unless it leads nowhere.
  [[nodiscard]] virtual sc_core::sc_port_b<flit_if>& out(unsigned port) = 0;
  /// The driver sends this message from the node, in the present cycle: it is ready in it. Messages of one
  /// node are sent in the order of these calls.
  virtual void send(MessageSlot message, const Packet& packet) = 0;
};

}  // namespace flitscope
