// Families of networks: do they have the routers, links and diameters that closed forms say, and what is said
// of parameters that do not fit together?
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <set>

#include "model/error.h"
#include "model/topology.h"
#include "networks/network_family.h"
#include "sim/report/page/network_drawing.h"
#include "tests/support/families.h"

namespace flitscope::family_test {
namespace {

using namespace test;

/// Links to the farthest node.
std::uint32_t eccentricity(const Topology& topology, NodeId from) {
  std::vector<std::uint32_t> distance(topology.routers(), 0);
  std::queue<NodeId> open({from});
  std::uint32_t farthest = 0;
  for (; !open.empty(); open.pop()) {
    for (unsigned port = 0; port < topology.link_ports(); ++port) {
      const auto to = topology.graph()->neighbour(open.front(), port);
      if (!to || *to == from || distance[*to] != 0) continue;
      distance[*to] = distance[open.front()] + 1;
      if (*to < topology.nodes()) farthest = std::max(farthest, distance[*to]);
      open.push(*to);
    }
  }
  return farthest;
}

std::uint32_t diameter(const Topology& topology) {
  std::uint32_t result = 0;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    result = std::max(result, eccentricity(topology, node));
  }
  return result;
}

std::uint32_t product(const std::vector<std::uint32_t>& sides) {
  return std::accumulate(sides.begin(), sides.end(), 1U, std::multiplies<>());
}

/// The key that is to blame, and what is said.
std::string refusal(const std::string& family, const std::vector<Given>& parameters) {
  try {
    static_cast<void>(network(family, parameters));
  } catch (const Inadmissible& reason) {
    return reason.key() + ": " + reason.what();
  }
  return "accepted";
}

void expect_refusal(const std::string& family, const std::vector<Given>& parameters, const std::string& key,
                    const std::string& part) {
  const std::string said = refusal(family, parameters);
  EXPECT_EQ(said.substr(0, said.find(':')), key) << said;
  EXPECT_NE(said.find(part), std::string::npos) << said;
}

Topology dragonfly(std::uint32_t p, std::uint32_t a, std::uint32_t h, std::uint32_t groups) {
  return network("dragonfly", {number("p", p), number("a", a), number("h", h), number("groups", groups)});
}

TEST(Dragonfly, Parameters_GiveRoutersLinksAndDiameter) {
  struct Case {
    std::uint32_t p, a, h, groups;
  };
  for (const auto& [p, a, h, groups] : {Case{2, 4, 2, 9},
                                        {1, 2, 1, 3},
                                        {1, 3, 2, 7},
                                        {2, 6, 3, 19},
                                        {1, 4, 2, 5},
                                        {2, 4, 1, 4},
                                        {1, 3, 2, 2},
                                        {1, 1, 4, 5}}) {
    const Topology topology = dragonfly(p, a, h, groups);
    SCOPED_TRACE(topology.name());
    const std::uint32_t between = a * h / (groups - 1);
    EXPECT_EQ(topology.nodes(), groups * a * p);
    EXPECT_EQ(topology.routers(), groups * a * (p + 1));
    EXPECT_EQ(topology.graph()->links(),
              groups * a * (a - 1) + groups * (groups - 1) * between + 2 * topology.nodes());
    EXPECT_EQ(topology.link_ports(), p + a - 1 + h);
    const bool full = groups == a * h + 1;
    EXPECT_LE(diameter(topology), 5U);
    if (full && a > 1) {
      EXPECT_EQ(diameter(topology), 5U);
    }
  }
}

TEST(Dragonfly, EveryTwoGroups_HaveEquallyManyLinks) {
  for (const std::uint32_t groups : {2U, 4U, 5U, 8U, 9U}) {
    const Topology topology = dragonfly(1, 4, 2, groups);
    std::vector<std::uint32_t> links(groups * groups);
    for (NodeId router = topology.nodes(); router < topology.routers(); ++router) {
      for (unsigned port = 0; port < topology.link_ports(); ++port) {
        const auto to = topology.graph()->neighbour(router, port);
        if (to) {
          ++links[topology.graph()->coordinates(router)[0] * groups + topology.graph()->coordinates(*to)[0]];
        }
      }
    }
    for (std::uint32_t from = 0; from < groups; ++from) {
      for (std::uint32_t to = 0; to < groups; ++to) {
        // In a group: those between routers, and those to nodes.
        EXPECT_EQ(links[from * groups + to], from == to ? 4 * 3 + 4U : 8 / (groups - 1));
      }
    }
  }
}

TEST(Dragonfly, ImpossibleParameters_AreRefused) {
  expect_refusal("dragonfly", {number("p", 1), number("a", 4), number("h", 2), number("groups", 10)},
                 "topology.groups", "9 groups at most");
  expect_refusal("dragonfly", {number("p", 130), number("a", 120), number("h", 7), number("groups", 3)},
                 "topology.a", "256 links; it can have 255 at most");
}

TEST(HyperX, Parameters_GiveRoutersLinksAndDiameter) {
  const std::vector<std::vector<std::uint32_t>> shapes{{5}, {2, 2}, {4, 3}, {3, 2, 4}, {2, 2, 2, 2}};
  for (const auto& sides : shapes) {
    for (const std::uint32_t concentration : {1U, 3U}) {
      const Topology topology =
          network("hyperx", {list("shape", sides), number("concentration", concentration)});
      SCOPED_TRACE(topology.name());
      std::uint32_t degree = 0;
      for (const std::uint32_t side : sides) degree += side - 1;
      EXPECT_EQ(topology.nodes(), product(sides) * concentration);
      EXPECT_EQ(topology.routers(), product(sides) * (concentration + 1));
      EXPECT_EQ(topology.graph()->links(), product(sides) * (degree + 2 * concentration));
      EXPECT_EQ(topology.link_ports(), degree + concentration);
      EXPECT_EQ(diameter(topology), sides.size() + 2);
    }
  }
}

TEST(HyperX, ImpossibleParameters_AreRefused) {
  expect_refusal("hyperx", {list("shape", {200, 50}), number("concentration", 8)}, "topology.shape",
                 "256 links");
  expect_refusal("hyperx", {list("shape", {64, 64, 64, 64}), number("concentration", 4)}, "topology.shape",
                 "256 links");
  expect_refusal("hyperx", {list("shape", std::vector<std::uint32_t>(20, 2)), number("concentration", 1)},
                 "topology.shape", "more than 1048576 routers");
}

TEST(ConcentratedMesh, Parameters_GiveRoutersLinksAndDiameter) {
  const std::vector<std::vector<std::uint32_t>> shapes{{6}, {2, 2}, {4, 3}, {3, 2, 4}};
  for (const auto& sides : shapes) {
    for (const std::uint32_t concentration : {1U, 4U}) {
      const Topology topology =
          network("concentrated-mesh", {list("shape", sides), number("concentration", concentration)});
      SCOPED_TRACE(topology.name());
      std::uint32_t links = 2 * concentration * product(sides);
      std::uint32_t degree = concentration;
      std::uint32_t across = 2;
      for (const std::uint32_t side : sides) {
        links += 2 * (side - 1) * product(sides) / side;
        degree += std::min(side - 1, 2U);
        across += side - 1;
      }
      EXPECT_EQ(topology.nodes(), product(sides) * concentration);
      EXPECT_EQ(topology.graph()->links(), links);
      EXPECT_EQ(topology.link_ports(), degree);
      EXPECT_EQ(diameter(topology), across);
    }
  }
}

TEST(ConcentratedMesh, ImpossibleParameters_AreRefused) {
  expect_refusal("concentrated-mesh", {list("shape", {4, 4}), number("concentration", 252)},
                 "topology.concentration", "256 links");
  expect_refusal("concentrated-mesh", {list("shape", {1024, 1024}), number("concentration", 1)},
                 "topology.shape", "more than 1048576 routers");
}

Topology twisted(std::uint32_t columns, std::uint32_t rows, std::uint32_t twist) {
  return network("twisted-torus", {list("shape", {columns, rows}), number("twist", twist)});
}

TEST(TwistedTorus, Parameters_GiveNodesLinksAndDiameter) {
  for (const auto& [columns, rows] : {std::pair{4U, 4U}, {5U, 3U}, {6U, 2U}, {7U, 4U}}) {
    for (std::uint32_t twist = 0; twist < columns; ++twist) {
      const Topology topology = twisted(columns, rows, twist);
      SCOPED_TRACE(topology.name());
      EXPECT_EQ(topology.nodes(), columns * rows);
      EXPECT_EQ(topology.routers(), topology.nodes());
      EXPECT_EQ(topology.graph()->links(), 4 * columns * rows);
      EXPECT_EQ(topology.link_ports(), 4U);
      if (twist == 0) {
        EXPECT_EQ(diameter(topology), columns / 2 + rows / 2);
      }
      // The network looks the same from every node.
      for (NodeId node = 1; node < topology.nodes(); ++node) {
        ASSERT_EQ(eccentricity(topology, node), eccentricity(topology, 0));
      }
    }
  }
}

TEST(TwistedTorus, TwiceAsManyColumns_HaveTheDiameterOfASquareTorus) {
  // Camara et al., 2010: 2a x a with a twist of a has diameter a; without it, 3a/2.
  for (const std::uint32_t a : {2U, 4U, 6U, 8U}) {
    EXPECT_EQ(diameter(twisted(2 * a, a, a)), a);
    EXPECT_EQ(diameter(twisted(2 * a, a, 0)), 3 * a / 2);
  }
}

TEST(TwistedTorus, ThreeDimensions_HaveTheDiametersOfLatticeGraphs) {
  // Camarero et al., 2015: the face-centred and the body-centred cubic lattice graph.
  const auto lattice = [](std::vector<std::uint32_t> shape, std::uint32_t twist) {
    return network("twisted-torus", {list("shape", std::move(shape)), number("twist", twist)});
  };
  for (const std::uint32_t a : {2U, 3U, 4U, 5U, 6U}) {
    for (const auto& shape : {std::vector{2 * a, a, a}, std::vector{2 * a, 2 * a, a}}) {
      const Topology topology = lattice(shape, a);
      SCOPED_TRACE(topology.name());
      EXPECT_EQ(diameter(topology), 3 * a / 2);
      for (NodeId node = 1; node < topology.nodes(); ++node)
        ASSERT_EQ(eccentricity(topology, node), eccentricity(topology, 0));
      const Topology plain = lattice(shape, 0);
      EXPECT_EQ(diameter(plain), shape[0] / 2 + shape[1] / 2 + shape[2] / 2);
    }
  }
}

TEST(TwistedTorus, ImpossibleParameters_AreRefused) {
  expect_refusal("twisted-torus", {list("shape", {4, 4, 4, 2}), number("twist", 1)}, "topology.shape",
                 "has two or three sides");
  expect_refusal("twisted-torus", {list("shape", {4, 8, 4}), number("twist", 4)}, "topology.shape",
                 "from the longest to the shortest");
  expect_refusal("twisted-torus", {list("shape", {4, 4, 4}), number("twist", 2)}, "topology.shape",
                 "not all equal");
  expect_refusal("twisted-torus", {list("shape", {4, 8}), number("twist", 4)}, "topology.twist",
                 "less than the first side, 4");
}

Topology chiplets(std::vector<std::uint32_t> chiplets, std::vector<std::uint32_t> mesh) {
  return network("chiplets",
                 {list("chiplets", std::move(chiplets)), list("mesh", std::move(mesh)),
                  number("inner_delay", 2), number("outer_delay", 7), ratio("outer_cycles_per_flit", 3)});
}

TEST(Chiplets, LinksBetweenChiplets_HaveTheirOwnDelay) {
  for (const auto& [x, y, w, h] : {std::array{2U, 2U, 4U, 3U}, {3U, 1U, 2U, 2U}, {1U, 4U, 1U, 3U}}) {
    const Topology topology = chiplets({x, y}, {w, h});
    SCOPED_TRACE(topology.name());
    const std::uint32_t columns = x * w;
    const std::uint32_t rows = y * h;
    EXPECT_EQ(topology.nodes(), columns * rows);
    EXPECT_EQ(topology.graph()->links(), 2 * ((columns - 1) * rows + (rows - 1) * columns));
    EXPECT_EQ(diameter(topology), columns + rows - 2);
    std::uint32_t outer = 0;
    for (const GraphPlan::Link& link : topology.graph()->plan().links) {
      EXPECT_EQ(link.delay, link.cycles_per_flit ? 7U : 2U);
      if (!link.cycles_per_flit) continue;
      EXPECT_EQ(link.cycles_per_flit, 3U);
      ++outer;
    }
    EXPECT_EQ(outer, 2 * ((x - 1) * rows + (y - 1) * columns));
  }
}

TEST(Chiplets, ImpossibleParameters_AreRefused) {
  const auto with = [](std::vector<std::uint32_t> chiplets, std::vector<std::uint32_t> mesh) {
    return std::vector<Given>{list("chiplets", std::move(chiplets)), list("mesh", std::move(mesh)),
                              number("inner_delay", 1), number("outer_delay", 4),
                              ratio("outer_cycles_per_flit", 1)};
  };
  expect_refusal("chiplets", with({2}, {4, 4}), "topology.chiplets", "must be two numbers");
  expect_refusal("chiplets", with({2, 2}, {4, 4, 4}), "topology.mesh", "must be two numbers");
  expect_refusal("chiplets", with({1024, 1024}, {2, 2}), "topology.mesh", "more than 1048576 routers");
  expect_refusal("chiplets", with({1, 1}, {1, 1}), "topology.kind", "");
}

Topology slim_fly(std::uint32_t q, std::uint32_t concentration) {
  return network("slim-fly", {number("q", q), number("concentration", concentration)});
}

TEST(SlimFly, Parameters_GiveRoutersLinksAndDiameterTwo) {
  for (const std::uint32_t q : {3U, 4U, 5U, 7U, 8U, 9U, 11U, 13U, 16U, 25U, 27U, 49U, 64U}) {
    const Topology topology = slim_fly(q, 1);
    SCOPED_TRACE(topology.name());
    const int delta = q % 4 == 0 ? 0 : q % 4 == 1 ? 1 : -1;
    const auto degree = static_cast<std::uint32_t>((3 * static_cast<int>(q) - delta) / 2);
    EXPECT_EQ(topology.nodes(), 2 * q * q);
    EXPECT_EQ(topology.graph()->links(), 2 * q * q * (degree + 2));
    EXPECT_EQ(topology.link_ports(), degree + 1);
    if (q <= 13) {
      EXPECT_EQ(diameter(topology), 4U);
    } else {
      for (NodeId node = 0; node < topology.nodes(); node += q - 1)
        ASSERT_EQ(eccentricity(topology, node), 4U);
    }
  }
  // The Hoffman-Singleton graph: the most routers of degree 7 and diameter 2 that there can be, 1 + 7^2.
  EXPECT_EQ(slim_fly(5, 1).nodes(), 50U);
}

TEST(SlimFly, ImpossibleParameters_AreRefused) {
  for (const std::uint32_t q : {6U, 10U, 12U, 15U, 33U}) {
    expect_refusal("slim-fly", {number("q", q), number("concentration", 1)}, "topology.q",
                   "must be a power of a prime that is 4w-1, 4w or 4w+1");
  }
  expect_refusal("slim-fly", {number("q", 169), number("concentration", 3)}, "topology.concentration",
                 "256 links");
}

Topology jellyfish(std::uint32_t routers, std::uint32_t degree, std::uint32_t concentration,
                   std::uint32_t seed = 1) {
  return network("jellyfish", {number("routers", routers), number("degree", degree),
                               number("concentration", concentration), number("seed", seed)});
}

/// Links of every router to others, with how many routers have them.
std::map<std::uint32_t, std::uint32_t> degrees(const Topology& topology) {
  std::map<std::uint32_t, std::uint32_t> result;
  for (NodeId router = topology.nodes(); router < topology.routers(); ++router) {
    std::uint32_t links = 0;
    std::set<NodeId> others;
    for (unsigned port = 0; port < topology.link_ports(); ++port) {
      const auto to = topology.neighbour(router, port);
      if (!to || *to < topology.nodes()) continue;
      ++links;
      EXPECT_TRUE(others.insert(*to).second && *to != router);
    }
    ++result[links];
  }
  return result;
}

TEST(Jellyfish, Parameters_GiveARegularGraph) {
  using Degrees = std::map<std::uint32_t, std::uint32_t>;
  for (const auto& [routers, degree] :
       {std::pair{10U, 3U}, {20U, 4U}, {8U, 7U}, {64U, 5U}, {2U, 1U}, {6U, 4U}}) {
    for (std::uint32_t seed = 1; seed <= 5; ++seed) {
      const Topology topology = jellyfish(routers, degree, 2, seed);
      EXPECT_EQ(degrees(topology), (Degrees{{degree, routers}})) << topology.name();
      EXPECT_EQ(topology.graph()->links(), routers * (degree + 4));
    }
  }
  EXPECT_EQ(degrees(jellyfish(9, 3, 1)), (Degrees{{2, 1}, {3, 8}})) << "one port is left";
  EXPECT_EQ(jellyfish(30, 4, 1, 7).graph()->digest(), jellyfish(30, 4, 1, 7).graph()->digest());
  EXPECT_NE(jellyfish(30, 4, 1, 7).graph()->digest(), jellyfish(30, 4, 1, 8).graph()->digest());
}

TEST(Jellyfish, ImpossibleParameters_AreRefused) {
  const auto with = [](std::uint32_t routers, std::uint32_t degree) {
    return std::vector<Given>{number("routers", routers), number("degree", degree),
                              number("concentration", 1), number("seed", 1)};
  };
  expect_refusal("jellyfish", with(6, 6), "topology.degree", "6 routers have 5 links each at most");
  expect_refusal("jellyfish", with(8, 1), "topology.degree",
                 "none of 100 drawn networks connects all 8 routers");
}

TEST(Xpander, Parameters_GiveALiftOfACompleteGraph) {
  using Degrees = std::map<std::uint32_t, std::uint32_t>;
  for (const auto& [degree, lift] : {std::pair{3U, 4U}, {4U, 1U}, {5U, 6U}, {2U, 3U}}) {
    const Topology topology = network("xpander", {number("degree", degree), number("lift", lift),
                                                  number("concentration", 2), number("seed", 3)});
    const std::uint32_t routers = (degree + 1) * lift;
    EXPECT_EQ(topology.nodes(), 2 * routers);
    EXPECT_EQ(degrees(topology), (Degrees{{degree, routers}}));
    for (NodeId router = topology.nodes(); router < topology.routers(); ++router) {
      std::set<std::uint32_t> groups{topology.graph()->coordinates(router)[0]};
      for (unsigned port = 0; port < topology.link_ports(); ++port) {
        const auto to = topology.neighbour(router, port);
        if (to && *to >= topology.nodes()) groups.insert(topology.graph()->coordinates(*to)[0]);
      }
      EXPECT_EQ(groups.size(), degree + 1) << "one link to each other group";
    }
  }
}

TEST(Butterfly, Parameters_GiveStagesAndOnePathForEachPair) {
  for (const auto& [k, n] : {std::pair{2U, 1U}, {2U, 3U}, {3U, 2U}, {4U, 2U}, {2U, 4U}}) {
    const Topology topology = network("butterfly", {number("k", k), number("n", n)});
    SCOPED_TRACE(topology.name());
    std::uint32_t nodes = k;
    for (std::uint32_t i = 1; i < n; ++i) nodes *= k;
    EXPECT_EQ(topology.nodes(), nodes);
    EXPECT_EQ(topology.routers(), nodes + n * nodes / k);
    EXPECT_EQ(topology.graph()->links(), nodes * (n + 1));
    EXPECT_EQ(diameter(topology), n + 1);
    // From a node every switch of a stage is reached in as many ways as its digits can be left open: one.
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      std::vector<NodeId> at{node};
      for (std::uint32_t link = 0; link <= n; ++link) {
        std::vector<NodeId> next;
        for (const NodeId router : at) {
          for (unsigned port = 0; port < topology.link_ports(); ++port) {
            if (const auto to = topology.neighbour(router, port)) next.push_back(*to);
          }
        }
        at = std::move(next);
      }
      EXPECT_EQ(at.size(), nodes);
      EXPECT_EQ(std::set<NodeId>(at.begin(), at.end()).size(), nodes);
    }
  }
  expect_refusal("butterfly", {number("k", 63), number("n", 5)}, "topology.n", "more than 1048576 routers");
}

