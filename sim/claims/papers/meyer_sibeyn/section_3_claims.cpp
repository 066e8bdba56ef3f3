// Claims of Sections 1 to 3: bounds, two edge-disjoint cycles, two packets a PU.
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <set>

#include "sim/claims/evidence.h"
#include "sim/claims/measure.h"
#include "sim/claims/papers/meyer_sibeyn/gossip.h"

namespace flitscope::claims::meyer_sibeyn {
namespace {

constexpr auto kTwo = "meyer-sibeyn-two-packet";

bool quick(Extent extent) {
  return extent == Extent::quick;
}

/// R x C with R even and C odd.
Shapes mixed_parity(Extent extent) {
  return quick(extent) ? pairs(sides(4, 8, 2), sides(3, 9, 2)) : pairs(sides(4, 20, 2), sides(3, 19, 2));
}
Shapes both_even(Extent extent) {
  return quick(extent) ? pairs(sides(4, 10, 2), sides(4, 10, 2)) : pairs(sides(4, 24, 2), sides(4, 24, 2));
}
Shapes both_odd(Extent extent) {
  return quick(extent) ? pairs(sides(3, 9, 2), sides(3, 9, 2)) : pairs(sides(3, 15, 2), sides(3, 15, 2));
}

/// Nothing but "own packets, then everything that comes in on one port": no counters, no lists. (A single
/// packet that is relayed first is one that a PU off all cycles injects here; it is sent like an own one.)
bool is_time_independent(const RoutingTable& table) {
  return std::ranges::all_of(table.links, [](const LinkProgram& link) {
    return std::ranges::all_of(link.rules, [&](const LinkRule& rule) {
      if (rule.kind == LinkRule::Kind::list) return false;
      return rule.kind == LinkRule::Kind::own || rule.count == LinkRule::kAll || rule.count == 1;
    });
  });
}

Finding time_independence(Extent) {
  Cases printed;
  Cases repaired;
  for (const Shape& shape : Shapes{{4, 4}, {4, 5}, {5, 5}, {3, 3, 4}, {4, 4, 4, 4}}) {
    const auto test = [&](Cases& cases, const char* algorithm, const char* supply) {
      const RoutingTable table = table_of(shape, algorithm, supply);
      cases.add(is_time_independent(table), size_of(shape),
                fmt::format("{} needs counters or lists", algorithm));
    };
    test(printed, "hamiltonian-cycles", "");
    test(repaired, "hamiltonian-cycles", "");
    test(printed, "meyer-sibeyn-one-packet", "");
    test(repaired, "meyer-sibeyn-one-packet", ", supply: fixed");
    if (shape.size() != 2 || (shape[0] % 2 == 1 && shape[1] % 2 == 1)) continue;
    test(printed, kTwo, "");
    test(repaired, kTwo, ", supply: fixed");
  }
  return judge(printed, repaired, "without switching, at the price of the steps shown for `fixed` below",
               "4x4, 4x5, 5x5, 3x3x4, 4x4x4x4",
               "time-independent: Hamiltonian cycles, and every supply without a switch; the step counts of "
               "Theorems 3 "
               "and 5 to 7 take a counter a link, or lists");
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

Finding naive_rounds(Extent extent) {
  Shapes tried{{4, 4}, {3, 3, 3}, {8, 8}};
  if (!quick(extent)) tried.insert(tried.end(), {{12, 12}, {6, 6, 6}});
  Cases cases;
  std::string measured;
  for (const Shape& shape : tried) {
    const std::uint64_t steps = checked_steps(shape, "naive-rounds").value_or(0);
    const std::uint64_t best = checked_steps(shape, "translated-tree").value_or(0);
    cases.add(steps > 2 * best, size_of(shape), fmt::format("{} steps against {}", steps, best));
    measured += fmt::format("{}{} steps on {} ({} suffice)", measured.empty() ? "" : ", ", steps,
                            size_of(shape), best);
  }
  return judge(cases, sizes_of(tried), measured);
}

/// Steps until everyone has every packet if each runs along both cycles in both directions: the largest of
/// all distances by the shorter cycle.
std::uint64_t steps_on_two_cycles(const RoutingTable& table) {
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
  return judge(
      cases, sizes_of(tried) + "; P = 101 and multiples of k as second cycle",
      fmt::format("never below, nor near: 8x8 {} steps by the cycles of hamiltonian-cycles, the bound is "
                  "{}; best pair for P = 101: {}, the bound is {}",
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

Finding even_cycles(Extent extent) {
  const Shapes tried = both_even(extent);
  Cases cases;
  for (const Shape& shape : tried) {
    const RoutingTable table = table_of(shape, kTwo);
    cases.equal(size_of(shape), "cycles", std::size_t{2}, table.cycles.size());
    cases.add(share_no_link(table), size_of(shape), "the cycles share a link");
    for (const TableCycle& cycle : table.cycles) {
      cases.equal(size_of(shape), "PUs on a cycle", nodes_of(shape), cycle.nodes.size());
    }
  }
  return judge(cases, sizes_of(tried), "two Hamiltonian cycles without a common link");
}

Finding theorem_2(Extent extent) {
  const Shapes tried = both_even(quick(extent) ? extent : Extent::full);
  Cases cases;
  for (const Shape& shape : tried) {
    if (nodes_of(shape) > 400) continue;
    cases.equal(size_of(shape), "steps", nodes_of(shape) / 2, table_steps(shape, kTwo));
  }
  return judge(cases, sizes_of(tried) + " up to P = 400", "exactly P/2 steps");
}

Finding mixed_cycles(Extent extent) {
  const Shapes tried = mixed_parity(extent);
  Cases cases;
  for (const Shape& shape : tried) {
    const RoutingTable table = table_of(shape, kTwo);
    cases.equal(size_of(shape), "cycles", std::size_t{2}, table.cycles.size());
    cases.add(share_no_link(table), size_of(shape), "the cycles share a link");
    for (const TableCycle& cycle : table.cycles) {
      cases.equal(size_of(shape), "PUs on a cycle", std::size_t{shape[0]} * (shape[1] - 1) + shape[0] / 2,
                  cycle.nodes.size());
    }
  }
  return judge(cases, sizes_of(tried), "two cycles of R(C-1) + R/2 PUs each, R even rows, C odd columns");
}

/// Column indices of 3.2 used as rows, as they are printed beside 3.1.
Finding indices(Extent) {
  const Topology torus(TopologyKind::torus, {5, 4});
  // L-R in row n1-2 and not in column n1-2: T and B of that row connect nothing, so that its neighbours'
  // trails end.
  const auto trails = [&](bool by_column) {
    return trails_of(torus, [&](NodeId node, unsigned in) -> std::optional<unsigned> {
      const std::uint32_t row = torus.coordinate(node, by_column ? 1 : 0);
      const std::uint32_t column = torus.coordinate(node, by_column ? 0 : 1);
      const std::uint32_t columns = torus.side(by_column ? 0 : 1);
      const unsigned down = by_column ? 2 : 0;
      const unsigned right = by_column ? 0 : 2;
      const bool special = by_column ? column == columns - 2 : row == torus.side(0) - 2;
      if (special) return in / 2 == right / 2 ? std::optional(in ^ 1U) : std::nullopt;
      const bool top_right = column % 2 == 0 || column == columns - 1;
      const unsigned partner = top_right ? down : down + 1;  // of L; R goes with the other one
      if (in == right + 1) return partner;
      if (in == right) return partner ^ 1U;
      return in == partner ? right + 1 : right;
    });
  };
  Cases printed;
  printed.equal("5x4, i read as the row as in 3.1", "closed trails", std::size_t{2}, trails(false).size());
  Cases repaired;
  repaired.equal("5x4, i read as the column", "closed trails", std::size_t{2}, trails(true).size());
  return judge(printed, repaired, "in 3.2 and 3.3 i is the column and n_1 the number of columns", "5x4",
               fmt::format("{} closed trails with i as the row, {} with i as the column",
                           trails(false).size(), trails(true).size()));
}

Finding supplier_gap(Extent extent) {
  const Shapes tried = mixed_parity(extent);
  Cases printed;
  Cases repaired;
  for (const Shape& shape : tried) {
    const RoutingTable table = table_of(shape, kTwo);
    const Topology& torus = table.facts.topology;
    const std::uint32_t special = shape[1] - 2;
    for (std::uint32_t row = 0; row < shape[0]; ++row) {
      const NodeId node = torus.node(std::vector{row, special});
      for (const TableCycle& cycle : table.cycles) {
        const auto places = places_on(cycle, torus.nodes());
        if (places[node] >= 0) continue;
        const int up = places[torus.moved(node, 0, Sign::minus, 1)];
        const int down = places[torus.moved(node, 0, Sign::plus, 1)];
        const auto length = static_cast<int>(cycle.nodes.size());
        const auto between = static_cast<std::uint64_t>((down - up + length) % length - 1);
        printed.equal(size_of(shape), "PUs between", std::uint64_t{2} * shape[1] - 1, between);
        repaired.equal(size_of(shape), "PUs between", std::uint64_t{2} * shape[1] - 2, between);
      }
    }
  }
  return judge(printed, repaired, "2C - 2; 2C - 1 is their distance", sizes_of(tried), "always 2C - 2");
}

Finding theorem_3(Extent extent) {
  const Shapes tried = mixed_parity(extent);
  Cases printed;
  Cases repaired;
  for (const Shape& shape : tried) {
    printed.equal(size_of(shape), "steps", nodes_of(shape) / 2,
                  table_steps(shape, kTwo, ", supply: printed"));
    repaired.equal(size_of(shape), "steps", nodes_of(shape) / 2, table_steps(shape, kTwo));
  }
  return judge(
      printed, repaired,
      "suppliers relay from memory: first, counted, the packets that lie between them, then the others "
      "from the first arrival on",
      sizes_of(tried),
      fmt::format("with the printed switch after 2C - 1 steps {} on 4x5 and {} on 6x7; repaired exactly P/2",
                  table_steps({4, 5}, kTwo, ", supply: printed"),
                  table_steps({6, 7}, kTwo, ", supply: printed")));
}

/// The steps of the printed supply with its switch after step l, in either order of directions.
std::uint64_t steps_with_switch(const Shape& shape, std::uint64_t l, bool other_order) {
  RoutingTable table = table_of(shape, kTwo, ", supply: printed");
  for (LinkProgram& link : table.links) {
    if (link.rules.size() != 3) continue;
    link.rules[1].count = l - 2;
    link.rules[2].skip = l - 1;
    if (other_order) std::swap(link.rules[1].port, link.rules[2].port);
  }
  complete_table(table, 8 * nodes_of(shape));
  return table.facts.steps;
}

Finding any_switch(Extent extent) {
  const Shapes tried = quick(extent) ? Shapes{{4, 3}, {4, 5}} : Shapes{{4, 3}, {4, 5}, {6, 5}, {6, 7}};
  Cases cases;
  std::string measured;
  for (const Shape& shape : tried) {
    std::uint64_t best = 8 * nodes_of(shape);
    for (std::uint64_t l = 2; l <= nodes_of(shape); ++l) {
      for (const bool other : {false, true}) best = std::min(best, steps_with_switch(shape, l, other));
    }
    cases.at_most(size_of(shape), "steps with the best l", nodes_of(shape) / 2, best);
    measured += fmt::format("{}{}: {} steps with the best l (P/2 = {})", measured.empty() ? "" : ", ",
                            size_of(shape), best, nodes_of(shape) / 2);
  }
  return judge(cases, sizes_of(tried), measured);
}

Finding figure_2(Extent extent) {
  const Shapes tried = mixed_parity(extent);
  Cases printed;
  Cases repaired;
  for (const Shape& shape : tried) {
    const std::uint64_t steps = nodes_of(shape) / 2 + shape[1] + 1;
    printed.at_most(size_of(shape), "steps", steps, table_steps(shape, kTwo, ", supply: fixed-flipped"));
    repaired.equal(size_of(shape), "steps", steps, table_steps(shape, kTwo, ", supply: fixed"));
  }
  return judge(
      printed, repaired, "forward packets from the downstream supplier, below, backward ones from above",
      sizes_of(tried),
      fmt::format("6x7: {} steps as captioned, {} the other way round, which always takes P/2 + C + 1",
                  table_steps({6, 7}, kTwo, ", supply: fixed-flipped"),
                  table_steps({6, 7}, kTwo, ", supply: fixed")));
}

/// The trails of Section 3.3, and the first PU that is passed twice by one of them.
Finding odd_trails(Extent extent) {
  const Shapes tried = both_odd(extent);
  Cases cases;
  std::string measured;
  for (const Shape& shape : tried) {
    // Dimension 0 is the column i, n1 of them; dimension 1 the row j. Ports: R 0, L 1, B 2, T 3.
    const Topology torus(TopologyKind::torus, shape);
    const auto trails = trails_of(torus, [&](NodeId node, unsigned in) -> std::optional<unsigned> {
      const std::uint32_t i = torus.coordinate(node, 0);
      const std::uint32_t j = torus.coordinate(node, 1);
      if (i == shape[0] - 2) return in < 2 ? std::optional(in ^ 1U) : std::nullopt;
      if (j == shape[1] - 2 && i != shape[0] - 1) return in ^ 1U;
      const unsigned partner_of_left = i % 2 == 0 ? 2 : 3;
      if (in == 1) return partner_of_left;
      if (in == 0) return partner_of_left ^ 1U;
      return in == partner_of_left ? 1U : 0U;
    });
    std::string lengths;
    NodeId twice = kNoNode;
    for (const Trail& trail : trails) {
      lengths +=
          fmt::format("{}{} visits of {} PUs", lengths.empty() ? "" : " and ", trail.length(), trail.nodes());
      const auto at = std::ranges::find_if(trail.visits, [](std::uint32_t count) { return count > 1; });
      if (at != trail.visits.end()) twice = static_cast<NodeId>(at - trail.visits.begin());
    }
    if (measured.empty()) measured = fmt::format("{}: {}", size_of(shape), lengths);
    cases.add(twice == kNoNode, size_of(shape),
              twice == kNoNode
                  ? ""
                  : fmt::format("{} is passed twice by one cycle, so that no link of it is free for "
                                "the other",
                                torus.node_name(twice)));
  }
  return judge(cases, sizes_of(tried), measured);
}

Finding theorem_4(Extent extent) {
  const Shapes tried = both_odd(extent);
  Cases cases;
  for (const Shape& shape : tried) {
    cases.at_most(size_of(shape), "steps", (nodes_of(shape) + 1) / 2,
                  table_steps(shape, "hamiltonian-cycles"));
  }
  return judge(cases, sizes_of(tried), "ceil((P-1)/2), by hamiltonian-cycles, not by the printed rules");
}

Finding higher_cycles(Extent extent) {
  Shapes tried{{3, 3, 3}, {4, 3, 5}, {3, 4, 6}, {6, 5, 4}, {3, 3, 3, 3}, {4, 3, 5, 3}};
  if (!quick(extent))
    tried.insert(tried.end(),
                 {{12, 11, 10}, {6, 5, 6, 5}, {3, 3, 3, 3, 3}, {4, 4, 4, 4, 3}, {3, 3, 3, 3, 3, 3}});
  Cases cases;
  for (const Shape& shape : tried) {
    const RoutingTable table = table_of(shape, "hamiltonian-cycles");
    cases.equal(size_of(shape), "cycles", shape.size(), table.cycles.size());
    cases.add(share_no_link(table), size_of(shape), "the cycles share a link");
    cases.at_most(size_of(shape), "steps", (nodes_of(shape) + 1) / 2, table.facts.steps);
  }
  return judge(cases, sizes_of(tried), "d Hamiltonian cycles without a common link, ceil((P-1)/2) steps");
}

}  // namespace

std::vector<Claim> claims_of_sections_1_to_3() {
  return {
      {"time-independence", "Abstract", "In all steps the PUs forward the received packets in the same way.",
       time_independence},
      {"rounds", "Section 1", "Sending to PU i + t in round t loses substantially to congestion.",
       naive_rounds},
      {"optimum-2d", "Section 1, of Soch and Tvrdik",
       "Time-dependent gossip on n1 x n2 takes ceil((P-1)/4) steps.", optimal_gossip},
      {"optimum-higher", "Section 1, of Soch and Tvrdik",
       "A similar construction works in higher dimensions.", optimal_gossip_higher},
      {"theorem-1", "Theorem 1",
       "On two edge-disjoint Hamiltonian cycles with one packet per PU: at least ceil(11P/40 - 1) steps.",
       theorem_1},
      {"example-1", "Example 1", "The sets A, B, C of PUs 22 and 3 for P = 40.", example_1},
      {"even-cycles", "Section 3.1, Figure 1", "The port pairs make two edge-disjoint Hamiltonian cycles.",
       even_cycles},
      {"theorem-2", "Theorem 2", "Both sides even, 2 packets per PU: P/2 steps.", theorem_2},
      {"odd-side-indices", "Section 3.2", "The rule for i = n1 - 2 goes with the rules of Section 3.1.",
       indices},
      {"odd-side-cycles", "Section 3.2, Figure 2",
       "Two edge-disjoint cycles that visit most PUs, none twice.", mixed_cycles},
      {"supplier-gap", "Section 3.2", "2 n1 - 1 PUs lie between the two suppliers of a PU.", supplier_gap},
      {"theorem-3", "Theorem 3", "One side odd, 2 packets per PU: P/2 steps by the switching strategy.",
       theorem_3},
      {"switching", "Section 3.2", "Some number l of steps before the switch leads to P/2 steps.",
       any_switch},
      {"figure-2", "Figure 2, caption", "The suppliers pass forward packets down and backward packets up.",
       figure_2},
      {"odd-cycles", "Section 3.3, Figure 4",
       "With both sides odd the rules make cycles that pass no PU twice.", odd_trails},
      {"theorem-4", "Theorem 4", "Both sides odd, 2 packets per PU: ceil(P/2) steps.", theorem_4},
      {"higher-cycles", "Section 3.4", "d packets per PU on d Hamiltonian cycles: P/2 steps.", higher_cycles},
  };
}

}  // namespace flitscope::claims::meyer_sibeyn
