// Gossiping after Meyer and Sibeyn: legal on every torus that admits it, in the steps that closed forms give.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/gossip.h"
#include "tests/support/small_schedules.h"

namespace flitscope::test::meyer_sibeyn_test {
namespace {

constexpr auto kTwo = "meyer-sibeyn-two-packet";
constexpr auto kOne = "meyer-sibeyn-one-packet";
constexpr auto kCycles = "hamiltonian-cycles";
constexpr auto kTree = "translated-tree";

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) {
  return (a + b - 1) / b;
}

/// All shapes of `dimensions` sides from `least` to `most`.
std::vector<Shape> shapes(unsigned dimensions, std::uint32_t least, std::uint32_t most) {
  std::vector<Shape> list{{}};
  for (unsigned k = 0; k < dimensions; ++k) {
    std::vector<Shape> longer;
    for (const Shape& shape : list) {
      for (std::uint32_t side = least; side <= most; ++side) {
        longer.push_back(shape);
        longer.back().push_back(side);
      }
    }
    list = std::move(longer);
  }
  return list;
}

/// "(0,0)(0,1)": the first nodes of a cycle.
std::string walk(const LinkPrograms& table, std::size_t cycle, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    std::string node = "(";
    for (const std::uint32_t x : table.facts.topology.coordinates(table.cycles[cycle].nodes[i])) {
      node += (node.size() > 1 ? "," : "") + std::to_string(x);
    }
    text += node + ")";
  }
  return text;
}

void expect_hamiltonian_and_disjoint(const LinkPrograms& table) {
  const Topology& topology = table.facts.topology;
  std::vector<std::pair<NodeId, NodeId>> links;
  for (const TableCycle& cycle : table.cycles) {
    std::vector<NodeId> sorted = cycle.nodes;
    std::ranges::sort(sorted);
    std::vector<NodeId> everyone(topology.nodes());
    std::iota(everyone.begin(), everyone.end(), NodeId{0});
    EXPECT_EQ(sorted, everyone) << topology.name();
    for (std::size_t i = 0; i < cycle.nodes.size(); ++i) {
      links.push_back(std::minmax(cycle.nodes[i], cycle.nodes[(i + 1) % cycle.nodes.size()]));
    }
  }
  std::ranges::sort(links);
  EXPECT_EQ(std::ranges::adjacent_find(links), links.end()) << topology.name();
  EXPECT_EQ(links.size(), std::size_t{topology.nodes()} * topology.dimensions()) << topology.name();
}

TEST(TwoPacket, EvenSide_TakesHalfOfP) {
  for (const Shape& shape : shapes(2, 3, 10)) {
    if (shape[0] % 2 == 1 && shape[1] % 2 == 1) continue;
    EXPECT_EQ(legal_steps(kTwo, shape), nodes_of(shape) / 2) << shape[0] << "x" << shape[1];
  }
}

TEST(TwoPacket, FixedSupply_OddSide_TakesOneStepMore) {
  for (const Shape& shape : shapes(2, 3, 10)) {
    if (shape[0] % 2 == shape[1] % 2) continue;
    const std::uint32_t odd = shape[0] % 2 == 1 ? shape[0] : shape[1];
    EXPECT_EQ(legal_steps(kTwo, shape, "fixed"), nodes_of(shape) / 2 + odd + 1)
        << shape[0] << "x" << shape[1];
  }
}

TEST(TwoPacket, PrintedVariant_TakesLonger) {
  EXPECT_EQ(legal_steps(kTwo, {4, 5}, "printed"), 25U);
  EXPECT_EQ(legal_steps(kTwo, {4, 5}, "fixed"), 16U);
  EXPECT_EQ(legal_steps(kTwo, {6, 7}, "fixed"), 29U);
  EXPECT_EQ(legal_steps(kTwo, {6, 7}, "fixed-flipped"), 36U);
}

