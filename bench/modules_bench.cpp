// What modules that are not ours cost: a 32x32 mesh with and without one behind every ejection channel.
//
// SystemC runs one simulation a process, so name one benchmark: mesh_32 or mesh_32_modules.
#include <deque>

#include "bench/simulation.h"

namespace flitscope::bench {
namespace {

/// Takes what comes, and has room again at once.
struct Sink final : flit_if {
  std::uint32_t attach(credit_if& sender) override {
    credits = &sender;
    return 8;
  }
  void put(unsigned vc, const LinkFlit&) override {
    ++flits;
    credits->credit(vc);
  }
  credit_if* credits = nullptr;
  std::uint64_t flits = 0;
};

void simulate(benchmark::State& state, bool modules) {
  const Topology mesh(TopologyKind::mesh, {32, 32});
  Network network("network", mesh, MachineConfig{});
  std::deque<Sink> sinks;
  for (NodeId node = 0; modules && node < mesh.nodes(); ++node) {
    for (unsigned port = 0; port < mesh.link_ports(); ++port) {
      network.replace_receiver(node, mesh.link_ports() + port, sinks.emplace_back());
    }
  }
  UniformTraffic traffic(mesh, 0.05, 4, static_cast<Cycle>(20'000 * scale()));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // elaboration is not what is measured here
  measure(state, network, traffic);
}

void mesh_32(benchmark::State& state) {
  simulate(state, false);
}
BENCHMARK(mesh_32)->Iterations(1)->Unit(benchmark::kMillisecond);
void mesh_32_modules(benchmark::State& state) {
  simulate(state, true);
}
BENCHMARK(mesh_32_modules)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace flitscope::bench

int main(int argc, char** argv) {
  return flitscope::bench::run_one(argc, argv, "mesh_32$ | mesh_32_modules");
}
