// The cases with which Seidel's claims are measured.
#pragma once

#include <boost/rational.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/seidel/planned_schedule.h"
#include "model/schedule.h"
#include "sim/claims/claim.h"
#include "sim/claims/measure.h"

namespace flitscope::claims::seidel {

using flitscope::seidel::Bits;
using flitscope::seidel::Holders;
using flitscope::seidel::Numbering;
using flitscope::seidel::Plan;
using flitscope::seidel::Setting;

extern const Claims model_claims;       // Section 2, on flits
extern const Claims cost_claims;        // Sections 3.1 to 3.6 and Table I
extern const Claims detail_claims;      // what Section 3 says beside its equations
extern const Claims comparison_claims;  // Section 3.7
extern const Claims source_claims;      // Section 4
extern const Claims size_claims;        // Section 5
extern const Claims delta_claims;       // Section 6
extern const Figures delta_figures;     // Figures 16 and 18, and what is cheapest when

// Seidel's costs, as printed and as they should have been.

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

// The cases.

using Coordinates = std::vector<std::uint32_t>;  ///< coordinates, columns first
using Shapes = Sizes<Shape>;

/// "1071.4": a length in bytes, or a time.
[[nodiscard]] std::string rounded(double value);

/// "n = 16, nu = 1; n = 16, nu = 2"
[[nodiscard]] Shapes listed(std::vector<Shape> shapes);
/// Linear arrays up to 2^5 nodes, or 2^6 for the full extent, with least <= nu <= most, nu < d; named
/// "n = 2 .. 32, nu = 0..2".
[[nodiscard]] Shapes arrays(Extent extent, unsigned least_nu, unsigned most_nu);
/// Meshes up to 8 x 8, or 16 x 32, likewise; from small to large: "2 x 2 .. 8 x 8, nu = 0".
[[nodiscard]] Shapes meshes(Extent extent, unsigned least_nu, unsigned most_nu);
/// Arrays and then meshes with nu = 0..2.
[[nodiscard]] Shapes arrays_and_meshes(Extent extent);

/// The experiment of a broadcast of one MiB at the default machine.
[[nodiscard]] ExperimentConfig broadcast(const Formula& formula, const Shape& shape,
                                         const Coordinates& source = {},
                                         const std::vector<std::string>& settings = {});
[[nodiscard]] std::unique_ptr<Schedule> broadcast_schedule(const std::string& algorithm, const Shape& shape);

/// What a schedule is said to cost, and where that is counted.
struct Claimed {
  Cases& cases;
  StepCost cost;
};
/// Adds cases to each: the schedule of the experiment is legal, without more messages on a link than it
/// announces, and costs what is claimed.
void add_cost(const std::string& size, const ExperimentConfig& config, unsigned nu,
              std::initializer_list<Claimed> claims);

/// A variant of an algorithm that no user can ask for, from its plan: 2^d1 x 2^d2 nodes, or any `sides`
/// (columns first) with virtual nodes.
[[nodiscard]] std::unique_ptr<Schedule> variant(const Shape& shape, Plan (*plan)(const Setting&));
[[nodiscard]] std::unique_ptr<Schedule> with_virtual_nodes(const Coordinates& sides,
                                                           Plan (*plan)(const Setting&));
/// The plan of RH on a linear array, its packets numbered in the order in which they are sent first, or in
/// that in which the exchange joins them.
[[nodiscard]] Plan rh_as_sent(const Setting& setting);
[[nodiscard]] Plan rh_as_joined(const Setting& setting);

/// One port, nodes 2^nu times slower than links, and `virtual_channels` on every link.
[[nodiscard]] std::vector<std::string> one_port_machine(unsigned nu, unsigned virtual_channels);

/// The time in microseconds that a broadcast of `bytes` bytes from node 0 takes on flits, on a machine with
/// the Delta's constants: flits of 1 byte, intervals of 2^nu cycles at the ends, 8 virtual channels, and a, b
/// and rho in cycles of a/2^nu, b rounded up; nu = `machine_nu`, by default that of the algorithm.
[[nodiscard]] double on_flits(const Formula& formula, const Shape& shape, std::uint64_t bytes,
                              const std::string& advance = "barrier",
                              std::optional<unsigned> machine_nu = std::nullopt);

/// Time on flits beyond the formula, in microseconds, by cause: time = formula + distance + rounding
/// + sharing.
struct Difference {
  double total = 0;
  double distance = 0;  ///< routers and links on the path of the longest message of each step
  double rounding = 0;  ///< b in whole cycles, packets in whole bytes
  double sharing = 0;   ///< the rest: what messages that share links cost beyond k/2^nu
};
[[nodiscard]] Difference difference(const Formula& formula, const Shape& shape, std::uint64_t bytes);

}  // namespace flitscope::claims::seidel
