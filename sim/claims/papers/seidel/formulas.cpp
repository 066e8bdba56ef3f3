#include "sim/claims/papers/seidel/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "sim/analysis/channel_load.h"

namespace flitscope::claims::seidel {

StepCost step_cost(Schedule& schedule, unsigned nu) {
  const Collective& collective = schedule.facts().collective;
  const std::uint64_t m =
      std::accumulate(collective.chunk_bytes.begin(), collective.chunk_bytes.end(), std::uint64_t{0});
  ChannelLoad load(schedule.facts().topology);
  StepCost cost;
  for (Step step; schedule.next(step);) {
    std::uint64_t longest = 0;
    for (const Message& message : step.messages()) {
      longest = std::max(longest, message_bytes(collective, step, message));
    }
    const Fraction share(static_cast<std::int64_t>(longest), static_cast<std::int64_t>(m));
    const Fraction shared(load.count(step.messages()).max_load, std::int64_t{1} << nu);
    cost.transmission += share * std::max(Fraction(1), shared);
    ++cost.steps;
  }
  return cost;
}

std::string text_of(const StepCost& cost) {
  const Fraction& a = cost.transmission;
  return a.denominator() == 1 ? fmt::format("{} m a + {} b", a.numerator(), cost.steps)
                              : fmt::format("{}/{} m a + {} b", a.numerator(), a.denominator(), cost.steps);
}

std::string name_of(const Shape& shape) {
  return shape.linear() ? fmt::format("n = {}, nu = {}", 1U << shape.d2, shape.nu)
                        : fmt::format("{} x {}, nu = {}", 1U << shape.d1, 1U << shape.d2, shape.nu);
}

std::string Shape::topology() const {
  return linear() ? fmt::format("{{kind: mesh, shape: [{}]}}", 1U << d2)
                  : fmt::format("{{kind: mesh, shape: [{}, {}]}}", 1U << d2, 1U << d1);
}

namespace {

using Whole = std::int64_t;

/// 1 / 2^k
Fraction part(Whole k) {
  return {1, Whole{1} << k};
}

StepCost cost_of(const Fraction& transmission, Whole steps) {
  return {transmission, steps};
}

StepCost better_st(Whole d1, Whole d2, Whole nu) {
  const Whole m = std::max(d1, d2);
  return {2 + (m - nu - 2) * part(2 * nu + 1), 2 * m + 2 * nu + 2};
}

StepCost better_bst(Whole d1, Whole d2, Whole nu) {
  const Whole m = std::max(d1, d2);
  return {2 + (2 * m - 2 * nu - 5) * part(2 * nu + 3), 2 * m + 2 * nu + 3};
}

/// The sum of the five phases of Equation 4.
StepCost sum_of_five_phases(Whole d1, Whole d2, Whole nu) {
  const Fraction distribute = 1 - part(nu);
  const Fraction down_the_column = (d1 - nu) * part(nu);
  const Fraction distribute_in_rows = distribute * part(nu);
  const Fraction along_the_rows = (d2 - nu) * part(2 * nu);
  const Fraction exchange = 1 - part(2 * nu);
  return {distribute + down_the_column + distribute_in_rows + along_the_rows + exchange, d1 + d2 + 2 * nu};
}

}  // namespace

const std::vector<Formula>& formulas() {
  static const std::vector<Formula> all{
      // Equation 2; 1 with nu = 0
      {"seidel-st-linear", "ST", true, true, false,
       [](Whole, Whole d, Whole nu) { return cost_of(2 + (d - nu - 2) * part(nu), d + nu); }},
      // Equation 8; 7 with nu = 0
      {"seidel-bst-linear", "BST", true, true, false,
       [](Whole, Whole d, Whole nu) { return cost_of(2 + (d - nu - 3) * part(nu + 1), d + nu + 1); }},
      // Section 3.5
      {"seidel-rh-linear", "RH", true, true, true,
       [](Whole, Whole d, Whole nu) { return cost_of(2 + (d - nu - 2) * part(nu + 1) - part(d), 2 * d); }},
      // Section 3.2.1
      {"seidel-st-mesh-simple", "ST simple", false, false, false,
       [](Whole d1, Whole d2, Whole) { return cost_of(d1 + d2, d1 + d2); }},
      // Equation 3
      {"seidel-st-mesh-columns", "ST columns", false, true, false,
       [](Whole d1, Whole d2, Whole nu) {
         return cost_of(4 + (d1 + d2 - 2 * nu - 4) * part(nu), d1 + d2 + 2 * nu);
       }},
      // Equation 4, whose total is not the sum of its five phases
      {"seidel-st-mesh-five-phase", "ST five phases", false, true, false,
       [](Whole d1, Whole d2, Whole nu) {
         return cost_of(3 + (d1 - nu - 2) * part(nu) + (d2 - nu - 1) * part(2 * nu), d1 + d2 + 2 * nu);
       },
       sum_of_five_phases},
      // Equations 5 and 6
      {"seidel-st-mesh", "ST better", false, true, false, better_st},
      // Section 3.4.1
      {"seidel-bst-mesh-rows", "BST rows", false, false, false,
       [](Whole d1, Whole d2, Whole) { return cost_of(Fraction(d1 + d2 + 2, 2), d1 + d2 + 2); }},
      // Equation 9
      {"seidel-bst-mesh-line", "BST line", false, false, false,
       [](Whole d1, Whole d2, Whole) { return cost_of(Fraction(d1 + d2 + 1, 2), d1 + d2 + 1); }},
      // Equation 10 and Table I. On submeshes of 2 x 2 nodes the two blocks of four are the same, and three
      // steps distribute to both.
      {"seidel-bst-mesh", "BST better", false, true, false, better_bst,
       [](Whole d1, Whole d2, Whole nu) {
         return std::max(d1, d2) == nu + 1 ? better_st(d1, d2, nu) : better_bst(d1, d2, nu);
       }},
      // Section 3.6, printed for d1 <= d2
      {"seidel-rh-mesh", "RH", false, true, true,
       [](Whole d1, Whole d2, Whole nu) {
         const auto [shorter, longer] = std::minmax(d1, d2);
         return cost_of(
             2 + (2 * (longer - shorter) - 3) * part(shorter + nu + 2) + part(2 * nu + 3) - part(d1 + d2),
             2 * (d1 + d2));
       }},
  };
  return all;
}

const Formula& formula(const std::string& algorithm) {
  const auto at = std::ranges::find(formulas(), algorithm, &Formula::algorithm);
  if (at == formulas().end()) throw std::out_of_range("no formula for " + algorithm);
  return *at;
}

double predicted(const Formula& formula, const Shape& shape, double bytes) {
  const StepCost cost = formula.right(shape);
  return boost::rational_cast<double>(cost.transmission) * bytes * kByte +
         static_cast<double>(cost.steps) * kStart + (formula.halving ? bytes * kCopy : 0);
}

double crossover(double earlier_start, double earlier_per_byte, double later_start, double later_per_byte) {
  const double gain_per_byte = earlier_per_byte - later_per_byte;
  return gain_per_byte > 1e-12 ? (later_start - earlier_start) / gain_per_byte : -1;
}

double crossover(const Formula& earlier, const Formula& later, const Shape& shape) {
  const auto per_byte = [&](const Formula& each) {
    return predicted(each, shape, 1) - predicted(each, shape, 0);
  };
  return crossover(predicted(earlier, shape, 0), per_byte(earlier), predicted(later, shape, 0),
                   per_byte(later));
}

}  // namespace flitscope::claims::seidel
