// Common parts of Seidel's broadcasts: parameters, admissible networks, and the schedule of a plan.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/seidel/plan.h"
#include "algorithms/seidel/planned_schedule.h"

namespace flitscope::seidel {

/// Sizes as the paper's formulas have them. On a linear array d1 = 0 and d2 = d.
struct Sizes {
  unsigned d1 = 0;  ///< 2^d1 rows
  unsigned d2 = 0;  ///< 2^d2 columns
  unsigned nu = 0;
};

struct Broadcast {
  std::string name;
  std::string summary;
  /// Section and equation.
  std::string source;
  /// The cost in the paper's terms, as text.
  std::string cost;
  unsigned dimensions = 1;
  /// Whether it has the parameter nu; without, nu = 0.
  bool takes_nu = true;
  /// Whether virtual nodes can be used, with nu = 0.
  bool can_be_virtual = false;
  Plan (*plan)(const Setting&) = nullptr;
  /// Steps by the paper's formula, for sides that are powers of two.
  std::uint64_t (*claimed_steps)(const Sizes&) = nullptr;
  /// Most messages on a link, if not 2^nu.
  std::uint32_t (*claimed_load)(const Sizes&) = nullptr;
};

/// The declaration of a broadcast: source, message, nu, resize and tail are its parameters.
[[nodiscard]] Algorithm declared(const Broadcast& broadcast);

/// Requires a mesh of that many dimensions (0: any). Throws Inadmissible.
void require_mesh(const Topology& topology, const std::string& algorithm, unsigned dimensions);

}  // namespace flitscope::seidel
