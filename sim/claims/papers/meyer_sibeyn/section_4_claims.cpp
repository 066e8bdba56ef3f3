// Section 4 of Meyer and Sibeyn's paper: one packet a PU.
#include <algorithm>

#include "algorithms/meyer_sibeyn/gossip.h"
#include "sim/claims/papers/meyer_sibeyn/gossip.h"

namespace flitscope::claims::meyer_sibeyn {

namespace {

Shapes even_tori(Extent extent) {
  return quick(extent) ? pairs(sides(4, 10, 2), sides(2, 10, 1)) : pairs(sides(4, 16, 2), sides(2, 16, 1));
}
Shapes odd_tori(Extent extent) {
  return squares(3, quick(extent) ? 11 : 15, 2);
}

// Claims of Section 4.3: one packet a PU, d partial cycles. Paper's axis x_k is dimension k-1.

const std::function<Shapes(Extent)> tori_4d =
    listed({{4, 4, 4, 4}, {4, 4, 4, 5}}, {{4, 8, 4, 4}, {4, 4, 8, 4}, {4, 4, 4, 8}});

/// Section 4.3.1 without its conditions: the cycles that the laps make on a torus of these sides.
struct Laps {
  std::vector<Trail> cycles;
  bool close = true;          ///< every cycle ends where it started
  bool share_a_link = false;  ///< two moves over the same link
};

Laps laps_on(const Shape& shape) {
  const Topology topology(TopologyKind::torus, shape);
  const std::vector<unsigned> moves = flitscope::meyer_sibeyn::moves_of_laps(shape);
  Laps laps;
  std::vector<bool> used(topology.channel_ids(), false);
  for (std::uint32_t j = 0; j < shape.size(); ++j) {
    Trail cycle{std::vector<std::uint32_t>(topology.nodes(), 0)};
    const NodeId start = topology.moved(0, 0, Sign::plus, j);
    NodeId at = start;
    for (const unsigned axis : moves) {
      ++cycle.visits[at];
      const ChannelId link = topology.channel(at, port_of(axis, Sign::plus));
      laps.share_a_link = laps.share_a_link || used[link];
      used[link] = true;
      at = topology.moved(at, axis, Sign::plus, 1);
    }
    laps.close = laps.close && at == start;
    laps.cycles.push_back(std::move(cycle));
  }
  return laps;
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

void figure_8(Trial& t, const Shape& shape) {
  const Topology torus(TopologyKind::torus, shape);
  const Laps laps = laps_on(shape);
  t.count += laps.close ? 1 : 0;
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
    otherwise =
        fmt::format("{} PUs are passed twice by one cycle, first {}, which has {} free links for {} streams",
                    twice.size(), torus.node_name(twice.front()), free_links, streams);
  }
  t.printed.add(twice.empty(), shape, otherwise);
}

}  // namespace

const Claims claims_of_section_41{
    {"cycles-2d", "Section 4.1, Figure 5", "Two edge-disjoint cycles of total length n1*n2/2 + n1 each.",
     "2 cycles, equal lengths, no common link",
     disjoint_cycles(
         even_tori, kOnePacket, [](const Shape& shape) { return nodes_of(shape) / 2 + shape[0]; },
         "n1*n2/2 + n1 PUs each, no common link")},
    {"gap-2d", "Theorem 5, proof", "The suppliers of a PU are separated by n2 + 1 others.", "equal",
     even_tori,
     [](Trial& t, const Shape& shape) {
       const Cycles cycles(table_of(shape, kOnePacket));
       const Topology& torus = cycles.torus();
       for (NodeId pu = 0; pu < torus.nodes(); ++pu) {
         for (std::size_t j = 0; j < cycles.places.size(); ++j) {
           if (cycles.on(j, pu)) continue;
           const NodeId left = torus.moved(pu, 0, Sign::minus, 1);
           const NodeId right = torus.moved(pu, 0, Sign::plus, 1);
           t.printed.equal(shape, "PUs between", std::uint64_t{shape[1]} + 1, cycles.between(j, left, right));
         }
       }
     },
     "always n2 + 1"},
    {"theorem-5", "Theorem 5, n1 even", "One packet per PU: n1*n2/4 + n1/2 + 1 steps.",
     "at most that many steps", even_tori,
     [](Trial& t, const Shape& shape) {
       const std::uint64_t steps = table_steps(shape, kOnePacket);
       const std::uint64_t length = nodes_of(shape) / 2 + shape[0];
       if (steps != (length + 1) / 2) ++t.count;
       t.printed.at_most(shape, "steps * 4", nodes_of(shape) + 2 * std::uint64_t{shape[0]} + 4, 4 * steps);
     },
     [](const Trial& t) {
       return t.count == 0 ? "exactly ceil(L/2) with one counter a link, L = n1*n2/2 + n1"
                           : "not always ceil(L/2), L = n1*n2/2 + n1";
     }},
    {"theorem-5-odd", "Theorem 5, n1 odd", "The same with one special column.", "at most that many steps",
     odd_tori,
     [](Trial& t, const Shape& shape) {
       const std::uint64_t steps = table_steps(shape, kOnePacket);
       const std::uint64_t bound = nodes_of(shape) + 2 * std::uint64_t{shape[0]} + 4;
       t.printed.add(4 * steps <= bound, shape, "{} steps, more than {}", steps,
                     static_cast<double>(bound) / 4);
       t.repaired.at_most(shape, "steps", (bound + 3) / 4 + 1, steps);
       if (steps > (bound + 3) / 4) t.note("{}", name_of(shape));
     },
     "at most the formula rounded up, but for one step more on {seen}",
     "the formula rounded up, plus one step in a few cases; by lists, worked out here"},
    {"theorem-5-fixed", "Theorem 5, proof", "Fully time-independent: n2 + 1 steps more.",
     "at most that many steps", even_tori,
     [](Trial& t, const Shape& shape) {
       const std::uint64_t bound =
           nodes_of(shape) + 2 * std::uint64_t{shape[0]} + 4 + 4 * (std::uint64_t{shape[1]} + 1);
       t.printed.at_most(shape, "steps * 4", bound, 4 * table_steps(shape, kOnePacket, ", supply: fixed"));
       if (4 * table_steps(shape, kOnePacket, ", supply: fixed-flipped") > bound) ++t.count;
     },
     [](const Trial& t) {
       return fmt::format(
           "8x8: {} steps with forward packets from the downstream supplier; {} with them from the upstream "
           "one, where {} of {} tori take longer than claimed",
           table_steps({8, 8}, kOnePacket, ", supply: fixed"),
           table_steps({8, 8}, kOnePacket, ", supply: fixed-flipped"), t.count, t.printed.tried());
     }},
};

namespace {

/// Without the sides of 3 at which there are no rods, or one a row.
Shapes tori_with_rods(Extent extent) {
  Shapes shapes = tori_3d(extent);
  std::erase_if(shapes.list, [](const Shape& shape) { return shape[0] == 3 || shape[2] == 3; });
  return named(shapes.list);
}

/// PUs between the two suppliers of every PU off a cycle: those of rods (x_3 >= 3), and all.
struct Gaps {
  std::uint64_t least_of_rods = ~std::uint64_t{0};
  std::uint64_t most_of_rods = 0;
  std::uint64_t most = 0;
};
Gaps gaps_3d(const Shape& shape) {
  const Cycles cycles(table_of(shape, kOnePacket, ", supply: fixed"));
  const Topology& torus = cycles.torus();
  Gaps gaps;
  for (NodeId pu = 0; pu < torus.nodes(); ++pu) {
    for (std::size_t j = 0; j < cycles.places.size(); ++j) {
      if (cycles.on(j, pu)) continue;
      // The suppliers: neighbours on the cycle whose links to the PU lie on none.
      std::vector<NodeId> suppliers;
      for (unsigned port = 0; port < torus.link_ports(); ++port) {
        const NodeId from = *torus.neighbour(pu, port);
        const LinkProgram& link = cycles.table.links[torus.channel(from, port ^ 1U)];
        if (!cycles.on(j, from) || link.rules.size() < 2) continue;
        const auto& cycle = cycles.table.cycles[j].nodes;
        const auto at = static_cast<std::size_t>(cycles.places[j][from]);
        // The link of a supplier relays from the cycle's own ports.
        const NodeId source = *torus.neighbour(from, link.rules.back().port);
        const bool relays = source == cycle[(at + 1) % cycle.size()] ||
                            source == cycle[(at + cycle.size() - 1) % cycle.size()];
        if (relays) suppliers.push_back(from);
      }
      if (suppliers.size() != 2) continue;
      const std::uint64_t gap = cycles.between(j, suppliers[0], suppliers[1]);
      gaps.most = std::max(gaps.most, gap);
      if (torus.coordinate(pu, 2) < 3) continue;
      gaps.least_of_rods = std::min(gaps.least_of_rods, gap);
      gaps.most_of_rods = std::max(gaps.most_of_rods, gap);
    }
  }
  return gaps;
}

}  // namespace

const Claims claims_of_section_42{
    {"cycles-3d", "Section 4.2, Figures 6 and 7", "Three edge-disjoint cycles of length P/3 + n1*n2.",
     "3 cycles, equal lengths, no common link",
     disjoint_cycles(
         tori_3d, kOnePacket,
         [](const Shape& shape) { return nodes_of(shape) / 3 + std::uint64_t{shape[0]} * shape[1]; },
         "P/3 + n1*n2 PUs each, no common link, no PU twice")},
    {"lemma-1", "Lemma 1", "PUs three apart in x_1 or x_2 lie on the same cycles.", "no exception", tori_3d,
     [](Trial& t, const Shape& shape) {
       const Cycles cycles(table_of(shape, kOnePacket));
       const Topology& torus = cycles.torus();
       for (const auto& places : cycles.places) {
         for (NodeId pu = 0; pu < torus.nodes(); ++pu) {
           for (const unsigned dimension : {0U, 1U}) {
             const NodeId other = torus.moved(pu, dimension, Sign::plus, 3 % shape[dimension]);
             t.printed.add((places[pu] >= 0) == (places[other] >= 0), shape,
                           "{} and {} lie on different cycles", torus.node_name(pu), torus.node_name(other));
           }
         }
       }
     },
     "three on along x_1 or x_2 lie the same cycles"},
    {"rods", "Section 4.2",
     "A rod's PU on cycle j gets cycle j+1 from x_1 - 1 and x_2 - 1, cycle j-1 from the others.",
     "no exception", tori_3d,
     [](Trial& t, const Shape& shape) {
       const Cycles cycles(table_of(shape, kOnePacket));
       const Topology& torus = cycles.torus();
       for (NodeId pu = 0; pu < torus.nodes(); ++pu) {
         if (torus.coordinate(pu, 2) < 3) continue;
         const unsigned j = (torus.coordinate(pu, 0) + torus.coordinate(pu, 1)) % 3;
         const auto on = [&](unsigned cycle, unsigned dimension, Sign sign) {
           return cycles.on(cycle % 3, torus.moved(pu, dimension, sign, 1));
         };
         const std::string name = torus.node_name(pu);
         t.printed.add(on(j + 1, 0, Sign::minus) && on(j + 1, 1, Sign::minus), shape,
                       "{} is on cycle {}, and its neighbour over -x_1 not on cycle {}", name, j,
                       (j + 1) % 3);
         t.repaired.add(on(j + 1, 0, Sign::plus) && on(j + 1, 1, Sign::plus) && on(j + 2, 0, Sign::minus) &&
                            on(j + 2, 1, Sign::minus) && cycles.on(j, pu),
                        name_of(shape), "{} is not between cycles {} and {}", name, (j + 1) % 3, (j + 2) % 3);
       }
     },
     "PU x is on cycle (x_1 + x_2) mod 3 and its neighbours on the other two",
     "cycle j+1 comes over +x_1 and +x_2, cycle j-1 over -x_1 and -x_2; rods are x_3 >= 3"},
    {"rod-gap", "Section 4.2", "A rod's suppliers are separated by (n1/3 + 1) n3 - 1 PUs.", "equal",
     tori_with_rods,
     [](Trial& t, const Shape& shape) {
       const Gaps gaps = gaps_3d(shape);
       const std::uint64_t rods = shape[0] / 3;
       t.equal(shape, "PUs between", (rods + 1) * shape[2] - 1, rods * (shape[2] + 3) - 1, gaps.most_of_rods);
       t.repaired.equal(shape, "PUs between", rods * (shape[2] + 3) - 1, gaps.least_of_rods);
     },
     "the same for all rods of a torus", "(n1/3)(n3+3) - 1"},
    {"largest-gap", "Section 4.2", "At most 2 (n1/3 + 1) n3 - 1 PUs lie between two suppliers.",
     "at most that many PUs", tori_with_rods,
     [](Trial& t, const Shape& shape) {
       const std::uint64_t rods = shape[0] / 3;
       t.at_most(shape, "PUs between", 2 * (rods + 1) * shape[2] - 1,
                 2 * rods * (shape[2] + 3) + shape[2] + 1, gaps_3d(shape).most);
     },
     [](const Trial&) {
       return fmt::format("6x6x4: {}", gaps_3d({6, 6, 4}).most);
     },
     "2(n1/3)(n3+3) + n3 + 1"},
    {"theorem-6", "Theorem 6", "One packet per PU: P/6 + n1*n2/2 + 1 steps.", "at most that many steps",
     tori_3d,
     [](Trial& t, const Shape& shape) {
       const std::uint64_t steps = table_steps(shape, kOnePacket);
       const std::uint64_t layer = std::uint64_t{shape[0]} * shape[1];
       t.printed.at_most(shape, "steps * 6", nodes_of(shape) + 3 * layer + 6, 6 * steps);
       if (steps < (nodes_of(shape) / 3 + layer + 1) / 2) ++t.count;
     },
     "ceil(L/2) with one counter a link, one less on {count} of {tried} tori, L = P/3 + n1*n2"},
};

const Claims claims_of_section_43{
    {"zigzags", "Section 4.3.1", "A cycle has n_j - 1 zigzags of the highest type j = d-1.", "equal", tori_3d,
     [](Trial& t, const Shape& shape) {
       const LinkPrograms table = table_of(shape, kOnePacket);
       const Topology& torus = table.facts.topology;
       const auto& cycle = table.cycles[0].nodes;
       std::uint64_t moves = 0;  // along x_2, one in every zigzag(3, 2)
       for (std::size_t i = 0; i < cycle.size(); ++i) {
         const NodeId next = cycle[(i + 1) % cycle.size()];
         moves += torus.coordinate(next, 1) == torus.coordinate(cycle[i], 1) ? 0 : 1;
       }
       t.equal(shape, "zigzags (3,2)", std::uint64_t{shape[1]} - 1, shape[1], moves);
     },
     "n_2 for d = 3", "n_{d-1} of them for j = d-1"},
    {"conditions", "Theorem 7, conditions (1) to (3)", "They suffice for d edge-disjoint cycles.",
     "closed cycles, no common link, no PU passed twice",
     [](Trial& t) {
       const std::uint64_t most = t.up_to(700, 3000);
       std::vector<Shape> tried;
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
       for (const Shape& shape : t.over(by_nodes(std::move(tried)))) {
         const std::string fault = fault_of_laps(shape);
         t.add(fault.empty(), shape, fault, shape[1] % shape[0] == 0 && shape[2] % shape[0] == 0);
       }
       t.repair = "n_2 .. n_{d-1} multiples of n_1 (sufficient, not necessary)";
       t.measured = fmt::format("{} tori that satisfy (1) to (3) have no such cycles; 8x2x8x5: {}",
                                t.printed.share_failed(), fault_of_laps({8, 2, 8, 5}));
     }},
    {"figure-8", "Section 4.3.1, Figure 8", "A 4 x 5 x 2 x n4 torus is an example.",
     "no PU passed twice by a cycle",
     listed({{4, 5, 2, 4}, {4, 5, 2, 5}, {4, 5, 2, 6}},
            {{4, 5, 2, 7}, {4, 5, 2, 8}, {4, 5, 2, 9}, {4, 5, 2, 10}, {4, 5, 2, 11}, {4, 5, 2, 12}}),
     figure_8, "the cycles close on {count} of {tried} tori and pass PUs twice on {failures}"},
    {"equation-4", "Equation (4)", "Rods lie on cycle i_1 + sum of (l-1) i_l mod d.", "no exception", tori_4d,
     [](Trial& t, const Shape& shape) {
       const Cycles cycles(table_of(shape, kOnePacket, ", supply: fixed"));
       const Topology& torus = cycles.torus();
       for (NodeId pu = 0; pu < torus.nodes(); ++pu) {
         const auto x = torus.coordinates(pu);
         if (x[3] < 4) continue;
         t.printed.add(cycles.on((x[0] + x[1] + 2 * x[2]) % 4, pu), shape, "{} is not on cycle {}",
                       torus.node_name(pu), (x[0] + x[1] + 2 * x[2]) % 4);
         t.repaired.add(cycles.on((x[0] + x[1] + (1 + shape[1]) * x[2]) % 4, pu), shape, "{} is elsewhere",
                        torus.node_name(pu));
       }
     },
     "the rods' cycles by weights w_2 = 1, w_3 = 1 + n_2",
     "weights w_l = 1 + n_{l-1} + n_{l-1}n_{l-2} + .. + n_{l-1}..n_2"},
    {"theorem-7", "Theorem 7, d = 4", "(1 + d/n_d) P/2d + 2 steps.", "at most that many steps", tori_4d,
     [](Trial& t, const Shape& shape) {
       const std::uint64_t steps = table_steps(shape, kOnePacket);
       const std::uint64_t p = nodes_of(shape);
       t.printed.at_most(shape, "steps * 8", p + 4 * p / shape[3] + 16, 8 * steps);
       t.note("{}: {}", name_of(shape), steps);
     },
     "{seen} steps, by lists"},
    {"theorem-7-fixed", "Theorem 7, d = 4", "Fully time-independent: (1 + d/n_d)(1 + 3d/n_{d-1}) P/2d steps.",
     "at most that many steps", tori_4d,
     [](Trial& t, const Shape& shape) {
       const std::uint64_t steps = table_steps(shape, kOnePacket, ", supply: fixed");
       const double bound =
           (1 + 4.0 / shape[3]) * (1 + 12.0 / shape[2]) * static_cast<double>(nodes_of(shape)) / 8;
       t.printed.add(static_cast<double>(steps) <= bound, shape, "{} steps, more than {}", steps, bound);
       t.note("{}: {} (claimed {:.0f})", name_of(shape), steps, bound);
     },
     "{seen}"},
};

}  // namespace flitscope::claims::meyer_sibeyn
