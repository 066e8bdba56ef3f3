#include "sim/adaptors/port_trace.h"

#include <fmt/format.h>

#include <vector>

namespace flitscope {

PortTrace::PortTrace(const sc_core::sc_module_name&, Network& network, sc_core::sc_trace_file* file,
                     const std::vector<NodeId>& nodes)
    : network_(network), first_(network.topology().routers()) {
  for (const NodeId node : nodes) {
    first_.at(node) = static_cast<std::uint32_t>(ports_.size());
    for (unsigned number = 0; number < network.clock().numbers().ports(); ++number) {
      const Port& port = ports_.emplace_back();
      const std::string name = fmt::format("{}.out_{}.", network.router(node).name(), number);
      sc_core::sc_trace(file, port.valid, name + "valid");
      sc_core::sc_trace(file, port.vc, name + "vc");
      sc_core::sc_trace(file, port.message, name + "message");
      sc_core::sc_trace(file, port.index, name + "index");
      sc_core::sc_trace(file, port.tail, name + "tail");
    }
  }
  network.clock().observe({.flits = this, .flits_at = nodes});
  SC_METHOD(clear);
  dont_initialize();
  sensitive << cycle_over_;
}

void PortTrace::moved(Cycle now, NodeId node, unsigned port, unsigned vc, std::uint64_t message,
                      std::uint32_t index, bool tail) {
  Port& shown = ports_[first_[node] + port];
  shown = {true, vc, message, index, tail, now};
  in_use_.push_back(&shown);
  cycle_over_.notify(network_.clock().time_of(now + 1) - sc_core::sc_time_stamp());
}

/// Clears the ports of earlier cycles; flits of the present cycle stay, before and after the step of the
/// routers.
void PortTrace::clear() {
  const Cycle now = network_.clock().now();
  std::erase_if(in_use_, [now](Port* port) {
    port->valid = port->cycle == now;
    return !port->valid;
  });
}

}  // namespace flitscope