TEST(KaryNTree, OneLevel_IsASwitchWithAllNodes) {
  const Topology tree = network("k-ary-n-tree", {number("k", 255), number("n", 1)});
  EXPECT_EQ(tree.nodes(), 255U);
  EXPECT_EQ(tree.routers(), 256U);
  EXPECT_EQ(tree.link_ports(), 255U);
  EXPECT_EQ(diameter(tree), 2U);
}

TEST(KaryNTree, MoreLinksThanARouterCanHave_AreRefused) {
  expect_refusal("k-ary-n-tree", {number("k", 128), number("n", 2)}, "topology.k", "256 links");
}

TEST(FlattenedButterfly, Parameters_AreThoseOfAHyperX) {
  const Topology topology = network("flattened-butterfly", {number("k", 3), number("n", 3)});
  EXPECT_EQ(topology.name(), "3-ary 3-flat of 27 nodes");
  EXPECT_EQ(topology.nodes(), 27U);
  EXPECT_EQ(topology.graph()->links(), 9U * 4 + 2 * 27);
  EXPECT_EQ(diameter(topology), 2U + 2);
  expect_refusal("flattened-butterfly", {number("k", 128), number("n", 3)}, "topology.n", "382 links");
}

TEST(FoldedTorus, Parameters_GiveATorusOfShortLinks) {
  for (const std::vector<std::uint32_t>& sides :
       std::vector<std::vector<std::uint32_t>>{{5}, {8}, {4, 3}, {2, 6}, {3, 4, 5}}) {
    const Topology topology = network("folded-torus", {list("shape", sides), number("tile_delay", 3)});
    SCOPED_TRACE(topology.name());
    std::uint32_t links = 0;
    std::uint32_t across = 0;
    for (const std::uint32_t side : sides) {
      links += product(sides) * (side == 2 ? 1 : 2);
      across += side / 2;
    }
    EXPECT_EQ(topology.nodes(), product(sides));
    EXPECT_EQ(topology.graph()->links(), links);
    EXPECT_EQ(diameter(topology), across);
    std::uint32_t longs = 0;
    for (const GraphPlan::Link& link : topology.graph()->plan().links) {
      EXPECT_EQ(link.delay, link.length == 1 ? 3U : 6U);
      EXPECT_LE(link.length, 2);
      longs += link.length == 2 ? 1 : 0;
    }
    std::uint32_t expected = 0;
    for (const std::uint32_t side : sides)
      expected += side == 2 ? 0 : 2 * (side - 2) * (product(sides) / side);
    EXPECT_EQ(longs, expected) << "all but the first and the last of a row";
  }
}

