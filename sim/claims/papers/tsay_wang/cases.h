// The tori on which Tsay and Wang's claims are tried, and broadcasts on them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/claims/claim.h"
#include "sim/claims/measure.h"

namespace flitscope::claims::tsay_wang {

/// Coordinates of a node, 0..n-1; index 0 is the paper's dimension 1.
using Node = std::vector<std::uint32_t>;

/// A torus of d sides of n nodes.
struct Torus {
  std::uint64_t n = 0;
  unsigned d = 0;
};

/// D_{h,0}, h = 1 .. d: the nodes informed before phase h, by the recursion of Lemma 3.
[[nodiscard]] std::set<Node> informed_before(const Torus& torus, unsigned h);

/// S of Section 6, all nodes with x_1 = x_2 + .. + x_d.
[[nodiscard]] std::set<Node> aligned(const Torus& torus);

/// Dimensions in which two nodes differ: dd(p_1, p_2).
[[nodiscard]] unsigned dimension_distance(const Node& one, const Node& other);

/// Two different nodes that differ in a single dimension, if the set has such.
[[nodiscard]] std::optional<std::pair<Node, Node>> neighbours_in_line(const std::set<Node>& nodes);

/// Numbers of look-ups of s_2 or s_3 in D_{h,0} in phase h (Section 5.2), and of those without exactly
/// one such node. Targets as the ring schedule has them.
struct LookUps {
  std::uint64_t all = 0;
  std::uint64_t ambiguous = 0;
};
[[nodiscard]] LookUps look_ups(const Torus& torus, unsigned h);

/// Classes of the ring that are informed after each step, by Lemma 2 as printed: the gap of two consecutive
/// informed classes is their index difference plus 1, mod n. Until nothing changes.
[[nodiscard]] std::vector<std::uint64_t> printed_growth(std::uint64_t n, unsigned d);

/// Distances from an informed class at which Lemma 2 puts its 2d new ones, the next informed class being
/// `gap` classes on; as printed, without regard to how many classes there are.
[[nodiscard]] std::vector<std::uint64_t> printed_offsets(std::uint64_t gap, unsigned d);

using Tori = std::vector<Torus>;

[[nodiscard]] std::uint64_t power(std::uint64_t base, unsigned exponent);

/// K(n) = ceil(log_{2d+1} n); r where n = (2d+1)^r.
[[nodiscard]] std::uint64_t k_of(const Torus& torus);

/// "d = 2, n = 7"
[[nodiscard]] std::string size_of(const Torus& torus);
/// "d = 1: n = 3..29; d = 2: n = 3..40"
[[nodiscard]] std::string sizes_of(const Tori& list);

/// Tori of n >= 3 and at most `nodes` nodes, if given only those for which `admits` holds, by d and then n;
/// rings up to side 243.
[[nodiscard]] Tori tori(unsigned first_d, unsigned last_d, std::uint64_t nodes,
                        const std::function<bool(const Torus&)>& admits = {});
[[nodiscard]] inline bool is_odd(const Torus& torus) {
  return torus.n % 2 == 1;
}
[[nodiscard]] inline bool is_even(const Torus& torus) {
  return torus.n % 2 == 0;
}

/// Nodes of the largest torus on which schedules are checked.
[[nodiscard]] constexpr std::uint64_t most_nodes(Extent extent) {
  return extent == Extent::quick ? 1'000 : 30'000;
}

/// Tori whose side is a power of 2d+1.
[[nodiscard]] Tori powers(Extent extent);

/// A schedule taken apart: what is announced, what the checker says, and each step's load.
struct Played {
  ScheduleFacts facts;
  CheckReport report;
  std::vector<StepSummary> steps;

  /// The stage of that name, or nullptr.
  [[nodiscard]] const Stage* stage(std::string_view name) const;
  /// Links that carry more than one message of a step, over the steps of a stage.
  [[nodiscard]] std::uint64_t shared_links(const Stage& stage) const;
  [[nodiscard]] std::uint64_t messages(const Stage& stage) const;
};

/// `workload`: an algorithm, and more as it stands in a configuration: "tsay-wang, reading: literal".
[[nodiscard]] ExperimentConfig broadcast(const Torus& torus, const std::string& workload,
                                         const std::vector<std::string>& settings = {});
[[nodiscard]] Played play(const Torus& torus, const std::string& workload);

/// Fault of a broadcast that should be legal and free of conflicts; empty without one.
[[nodiscard]] std::string fault(const CheckReport& report);

/// Adds a case: the broadcast is legal, free of conflicts, and takes at most `claimed` steps.
void add_broadcast(Cases& cases, const Torus& torus, const std::string& workload, std::uint64_t claimed);

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
