// Networks whose links are drawn.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "params/parameter.h"

namespace flitscope {

/// Pairs of routers, each pair once, the lower number first.
using RouterPairs = std::set<std::pair<std::uint32_t, std::uint32_t>>;

/// The first of the networks that `draw` makes in which every router reaches every other one. Throws
/// Inadmissible(key) if none of the first hundred is.
[[nodiscard]] RouterPairs connected_links(std::uint32_t routers, std::uint64_t seed, const std::string& key,
                                          const std::function<RouterPairs(std::mt19937_64& random)>& draw);

/// `seed`: another one, other links.
[[nodiscard]] Parameter link_seed_parameter();

}  // namespace flitscope
