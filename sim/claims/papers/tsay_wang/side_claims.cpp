// Section 7: sides that are no power of 2d+1, odd and even; Section 8.
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "algorithms/common/ring_schedule.h"
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

Tori odd_tori(const Trial& t) {
  return checked_tori(t, 1, 5, is_odd);
}
Tori tori_with_extra_phase(const Trial& t) {
  return checked_tori(t, 1, 5, has_extra_phase);
}

/// The measurement of a claim that a broadcast takes at most `claimed` steps.
Measure broadcasts(Tori (*tori)(const Trial&), const char* workload, std::uint64_t (*claimed)(const Torus&),
                   const char* measured) {
  const auto test = [=](Trial& t, const Torus& torus) {
    add_broadcast(t.printed, torus, workload, claimed(torus));
  };
  return trying(tori, test, measured);
}

/// Numbers of look-ups of s_2 or s_3 in D_{h,0} in phase h (Section 5.2), and of those without exactly
/// one such node. Targets as the ring schedule has them.
struct LookUps {
  std::uint64_t all = 0;
  std::uint64_t ambiguous = 0;
};

LookUps look_ups(const Torus& torus, unsigned h) {
  const auto [n, d] = torus;
  const unsigned r = d - h + 1;
  const std::set<Node> informed = informed_before(torus, h);
  const flitscope::common::RingSchedule ring(static_cast<std::uint32_t>(n), d);
  LookUps counted;
  // The node with y_0 in its first R dimensions and x's coordinates elsewhere, but for dimension j.
  const auto look_up = [&](const Node& x, std::int64_t t, unsigned j) {
    Node wanted = x;
    for (unsigned k = 0; k < r; ++k) wanted[k] = mod(std::int64_t{x[0]} - t, n);
    unsigned found = 0;
    for (wanted[j - 1] = 0; wanted[j - 1] < n; ++wanted[j - 1]) found += informed.contains(wanted) ? 1 : 0;
    ++counted.all;
    if (found != 1) ++counted.ambiguous;
  };
  for (unsigned k = 1; k <= ring.steps(); ++k) {
    for (const auto& sender : ring.senders(k)) {
      for (const auto& side : {sender.right, sender.left}) {
        for (unsigned j = r + 1; j <= side.size(); ++j) {
          for (const Node& x : informed) look_up(x, side[j - 1], j);
        }
      }
    }
  }
  return counted;
}

}  // namespace

