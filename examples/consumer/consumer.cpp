// A SystemC model of one's own, with its own sc_main and clock, that sends messages through an 8x8 mesh.
#include <fmt/format.h>

#include "sim/adaptors/endpoints.h"

using namespace flitscope;

/// Sends 4 flits to the opposite corner every 10 cycles.
struct Sender final : sc_core::sc_module {
  SC_HAS_PROCESS(Sender);
  sc_core::sc_in<bool> clock{"clock"};
  Sender(const sc_core::sc_module_name&, Endpoint& at) : node(at) {
    SC_THREAD(send);
    sensitive << clock.pos();
  }
  void send() {
    for (int message = 0; message < 8; ++message) {
      wait(10);
      node.send({.destination = 63, .flits = 4});
    }
  }
  Endpoint& node;
};

int sc_main(int, char*[]) {
  sc_core::sc_clock clock("clock", 2, sc_core::SC_NS);
  Network network("network", Topology(TopologyKind::mesh, {8, 8}), MachineConfig{}, clock);
  Endpoints endpoints("endpoints", network);
  Sender sender("sender", endpoints.at(0));
  sender.clock(clock);
  endpoints.at(63).on_delivery([](const IncomingMessage& arrival) {
    fmt::print("{}: ready in cycle {}, arrived in {}\n", sc_core::sc_time_stamp().to_string(), arrival.ready,
               arrival.arrived);
  });
  sc_core::sc_start(250, sc_core::SC_NS);
  fmt::print("{} flit-hops\n", network.clock().core().flit_hops());
  return 0;
}
