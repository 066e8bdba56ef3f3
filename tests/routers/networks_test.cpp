// Several physical networks with the same nodes: the ports and names of each, and the classes that go by
// them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "model/error.h"
#include "routers/modules/limits.h"
#include "sim/network/network.h"
#include "sim/run/experiment.h"
#include "tests/reference/timed_driver.h"

namespace flitscope::networks_test {
namespace {

/// Two messages of eight flits at once over the same link, of a class each.
std::string of_two_classes(unsigned networks) {
  return run_isolated([&] {
    const Topology topology =
        Topology(TopologyKind::mesh, {2}).in_networks(std::vector<PhysicalNetwork>(networks));
    MachineConfig machine;
    machine.classes = {{"request", 0b1, 0, 0}, {"reply", networks == 2 ? 0b1U : 0b10U, 0, networks - 1}};
    machine.virtual_channels = networks == 2 ? 1 : 2;
    Network network("network", topology, machine);
    std::vector<reference::TimedMessage> messages;
    for (std::uint32_t each = 0; each < 2; ++each) {
      messages.emplace_back().packet = {.id = each,
                                        .source = 0,
                                        .destination = 1,
                                        .route = shortest_route(topology, 0, 1),
                                        .flits = 8,
                                        .message_class = each};
    }
    reference::TimedDriver driver(messages);
    network.run(driver, 1000);
    std::string text;
    for (const Delivery& each : driver.deliveries()) text += fmt::format("{} ", each.arrived);
    for (const unsigned port : {0U, topology.ports_of_network()})
      text += fmt::format("{} ", network.clock().core().counts(0, port % topology.link_ports()).flits);
    return text;
  });
}

TEST(Networks, EachHasALinkOfItsOwn) {
  // (H+1)(R+D) + L-1 alone; on one link the flits of both take turns, as they are put.
  EXPECT_EQ(of_two_classes(2), "11 11 8 8 ");
  EXPECT_EQ(of_two_classes(1), "18 19 16 16 ");
}

TEST(Networks, PortsAndNames_AreThoseOfEach) {
  const Topology topology = Topology(TopologyKind::torus, {4, 4}).in_networks({{}, {}});
  EXPECT_EQ(topology.link_ports(), 8U);
  EXPECT_EQ(topology.ports_of_network(), 4U);
  EXPECT_EQ(topology.neighbour(0, 5), topology.neighbour(0, 1));
  EXPECT_EQ(topology.opposite_port(5), 4U);
  EXPECT_EQ(topology.name(), "4x4 torus in 2 networks");
  for (const ChannelId channel : {topology.channel(3, 2), topology.channel(3, 6)})
    EXPECT_EQ(parse_channel(topology.channel_name(channel), topology), channel);
  EXPECT_EQ(topology.channel_name(topology.channel(3, 6)), "[3, 0]+1 of network 1");
  EXPECT_EQ(topology.network(1), Topology(TopologyKind::torus, {4, 4}));
}

TEST(Networks, OfOppositeDirections_HaveThePortsOfOneTorus) {
  const Topology topology = Topology(TopologyKind::torus, {4, 3})
                                .in_networks({{LinkDirections::plus, 0}, {LinkDirections::minus, 1}});
  EXPECT_EQ(topology.link_ports(), 4U);
  EXPECT_EQ(topology.name(), "4x3 torus in 2 networks");
  EXPECT_EQ(topology.first_port(1), 0U);
  EXPECT_EQ(topology.network_of_port(0), 0U);
  EXPECT_EQ(topology.network_of_port(3), 1U);
  EXPECT_EQ(topology.network(0), Topology(TopologyKind::torus, {4, 3}, LinkDirections::plus));
  EXPECT_FALSE(topology.network(1).has_link(0, 0));
  EXPECT_TRUE(topology.network(1).has_link(0, 1));
  const Route route = shortest_route(topology.network(1), 0, 5);  // to [1, 1]
  EXPECT_EQ(route_name(topology.network(1), 0, 5, route), "-2@1 -3@0");
}

TEST(Networks, OfTheSameDirection_HavePortsOfTheirOwn) {
  const Topology topology =
      Topology(TopologyKind::torus, {4, 3})
          .in_networks({{LinkDirections::plus, 0}, {LinkDirections::minus, 0}, {LinkDirections::plus, 0}});
  EXPECT_EQ(topology.link_ports(), 8U);
  EXPECT_EQ(topology.first_port(2), 4U);
  EXPECT_TRUE(topology.has_link(0, 4));
  EXPECT_FALSE(topology.has_link(0, 5));
  EXPECT_EQ(topology.channel_name(topology.channel(3, 6)), "[3, 0]+1 of network 2");
}

/// There and back, a message of each network crosses every ring once: 4 + 3 links together.
TEST(Networks, OfOppositeDirections_GoRoundTogether) {
  const std::string arrivals = run_isolated([] {
    const Topology topology = Topology(TopologyKind::torus, {4, 3})
                                  .in_networks({{LinkDirections::plus, 0}, {LinkDirections::minus, 1}});
    MachineConfig machine;
    machine.virtual_channels = 2;
    machine.ports = 1;
    machine.classes = {{"first", 0b11, 0, 0}, {"second", 0b11, 0, 1}};
    Network network("network", topology, machine);
    std::vector<reference::TimedMessage> messages;
    for (std::uint32_t each = 0; each < 2; ++each) {
      messages.emplace_back().packet = {.id = each,
                                        .source = 0,
                                        .destination = 5,
                                        .route = shortest_route(topology.network(each), 0, 5),
                                        .flits = 8,
                                        .message_class = each};
    }
    reference::TimedDriver driver(messages);
    network.run(driver, 1000);
    std::string text;
    for (const Delivery& each : driver.deliveries()) text += fmt::format("{} in {}; ", each.id, each.arrived);
    for (const NodeId node : {1, 8}) {  // [1, 0] and [0, 2], where they turn
      for (unsigned port = 0; port < 4; ++port)
        text += fmt::format("{} ", network.clock().core().counts(node, port).flits);
    }
    return text;
  });
  // (H+1)(R+D) + L-1 = 6 + 7 over 1 + 1 links, 12 + 7 over 2 + 3; each enters by a channel of its own.
  EXPECT_EQ(arrivals, "0 in 13; 1 in 19; 0 0 8 0 0 0 0 8 ");
}

/// In a ring of four nodes with links in both directions a route has at most two links, with links in one
/// direction three: a class of the second network needs another VC.
TEST(Networks, OfDifferentDirections_HaveTheClassesThatEachNeeds) {
  MachineConfig machine;
  machine.routing = "positive-hop";
  machine.ports = 1;
  const Topology topology = Topology(TopologyKind::torus, {4}).in_networks({{}, {LinkDirections::minus, 0}});
  machine.virtual_channels = 3;
  machine.classes = {{"both", 0b11, 0, 0}, {"minus", 0b111, 0, 1}};
  require_buildable(topology, machine, std::numeric_limits<std::uint64_t>::max());
  const std::string arrival = run_isolated([&] {
    Network network("network", topology, machine);
    std::vector<reference::TimedMessage> messages(1);
    messages[0].packet = {.source = 0, .destination = 1, .route = {}, .flits = 1, .message_class = 1};
    reference::TimedDriver driver(messages);
    network.run(driver, 1000);
    return fmt::format("{} after {} links", driver.deliveries().at(0).arrived, network.clock().flit_hops());
  });
  EXPECT_EQ(arrival, "8 after 3 links");  // (H+1)(R+D)
  MachineConfig first_unused = machine;   // which alone needs three
  first_unused.classes = {{"both", 0b11, 0, 1}};
  first_unused.virtual_channels = 2;
  require_buildable(Topology(TopologyKind::torus, {4}).in_networks({{LinkDirections::minus, 0}, {}}),
                    first_unused, std::numeric_limits<std::uint64_t>::max());
  machine.classes[1].vcs = 0b11;
  try {
    require_buildable(topology, machine, std::numeric_limits<std::uint64_t>::max());
    FAIL() << "accepted";
  } catch (const Inadmissible& refusal) {
    EXPECT_EQ(
        std::string(refusal.what()),
        "classes[1]: positive-hop on a torus needs at least 3 virtual channels in each message class to "
        "be free of deadlock (or 'allow_deadlock: true'), and 'minus' has 2");
  }
}

}  // namespace
}  // namespace flitscope::networks_test
