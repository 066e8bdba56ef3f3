// Lengths of links on the layout: the key link.mm.
#pragma once

#include <vector>

#include "sim/analysis/network_cost.h"
#include "sim/config/config.h"

namespace flitscope {

/// The length of a link of each kind (LinkKinds), or one for all; empty: not known.
[[nodiscard]] const std::vector<Decimal>& link_mm(const ExperimentConfig& config);

/// Of the configuration's network, which must have links, and its machine, which must be complete.
[[nodiscard]] NetworkCost network_cost(const ExperimentConfig& config, double max_work);

}  // namespace flitscope
