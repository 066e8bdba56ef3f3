// A routing function and an observer of your own, in a network of the library.
#include <fmt/format.h>

#include <map>

#include "sim/network/network.h"

using namespace flitscope;

namespace {

/// Dimension 1 first, then dimension 0: free of deadlock on a mesh, with one class.
class YxRouting final : public DeterministicRouting {
 public:
  explicit YxRouting(const Topology& topology) : topology_(topology) {}
  unsigned classes() const override { return 1; }
  void prepare(Head&, NodeId) const override {}
  Candidate first_candidate(NodeId node, Arrival, const Head& head) const override {
    for (const unsigned dimension : {1U, 0U}) {
      const auto here = topology_.coordinate(node, dimension);
      const auto there = topology_.coordinate(head.destination, dimension);
      if (here != there) return {port_of(dimension, there > here ? Sign::plus : Sign::minus), 0};
    }
    return {};  // it is not asked at the destination
  }
  std::optional<std::string> objection(NodeId, NodeId, Route) const override { return std::nullopt; }

 private:
  Topology topology_;
};

const RoutingRegistry::Entry entry{{
    .name = "yx",
    .summary = "dimension 1, then dimension 0",
    .source = "an example",
    .topologies = {TopologyKind::mesh},
    .max_dimensions = 2,
    .make = [](const Topology& topology) { return std::make_unique<YxRouting>(topology); },
}};

/// Counts the flits of every channel.
struct Counter final : FlitObserver {
  void injected(Cycle, NodeId, unsigned, std::uint64_t, std::uint32_t, bool) override {}
  void moved(Cycle, NodeId node, unsigned port, unsigned, std::uint64_t, std::uint32_t, bool) override {
    ++flits[{node, port}];
  }
  std::map<std::pair<NodeId, unsigned>, unsigned> flits;
};

struct OneMessage final : Driver {
  explicit OneMessage(const Topology& on) : mesh(on) {}
  void start(Transport& network) override {
    network.send({.source = 0, .destination = 8, .route = shortest_route(mesh, 0, 8), .flits = 5});
  }
  void delivered(Transport&, std::span<const Delivery>, Cycle) override {}
  [[nodiscard]] bool finished() const override { return true; }
  const Topology& mesh;
};

}  // namespace

int sc_main(int, char*[]) {
  Network network("network", Topology(TopologyKind::mesh, {3, 3}), MachineConfig{.routing = "yx"});
  Counter counter;
  network.clock().observe({.flits = &counter});
  OneMessage driver(network.topology());
  network.clock().drive(driver);
  sc_core::sc_start();
  for (const auto& [channel, flits] : counter.flits) {
    fmt::print("node {} port {}: {} flits\n", channel.first, channel.second, flits);
  }
  return 0;
}
