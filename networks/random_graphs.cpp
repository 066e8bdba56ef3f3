// Networks whose links are drawn: Jellyfish, a random regular graph of routers, and Xpander, a lift of a
// complete graph: groups of routers, of which every two are joined by a random matching.
#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <functional>
#include <numeric>
#include <random>
#include <set>
#include <utility>

#include "model/random.h"
#include "networks/grid.h"
#include "networks/network_family.h"

namespace flitscope::random_graphs {
namespace {

/// Pairs of routers, each pair once, the lower number first.
using RouterPairs = std::set<std::pair<std::uint32_t, std::uint32_t>>;

bool is_connected(std::uint32_t routers, const RouterPairs& links) {
  boost::disjoint_sets_with_storage<> parts(routers);
  for (const auto& [one, other] : links) parts.union_set(one, other);
  for (std::uint32_t router = 1; router < routers; ++router) {
    if (parts.find_set(router) != parts.find_set(0U)) return false;
  }
  return true;
}

/// The first of the networks that `draw` makes in which every router reaches every other one. Throws
/// Inadmissible("topology.degree") if none of the first hundred is.
RouterPairs connected_links(const ParameterValues& values, std::uint32_t routers,
                            const std::function<RouterPairs(std::mt19937_64& random)>& draw) {
  constexpr unsigned kTries = 100;
  std::mt19937_64 random(static_cast<std::uint64_t>(values.integer("seed")));
  for (unsigned i = 0; i < kTries; ++i) {
    RouterPairs links = draw(random);
    if (is_connected(routers, links)) return links;
  }
  throw Inadmissible("topology.degree",
                     "none of {} drawn networks connects all {} routers; use more links a router", kTries,
                     routers);
}

Parameter link_seed_parameter() {
  return Parameter::integer("seed", "of the random links: the same seed, the same network").or_else("1");
}

/// Draws links one by one, as the paper does: between two routers that are not linked and have a port left.
/// Where there are none, ports that are left take the place of a drawn link, two at a time.
class Drawing {
 public:
  Drawing(std::uint32_t routers, std::uint32_t degree, std::mt19937_64& random)
      : random_(random), left_(routers, degree) {}

  RouterPairs links() {
    while (join_free_pair()) {
    }
    while (true) {
      std::vector<std::uint32_t> ports;
      for (std::uint32_t router = 0; router < left_.size(); ++router)
        ports.insert(ports.end(), left_[router], router);
      if (ports.size() < 2 || !splice(ports[0], ports[1])) return std::move(links_);
    }
  }

 private:
  [[nodiscard]] std::uint32_t below(std::size_t bound) {
    return static_cast<std::uint32_t>(random_below(random_, bound));
  }
  [[nodiscard]] bool are_linked(std::uint32_t one, std::uint32_t other) const {
    return one == other || links_.contains(std::minmax(one, other));
  }
  void join(std::uint32_t one, std::uint32_t other) {
    links_.insert(std::minmax(one, other));
    --left_[one];
    --left_[other];
  }

  bool join_free_pair() {
    std::vector<std::uint32_t> open;
    for (std::uint32_t router = 0; router < left_.size(); ++router) {
      if (left_[router] > 0) open.push_back(router);
    }
    // Draws while most pairs will do, then looks at all.
    for (unsigned i = 0; i < 16 && open.size() > 1; ++i) {
      const std::uint32_t one = open[below(open.size())];
      const std::uint32_t other = open[below(open.size())];
      if (are_linked(one, other)) continue;
      join(one, other);
      return true;
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (std::size_t i = 0; i < open.size(); ++i) {
      for (std::size_t k = i + 1; k < open.size(); ++k) {
        if (!are_linked(open[i], open[k])) pairs.emplace_back(open[i], open[k]);
      }
    }
    if (pairs.empty()) return false;
    const auto& [one, other] = pairs[below(pairs.size())];
    join(one, other);
    return true;
  }

  /// Takes a drawn link away and joins its ends to two ports left.
  bool splice(std::uint32_t one, std::uint32_t other) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> candidates;
    for (const auto& [from, to] : links_) {
      if (!are_linked(one, from) && !are_linked(other, to)) candidates.emplace_back(from, to);
      if (!are_linked(one, to) && !are_linked(other, from)) candidates.emplace_back(to, from);
    }
    if (candidates.empty()) return false;
    const auto [from, to] = candidates[below(candidates.size())];
    links_.erase(std::minmax(from, to));
    ++left_[from];
    ++left_[to];
    join(one, from);
    join(other, to);
    return true;
  }