const Claims side_claims{
    {"selection-by-rank", "Section 7, odd n",
     "For other odd n the j-th target of a source is the j-th node by rank on that side.",
     "legal, no shared link, at most d K(n) + 1 steps", odd_tori,
     [](Trial& t, const Torus& torus) {
       const std::uint64_t steps = torus.d * k_of(torus) + 1;
       add_broadcast(t.printed, torus, "tsay-wang, reading: literal", steps);
       add_broadcast(t.repaired, torus, "tsay-wang, reading: working", steps);
       add_broadcast(t.repaired, torus, "tsay-wang, reading: bounded", steps);
     },
     [](Trial& t) {
       for (const Torus& torus : {Torus{7, 2}, Torus{9, 2}, Torus{9, 3}, Torus{3, 4}}) {
         const CheckReport report = check(broadcast(torus, "tsay-wang, reading: literal"));
         t.note("{} at {}", report.shared_links, name_of(torus));
       }
       return with_counts("as printed {failed} tori have conflicts; overloaded links: {seen}", t);
     },
     "a source chooses no target beyond the next source"},
    {"odd-n", "Theorem 5", "Broadcast takes d K(n) + 1 steps for odd n.",
     "legal, no shared link, at most that many steps",
     broadcasts(
         odd_tori, "tsay-wang", [](const Torus& torus) { return torus.d * k_of(torus) + 1; },
         "with the ring schedule repaired: legal, no shared link, at most dK(n)+1 steps")},
    {"subtorus-steps", "Section 7, even n",
     "The subtorus of side n-1 takes ceil(d log_{2d+1} (n-1)) + 1 steps.", "at most that many steps",
     [](const Trial& t) { return tori_with_extra_phase(t); },
     [](Trial& t, const Torus& torus) {
       const std::uint64_t side = torus.n - 1;
       const std::uint64_t steps =
           play(torus, "tsay-wang").facts.steps - (torus.d + 1) / 2;  // without the extra phase
       const std::uint64_t bound = ceil_log(2 * torus.d + 1, power(side, torus.d));
       t.at_most(torus, "steps before the extra phase", bound + 1, torus.d * k_of({side, torus.d}) + 1,
                 steps);
     },
     "{failed} tori take more than that, which is the lower bound and one", "d ceil(log_{2d+1} (n-1)) + 1"},
    {"extra-phase", "Section 7, even n",
     "Then ceil(d/2) steps without conflict: one new coordinate from n-2, two from 0 and 0.",
     "legal, no shared link, at most d K(n-1) + ceil(d/2) + 1 steps in all",
     [](const Trial& t) { return tori(1, 5, t.up_to(1'300, 30'000), has_extra_phase); },
     [](Trial& t, const Torus& torus) {
       const std::uint64_t steps = even_steps(torus, torus.n - 1);
       add_broadcast(t.printed, torus, "tsay-wang, extra: literal", steps);
       add_broadcast(t.repaired, torus, "tsay-wang, extra: spread", steps);
       const CheckReport ordered = check(broadcast(torus, "tsay-wang, extra: ordered"));
       if (ordered.shared_links > 0 && t.seen.size() < 3) {
         t.note("{} ({})", ordered.shared_links, name_of(torus));
       }
     },
     "as printed {failed} tori have conflicts; with the two dimensions in a better order still {seen} links "
     "are overloaded",
     "the sources of targets with two new coordinates are spread by a checksum of their other ones"},
    {"extra-sources", "Section 7, even n",
     "Targets with k+1 or k+2 new coordinates are reached from nodes with k-1 or k.",
     "at most 2 dimensions between source and target",
     [](const Trial& t) { return checked_tori(t, 3, 5, has_extra_phase); },
     [](Trial& t, const Torus& torus) {
       const auto last = static_cast<std::uint32_t>(torus.n - 1);
       // A target with k+2 new coordinates n-1 and a source with k-1: the fewest dimensions between them, k
       // = 1.
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
       t.printed.at_most(fmt::format("{}, k = 1", name_of(torus)), "dimensions from k-1 to k+2", 2U, least);
       add_broadcast(t.repaired, torus, "tsay-wang", even_steps(torus, torus.n - 1));
     },
     "dimensions between such nodes at least, against the two that a path changes",
     "targets with k+2 new coordinates from sources with k only"},
    {"even-n", "Theorem 6", "Broadcast takes d K(n) + ceil(d/2) + 1 steps for even n.",
     "legal, no shared link, at most that many steps",
     broadcasts(
         tori_with_extra_phase, "tsay-wang", [](const Torus& torus) { return even_steps(torus, torus.n); },
         "with the extra phase repaired: legal, no shared link, at most the claimed steps")},
    {"even-n-abstract", "Abstract", "Broadcast takes d K(n-1) + ceil(d/2) + 1 steps for even n.",
     "legal, no shared link, at most that many steps",
     broadcasts(
         tori_with_extra_phase, "tsay-wang",
         [](const Torus& torus) { return even_steps(torus, torus.n - 1); },
         "with the extra phase repaired: legal, no shared link, at most the claimed steps")},
    {"two-and-three-d", "Abstract, Section 8", "For d = 2 and 3, d K(n) steps suffice for every n.",
     "legal, no shared link, at most that many steps",
     broadcasts(
         [](const Trial& t) { return checked_tori(t, 2, 3); }, "tsay-wang-direct",
         [](const Torus& torus) { return torus.d * k_of(torus); },
         "by tsay-wang-direct, which is ours (the paper gives no construction): legal, no shared link")},
    {"no-extra-phase-3d", "Section 8", "For d = 3 even n needs no extra phase.",
     "legal, no shared link, at most 3 K(n) + 1 steps",
     broadcasts([](const Trial& t) { return checked_tori(t, 3, 3, is_even); }, "tsay-wang, even: phases-only",
                [](const Torus& torus) { return torus.d * k_of(torus) + 1; },
                "the phases run on n itself: legal, no shared link, 3K(n)+1 steps")},
    {"no-extra-phase", "Section 8", "The extra phase can be expected to go for every d.",
     "every look-up of the phases has exactly one answer",
     [](const Trial& t) { return tori(3, 5, t.up_to(4'100, 30'000), is_even); },
     [](Trial& t, const Torus& torus) {
       for (unsigned h = 2; h < torus.d; ++h) {
         const LookUps counted = look_ups(torus, h);
         t.printed.add(counted.ambiguous == 0, fmt::format("{}, phase {}", name_of(torus), h),
                       "{} of {} look-ups of a node in D_{{h,0}} have no or several answers",
                       counted.ambiguous, counted.all);
       }
       add_broadcast(t.repaired, torus, "tsay-wang-direct", torus.d * k_of(torus));
     },
     "with the paper's phases {failed} phases cannot be made",
     "tsay-wang-direct: other diagonals, no look-ups, every d and n"},
    {"nearly-optimal", "Title, Section 8", "The steps are optimal up to a constant, for fixed d.",
     "at most d + ceil(d/2) steps above Lemma 1",
     [](Trial& t) {
       std::map<unsigned, std::uint64_t> worst;
       for (const Torus& torus : t.over(tori(1, 5, t.up_to(100'000, 1'000'000)))) {
         if (is_even(torus) && !has_extra_phase(torus)) continue;
         const auto schedule = make_schedule(broadcast(torus, "tsay-wang"));
         std::uint64_t steps = 0;
         for (Step step; schedule->next(step);) ++steps;
         const std::uint64_t excess = steps - *schedule->facts().lower_bound_steps;
         t.printed.at_most(torus, "steps above the bound", torus.d + (torus.d + 1) / 2, excess);
         worst[torus.d] = std::max(worst[torus.d], excess);
       }
       std::vector<std::string> by_d;
       for (const auto& [d, excess] : worst) by_d.push_back(fmt::format("{} for d = {}", excess, d));
       t.measured = fmt::format("steps above Lemma 1 at most: {}", fmt::join(by_d, ", "));
     }},
};

}  // namespace flitscope::claims::tsay_wang
