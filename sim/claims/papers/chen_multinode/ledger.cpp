// Chen, Chiang and Chen: multi-node broadcast on the all-port 3-D wormhole torus.
#include <algorithm>
#include <iterator>
#include <utility>

#include "sim/claims/papers/chen_multinode/cases.h"

namespace flitscope::claims::chen_multinode {
namespace {

std::vector<Claim> all_claims() {
  std::vector<Claim> all;
  for (auto part : {partition_claims(), aggregation_claims(), tuning_claims(), distribution_claims(),
                    analysis_claims(), simulation_claims()}) {
    std::ranges::move(part, std::back_inserter(all));
  }
  return all;
}

const PaperRegistry::Entry entry{{
    .name = "chen-multinode",
    .citation = "Yuh-Shyan Chen, Chao-Yu Chiang and Che-Yi Chen: Multi-node broadcasting in all-ported 3-D "
                "wormhole-routed torus using an aggregation-then-distribution strategy, 2004",
    .claims = all_claims(),
    .figures = figures(),
}};

}  // namespace
}  // namespace flitscope::claims::chen_multinode
