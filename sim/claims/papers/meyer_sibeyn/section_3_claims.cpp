// Claims of Section 3: two edge-disjoint cycles, two packets a PU.
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "model/link_programs.h"
#include "sim/claims/claim.h"
#include "sim/claims/measure.h"
#include "sim/claims/papers/meyer_sibeyn/gossip.h"

namespace flitscope::claims::meyer_sibeyn {
namespace {

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

Finding even_cycles(Extent extent) {
  const Shapes tried = both_even(extent);
  Cases cases;
  for (const Shape& shape : tried) {
    const LinkPrograms table = table_of(shape, kTwoPackets);
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
    cases.equal(size_of(shape), "steps", nodes_of(shape) / 2, table_steps(shape, kTwoPackets));
  }
  return judge(cases, sizes_of(tried) + " up to P = 400", "exactly P/2 steps");
}

Finding mixed_cycles(Extent extent) {
  const Shapes tried = mixed_parity(extent);
  Cases cases;
  for (const Shape& shape : tried) {
    const LinkPrograms table = table_of(shape, kTwoPackets);
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
  Cases printed, repaired;
  for (const Shape& shape : tried) {
    const LinkPrograms table = table_of(shape, kTwoPackets);
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
  Cases printed, repaired;
  for (const Shape& shape : tried) {
    printed.equal(size_of(shape), "steps", nodes_of(shape) / 2,
                  table_steps(shape, kTwoPackets, ", supply: printed"));
    repaired.equal(size_of(shape), "steps", nodes_of(shape) / 2, table_steps(shape, kTwoPackets));
  }
  return judge(
      printed, repaired,
      "suppliers relay from memory: first, counted, the packets that lie between them, then the others from "
      "the first arrival on",
      sizes_of(tried),
      fmt::format("with the printed switch after 2C - 1 steps {} on 4x5 and {} on 6x7; repaired exactly P/2",
                  table_steps({4, 5}, kTwoPackets, ", supply: printed"),
                  table_steps({6, 7}, kTwoPackets, ", supply: printed")));
}

/// The steps of the printed supply with its switch after step l, in either order of directions.
std::uint64_t steps_with_switch(const Shape& shape, std::uint64_t l, bool other_order) {
  LinkPrograms table = table_of(shape, kTwoPackets, ", supply: printed");
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
  Cases printed, repaired;
  for (const Shape& shape : tried) {
    const std::uint64_t steps = nodes_of(shape) / 2 + shape[1] + 1;
    printed.at_most(size_of(shape), "steps", steps,
                    table_steps(shape, kTwoPackets, ", supply: fixed-flipped"));
    repaired.equal(size_of(shape), "steps", steps, table_steps(shape, kTwoPackets, ", supply: fixed"));
  }
  return judge(
      printed, repaired, "forward packets from the downstream supplier, below, backward ones from above",
      sizes_of(tried),
      fmt::format("6x7: {} steps as captioned, {} the other way round, which always takes P/2 + C + 1",
                  table_steps({6, 7}, kTwoPackets, ", supply: fixed-flipped"),
                  table_steps({6, 7}, kTwoPackets, ", supply: fixed")));
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
    cases.add(
        twice == kNoNode, size_of(shape),
        twice == kNoNode
            ? ""
            : fmt::format("{} is passed twice by one cycle, so that no link of it is free for the other",
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
    const LinkPrograms table = table_of(shape, "hamiltonian-cycles");
    cases.equal(size_of(shape), "cycles", shape.size(), table.cycles.size());
    cases.add(share_no_link(table), size_of(shape), "the cycles share a link");
    cases.at_most(size_of(shape), "steps", (nodes_of(shape) + 1) / 2, table.facts.steps);
  }
  return judge(cases, sizes_of(tried), "d Hamiltonian cycles without a common link, ceil((P-1)/2) steps");
}

}  // namespace

std::vector<Claim> claims_of_section_3() {
  return {
      {"even-cycles", "Section 3.1, Figure 1", "The port pairs make two edge-disjoint Hamiltonian cycles.",
       "2 cycles, P PUs on each, no common link", even_cycles},
      {"theorem-2", "Theorem 2", "Both sides even, 2 packets per PU: P/2 steps.", "equal", theorem_2},
      {"odd-side-indices", "Section 3.2", "The rule for i = n1 - 2 goes with the rules of Section 3.1.",
       "2 closed trails", indices},
      {"odd-side-cycles", "Section 3.2, Figure 2",
       "Two edge-disjoint cycles that visit most PUs, none twice.",
       "2 cycles, R(C-1) + R/2 PUs on each, no common link", mixed_cycles},
      {"supplier-gap", "Section 3.2", "2 n1 - 1 PUs lie between the two suppliers of a PU.", "equal",
       supplier_gap},
      {"theorem-3", "Theorem 3", "One side odd, 2 packets per PU: P/2 steps by the switching strategy.",
       "equal", theorem_3},
      {"switching", "Section 3.2", "Some number l of steps before the switch leads to P/2 steps.",
       "at most P/2 steps with the best l", any_switch},
      {"figure-2", "Figure 2, caption", "The suppliers pass forward packets down and backward packets up.",
       "at most P/2 + C + 1 steps", figure_2},
      {"odd-cycles", "Section 3.3, Figure 4",
       "With both sides odd the rules make cycles that pass no PU twice.", "no PU passed twice by a cycle",
       odd_trails},
      {"theorem-4", "Theorem 4", "Both sides odd, 2 packets per PU: ceil(P/2) steps.",
       "at most that many steps", theorem_4},
      {"higher-cycles", "Section 3.4", "d packets per PU on d Hamiltonian cycles: P/2 steps.",
       "d cycles, no common link, at most P/2 steps, rounded up", higher_cycles},
  };
}

}  // namespace flitscope::claims::meyer_sibeyn