Topology express(std::vector<std::uint32_t> sides, std::uint32_t interval, bool wraps) {
  return network("express-cube", {list("shape", std::move(sides)),
                                  number("interval", interval),
                                  {"wraps", wraps},
                                  number("express_delay", 2)});
}

TEST(ExpressCube, Parameters_GiveLinksAndDiameter) {
  // To an interchange, express links, and on from there: [2] to [10], and on the mesh [2] to [15].
  EXPECT_EQ(diameter(express({16}, 4, true)), 2U + 1 + 2);
  EXPECT_EQ(diameter(express({16}, 4, false)), 2U + 2 + 3);
  EXPECT_EQ(diameter(express({8, 8}, 4, true)), 2U * 4) << "as without express links";
  EXPECT_EQ(express({8, 8}, 4, true).graph()->links(), 2U * 2 * 64 + 2U * 8 * 2 * 1);
  EXPECT_EQ(express({8, 8}, 2, true).graph()->links(), 2U * 2 * 64 + 2U * 8 * 2 * 4);
  EXPECT_EQ(express({8, 4}, 2, false).graph()->links(), 2U * (7 * 4 + 3 * 8) + 2U * (3 * 4 + 1 * 8));
  const Topology network = express({8, 8}, 2, true);
  for (const GraphPlan::Link& link : network.graph()->plan().links) {
    EXPECT_EQ(link.delay.has_value(), link.length == 2);
  }
}

