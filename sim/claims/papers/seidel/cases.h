// The cases with which Seidel's claims are measured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/seidel/planned_schedule.h"
#include "sim/claims/evidence.h"
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

/// What the checker objects to, or nothing: also more messages on a link than claimed.
[[nodiscard]] std::string objection(Schedule& schedule);

/// A variant of an algorithm that no user can ask for, from its plan: 2^d1 x 2^d2 nodes, or any `sides`
/// (columns first) with virtual nodes.
[[nodiscard]] std::unique_ptr<Schedule> variant(
    const Shape& shape, flitscope::seidel::Plan (*plan)(const flitscope::seidel::Setting&),
    const Coordinates& source = {});
[[nodiscard]] std::unique_ptr<Schedule> with_virtual_nodes(
    const Coordinates& sides, flitscope::seidel::Plan (*plan)(const flitscope::seidel::Setting&));

}  // namespace flitscope::claims::seidel
