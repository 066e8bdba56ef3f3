// The number of messages on every link.
#include "sim/analysis/channel_load.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "model/error.h"
#include "tests/support/random_cases.h"

namespace flitscope::channel_load_test {
namespace {

const Topology kRing(TopologyKind::torus, {5});

ChannelId link(NodeId node, unsigned dimension, Sign sign, const Topology& topology = kRing) {
  return topology.channel(node, port_of(dimension, sign));
}

TEST(ChannelLoad, StepWithoutMessages_LoadsNothing) {
  ChannelLoad load(kRing);
  const StepLoad result = load.count({});
  EXPECT_EQ(result.max_load, 0U);
  EXPECT_FALSE(result.busiest);
  EXPECT_EQ(result.hops, 0U);
}

TEST(ChannelLoad, MessagesThatShareALinkOfARing_AreCounted) {
  // 0 -> 2 and 1 -> 3 share the link from 1 to 2; 3 -> 2 goes in the other direction.
  ChannelLoad load(kRing);
  const Route plus = Route::cyclic(0, Sign::plus);
  const std::vector<Message> messages = {{0, 2, plus}, {1, 3, plus}, {3, 2, Route::cyclic(0, Sign::minus)}};
  const StepLoad result = load.count(messages);
  EXPECT_EQ(result.max_load, 2U);
  EXPECT_EQ(result.busiest, link(1, 0, Sign::plus));
  EXPECT_EQ(result.shared_links, 1U);
  EXPECT_EQ(result.hops, 5U);
  EXPECT_EQ(load.load_of(link(0, 0, Sign::plus)), 1U);
  EXPECT_EQ(load.load_of(link(3, 0, Sign::minus)), 1U);
  EXPECT_EQ(load.load_of(link(2, 0, Sign::minus)), 0U);
}

TEST(ChannelLoad, PathAroundATorus_FollowsTheOrderOfDimensions) {
  const Topology torus(TopologyKind::torus, {4, 4});
  ChannelLoad load(torus);
  // From [3, 3], dimension 1 first: over [3, 0] to [0, 0].
  const std::vector<Message> messages = {{15, 0, Route::cyclic(1, Sign::plus)}};
  EXPECT_EQ(load.count(messages).hops, 2U);
  EXPECT_EQ(load.load_of(link(15, 1, Sign::plus, torus)), 1U);
  EXPECT_EQ(load.load_of(link(3, 0, Sign::plus, torus)), 1U);
}

TEST(ChannelLoad, EachStep_StartsFromZero) {
  ChannelLoad load(kRing);
  const std::vector<Message> messages = {{0, 1, Route::cyclic(0, Sign::plus)}};
  for (int step = 0; step < 3; ++step) EXPECT_EQ(load.count(messages).max_load, 1U);
  EXPECT_EQ(load.count({}).max_load, 0U);
  EXPECT_EQ(load.load_of(link(0, 0, Sign::plus)), 0U);
}

TEST(ChannelLoad, EquallyBusyLinks_TheLowestIsNamed) {
  ChannelLoad load(kRing);
  const Route plus = Route::cyclic(0, Sign::plus);
  const std::vector<Message> messages = {
      {3, 4, plus}, {3, 4, plus}, {1, 2, plus}, {1, 2, plus}, {4, 0, plus}};
  EXPECT_EQ(load.count(messages).busiest, link(1, 0, Sign::plus));
}

TEST(ChannelLoad, RandomMessages_AgreeWithASimpleCount) {
  RandomNumbers random(11);
  for (const Topology& topology :
       {Topology(TopologyKind::torus, {3, 4, 2}), Topology(TopologyKind::mesh, {5, 3})}) {
    ChannelLoad load(topology);
    for (int step = 0; step < 200; ++step) {
      std::vector<Message> messages;
      std::map<ChannelId, std::uint32_t> expected;
      std::uint64_t hops = 0;
      const unsigned wanted = random.below(30);
      while (messages.size() < wanted) {
        const NodeId source = random.below(topology.nodes());
        const NodeId destination = random.below(topology.nodes());
        Route route{static_cast<std::uint8_t>(random.below(topology.dimensions())),
                    static_cast<std::uint16_t>(random.below(65536))};
        if (!route_exists(topology, source, destination, route)) continue;
        messages.push_back({source, destination, route});
        // One link at a time, from neighbour to neighbour.
        NodeId at = source;
        for (unsigned i = 0; i < topology.dimensions(); ++i) {
          const unsigned dimension = (route.first_dimension + i) % topology.dimensions();
          while (topology.coordinate(at, dimension) != topology.coordinate(destination, dimension)) {
            const unsigned port = port_of(dimension, route.sign(dimension));
            ++expected[topology.channel(at, port)];
            ++hops;
            at = topology.neighbour(at, port).value();
          }
        }
      }
      const StepLoad result = load.count(messages);
      std::uint32_t highest = 0;
      for (const auto& [channel, count] : expected) highest = std::max(highest, count);
      ASSERT_EQ(result.max_load, highest);
      ASSERT_EQ(result.hops, hops);
      ASSERT_EQ(result.shared_links, static_cast<std::uint64_t>(std::ranges::count_if(
                                         expected, [](const auto& entry) { return entry.second > 1; })));
      if (highest > 0) {
        const auto first =
            std::ranges::find_if(expected, [highest](const auto& entry) { return entry.second == highest; });
        ASSERT_EQ(result.busiest, first->first);
      }
      for (ChannelId channel = 0; channel < topology.channel_ids(); ++channel) {
        const auto at = expected.find(channel);
        ASSERT_EQ(load.load_of(channel), at == expected.end() ? 0 : at->second);
      }
    }
  }
}

TEST(ChannelLoad, CountersBeyondTheMemoryLimit_AreRefused) {
  try {
    const ChannelLoad load(Topology(TopologyKind::torus, {1U << 30}));
    FAIL() << "2^31 links must be refused";
  } catch (const Inadmissible& error) {
    EXPECT_EQ(error.key(), "topology.shape");
    EXPECT_NE(std::string(error.what()).find("2147483648 links"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace flitscope::channel_load_test
