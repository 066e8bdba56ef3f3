// Sections 5 and 6: the sets of nodes that are informed before a phase, compared with the printed
// definitions, and the theorems on the phases.
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

#include "model/route.h"
#include "sim/claims/papers/tsay_wang/cases.h"
#include "sim/run/workload.h"

namespace flitscope::claims::tsay_wang {

namespace {

/// S of Section 6, all nodes with x_1 = x_2 + .. + x_d.
std::set<Node> aligned(const Torus& torus) {
  std::set<Node> nodes{Node(torus.d, 0)};
  for (unsigned k = 1; k < torus.d; ++k) {
    std::set<Node> more;
    for (const Node& x : nodes) {
      for (std::uint32_t value = 0; value < torus.n; ++value) {
        Node moved = x;
        moved[k] = value;
        moved[0] = mod(std::int64_t{x[0]} + value, torus.n);
        more.insert(std::move(moved));
      }
    }
    nodes = std::move(more);
  }
  return nodes;
}

/// Two different nodes that differ in a single dimension, if the set has such.
std::optional<std::pair<Node, Node>> neighbours_in_line(const std::set<Node>& nodes) {
  for (auto one = nodes.begin(); one != nodes.end(); ++one) {
    for (auto other = std::next(one); other != nodes.end(); ++other) {
      if (dimension_distance(*one, *other) == 1) return std::pair(*one, *other);
    }
  }
  return std::nullopt;
}

void two_edges(Trial& t, const Torus& torus) {
  const auto schedule = make_schedule(broadcast(torus, "tsay-wang"));
  const Topology& topology = schedule->facts().topology;
  std::uint32_t most_links = 0;
  unsigned most_turns = 0;
  std::string longest;
  Step step;
  for (std::uint64_t number = 1; schedule->next(step) && number <= 2 * k_of(torus); ++number) {
    if (number <= k_of(torus)) continue;  // phase 1
    const unsigned r = torus.d - 1;
    for (const Message& message : step.messages()) {
      if (message.route.first_dimension < r) continue;  // N_1 and N_2
      unsigned turns = 0;
      for_each_leg(topology, message.source, message.destination, message.route,
                   [&](unsigned, Sign, std::uint32_t) { ++turns; });
      most_turns = std::max(most_turns, turns);
      const std::uint32_t links = route_length(topology, message.source, message.destination, message.route);
      if (links <= most_links) continue;
      most_links = links;
      longest = fmt::format("{} to {} by {}", topology.node_name(message.source),
                            topology.node_name(message.destination),
                            route_name(topology, message.source, message.destination, message.route));
    }
  }
  if (most_links == 0) return;  // too few targets for N_3 and N_4
  t.printed.add(most_links == 2, torus, "{}, {} links", longest, most_links);
  t.repaired.equal(torus, "dimensions", 2U, most_turns);
}

}  // namespace

const Claims phase_claims{
    {"one-per-subtorus", "Lemma 4, Corollary 1",
     "D_{h,0} has n^(h-1) nodes, one in each (d-h+1)-dimensional subtorus.",
     "n^(h-1) nodes and as many subtori", [](const Trial& t) { return tori(2, 5, t.up_to(700, 8'000)); },
     [](Trial& t, const Torus& torus) {
       for (unsigned h = 1; h <= torus.d; ++h) {
         const auto informed = informed_before(torus, h);
         std::set<Node> subtori;  // by their fixed coordinates, the last h-1
         for (const Node& node : informed) subtori.emplace(node.end() - (h - 1), node.end());
         const std::uint64_t wanted = power(torus.n, h - 1);
         t.printed.add(informed.size() == wanted && subtori.size() == wanted,
                       fmt::format("{}, h = {}", name_of(torus), h), "{} nodes in {} subtori",
                       informed.size(), subtori.size());
       }
     },
     "n^(h-1) nodes, one in each subtorus", "", "; all h"},
    {"diagonal-distance", "Lemma 5", "Two nodes of a diagonal differ in at least two dimensions.",
     "no pair that differs in one dimension only",
     [](const Trial& t) { return tori(2, 5, t.up_to(700, 8'000)); },
     [](Trial& t, const Torus& torus) {
       // D_{h+1,0} restricted to one diagonal: the nodes with the same last h-1 coordinates.
       for (unsigned h = 1; h < torus.d; ++h) {
         std::map<Node, std::set<Node>> diagonals;
         for (const Node& node : informed_before(torus, h + 1)) {
           diagonals[Node(node.end() - (h - 1), node.end())].insert(node);
         }
         const auto& [fixed, diagonal] = *diagonals.begin();
         t.printed.add(!neighbours_in_line(diagonal) && diagonal.size() == torus.n,
                       fmt::format("{}, h = {}", name_of(torus), h),
                       "two nodes differ in one dimension only");
       }
     },
     "no two nodes of a diagonal differ in one dimension only", "", "; all h < d"},
    {"set-distance", "Lemma 6", "For odd n two nodes of D_{h,0} differ in at least two dimensions.",
     "no pair that differs in one dimension only",
     [](const Trial& t) { return tori(3, 5, t.up_to(700, 8'000), is_odd); },
     [](Trial& t, const Torus& torus) {
       for (unsigned h = 2; h <= torus.d; ++h) {
         const auto pair = neighbours_in_line(informed_before(torus, h));
         t.printed.add(
             !pair, fmt::format("{}, h = {}", name_of(torus), h),
             pair ? fmt::format("({}) and ({})", fmt::join(pair->first, ","), fmt::join(pair->second, ","))
                  : "");
       }
     },
     "no two nodes of D_{{h,0}} differ in one dimension only", "", "; all h"},
    {"unique-look-up", "Lemma 7",
     "The coordinates of a node of D_{h+1,0} but for x_j determine x_j (no condition on n).",
     "exactly one node with these coordinates",
     [](const Trial& t) { return tori(3, 5, t.up_to(1'100, 8'000)); },
     [](Trial& t, const Torus& torus) {
       const auto informed = informed_before(torus, torus.d);  // h of the lemma is d-1
       std::string wrong;
       for (const Node& node : informed) {
         for (unsigned j = 1; j < torus.d && wrong.empty(); ++j) {
           Node other = node;
           unsigned found = 0;
           for (other[j] = 0; other[j] < torus.n; ++other[j]) found += informed.contains(other) ? 1 : 0;
           if (found != 1) {
             wrong = fmt::format("{} nodes of D_{{{},0}} agree with ({}) outside dimension {}", found,
                                 torus.d, fmt::join(node, ","), j + 1);
           }
         }
       }
       t.add(wrong.empty(), torus, wrong, is_odd(torus));
       if (is_odd(torus) && !wrong.empty()) ++t.count;
     },
     "fails for {failed} tori, {count} of them of odd n", "n odd, as Lemma 6 says of itself"},
    {"distinct-targets", "Section 5.2",
     "N_1 to N_4 choose no node twice (the closed forms; the recursion before them shifts its indices).",
     "as many nodes as messages, n^(d-1) with the source",
     [](const Trial& t) { return checked_tori(t, 3, 5, is_odd); },
     [](Trial& t, const Torus& torus) {
       // Phases 2 to d-1: every destination is new, in the step and for good.
       const auto schedule = make_schedule(broadcast(torus, "tsay-wang"));
       std::set<NodeId> informed{0};
       std::uint64_t chosen = 0;
       Step step;
       for (std::uint64_t number = 1; number <= (torus.d - 1) * k_of(torus) && schedule->next(step);
            ++number) {
         for (const Message& message : step.messages()) informed.insert(message.destination);
         chosen += step.messages().size();
       }
       t.printed.equal(torus, "different destinations", chosen, informed.size() - 1);
       t.printed.equal(torus, "nodes in D_{d,0}", power(torus.n, torus.d - 1), informed.size());
     },
     "the destinations of phases 1 to d-1 are all different, and are D_{{d,0}}"},
    {"row-groups", "Section 5.2", "D_{h,k} falls into n^(h-1) (2d+1)^(k-1) row groups.", "equal",
     [](Trial& t) {
       std::vector<Torus> list{{7, 3}, {9, 4}};
       if (!t.quick()) list.insert(list.begin() + 1, {49, 3});
       for (const Torus& torus : list) {
         const std::uint64_t p = 2 * torus.d + 1;
         for (unsigned h = 2; h < torus.d; ++h) {
           for (unsigned k = 1; k <= k_of(torus); ++k) {
             // The groups are ranges of ranks: [c-d, c+d] for each rank c that a node of D_{h,k-1} has in
             // D_{h,k}.
             std::set<std::uint64_t> groups;
             std::uint64_t sources = 0;
             for (std::uint64_t column = 0; column < power(torus.n, h - 1); ++column) {
               for (std::uint64_t c = 0; c < power(p, k); c += p, ++sources) groups.insert(c);
             }
             const std::string size = fmt::format("{}, h = {}, k = {}", name_of(torus), h, k);
             t.printed.equal(size, "row groups", power(torus.n, h - 1) * power(p, k - 1), groups.size());
             t.repaired.add(
                 groups.size() == power(p, k - 1) && sources == groups.size() * power(torus.n, h - 1), size,
                 "groups and sources do not fit");
           }
         }
       }
       t.repair =
           "there are (2d+1)^(k-1) row groups, of n^(h-1) sources each; ranks count modulo (2d+1)^k, not n";
       t.sizes = "d = 3, 4, n a power of 2d+1; all h and k";
       t.measured = "groups counted from the definition";
     }},
    {"two-edges", "Section 5.2", "The paths to N_3 and N_4 have exactly two edges.",
     "2 links on the longest path", [](const Trial& t) { return tori(3, 4, t.up_to(2'500, 30'000), is_odd); },
     two_edges, "paths to N_3 and N_4 in phase 2", "two dimensions, several links in each"},
    {"phases-2-to-d-1", "Lemma 8",
     "No two paths of a step share an edge in phases 2 to d-1 (printed with P_1 from s_1 to s_2, and a "
     "reference that is missing).",
     "at most K(n) steps a phase, no shared link",
     [](const Trial& t) { return checked_tori(t, 3, 5, is_odd); },
     [](Trial& t, const Torus& torus) {
       const Played played = play(torus, "tsay-wang");
       for (unsigned h = 2; h < torus.d; ++h)
         add_phase(t.printed, torus, played, fmt::format("phase {}", h), k_of(torus));
     },
     "no link carries two messages of a step in phases 2 to d-1"},
    {"phase-h", "Theorem 2", "Phase h, 0 <= h <= d-1, takes r steps for n = (2d+1)^r.",
     "there is such a phase, at most r steps, no shared link",
     [](Trial& t) {
       for (const Torus& torus : powers(t.extent)) {
         if (torus.d < 3) continue;
         const Played played = play(torus, "tsay-wang");
         for (unsigned h = 0; h + 1 <= torus.d; ++h) {
           add_phase(t.printed, torus, played, fmt::format("phase {}", h), k_of(torus));
           if (h >= 2) add_phase(t.repaired, torus, played, fmt::format("phase {}", h), k_of(torus));
         }
       }
       t.repair = "2 <= h <= d-1, as everywhere else in the paper";
       t.sizes = "d = 3..5, n a power of 2d+1";
       t.measured = "each of phases 2 to d-1 takes r steps and shares no link";
     }},
    {"alignment", "Section 6", "The last phase begins with a step that aligns D_{d,0}.",
     "a node of D_{d,0} outside S", [](const Trial& t) { return checked_tori(t, 1, 4, is_odd); },
     [](Trial& t, const Torus& torus) {
       const bool there = play(torus, "tsay-wang").phase("alignment").steps > 0;
       const auto informed = informed_before(torus, torus.d);
       const auto s = aligned(torus);
       const std::uint64_t misplaced = static_cast<std::uint64_t>(
           std::ranges::count_if(informed, [&](const Node& node) { return !s.contains(node); }));
       t.printed.add(misplaced > 0, torus, "all nodes of D_{d,0} are in S already, the step is empty");
       t.repaired.equal(torus, "alignment steps", misplaced > 0, there);
     },
     "nodes of D_{{d,0}} outside S counted", "for d >= 3; one step less in Theorems 3 to 6 for d <= 2"},
    {"plane-diagonals", "Lemmas 9 and 10",
     "The nodes of S of one rank in a plane x_1 x_j form a diagonal of it.",
     "n nodes and one difference x_1 - x_j in every plane",
     [](const Trial& t) { return tori(2, 4, t.up_to(700, 8'000)); },
     [](Trial& t, const Torus& torus) {
       // Rank c moves x_1 by c l_k: the same sets again. All displacements of x_1 are tried.
       const std::set<Node> s = aligned(torus);
       bool all = true;
       for (unsigned j = 1; j < torus.d; ++j) {
         std::map<Node, std::vector<Node>> planes;
         for (const Node& node : s) {
           Node fixed = node;
           fixed[0] = fixed[j] = 0;
           planes[fixed].push_back(node);
         }
         for (const auto& [fixed, nodes] : planes) {
           std::set<std::uint64_t> differences;
           for (const Node& node : nodes) differences.insert((node[0] + torus.n - node[j]) % torus.n);
           all = all && nodes.size() == torus.n && differences.size() == 1;
         }
       }
       t.printed.add(all, torus, "a plane whose nodes of S form no diagonal");
     },
     "n nodes of S in each plane x_1 x_j, with x_1 - x_j the same"},
    {"final-sets", "Section 6", "S_{k+1} is made from S_k by steps of l_k.", "(2d+1)^k ranks in S_k", powers,
     [](Trial& t, const Torus& torus) {
       const std::uint64_t p = 2 * torus.d + 1;
       // Ranks as displacements of x_1. S_{k+1} from S_k by steps of l_k (printed) or l_{k+1}.
       for (const bool next : {false, true}) {
         std::set<std::uint64_t> s{0};
         for (unsigned k = 0; k < k_of(torus); ++k) {
           const std::uint64_t l = torus.n / power(p, next ? k + 1 : k);
           std::set<std::uint64_t> more;
           for (const std::uint64_t x : s) {
             for (std::uint64_t j = 0; j < p; ++j)
               more.insert((x + torus.n * torus.d + j * l - torus.d * l) % torus.n);
           }
           s = std::move(more);
           (next ? t.repaired : t.printed)
               .equal(fmt::format("{}, k = {}", name_of(torus), k + 1), "ranks in S_k", power(p, k + 1),
                      s.size());
         }
       }
     },
     "S_k should have (2d+1)^k ranks", "with l_{k+1} in the place of l_k"},
    {"final-phase", "Lemma 11, Theorem 3",
     "The last phase takes r+1 steps for n = (2d+1)^r, informs every node once and shares no edge (printed "
     "for n = (2d+1)^k).",
     "at most r+1 steps, n^d - n^(d-1) messages, no shared link", powers,
     [](Trial& t, const Torus& torus) {
       const Played played = play(torus, "tsay-wang");
       const Phase last = played.phase(fmt::format("phase {}", torus.d));
       t.printed.at_most(torus, "steps", k_of(torus) + 1, last.steps + played.phase("alignment").steps);
       t.printed.equal(torus, "messages", power(torus.n, torus.d) - power(torus.n, torus.d - 1),
                       last.messages);
       t.printed.equal(torus, "shared links", 0, last.shared_links);
     },
     "r+1 steps (r for d <= 2, where nothing has to be aligned), each node outside S informed once in it, no "
     "shared link"},
    {"powers-of-p", "Theorem 4", "Broadcast takes dr+1 steps for n = (2d+1)^r.",
     "legal, no shared link, at most that many steps", powers,
     [](Trial& t, const Torus& torus) {
       add_broadcast(t.printed, torus, "tsay-wang", torus.d * k_of(torus) + 1);
       const CheckReport direct = check(broadcast(torus, "tsay-wang-direct"));
       if (fault(direct).empty() && direct.steps == torus.d * k_of(torus)) ++t.count;
     },
     "legal, no shared link, at most dr+1 steps; tsay-wang-direct does it in dr, the lower bound, on {count} "
     "of {tried} tori"},
};

}  // namespace flitscope::claims::tsay_wang
