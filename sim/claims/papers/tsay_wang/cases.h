// The tori on which Tsay and Wang's claims are tried, and broadcasts on them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/claims/evidence.h"
#include "sim/claims/measure.h"
#include "sim/claims/papers/tsay_wang/sets.h"

namespace flitscope::claims::tsay_wang {

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

/// What is wrong with a broadcast that should be legal and free of conflicts; empty if nothing is.
[[nodiscard]] std::string fault(const CheckReport& report);

/// Adds a case: the broadcast is legal, free of conflicts, and takes at most `claimed` steps.
void add_broadcast(Cases& cases, const Torus& torus, const std::string& workload, std::uint64_t claimed);

}  // namespace flitscope::claims::tsay_wang
