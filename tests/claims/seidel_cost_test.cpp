// Seidel's broadcasts at sides that are powers of two: legal from every source, with at most 2^nu messages on
// a link, at exactly the cost of the paper's formulas, and in runs of bytes.
#include <gtest/gtest.h>

#include "sim/claims/papers/seidel/cases.h"
#include "tests/support/seidel.h"

namespace flitscope::seidel_cost_test {
namespace {

using claims::seidel::Formula;
using claims::seidel::formulas;
using claims::seidel::Fraction;
using claims::seidel::Shape;
using claims::seidel::step_cost;
using claims::seidel::StepCost;
using test::make;
using test::SeidelCase;
using test::verdict;
using Coordinates = std::vector<std::uint32_t>;

SeidelCase broadcast_of(const Formula& formula, const Shape& shape, Coordinates source) {
  SeidelCase of{formula.algorithm, {1U << shape.d2}};
  if (!shape.linear()) of.shape.push_back(1U << shape.d1);
  of.source = std::move(source);
  of.nu = shape.nu;
  return of;
}

bool admitted(const Formula& formula, const Shape& shape) {
  if (formula.linear != shape.linear()) return false;
  if (shape.nu > 0 && !formula.takes_nu) return false;
  return shape.nu < (shape.linear() ? shape.d2 : shape.shorter());
}

/// All sources of small networks; of larger ones the corners and a few inner nodes.
std::vector<Coordinates> sources(const Shape& shape) {
  const std::uint32_t columns = 1U << shape.d2;
  const std::uint32_t rows = 1U << shape.d1;
  const bool all = columns * rows <= 64;
  std::vector<Coordinates> list;
  for (std::uint32_t r = 0; r < rows; ++r) {
    for (std::uint32_t c = 0; c < columns; ++c) {
      const bool corner = (r == 0 || r == rows - 1) && (c == 0 || c == columns - 1);
      const bool inner = (r * columns + c) % (rows * columns / 4 + 1) == rows * columns / 9;
      if (!all && !corner && !inner) continue;
      list.push_back(shape.linear() ? Coordinates{c} : Coordinates{c, r});
    }
  }
  return list;
}

void expect_cost_from_everywhere(const Formula& formula, const Shape& shape) {
  for (const Coordinates& source : sources(shape)) {
    const SeidelCase of = broadcast_of(formula, shape, source);
    const auto schedule = make(of);
    ASSERT_EQ(verdict(*schedule), "legal") << of.name();
    EXPECT_EQ(step_cost(*make(of), shape.nu), formula.right(shape)) << of.name();
    EXPECT_EQ(schedule->facts().claimed_steps, formula.printed(shape).steps) << of.name();
  }
}

TEST(SeidelLinear, AnySource_CostsAreThoseOfTheFormulas) {
  for (const Formula& formula : formulas()) {
    for (unsigned d = 1; d <= 6; ++d) {
      for (unsigned nu = 0; nu <= 2; ++nu) {
        if (const Shape shape{0, d, nu}; admitted(formula, shape))
          expect_cost_from_everywhere(formula, shape);
      }
    }
  }
}

TEST(SeidelMesh, AnySource_CostsAreThoseOfTheFormulas) {
  for (const Formula& formula : formulas()) {
    for (unsigned d1 = 1; d1 <= 4; ++d1) {
      for (unsigned d2 = 1; d2 <= 5; ++d2) {
        for (unsigned nu = 0; nu <= 2; ++nu) {
          if (const Shape shape{d1, d2, nu}; admitted(formula, shape))
            expect_cost_from_everywhere(formula, shape);
        }
      }
    }
  }
}

TEST(SeidelMesh, WorkedExamples_HaveTheirCosts) {
  const auto cost = [](const std::string& algorithm, const Shape& shape) {
    return step_cost(*make(broadcast_of(claims::seidel::formula(algorithm), shape, {})), shape.nu);
  };
  EXPECT_EQ(cost("seidel-st-linear", {0, 4, 1}), (StepCost{Fraction(5, 2), 5}));
  EXPECT_EQ(cost("seidel-bst-linear", {0, 4, 0}), (StepCost{Fraction(5, 2), 5}));
  EXPECT_EQ(cost("seidel-st-mesh-five-phase", {3, 4, 1}), (StepCost{Fraction(13, 4), 9}));
  EXPECT_EQ(cost("seidel-bst-mesh", {3, 3, 0}), (StepCost{Fraction(17, 8), 9}));
  EXPECT_EQ(cost("seidel-rh-mesh", {3, 3, 0}), (StepCost{Fraction(129, 64), 12}));
  EXPECT_EQ(cost("seidel-bst-mesh", {1, 1, 0}), (StepCost{Fraction(3, 2), 4}));
}

/// Every message is a run of the data's bytes, so that nothing has to be permuted.
bool in_runs(Schedule& schedule) {
  for (Step step; schedule.next(step);) {
    for (const Message& message : step.messages()) {
      const auto chunks = step.chunks(message);
      for (std::size_t i = 1; i < chunks.size(); ++i) {
        if (chunks[i] != chunks[i - 1] + 1) return false;
      }
    }
  }
  return true;
}

TEST(SeidelTrees, AnySource_MessagesAreRunsOfBytesExceptInHalving) {
  for (const Formula& formula : formulas()) {
    const Shape shape = formula.linear ? Shape{0, 4, 1} : Shape{3, 4, formula.takes_nu ? 1U : 0U};
    for (const Coordinates& source : sources(shape)) {
      const SeidelCase of = broadcast_of(formula, shape, source);
      EXPECT_EQ(in_runs(*make(of)), !formula.halving) << of.name();
    }
  }
}

TEST(SeidelTrees, LargestNu_ReachesTheAdmittedLoad) {
  for (const unsigned nu : {0U, 1U, 2U}) {
    for (const char* const algorithm : {"seidel-st-linear", "seidel-bst-linear"}) {
      const auto schedule = make({algorithm, {32}, {}, nu});
      EXPECT_EQ(check_schedule(*schedule).max_channel_load, 1U << nu) << algorithm;
    }
    for (const char* const algorithm : {"seidel-st-mesh", "seidel-bst-mesh", "seidel-st-mesh-five-phase"}) {
      const auto schedule = make({algorithm, {32, 16}, {}, nu});
      EXPECT_EQ(check_schedule(*schedule).max_channel_load, 1U << nu) << algorithm;
    }
  }
}

TEST(SeidelHalving, Links_AreSharedAsCountedInSections35And36) {
  const auto loads = [](const SeidelCase& of) {
    std::vector<std::uint32_t> list;
    CheckOptions options;
    options.on_step = [&](const StepSummary& step) { list.push_back(step.load.max_load); };
    const auto schedule = make(of);
    EXPECT_TRUE(check_schedule(*schedule, options).legal);
    return std::vector<std::uint32_t>(list.begin() + static_cast<std::ptrdiff_t>(list.size() / 2),
                                      list.end());
  };
  using Loads = std::vector<std::uint32_t>;
  EXPECT_EQ(loads({"seidel-rh-linear", {16}}), (Loads{8, 4, 2, 1}));
  EXPECT_EQ(loads({"seidel-rh-mesh", {8, 8}}), (Loads{2, 2, 1, 1, 1, 1}));
  EXPECT_EQ(loads({"seidel-rh-mesh", {32, 8}}), (Loads{16, 8, 2, 2, 1, 1, 1, 1}));
  EXPECT_EQ(loads({"seidel-rh-mesh", {8, 32}}), (Loads{16, 8, 2, 2, 1, 1, 1, 1}));
}

TEST(Seidel, UnevenLength_IsSplitWithinAByte) {
  for (const std::int64_t bytes : {1, 7, 17, 1000, 4099}) {
    for (const Formula& formula : formulas()) {
      SeidelCase of = broadcast_of(formula, formula.linear ? Shape{0, 4, 0} : Shape{2, 3, 0}, {});
      of.message = bytes;
      const auto schedule = make(of);
      std::uint64_t sum = 0;
      for (const std::uint64_t part : schedule->facts().collective.chunk_bytes) sum += part;
      EXPECT_EQ(sum, static_cast<std::uint64_t>(bytes)) << of.name();
      const auto [least, most] = std::ranges::minmax(schedule->facts().collective.chunk_bytes);
      EXPECT_LE(most - least, 1U) << of.name();
      EXPECT_EQ(verdict(*schedule), "legal") << of.name();
    }
  }
}

TEST(Seidel, MadeTwice_IsTheSame) {
  for (const Formula& formula : formulas()) {
    const SeidelCase of = broadcast_of(formula, formula.linear ? Shape{0, 3, 0} : Shape{2, 3, 0}, {});
    EXPECT_EQ(test::written_out(*make(of)), test::written_out(*make(of))) << of.name();
  }
}

}  // namespace
}  // namespace flitscope::seidel_cost_test
