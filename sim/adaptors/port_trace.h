// Flits that leave routers, as signals in a waveform of the embedding model.
#pragma once

#include <deque>
#include <vector>

#include "sim/network/network.h"

namespace flitscope {

/// Every output port of some routers in an sc_trace_file: in every cycle whether a flit leaves, its message,
/// virtual channel, and position in the message. Signals are named by the module, as
/// network.router_1_2.out_3.valid. Uses the single flit observer of the network.
class PortTrace final : public sc_core::sc_module, private FlitObserver {
 public:
  SC_HAS_PROCESS(PortTrace);
  /// Traces into `file`, which must outlive the simulation. Call it before that starts.
  PortTrace(const sc_core::sc_module_name& name, Network& network, sc_core::sc_trace_file* file,
            const std::vector<NodeId>& nodes);

 private:
  struct Port {
    bool valid = false;
    unsigned vc = 0;
    std::uint64_t message = 0;
    std::uint32_t index = 0;
    bool tail = false;
    Cycle cycle = 0;  ///< of the flit
  };

  void injected(Cycle, NodeId, unsigned, std::uint64_t, std::uint32_t, bool) override {}
  void moved(Cycle now, NodeId node, unsigned port, unsigned vc, std::uint64_t message, std::uint32_t index,
             bool tail) override;
  void clear();

  Network& network_;
  std::vector<std::uint32_t> first_;  ///< by node, of its ports
  std::deque<Port> ports_;            ///< with fixed addresses, which SystemC reads
  std::vector<Port*> in_use_;
  sc_core::sc_event cycle_over_{"cycle_over"};
};

}  // namespace flitscope