TEST(TwoPacket, TwoDimensions_RunsAlongTheCyclesOfThePaper) {
  EXPECT_EQ(walk(gossip_table(kTwo, {4, 6}), 0, 13),
            "(0,0)(0,1)(3,1)(3,2)(0,2)(0,3)(3,3)(3,4)(0,4)(0,5)(1,5)(1,0)(2,0)");
  const LinkPrograms odd = gossip_table(kTwo, {4, 5});
  EXPECT_EQ(walk(odd, 0, odd.cycles[0].nodes.size()),
            "(0,0)(0,1)(3,1)(3,2)(0,2)(0,3)(0,4)(1,4)(1,0)(2,0)(2,1)(1,1)(1,2)(2,2)(2,3)(2,4)(3,4)(3,0)");
}

TEST(TwoPacket, Data_IsSplitEvenly) {
  const Algorithm& algorithm = *AlgorithmRegistry::find(kTwo);
  const auto schedule = algorithm.make(torus({4, 4}), gossip_parameters(algorithm, "", 65));
  const auto& bytes = schedule->facts().collective.chunk_bytes;
  ASSERT_EQ(bytes.size(), 32U);
  EXPECT_EQ(bytes[0], 33U);
  EXPECT_EQ(bytes[1], 32U);
}

TEST(HamiltonianCycles, AnyTorus_CyclesAreHamiltonianAndUseEachLinkOnce) {
  for (const auto& [dimensions, most] : {std::pair{2U, 14U}, {3U, 6U}, {4U, 4U}, {5U, 3U}}) {
    for (const Shape& shape : shapes(dimensions, 3, most)) {
      expect_hamiltonian_and_disjoint(gossip_table(kCycles, shape));
    }
  }
}

TEST(HamiltonianCycles, AnyTorus_GossipsInTheFewestSteps) {
  for (const auto& [dimensions, most] : {std::pair{2U, 9U}, {3U, 5U}, {4U, 3U}}) {
    for (const Shape& shape : shapes(dimensions, 3, most)) {
      EXPECT_EQ(legal_steps(kCycles, shape), ceil_div(nodes_of(shape) - 1, 2)) << torus(shape).name();
    }
  }
}

TEST(HamiltonianCycles, SmallestTori_HaveTheListedCycles) {
  const LinkPrograms same = gossip_table(kCycles, {3, 3});
  EXPECT_EQ(walk(same, 0, 9), "(0,0)(0,1)(0,2)(1,2)(1,0)(1,1)(2,1)(2,2)(2,0)");
  EXPECT_EQ(walk(same, 1, 9), "(0,0)(0,2)(2,2)(1,2)(1,1)(0,1)(2,1)(2,0)(1,0)");
  EXPECT_EQ(walk(gossip_table(kCycles, {4, 3}), 0, 12),
            "(0,0)(0,1)(1,1)(2,1)(2,2)(3,2)(3,1)(3,0)(2,0)(1,0)(1,2)(0,2)");
}

TEST(OnePacket, EvenSide_TakesHalfACycle) {
  for (std::uint32_t n1 = 4; n1 <= 10; n1 += 2) {
    for (std::uint32_t n2 = 2; n2 <= 10; ++n2) {
      const std::uint64_t length = n1 * (n2 + 2) / 2;
      EXPECT_EQ(legal_steps(kOne, {n1, n2}), (length + 1) / 2) << n1 << "x" << n2;
      EXPECT_LE(legal_steps(kOne, {n1, n2}, "fixed"), (length + n2 + 3) / 2 + 1) << n1 << "x" << n2;
      // The even side may be the second, where the first is odd.
      if (n2 % 2 == 0) continue;
      EXPECT_EQ(legal_steps(kOne, {n2, n1}), (length + 1) / 2) << n2 << "x" << n1;
    }
  }
  EXPECT_EQ(legal_steps(kOne, {8, 8}, "fixed"), 26U);
  EXPECT_EQ(legal_steps(kOne, {8, 8}, "fixed-flipped"), 36U);
  EXPECT_EQ(walk(gossip_table(kOne, {4, 4}), 0, 12),
            "(0,0)(1,0)(1,1)(2,1)(2,2)(2,3)(2,0)(3,0)(3,1)(0,1)(0,2)(0,3)");
}

