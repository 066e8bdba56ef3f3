#include "networks/random_links.h"

#include <fmt/format.h>

#include "model/error.h"

namespace flitscope {

namespace {

bool is_connected(std::uint32_t routers, const RouterPairs& links) {
  std::vector<std::vector<std::uint32_t>> beside(routers);
  for (const auto& [one, other] : links) {
    beside[one].push_back(other);
    beside[other].push_back(one);
  }
  std::vector<bool> seen(routers);
  std::vector<std::uint32_t> open{0};
  seen[0] = true;
  for (std::size_t i = 0; i < open.size(); ++i) {
    for (const std::uint32_t next : beside[open[i]]) {
      if (seen[next]) continue;
      seen[next] = true;
      open.push_back(next);
    }
  }
  return open.size() == routers;
}

}  // namespace

RouterPairs connected_links(std::uint32_t routers, std::uint64_t seed, const std::string& key,
                            const std::function<RouterPairs(std::mt19937_64& random)>& draw) {
  constexpr unsigned kTries = 100;
  std::mt19937_64 random(seed);
  for (unsigned i = 0; i < kTries; ++i) {
    RouterPairs links = draw(random);
    if (is_connected(routers, links)) return links;
  }
  throw Inadmissible(key, "none of {} drawn networks connects all {} routers; use more links a router",
                     kTries, routers);
}

Parameter link_seed_parameter() {
  return Parameter::integer("seed", "of the random links: the same seed, the same network").or_else("1");
}

}  // namespace flitscope
