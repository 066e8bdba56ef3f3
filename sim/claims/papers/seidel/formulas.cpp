#include "sim/claims/papers/seidel/formulas.h"

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

namespace {

/// 1 / 2^k
Fraction part(unsigned k) {
  return {1, std::int64_t{1} << k};
}

std::int64_t whole(unsigned number) {
  return number;
}

StepCost linear_st(const Shape& n) {  // Equation 2; 1 with nu = 0
  const std::int64_t d = n.d2;
  return {2 + (d - n.nu - 2) * part(n.nu), d + n.nu};
}

StepCost linear_bst(const Shape& n) {  // Equation 8; 7 with nu = 0
  const std::int64_t d = n.d2;
  return {2 + (d - n.nu - 3) * part(n.nu + 1), d + n.nu + 1};
}

StepCost linear_rh(const Shape& n) {  // Section 3.5
  const std::int64_t d = n.d2;
  return {2 + (d - n.nu - 2) * part(n.nu + 1) - part(n.d2), 2 * d};
}

StepCost st_simple(const Shape& n) {  // Section 3.2.1
  return {Fraction(n.d1 + n.d2), n.d1 + n.d2};
}

StepCost st_columns(const Shape& n) {  // Equation 3
  return {4 + (whole(n.d1 + n.d2) - 2 * whole(n.nu) - 4) * part(n.nu), n.d1 + n.d2 + 2 * whole(n.nu)};
}

StepCost st_five_phase(const Shape& n) {  // Equation 4
  return {3 + (whole(n.d1) - n.nu - 2) * part(n.nu) + (whole(n.d2) - n.nu - 1) * part(2 * n.nu),
          n.d1 + n.d2 + 2 * whole(n.nu)};
}

StepCost better_st(const Shape& n) {  // Equation 6
  const std::int64_t m = n.longer();
  return {2 + (m - n.nu - 2) * part(2 * n.nu + 1), 2 * m + 2 * whole(n.nu) + 2};
}

StepCost bst_rows(const Shape& n) {  // Section 3.4.1
  return {Fraction(n.d1 + n.d2 + 2, 2), n.d1 + n.d2 + 2};
}

StepCost bst_line(const Shape& n) {  // Equation 9
  return {Fraction(n.d1 + n.d2 + 1, 2), n.d1 + n.d2 + 1};
}

StepCost better_bst(const Shape& n) {  // Table I; Equation 10 with nu = 0
  const std::int64_t m = n.longer();
  return {2 + (2 * m - 2 * whole(n.nu) - 5) * part(2 * n.nu + 3), 2 * m + 2 * whole(n.nu) + 3};
}

/// On submeshes of 2 x 2 nodes the two blocks of four are the same, and three steps distribute to both.
StepCost better_bst_or_st(const Shape& n) {
  return n.longer() == n.nu + 1 ? better_st(n) : better_bst(n);
}

StepCost mesh_rh(const Shape& n) {  // Section 3.6, for d1 <= d2
  return {2 + (2 * (whole(n.longer()) - whole(n.shorter())) - 3) * part(n.shorter() + n.nu + 2) +
              part(2 * n.nu + 3) - part(n.d1 + n.d2),
          2 * whole(n.d1 + n.d2)};
}

}  // namespace

std::string Shape::name() const {
  return linear() ? fmt::format("n = {}, nu = {}", 1U << d2, nu)
                  : fmt::format("{} x {}, nu = {}", 1U << d1, 1U << d2, nu);
}

std::string Shape::topology() const {
  return linear() ? fmt::format("{{kind: mesh, shape: [{}]}}", 1U << d2)
                  : fmt::format("{{kind: mesh, shape: [{}, {}]}}", 1U << d2, 1U << d1);
}

const std::vector<Formula>& formulas() {
  static const std::vector<Formula> all{
      {"seidel-st-linear", "ST", "Equations 1 and 2", true, true, false, linear_st},
      {"seidel-bst-linear", "BST", "Equations 7 and 8", true, true, false, linear_bst},
      {"seidel-rh-linear", "RH", "Section 3.5", true, true, true, linear_rh},
      {"seidel-st-mesh-simple", "ST simple", "Section 3.2.1", false, false, false, st_simple},
      {"seidel-st-mesh-columns", "ST columns", "Equation 3", false, true, false, st_columns},
      {"seidel-st-mesh-five-phase", "ST five phases", "Equation 4", false, true, false, st_five_phase,
       sum_of_five_phases},
      {"seidel-st-mesh", "ST better", "Equations 5 and 6", false, true, false, better_st},
      {"seidel-bst-mesh-rows", "BST rows", "Section 3.4.1", false, false, false, bst_rows},
      {"seidel-bst-mesh-line", "BST line", "Equation 9", false, false, false, bst_line},
      {"seidel-bst-mesh", "BST better", "Equation 10 and Table I", false, true, false, better_bst,
       better_bst_or_st},
      {"seidel-rh-mesh", "RH", "Section 3.6", false, true, true, mesh_rh},
  };
  return all;
}

const Formula& formula(const std::string& algorithm) {
  const auto at = std::ranges::find(formulas(), algorithm, &Formula::algorithm);
  if (at == formulas().end()) throw std::out_of_range("no formula for " + algorithm);
  return *at;
}

StepCost sum_of_five_phases(const Shape& n) {
  const Fraction distribute = 1 - part(n.nu);
  const Fraction down_the_column = (whole(n.d1) - n.nu) * part(n.nu);
  const Fraction distribute_in_rows = distribute * part(n.nu);
  const Fraction along_the_rows = (whole(n.d2) - n.nu) * part(2 * n.nu);
  const Fraction exchange = 1 - part(2 * n.nu);
  return {distribute + down_the_column + distribute_in_rows + along_the_rows + exchange,
          n.d1 + n.d2 + 2 * whole(n.nu)};
}

double predicted(const Formula& formula, const Shape& shape, double bytes) {
  const StepCost cost = formula.right(shape);
  return boost::rational_cast<double>(cost.transmission) * bytes * kByte +
         static_cast<double>(cost.steps) * kStart + (formula.halving ? bytes * kCopy : 0);
}

double crossover(const Formula& earlier, const Formula& later, const Shape& shape) {
  const double start = predicted(later, shape, 0) - predicted(earlier, shape, 0);
  const double gain_per_byte = (predicted(earlier, shape, 1) - predicted(earlier, shape, 0)) -
                               (predicted(later, shape, 1) - predicted(later, shape, 0));
  return gain_per_byte > 1e-12 ? start / gain_per_byte : -1;
}

}  // namespace flitscope::claims::seidel
