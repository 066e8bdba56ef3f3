// Ranks to nodes.
#include "sim/formats/foreign/format.h"

#include <gtest/gtest.h>

#include "model/error.h"
#include "model/route.h"

namespace flitscope::rank_map_test {
namespace {

std::vector<NodeId> mapped(const Topology& topology, const std::string& map, std::uint32_t ranks,
                           const std::vector<RankTraffic>& traffic = {}) {
  ImportOptions options(topology);
  options.map = read_rank_map(map);
  return map_ranks(options, "given", ranks, traffic);
}

TEST(RankMap, Snake_JoinsNeighbours) {
  const Topology mesh(TopologyKind::mesh, {3, 2, 2});
  const std::vector<NodeId> nodes = mapped(mesh, "snake", 12);
  EXPECT_EQ(std::vector<NodeId>(nodes.begin(), nodes.begin() + 7),
            (std::vector<NodeId>{0, 1, 2, 5, 4, 3, 9}));
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    EXPECT_EQ(route_length(mesh, nodes[i - 1], nodes[i], shortest_route(mesh, nodes[i - 1], nodes[i])), 1U);
  }
}

TEST(RankMap, Search_ShortensThePathsOfARing) {
  // Ranks in a ring, each sending to the next but two: on a ring of nodes every message can travel one link.
  const Topology ring(TopologyKind::torus, {7});
  std::vector<RankTraffic> traffic;
  for (std::uint32_t rank = 0; rank < 7; ++rank) traffic.push_back({rank, (rank + 3) % 7, 10});
  const auto nodes = mapped(ring, "search", 7, traffic);
  std::uint64_t links = 0;
  for (const RankTraffic& one : traffic) {
    links += route_length(ring, nodes[one.source], nodes[one.destination],
                          shortest_route(ring, nodes[one.source], nodes[one.destination]));
  }
  EXPECT_LE(links, 11U);  // identity: 21
  EXPECT_EQ(mapped(ring, "search", 7, traffic), nodes);
}

std::string refusal(const std::string& map, std::uint32_t ranks) {
  try {
    static_cast<void>(mapped({TopologyKind::mesh, {4}}, map, ranks));
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << map;
  return {};
}

TEST(RankMap, InvalidMaps_AreRefused) {
  EXPECT_EQ(mapped({TopologyKind::mesh, {4}}, "3,1,0", 3), (std::vector<NodeId>{3, 1, 0}));
  EXPECT_EQ(refusal("3,1", 3), "--map names 2 nodes, but given has 3 ranks");
  EXPECT_EQ(refusal("3,1,4", 3), "--map: there is no node 4; there are 4, from 0");
  EXPECT_EQ(refusal("3,1,3", 3), "--map names node 3 twice");
  EXPECT_EQ(refusal("identity", 5), "given: has 5 ranks, but the linear array of 4 nodes has 4 nodes");
  EXPECT_EQ(refusal("best", 3),
            "--map must be 'identity', 'snake', 'search' or the nodes of rank 0, 1, .. by number, such as "
            "'3,1,0,2' or '8-15,0-7', not 'best'");
  for (const char* const range : {"1-", "-1", "0-99999999", "0-1-2"})
    EXPECT_NE(refusal(range, 3).find(std::string("not '") + range), std::string::npos);
  EXPECT_EQ(refusal("0,3-1", 4),
            "--map: range 3-1 falls; ranges rise, such as 1-3, and nodes alone have any order");
}

TEST(RankMap, Range_IsAllItsNodes) {
  EXPECT_EQ(mapped({TopologyKind::mesh, {6}}, "4-5,2,0-1", 5), (std::vector<NodeId>{4, 5, 2, 0, 1}));
}

}  // namespace
}  // namespace flitscope::rank_map_test
