// Links that are drawn: of Jellyfish and Xpander.
#pragma once

#include <boost/pending/disjoint_sets.hpp>
#include <cstdint>
#include <functional>
#include <random>
#include <set>
#include <utility>

#include "networks/network_family.h"

namespace flitscope {

/// Pairs of routers, each pair once, the lower number first.
using RouterPairs = std::set<std::pair<std::uint32_t, std::uint32_t>>;

[[nodiscard]] inline bool is_connected(std::uint32_t routers, const RouterPairs& links) {
  boost::disjoint_sets_with_storage<> parts(routers);
  for (const auto& [one, other] : links) parts.union_set(one, other);
  for (std::uint32_t router = 1; router < routers; ++router) {
    if (parts.find_set(router) != parts.find_set(0U)) return false;
  }
  return true;
}

/// The first of the networks that `draw` makes in which every router reaches every other one. Throws
/// Inadmissible("topology.degree") if none of the first hundred is.
[[nodiscard]] inline RouterPairs connected_links(
    std::uint32_t routers, std::uint64_t seed,
    const std::function<RouterPairs(std::mt19937_64& random)>& draw) {
  constexpr unsigned kTries = 100;
  std::mt19937_64 random(seed);
  for (unsigned i = 0; i < kTries; ++i) {
    RouterPairs links = draw(random);
    if (is_connected(routers, links)) return links;
  }
  throw Inadmissible("topology.degree",
                     "none of {} drawn networks connects all {} routers; use more links a router", kTries,
                     routers);
}

[[nodiscard]] inline Parameter link_seed_parameter() {
  return Parameter::integer("seed", "of the random links: the same seed, the same network").or_else("1");
}

}  // namespace flitscope
