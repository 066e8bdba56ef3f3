// Claims of Sections 1 and 2: bounds, and what two Hamiltonian cycles can do.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <set>

#include "sim/claims/claim.h"
#include "sim/claims/measure.h"
#include "sim/claims/papers/meyer_sibeyn/gossip.h"

namespace flitscope::claims::meyer_sibeyn {
namespace {

/// Nothing but "own packets, then everything that comes in on one port": no counters, no lists. (A single
/// packet that is relayed first is one that a PU off all cycles injects here; it is sent like an own one.)
bool is_time_independent(const LinkPrograms& table) {
  return std::ranges::all_of(table.links, [](const LinkProgram& link) {
    return std::ranges::all_of(link.rules, [&](const LinkRule& rule) {
      if (rule.kind == LinkRule::Kind::list) return false;
      return rule.kind == LinkRule::Kind::own || rule.count == LinkRule::kAll || rule.count == 1;
    });
  });
}

Finding time_independence(Extent) {
  Cases printed, repaired;
  for (const Shape& shape : Shapes{{4, 4}, {4, 5}, {5, 5}, {3, 3, 4}, {4, 4, 4, 4}}) {
    const auto test = [&](Cases& cases, const char* algorithm, const char* supply) {
      const LinkPrograms table = table_of(shape, algorithm, supply);
      cases.add(is_time_independent(table), size_of(shape),
                fmt::format("{} needs counters or lists", algorithm));
    };
    test(printed, "hamiltonian-cycles", "");
    test(repaired, "hamiltonian-cycles", "");
    test(printed, "meyer-sibeyn-one-packet", "");
    test(repaired, "meyer-sibeyn-one-packet", ", supply: fixed");
    if (shape.size() != 2 || (shape[0] % 2 == 1 && shape[1] % 2 == 1)) continue;
    test(printed, kTwoPackets, "");
    test(repaired, kTwoPackets, ", supply: fixed");
  }
  return judge(printed, repaired, "without switching, at the price of the steps shown for `fixed` below",
               "4x4, 4x5, 5x5, 3x3x4, 4x4x4x4",
               fmt::format("{} of {} tables forward alike in all steps; with fixed supplies {} of {}",
                           printed.tried() - printed.failed(), printed.tried(),
                           repaired.tried() - repaired.failed(), repaired.tried()));
}

Finding optimal_gossip(Extent extent) {
  const std::uint32_t last = quick(extent) ? 8 : 20;
  const Shapes tried = pairs(sides(3, last, 1), sides(3, last, 1));
  Cases cases;
  for (const Shape& shape : tried) {
    cases.equal(size_of(shape), "steps", (nodes_of(shape) - 1 + 3) / 4,
                checked_steps(shape, "translated-tree").value_or(0));
  }
  return judge(cases, sizes_of(tried), "exactly ceil((P-1)/4) by translated-tree");
}

Finding optimal_gossip_higher(Extent extent) {
  Shapes tried{{3, 3, 3}, {4, 3, 5}, {5, 5, 5}, {6, 6, 4}, {3, 3, 3, 3}, {4, 3, 5, 3}};
  if (!quick(extent))
    tried.insert(tried.end(), {{8, 8, 8}, {6, 6, 6, 6}, {4, 4, 4, 4, 4}, {3, 3, 3, 3, 3, 3}});
  Cases cases;
  for (const Shape& shape : tried) {
    const std::uint64_t ports = 2 * shape.size();
    cases.equal(size_of(shape), "steps", (nodes_of(shape) - 1 + ports - 1) / ports,
                checked_steps(shape, "translated-tree").value_or(0));
  }
  return judge(cases, sizes_of(tried), "exactly ceil((P-1)/2d) by translated-tree");
}

/// "Substantially": more than so many times the steps.
constexpr std::uint64_t kSubstantially = 2;

Finding naive_rounds(Extent extent) {
  Shapes tried{{4, 4}, {3, 3, 3}, {8, 8}};
  if (!quick(extent)) tried.insert(tried.end(), {{12, 12}, {6, 6, 6}});
  Cases cases;
  std::string measured;
  for (const Shape& shape : tried) {
    const std::uint64_t steps = checked_steps(shape, "naive-rounds").value();
    const std::uint64_t best = checked_steps(shape, "translated-tree").value();
    cases.add(steps > kSubstantially * best, size_of(shape), fmt::format("{} steps against {}", steps, best));
    measured += fmt::format("{}{} steps on {} ({} suffice)", measured.empty() ? "" : ", ", steps,
                            size_of(shape), best);
  }
  return judge(cases, sizes_of(tried), measured);
}

/// Steps until every PU has every packet if each runs along both cycles in both directions: the largest of
/// all distances by the shorter cycle.
std::uint64_t steps_on_two_cycles(const LinkPrograms& table) {
  const NodeId nodes = table.facts.topology.nodes();
  const auto first = places_on(table.cycles[0], nodes);
  const auto second = places_on(table.cycles[1], nodes);
  const auto distance = [&](const std::vector<int>& places, NodeId a, NodeId b) {
    const auto apart = static_cast<NodeId>(std::abs(places[a] - places[b]));
    return std::min(apart, nodes - apart);
  };
  NodeId most = 0;
  for (NodeId a = 0; a < nodes; ++a) {
    for (NodeId b = 0; b < a; ++b)
      most = std::max(most, std::min(distance(first, a, b), distance(second, a, b)));
  }
  return most;
}

/// ceil(11 P / 40 - 1)
std::uint64_t bound_of_theorem_1(std::uint64_t nodes) {
  return (11 * nodes + 39) / 40 - 1;
}

Finding theorem_1(Extent extent) {
  const std::uint32_t last = quick(extent) ? 9 : 20;
  const Shapes tried = pairs(sides(3, last, 1), sides(3, last, 1));
  Cases cases;
  std::uint64_t on_8x8 = 0;
  for (const Shape& shape : tried) {
    const std::uint64_t bound = bound_of_theorem_1(nodes_of(shape));
    const std::uint64_t steps = steps_on_two_cycles(table_of(shape, "hamiltonian-cycles"));
    if (shape == Shape{8, 8}) on_8x8 = steps;
    cases.add(steps >= bound, size_of(shape), fmt::format("{} steps, fewer than {}", steps, bound));
  }
  // Beyond tori: the second cycle visits the multiples of k.
  constexpr std::uint64_t kPrime = 101;
  std::uint64_t best = kPrime;
  for (std::uint64_t k = 2; k < kPrime; ++k) {
    std::uint64_t most = 0;
    for (std::uint64_t p = 1; p < kPrime; ++p) {
      const std::uint64_t other = p * k % kPrime;
      most = std::max(most, std::min({p, kPrime - p, other, kPrime - other}));
    }
    best = std::min(best, most);
  }
  cases.add(best >= bound_of_theorem_1(kPrime), "P = 101", fmt::format("{} steps", best));
  return judge(cases, sizes_of(tried) + "; P = 101 and multiples of k as second cycle",
               fmt::format("8x8: {} steps by the cycles of hamiltonian-cycles, the bound is {}; best pair "
                           "for P = 101: {}, the bound is {}",
                           on_8x8, bound_of_theorem_1(64), best, bound_of_theorem_1(kPrime)));
}

Finding example_1(Extent) {
  constexpr int kPus = 40;
  const std::set<int> b22{35, 11, 7, 4, 34, 8, 25, 38, 9, 6, 22, 20, 1, 17, 33, 3, 5, 10, 36, 0, 39};
  const std::set<int> b3{8, 25, 38, 9, 6, 22, 20, 1, 17, 33, 3, 5, 10, 36, 0, 39};
  const auto near = [](int i) {
    std::set<int> all;
    for (int j = i - kPus / 4; j <= i + kPus / 4; ++j) all.insert((j + kPus) % kPus);
    return all;
  };
  const auto common = [](const std::set<int>& a, const std::set<int>& b) {
    std::set<int> both;
    std::ranges::set_intersection(a, b, std::inserter(both, both.end()));
    return both;
  };
  std::set<int> first = common(near(22), b22);
  first.erase(22);
  std::vector<int> c22;
  for (int i = 23; i < 23 + kPus; ++i) {
    if (b22.contains(i % kPus) && !near(22).contains(i % kPus)) c22.push_back(i % kPus);
  }
  const std::set<int> shared = common(near(3), b3);
  Cases numbers;
  numbers.equal("k_22", "PUs", std::size_t{3}, first.size());
  numbers.equal("C_22", "PUs", std::size_t{17}, c22.size());
  numbers.equal("the median of C_22", "is it", 3, c22[c22.size() / 2]);
  numbers.add(shared.size() - 1 >= 11, "k_3", fmt::format("{}", shared.size() - 1));
  Cases printed = numbers;
  printed.equal("the intersection of A_3 and B_3", "elements",
                (std::set<int>{8, 38, 9, 6, 1, 33, 3, 5, 10, 36, 39}), shared);
  return judge(printed, numbers,
               "0 belongs to the intersection too; k_3 >= 11 stands, since 3 itself does not count", "P = 40",
               fmt::format("k_22 = {}, |C_22| = {}, median {}, k_3 = {}", first.size(), c22.size(),
                           c22[c22.size() / 2], shared.size() - 1));
}

}  // namespace

std::vector<Claim> claims_of_sections_1_and_2() {
  return {
      {"time-independence", "Abstract", "In all steps the PUs forward the received packets in the same way.",
       "no counter and no list on any link", time_independence},
      {"rounds", "Section 1", "Sending to PU i + t in round t loses substantially to congestion.",
       fmt::format("more than {} times the steps that suffice", kSubstantially), naive_rounds},
      {"optimum-2d", "Section 1, of Soch and Tvrdik",
       "Time-dependent gossip on n1 x n2 takes ceil((P-1)/4) steps.", "legal, equal", optimal_gossip},
      {"optimum-higher", "Section 1, of Soch and Tvrdik",
       "A similar construction works in higher dimensions.", "legal, equal", optimal_gossip_higher},
      {"theorem-1", "Theorem 1",
       "On two edge-disjoint Hamiltonian cycles with one packet per PU: at least ceil(11P/40 - 1) steps.",
       "no fewer steps", theorem_1},
      {"example-1", "Example 1", "The sets A, B, C of PUs 22 and 3 for P = 40.", "equal sets and numbers",
       example_1},
  };
}

}  // namespace flitscope::claims::meyer_sibeyn
