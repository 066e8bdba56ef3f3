// Statements on sides that are no power of 2d+1, odd and even.
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "algorithms/algorithm.h"
#include "sim/claims/claim.h"
#include "sim/claims/papers/tsay_wang/cases.h"
#include "sim/run/workload.h"

namespace flitscope::claims::tsay_wang {

namespace {

bool has_extra_phase(const Torus& torus) {
  return is_even(torus) && torus.d / 2 <= torus.n - 1;
}

std::uint64_t even_steps(const Torus& torus, std::uint64_t side) {
  return torus.d * ceil_log(2 * torus.d + 1, side) + (torus.d + 1) / 2 + 1;
}

}  // namespace

Finding odd_sides(Extent extent) {
  Cases cases;
  const Tori list = tori(1, 5, most_nodes(extent), is_odd);
  for (const Torus& torus : list) add_broadcast(cases, torus, "tsay-wang", torus.d * k_of(torus) + 1);
  return judge(cases, sizes_of(list),
               "with the ring schedule repaired: legal, no shared link, at most dK(n)+1 steps");
}

Finding selection_by_rank(Extent extent) {
  Cases printed, repaired;
  const Tori list = tori(1, 5, most_nodes(extent), is_odd);
  for (const Torus& torus : list) {
    const std::uint64_t steps = torus.d * k_of(torus) + 1;
    add_broadcast(printed, torus, "tsay-wang, reading: literal", steps);
    add_broadcast(repaired, torus, "tsay-wang, reading: working", steps);
    add_broadcast(repaired, torus, "tsay-wang, reading: bounded", steps);
  }
  std::vector<std::string> counts;
  for (const Torus& torus : {Torus{7, 2}, Torus{9, 2}, Torus{9, 3}, Torus{3, 4}}) {
    const CheckReport report = check(broadcast(torus, "tsay-wang, reading: literal"));
    counts.push_back(fmt::format("{} at {}", report.shared_links, size_of(torus)));
  }
  return judge(printed, repaired, "a source chooses no target beyond the next source", sizes_of(list),
               fmt::format("as printed {} of {} tori have conflicts; overloaded links: {}", printed.failed(),
                           printed.tried(), fmt::join(counts, ", ")));
}

Finding even_sides(Extent extent) {
  Cases cases;
  const Tori list = tori(1, 5, most_nodes(extent), has_extra_phase);
  for (const Torus& torus : list) add_broadcast(cases, torus, "tsay-wang", even_steps(torus, torus.n));
  return judge(cases, sizes_of(list),
               "with the extra phase repaired: legal, no shared link, at most the claimed steps");
}

Finding even_sides_of_the_abstract(Extent extent) {
  Cases cases;
  const Tori list = tori(1, 5, most_nodes(extent), has_extra_phase);
  for (const Torus& torus : list) add_broadcast(cases, torus, "tsay-wang", even_steps(torus, torus.n - 1));
  return judge(cases, sizes_of(list),
               "with the extra phase repaired: legal, no shared link, at most the claimed steps");
}

Finding subtorus_steps(Extent extent) {
  Cases printed, repaired;
  const Tori list = tori(1, 5, most_nodes(extent), has_extra_phase);
  for (const Torus& torus : list) {
    const std::uint64_t side = torus.n - 1;
    const std::uint64_t steps =
        play(torus, "tsay-wang").facts.steps - (torus.d + 1) / 2;  // without the extra phase
    const std::uint64_t bound = ceil_log(2 * torus.d + 1, power(side, torus.d));
    printed.at_most(size_of(torus), "steps before the extra phase", bound + 1, steps);
    repaired.at_most(size_of(torus), "steps before the extra phase", torus.d * k_of({side, torus.d}) + 1,
                     steps);
  }
  return judge(printed, repaired, "d ceil(log_{2d+1} (n-1)) + 1", sizes_of(list),
               fmt::format("{} of {} tori take more than that, which is the lower bound and one",
                           printed.failed(), printed.tried()));
}

Finding extra_phase(Extent extent) {
  Cases printed, repaired;
  std::vector<std::string> ordered_overloads;
  const Tori list = tori(1, 5, extent == Extent::quick ? 1'300 : 30'000, has_extra_phase);
  for (const Torus& torus : list) {
    const std::uint64_t steps = even_steps(torus, torus.n - 1);
    add_broadcast(printed, torus, "tsay-wang, extra: literal", steps);
    add_broadcast(repaired, torus, "tsay-wang, extra: spread", steps);
    const CheckReport ordered = check(broadcast(torus, "tsay-wang, extra: ordered"));
    if (ordered.shared_links > 0 && ordered_overloads.size() < 3) {
      ordered_overloads.push_back(fmt::format("{} ({})", ordered.shared_links, size_of(torus)));
    }
  }
  return judge(printed, repaired,
               "the sources of targets with two new coordinates are spread by a checksum of their other ones",
               sizes_of(list),
               fmt::format("as printed {} of {} tori have conflicts; with the two dimensions in a better "
                           "order still {} links are overloaded",
                           printed.failed(), printed.tried(), fmt::join(ordered_overloads, ", ")));
}

Finding extra_sources(Extent extent) {
  Cases printed, repaired;
  const Tori list = tori(3, 5, most_nodes(extent), has_extra_phase);
  for (const Torus& torus : list) {
    const auto last = static_cast<std::uint32_t>(torus.n - 1);
    // A target with k+2 new coordinates n-1 and a source with k-1: the fewest dimensions between them, k = 1.
    Node target(torus.d, 0);
    std::fill_n(target.begin(), 3, last);
    unsigned least = torus.d;
    for (std::uint64_t number = 0; number < power(last, torus.d); ++number) {
      Node source(torus.d);
      std::uint64_t rest = number;
      for (std::uint32_t& coordinate : source) {
        coordinate = static_cast<std::uint32_t>(rest % last);
        rest /= last;
      }
      least = std::min(least, dimension_distance(source, target));
    }
    printed.at_most(fmt::format("{}, k = 1", size_of(torus)), "dimensions from k-1 to k+2", 2U, least);
    add_broadcast(repaired, torus, "tsay-wang", even_steps(torus, torus.n - 1));
  }
  return judge(printed, repaired, "targets with k+2 new coordinates from sources with k only", sizes_of(list),
               "dimensions between such nodes at least, against the two that a path changes");
}

Finding two_and_three_dimensions(Extent extent) {
  Cases cases;
  const Tori list = tori(2, 3, most_nodes(extent));
  for (const Torus& torus : list) add_broadcast(cases, torus, "tsay-wang-direct", torus.d * k_of(torus));
  return judge(cases, sizes_of(list),
               "by tsay-wang-direct, which is ours (the paper gives no construction): legal, no shared link");
}

Finding three_dimensions_without_extra(Extent extent) {
  Cases cases;
  const Tori list = tori(3, 3, most_nodes(extent), is_even);
  for (const Torus& torus : list) {
    add_broadcast(cases, torus, "tsay-wang, even: phases-only", torus.d * k_of(torus) + 1);
  }
  return judge(cases, sizes_of(list), "the phases run on n itself: legal, no shared link, 3K(n)+1 steps");
}

Finding no_extra_phase(Extent extent) {
  Cases printed, repaired;
  const Tori list = tori(3, 5, extent == Extent::quick ? 4'100 : 30'000, is_even);
  for (const Torus& torus : list) {
    for (unsigned h = 2; h < torus.d; ++h) {
      const LookUps counted = look_ups(torus, h);
      printed.add(counted.ambiguous == 0, fmt::format("{}, phase {}", size_of(torus), h),
                  fmt::format("{} of {} look-ups of a node in D_{{h,0}} have no or several answers",
                              counted.ambiguous, counted.all));
    }
    add_broadcast(repaired, torus, "tsay-wang-direct", torus.d * k_of(torus));
  }
  return judge(printed, repaired, "tsay-wang-direct: other diagonals, no look-ups, every d and n",
               sizes_of(list),
               fmt::format("with the paper's phases {} of {} phases cannot be made", printed.failed(),
                           printed.tried()));
}

Finding nearly_optimal(Extent extent) {
  Cases cases;
  std::map<unsigned, std::uint64_t> worst;
  const Tori list = tori(1, 5, extent == Extent::quick ? 100'000 : 1'000'000);
  for (const Torus& torus : list) {
    if (is_even(torus) && !has_extra_phase(torus)) continue;
    const auto schedule = make_schedule(broadcast(torus, "tsay-wang"));
    std::uint64_t steps = 0;
    for (Step step; schedule->next(step);) ++steps;
    const std::uint64_t excess = steps - *schedule->facts().lower_bound_steps;
    cases.at_most(size_of(torus), "steps above the bound", torus.d + (torus.d + 1) / 2, excess);
    worst[torus.d] = std::max(worst[torus.d], excess);
  }
  std::vector<std::string> by_d;
  for (const auto& [d, excess] : worst) by_d.push_back(fmt::format("{} for d = {}", excess, d));
  return judge(cases, sizes_of(list), fmt::format("steps above Lemma 1 at most: {}", fmt::join(by_d, ", ")));
}

}  // namespace flitscope::claims::tsay_wang
