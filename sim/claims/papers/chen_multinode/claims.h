// The claims and figures of Chen, Chiang and Chen by the sections of their paper.
#pragma once

#include <vector>

#include "sim/claims/claim.h"

namespace flitscope::claims::chen_multinode {

[[nodiscard]] std::vector<Claim> partition_claims();     ///< Section 2
[[nodiscard]] std::vector<Claim> aggregation_claims();   ///< Section 3.2.1, Lemma 2
[[nodiscard]] std::vector<Claim> tuning_claims();        ///< Section 3.2.2, Lemma 3
[[nodiscard]] std::vector<Claim> distribution_claims();  ///< Section 3.3, Lemma 4
[[nodiscard]] std::vector<Claim> analysis_claims();      ///< Sections 1 and 4.1
[[nodiscard]] std::vector<Claim> simulation_claims();    ///< Section 4.2
[[nodiscard]] std::vector<Figure> figures();             ///< Figures 7 and 8, and the same on flits

}  // namespace flitscope::claims::chen_multinode
