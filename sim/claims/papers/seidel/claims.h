// The measurements behind Seidel's claims, by what they are about.
#pragma once

#include <vector>

#include "sim/claims/claim.h"

namespace flitscope::claims::seidel {

[[nodiscard]] std::vector<Claim> model_claims();       ///< Section 2, on flits
[[nodiscard]] std::vector<Claim> cost_claims();        ///< Sections 3.1 to 3.6 and Table I
[[nodiscard]] std::vector<Claim> detail_claims();      ///< what Section 3 says beside its equations
[[nodiscard]] std::vector<Claim> comparison_claims();  ///< Section 3.7
[[nodiscard]] std::vector<Claim> source_claims();      ///< Section 4
[[nodiscard]] std::vector<Claim> size_claims();        ///< Section 5
[[nodiscard]] std::vector<Claim> delta_claims();       ///< Section 6
[[nodiscard]] std::vector<Figure> delta_figures();     ///< Figures 16 and 18, and what is cheapest when

}  // namespace flitscope::claims::seidel
