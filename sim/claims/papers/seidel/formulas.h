// Seidel's costs, as printed and as they should have been.
#pragma once

#include <boost/rational.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "model/schedule.h"

namespace flitscope::claims::seidel {

using Fraction = boost::rational<std::int64_t>;

/// A schedule of m bytes of data takes A * m a + B * b, a the time of a byte on a node's channel, b the time
/// to start a message: B is the number of steps, A the sum of what each step takes.
struct StepCost {
  Fraction transmission;   ///< A
  std::int64_t steps = 0;  ///< B
  bool operator==(const StepCost&) const = default;
  [[nodiscard]] StepCost operator+(const StepCost& more) const {
    return {transmission + more.transmission, steps + more.steps};
  }
};

/// "5/2 m a + 5 b"
[[nodiscard]] std::string text_of(const StepCost& cost);

/// Plays a schedule. A step takes (bytes of its longest message / m) * max(1, k / 2^nu), where k is the most
/// messages on one link and links are 2^nu times faster than nodes. Requires legal messages and m < 2^31.
[[nodiscard]] StepCost step_cost(Schedule& schedule, unsigned nu);

/// 2^d1 rows and 2^d2 columns; a linear array of 2^d nodes has d1 = 0 and d2 = d. The network is 2^nu times
/// faster than the nodes.
struct Shape {
  unsigned d1 = 0;
  unsigned d2 = 0;
  unsigned nu = 0;

  [[nodiscard]] bool linear() const { return d1 == 0; }
  [[nodiscard]] unsigned longer() const { return d1 > d2 ? d1 : d2; }
  [[nodiscard]] unsigned shorter() const { return d1 < d2 ? d1 : d2; }
  /// "{kind: mesh, shape: [32, 16]}"
  [[nodiscard]] std::string topology() const;
};

/// "16 x 32, nu = 1" (rows x columns), "n = 16, nu = 1"
[[nodiscard]] std::string name_of(const Shape& shape);

/// The cost for 2^d1 x 2^d2 nodes and nu, without m rho.
using CostFormula = StepCost (*)(std::int64_t d1, std::int64_t d2, std::int64_t nu);

struct Formula {
  std::string algorithm;  ///< "seidel-st-linear"
  std::string label;      ///< "ST"
  bool linear = true;
  bool takes_nu = true;
  bool halving = false;  ///< RH: permutes the message once, m rho more
  CostFormula as_printed = nullptr;
  CostFormula corrected = nullptr;  ///< null: as printed

  [[nodiscard]] StepCost printed(const Shape& n) const { return as_printed(n.d1, n.d2, n.nu); }
  [[nodiscard]] StepCost right(const Shape& n) const {
    return (corrected == nullptr ? as_printed : corrected)(n.d1, n.d2, n.nu);
  }
};

/// In the order of the paper: three for linear arrays, eight for meshes.
[[nodiscard]] const std::vector<Formula>& formulas();
[[nodiscard]] const Formula& formula(const std::string& algorithm);

/// Table II: microseconds and bytes.
inline constexpr double kByte = 0.08;   ///< a, on the node's channel and on a link
inline constexpr double kStart = 75.0;  ///< b
inline constexpr double kCopy = 0.01;   ///< rho

/// Predicted time in microseconds of `bytes` bytes on the Delta.
[[nodiscard]] double predicted(const Formula& formula, const Shape& shape, double bytes);

/// The length at which a time that rises from `later_start` by `later_per_byte` is no more than one that
/// rises from `earlier_start`; negative if it never is. Requires that the earlier one does not start later.
[[nodiscard]] double crossover(double earlier_start, double earlier_per_byte, double later_start,
                               double later_per_byte);
/// The length from which on `later` costs less than `earlier` on the Delta, in bytes; negative if it never
/// does. Requires that `earlier` has fewer or as many steps.
[[nodiscard]] double crossover(const Formula& earlier, const Formula& later, const Shape& shape);

}  // namespace flitscope::claims::seidel