TEST(ExpressCube, ImpossibleParameters_AreRefused) {
  const auto with = [](std::vector<std::uint32_t> shape, std::uint32_t interval) {
    return std::vector<Given>{list("shape", std::move(shape)),
                              number("interval", interval),
                              {"wraps", true},
                              number("express_delay", 1)};
  };
  expect_refusal("express-cube", with({8, 6}, 4), "topology.interval", "4 is no such divisor of 6");
  expect_refusal("express-cube", with({8, 4}, 4), "topology.interval", "4 is no such divisor of 4");
}

TEST(Families, Routers_HaveDifferentPositions) {
  for (const Topology& topology :
       {network("k-ary-n-tree", {number("k", 3), number("n", 3)}), dragonfly(2, 4, 2, 9),
        dragonfly(1, 1, 4, 5), network("hyperx", {list("shape", {4, 3, 2}), number("concentration", 3)}),
        network("concentrated-mesh", {list("shape", {4, 4}), number("concentration", 4)}), twisted(6, 4, 2),
        chiplets({3, 2}, {4, 3}), slim_fly(5, 3), jellyfish(20, 4, 3),
        network("xpander",
                {number("degree", 4), number("lift", 3), number("concentration", 2), number("seed", 1)}),
        network("butterfly", {number("k", 3), number("n", 3)}),
        network("flattened-butterfly", {number("k", 3), number("n", 3)}),
        network("folded-torus", {list("shape", {6, 5}), number("tile_delay", 1)}),
        express({8, 8}, 4, true)}) {
    SCOPED_TRACE(topology.name());
    const std::vector<Point> places = draw_network(topology).nodes;
    ASSERT_EQ(places.size(), topology.routers());
    for (std::size_t i = 0; i < places.size(); ++i) {
      EXPECT_GE(places[i].x, 0);
      EXPECT_GE(places[i].y, 0);
      for (std::size_t j = 0; j < i; ++j) {
        ASSERT_GT(std::hypot(places[i].x - places[j].x, places[i].y - places[j].y), 0.4);
      }
    }
  }
}

}  // namespace
}  // namespace flitscope::family_test
