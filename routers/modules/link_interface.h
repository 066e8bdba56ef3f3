// The SystemC interface of a link. Any SystemC module that implements it can be bound to an output port of a
// router, and any module with an sc_port<flit_if> can feed an input port.
#pragma once

#include <ostream>
#include <string>
#include <systemc>

#include "routers/engine/external_links.h"

namespace flitscope {

/// The receiving end of a link as a SystemC interface: attach() and put() of FlitReceiver.
class flit_if : public virtual sc_core::sc_interface, public FlitReceiver {};

/// "message 7, flit 0 (head)"; with this and the next function a flit can be the value of an sc_signal.
inline std::ostream& operator<<(std::ostream& stream, const LinkFlit& flit) {
  const char* const kind = flit.head && flit.tail ? " (single)"
                           : flit.head            ? " (head)"
                           : flit.tail            ? " (tail)"
                                                  : "";
  return stream << "message " << flit.id << ", flit " << flit.index << kind;
}

/// Traces the flit as `name`.message, .index, .head and .tail.
inline void sc_trace(sc_core::sc_trace_file* file, const LinkFlit& flit, const std::string& name) {
  sc_core::sc_trace(file, flit.id, name + ".message");
  sc_core::sc_trace(file, flit.index, name + ".index");
  sc_core::sc_trace(file, flit.head, name + ".head");
  sc_core::sc_trace(file, flit.tail, name + ".tail");
}

}  // namespace flitscope
