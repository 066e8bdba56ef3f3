// Claims of Section 4: one packet a PU, d partial cycles. Paper's axis x_k is dimension k-1.
#include <algorithm>
#include <cstdlib>

#include "sim/claims/evidence.h"
#include "sim/claims/measure.h"
#include "sim/claims/papers/meyer_sibeyn/gossip.h"

namespace flitscope::claims::meyer_sibeyn {
namespace {

constexpr auto kOne = "meyer-sibeyn-one-packet";

bool quick(Extent extent) {
  return extent == Extent::quick;
}

Shapes even_tori(Extent extent) {
  return quick(extent) ? pairs(sides(4, 10, 2), sides(2, 10, 1)) : pairs(sides(4, 16, 2), sides(2, 16, 1));
}
Shapes odd_tori(Extent extent) {
  return quick(extent) ? pairs(sides(3, 11, 2), sides(3, 11, 2)) : pairs(sides(3, 15, 2), sides(3, 15, 2));
}
/// n1 a multiple of 3, n2 of n1.
Shapes tori_3d(Extent extent) {
  const std::uint64_t most = quick(extent) ? 250 : 900;
  Shapes shapes;
  for (const std::uint32_t n1 : {3U, 6U, 9U}) {
    for (std::uint32_t n2 = n1; std::uint64_t{n1} * n2 * 3 <= most; n2 += n1) {
      for (std::uint32_t n3 = 3; std::uint64_t{n1} * n2 * n3 <= most; ++n3) shapes.push_back({n1, n2, n3});
    }
  }
  std::ranges::stable_sort(shapes, {}, nodes_of);
  return shapes;
}
Shapes tori_4d(Extent extent) {
  if (quick(extent)) return {{4, 4, 4, 4}, {4, 4, 4, 5}};
  return {{4, 4, 4, 4}, {4, 4, 4, 5}, {4, 8, 4, 4}, {4, 4, 8, 4}, {4, 4, 4, 8}};
}

/// Every cycle has `length` PUs, and no link is on two.
void add_cycles(Cases& cases, const Shape& shape, const RoutingTable& table, std::uint64_t length) {
  cases.equal(size_of(shape), "cycles", shape.size(), table.cycles.size());
  cases.add(share_no_link(table), size_of(shape), "the cycles share a link");
  for (const TableCycle& cycle : table.cycles)
    cases.equal(size_of(shape), "PUs on a cycle", length, cycle.nodes.size());
}

std::vector<std::vector<int>> all_places(const RoutingTable& table) {
  std::vector<std::vector<int>> all;
  for (const TableCycle& cycle : table.cycles) all.push_back(places_on(cycle, table.facts.topology.nodes()));
  return all;
}

/// PUs between two on a cycle, by the shorter way.
std::uint64_t between(const std::vector<int>& places, std::size_t length, NodeId a, NodeId b) {
  const int apart = std::abs(places[a] - places[b]);
  return static_cast<std::uint64_t>(std::min(apart, static_cast<int>(length) - apart)) - 1;
}

Finding cycles_2d(Extent extent) {
  const Shapes tried = even_tori(extent);
  Cases cases;
  for (const Shape& shape : tried) {
    add_cycles(cases, shape, table_of(shape, kOne), nodes_of(shape) / 2 + shape[0]);
  }
  return judge(cases, sizes_of(tried), "n1*n2/2 + n1 PUs each, no common link");
}

Finding gap_2d(Extent extent) {
  const Shapes tried = even_tori(extent);
  Cases cases;
  for (const Shape& shape : tried) {
    const RoutingTable table = table_of(shape, kOne);
    const Topology& torus = table.facts.topology;
    const auto places = all_places(table);
    for (NodeId pu = 0; pu < torus.nodes(); ++pu) {
      for (std::size_t j = 0; j < places.size(); ++j) {
        if (places[j][pu] >= 0) continue;
        const NodeId left = torus.moved(pu, 0, Sign::minus, 1);
        const NodeId right = torus.moved(pu, 0, Sign::plus, 1);
        cases.equal(size_of(shape), "PUs between", std::uint64_t{shape[1]} + 1,
                    between(places[j], table.cycles[j].nodes.size(), left, right));
      }
    }
  }
  return judge(cases, sizes_of(tried), "always n2 + 1");
}

Finding theorem_5(Extent extent) {
  const Shapes tried = even_tori(extent);
  Cases cases;
  bool always = true;
  for (const Shape& shape : tried) {
    const std::uint64_t steps = table_steps(shape, kOne);
    const std::uint64_t length = nodes_of(shape) / 2 + shape[0];
    always = always && steps == (length + 1) / 2;
    cases.at_most(size_of(shape), "steps * 4", nodes_of(shape) + 2 * std::uint64_t{shape[0]} + 4, 4 * steps);
  }
  return judge(cases, sizes_of(tried),
               always ? "exactly ceil(L/2) with one counter a link, L = n1*n2/2 + n1"
                      : "not always ceil(L/2), L = n1*n2/2 + n1");
}

Finding theorem_5_odd(Extent extent) {
  const Shapes tried = odd_tori(extent);
  Cases printed;
  Cases repaired;
  std::string more;
  for (const Shape& shape : tried) {
    const std::uint64_t steps = table_steps(shape, kOne);
    const std::uint64_t bound = nodes_of(shape) + 2 * std::uint64_t{shape[0]} + 4;
    printed.add(4 * steps <= bound, size_of(shape),
                fmt::format("{} steps, more than {}", steps, static_cast<double>(bound) / 4));
    repaired.at_most(size_of(shape), "steps", (bound + 3) / 4 + 1, steps);
    if (steps > (bound + 3) / 4) more += (more.empty() ? "" : ", ") + size_of(shape);
  }
  return judge(printed, repaired,
               "the formula rounded up, plus one step in a few cases; by lists, worked out here",
               sizes_of(tried),
               fmt::format("at most the formula rounded up, but for one step more on {}",
                           more.empty() ? "none" : more));
}

Finding theorem_5_fixed(Extent extent) {
  const Shapes tried = even_tori(extent);
  Cases cases;
  Cases flipped;
  for (const Shape& shape : tried) {
    const std::uint64_t bound =
        nodes_of(shape) + 2 * std::uint64_t{shape[0]} + 4 + 4 * (std::uint64_t{shape[1]} + 1);
    cases.at_most(size_of(shape), "steps * 4", bound, 4 * table_steps(shape, kOne, ", supply: fixed"));
    flipped.at_most(size_of(shape), "steps * 4", bound,
                    4 * table_steps(shape, kOne, ", supply: fixed-flipped"));
  }
  return judge(
      cases, sizes_of(tried),
      fmt::format("8x8: {} steps with forward packets from the downstream supplier; {} with them from the "
                  "upstream one, where {} of {} tori take longer than claimed",
                  table_steps({8, 8}, kOne, ", supply: fixed"),
                  table_steps({8, 8}, kOne, ", supply: fixed-flipped"), flipped.failed(), tried.size()));
}

Finding cycles_3d(Extent extent) {
  const Shapes tried = tori_3d(extent);
  Cases cases;
  for (const Shape& shape : tried) {
    add_cycles(cases, shape, table_of(shape, kOne), nodes_of(shape) / 3 + std::uint64_t{shape[0]} * shape[1]);
  }
  return judge(cases, sizes_of(tried), "P/3 + n1*n2 PUs each, no common link, no PU twice");
}

Finding lemma_1(Extent extent) {
  const Shapes tried = tori_3d(extent);
  Cases cases;
  for (const Shape& shape : tried) {
    const RoutingTable table = table_of(shape, kOne);
    const Topology& torus = table.facts.topology;
    for (const auto& places : all_places(table)) {
      for (NodeId pu = 0; pu < torus.nodes(); ++pu) {
        for (const unsigned dimension : {0U, 1U}) {
          const NodeId other = torus.moved(pu, dimension, Sign::plus, 3 % shape[dimension]);
          cases.add(
              (places[pu] >= 0) == (places[other] >= 0), size_of(shape),
              fmt::format("{} and {} lie on different cycles", torus.node_name(pu), torus.node_name(other)));
        }
      }
    }
  }
  return judge(cases, sizes_of(tried), "three on along x_1 or x_2 lie the same cycles");
}

Finding rods(Extent extent) {
  const Shapes tried = tori_3d(extent);
  Cases printed;
  Cases repaired;
  for (const Shape& shape : tried) {
    const RoutingTable table = table_of(shape, kOne);
    const Topology& torus = table.facts.topology;
    const auto places = all_places(table);
    for (NodeId pu = 0; pu < torus.nodes(); ++pu) {
      if (torus.coordinate(pu, 2) < 3) continue;
      const unsigned j = (torus.coordinate(pu, 0) + torus.coordinate(pu, 1)) % 3;
      const auto on = [&](unsigned cycle, unsigned dimension, Sign sign) {
        return places[cycle % 3][torus.moved(pu, dimension, sign, 1)] >= 0;
      };
      const std::string who = torus.node_name(pu);
      printed.add(
          on(j + 1, 0, Sign::minus) && on(j + 1, 1, Sign::minus), size_of(shape),
          fmt::format("{} is on cycle {}, and its neighbour over -x_1 not on cycle {}", who, j, (j + 1) % 3));
      repaired.add(on(j + 1, 0, Sign::plus) && on(j + 1, 1, Sign::plus) && on(j + 2, 0, Sign::minus) &&
                       on(j + 2, 1, Sign::minus) && places[j][pu] >= 0,
                   size_of(shape),
                   fmt::format("{} is not between cycles {} and {}", who, (j + 1) % 3, (j + 2) % 3));
    }
  }
  return judge(printed, repaired,
               "cycle j+1 comes over +x_1 and +x_2, cycle j-1 over -x_1 and -x_2; rods are x_3 >= 3",
               sizes_of(tried), "PU x is on cycle (x_1 + x_2) mod 3 and its neighbours on the other two");
}

/// PUs between the two suppliers of every PU off a cycle: those of rods (x_3 >= 3), and all.
struct Gaps {
  std::uint64_t least_of_rods = ~std::uint64_t{0};
  std::uint64_t most_of_rods = 0;
  std::uint64_t most = 0;
};
Gaps gaps_3d(const Shape& shape) {
  const RoutingTable table = table_of(shape, kOne, ", supply: fixed");
  const Topology& torus = table.facts.topology;
  const auto places = all_places(table);
  Gaps gaps;
  for (NodeId pu = 0; pu < torus.nodes(); ++pu) {
    for (std::size_t j = 0; j < places.size(); ++j) {
      if (places[j][pu] >= 0) continue;
      // The suppliers: neighbours on the cycle whose links to the PU lie on none.
      std::vector<NodeId> suppliers;
      for (unsigned port = 0; port < torus.link_ports(); ++port) {
        const NodeId from = *torus.neighbour(pu, port);
        const LinkProgram& link = table.links[torus.channel(from, port ^ 1U)];
        if (places[j][from] < 0 || link.rules.size() < 2) continue;
        const auto& cycle = table.cycles[j].nodes;
        const auto at = static_cast<std::size_t>(places[j][from]);
        // Its link relays from the cycle's own ports.
        const NodeId source = *torus.neighbour(from, link.rules.back().port);
        const bool relays = source == cycle[(at + 1) % cycle.size()] ||
                            source == cycle[(at + cycle.size() - 1) % cycle.size()];
        if (relays) suppliers.push_back(from);
      }
      if (suppliers.size() != 2) continue;
      const std::uint64_t gap = between(places[j], table.cycles[j].nodes.size(), suppliers[0], suppliers[1]);
      gaps.most = std::max(gaps.most, gap);
      if (torus.coordinate(pu, 2) < 3) continue;
      gaps.least_of_rods = std::min(gaps.least_of_rods, gap);
      gaps.most_of_rods = std::max(gaps.most_of_rods, gap);
    }
  }
  return gaps;
}

Finding rod_gap(Extent extent) {
  Cases printed;
  Cases repaired;
  Shapes tried;
  for (const Shape& shape : tori_3d(extent)) {
    if (shape[0] == 3 || shape[2] == 3) continue;
    tried.push_back(shape);
    const Gaps gaps = gaps_3d(shape);
    const std::uint64_t rods = shape[0] / 3;
    printed.equal(size_of(shape), "PUs between", (rods + 1) * shape[2] - 1, gaps.most_of_rods);
    repaired.equal(size_of(shape), "PUs between", rods * (shape[2] + 3) - 1, gaps.most_of_rods);
    repaired.equal(size_of(shape), "PUs between", rods * (shape[2] + 3) - 1, gaps.least_of_rods);
  }
  return judge(printed, repaired, "(n1/3)(n3+3) - 1", sizes_of(tried), "the same for all rods of a torus");
}

Finding largest_gap(Extent extent) {
  Cases printed;
  Cases repaired;
  Shapes tried;
  for (const Shape& shape : tori_3d(extent)) {
    if (shape[0] == 3 || shape[2] == 3) continue;
    tried.push_back(shape);
    const Gaps gaps = gaps_3d(shape);
    const std::uint64_t rods = shape[0] / 3;
    printed.at_most(size_of(shape), "PUs between", 2 * (rods + 1) * shape[2] - 1, gaps.most);
    repaired.at_most(size_of(shape), "PUs between", 2 * rods * (shape[2] + 3) + shape[2] + 1, gaps.most);
  }
  return judge(printed, repaired, "2(n1/3)(n3+3) + n3 + 1", sizes_of(tried),
               fmt::format("6x6x4: {}", gaps_3d({6, 6, 4}).most));
}

Finding theorem_6(Extent extent) {
  const Shapes tried = tori_3d(extent);
  Cases cases;
  std::uint64_t one_less = 0;
  for (const Shape& shape : tried) {
    const std::uint64_t steps = table_steps(shape, kOne);
    const std::uint64_t layer = std::uint64_t{shape[0]} * shape[1];
    cases.at_most(size_of(shape), "steps * 6", nodes_of(shape) + 3 * layer + 6, 6 * steps);
    if (steps < (nodes_of(shape) / 3 + layer + 1) / 2) ++one_less;
  }
  return judge(cases, sizes_of(tried),
               fmt::format("ceil(L/2) with one counter a link, one less on {} of {} tori, L = P/3 + n1*n2",
                           one_less, tried.size()));
}

Finding zigzags(Extent extent) {
  const Shapes tried = tori_3d(extent);
  Cases printed;
  Cases repaired;
  for (const Shape& shape : tried) {
    const RoutingTable table = table_of(shape, kOne);
    const Topology& torus = table.facts.topology;
    const auto& cycle = table.cycles[0].nodes;
    std::uint64_t moves = 0;  // along x_2, one in every zigzag(3, 2)
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const NodeId next = cycle[(i + 1) % cycle.size()];
      moves += torus.coordinate(next, 1) == torus.coordinate(cycle[i], 1) ? 0 : 1;
    }
    printed.equal(size_of(shape), "zigzags (3,2)", std::uint64_t{shape[1]} - 1, moves);
    repaired.equal(size_of(shape), "zigzags (3,2)", std::uint64_t{shape[1]}, moves);
  }
  return judge(printed, repaired, "n_{d-1} of them for j = d-1", sizes_of(tried), "n_2 for d = 3");
}

/// Whether the cycles of Section 4.3.1 are cycles, edge-disjoint, and pass no PU twice.
std::string fault_of_laps(const Shape& shape) {
  const Laps laps = laps_on(shape);
  if (!laps.close) return "a cycle does not close";
  for (const Trail& cycle : laps.cycles) {
    if (cycle.length() != cycle.nodes()) {
      return fmt::format("cycles of {} visits over {} PUs", cycle.length(), cycle.nodes());
    }
  }
  return laps.share_a_link ? "the cycles share a link" : "";
}

Finding conditions(Extent extent) {
  const std::uint64_t most = quick(extent) ? 700 : 3000;
  Shapes tried;
  for (const std::uint32_t n1 : {4U, 8U}) {
    for (std::uint32_t n2 = 2; n2 <= 12; ++n2) {
      for (std::uint32_t n3 = 2; n3 <= 12; ++n3) {
        for (std::uint32_t n4 = 4; n4 <= 6; ++n4) {
          const bool admitted = (std::uint64_t{n2} * n3 + n3) % n1 == 0;  // (1); (2) and (3) hold
          if (admitted && nodes_of({n1, n2, n3, n4}) <= most) tried.push_back({n1, n2, n3, n4});
        }
      }
    }
  }
  std::ranges::stable_sort(tried, {}, nodes_of);
  Cases printed;
  Cases repaired;
  for (const Shape& shape : tried) {
    const std::string fault = fault_of_laps(shape);
    printed.add(fault.empty(), size_of(shape), fault);
    if (shape[1] % shape[0] == 0 && shape[2] % shape[0] == 0)
      repaired.add(fault.empty(), size_of(shape), fault);
  }
  return judge(printed, repaired, "n_2 .. n_{d-1} multiples of n_1 (sufficient, not necessary)",
               sizes_of(tried),
               fmt::format("{} of {} tori that satisfy (1) to (3) have no such cycles; 8x2x8x5: {}",
                           printed.failed(), printed.tried(), fault_of_laps({8, 2, 8, 5})));
}

Finding figure_8(Extent extent) {
  Cases cases;
  Shapes tried;
  for (std::uint32_t n4 = 4; n4 <= (quick(extent) ? 6U : 12U); ++n4) {
    const Shape shape{4, 5, 2, n4};
    tried.push_back(shape);
    const Topology torus(TopologyKind::torus, shape);
    const Laps laps = laps_on(shape);
    std::vector<NodeId> twice;
    for (NodeId pu = 0; pu < torus.nodes(); ++pu) {
      if (std::ranges::any_of(laps.cycles, [&](const Trail& cycle) { return cycle.visits[pu] > 1; })) {
        twice.push_back(pu);
      }
    }
    std::ranges::sort(twice, {}, [&](NodeId pu) { return torus.coordinates(pu); });
    std::string otherwise;
    if (!twice.empty()) {
      std::uint32_t free_links = torus.link_ports();
      std::uint32_t streams = 0;
      for (const Trail& cycle : laps.cycles) {
        free_links -= 2 * cycle.visits[twice.front()];
        streams += cycle.visits[twice.front()] == 0 ? 2 : 0;
      }
      otherwise = fmt::format(
          "{} PUs are passed twice by one cycle, first {}, which has {} free links for {} streams",
          twice.size(), torus.node_name(twice.front()), free_links, streams);
    }
    cases.add(twice.empty(), size_of(shape), otherwise);
  }
  return judge(cases, sizes_of(tried), "the cycles close, but cannot be supplied");
}

Finding equation_4(Extent extent) {
  const Shapes tried = tori_4d(extent);
  Cases printed;
  Cases repaired;
  for (const Shape& shape : tried) {
    const RoutingTable table = table_of(shape, kOne, ", supply: fixed");
    const Topology& torus = table.facts.topology;
    const auto places = all_places(table);
    for (NodeId pu = 0; pu < torus.nodes(); ++pu) {
      const auto x = torus.coordinates(pu);
      if (x[3] < 4) continue;
      printed.add(places[(x[0] + x[1] + 2 * x[2]) % 4][pu] >= 0, size_of(shape),
                  fmt::format("{} is not on cycle {}", torus.node_name(pu), (x[0] + x[1] + 2 * x[2]) % 4));
      repaired.add(places[(x[0] + x[1] + (1 + shape[1]) * x[2]) % 4][pu] >= 0, size_of(shape),
                   fmt::format("{} is elsewhere", torus.node_name(pu)));
    }
  }
  return judge(printed, repaired, "weights w_l = 1 + n_{l-1} + n_{l-1}n_{l-2} + .. + n_{l-1}..n_2",
               sizes_of(tried), "the rods' cycles by weights w_2 = 1, w_3 = 1 + n_2");
}

Finding theorem_7(Extent extent) {
  const Shapes tried = tori_4d(extent);
  Cases cases;
  std::string measured;
  for (const Shape& shape : tried) {
    const std::uint64_t steps = table_steps(shape, kOne);
    const std::uint64_t p = nodes_of(shape);
    cases.at_most(size_of(shape), "steps * 8", p + 4 * p / shape[3] + 16, 8 * steps);
    measured += fmt::format("{}{}: {}", measured.empty() ? "" : ", ", size_of(shape), steps);
  }
  return judge(cases, sizes_of(tried), measured + " steps, by lists");
}

Finding theorem_7_fixed(Extent extent) {
  const Shapes tried = tori_4d(extent);
  Cases cases;
  std::string measured;
  for (const Shape& shape : tried) {
    const std::uint64_t steps = table_steps(shape, kOne, ", supply: fixed");
    const double bound =
        (1 + 4.0 / shape[3]) * (1 + 12.0 / shape[2]) * static_cast<double>(nodes_of(shape)) / 8;
    cases.add(static_cast<double>(steps) <= bound, size_of(shape),
              fmt::format("{} steps, more than {}", steps, bound));
    measured +=
        fmt::format("{}{}: {} (claimed {:.0f})", measured.empty() ? "" : ", ", size_of(shape), steps, bound);
  }
  return judge(cases, sizes_of(tried), measured);
}

}  // namespace

