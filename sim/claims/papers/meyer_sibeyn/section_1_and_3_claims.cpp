// Sections 1 to 3 of Meyer and Sibeyn's paper: bounds, and two edge-disjoint cycles with two packets a PU.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>

#include "model/link_programs.h"
#include "sim/claims/papers/meyer_sibeyn/gossip.h"

namespace flitscope::claims::meyer_sibeyn {

namespace {

/// R x C with R even and C odd.
Shapes mixed_parity(Extent extent) {
  return quick(extent) ? pairs(sides(4, 8, 2), sides(3, 9, 2)) : pairs(sides(4, 20, 2), sides(3, 19, 2));
}
Shapes both_even(Extent extent) {
  return squares(4, quick(extent) ? 10 : 24, 2);
}
Shapes both_odd(Extent extent) {
  return squares(3, quick(extent) ? 9 : 15, 2);
}

/// The trails that result if every node connects its ports in pairs: `connected` gives the port by which what
/// comes in by a port goes out (ports as in model/types.h; nothing: not connected).
std::vector<Trail> trails_of(const Topology& torus,
                             const std::function<std::optional<unsigned>(NodeId, unsigned)>& connected) {
  std::vector<bool> travelled(torus.channel_ids(), false);
  std::vector<Trail> trails;
  for (ChannelId first = 0; first < torus.channel_ids(); ++first) {
    if (travelled[first]) continue;
    Trail trail{std::vector<std::uint32_t>(torus.nodes(), 0)};
    ChannelId link = first;
    do {
      travelled[link] = true;
      const unsigned port = torus.channel_port(link);
      const NodeId node = *torus.neighbour(torus.channel_node(link), port);
      const auto out = connected(node, port ^ 1U);
      if (!out) break;
      travelled[torus.channel(node, port ^ 1U)] = true;  // the same trail backwards
      ++trail.visits[node];
      link = torus.channel(node, *out);
    } while (link != first);
    if (link == first && trail.length() > 0) trails.push_back(std::move(trail));
  }
  return trails;
}

/// Column indices of 3.2 used as rows, as they are printed beside 3.1.
void indices(Trial& t) {
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
  t.printed.equal("5x4, i read as the row as in 3.1", "closed trails", std::size_t{2}, trails(false).size());
  t.repaired.equal("5x4, i read as the column", "closed trails", std::size_t{2}, trails(true).size());
  t.repair = "in 3.2 and 3.3 i is the column and n_1 the number of columns";
  t.sizes = "5x4";
  t.measured = fmt::format("{} closed trails with i as the row, {} with i as the column",
                           trails(false).size(), trails(true).size());
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

/// The trails of Section 3.3, and the first PU that is passed twice by one of them.
void odd_trails(Trial& t, const Shape& shape) {
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
  if (t.seen.empty()) t.note("{}: {}", name_of(shape), lengths);
  t.printed.add(
      twice == kNoNode, shape,
      twice == kNoNode
          ? ""
          : fmt::format("{} is passed twice by one cycle, so that no link of it is free for the other",
                        torus.node_name(twice)));
}

// Claims of Sections 1 and 2: bounds, and what two Hamiltonian cycles can do.

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

/// "Substantially": more than so many times the steps.
constexpr std::uint64_t kSubstantially = 2;

/// Steps until every PU has every packet if each runs along both cycles in both directions: the largest of
/// all distances by the shorter cycle.
std::uint64_t steps_on_two_cycles(const Cycles& cycles) {
  std::uint64_t most = 0;
  for (NodeId a = 0; a < cycles.torus().nodes(); ++a) {
    for (NodeId b = 0; b < a; ++b)
      most = std::max(most, std::min(cycles.between(0, a, b), cycles.between(1, a, b)) + 1);
  }
  return most;
}

/// ceil(11 P / 40 - 1)
std::uint64_t bound_of_theorem_1(std::uint64_t nodes) {
  return (11 * nodes + 39) / 40 - 1;
}

void example_1(Trial& t) {
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
  for (Cases* const cases : {&t.printed, &t.repaired}) {
    cases->equal("k_22", "PUs", std::size_t{3}, first.size());
    cases->equal("C_22", "PUs", std::size_t{17}, c22.size());
    cases->equal("the median of C_22", "is it", 3, c22[c22.size() / 2]);
    cases->add(shared.size() - 1 >= 11, "k_3", fmt::format("{}", shared.size() - 1));
  }
  t.printed.equal("the intersection of A_3 and B_3", "elements",
                  (std::set<int>{8, 38, 9, 6, 1, 33, 3, 5, 10, 36, 39}), shared);
  t.repair = "0 belongs to the intersection too; k_3 >= 11 stands, since 3 itself does not count";
  t.sizes = "P = 40";
  t.measured = fmt::format("k_22 = {}, |C_22| = {}, median {}, k_3 = {}", first.size(), c22.size(),
                           c22[c22.size() / 2], shared.size() - 1);
}

}  // namespace

const Claims claims_of_section_3{
    {"even-cycles", "Section 3.1, Figure 1", "The port pairs make two edge-disjoint Hamiltonian cycles.",
     "2 cycles, P PUs on each, no common link",
     disjoint_cycles(both_even, kTwoPackets, nodes_of, "two Hamiltonian cycles without a common link")},
    {"theorem-2", "Theorem 2", "Both sides even, 2 packets per PU: P/2 steps.", "equal", both_even,
     [](Trial& t, const Shape& shape) {
       if (nodes_of(shape) > 400) return;
       t.printed.equal(shape, "steps", nodes_of(shape) / 2, table_steps(shape, kTwoPackets));
     },
     "exactly P/2 steps", "", " up to P = 400"},
    {"odd-side-indices", "Section 3.2", "The rule for i = n1 - 2 goes with the rules of Section 3.1.",
     "2 closed trails", indices},
    {"odd-side-cycles", "Section 3.2, Figure 2", "Two edge-disjoint cycles that visit most PUs, none twice.",
     "2 cycles, R(C-1) + R/2 PUs on each, no common link",
     disjoint_cycles(
         mixed_parity, kTwoPackets,
         [](const Shape& shape) { return std::uint64_t{shape[0]} * (shape[1] - 1) + shape[0] / 2; },
         "two cycles of R(C-1) + R/2 PUs each, R even rows, C odd columns")},
    {"supplier-gap", "Section 3.2", "2 n1 - 1 PUs lie between the two suppliers of a PU.", "equal",
     mixed_parity,
     [](Trial& t, const Shape& shape) {
       const Cycles cycles(table_of(shape, kTwoPackets));
       const Topology& torus = cycles.torus();
       for (std::uint32_t row = 0; row < shape[0]; ++row) {
         const NodeId node = torus.node(std::vector{row, shape[1] - 2});
         for (std::size_t j = 0; j < cycles.places.size(); ++j) {
           if (cycles.on(j, node)) continue;
           const int up = cycles.places[j][torus.moved(node, 0, Sign::minus, 1)];
           const int down = cycles.places[j][torus.moved(node, 0, Sign::plus, 1)];
           const auto length = static_cast<int>(cycles.table.cycles[j].nodes.size());
           const auto between = static_cast<std::uint64_t>((down - up + length) % length - 1);
           t.equal(shape, "PUs between", std::uint64_t{2} * shape[1] - 1, std::uint64_t{2} * shape[1] - 2,
                   between);
         }
       }
     },
     "always 2C - 2", "2C - 2; 2C - 1 is their distance"},
    {"theorem-3", "Theorem 3", "One side odd, 2 packets per PU: P/2 steps by the switching strategy.",
     "equal", mixed_parity,
     [](Trial& t, const Shape& shape) {
       t.printed.equal(shape, "steps", nodes_of(shape) / 2,
                       table_steps(shape, kTwoPackets, ", supply: printed"));
       t.repaired.equal(shape, "steps", nodes_of(shape) / 2, table_steps(shape, kTwoPackets));
     },
     [](const Trial&) {
       return fmt::format(
           "with the printed switch after 2C - 1 steps {} on 4x5 and {} on 6x7; repaired exactly P/2",
           table_steps({4, 5}, kTwoPackets, ", supply: printed"),
           table_steps({6, 7}, kTwoPackets, ", supply: printed"));
     },
     "suppliers relay from memory: first, counted, the packets that lie between them, then the others from "
     "the first arrival on"},
    {"switching", "Section 3.2", "Some number l of steps before the switch leads to P/2 steps.",
     "at most P/2 steps with the best l", listed({{4, 3}, {4, 5}}, {{6, 5}, {6, 7}}),
     [](Trial& t, const Shape& shape) {
       std::uint64_t best = 8 * nodes_of(shape);
       for (std::uint64_t l = 2; l <= nodes_of(shape); ++l) {
         for (const bool other : {false, true}) best = std::min(best, steps_with_switch(shape, l, other));
       }
       t.printed.at_most(shape, "steps with the best l", nodes_of(shape) / 2, best);
       t.note("{}: {} steps with the best l (P/2 = {})", name_of(shape), best, nodes_of(shape) / 2);
     },
     "{seen}"},
    {"figure-2", "Figure 2, caption", "The suppliers pass forward packets down and backward packets up.",
     "at most P/2 + C + 1 steps", mixed_parity,
     [](Trial& t, const Shape& shape) {
       const std::uint64_t steps = nodes_of(shape) / 2 + shape[1] + 1;
       t.printed.at_most(shape, "steps", steps, table_steps(shape, kTwoPackets, ", supply: fixed-flipped"));
       t.repaired.equal(shape, "steps", steps, table_steps(shape, kTwoPackets, ", supply: fixed"));
     },
     [](const Trial&) {
       return fmt::format("6x7: {} steps as captioned, {} in the other order, which always takes P/2 + C + 1",
                          table_steps({6, 7}, kTwoPackets, ", supply: fixed-flipped"),
                          table_steps({6, 7}, kTwoPackets, ", supply: fixed"));
     },
     "forward packets from the downstream supplier, below, backward ones from above"},
    {"odd-cycles", "Section 3.3, Figure 4",
     "With both sides odd the rules make cycles that pass no PU twice.", "no PU passed twice by a cycle",
     both_odd, odd_trails, "{seen}"},
    {"theorem-4", "Theorem 4", "Both sides odd, 2 packets per PU: ceil(P/2) steps.",
     "at most that many steps", both_odd,
     [](Trial& t, const Shape& shape) {
       t.printed.at_most(shape, "steps", (nodes_of(shape) + 1) / 2, table_steps(shape, "hamiltonian-cycles"));
     },
     "ceil((P-1)/2), by hamiltonian-cycles, not by the printed rules"},
    {"higher-cycles", "Section 3.4", "d packets per PU on d Hamiltonian cycles: P/2 steps.",
     "d cycles, no common link, at most P/2 steps, rounded up",
     listed({{3, 3, 3}, {4, 3, 5}, {3, 4, 6}, {6, 5, 4}, {3, 3, 3, 3}, {4, 3, 5, 3}},
            {{12, 11, 10}, {6, 5, 6, 5}, {3, 3, 3, 3, 3}, {4, 4, 4, 4, 3}, {3, 3, 3, 3, 3, 3}}),
     [](Trial& t, const Shape& shape) {
       const LinkPrograms table = table_of(shape, "hamiltonian-cycles");
       t.printed.equal(shape, "cycles", shape.size(), table.cycles.size());
       t.printed.add(share_no_link(table), shape, "the cycles share a link");
       t.printed.at_most(shape, "steps", (nodes_of(shape) + 1) / 2, table.facts.steps);
     },
     "d Hamiltonian cycles without a common link, ceil((P-1)/2) steps"},
};

const Claims claims_of_sections_1_and_2{
    {"time-independence", "Abstract", "In all steps the PUs forward the received packets in the same way.",
     "no counter and no list on any link", named({{4, 4}, {4, 5}, {5, 5}, {3, 3, 4}, {4, 4, 4, 4}}),
     [](Trial& t, const Shape& shape) {
       const auto test = [&](Cases& cases, const char* algorithm, const char* supply) {
         const LinkPrograms table = table_of(shape, algorithm, supply);
         cases.add(is_time_independent(table), shape, "{} needs counters or lists", algorithm);
       };
       test(t.printed, "hamiltonian-cycles", "");
       test(t.repaired, "hamiltonian-cycles", "");
       test(t.printed, kOnePacket, "");
       test(t.repaired, kOnePacket, ", supply: fixed");
       if (shape.size() != 2 || (shape[0] % 2 == 1 && shape[1] % 2 == 1)) return;
       test(t.printed, kTwoPackets, "");
       test(t.repaired, kTwoPackets, ", supply: fixed");
     },
     "{held} tables forward alike in all steps; with fixed supplies {repaired}",
     "without switching, at the price of the steps shown for `fixed` below"},
    {"rounds", "Section 1", "Sending to PU i + t in round t loses substantially to congestion.",
     fmt::format("more than {} times the steps that suffice", kSubstantially),
     listed({{4, 4}, {3, 3, 3}, {8, 8}}, {{12, 12}, {6, 6, 6}}),
     [](Trial& t, const Shape& shape) {
       const std::uint64_t steps = checked_steps(shape, "naive-rounds").value();
       const std::uint64_t best = checked_steps(shape, "translated-tree").value();
       t.printed.add(steps > kSubstantially * best, shape, "{} steps against {}", steps, best);
       t.note("{} steps on {} ({} suffice)", steps, name_of(shape), best);
     },
     "{seen}"},
    {"optimum-2d", "Section 1, of Soch and Tvrdik",
     "Time-dependent gossip on n1 x n2 takes ceil((P-1)/4) steps.", "legal, equal",
     [](const Trial& t) { return squares(3, t.up_to(8, 20), 1); },
     [](Trial& t, const Shape& shape) {
       t.printed.equal(shape, "steps", (nodes_of(shape) - 1 + 3) / 4,
                       checked_steps(shape, "translated-tree").value_or(0));
     },
     "exactly ceil((P-1)/4) by translated-tree"},
    {"optimum-higher", "Section 1, of Soch and Tvrdik", "A similar construction works in higher dimensions.",
     "legal, equal",
     listed({{3, 3, 3}, {4, 3, 5}, {5, 5, 5}, {6, 6, 4}, {3, 3, 3, 3}, {4, 3, 5, 3}},
            {{8, 8, 8}, {6, 6, 6, 6}, {4, 4, 4, 4, 4}, {3, 3, 3, 3, 3, 3}}),
     [](Trial& t, const Shape& shape) {
       const std::uint64_t ports = 2 * shape.size();
       t.printed.equal(shape, "steps", (nodes_of(shape) - 1 + ports - 1) / ports,
                       checked_steps(shape, "translated-tree").value_or(0));
     },
     "exactly ceil((P-1)/2d) by translated-tree"},
    {"theorem-1", "Theorem 1",
     "On two edge-disjoint Hamiltonian cycles with one packet per PU: at least ceil(11P/40 - 1) steps.",
     "no fewer steps",
     [](Trial& t) {
       std::uint64_t on_8x8 = 0;
       for (const Shape& shape :
            t.over(squares(3, t.up_to(9, 20), 1), "; P = 101 and multiples of k as second cycle")) {
         const std::uint64_t bound = bound_of_theorem_1(nodes_of(shape));
         const std::uint64_t steps = steps_on_two_cycles(Cycles(table_of(shape, "hamiltonian-cycles")));
         if (shape == Shape{8, 8}) on_8x8 = steps;
         t.printed.add(steps >= bound, shape, "{} steps, fewer than {}", steps, bound);
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
       t.printed.add(best >= bound_of_theorem_1(kPrime), "P = 101", "{} steps", best);
       t.measured = fmt::format(
           "8x8: {} steps by the cycles of hamiltonian-cycles, the bound is {}; best pair for P = 101: {}, "
           "the bound is {}",
           on_8x8, bound_of_theorem_1(64), best, bound_of_theorem_1(kPrime));
     }},
    {"example-1", "Example 1", "The sets A, B, C of PUs 22 and 3 for P = 40.", "equal sets and numbers",
     example_1},
};

}  // namespace flitscope::claims::meyer_sibeyn
