// translated-tree: gossiping on any torus in the fewest steps with one packet per PU.
//
// One broadcast tree from the origin uses each of the 2d directions at most once a step, and, on sides of at
// least 3, all of them in every step but the last. All PUs run translates of it at once, and no link is asked
// for twice: in step t every PU v receives, over the link along which direction g arrives, the packet of PU v
// - w, for each entry (g, w) of the tree's step t. Time-dependent, but the same for every PU.
//
// Along a side of 2 both directions lead to the same neighbour, over a link each. In the first step only one
// of them has something to carry, so that ts sides of 2 may cost a step; the links are loaded alike still.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <utility>

#include "algorithms/common/schedule.h"
#include "algorithms/common/spread.h"
#include "algorithms/meyer_sibeyn/gossip.h"

namespace flitscope::meyer_sibeyn::translated_tree {
namespace {

constexpr auto kName = "translated-tree";

/// The PU with this offset from the origin is informed over direction `direction`.
struct Entry {
  Direction direction = 0;
  Pu offset = 0;
};
using TreeSteps = std::vector<std::vector<Entry>>;

/// Number of PUs that each step informs if it informs as many as it can: one per direction, and none that
/// lies farther from the origin than there have been steps.
std::vector<Pu> growth_of_tree(const PaperTorus& torus) {
  std::vector<Pu> within{1};  // by distance, first at it, then up to it
  for (unsigned axis = 0; axis < torus.axes(); ++axis) {
    const std::uint32_t side = torus.side(axis);
    std::vector<Pu> wider(within.size() + side / 2);
    for (std::size_t distance = 0; distance < within.size(); ++distance) {
      for (std::uint32_t x = 0; x < side; ++x) wider[distance + std::min(x, side - x)] += within[distance];
    }
    within = std::move(wider);
  }
  std::partial_sum(within.begin(), within.end(), within.begin());
  std::vector<Pu> growth;
  for (Pu informed = 1; informed < torus.size(); informed += growth.back()) {
    const std::size_t distance = std::min(growth.size() + 1, within.size() - 1);
    growth.push_back(std::min<Pu>(torus.directions(), within[distance] - informed));
  }
  return growth;
}

/// Distances of all PUs from the origin. Attempts after the first add random noise: below 1, with sides of 2
/// also below 2 and 3.
std::vector<double> distances_from_origin(const PaperTorus& torus, unsigned attempt) {
  std::mt19937_64 random(attempt);
  const double noise = std::ranges::min(torus.topology().sides()) > 2 ? 1 : 1 + attempt % 3;
  std::vector<double> distances(torus.size());
  for (Pu pu = 0; pu < torus.size(); ++pu) {
    for (unsigned axis = 0; axis < torus.axes(); ++axis) {
      const std::uint32_t x = torus.coordinate(pu, axis);
      distances[pu] += std::min(x, torus.side(axis) - x);
    }
    if (attempt > 0) distances[pu] += noise * static_cast<double>(random() >> 11) * 0x1p-53;
  }
  return distances;
}

/// By direction: PUs that it can inform, in the order in which it would.
using Options = std::vector<std::vector<Pu>>;
using Matched = std::map<Pu, Direction>;

/// Finds a PU for direction g, giving other directions other PUs where that helps (Kuhn).
bool augment(Direction g, const Options& options, Matched& matched,
             std::set<Pu>& tried) {  // NOLINT(misc-no-recursion): at most 2d deep
  for (const Pu pu : options[g]) {
    if (!tried.insert(pu).second) continue;
    const auto holder = matched.find(pu);
    if (holder == matched.end() || augment(holder->second, options, matched, tried)) {
      matched[pu] = g;
      return true;
    }
  }
  return false;
}

/// The tree step by step: each direction is given an uninformed PU that it can inform, near ones first, by a
/// matching between directions and PUs. Nothing if a step cannot inform as many as is possible by number and
/// distance.
std::optional<TreeSteps> build_tree(const PaperTorus& torus, unsigned attempt) {
  const unsigned directions = torus.directions();
  const std::vector<double> distances = distances_from_origin(torus, attempt);
  std::vector<bool> informed(torus.size());
  std::vector<std::set<std::pair<double, Pu>>> candidates(directions);  // uninformed ones, nearest first
  std::vector<Pu> uses(directions);                                     // steps so far that use a direction
  const auto inform = [&](Pu pu) {
    informed[pu] = true;
    for (Direction g = 0; g < directions; ++g) {
      candidates[g].erase({distances[pu], pu});
      const Pu next = torus.neighbour(pu, g);
      if (!informed[next]) candidates[g].insert({distances[next], next});
    }
  };
  inform(0);
  // No direction takes more than its share, so that all links carry alike.
  const Pu share = (torus.size() - 2) / directions + 1;
  TreeSteps steps;
  for (const Pu growth : growth_of_tree(torus)) {
    Options options(directions);
    std::vector<Direction> order;
    for (Direction g = 0; g < directions; ++g) {
      if (uses[g] == share) continue;
      order.push_back(g);
      for (const auto& [distance, pu] : candidates[g]) {
        if (options[g].size() == 4 * std::size_t{directions}) break;
        options[g].push_back(pu);
      }
    }
    std::ranges::stable_sort(order, {},
                             [&](Direction g) { return std::pair(candidates[g].size(), uses[g]); });
    Matched matched;
    for (const Direction g : order) {
      std::set<Pu> tried;
      (void)augment(g, options, matched, tried);
    }
    if (matched.size() < growth) return std::nullopt;
    std::vector<Entry>& step = steps.emplace_back();
    for (const auto& [pu, g] : matched) {
      step.push_back({g, pu});
      ++uses[g];
    }
    std::ranges::sort(step, {}, &Entry::direction);
    for (const Entry& entry : step) inform(entry.offset);
  }
  return steps;
}

/// The fewest steps of a gossip between neighbours: each node has 2d links, of which a pair along a side of 2
/// can bring but one new packet in the first step, and the farthest packet is as many steps away as links.
std::uint64_t claimed_steps(const Topology& torus) {
  std::uint64_t slots = torus.nodes() - 1;
  std::uint64_t diameter = 0;
  for (const std::uint32_t side : torus.sides()) {
    if (side == 2) ++slots;
    diameter += side / 2;
  }
  return std::max(diameter, (slots - 1) / torus.link_ports() + 1);
}

/// A broadcast tree from the origin in claimed_steps() steps that uses each direction at most once a step,
/// and ceil((P-1)/2d) times in all. On sides of at least 3 every step but the last uses all of them.
TreeSteps tree_steps(const PaperTorus& torus) {
  constexpr unsigned kMaxAttempts = 1000;
  for (unsigned attempt = 0; attempt < kMaxAttempts; ++attempt) {
    if (auto steps = build_tree(torus, attempt)) return std::move(*steps);
  }
  throw std::logic_error(
      fmt::format("no tree for the {} in {} attempts", torus.topology().name(), kMaxAttempts));
}

/// All-gather along the tree, from all nodes at once.
common::Spread make_spread(const Topology& topology, const ParameterValues& /*values*/,
                           const std::string& algorithm) {
  require_torus(topology, algorithm);
  const PaperTorus torus(topology);
  TreeSteps steps = tree_steps(torus);
  return {.steps = steps.size(),
          .messages = std::uint64_t{topology.nodes()} * (topology.nodes() - 1),
          .ports = torus.directions(),
          .produce = [torus, steps](std::uint64_t number, const common::Spread::Send& send) {
            const Topology& at = torus.topology();
            for (const auto& [direction, pu] : steps[number - 1]) {
              const unsigned port = torus.port(direction);
              const std::vector<std::uint32_t> offset = at.coordinates(torus.node(pu));
              for (NodeId receiver = 0; receiver < at.nodes(); ++receiver) {
                ChunkId owner = receiver;
                for (unsigned k = 0; k < at.dimensions(); ++k) {
                  owner = at.moved(owner, k, Sign::minus, offset[k]);
                }
                send(*at.upstream(receiver, port), receiver, one_hop(port), std::span(&owner, 1));
              }
            }
          }};
}

std::unique_ptr<Schedule> make(const Topology& topology, const ParameterValues& values) {
  require_torus(topology, kName);
  ScheduleFacts facts = gossip_facts(topology, values, kName, 1);
  common::Spread spread = make_spread(topology, values, kName);
  facts.steps = spread.steps;
  facts.claimed_steps = claimed_steps(topology);
  facts.messages = spread.messages;
  return common::stepwise(std::move(facts), [spread = std::move(spread)](std::uint64_t number, Step& step) {
    common::add_step(spread, number, step);
  });
}

const AlgorithmRegistry::Entry entry{{
    .name = kName,
    .collective = {CollectiveKind::gossip},
    .summary =
        "gossip on any torus in the fewest steps, one packet per node; every node runs one tree, moved",
    .source = "ours, beside Meyer and Sibeyn: the bound they compare with",
    .claim = "ceil((P-1)/2d) steps for P nodes, the fewest possible; with t sides of 2 the larger of "
             "ceil((P-1+t)/2d) and the diameter; one packet per link and step, none twice",
    .admissible = "torus of any sides and any number of dimensions",
    .parameters = {message_parameter()},
    .make = make,
    .memory = {.per_pair_of_nodes = 4},
}};

const common::Family family{{
    .name = "translated-tree",
    .how = "along one tree that is moved to every node",
    .source = "ours, beside Meyer and Sibeyn: their bound, backward and forward",
    .claim = "ceil((p-1)/2D) steps for p nodes, the fewest with neighbours; with t sides of 2 the larger of "
             "ceil((p-1+t)/2D) and the diameter; one message per link and step; ceil((p-1)/2D)/p of the "
             "vector on a link, the least possible, on every shape",
    .admissible = "torus of any sides and any number D of dimensions",
    .make = make_spread,
}};

}  // namespace
}  // namespace flitscope::meyer_sibeyn::translated_tree
