// Loads of synthetic traffic: closed forms on small networks, and sums against a walk along the path of every
// pair.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/error.h"
#include "model/graph.h"
#include "model/route.h"
#include "routers/routing/paths.h"
#include "sim/analysis/channel_load.h"
#include "sim/analysis/link_sums.h"
#include "tests/support/families.h"
#include "tests/support/random_cases.h"

namespace flitscope::traffic_load_test {
namespace {

using namespace test;

std::unique_ptr<TrafficPattern> pattern(const std::string& name, const Topology& topology,
                                        bool self = false) {
  ParameterValues values;
  values.set("nodes", NodeSet::drawn(2, 1));
  values.set("share", Decimal(0, 250'000'000'000'000'000));
  values.set("permutation_seed", std::int64_t{3});
  values.set("order", std::string("random"));
  values.set("order_seed", std::int64_t{1});
  const auto no_file = [](const std::string&) { return std::string(); };
  return TrafficRegistry::find(name)->make({topology, values, no_file, "workload", self});
}

std::optional<TrafficLoad> load_of(const Topology& topology, const std::string& name,
                                   const std::string& routing = "dimension-order", bool self = false) {
  MachineConfig machine;
  machine.routing = routing;
  TrafficConfig traffic;
  traffic.self = self;
  return traffic_load(topology, machine, traffic, *pattern(name, topology, self), 1);
}

/// A uniform message crosses a quarter of each ring on average, and a node's share of that is n/8 a link.
TEST(TrafficLoad, UniformOnATorusOfEvenSides_LoadsEachLinkByAnEighthOfItsSide) {
  for (const std::vector<std::uint32_t>& sides : {std::vector{8U}, {4U, 6U}, {2U, 8U, 4U}}) {
    const Topology torus(TopologyKind::torus, sides);
    const TrafficLoad load = load_of(torus, "uniform").value();
    const double nodes = torus.nodes();
    double hops = 0;
    for (const std::uint32_t side : sides) hops += side / 4.0;
    EXPECT_DOUBLE_EQ(load.hops_mean, hops * nodes / (nodes - 1)) << torus.name();
    EXPECT_DOUBLE_EQ(load.sent, 1);
    for (ChannelId channel = 0; channel < torus.channel_ids(); ++channel) {
      const double side = torus.side(torus.dimension(torus.channel_port(channel)));
      ASSERT_DOUBLE_EQ(load.channels[channel], side / 8 * nodes / (nodes - 1)) << torus.channel_name(channel);
    }
  }
}

/// Behind coordinate x of a side k are x + 1 sources of a line and k - x - 1 of k destinations.
TEST(TrafficLoad, UniformOnAMesh_LoadsEachLinkByTheNodesOnItsSides) {
  const Topology mesh(TopologyKind::mesh, {5, 4, 3});
  const TrafficLoad load = load_of(mesh, "uniform").value();
  const double nodes = mesh.nodes();
  for (ChannelId channel = 0; channel < mesh.channel_ids(); ++channel) {
    const NodeId node = mesh.channel_node(channel);
    const unsigned port = mesh.channel_port(channel);
    const double side = mesh.side(mesh.dimension(port));
    const double x = mesh.coordinate(node, mesh.dimension(port));
    const double before = sign_of_port(port) == Sign::plus ? x + 1 : side - x;
    ASSERT_DOUBLE_EQ(load.channels[channel], before * (side - before) / side * nodes / (nodes - 1))
        << mesh.channel_name(channel);
  }
}

TEST(TrafficLoad, EquallyBusyLinks_TheFirstIsNamed) {
  for (const char* const name : {"uniform", "all-to-all", "neighbour"}) {
    for (const std::uint32_t side : {5U, 7U, 9U, 10U}) {
      const Topology torus(TopologyKind::torus, {side, side});
      EXPECT_EQ(load_of(torus, name).value().busiest, ChannelId{0}) << name << " on the " << torus.name();
    }
  }
}

TEST(TrafficLoad, OneDestinationANode_IsComputedOnLargeNetworks) {
  const Topology torus(TopologyKind::torus, {48, 48, 48});
  const TrafficLoad load = load_of(torus, "neighbour").value();
  EXPECT_EQ(load.hops_mean, 3);
  EXPECT_EQ(load.max_channel_load, 1);
  EXPECT_EQ(load.sent, 1);
}

TEST(TrafficLoad, UniformOn32x32x32_IsComputed) {
  const Topology torus(TopologyKind::torus, {32, 32, 32});
  EXPECT_DOUBLE_EQ(load_of(torus, "uniform").value().max_channel_load, 4.0 * 32768 / 32767);
  const Topology mesh(TopologyKind::mesh, {32, 32, 32});
  EXPECT_DOUBLE_EQ(load_of(mesh, "uniform").value().max_channel_load, 8.0 * 32768 / 32767);
  EXPECT_NEAR(load_of(mesh, "uniform", "minimal-adaptive").value().max_channel_load, 8.0 * 32768 / 32767,
              1e-9);
}

/// Any path crosses the middle of a mesh whose ends are on both sides; on a torus a detour can go around it.
TEST(TrafficLoad, DetoursOnAMesh_CrossItsPlanes) {
  const Topology mesh(TopologyKind::mesh, {4, 4});
  const TrafficLoad load = load_of(mesh, "bit-complement", "ugal-l").value();
  EXPECT_DOUBLE_EQ(load.max_channel_load, 2);  // 8 nodes over 4 links
  EXPECT_EQ(load.channels, load_of(mesh, "bit-complement", "west-first").value().channels);
  EXPECT_DOUBLE_EQ(load.hops_mean, 4);
  const Topology torus(TopologyKind::torus, {4, 4});
  EXPECT_DOUBLE_EQ(load_of(torus, "bit-complement", "ugal-l").value().max_channel_load, 0.25);
}

/// Of messages of ten flits.
TrafficLoad::Limit limit_of(const Topology& topology, const MachineConfig& machine,
                            const std::string& name = "uniform") {
  return traffic_load(topology, machine, {}, *pattern(name, topology), 10).value().limit;
}

TEST(TrafficLoad, Startup_IsTimeOfTheInjectionChannel) {
  using Of = TrafficLoad::Limit::Of;
  const Topology mesh(TopologyKind::mesh, {4, 4});
  MachineConfig machine;
  machine.ports = 1;
  machine.startup = 200;
  EXPECT_DOUBLE_EQ(limit_of(mesh, machine).load, 10.0 / 210);
  EXPECT_EQ(limit_of(mesh, machine).of, Of::injection);
  machine.injection_interval = 3;
  EXPECT_DOUBLE_EQ(limit_of(mesh, machine).load, 10.0 / 230);
  machine.ports = 2;
  EXPECT_DOUBLE_EQ(limit_of(mesh, machine).load, 2 * 10.0 / 230);
  // Startups of two classes pass at the same time.
  machine.classes = {{.name = "a"}, {.name = "b"}};
  EXPECT_DOUBLE_EQ(limit_of(mesh, machine).load, 2.0 / 3);
}

TEST(TrafficLoad, ChannelOfTheFirstLink_LimitsANode) {
  using Of = TrafficLoad::Limit::Of;
  const Topology mesh(TopologyKind::mesh, {4, 4});
  MachineConfig machine;
  machine.injection_interval = 4;
  // 12 of the 15 other nodes are in other columns, all on one side of a corner.
  EXPECT_DOUBLE_EQ(limit_of(mesh, machine).load, 0.25 / (12.0 / 15));
  EXPECT_EQ(limit_of(mesh, machine).of, Of::injection);
  EXPECT_EQ(limit_of(mesh, machine).node, 0U);
  machine.injection_interval = 1;
  machine.startup = 40;
  EXPECT_DOUBLE_EQ(limit_of(mesh, machine).load, 0.2 / (12.0 / 15));
  // On a ring of four the node opposite is reached either way: one and a half of three messages a port.
  EXPECT_DOUBLE_EQ(limit_of({TopologyKind::torus, {4}}, machine).load, 0.2 / 0.5);
  EXPECT_DOUBLE_EQ(limit_of({TopologyKind::torus, {8}}, machine, "tornado").load, 0.2);
  machine.routing = "west-first";
  EXPECT_DOUBLE_EQ(limit_of(mesh, machine).load, 4 * 0.2) << "the first link is not known";
}

TEST(TrafficLoad, MoreStepsThanTheLimit_IsNotComputed) {
  const Topology mesh(TopologyKind::mesh, {8, 8});
  const auto load = [&](const std::string& name, const std::string& routing, double limit) {
    MachineConfig machine;
    machine.routing = routing;
    return traffic_load(mesh, machine, {}, *pattern(name, mesh), 1, limit).has_value();
  };
  EXPECT_FALSE(load("uniform", "dimension-order", 500));  // 64 nodes in lines of 8
  EXPECT_TRUE(load("uniform", "dimension-order", 600));
  EXPECT_FALSE(load("neighbour", "dimension-order", 100));  // 64 pairs in 2 dimensions
  EXPECT_TRUE(load("neighbour", "dimension-order", 200));
  EXPECT_FALSE(load("uniform", "up-down", 4000));  // 64 * 63 pairs, up to 2 links of a tree each
  EXPECT_TRUE(load("uniform", "up-down", 16000));
  EXPECT_FALSE(load("uniform", "valiant", 16000));  // 63 * 64 pairs, 10 links each
  EXPECT_TRUE(load("uniform", "valiant", 60000));
}

std::vector<Topology> networks() {
  std::vector<Topology> all{{TopologyKind::torus, {5}},
                            {TopologyKind::torus, {4, 3}},
                            {TopologyKind::torus, {2, 6}},
                            {TopologyKind::torus, {4, 3, 4}},
                            {TopologyKind::torus, {4, 5}, LinkDirections::plus},
                            {TopologyKind::torus, {3, 4}, LinkDirections::minus},
                            {TopologyKind::mesh, {6}},
                            {TopologyKind::mesh, {4, 5}},
                            {TopologyKind::mesh, {2, 2, 2, 2}},
                            {TopologyKind::mesh, {3, 2, 4}}};
  Faults faults;
  faults.links = {0, 9};
  all.push_back(all[1].without(faults));
  all.push_back(all[7].without(faults));
  const Topology torus(TopologyKind::torus, {4, 6});
  all.push_back(torus.in_networks({{}, {}}));
  all.push_back(torus.in_networks({{LinkDirections::plus, 1}, {LinkDirections::minus, 0}}));
  all.push_back(torus.in_networks({{LinkDirections::both, 1}, {LinkDirections::both, 0}}));
  all.push_back(network("k-ary-n-tree", {number("k", 2), number("n", 3)}));
  all.push_back(network("dragonfly", {number("p", 2), number("a", 4), number("h", 2), number("groups", 9)}));
  all.push_back(network("hyperx", {list("shape", {4, 3}), number("concentration", 2)}));
  all.push_back(all.back().in_networks({{}, {}}));
  all.push_back(network("twisted-torus", {list("shape", {6, 4}), number("twist", 3)}));
  all.push_back(network("jellyfish", {number("routers", 20), number("degree", 4), number("concentration", 2),
                                      number("seed", 1)}));
  return all;
}

/// Calls check(network alone, its paths, routing) for every network of every topology with all functions that
/// serve it.
template <typename Check>
void for_each_routing(Check check) {
  for (const Topology& topology : networks()) {
    for (unsigned number = 0; number < topology.networks(); ++number) {
      const Topology alone = topology.network(number);
      for (const Routing& routing : RoutingRegistry::all()) {
        if (!routing.serves(alone)) continue;
        SCOPED_TRACE(routing.name + " on the " + alone.name());
        std::optional<Paths> paths;
        try {
          paths.emplace(alone, routing.name);
        } catch (const Inadmissible&) {  // such as up-down on one-way links
          continue;
        }
        check(topology, number, *paths, routing.name);
      }
    }
  }
}

/// Link by link.
void walk(const Paths& paths, bool splits_ties, NodeId source, NodeId destination, double flits,
          std::vector<double>& loads, std::uint32_t drawn_paths = 1) {
  if (source == destination) return;
  const Topology& topology = paths.topology();
  if (!paths.follow_routes()) {
    for (std::uint32_t draw = 0; draw < drawn_paths; ++draw) {
      paths.for_each_channel(source, destination, Route::drawn(draw),
                             [&](ChannelId channel) { loads[channel] += flits / drawn_paths; });
    }
    return;
  }
  // Every set of the dimensions with a tie.
  const std::uint32_t ties = splits_ties ? ties_between(topology, source, destination) : 0;
  std::vector<Route> routes;
  for (std::uint32_t minus = ties;; minus = (minus - 1) & ties) {
    Route route = shortest_route(topology, source, destination);
    route.negative = static_cast<std::uint16_t>(route.negative | minus);
    routes.push_back(route);
    if (minus == 0) break;
  }
  for (const Route route : routes) {
    paths.for_each_channel(source, destination, route, [&](ChannelId channel) {
      loads[channel] += flits / static_cast<double>(routes.size());
    });
  }
}

void expect_near(const std::vector<double>& expected, const std::vector<double>& actual) {
  ASSERT_EQ(expected.size(), actual.size());
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(expected[i], actual[i], 1e-11) << i;
}

std::vector<double> values(const std::vector<FlitSum>& sums) {
  std::vector<double> result;
  for (const FlitSum sum : sums) result.push_back(sum.value());
  return result;
}

TEST(LinkSums, RandomFlowsWithEveryRoutingFunction_AreThoseOfEveryPath) {
  RandomNumbers random(5);
  for_each_routing([&](const Topology&, unsigned, const Paths& paths, const std::string&) {
    for (const bool splits_ties : {false, true}) {
      const NodeId nodes = paths.topology().nodes();
      std::vector<double> expected(paths.topology().channel_ids());
      LinkSums sums(paths, splits_ties);
      for (int flow = 0; flow < 200; ++flow) {
        const NodeId source = random.below(nodes);
        const NodeId destination = random.below(nodes);
        const double flits = random.below(1000) / 999.0;
        sums.add(source, destination, FlitSum(flits));
        walk(paths, splits_ties, source, destination, flits, expected);
      }
      expect_near(expected, values(sums.take()));
    }
  });
}

TEST(LinkSums, FlowsFromAllWithEveryRoutingFunction_AreThoseOfEveryPath) {
  RandomNumbers random(6);
  for_each_routing([&](const Topology&, unsigned, const Paths& paths, const std::string&) {
    for (const bool splits_ties : {false, true}) {
      const NodeId nodes = paths.topology().nodes();
      std::vector<double> expected(paths.topology().channel_ids());
      std::vector<FlitSum> flits;
      for (NodeId destination = 0; destination < nodes; ++destination) {
        const double each = random.below(4) == 0 ? 0 : random.below(1000) / 999.0;
        flits.emplace_back(each);
        for (NodeId source = 0; source < nodes; ++source)
          walk(paths, splits_ties, source, destination, each, expected);
      }
      LinkSums sums(paths, splits_ties);
      ASSERT_TRUE(sums.add_from_all(flits, 1e9));
      expect_near(expected, values(sums.take()));
    }
  });
}

/// Without what it says about common shares: every pair is added.
class PairByPair final : public TrafficPattern {
 public:
  explicit PairByPair(const TrafficPattern& inner) : inner_(inner) {}
  NodeId destination(NodeId source, std::uint64_t index, RandomStream& random) const override {
    return inner_.destination(source, index, random);
  }
  void for_each_share(NodeId source, const std::function<void(NodeId, double)>& visit) const override {
    inner_.for_each_share(source, visit);
  }
  double rate(NodeId source) const override { return inner_.rate(source); }

 private:
  const TrafficPattern& inner_;
};

/// On the links of one of several networks, whose numbers are those of all.
TEST(TrafficLoad, PatternsWithEveryRoutingFunction_AreThoseOfEveryPath) {
  for_each_routing([&](const Topology& topology, unsigned number, const Paths& paths,
                       const std::string& routing) {
    MachineConfig machine;
    machine.routing = routing;
    machine.classes = {{.name = "of the network", .network = number}};
    for (const char* const name : {"uniform", "all-to-all", "hotspot", "neighbour", "permutation"}) {
      for (const auto& [self, drawn_paths] : {std::pair{false, 1U}, {true, 1U}, {false, 3U}, {false, 4U}}) {
        SCOPED_TRACE(name);
        const std::uint32_t draws = drawn_paths_of(routing, drawn_paths);
        if (drawn_paths > 1 && draws == 1) continue;
        TrafficConfig traffic;
        traffic.self = self;
        traffic.drawn_paths = drawn_paths;
        const auto shares = pattern(name, topology, self);
        const TrafficLoad load = traffic_load(topology, machine, traffic, *shares, 1).value();
        const NodeId nodes = topology.nodes();
        std::vector<double> alone(paths.topology().channel_ids());
        std::vector<double> injected(nodes);
        std::vector<double> ejected(nodes);
        double sent = 0;
        for (NodeId source = 0; source < nodes; ++source) {
          shares->for_each_share(source, [&](NodeId destination, double share) {
            if (destination == source && !traffic.self) return;
            sent += share;
            injected[source] += share;
            ejected[destination] += share;
            walk(paths, true, source, destination, share, alone, draws);
          });
        }
        double hops = 0;
        std::vector<double> channels(topology.channel_ids());
        for (ChannelId channel = 0; channel < alone.size(); ++channel) {
          hops += alone[channel];
          channels[topology.channel_of(number, channel)] = alone[channel];
        }
        EXPECT_NEAR(load.sent, sent / nodes, 1e-11);
        EXPECT_NEAR(load.hops_mean, hops / sent, 1e-11);
        expect_near(injected, load.injection_cycles);
        expect_near(ejected, load.ejection_cycles);
        if (!chooses_links(topology, machine)) expect_near(channels, load.channels);
        for (ChannelId channel = 0; channel < load.channels.size(); ++channel) {
          const bool is_own = topology.network_of_port(topology.channel_port(channel)) == number;
          ASSERT_TRUE(is_own || load.channels[channel] == 0) << channel;
        }
        const TrafficLoad by_pairs = traffic_load(topology, machine, traffic, PairByPair(*shares), 1).value();
        EXPECT_EQ(load.busiest, by_pairs.busiest);
        expect_near(by_pairs.channels, load.channels);
      }
    }
  });
}

}  // namespace
}  // namespace flitscope::traffic_load_test
