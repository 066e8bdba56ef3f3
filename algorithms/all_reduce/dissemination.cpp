// dissemination: every node sends its whole value along a few offsets a step, which tile the torus.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/common/schedule.h"
#include "algorithms/common/spread.h"

namespace flitscope::all_reduce {
namespace {

/// A displacement on a torus: hops in each dimension, with sign.
using Offset = std::vector<std::int64_t>;

/// Of each step, the offsets that every node sends along; 0, its own place, is not listed. Every node of the
/// torus is exactly one sum of 0 or an offset of each step.
using Tiling = std::vector<std::vector<Offset>>;

/// More are not looked for: the search goes through pairs of nodes.
constexpr NodeId kMaxSearchedNodes = 1U << 14;

/// A node as the shortest displacement from node 0.
Offset shortest_offset(const Topology& torus, NodeId node) {
  Offset offset;
  for (unsigned k = 0; k < torus.dimensions(); ++k) {
    const std::int64_t x = torus.coordinate(node, k);
    const std::int64_t side = torus.side(k);
    offset.push_back(2 * x > side ? x - side : x);
  }
  return offset;
}

std::int64_t length(const Offset& offset) {
  return std::accumulate(offset.begin(), offset.end(), std::int64_t{0},
                         [](std::int64_t sum, std::int64_t x) { return sum + (x < 0 ? -x : x); });
}

/// Messages on the busiest link if every node sends along these and their opposites.
std::int64_t busiest(const std::vector<Offset>& offsets) {
  Offset load(offsets.front().size());
  for (const Offset& offset : offsets) {
    for (std::size_t k = 0; k < load.size(); ++k) load[k] += offset[k] < 0 ? -offset[k] : offset[k];
  }
  return std::ranges::max(load);
}

/// Steps of offsets +-v_1 .. +-v_D, the shortest that were found, on a torus of D dimensions; nothing if
/// there are none. There can be some only where the number of nodes is a power of q = 2D+1; they are looked
/// for by homomorphisms to the cyclic group of q.
///
/// What is left to tile after some steps is a subgroup L; a step takes a homomorphism of L onto the integers
/// modulo q and, for i = 1 .. D, a shortest v_i in L that goes to i (so that -v_i goes to -i); its kernel is
/// left to the steps that follow.
std::optional<Tiling> cross_tiling(const Topology& torus) {
  const unsigned q = 2 * torus.dimensions() + 1;
  NodeId power = torus.nodes();
  if (power > kMaxSearchedNodes) return std::nullopt;
  while (power % q == 0) power /= q;
  if (power != 1) return std::nullopt;
  std::uint64_t modulus = 1;
  for (const std::uint32_t side : torus.sides()) modulus = std::lcm(modulus, side);
  std::vector<Offset> offsets;
  std::vector<NodeId> left;
  for (NodeId node = 0; node < torus.nodes(); ++node) {
    left.push_back(node);
    offsets.push_back(shortest_offset(torus, node));
  }
  std::ranges::stable_sort(left, {}, [&](NodeId node) { return length(offsets[node]); });
  // Image under the homomorphism of a node, x to the sum of a_k x_k / n_k, takes another one: modulo q if the
  // kernel allows for that; nothing otherwise.
  const auto residue = [&](NodeId node, NodeId character) -> std::optional<std::uint64_t> {
    std::uint64_t sum = 0;
    for (unsigned k = 0; k < torus.dimensions(); ++k) {
      sum += std::uint64_t{torus.coordinate(node, k)} * torus.coordinate(character, k) *
             (modulus / torus.side(k));
    }
    sum %= modulus;
    if (sum * q % modulus != 0) return std::nullopt;
    return sum * q / modulus % q;
  };
  // v_1 .. v_D; empty if a homomorphism has none.
  const auto offsets_for = [&](NodeId character) {
    std::vector<Offset> found(torus.dimensions());
    for (const NodeId node : left) {  // the shortest first; all must go to residues
      const auto at = residue(node, character);
      if (!at) return std::vector<Offset>();
      Offset& offset = found[std::max<std::uint64_t>(1, std::min(*at, q - *at)) - 1];
      if (*at != 0 && offset.empty()) offset = offsets[node];
    }
    return std::ranges::any_of(found, &Offset::empty) ? std::vector<Offset>() : found;
  };
  Tiling tiling;
  while (left.size() > 1) {
    NodeId best = 0;
    std::vector<Offset> found;
    for (NodeId character = 1; character < torus.nodes(); ++character) {
      auto other = offsets_for(character);
      if (other.empty() || (best != 0 && busiest(other) >= busiest(found))) continue;
      best = character;
      found = std::move(other);
    }
    if (best == 0) return std::nullopt;
    auto& step = tiling.emplace_back();
    for (const Offset& offset : found) {
      step.push_back(offset);
      std::ranges::transform(offset, std::back_inserter(step.emplace_back()), std::negate());
    }
    std::erase_if(left, [&](NodeId node) { return residue(node, best) != 0U; });
  }
  return tiling;
}

/// One dimension after the other: {-w, 0, w} where a side has a factor 3, {0, w} where it has a factor 2;
/// nothing if it has another.
std::optional<Tiling> line_tiling(const Topology& torus) {
  Tiling tiling;
  for (unsigned k = 0; k < torus.dimensions(); ++k) {
    std::uint32_t width = 1;
    const auto offset = [&](std::int64_t hops) {
      Offset along(torus.dimensions());
      along[k] = hops;
      return along;
    };
    for (; torus.side(k) / width % 3 == 0; width *= 3)
      tiling.push_back({offset(width), offset(-std::int64_t{width})});
    for (; torus.side(k) / width % 2 == 0; width *= 2) tiling.push_back({offset(width)});
    if (width != torus.side(k)) return std::nullopt;
  }
  return tiling;
}

constexpr auto kName = "all-reduce-dissemination";

/// The nearest side that has no factors but 2 and 3.
std::uint32_t nearest_side(std::uint32_t side) {
  const auto fits = [](std::uint32_t k) {
    k >>= static_cast<unsigned>(std::countr_zero(k));
    while (k % 3 == 0) k /= 3;
    return k == 1;
  };
  std::uint32_t distance = 0;
  while (!fits(side + distance) && !(side > distance + 1 && fits(side - distance))) ++distance;
  return fits(side + distance) ? side + distance : side - distance;
}

void produce(const Topology& topology, const std::vector<Offset>& offsets, Step& step) {
  const ChunkId vector = 0;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (const Offset& offset : offsets) {
      NodeId to = node;
      Route route;
      for (unsigned k = 0; k < topology.dimensions(); ++k) {
        route.set_sign(k, offset[k] < 0 ? Sign::minus : Sign::plus);
        to = common::displaced(topology, to, k, offset[k]);
      }
      step.reduce(node, to, route, std::span(&vector, 1));
    }
  }
}

std::unique_ptr<Schedule> make(const Topology& topology, const ParameterValues& values) {
  require_torus(topology, kName);
  auto tiling = cross_tiling(topology);
  if (!tiling) tiling = line_tiling(topology);
  if (!tiling) {
    const auto what =
        fmt::format("sides without factors other than 2 and 3, or a power of {} nodes that crosses tile",
                    2 * topology.dimensions() + 1);
    std::vector<std::uint32_t> nearest;
    for (const std::uint32_t side : topology.sides()) nearest.push_back(nearest_side(side));
    throw wrong_shape(topology, kName, what, nearest);
  }
  ScheduleFacts facts = common::whole_vector_facts(topology, values, kName, 0);
  for (const auto& offsets : *tiling) {
    facts.send_ports = std::max(facts.send_ports, static_cast<unsigned>(offsets.size()));
    facts.messages += std::uint64_t{topology.nodes()} * offsets.size();
  }
  facts.receive_ports = facts.send_ports;
  facts.steps = tiling->size();
  facts.claimed_steps = facts.steps;
  return common::stepwise(std::move(facts),
                          [topology, tiling = std::move(*tiling)](std::uint64_t number, Step& step) {
                            produce(topology, tiling[number - 1], step);
                          });
}

const AlgorithmRegistry::Entry entry{{
    .name = kName,
    .collective = {CollectiveKind::all_reduce},
    .summary = "all-reduce on a torus by whole vectors that are sent along offsets that tile it",
    .source = "ours; three-way dissemination along lines is common knowledge",
    .claim = "log_{2D+1} p steps for p nodes where crosses tile the torus (sides 3^j, 5^j on two dimensions, "
             "7 on three); elsewhere, a step for each factor 3 and 2 of the sides",
    .admissible = "torus of sides without factors other than 2 and 3, or that crosses tile, with D "
                  "dimensions and a power of 2D+1 nodes",
    .parameters = {common::vector_parameter()},
    .make = make,
}};

}  // namespace
}  // namespace flitscope::all_reduce
