// The cases with which Seidel's claims are measured.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/seidel/planned_schedule.h"
#include "sim/claims/claim.h"
#include "sim/claims/measure.h"
#include "sim/claims/papers/seidel/formulas.h"

namespace flitscope::claims::seidel {

extern const Claims model_claims;       // Section 2, on flits
extern const Claims cost_claims;        // Sections 3.1 to 3.6 and Table I
extern const Claims detail_claims;      // what Section 3 says beside its equations
extern const Claims comparison_claims;  // Section 3.7
extern const Claims source_claims;      // Section 4
extern const Claims size_claims;        // Section 5
extern const Claims delta_claims;       // Section 6
extern const Figures delta_figures;     // Figures 16 and 18, and what is cheapest when

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
[[nodiscard]] std::unique_ptr<Schedule> variant(
    const Shape& shape, flitscope::seidel::Plan (*plan)(const flitscope::seidel::Setting&));
[[nodiscard]] std::unique_ptr<Schedule> with_virtual_nodes(
    const Coordinates& sides, flitscope::seidel::Plan (*plan)(const flitscope::seidel::Setting&));
/// The plan of RH on a linear array, its packets numbered in the order in which they are sent first, or in
/// that in which the exchange joins them.
[[nodiscard]] flitscope::seidel::Plan rh_as_sent(const flitscope::seidel::Setting& setting);
[[nodiscard]] flitscope::seidel::Plan rh_as_joined(const flitscope::seidel::Setting& setting);

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
