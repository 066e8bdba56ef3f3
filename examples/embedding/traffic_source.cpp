// A SystemC module of your own that feeds a router: it makes its flits itself, and minds its credits.
#include <fmt/format.h>

#include "sim/network/network.h"

using namespace flitscope;

/// Sends a message of 6 flits from node 0 to node 8 through injection channel 0, a flit every other cycle.
class TrafficSource final : public sc_core::sc_module, public credit_if {
 public:
  SC_HAS_PROCESS(TrafficSource);
  sc_core::sc_port<flit_if> out{"out"};

  TrafficSource(const sc_core::sc_module_name&, Network& network) : network_(network) { SC_THREAD(send); }

  /// The router has room for one flit more, from the next cycle on.
  void credit(unsigned /*vc*/) override {
    ++room_;
    credit_came_.notify(network_.clock().period());
  }

 private:
  void end_of_elaboration() override { room_ = out->attach(*this); }

  void send() {
    constexpr std::uint32_t kFlits = 6;
    const Route route = shortest_route(network_.topology(), 0, 8);
    const MessageSlot message = network_.clock().open_message(
        {.id = 1, .source = 0, .destination = 8, .route = route, .flits = kFlits});
    for (std::uint32_t index = 0; index < kFlits; ++index) {
      while (room_ == 0) wait(credit_came_);
      --room_;
      out->put(0, {.message = message, .index = index, .head = index == 0, .tail = index + 1 == kFlits});
      wait(network_.clock().period() * 2);
    }
  }

  Network& network_;
  std::uint32_t room_ = 0;
  sc_core::sc_event credit_came_;
};

struct Listener final : Driver {
  void start(Transport&) override {}
  void delivered(Transport&, std::span<const Delivery> deliveries, Cycle now) override {
    for (const Delivery& each : deliveries) fmt::print("cycle {}: message {}\n", now, each.id);
  }
  [[nodiscard]] bool finished() const override { return true; }
};

int sc_main(int, char*[]) {
  const Topology mesh(TopologyKind::mesh, {3, 3});
  Network network("network", mesh, MachineConfig{.ports = 1});
  TrafficSource source("source", network);
  source.out.bind(network.router(0).in_export(mesh.link_ports()));  // injection channel 0
  Listener listener;
  network.clock().drive(listener);
  sc_core::sc_start();
  return 0;
}
