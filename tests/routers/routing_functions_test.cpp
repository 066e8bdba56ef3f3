// Rules that every registered routing function keeps, and the ports and classes that it gives:
// docs/timing.md, "Candidates" and "Virtual-channel classes". The example of
// docs/adding-a-routing-function.md is compiled from the page.
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

#include "model/error.h"
#include "model/random.h"
#include "model/route.h"
#include "routers/modules/limits.h"
#include "routers/routing/paths.h"
#include "routers/routing/routing.h"
#include "tests/reference/test_routings.h"

namespace flitscope::routing_functions_test {
namespace {

const std::vector<Topology>& topologies() {
  static const std::vector<Topology> list{{TopologyKind::torus, {5}},
                                          {TopologyKind::torus, {2, 3}},
                                          {TopologyKind::torus, {4, 3, 2}},
                                          {TopologyKind::mesh, {2, 2, 2}},
                                          {TopologyKind::mesh, {5}},
                                          {TopologyKind::mesh, {3, 4}},
                                          {TopologyKind::torus, {5}, LinkDirections::plus},
                                          {TopologyKind::torus, {4, 3}, LinkDirections::minus}};
  return list;
}

/// Routes of every kind that lead from one node to the other.
std::vector<Route> routes(const Topology& topology, NodeId source, NodeId destination) {
  std::vector<Route> result;
  for (unsigned first = 0; first < topology.dimensions(); ++first) {
    if (topology.coordinate(source, first) == topology.coordinate(destination, first)) continue;
    for (std::uint16_t negative = 0; negative < 1U << topology.dimensions(); ++negative) {
      const Route route{static_cast<std::uint8_t>(first), negative};
      if (route_exists(topology, source, destination, route)) result.push_back(route);
    }
  }
  return result;
}

Head head_of(const RoutingFunction& function, NodeId source, NodeId destination, Route route) {
  Head head;
  head.destination = destination;
  head.route = route;
  function.prepare(head, source);
  return head;
}

/// The random number of a draw as docs/timing.md has it.
std::uint64_t number_of_draw(std::uint64_t nodes, std::uint64_t source, std::uint64_t destination,
                             std::uint64_t draw) {
  std::uint64_t z = (draw * nodes + source) * nodes + destination + 0x9E3779B97F4A7C15;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return z ^ z >> 31;
}

TEST(RoutingFunctions, DrawnPaths_DependOnTheDraw) {
  const Topology torus(TopologyKind::torus, {6, 5});
  const Paths valiant(torus, "valiant");
  const Paths romm(torus, "romm");
  const Paths o1turn(torus, "o1turn");
  for (NodeId source = 0; source < 30; source += 7) {
    for (NodeId destination = 0; destination < 30; ++destination) {
      if (source == destination) continue;
      for (unsigned draw = 0; draw < 256; draw += 5) {
        Route route;
        route.draw = static_cast<std::uint8_t>(draw);
        const std::uint64_t number = number_of_draw(30, source, destination, draw);
        std::vector<NodeId> nodes{source};
        valiant.for_each_channel(source, destination, route, [&](ChannelId channel) {
          nodes.push_back(*torus.neighbour(nodes.back(), torus.channel_port(channel)));
        });
        const auto between = static_cast<NodeId>(number % 30);
        const auto to_between = shortest_route(torus, source, between);
        // A path that meets its destination before the drawn node ends there.
        const std::size_t links = route_length(torus, source, between, to_between);
        if (nodes.size() > 1 + links) {
          EXPECT_EQ(nodes[links], between);
        }
        EXPECT_EQ(nodes.back(), destination);
        if ((between % 6 + 6 - source % 6) % 6 == 3) {
          const unsigned minus = draw & 1;
          EXPECT_EQ(valiant.first_port(source, destination, route), minus);
          EXPECT_EQ(nodes[1] % 6, (source % 6 + (minus == 1 ? 5 : 1)) % 6);
        }
        const auto shortest =
            route_length(torus, source, destination, shortest_route(torus, source, destination));
        EXPECT_EQ(romm.length(source, destination, route), shortest);
        const unsigned first = static_cast<unsigned>(number % 2);
        const bool turns = source % 6 != destination % 6 && source / 6 != destination / 6;
        if (turns) {
          EXPECT_EQ(torus.dimension(o1turn.first_port(source, destination, route)), first);
        }
      }
    }
  }
}

/// Where a head is, and how it came there.
using State = std::pair<NodeId, std::pair<unsigned, unsigned>>;

/// Follows every candidate of a message, in any order of choices.
void check_message(const Topology& topology, const Routing& routing, const RoutingFunction& function,
                   NodeId source, const Head& head) {
  std::set<State> seen;
  std::vector<State> left{{source, {topology.link_ports(), 0}}};
  while (!left.empty()) {
    const State state = left.back();
    left.pop_back();
    const auto& [node, input] = state;
    if (node == head.destination || !seen.insert(state).second) continue;
    const Arrival arrival{static_cast<std::uint8_t>(input.first), static_cast<std::uint8_t>(input.second)};
    std::vector<Candidate> candidates;
    function.add_candidates(node, arrival, head, candidates);
    ASSERT_FALSE(candidates.empty());
    ASSERT_EQ(candidates.front(), function.first_candidate(node, arrival, head));
    if (function.deterministic()) {
      ASSERT_EQ(candidates.size(), 1U);
    }
    bool escape = false;
    for (const Candidate& candidate : candidates) {
      const auto next = topology.neighbour(node, candidate.port);
      ASSERT_TRUE(next) << "into the border";
      ASSERT_LT(candidate.channel_class, function.classes());
      if ((function.escape_classes() >> candidate.channel_class & 1) != 0) escape = true;
      if (routing.minimal) {
        ASSERT_LT(route_length(topology, *next, head.destination, head.route),
                  route_length(topology, node, head.destination, head.route));
      }
      left.push_back({*next, {candidate.port, candidate.channel_class}});
    }
    ASSERT_TRUE(escape || function.escape_classes() == 0) << "no escape among the candidates";
  }
}

TEST(EveryRoutingFunction, RandomPairs_KeepTheDeclaration) {
  for (const Routing& routing : RoutingRegistry::all()) {
    for (const Topology& topology : topologies()) {
      if (!routing.serves(topology)) continue;
      if (routing.name == "up-down" && topology.is_one_way()) continue;  // finds no paths
      SCOPED_TRACE(routing.name + " on a " + topology.name());
      const auto function = routing.make(topology);
      function->build_tables();
      ASSERT_GE(function->classes(), 1U);
      ASSERT_EQ(function->escape_classes() >> function->classes(), 0U);
      for (NodeId source = 0; source < topology.nodes(); ++source) {
        for (NodeId destination = 0; destination < topology.nodes(); ++destination) {
          if (source == destination) continue;
          for (const Route& route : routes(topology, source, destination)) {
            if (function->objection(source, destination, route)) continue;
            const Head head = head_of(*function, source, destination, route);
            ASSERT_NO_FATAL_FAILURE(check_message(topology, routing, *function, source, head));
          }
        }
      }
    }
  }
}

/// The table of docs/timing.md, written down once more.
unsigned class_in_the_table(const Topology& topology, bool cyclic, NodeId at, NodeId destination, Route route,
                            unsigned dimension) {
  const std::uint32_t x = topology.coordinate(at, dimension);
  const std::uint32_t y = topology.coordinate(destination, dimension);
  const unsigned dateline = (route.sign(dimension) == Sign::plus ? y > x : y < x) ? 1 : 0;
  const unsigned lap = dimension < route.first_dimension ? 1 : 0;
  const bool torus = topology.kind() == TopologyKind::torus;
  if (!cyclic) return torus ? dateline : 0;
  return torus ? 2 * lap + dateline : lap;
}

class InTheOrderOfDimensions : public testing::TestWithParam<bool> {};

TEST_P(InTheOrderOfDimensions, Messages_TakeTheLinksAndClassesOfTheTable) {
  const bool cyclic = GetParam();
  const Routing& routing = *RoutingRegistry::find(cyclic ? "cyclic-dimension-order" : "dimension-order");
  std::size_t messages = 0;
  for (const Topology& topology : topologies()) {
    const auto function = routing.make(topology);
    function->build_tables();
    EXPECT_EQ(function->classes(), (cyclic ? 2U : 1U) * (topology.kind() == TopologyKind::torus ? 2 : 1));
    EXPECT_TRUE(function->deterministic());
    for (NodeId source = 0; source < topology.nodes(); ++source) {
      for (NodeId destination = 0; destination < topology.nodes(); ++destination) {
        if (source == destination) continue;
        for (const Route& route : routes(topology, source, destination)) {
          if (function->objection(source, destination, route)) continue;
          const Head head = head_of(*function, source, destination, route);
          ++messages;
          for_each_channel(topology, source, destination, route, [&](ChannelId channel) {
            const NodeId at = topology.channel_node(channel);
            const unsigned port = topology.channel_port(channel);
            const Candidate expected{
                port, class_in_the_table(topology, cyclic, at, destination, route, dimension_of_port(port))};
            ASSERT_EQ(function->first_candidate(at, {}, head), expected)
                << topology.name() << ", node " << at << " to " << destination;
          });
        }
      }
    }
  }
  EXPECT_GT(messages, 1000U);
}

INSTANTIATE_TEST_SUITE_P(Routing, InTheOrderOfDimensions, testing::Bool(),
                         [](const auto& instance) { return instance.param ? "Cyclic" : "FromZero"; });

TEST(StaticDateline, Ring_HasOneClassAndTheShorterDirection) {
  std::size_t passing = 0;
  for (const Topology& topology : topologies()) {
    if (!topology.wraps()) continue;
    const auto function = RoutingRegistry::find("static-dateline")->make(topology);
    function->build_tables();
    for (NodeId source = 0; source < topology.nodes(); ++source) {
      for (NodeId destination = 0; destination < topology.nodes(); ++destination) {
        if (source == destination) continue;
        for (const Route& route : routes(topology, source, destination)) {
          if (function->objection(source, destination, route)) continue;
          ASSERT_EQ(
              route_length(topology, source, destination, route),
              route_length(topology, source, destination, shortest_route(topology, source, destination)));
          const Head head = head_of(*function, source, destination, route);
          Arrival arrival{static_cast<std::uint8_t>(topology.link_ports()), 0};
          for_each_channel(topology, source, destination, route, [&](ChannelId channel) {
            const unsigned port = topology.channel_port(channel);
            const unsigned k = dimension_of_port(port);
            const std::uint32_t from = topology.coordinate(source, k);
            const std::uint32_t to = topology.coordinate(destination, k);
            const bool passes = route.sign(k) == Sign::plus ? from > to : from < to;
            passing += passes ? 1 : 0;
            const Candidate expected{port, passes ? 0U : 1U};
            ASSERT_EQ(function->first_candidate(topology.channel_node(channel), arrival, head), expected);
            arrival = {static_cast<std::uint8_t>(port), static_cast<std::uint8_t>(expected.channel_class)};
          });
        }
      }
    }
  }
  EXPECT_GT(passing, 100U);
}

/// Links of the path of a message by first candidates, and the class of each.
std::vector<Candidate> path(const Topology& topology, const RoutingFunction& function, NodeId source,
                            NodeId destination) {
  const Head head = head_of(function, source, destination, {});
  std::vector<Candidate> links;
  Arrival arrival{static_cast<std::uint8_t>(topology.link_ports()), 0};
  for (NodeId at = source; at != destination;) {
    links.push_back(function.first_candidate(at, arrival, head));
    arrival = {static_cast<std::uint8_t>(links.back().port),
               static_cast<std::uint8_t>(links.back().channel_class)};
    at = *topology.neighbour(at, links.back().port);
  }
  return links;
}

/// `M` of docs/timing.md, written down once more.
std::uint64_t number_of(const Topology& topology, NodeId source, NodeId destination) {
  return RandomStream::mix(std::uint64_t{source} * topology.nodes() + destination + 0x9E3779B97F4A7C15);
}

TEST(Romm, AnyPair_TakesAShortestPathOverTheDrawnNode) {
  std::set<std::vector<unsigned>> paths;
  for (const Topology& topology : topologies()) {
    const auto function = RoutingRegistry::find("romm")->make(topology);
    function->build_tables();
    EXPECT_EQ(function->classes(), topology.wraps() ? 4U : 2U);
    for (NodeId source = 0; source < topology.nodes(); ++source) {
      for (NodeId destination = 0; destination < topology.nodes(); ++destination) {
        if (source == destination) continue;
        const auto links = path(topology, *function, source, destination);
        const Route shortest = shortest_route(topology, source, destination);
        ASSERT_EQ(links.size(), route_length(topology, source, destination, shortest));
        NodeId between = source;
        std::uint64_t number = number_of(topology, source, destination);
        for_each_leg(topology, source, destination, shortest, [&](unsigned k, Sign sign, std::uint32_t hops) {
          between = topology.moved(between, k, sign, static_cast<std::uint32_t>(number % (hops + 1)));
          number /= hops + 1;
        });
        std::vector<unsigned> ports;
        NodeId at = source;
        bool second = false;
        for (const Candidate& link : links) {
          second = second || at == between;
          EXPECT_EQ(link.channel_class >= function->classes() / 2, second);
          ports.push_back(link.port);
          at = *topology.neighbour(at, link.port);
        }
        paths.insert(ports);
      }
    }
  }
  EXPECT_TRUE(paths.contains({port_of(0, Sign::plus), port_of(1, Sign::plus), port_of(0, Sign::plus)}));
}

TEST(O1Turn, AnyPair_TurnsOnceInClassesOfItsOrder) {
  std::array<unsigned, 2> first{};
  for (const Topology& topology : topologies()) {
    if (topology.dimensions() > 2) continue;
    const auto function = RoutingRegistry::find("o1turn")->make(topology);
    function->build_tables();
    const unsigned of_order = topology.wraps() ? 2 : 1;
    EXPECT_EQ(function->classes(), of_order * topology.dimensions());
    for (NodeId source = 0; source < topology.nodes(); ++source) {
      for (NodeId destination = 0; destination < topology.nodes(); ++destination) {
        if (source == destination) continue;
        const auto links = path(topology, *function, source, destination);
        ASSERT_EQ(links.size(),
                  route_length(topology, source, destination, shortest_route(topology, source, destination)));
        const auto order =
            static_cast<unsigned>(number_of(topology, source, destination) % topology.dimensions());
        unsigned turns = 0;
        for (std::size_t i = 0; i < links.size(); ++i) {
          EXPECT_EQ(links[i].channel_class / of_order, order);
          turns += i > 0 && dimension_of_port(links[i].port) != dimension_of_port(links[i - 1].port) ? 1 : 0;
        }
        EXPECT_LE(turns, 1U);
        if (turns == 1) {
          EXPECT_EQ(dimension_of_port(links.front().port), order);
          ++first.at(order);
        }
      }
    }
  }
  EXPECT_GT(first[0], 20U);
  EXPECT_GT(first[1], 20U);
}

TEST(PassedDateline, Ring_MessageHasClassOneFromNodeZeroOnInItsDirection) {
  const Topology ring(TopologyKind::torus, {5});
  const auto function = RoutingRegistry::find("passed-dateline")->make(ring);
  function->build_tables();
  /// Classes on the links of a path.
  const auto classes = [&](NodeId source, NodeId destination, Sign sign) {
    const Route route = Route::cyclic(0, sign);
    const Head head = head_of(*function, source, destination, route);
    Arrival arrival{static_cast<std::uint8_t>(ring.link_ports()), 0};
    std::string text;
    for_each_channel(ring, source, destination, route, [&](ChannelId channel) {
      const Candidate candidate = function->first_candidate(ring.channel_node(channel), arrival, head);
      EXPECT_EQ(candidate.port, ring.channel_port(channel));
      arrival = {static_cast<std::uint8_t>(candidate.port),
                 static_cast<std::uint8_t>(candidate.channel_class)};
      text += std::to_string(candidate.channel_class);
    });
    return text;
  };
  EXPECT_EQ(classes(2, 1, Sign::plus), "0001");  // leaves 2, 3, 4, 0
  EXPECT_EQ(classes(0, 3, Sign::plus), "111");
  EXPECT_EQ(classes(1, 4, Sign::plus), "000");
  EXPECT_EQ(classes(2, 3, Sign::minus), "0001");  // leaves 2, 1, 0, 4
  EXPECT_EQ(classes(4, 3, Sign::minus), "1");
}

TEST(ObjectionsToRoutes, WrongRoute_IsRefusedWithTheReason) {
  const Topology torus(TopologyKind::torus, {4, 4});
  const auto plain = RoutingRegistry::find("dimension-order")->make(torus);
  EXPECT_EQ(plain->objection(0, 5, Route::cyclic(1, Sign::plus)),
            "dimension-order routing starts in dimension 0, not 1");
  EXPECT_FALSE(plain->objection(0, 5, Route{0, 1}));
  const auto dateline = RoutingRegistry::find("static-dateline")->make(torus);
  EXPECT_EQ(dateline->objection(0, 5, Route{0, 1}),
            "static-dateline takes the shorter direction in a ring of 4, not 3 links in dimension 0");
  EXPECT_EQ(dateline->objection(0, 5, Route{1, 0}), "static-dateline starts in dimension 0, not 1");
  EXPECT_FALSE(dateline->objection(0, 10, Route{0, 1}));
  const auto cyclic = RoutingRegistry::find("cyclic-dimension-order")->make(torus);
  EXPECT_FALSE(cyclic->objection(0, 5, Route{0, 1}))
      << "traffic takes the shorter direction in each dimension";
  EXPECT_EQ(cyclic->objection(0, 5, Route::cyclic(2, Sign::plus)), "the first dimension must be 0 to 1");
  EXPECT_FALSE(cyclic->objection(0, 5, Route::cyclic(1, Sign::minus)));
}

TEST(ExampleOfARoutingFunction, Page_RegistersTheFunction) {
  const Routing* const routing = RoutingRegistry::find("north-last");
  ASSERT_NE(routing, nullptr);
  const Topology mesh(TopologyKind::mesh, {4, 4});
  EXPECT_TRUE(routing->serves(mesh));
  EXPECT_FALSE(routing->serves(Topology(TopologyKind::torus, {4, 4})));
  EXPECT_FALSE(routing->make(mesh)->deterministic());
}

TEST(ExampleOfARoutingFunction, OtherTopology_IsRefused) {
  MachineConfig machine;
  machine.routing = "north-last";
  constexpr std::uint64_t kPlenty = std::uint64_t{1} << 40;
  EXPECT_NO_THROW(require_buildable(Topology(TopologyKind::mesh, {4, 4}), machine, kPlenty));
  try {
    require_buildable(Topology(TopologyKind::torus, {4, 4}), machine, kPlenty);
    FAIL() << "a torus is no mesh";
  } catch (const Inadmissible& error) {
    EXPECT_STREQ(error.what(), "north-last does not serve a torus, only a mesh");
  }
}

}  // namespace
}  // namespace flitscope::routing_functions_test