  std::mt19937_64& random_;
  std::vector<std::uint32_t> left_;  ///< by router: ports without a link
  RouterPairs links_;
};

GraphPlan make_jellyfish(const ParameterValues& values) {
  const auto routers = static_cast<std::uint32_t>(values.integer("routers"));
  const auto degree = static_cast<std::uint32_t>(values.integer("degree"));
  const auto concentration = static_cast<std::uint32_t>(values.integer("concentration"));
  refuse_if(degree >= routers, "topology.degree", "{} routers have {} each at most", routers,
            counted(routers - 1, "link"));
  require_links("topology.degree", std::uint64_t{degree} + concentration);
  require_routers("topology.routers", std::uint64_t{routers} * (1 + concentration));
  const RouterPairs links = connected_links(
      values, routers, [&](std::mt19937_64& random) { return Drawing(routers, degree, random).links(); });
  GraphPlan plan{.name = fmt::format("Jellyfish of {} routers and {} nodes", routers,
                                     std::uint64_t{routers} * concentration)};
  const double radius = 0.25 * routers;
  const auto at = [&](double place, double distance) {
    return beside({radius + 2, radius + 2}, radius + distance, place / routers);
  };
  for (std::uint32_t router = 0; router < routers; ++router) {
    plan.add_router({fmt::format("r{}", router), false, at(router, 0), {router}});
  }
  for (const auto& [one, other] : links) plan.join(one, other, {.kind = "router"});
  for (std::uint32_t router = 0; router < routers; ++router) {
    attach_nodes(plan, router, concentration, [&](double place) { return at(router + place, 1); });
  }
  return plan;
}

const FamilyRegistry::Entry jellyfish_entry{{
    .name = "jellyfish",
    .summary = "random regular graph of routers, to each of which nodes are attached",
    .source = "A. Singla, C. Hong, L. Popa, P. Godfrey: Jellyfish: networking data centers randomly, 2012",
    .coordinates = "number of the router, and of a node its place at the router",
    .parameters = {Parameter::integer("routers", "routers", {2, 20'000}, "routers"),
                   Parameter::integer(
                       "degree",
                       "links of a router to others; if both numbers are odd, one router has one less",
                       {1, Graph::kMaxPorts - 1}, "links"),
                   concentration_parameter("1"), link_seed_parameter()},
    .routing = "layered",
    .make = make_jellyfish,
}};

/// A random matching of the routers of every two groups.
RouterPairs lift(std::uint32_t groups, std::uint32_t routers, std::mt19937_64& random) {
  RouterPairs links;
  std::vector<std::uint32_t> partner(routers);
  for (std::uint32_t one = 0; one < groups; ++one) {
    for (std::uint32_t other = one + 1; other < groups; ++other) {
      std::iota(partner.begin(), partner.end(), 0U);
      shuffle(partner, random);
      for (std::uint32_t i = 0; i < routers; ++i) {
        links.emplace(one * routers + i, other * routers + partner[i]);
      }
    }
  }
  return links;
}

GraphPlan make_xpander(const ParameterValues& values) {
  const auto degree = static_cast<std::uint32_t>(values.integer("degree"));
  const auto routers = static_cast<std::uint32_t>(values.integer("lift"));
  const auto concentration = static_cast<std::uint32_t>(values.integer("concentration"));
  const std::uint32_t groups = degree + 1;
  require_links("topology.degree", std::uint64_t{degree} + concentration);
  require_routers("topology.lift", std::uint64_t{groups} * routers * (1 + concentration));
  const RouterPairs links = connected_links(
      values, groups * routers, [&](std::mt19937_64& random) { return lift(groups, routers, random); });
  GraphPlan plan{.name = fmt::format("Xpander of {} groups and {} nodes", groups,
                                     std::uint64_t{groups} * routers * concentration)};
  const CircleOfGroups circle{groups, routers};
  circle.add_routers(plan);
  for (const auto& [one, other] : links) plan.join(one, other, {.kind = "router"});
  for (std::uint32_t router = 0; router < groups * routers; ++router) {
    circle.attach(plan, router, router / routers, router % routers, concentration);
  }
  return plan;
}

const FamilyRegistry::Entry xpander_entry{{
    .name = "xpander",
    .summary = "`degree` + 1 groups of `lift` routers; every two groups are joined by a random matching, so "
               "that a router has a link to each other group",
    .source = "A. Valadarsky, G. Shahaf, M. Dinitz, M. Schapira: Xpander: towards optimal-performance "
              "datacenters, 2016",
    .coordinates = "group, place in the group, and of a node its place at the router",
    .parameters = {Parameter::integer("degree", "links of a router: one to each other group",
                                      {2, Graph::kMaxPorts - 1}, "links"),
                   Parameter::integer("lift", "routers of a group", {1, 20'000}, "routers"),
                   concentration_parameter("1"), link_seed_parameter()},
    .routing = "layered",
    .make = make_xpander,
}};

}  // namespace
}  // namespace flitscope::random_graphs
