// Claims of Section 4.3: one packet a PU, d partial cycles. Paper's axis x_k is dimension k-1.
#include <algorithm>

#include "algorithms/meyer_sibeyn/gossip.h"
#include "sim/claims/papers/meyer_sibeyn/gossip.h"

namespace flitscope::claims::meyer_sibeyn {
namespace {

Shapes tori_4d(Extent extent) {
  return listed({extent}, {{4, 4, 4, 4}, {4, 4, 4, 5}}, {{4, 8, 4, 4}, {4, 4, 8, 4}, {4, 4, 4, 8}});
}

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

void figure_8(Trial& t) {
  std::vector<Shape> tried;
  for (std::uint32_t n4 = 4; n4 <= t.up_to(6, 12); ++n4) tried.push_back({4, 5, 2, n4});
  std::uint64_t closed = 0;
  for (const Shape& shape : t.over(named(tried))) {
    const Topology torus(TopologyKind::torus, shape);
    const Laps laps = laps_on(shape);
    closed += laps.close ? 1 : 0;
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
    t.printed.add(twice.empty(), shape, otherwise);
  }
  t.measured = fmt::format("the cycles close on {} of {} tori and pass PUs twice on {}", closed, tried.size(),
                           t.printed.failed());
}

}  // namespace

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
       t.printed.equal(shape, "zigzags (3,2)", std::uint64_t{shape[1]} - 1, moves);
       t.repaired.equal(shape, "zigzags (3,2)", shape[1], moves);
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
         t.printed.faultless(shape, fault);
         if (shape[1] % shape[0] == 0 && shape[2] % shape[0] == 0) t.repaired.faultless(shape, fault);
       }
       t.repair = "n_2 .. n_{d-1} multiples of n_1 (sufficient, not necessary)";
       t.measured = fmt::format("{} tori that satisfy (1) to (3) have no such cycles; 8x2x8x5: {}",
                                t.printed.share_failed(), fault_of_laps({8, 2, 8, 5}));
     }},
    {"figure-8", "Section 4.3.1, Figure 8", "A 4 x 5 x 2 x n4 torus is an example.",
     "no PU passed twice by a cycle", figure_8},
    {"equation-4", "Equation (4)", "Rods lie on cycle i_1 + sum of (l-1) i_l mod d.", "no exception", tori_4d,
     [](Trial& t, const Shape& shape) {
       const Cycles cycles(table_of(shape, kOnePacket, ", supply: fixed"));
       const Topology& torus = cycles.torus();
       for (NodeId pu = 0; pu < torus.nodes(); ++pu) {
         const auto x = torus.coordinates(pu);
         if (x[3] < 4) continue;
         t.printed.add(
             cycles.on((x[0] + x[1] + 2 * x[2]) % 4, pu), shape,
             fmt::format("{} is not on cycle {}", torus.node_name(pu), (x[0] + x[1] + 2 * x[2]) % 4));
         t.repaired.add(cycles.on((x[0] + x[1] + (1 + shape[1]) * x[2]) % 4, pu), shape,
                        fmt::format("{} is elsewhere", torus.node_name(pu)));
       }
     },
     "the rods' cycles by weights w_2 = 1, w_3 = 1 + n_2",
     "weights w_l = 1 + n_{l-1} + n_{l-1}n_{l-2} + .. + n_{l-1}..n_2"},
    {"theorem-7", "Theorem 7, d = 4", "(1 + d/n_d) P/2d + 2 steps.", "at most that many steps",
     [](Trial& t) {
       for (const Shape& shape : t.over(tori_4d)) {
         const std::uint64_t steps = table_steps(shape, kOnePacket);
         const std::uint64_t p = nodes_of(shape);
         t.printed.at_most(shape, "steps * 8", p + 4 * p / shape[3] + 16, 8 * steps);
         append(t.measured, ", ", fmt::format("{}: {}", name_of(shape), steps));
       }
       t.measured += " steps, by lists";
     }},
    {"theorem-7-fixed", "Theorem 7, d = 4", "Fully time-independent: (1 + d/n_d)(1 + 3d/n_{d-1}) P/2d steps.",
     "at most that many steps",
     [](Trial& t) {
       for (const Shape& shape : t.over(tori_4d)) {
         const std::uint64_t steps = table_steps(shape, kOnePacket, ", supply: fixed");
         const double bound =
             (1 + 4.0 / shape[3]) * (1 + 12.0 / shape[2]) * static_cast<double>(nodes_of(shape)) / 8;
         t.printed.add(static_cast<double>(steps) <= bound, shape,
                       fmt::format("{} steps, more than {}", steps, bound));
         append(t.measured, ", ", fmt::format("{}: {} (claimed {:.0f})", name_of(shape), steps, bound));
       }
     }},
};

}  // namespace flitscope::claims::meyer_sibeyn