std::vector<Claim> claims_of_section_4() {
  return {
      {"cycles-2d", "Section 4.1, Figure 5", "Two edge-disjoint cycles of total length n1*n2/2 + n1 each.",
       cycles_2d},
      {"gap-2d", "Theorem 5, proof", "The suppliers of a PU are separated by n2 + 1 others.", gap_2d},
      {"theorem-5", "Theorem 5, n1 even", "One packet per PU: n1*n2/4 + n1/2 + 1 steps.", theorem_5},
      {"theorem-5-odd", "Theorem 5, n1 odd", "The same with one special column.", theorem_5_odd},
      {"theorem-5-fixed", "Theorem 5, proof", "Fully time-independent: n2 + 1 steps more.", theorem_5_fixed},
      {"cycles-3d", "Section 4.2, Figures 6 and 7", "Three edge-disjoint cycles of length P/3 + n1*n2.",
       cycles_3d},
      {"lemma-1", "Lemma 1", "PUs three apart in x_1 or x_2 lie on the same cycles.", lemma_1},
      {"rods", "Section 4.2",
       "A rod's PU on cycle j gets cycle j+1 from x_1 - 1 and x_2 - 1, cycle j-1 from the others.", rods},
      {"rod-gap", "Section 4.2", "A rod's suppliers are separated by (n1/3 + 1) n3 - 1 PUs.", rod_gap},
      {"largest-gap", "Section 4.2", "At most 2 (n1/3 + 1) n3 - 1 PUs lie between two suppliers.",
       largest_gap},
      {"theorem-6", "Theorem 6", "One packet per PU: P/6 + n1*n2/2 + 1 steps.", theorem_6},
      {"zigzags", "Section 4.3.1", "A cycle has n_j - 1 zigzags of the highest type j = d-1.", zigzags},
      {"conditions", "Theorem 7, conditions (1) to (3)", "They suffice for d edge-disjoint cycles.",
       conditions},
      {"figure-8", "Section 4.3.1, Figure 8", "A 4 x 5 x 2 x n4 torus is an example.", figure_8},
      {"equation-4", "Equation (4)", "Rods lie on cycle i_1 + sum of (l-1) i_l mod d.", equation_4},
      {"theorem-7", "Theorem 7, d = 4", "(1 + d/n_d) P/2d + 2 steps.", theorem_7},
      {"theorem-7-fixed", "Theorem 7, d = 4",
       "Fully time-independent: (1 + d/n_d)(1 + 3d/n_{d-1}) P/2d steps.", theorem_7_fixed},
  };
}

}  // namespace flitscope::claims::meyer_sibeyn