TEST(OnePacket, TwoOddSides_TakesTheStepsOfTheFormula) {
  for (std::uint32_t n1 = 3; n1 <= 11; n1 += 2) {
    for (std::uint32_t n2 = 3; n2 <= 11; n2 += 2) {
      const std::uint64_t more = n1 == 3 && n2 == 11 ? 1 : 0;
      EXPECT_LE(legal_steps(kOne, {n1, n2}, "lists"), ceil_div(n1 * n2 + 2 * n1 + 4, 4) + more)
          << n1 << "x" << n2;
      EXPECT_GT(legal_steps(kOne, {n1, n2}, "fixed"), 0U);
    }
  }
  EXPECT_EQ(legal_steps(kOne, {3, 3}), 4U);
  EXPECT_EQ(legal_steps(kOne, {5, 5}), 10U);
  EXPECT_EQ(legal_steps(kOne, {5, 5}, "fixed"), 14U);
  EXPECT_EQ(legal_steps(kOne, {7, 7}), 17U);
  EXPECT_EQ(legal_steps(kOne, {7, 7}, "fixed"), 24U);
}

TEST(OnePacket, ThreeDimensions_TakesTheStepsOfTheFormula) {
  for (std::uint32_t n1 = 3; n1 <= 6; n1 += 3) {
    for (std::uint32_t n2 = n1; n1 * n2 * 3 <= 300; n2 += n1) {
      for (std::uint32_t n3 = 3; n1 * n2 * n3 <= 300; ++n3) {
        const Shape shape{n1, n2, n3};
        const std::uint64_t length = n1 * n2 * (n3 + 3) / 3;
        const std::uint64_t steps = legal_steps(kOne, shape);
        EXPECT_TRUE(steps == (length + 1) / 2 || steps + 1 == (length + 1) / 2) << torus(shape).name();
      }
    }
  }
  EXPECT_EQ(legal_steps(kOne, {6, 6, 4}), 42U);
  EXPECT_EQ(legal_steps(kOne, {6, 6, 4}, "fixed"), 60U);
  EXPECT_EQ(legal_steps(kOne, {6, 6, 4}, "fixed-flipped"), 80U);
  EXPECT_EQ(walk(gossip_table(kOne, {3, 3, 4}), 0, 9),
            "(0,0,0)(1,0,0)(1,0,1)(2,0,1)(2,0,2)(2,1,2)(2,1,3)(2,1,0)(0,1,0)");
}

TEST(OnePacket, FourDimensions_TakesTheStepsOfTheFormula) {
  EXPECT_EQ(legal_steps(kOne, {4, 4, 4, 4}), 64U);
  EXPECT_EQ(legal_steps(kOne, {4, 4, 4, 5}), 73U);
  EXPECT_EQ(legal_steps(kOne, {4, 4, 4, 5}, "fixed"), 137U);
}

TEST(TranslatedTree, AnyTorus_GossipsInTheFewestSteps) {
  for (const auto& [dimensions, most] :
       {std::pair{1U, 20U}, {2U, 12U}, {3U, 5U}, {4U, 4U}, {5U, 3U}, {6U, 2U}}) {
    for (const Shape& shape : shapes(dimensions, 2, most)) {
      const auto schedule = make_gossip(kTree, shape);
      // Of two links to one neighbour the first step can use one.
      std::uint64_t slots = nodes_of(shape) - 1;
      std::uint64_t diameter = 0;
      for (const std::uint32_t side : shape) {
        slots += side == 2 ? 1 : 0;
        diameter += side / 2;
      }
      const CheckReport report = check_schedule(*schedule);
      EXPECT_TRUE(report.legal) << torus(shape).name();
      EXPECT_EQ(report.steps, std::max(diameter, ceil_div(slots, 2 * dimensions))) << torus(shape).name();
      EXPECT_EQ(report.steps, schedule->facts().claimed_steps) << torus(shape).name();
      EXPECT_EQ(report.max_channel_load, 1U) << torus(shape).name();
      EXPECT_EQ(report.redundant_deliveries, 0U) << torus(shape).name();
    }
  }
}

