// The cases with which Seidel's claims are measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/seidel/planned_schedule.h"
#include "sim/claims/claim.h"
#include "sim/claims/measure.h"
#include "sim/claims/papers/seidel/formulas.h"

namespace flitscope::claims::seidel {

using Coordinates = std::vector<std::uint32_t>;  ///< coordinates, columns first

/// "5/2 m a + 5 b"
[[nodiscard]] std::string text_of(const StepCost& cost);
/// "1071.4": a length in bytes, or a time.
[[nodiscard]] std::string rounded(double value);

/// Linear arrays up to 2^5 nodes, or 2^6 for the full extent, with least <= nu <= most, nu < d.
[[nodiscard]] std::vector<Shape> arrays(Extent extent, unsigned least_nu, unsigned most_nu);
/// Meshes up to 8 x 8, or 16 x 32, likewise; from small to large.
[[nodiscard]] std::vector<Shape> meshes(Extent extent, unsigned least_nu, unsigned most_nu);
/// "n = 2..32, nu = 0..2"; "2 x 2 .. 8 x 8, nu = 0"
[[nodiscard]] std::string sizes_of(const std::vector<Shape>& shapes);

/// The experiment of a broadcast of one MiB at the default machine.
[[nodiscard]] ExperimentConfig broadcast(const Formula& formula, const Shape& shape,
                                         const Coordinates& source = {},
                                         const std::vector<std::string>& settings = {});

/// First violation, or nothing: also more messages on a link than claimed.
[[nodiscard]] std::string objection(Schedule& schedule);

/// A variant of an algorithm that no user can ask for, from its plan: 2^d1 x 2^d2 nodes, or any `sides`
/// (columns first) with virtual nodes.
[[nodiscard]] std::unique_ptr<Schedule> variant(
    const Shape& shape, flitscope::seidel::Plan (*plan)(const flitscope::seidel::Setting&),
    const Coordinates& source = {});
[[nodiscard]] std::unique_ptr<Schedule> with_virtual_nodes(
    const Coordinates& sides, flitscope::seidel::Plan (*plan)(const flitscope::seidel::Setting&));

/// One port, nodes 2^nu times slower than links, and `virtual_channels` on every link.
[[nodiscard]] std::vector<std::string> one_port_machine(unsigned nu, unsigned virtual_channels);

/// Length of a cycle in microseconds that makes a flit of one byte take a = 0.08 us on a node's channel.
[[nodiscard]] double delta_cycle(unsigned nu);

/// The time in microseconds that a broadcast of `bytes` bytes from node 0 takes on flits, on a machine with
/// the Delta's constants: flits of 1 byte, intervals of 2^nu cycles at the ends, 8 virtual channels, and a, b
/// and rho in cycles of delta_cycle(nu), b rounded up; nu = `machine_nu`, by default that of the algorithm.
[[nodiscard]] double on_flits(const Formula& formula, const Shape& shape, std::uint64_t bytes,
                              const std::string& advance = "barrier",
                              std::optional<unsigned> machine_nu = std::nullopt);

/// Time on flits beyond the formula, in microseconds, by cause: time = formula + distance + rounding
/// + sharing.
struct Difference {
  double total = 0;
  double distance = 0;  ///< routers and links on the way of the longest message of each step
  double rounding = 0;  ///< b in whole cycles, packets in whole bytes
  double sharing = 0;   ///< the rest: what messages that share links cost beyond k/2^nu
};
[[nodiscard]] Difference difference(const Formula& formula, const Shape& shape, std::uint64_t bytes);

[[nodiscard]] std::vector<Claim> model_claims();       ///< Section 2, on flits
[[nodiscard]] std::vector<Claim> cost_claims();        ///< Sections 3.1 to 3.6 and Table I
[[nodiscard]] std::vector<Claim> detail_claims();      ///< what Section 3 says beside its equations
[[nodiscard]] std::vector<Claim> comparison_claims();  ///< Section 3.7
[[nodiscard]] std::vector<Claim> source_claims();      ///< Section 4
[[nodiscard]] std::vector<Claim> size_claims();        ///< Section 5
[[nodiscard]] std::vector<Claim> delta_claims();       ///< Section 6
[[nodiscard]] std::vector<Figure> delta_figures();     ///< Figures 16 and 18, and what is cheapest when

}  // namespace flitscope::claims::seidel
