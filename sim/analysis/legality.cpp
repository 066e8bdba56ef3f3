#include "sim/analysis/legality.h"

namespace flitscope {

std::string_view name_of(ViolationKind kind) {
  switch (kind) {
    case ViolationKind::no_such_node:
      return "no_such_node";
    case ViolationKind::self_message:
      return "self_message";
    case ViolationKind::no_route:
      return "no_route";
    case ViolationKind::routing:
      return "routing";
    case ViolationKind::empty_message:
      return "empty_message";
    case ViolationKind::no_such_chunk:
      return "no_such_chunk";
    case ViolationKind::repeated_chunk:
      return "repeated_chunk";
    case ViolationKind::not_combined:
      return "not_combined";
    case ViolationKind::counted_twice:
      return "counted_twice";
    case ViolationKind::unfinished:
      return "unfinished";
    case ViolationKind::not_held:
      return "not_held";
    case ViolationKind::waits:
      return "waits";
    case ViolationKind::send_ports:
      return "send_ports";
    case ViolationKind::receive_ports:
      return "receive_ports";
    case ViolationKind::steps:
      return "steps";
    case ViolationKind::messages:
      return "messages";
    case ViolationKind::goal:
      return "goal";
    case ViolationKind::bounds:
      return "bounds";
    case ViolationKind::stages:
      return "stages";
    case ViolationKind::collective:
      return "collective";
    case ViolationKind::no_such_port:
      return "no_such_port";
    case ViolationKind::no_circuit:
      return "no_circuit";
    case ViolationKind::port_busy:
      return "port_busy";
    case ViolationKind::order:
      return "order";
  }
  return "?";
}

}  // namespace flitscope
