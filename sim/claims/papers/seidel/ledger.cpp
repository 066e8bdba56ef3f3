// Seidel: broadcasting on linear arrays and meshes, one port.
#include <algorithm>
#include <iterator>

#include "sim/claims/papers/seidel/claims.h"

namespace flitscope::claims {
namespace {

std::vector<Claim> all_claims() {
  std::vector<Claim> all;
  for (auto part :
       {seidel::model_claims(), seidel::cost_claims(), seidel::detail_claims(), seidel::comparison_claims(),
        seidel::source_claims(), seidel::size_claims(), seidel::delta_claims()}) {
    std::ranges::move(part, std::back_inserter(all));
  }
  return all;
}

const PaperRegistry::Entry entry{{
    .name = "seidel",
    .citation =
        "Steven R. Seidel: Broadcasting on Linear Arrays and Meshes, ORNL/TM-12356, Oak Ridge National "
        "Laboratory, 1993",
    .claims = all_claims(),
    .figures = seidel::delta_figures(),
}};

}  // namespace
}  // namespace flitscope::claims
