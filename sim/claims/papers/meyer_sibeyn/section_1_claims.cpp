// Claims of Sections 1 and 2: bounds, and what two Hamiltonian cycles can do.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <set>

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

const Claims claims_of_sections_1_and_2{
    {"time-independence", "Abstract", "In all steps the PUs forward the received packets in the same way.",
     "no counter and no list on any link", named({{4, 4}, {4, 5}, {5, 5}, {3, 3, 4}, {4, 4, 4, 4}}),
     [](Trial& t, const Shape& shape) {
       const auto test = [&](Cases& cases, const char* algorithm, const char* supply) {
         const LinkPrograms table = table_of(shape, algorithm, supply);
         cases.add(is_time_independent(table), shape, fmt::format("{} needs counters or lists", algorithm));
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
     [](Trial& t) {
       for (const Shape& shape : t.over(listed(t, {{4, 4}, {3, 3, 3}, {8, 8}}, {{12, 12}, {6, 6, 6}}))) {
         const std::uint64_t steps = checked_steps(shape, "naive-rounds").value();
         const std::uint64_t best = checked_steps(shape, "translated-tree").value();
         t.printed.add(steps > kSubstantially * best, shape, fmt::format("{} steps against {}", steps, best));
         append(t.measured, ", ", fmt::format("{} steps on {} ({} suffice)", steps, name_of(shape), best));
       }
     }},
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
     [](const Trial& t) {
       return listed(t, {{3, 3, 3}, {4, 3, 5}, {5, 5, 5}, {6, 6, 4}, {3, 3, 3, 3}, {4, 3, 5, 3}},
                     {{8, 8, 8}, {6, 6, 6, 6}, {4, 4, 4, 4, 4}, {3, 3, 3, 3, 3, 3}});
     },
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
         t.printed.add(steps >= bound, shape, fmt::format("{} steps, fewer than {}", steps, bound));
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
       t.printed.add(best >= bound_of_theorem_1(kPrime), "P = 101", fmt::format("{} steps", best));
       t.measured = fmt::format(
           "8x8: {} steps by the cycles of hamiltonian-cycles, the bound is {}; best pair "
           "for P = 101: {}, the bound is {}",
           on_8x8, bound_of_theorem_1(64), best, bound_of_theorem_1(kPrime));
     }},
    {"example-1", "Example 1", "The sets A, B, C of PUs 22 and 3 for P = 40.", "equal sets and numbers",
     example_1},
};

}  // namespace flitscope::claims::meyer_sibeyn
