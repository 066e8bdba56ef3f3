// The tori on which Tsay and Wang's claims are tried, and broadcasts on them.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/claims/claim.h"
#include "sim/claims/measure.h"

namespace flitscope::claims::tsay_wang {

extern const Claims ring_claims, phase_claims, side_claims, flit_claims;
extern const Figures figures;

/// A torus of d sides of n nodes.
struct Torus {
  std::uint64_t n = 0;
  unsigned d = 0;
};
using Tori = Sizes<Torus>;

/// "d = 2, n = 7"
[[nodiscard]] std::string name_of(const Torus& torus);
[[nodiscard]] inline bool is_odd(const Torus& torus) {
  return torus.n % 2 == 1;
}
[[nodiscard]] inline bool is_even(const Torus& torus) {
  return torus.n % 2 == 0;
}
[[nodiscard]] std::uint64_t power(std::uint64_t base, unsigned exponent);
/// K(n) = ceil(log_{2d+1} n); r where n = (2d+1)^r.
[[nodiscard]] std::uint64_t k_of(const Torus& torus);

/// These, named "d = 1: n = 3..29; d = 2: n = 3..40".
[[nodiscard]] Tori named(std::vector<Torus> list);
/// Tori of n >= 3 and at most `nodes` nodes, if given only those for which `admits` holds, by d and then n;
/// rings up to side 243.
[[nodiscard]] Tori tori(unsigned first_d, unsigned last_d, std::uint64_t nodes,
                        const std::function<bool(const Torus&)>& admits = {});
/// Tori small enough for schedules to be checked.
[[nodiscard]] Tori checked_tori(const Trial& trial, unsigned first_d, unsigned last_d,
                                const std::function<bool(const Torus&)>& admits = {});
/// Tori whose side is a power of 2d+1.
[[nodiscard]] Tori powers(Extent extent);

/// Coordinates of a node, 0..n-1; index 0 is the paper's dimension 1.
using Node = std::vector<std::uint32_t>;

[[nodiscard]] std::uint32_t mod(std::int64_t value, std::uint64_t n);
/// D_{h,0}, h = 1 .. d: the nodes informed before phase h, by the recursion of Lemma 3.
[[nodiscard]] std::set<Node> informed_before(const Torus& torus, unsigned h);
/// Dimensions in which two nodes differ: dd(p_1, p_2).
[[nodiscard]] unsigned dimension_distance(const Node& one, const Node& other);

/// `workload`: an algorithm, and more as in a configuration: "tsay-wang, reading: literal".
[[nodiscard]] ExperimentConfig broadcast(const Torus& torus, const std::string& workload,
                                         const std::vector<std::string>& settings = {});
/// Fault of a broadcast that should be legal and free of conflicts; empty without one.
[[nodiscard]] std::string fault(const CheckReport& report);
/// Adds a case: the broadcast is legal, free of conflicts, and takes at most `claimed` steps.
void add_broadcast(Cases& cases, const Torus& torus, const std::string& workload, std::uint64_t claimed);

/// A stage of a schedule, such as "phase 2"; without steps if the schedule has none of that name.
struct Phase {
  std::uint64_t steps = 0;
  std::uint64_t messages = 0;
  std::uint64_t shared_links = 0;  ///< that carry more than one message of a step, over all steps
};

/// A schedule taken apart: what is announced, what the checker says, and each step's load.
struct Played {
  ScheduleFacts facts;
  CheckReport report;
  std::vector<StepSummary> steps;

  [[nodiscard]] Phase phase(std::string_view name) const;
};
[[nodiscard]] Played play(const Torus& torus, const std::string& workload);
/// Adds a case: there is a stage of that name, with at most `steps` steps and no shared link.
void add_phase(Cases& cases, const Torus& torus, const Played& played, const std::string& name,
               std::uint64_t steps);

}  // namespace flitscope::claims::tsay_wang
