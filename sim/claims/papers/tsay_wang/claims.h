// The measurements behind the ledger of Tsay and Wang's claims; what each measures stands in ledger.cpp.
#pragma once

#include <vector>

#include "sim/claims/claim.h"

namespace flitscope::claims::tsay_wang {

/// "Hardly depends": less than such a part more.
inline constexpr double kHardly = 0.1;

// set_claims.cpp
[[nodiscard]] Finding lone_source(Extent extent);
[[nodiscard]] Finding few_free_nodes(Extent extent);
[[nodiscard]] Finding one_in_each_subtorus(Extent extent);
[[nodiscard]] Finding same_diagonal(Extent extent);
[[nodiscard]] Finding two_dimensions_apart(Extent extent);
[[nodiscard]] Finding unique_look_up(Extent extent);
[[nodiscard]] Finding row_groups(Extent extent);
[[nodiscard]] Finding diagonals_of_planes(Extent extent);
[[nodiscard]] Finding sets_of_final_phase(Extent extent);

// phase_claims.cpp
[[nodiscard]] Finding lower_bound(Extent extent);
[[nodiscard]] Finding first_phase(Extent extent);
[[nodiscard]] Finding middle_phases(Extent extent);
[[nodiscard]] Finding no_congestion(Extent extent);
[[nodiscard]] Finding distinct_targets(Extent extent);
[[nodiscard]] Finding two_edges(Extent extent);
[[nodiscard]] Finding all_nodes_at_the_end(Extent extent);
[[nodiscard]] Finding final_phase(Extent extent);
[[nodiscard]] Finding alignment(Extent extent);
[[nodiscard]] Finding new_destinations(Extent extent);
[[nodiscard]] Finding powers_of_p(Extent extent);

// side_claims.cpp
[[nodiscard]] Finding odd_sides(Extent extent);
[[nodiscard]] Finding selection_by_rank(Extent extent);
[[nodiscard]] Finding even_sides(Extent extent);
[[nodiscard]] Finding even_sides_of_the_abstract(Extent extent);
[[nodiscard]] Finding subtorus_steps(Extent extent);
[[nodiscard]] Finding extra_phase(Extent extent);
[[nodiscard]] Finding extra_sources(Extent extent);
[[nodiscard]] Finding two_and_three_dimensions(Extent extent);
[[nodiscard]] Finding three_dimensions_without_extra(Extent extent);
[[nodiscard]] Finding no_extra_phase(Extent extent);
[[nodiscard]] Finding nearly_optimal(Extent extent);

// flit_claims.cpp
[[nodiscard]] Finding nobody_waits(Extent extent);
[[nodiscard]] Finding overlap(Extent extent);
[[nodiscard]] Finding distance(Extent extent);

// figures.cpp
[[nodiscard]] std::vector<Figure> figures();

}  // namespace flitscope::claims::tsay_wang
