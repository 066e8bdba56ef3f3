// What HyperX and the flattened butterfly, which is one, share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/graph.h"

namespace flitscope {

/// A grid of routers of which each has a link to every other one of its row in every dimension, with
/// `concentration` nodes each. `key` is named in the errors of its size. Throws Inadmissible.
[[nodiscard]] GraphPlan hyperx_plan(const std::vector<std::uint32_t>& sides, std::uint32_t concentration,
                                    const std::string& key);

/// Links each way of its least cut in halves.
[[nodiscard]] std::uint64_t hyperx_bisection(std::vector<std::uint32_t> sides, std::int64_t concentration);

}  // namespace flitscope
