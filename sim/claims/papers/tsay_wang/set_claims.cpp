// Lemmas on sets of nodes and on the ring, compared with the printed definitions.
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "algorithms/common/ring_schedule.h"
#include "sim/claims/claim.h"
#include "sim/claims/papers/tsay_wang/cases.h"

namespace flitscope::claims::tsay_wang {

Finding lone_source(Extent extent) {
  Cases printed, repaired;
  const std::uint64_t most = extent == Extent::quick ? 60 : 199;
  for (unsigned d = 1; d <= 5; ++d) {
    for (std::uint64_t n = 3; n <= most; ++n) {
      const Torus torus{n, d};
      const auto growth = printed_growth(n, d);
      const std::uint64_t steps = k_of(torus);
      const std::uint64_t after = growth[std::min<std::size_t>(steps, growth.size() - 1)];
      printed.add(after == n, size_of(torus),
                  fmt::format("{} of {} classes informed after {} steps ({} at most, ever)", after, n, steps,
                              growth.back()));
      const flitscope::tsay_wang::RingSchedule ring(static_cast<std::uint32_t>(n), d);
      repaired.equal(size_of(torus), "steps", steps, ring.steps());
    }
  }
  return judge(printed, repaired,
               "the gap is the index difference, n for a class that is alone; without the \"+1\"",
               fmt::format("d = 1..5: n = 3..{}", most),
               fmt::format("informed in K(n) steps: {} of {} rings as printed, {} of {} repaired",
                           printed.tried() - printed.failed(), printed.tried(),
                           repaired.tried() - repaired.failed(), repaired.tried()));
}

Finding few_free_nodes(Extent extent) {
  Cases printed, repaired;
  std::uint64_t few = 0;
  std::uint64_t few_and_failed = 0;
  const std::uint64_t most = extent == Extent::quick ? 100 : 1000;
  for (unsigned d = 1; d <= 5; ++d) {
    for (std::uint64_t gap = 2; gap <= most; ++gap) {
      const auto offsets = printed_offsets(gap, d);
      const std::set<std::uint64_t> different(offsets.begin(), offsets.end());
      const bool fits = *different.rbegin() < gap && different.size() == offsets.size();
      if (gap - 1 < 2 * std::uint64_t{d}) {
        ++few;
        few_and_failed += fits ? 0 : 1;
      }
      printed.add(
          fits, fmt::format("d = {}, gap {}", d, gap),
          fmt::format("offsets {} are no {} classes between the two", fmt::join(offsets, ", "), 2 * d));
      // The first class of a ring of `gap` classes is the only one informed: its gap is the ring.
      const flitscope::tsay_wang::RingSchedule ring(static_cast<std::uint32_t>(gap), d);
      const auto& sender = ring.senders(1).front();
      repaired.equal(fmt::format("d = {}, gap {}", d, gap), "new classes",
                     std::min(2 * std::uint64_t{d}, gap - 1), sender.right.size() + sender.left.size());
    }
  }
  return judge(
      printed, repaired, "a gap of at most 2d free classes is filled, not divided",
      fmt::format("d = 1..5, gaps 2..{}", most),
      fmt::format("as printed {} of {} gaps fail, {} of them among the {} with fewer than 2d free classes",
                  printed.failed(), printed.tried(), few_and_failed, few));
}

Finding one_in_each_subtorus(Extent extent) {
  Cases cases;
  const Tori list = tori(2, 5, extent == Extent::quick ? 700 : 8'000);
  for (const Torus& torus : list) {
    for (unsigned h = 1; h <= torus.d; ++h) {
      const auto informed = informed_before(torus, h);
      std::set<Node> subtori;  // by their fixed coordinates, the last h-1
      for (const Node& node : informed) subtori.emplace(node.end() - (h - 1), node.end());
      const std::uint64_t wanted = power(torus.n, h - 1);
      cases.add(informed.size() == wanted && subtori.size() == wanted,
                fmt::format("{}, h = {}", size_of(torus), h),
                fmt::format("{} nodes in {} subtori", informed.size(), subtori.size()));
    }
  }
  return judge(cases, sizes_of(list) + "; all h", "n^(h-1) nodes, one in each subtorus");
}

Finding same_diagonal(Extent extent) {
  Cases cases;
  const Tori list = tori(2, 5, extent == Extent::quick ? 700 : 8'000);
  for (const Torus& torus : list) {
    // D_{h+1,0} restricted to one diagonal: the nodes with the same last h-1 coordinates.
    for (unsigned h = 1; h < torus.d; ++h) {
      std::map<Node, std::set<Node>> diagonals;
      for (const Node& node : informed_before(torus, h + 1)) {
        diagonals[Node(node.end() - (h - 1), node.end())].insert(node);
      }
      const auto& [fixed, diagonal] = *diagonals.begin();
      cases.add(!neighbours_in_line(diagonal) && diagonal.size() == torus.n,
                fmt::format("{}, h = {}", size_of(torus), h), "two nodes differ in one dimension only");
    }
  }
  return judge(cases, sizes_of(list) + "; all h < d",
               "no two nodes of a diagonal differ in one dimension only");
}

Finding two_dimensions_apart(Extent extent) {
  Cases cases;
  const Tori list = tori(3, 5, extent == Extent::quick ? 700 : 8'000, is_odd);
  for (const Torus& torus : list) {
    for (unsigned h = 2; h <= torus.d; ++h) {
      const auto pair = neighbours_in_line(informed_before(torus, h));
      cases.add(!pair, fmt::format("{}, h = {}", size_of(torus), h),
                pair ? fmt::format("({}) and ({})", fmt::join(pair->first, ","), fmt::join(pair->second, ","))
                     : "");
    }
  }
  return judge(cases, sizes_of(list) + "; all h", "no two nodes of D_{h,0} differ in one dimension only");
}

Finding unique_look_up(Extent extent) {
  Cases printed, repaired;
  const Tori list = tori(3, 5, extent == Extent::quick ? 1'100 : 8'000);
  for (const Torus& torus : list) {
    const auto informed = informed_before(torus, torus.d);  // h of the lemma is d-1
    std::string wrong;
    for (const Node& node : informed) {
      for (unsigned j = 1; j < torus.d && wrong.empty(); ++j) {
        Node other = node;
        unsigned found = 0;
        for (other[j] = 0; other[j] < torus.n; ++other[j]) found += informed.contains(other) ? 1 : 0;
        if (found != 1) {
          wrong = fmt::format("{} nodes of D_{{{},0}} agree with ({}) outside dimension {}", found, torus.d,
                              fmt::join(node, ","), j + 1);
        }
      }
    }
    printed.add(wrong.empty(), size_of(torus), wrong);
    if (is_odd(torus)) repaired.add(wrong.empty(), size_of(torus), wrong);
  }
  const std::uint64_t of_odd_n = repaired.failed();
  return judge(printed, repaired, "n odd, as Lemma 6 says of itself", sizes_of(list),
               fmt::format("fails for {} of {} tori, {} of them of odd n", printed.failed(), printed.tried(),
                           of_odd_n));
}

Finding row_groups(Extent extent) {
  Cases printed, repaired;
  const Tori list = extent == Extent::quick ? Tori{{7, 3}, {9, 4}} : Tori{{7, 3}, {49, 3}, {9, 4}};
  for (const Torus& torus : list) {
    const std::uint64_t p = 2 * torus.d + 1;
    for (unsigned h = 2; h < torus.d; ++h) {
      for (unsigned k = 1; k <= k_of(torus); ++k) {
        // The groups are ranges of ranks: [c-d, c+d] for each rank c that a node of D_{h,k-1} has in D_{h,k}.
        std::set<std::uint64_t> groups;
        std::uint64_t sources = 0;
        for (std::uint64_t column = 0; column < power(torus.n, h - 1); ++column) {
          for (std::uint64_t c = 0; c < power(p, k); c += p, ++sources) groups.insert(c);
        }
        const std::string size = fmt::format("{}, h = {}, k = {}", size_of(torus), h, k);
        printed.equal(size, "row groups", power(torus.n, h - 1) * power(p, k - 1), groups.size());
        repaired.add(groups.size() == power(p, k - 1) && sources == groups.size() * power(torus.n, h - 1),
                     size, "groups and sources do not fit");
      }
    }
  }
  return judge(
      printed, repaired,
      "there are (2d+1)^(k-1) row groups, of n^(h-1) sources each; ranks count modulo (2d+1)^k, not n",
      "d = 3, 4, n a power of 2d+1; all h and k", "groups counted from the definition");
}

Finding diagonals_of_planes(Extent extent) {
  Cases cases;
  const Tori list = tori(2, 4, extent == Extent::quick ? 700 : 8'000);
  for (const Torus& torus : list) {
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
    cases.add(all, size_of(torus), "a plane whose nodes of S form no diagonal");
  }
  return judge(cases, sizes_of(list), "n nodes of S in each plane x_1 x_j, with x_1 - x_j the same");
}

Finding sets_of_final_phase(Extent extent) {
  Cases printed, repaired;
  for (const Torus& torus : powers(extent)) {
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
        (next ? repaired : printed)
            .equal(fmt::format("{}, k = {}", size_of(torus), k + 1), "ranks in S_k", power(p, k + 1),
                   s.size());
      }
    }
  }
  return judge(printed, repaired, "with l_{k+1} in the place of l_k", sizes_of(powers(extent)),
               "S_k should have (2d+1)^k ranks");
}

}  // namespace flitscope::claims::tsay_wang
