// A SystemC model of one's own, with its own sc_main, that sends messages through an 8x8 mesh.
#include <fmt/format.h>

#include "sim/network/network.h"

using namespace flitscope;

/// Every node of the first row sends 4 flits to the opposite corner.
struct ToTheCorner final : Driver {
  explicit ToTheCorner(const Topology& on) : mesh(on) {}
  void start(Transport& network) override {
    for (NodeId node = 0; node < mesh.side(0); ++node) {
      const Route route = shortest_route(mesh, node, mesh.nodes() - 1);
      network.send({.id = node, .source = node, .destination = mesh.nodes() - 1, .route = route, .flits = 4});
    }
  }
  void delivered(Transport&, std::span<const Delivery> deliveries, Cycle now) override {
    for (const Delivery& delivery : deliveries) fmt::print("cycle {}: message {}\n", now, delivery.id);
  }
  [[nodiscard]] bool finished() const override { return true; }
  const Topology& mesh;
};

int sc_main(int, char*[]) {
  const Topology mesh(TopologyKind::mesh, {8, 8});
  Network network("network", mesh, MachineConfig{});
  ToTheCorner driver(mesh);
  network.run(driver);
  fmt::print("{} flit-hops by {}\n", network.clock().routers().flit_hops(),
             sc_core::sc_time_stamp().to_string());
  return 0;
}
