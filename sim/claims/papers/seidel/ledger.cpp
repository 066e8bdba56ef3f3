// Seidel: broadcasting on linear arrays and meshes, one port.
#include <algorithm>
#include <iterator>

#include "sim/claims/papers/seidel/cases.h"

namespace flitscope::claims::seidel {
namespace {

std::vector<Claim> all_claims() {
  std::vector<Claim> all;
  for (auto part : {model_claims(), cost_claims(), detail_claims(), comparison_claims(), source_claims(),
                    size_claims(), delta_claims()}) {
    std::ranges::move(part, std::back_inserter(all));
  }
  return all;
}

const PaperRegistry::Entry entry{{
    .name = "seidel",
    .citation = "Steven R. Seidel: Broadcasting on Linear Arrays and Meshes, ORNL/TM-12356, Oak Ridge "
                "National Laboratory, 1993",
    .claims = all_claims(),
    .figures = delta_figures(),
}};

}  // namespace
}  // namespace flitscope::claims::seidel