TEST(TranslatedTree, Torus4x4_SendsTheListedPackets) {
  const auto schedule = make_gossip(kTree, {4, 4});
  const Topology& topology = schedule->facts().topology;
  std::string text;
  Step step;
  for (int number = 1; schedule->next(step); ++number) {
    text += " " + std::to_string(number) + ":";
    for (const Message& message : step.messages()) {
      if (step.chunks(message)[0] != 0) continue;
      const auto to = topology.coordinates(message.destination);
      text += " " +
              topology.port_name(first_port(topology, message.source, message.destination, message.route)) +
              ":(" + std::to_string(to[0]) + "," + std::to_string(to[1]) + ")";
    }
  }
  EXPECT_EQ(text,
            " 1: +0:(1,0) -0:(3,0) +1:(0,1) -1:(0,3) 2: +0:(1,3) -0:(2,0) +1:(1,1) -1:(0,2)"
            " 3: +0:(2,1) -0:(3,1) +1:(1,2) -1:(3,3) 4: +0:(2,2) -0:(2,3) +1:(3,2)");
}

TEST(NaiveRounds, Rounds_TakeTheStepsOfTheirLoads) {
  EXPECT_EQ(legal_steps("naive-rounds", {4, 4}), 38U);
  EXPECT_EQ(legal_steps("naive-rounds", {8, 8}), 284U);
  EXPECT_EQ(legal_steps("naive-rounds", {3, 3, 3}), 68U);
}

TEST(NaiveRounds, WholePath_IsOneStepARound) {
  const Algorithm& algorithm = *AlgorithmRegistry::find("naive-rounds");
  ParameterValues values = gossip_parameters(algorithm);
  values.set("travel", std::string("whole-path"));
  const auto schedule = algorithm.make(torus({4, 3}), values);
  const CheckReport report = check_schedule(*schedule);
  EXPECT_TRUE(report.legal);
  EXPECT_EQ(report.steps, 11U);
  EXPECT_EQ(report.redundant_deliveries, 0U);
}

TEST(Gossips, MadeTwice_IsTheSame) {
  for (const auto& [name, shape] :
       {std::pair<std::string, Shape>{kTwo, {4, 5}}, {kOne, {5, 5}}, {kOne, {3, 3, 4}}, {kTree, {4, 5}}}) {
    const auto one = make_gossip(name, shape);
    const auto other = make_gossip(name, shape);
    Step a;
    Step b;
    while (one->next(a)) {
      ASSERT_TRUE(other->next(b));
      ASSERT_EQ(a.messages().size(), b.messages().size());
      for (std::size_t i = 0; i < a.messages().size(); ++i) {
        ASSERT_EQ(a.messages()[i].source, b.messages()[i].source);
        ASSERT_EQ(a.messages()[i].destination, b.messages()[i].destination);
        ASSERT_EQ(a.chunks(a.messages()[i])[0], b.chunks(b.messages()[i])[0]);
      }
    }
    EXPECT_FALSE(other->next(b));
  }
}

/// A gossip in memory without one packet, or with two steps exchanged.
CheckReport spoiled(const std::string& name, const Shape& shape, std::size_t dropped, std::size_t exchanged) {
  const auto original = make_gossip(name, shape);
  std::vector<Step> steps;
  Step step;
  while (original->next(step)) steps.push_back(step);
  if (exchanged != 0) std::swap(steps[exchanged - 1], steps[exchanged]);
  ScheduleFacts facts = original->facts();
  facts.steps = 0;
  facts.messages = 0;
  MemorySchedule copy(std::move(facts));
  std::size_t number = 0;
  for (const Step& each : steps) {
    copy.begin_step();
    for (const Message& message : each.messages()) {
      if (++number == dropped) continue;
      copy.add(message.source, message.destination, message.route, {each.chunks(message)[0]});
    }
  }
  return check_schedule(copy);
}

TEST(Gossips, DroppedPacketOrExchangedStep_IsReported) {
  for (const auto& [name, shape] :
       {std::pair<std::string, Shape>{kTree, {4, 5}}, {kCycles, {3, 5}}, {kTwo, {4, 3}}}) {
    EXPECT_TRUE(spoiled(name, shape, 0, 0).legal) << name;
    EXPECT_FALSE(spoiled(name, shape, 1, 0).legal) << name;
    EXPECT_FALSE(spoiled(name, shape, 0, 1).legal) << name;
  }
}

}  // namespace
}  // namespace flitscope::test::meyer_sibeyn_test
