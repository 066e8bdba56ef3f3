// Seidel's broadcasts where sides are no powers of two, scatter and dimensional exchange, and what is
// refused.
#include <gtest/gtest.h>

#include <bit>

#include "algorithms/seidel/plan.h"
#include "sim/claims/papers/seidel/cases.h"
#include "tests/support/seidel.h"

namespace flitscope::seidel_sizes_test {
namespace {

using claims::seidel::Formula;
using claims::seidel::formula;
using claims::seidel::formulas;
using claims::seidel::Fraction;
using claims::seidel::Shape;
using claims::seidel::step_cost;
using claims::seidel::StepCost;
using test::make;
using test::refusal;
using test::SeidelCase;
using test::verdict;
using Coordinates = std::vector<std::uint32_t>;

unsigned floor_log(std::uint32_t n) {
  return static_cast<unsigned>(std::bit_width(n)) - 1;
}
unsigned ceil_log(std::uint32_t n) {
  return static_cast<unsigned>(std::bit_width(n - 1));
}

/// `shape` holds columns, then rows.
Shape shape_of(const Coordinates& shape, unsigned (*log)(std::uint32_t), unsigned nu) {
  return {shape.size() == 2 ? log(shape[1]) : 0, log(shape[0]), nu};
}

/// The first, the last and one in between: with companions and without.
std::vector<Coordinates> some_sources(const Coordinates& shape) {
  if (shape.size() == 1) return {{0}, {1}, {shape[0] - 1}, {shape[0] / 2}};
  return {{0, 0}, {1, 0}, {shape[0] - 1, shape[1] - 1}, {shape[0] / 2, 1}};
}

void expect_virtual(const std::string& algorithm, const Coordinates& shape) {
  for (const Coordinates& source : some_sources(shape)) {
    SeidelCase of{algorithm, shape, source};
    of.resize = "virtual";
    ASSERT_EQ(verdict(*make(of)), "legal") << of.name();
    EXPECT_EQ(step_cost(*make(of), 0), formula(algorithm).right(shape_of(shape, ceil_log, 0))) << of.name();
  }
}

TEST(SeidelVirtual, AnySides_CostsAreThoseOfThePaddedArray) {
  for (std::uint32_t n = 2; n <= 64; ++n) {
    expect_virtual("seidel-st-linear", {n});
    expect_virtual("seidel-bst-linear", {n});
  }
  for (std::uint32_t rows = 2; rows <= 17; ++rows) {
    for (std::uint32_t columns = 2; columns <= 17; ++columns) {
      expect_virtual("seidel-st-mesh-simple", {columns, rows});
      expect_virtual("seidel-bst-mesh-rows", {columns, rows});
      expect_virtual("seidel-bst-mesh-line", {columns, rows});
    }
  }
}

/// What companions cost more: nothing, or a step or two with all of the message, or one more with halves.
StepCost tail_cost(const Coordinates& shape, const std::string& tail) {
  const auto resized =
      std::ranges::count_if(shape, [](std::uint32_t side) { return !std::has_single_bit(side); });
  if (resized == 0) return {};
  return tail == "st" ? StepCost{Fraction(resized), resized}
                      : StepCost{Fraction(resized + 1, 2), resized + 1};
}

void expect_companions(const Formula& formula, const Coordinates& shape, unsigned nu) {
  const Shape full = shape_of(shape, floor_log, nu);
  if (nu >= (full.linear() ? full.d2 : full.shorter()) || (nu > 0 && !formula.takes_nu)) return;
  const StepCost cost = formula.right(full);
  for (const Coordinates& source : some_sources(shape)) {
    for (const char* const tail : {"st", "bst"}) {
      SeidelCase of{formula.algorithm, shape, source, nu, "companions", tail};
      ASSERT_EQ(verdict(*make(of)), "legal") << of.name();
      const StepCost more = tail_cost(shape, tail);
      EXPECT_EQ(step_cost(*make(of), nu),
                (StepCost{cost.transmission + more.transmission, cost.steps + more.steps}))
          << of.name();
    }
  }
}

TEST(SeidelCompanions, LinearArray_CostsOneMoreMessage) {
  for (const Formula& formula : formulas()) {
    if (!formula.linear) continue;
    for (std::uint32_t n = 2; n <= 64; ++n) {
      for (unsigned nu = 0; nu <= 2; ++nu) expect_companions(formula, {n}, nu);
    }
  }
}

TEST(SeidelCompanions, Mesh_CostsABroadcastInBlocksOfFour) {
  for (const Formula& formula : formulas()) {
    if (formula.linear) continue;
    for (std::uint32_t rows = 2; rows <= 17; ++rows) {
      // Every width, but not with every height: widths step so that all residues occur.
      for (std::uint32_t columns = 2 + rows % 3; columns <= 17; columns += 3) {
        for (unsigned nu = 0; nu <= 1; ++nu) expect_companions(formula, {columns, rows}, nu);
      }
    }
  }
}

TEST(SeidelCollectives, ScatterAndExchange_CostOneMessageLessAPacket) {
  for (const Coordinates& shape :
       std::vector<Coordinates>{{2}, {16}, {64}, {4, 8}, {16, 2}, {4, 2, 8}, {2, 2, 2, 2, 2}}) {
    unsigned d = 0;
    for (const std::uint32_t side : shape) d += floor_log(side);
    const StepCost cost{1 - Fraction(1, std::int64_t{1} << d), d};
    for (const Coordinates& source : {Coordinates{}, Coordinates(shape.size(), 1)}) {
      const SeidelCase of{"distribute", shape, source};
      ASSERT_EQ(verdict(*make(of)), "legal") << of.name();
      EXPECT_EQ(step_cost(*make(of), 0), cost) << of.name();
    }
    const SeidelCase of{"dimensional-exchange", shape};
    ASSERT_EQ(verdict(*make(of)), "legal") << of.name();
    // Links so fast that any number of messages may share them.
    EXPECT_EQ(step_cost(*make(of), 20), cost) << of.name();
  }
}

TEST(SeidelCollectives, Scatter_GivesEachNodeItsOwnPacketOnly) {
  const auto schedule = make({"distribute", {4, 4}, {2, 1}});
  const Collective& collective = schedule->facts().collective;
  ASSERT_TRUE(collective.goal.has_value());
  ASSERT_EQ(collective.goal->size(), 16U);
  for (NodeId node = 0; node < 16; ++node) {
    EXPECT_EQ((*collective.goal)[node], (Holding{node, {node}}));
  }
  EXPECT_EQ(collective.initial.front().node, 6U);
  EXPECT_EQ(collective.initial.front().chunks.size(), 16U);
}

TEST(SeidelRefuses, LargeNu_IsRefused) {
  EXPECT_EQ(refusal({"seidel-st-linear", {16}, {}, 4}),
            "workload.nu: nu must be below 4, the logarithm of the number of nodes, so at most 3, not 4");
  EXPECT_EQ(refusal({"seidel-bst-mesh", {32, 4}, {}, 2}),
            "workload.nu: nu must be below 2, the logarithm of the shorter side, so at most 1, not 2");
  EXPECT_EQ(refusal({"seidel-rh-linear", {2}, {}, 1}),
            "workload.nu: nu must be below 1, the logarithm of the number of nodes, so at most 0, not 1");
  EXPECT_EQ(refusal({"seidel-st-mesh", {17, 3}, {}, 1, "companions"}),
            "workload.nu: nu must be below 1, the logarithm of the shorter side, so at most 0, not 1");
  EXPECT_EQ(refusal({"seidel-st-linear", {16}, {}, 3}), "nothing");
}

TEST(SeidelRefuses, SideIsNoPowerOfTwo_IsRefusedWithTheNearest) {
  EXPECT_EQ(
      refusal({"seidel-st-linear", {11}}),
      "topology.shape: seidel-st-linear needs sides that are powers of two, not 11; nearest admissible: "
      "[8], or set 'resize' to 'companions' or 'virtual'");
  EXPECT_EQ(
      refusal({"seidel-st-linear", {12}, {}, 1}),
      "topology.shape: seidel-st-linear needs sides that are powers of two, not 12; nearest admissible: "
      "[16], or set 'resize' to 'companions'");
  EXPECT_EQ(
      refusal({"seidel-rh-mesh", {16, 3}}),
      "topology.shape: seidel-rh-mesh needs sides that are powers of two, not 16x3; nearest admissible: "
      "[16, 4], or set 'resize' to 'companions'");
  EXPECT_EQ(refusal({"distribute", {6}}),
            "topology.shape: distribute needs sides that are powers of two, not 6; nearest admissible: [8]");
}

TEST(SeidelRefuses, StepBeyondMemory_IsRefused) {
  EXPECT_EQ(
      refusal({"seidel-rh-linear", {1U << 17}}),
      "topology.shape: on the linear array of 131072 nodes the messages of step 33 would carry 4294967296 "
      "packets together, more than the 2147483648 that can be kept in memory; fewer nodes are needed");
  EXPECT_EQ(refusal({"seidel-bst-mesh", {1U << 9, 1U << 9}}), "nothing");
}

TEST(SeidelRefuses, VirtualNodesThatNeedSeveralPorts_AreRefused) {
  for (const Formula& formula : formulas()) {
    SeidelCase of{formula.algorithm, formula.linear ? Coordinates{5} : Coordinates{5, 5}};
    of.resize = "virtual";
    const bool possible = formula.algorithm == "seidel-st-linear" ||
                          formula.algorithm == "seidel-bst-linear" || !formula.takes_nu;
    EXPECT_EQ(refusal(of).substr(0, 16), possible ? "nothing" : "workload.resize:") << of.name();
  }
  EXPECT_EQ(
      refusal({"seidel-st-linear", {5}, {}, 1, "virtual"}),
      "workload.resize: seidel-st-linear cannot use virtual nodes with nu = 1: the last node of a side would "
      "have to send or receive several messages in a step; use 'companions'");
}

TEST(SeidelRefuses, TorusOtherDimensionsOrSourceOutside_IsRefused) {
  SeidelCase ring{"seidel-st-linear", {8}};
  ring.kind = TopologyKind::torus;
  EXPECT_EQ(refusal(ring),
            "topology.kind: seidel-st-linear needs a mesh, without wrap-around links, not a torus");
  EXPECT_EQ(refusal({"seidel-st-linear", {8, 8}}),
            "topology.shape: seidel-st-linear needs a linear array, such as [16], not 8x8 mesh");
  EXPECT_EQ(refusal({"seidel-bst-mesh", {8}}),
            "topology.shape: seidel-bst-mesh needs two dimensions, such as [32, 16] for 16 rows of 32, not "
            "linear array of 8 nodes");
  EXPECT_EQ(refusal({"seidel-st-linear", {8}, {8}}).substr(0, 16), "workload.source:");
  EXPECT_EQ(refusal({"distribute", {8, 8}, {0, 8}}).substr(0, 16), "workload.source:");
}

/// The better ST broadcast as it should not be: all four submeshes go along their columns first.
seidel::Plan all_columns_first(const seidel::Setting& setting) {
  const seidel::Axis& r = setting.rows();
  const seidel::Axis& c = setting.columns();
  seidel::Plan plan;
  seidel::Holders holders = setting.start(seidel::Numbering({r.bit(0), c.bit(0)}));
  seidel::distribute(plan, holders, {r.bit(0), c.bit(0)});
  std::vector<seidel::Holders> classes = seidel::by_class(holders, r.bit(0), c.bit(0));
  for (const seidel::Address bit :
       seidel::joined({seidel::bits_down(r, 1, r.bits), seidel::bits_down(c, 1, c.bits)})) {
    std::vector<seidel::Transfer> transfers;
    for (seidel::Holders& each : classes) transfers.push_back(each.copy(bit));
    plan.step(std::move(transfers));
  }
  return plan;
}

TEST(SeidelJudge, AllSubmeshesColumnsFirst_ShareLinks) {
  EXPECT_EQ(check_schedule(*claims::seidel::variant({2, 2, 0}, all_columns_first)).max_channel_load, 2U);
}

TEST(SeidelJudge, LostMessageOrExchangedSteps_AreIllegal) {
  const auto original = make({"seidel-bst-mesh", {4, 4}});
  std::vector<Step> steps;
  for (Step step; original->next(step);) steps.push_back(step);
  struct Spoilt final : Schedule {
    Spoilt(ScheduleFacts known, std::vector<Step> all) : facts_(std::move(known)), steps_(std::move(all)) {}
    [[nodiscard]] const ScheduleFacts& facts() const override { return facts_; }
    [[nodiscard]] bool next(Step& step) override {
      if (given_ == steps_.size()) return false;
      step = steps_[given_++];
      return true;
    }
    ScheduleFacts facts_;
    std::vector<Step> steps_;
    std::size_t given_ = 0;
  };
  for (std::size_t step = 0; step + 1 < steps.size(); ++step) {
    std::vector<Step> exchanged = steps;
    std::swap(exchanged[step], exchanged[step + 1]);
    Spoilt schedule(original->facts(), exchanged);
    EXPECT_NE(verdict(schedule), "legal") << "steps " << step + 1 << " and " << step + 2;
  }
  for (std::size_t step = 0; step < steps.size(); ++step) {
    std::vector<Step> fewer = steps;
    fewer[step].clear();
    const auto all = steps[step].messages();
    for (const Message& message : all.subspan(1)) {
      fewer[step].add(message.source, message.destination, message.route, steps[step].chunks(message));
    }
    ScheduleFacts facts = original->facts();
    --facts.messages;
    Spoilt schedule(std::move(facts), std::move(fewer));
    // The first message of each step brings something new; one to the source would not.
    EXPECT_NE(verdict(schedule), "legal") << "step " << step + 1;
  }
}

}  // namespace
}  // namespace flitscope::seidel_sizes_test
