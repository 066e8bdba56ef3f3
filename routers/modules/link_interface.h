// The interface a link is made of. Any SystemC module that implements it can be bound to an output port of a
// router, and any module with an sc_port<flit_if> can feed an input port.
#pragma once

#include <systemc>

#include "routers/engine/external_link.h"

namespace flitscope {

/// The receiving end of a link as a SystemC interface: attach() and put() of FlitReceiver.
class flit_if : public virtual sc_core::sc_interface, public FlitReceiver {};

}  // namespace flitscope
