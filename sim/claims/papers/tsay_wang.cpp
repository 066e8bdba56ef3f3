// Tsay and Wang: broadcast on the d-dimensional all-port wormhole torus. P is 2d+1, K(n) is ceil(log_P n).
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <vector>

#include "algorithms/tsay_wang/ring_schedule.h"
#include "model/algorithm.h"
#include "sim/claims/evidence.h"
#include "sim/claims/measure.h"
#include "sim/claims/papers/tsay_wang_sets.h"
#include "sim/experiment/workload.h"

namespace flitscope::claims {
namespace {

using tsay_wang::Node;
using tsay_wang::Torus;
using Tori = std::vector<Torus>;

std::string size_of(const Torus& torus) {
  return fmt::format("d = {}, n = {}", torus.d, torus.n);
}

std::uint64_t power(std::uint64_t base, unsigned exponent) {
  std::uint64_t result = 1;
  for (unsigned k = 0; k < exponent; ++k) result *= base;
  return result;
}

/// K(n) of a torus with other sides.
std::uint64_t k_of(const Torus& torus) {
  return ceil_log(2 * torus.d + 1, torus.n);
}

/// Tori of n >= 3 and at most `nodes` nodes for which `admits` holds, by d and then n; rings up to side 243.
template <typename Admits>
Tori tori(unsigned first_d, unsigned last_d, std::uint64_t nodes, const Admits& admits) {
  Tori list;
  for (unsigned d = first_d; d <= last_d; ++d) {
    for (std::uint64_t n = 3; power(n, d) <= nodes && (d > 1 || n <= 243); ++n) {
      if (admits(Torus{n, d})) list.push_back({n, d});
    }
  }
  return list;
}
Tori tori(unsigned first_d, unsigned last_d, std::uint64_t nodes) {
  return tori(first_d, last_d, nodes, [](const Torus&) { return true; });
}
bool is_odd(const Torus& torus) {
  return torus.n % 2 == 1;
}
bool is_even(const Torus& torus) {
  return torus.n % 2 == 0;
}

std::uint64_t most_nodes(Extent extent) {
  return extent == Extent::quick ? 1'000 : 30'000;
}

/// Sides that are powers of 2d+1.
Tori powers(Extent extent) {
  if (extent == Extent::quick) return {{3, 1}, {9, 1}, {5, 2}, {25, 2}, {7, 3}, {9, 4}};
  return {{3, 1}, {9, 1}, {27, 1}, {5, 2}, {25, 2}, {125, 2}, {7, 3}, {49, 3}, {9, 4}, {11, 5}};
}

/// "d = 1: n = 3..29; d = 2: n = 3..40"
std::string sizes_of(const Tori& list) {
  std::string text;
  for (std::size_t first = 0; first < list.size();) {
    std::vector<std::uint64_t> sides;
    const unsigned d = list[first].d;
    for (; first < list.size() && list[first].d == d; ++first) sides.push_back(list[first].n);
    text += fmt::format("{}d = {}: n = {}", text.empty() ? "" : "; ", d, ranges(sides));
  }
  return text;
}

/// A schedule taken apart: what is announced, what the checker says, and each step's load.
struct Played {
  ScheduleFacts facts;
  CheckReport report;
  std::vector<StepSummary> steps;

  /// Steps and messages of a stage, and links in it that carry more than one message of a step.
  [[nodiscard]] const Stage* stage(std::string_view name) const {
    const auto found = std::ranges::find(facts.stages, name, &Stage::name);
    return found == facts.stages.end() ? nullptr : &*found;
  }
  [[nodiscard]] std::uint64_t shared_links(const Stage& stage) const {
    std::uint64_t sum = 0;
    for (std::uint64_t s = stage.first_step; s <= stage.last_step; ++s) sum += steps[s - 1].load.shared_links;
    return sum;
  }
  [[nodiscard]] std::uint64_t messages(const Stage& stage) const {
    std::uint64_t sum = 0;
    for (std::uint64_t s = stage.first_step; s <= stage.last_step; ++s) sum += steps[s - 1].messages;
    return sum;
  }
};

ExperimentConfig broadcast(const Torus& torus, const std::string& workload) {
  return experiment(equal_torus(torus.n, torus.d), fmt::format("{{algorithm: {}}}", workload));
}

Played play(const Torus& torus, const std::string& workload) {
  const ExperimentConfig config = broadcast(torus, workload);
  Played played{make_schedule(config)->facts(), {}, {}};
  CheckOptions options;
  options.on_step = [&](const StepSummary& step) { played.steps.push_back(step); };
  played.report = check(config, options);
  return played;
}

/// What is wrong with a broadcast that should be legal and free of conflicts; empty if nothing is.
std::string fault(const CheckReport& report) {
  if (!report.legal) return report.violations.front().text;
  if (report.shared_links == 0) return "";
  return fmt::format("{} carrying more than one message of a step, {} of them in step {}",
                     report.shared_links == 1 ? "1 link" : fmt::format("{} links", report.shared_links),
                     report.most_shared_links, report.most_shared_step);
}

/// Adds a case: the broadcast is legal, free of conflicts, and takes at most `claimed` steps.
void add_broadcast(Cases& cases, const Torus& torus, const std::string& workload, std::uint64_t claimed) {
  const CheckReport report = check(broadcast(torus, workload));
  std::string wrong = fault(report);
  if (wrong.empty() && report.steps > claimed) {
    wrong = fmt::format("{} steps, more than {}", report.steps, claimed);
  }
  cases.add(wrong.empty(), size_of(torus), wrong);
}

Finding lower_bound(Extent extent) {
  Cases cases;
  std::uint64_t met = 0;
  const Tori list = tori(1, 5, most_nodes(extent));
  for (const Torus& torus : list) {
    const Played played = play(torus, "tsay-wang-dilated");
    std::uint64_t informed = 1;
    bool multiplied = true;
    for (const StepSummary& step : played.steps) {
      multiplied = multiplied && step.messages <= 2 * torus.d * informed;
      informed += step.messages;
    }
    const std::uint64_t bound = *played.facts.lower_bound_steps;
    cases.add(multiplied && played.report.steps >= bound, size_of(torus),
              fmt::format("{} steps, fewer than {}", played.report.steps, bound));
    met += played.report.steps == bound ? 1 : 0;
  }
  return judge(cases, sizes_of(list),
               fmt::format("no step informs more than 2d new nodes for each informed one; "
                           "tsay-wang-dilated meets the bound on {} of {} tori",
                           met, cases.tried()));
}

Finding lone_source(Extent extent) {
  Cases printed;
  Cases repaired;
  const std::uint64_t most = extent == Extent::quick ? 60 : 199;
  for (unsigned d = 1; d <= 5; ++d) {
    for (std::uint64_t n = 3; n <= most; ++n) {
      const Torus torus{n, d};
      const auto growth = tsay_wang::printed_growth(n, d);
      const std::uint64_t steps = k_of(torus);
      const std::uint64_t after = growth[std::min<std::size_t>(steps, growth.size() - 1)];
      printed.add(after == n, size_of(torus),
                  fmt::format("{} of {} classes informed after {} steps ({} at most, ever)", after, n, steps,
                              growth.back()));
      const flitscope::tsay_wang::RingSchedule ring(static_cast<std::uint32_t>(n), d);
      repaired.equal(size_of(torus), "steps", steps, std::uint64_t{ring.steps()});
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
  Cases printed;
  Cases repaired;
  std::uint64_t few = 0;
  std::uint64_t few_and_failed = 0;
  const std::uint64_t most = extent == Extent::quick ? 100 : 1000;
  for (unsigned d = 1; d <= 5; ++d) {
    for (std::uint64_t gap = 2; gap <= most; ++gap) {
      const auto offsets = tsay_wang::printed_offsets(gap, d);
      const std::set<std::uint64_t> different(offsets.begin(), offsets.end());
      const bool fits = *different.rbegin() < gap && different.size() == offsets.size();
      if (gap - 1 < 2 * d) {
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
                     std::min<std::uint64_t>(2 * d, gap - 1),
                     std::uint64_t{sender.right.size() + sender.left.size()});
    }
  }
  return judge(printed, repaired, "a gap of at most 2d free classes is filled, not divided",
               fmt::format("d = 1..5, gaps 2..{}", most),
               fmt::format("as printed {} of {} gaps fail, {} of them among the {} with fewer than 2d free "
                           "classes",
                           printed.failed(), printed.tried(), few_and_failed, few));
}

/// Adds a case for each stage of that name: at most `steps` steps, nothing shared, everybody once.
void add_stage(Cases& cases, const Torus& torus, const Played& played, const std::string& name,
               std::uint64_t steps) {
  const Stage* const stage = played.stage(name);
  if (stage == nullptr) {
    return cases.add(false, size_of(torus), fmt::format("there is no {}", name));
  }
  const std::uint64_t taken = stage->last_step - stage->first_step + 1;
  const std::uint64_t shared = played.shared_links(*stage);
  cases.add(taken <= steps && shared == 0, fmt::format("{}, {}", size_of(torus), name),
            fmt::format("{} steps, {} shared links", taken, shared));
}

std::uint64_t r_of(const Torus& torus) {
  return k_of(torus);
}

Finding first_phase(Extent extent) {
  Cases cases;
  for (const Torus& torus : powers(extent)) {
    const Played played = play(torus, "tsay-wang");
    add_stage(cases, torus, played, "phase 1", r_of(torus));
    const Stage* const stage = played.stage("phase 1");
    cases.equal(size_of(torus), "messages", torus.n - 1, played.messages(*stage));
  }
  return judge(cases, sizes_of(powers(extent)),
               "r steps, each node of the diagonal informed once, no shared link");
}

Finding middle_phases(Extent extent) {
  Cases printed;
  Cases repaired;
  for (const Torus& torus : powers(extent)) {
    if (torus.d < 3) continue;
    const Played played = play(torus, "tsay-wang");
    for (unsigned h = 0; h + 1 <= torus.d; ++h) {
      add_stage(printed, torus, played, fmt::format("phase {}", h), r_of(torus));
      if (h >= 2) add_stage(repaired, torus, played, fmt::format("phase {}", h), r_of(torus));
    }
  }
  return judge(printed, repaired, "2 <= h <= d-1, as everywhere else in the paper",
               "d = 3..5, n a power of 2d+1", "each of phases 2 to d-1 takes r steps and shares no link");
}

Finding no_congestion(Extent extent) {
  Cases cases;
  const Tori list = tori(3, 5, most_nodes(extent), is_odd);
  for (const Torus& torus : list) {
    const Played played = play(torus, "tsay-wang");
    for (unsigned h = 2; h < torus.d; ++h)
      add_stage(cases, torus, played, fmt::format("phase {}", h), k_of(torus));
  }
  return judge(cases, sizes_of(list), "no link carries two messages of a step in phases 2 to d-1");
}

Finding one_in_each_subtorus(Extent extent) {
  Cases cases;
  const Tori list = tori(2, 5, extent == Extent::quick ? 700 : 8'000);
  for (const Torus& torus : list) {
    for (unsigned h = 1; h <= torus.d; ++h) {
      const auto informed = tsay_wang::informed_before(torus, h);
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
      for (const Node& node : tsay_wang::informed_before(torus, h + 1)) {
        diagonals[Node(node.end() - (h - 1), node.end())].insert(node);
      }
      const auto& [fixed, diagonal] = *diagonals.begin();
      cases.add(!tsay_wang::neighbours_in_line(diagonal) && diagonal.size() == torus.n,
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
      const auto pair = tsay_wang::neighbours_in_line(tsay_wang::informed_before(torus, h));
      cases.add(!pair, fmt::format("{}, h = {}", size_of(torus), h),
                pair ? fmt::format("({}) and ({})", fmt::join(pair->first, ","), fmt::join(pair->second, ","))
                     : "");
    }
  }
  return judge(cases, sizes_of(list) + "; all h", "no two nodes of D_{h,0} differ in one dimension only");
}

Finding unique_look_up(Extent extent) {
  Cases printed;
  Cases repaired;
  const Tori list = tori(3, 5, extent == Extent::quick ? 1'100 : 8'000);
  for (const Torus& torus : list) {
    const auto informed = tsay_wang::informed_before(torus, torus.d);  // h of the lemma is d-1
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

/// Phases 2 to d-1: every destination is new, in the step and for good.
Finding distinct_targets(Extent extent) {
  Cases cases;
  const Tori list = tori(3, 5, most_nodes(extent), is_odd);
  for (const Torus& torus : list) {
    const auto schedule = make_schedule(broadcast(torus, "tsay-wang"));
    std::set<NodeId> informed{0};
    std::uint64_t chosen = 0;
    Step step;
    for (std::uint64_t number = 1; number <= (torus.d - 1) * k_of(torus) && schedule->next(step); ++number) {
      for (const Message& message : step.messages()) informed.insert(message.destination);
      chosen += step.messages().size();
    }
    cases.equal(size_of(torus), "different destinations", chosen, std::uint64_t{informed.size() - 1});
    cases.equal(size_of(torus), "nodes in D_{d,0}", power(torus.n, torus.d - 1),
                std::uint64_t{informed.size()});
  }
  return judge(cases, sizes_of(list),
               "the destinations of phases 1 to d-1 are all different, and are D_{d,0}");
}

Finding row_groups(Extent extent) {
  Cases printed;
  Cases repaired;
  const Tori list = extent == Extent::quick ? Tori{{7, 3}, {9, 4}} : Tori{{7, 3}, {49, 3}, {9, 4}};
  for (const Torus& torus : list) {
    const std::uint64_t p = 2 * torus.d + 1;
    for (unsigned h = 2; h < torus.d; ++h) {
      for (unsigned k = 1; k <= r_of(torus); ++k) {
        // The groups are ranges of ranks: [c-d, c+d] for each rank c that a node of D_{h,k-1} has in D_{h,k}.
        std::set<std::uint64_t> groups;
        std::uint64_t sources = 0;
        for (std::uint64_t column = 0; column < power(torus.n, h - 1); ++column) {
          for (std::uint64_t c = 0; c < power(p, k); c += p, ++sources) groups.insert(c);
        }
        const std::string size = fmt::format("{}, h = {}, k = {}", size_of(torus), h, k);
        printed.equal(size, "row groups", power(torus.n, h - 1) * power(p, k - 1),
                      std::uint64_t{groups.size()});
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

Finding two_edges(Extent extent) {
  Cases printed;
  Cases repaired;
  const Tori list = tori(3, 4, extent == Extent::quick ? 2'500 : 30'000, is_odd);
  for (const Torus& torus : list) {
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
        const std::uint32_t links =
            route_length(topology, message.source, message.destination, message.route);
        if (links <= most_links) continue;
        most_links = links;
        longest = fmt::format("{} to {} by {}", topology.node_name(message.source),
                              topology.node_name(message.destination),
                              route_name(topology, message.source, message.destination, message.route));
      }
    }
    if (most_links == 0) continue;  // too few targets for N_3 and N_4
    printed.add(most_links == 2, size_of(torus), fmt::format("{}, {} links", longest, most_links));
    repaired.equal(size_of(torus), "dimensions", 2U, most_turns);
  }
  return judge(printed, repaired, "two dimensions, several links in each", sizes_of(list),
               "paths to N_3 and N_4 in phase 2");
}

Finding diagonals_of_planes(Extent extent) {
  Cases cases;
  const Tori list = tori(2, 4, extent == Extent::quick ? 700 : 8'000);
  for (const Torus& torus : list) {
    // Rank c moves x_1 by c l_k: the same sets again. All displacements of x_1 are tried.
    const std::set<Node> s = tsay_wang::aligned(torus);
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
  Cases printed;
  Cases repaired;
  for (const Torus& torus : powers(extent)) {
    const std::uint64_t p = 2 * torus.d + 1;
    // Ranks as displacements of x_1. S_{k+1} from S_k by steps of l_k (printed) or l_{k+1}.
    for (const bool next : {false, true}) {
      std::set<std::uint64_t> s{0};
      for (unsigned k = 0; k < r_of(torus); ++k) {
        const std::uint64_t l = torus.n / power(p, next ? k + 1 : k);
        std::set<std::uint64_t> more;
        for (const std::uint64_t x : s) {
          for (std::uint64_t j = 0; j < p; ++j)
            more.insert((x + torus.n * torus.d + j * l - torus.d * l) % torus.n);
        }
        s = std::move(more);
        (next ? repaired : printed)
            .equal(fmt::format("{}, k = {}", size_of(torus), k + 1), "ranks in S_k", power(p, k + 1),
                   std::uint64_t{s.size()});
      }
    }
  }
  return judge(printed, repaired, "with l_{k+1} in the place of l_k", sizes_of(powers(extent)),
               "S_k should have (2d+1)^k ranks");
}

Finding all_nodes_at_the_end(Extent extent) {
  Cases printed;
  Cases repaired;
  for (const Torus& torus : powers(extent)) {
    // D_{h,0} has n^(h-1) nodes for h <= d+1.
    const auto nodes = [&](std::uint64_t h) {
      return power(torus.n, static_cast<unsigned>(std::min<std::uint64_t>(h - 1, torus.d)));
    };
    const std::uint64_t all = power(torus.n, torus.d);
    printed.equal(size_of(torus), "nodes in D_{r+1,0}", all, nodes(r_of(torus) + 1));
    repaired.add(play(torus, "tsay-wang").report.legal && nodes(torus.d + 1) == all, size_of(torus),
                 "not all nodes");
  }
  return judge(printed, repaired, "D_{d+1,0}", sizes_of(powers(extent)),
               "all nodes are informed after phase d");
}

Finding final_phase(Extent extent) {
  Cases cases;
  for (const Torus& torus : powers(extent)) {
    const Played played = play(torus, "tsay-wang");
    const Stage* const stage = played.stage(fmt::format("phase {}", torus.d));
    const Stage* const alignment = played.stage("alignment");
    const std::uint64_t steps = stage->last_step - stage->first_step + 1 + (alignment != nullptr ? 1 : 0);
    cases.at_most(size_of(torus), "steps", r_of(torus) + 1, steps);
    cases.equal(size_of(torus), "messages", power(torus.n, torus.d) - power(torus.n, torus.d - 1),
                played.messages(*stage));
    cases.equal(size_of(torus), "shared links", std::uint64_t{0}, played.shared_links(*stage));
  }
  return judge(
      cases, sizes_of(powers(extent)),
      "r+1 steps (r for d <= 2, where nothing has to be aligned), each node outside S informed once in "
      "it, no shared link");
}

Finding alignment(Extent extent) {
  Cases printed;
  Cases repaired;
  const Tori list = tori(1, 4, most_nodes(extent), is_odd);
  for (const Torus& torus : list) {
    const bool there = play(torus, "tsay-wang").stage("alignment") != nullptr;
    const auto informed = tsay_wang::informed_before(torus, torus.d);
    const auto s = tsay_wang::aligned(torus);
    const std::uint64_t misplaced = static_cast<std::uint64_t>(
        std::ranges::count_if(informed, [&](const Node& node) { return !s.contains(node); }));
    printed.add(misplaced > 0, size_of(torus), "all nodes of D_{d,0} are in S already, the step is empty");
    repaired.equal(size_of(torus), "alignment steps", misplaced > 0, there);
  }
  return judge(printed, repaired, "for d >= 3; one step less in Theorems 3 to 6 for d <= 2", sizes_of(list),
               "nodes of D_{d,0} outside S counted");
}

Finding new_destinations(Extent extent) {
  Cases printed;
  Cases repaired;
  const Tori list = tori(1, 5, most_nodes(extent), is_odd);
  for (const Torus& torus : list) {
    printed.equal(size_of(torus), "redundant messages", std::uint64_t{0},
                  check(broadcast(torus, "tsay-wang")).redundant_deliveries);
    repaired.equal(size_of(torus), "redundant messages", std::uint64_t{0},
                   check(broadcast(torus, "tsay-wang-direct")).redundant_deliveries);
  }
  return judge(printed, repaired, "tsay-wang-direct: diagonals that need no alignment", sizes_of(list),
               fmt::format("with the alignment {} of {} tori have redundant messages", printed.failed(),
                           printed.tried()));
}

Finding powers_of_p(Extent extent) {
  Cases cases;
  std::uint64_t better = 0;
  for (const Torus& torus : powers(extent)) {
    add_broadcast(cases, torus, "tsay-wang", torus.d * r_of(torus) + 1);
    const CheckReport direct = check(broadcast(torus, "tsay-wang-direct"));
    better += fault(direct).empty() && direct.steps == torus.d * r_of(torus) ? 1 : 0;
  }
  return judge(
      cases, sizes_of(powers(extent)),
      fmt::format("legal, no shared link, at most dr+1 steps; tsay-wang-direct does it in dr, the lower "
                  "bound, on {} of {} tori",
                  better, cases.tried()));
}

Finding odd_sides(Extent extent) {
  Cases cases;
  const Tori list = tori(1, 5, most_nodes(extent), is_odd);
  for (const Torus& torus : list) add_broadcast(cases, torus, "tsay-wang", torus.d * k_of(torus) + 1);
  return judge(cases, sizes_of(list),
               "with the ring schedule repaired: legal, no shared link, at most dK(n)+1 steps");
}

Finding selection_by_rank(Extent extent) {
  Cases printed;
  Cases repaired;
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

bool has_extra_phase(const Torus& torus) {
  return is_even(torus) && torus.d / 2 <= torus.n - 1;
}

std::uint64_t even_steps(const Torus& torus, std::uint64_t side) {
  return torus.d * ceil_log(2 * torus.d + 1, side) + (torus.d + 1) / 2 + 1;
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
  Cases printed;
  Cases repaired;
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
  Cases printed;
  Cases repaired;
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
  return judge(
      printed, repaired,
      "the sources of targets with two new coordinates are spread by a checksum of their other ones",
      sizes_of(list),
      fmt::format("as printed {} of {} tori have conflicts; with the two dimensions in a better order "
                  "still {} links are overloaded",
                  printed.failed(), printed.tried(), fmt::join(ordered_overloads, ", ")));
}

Finding extra_sources(Extent extent) {
  Cases printed;
  Cases repaired;
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
      least = std::min(least, tsay_wang::dimension_distance(source, target));
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
  Cases printed;
  Cases repaired;
  const Tori list = tori(3, 5, extent == Extent::quick ? 4'100 : 30'000, is_even);
  for (const Torus& torus : list) {
    for (unsigned h = 2; h < torus.d; ++h) {
      const auto look_ups = tsay_wang::look_ups(torus, h);
      printed.add(look_ups.ambiguous == 0, fmt::format("{}, phase {}", size_of(torus), h),
                  fmt::format("{} of {} look-ups of a node in D_{{h,0}} have no or several answers",
                              look_ups.ambiguous, look_ups.all));
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
    const ScheduleFacts facts = make_schedule(broadcast(torus, "tsay-wang"))->facts();
    const std::uint64_t excess = facts.steps - *facts.lower_bound_steps;
    cases.at_most(size_of(torus), "steps above the bound", std::uint64_t{torus.d + (torus.d + 1) / 2},
                  excess);
    worst[torus.d] = std::max(worst[torus.d], excess);
  }
  std::vector<std::string> by_d;
  for (const auto& [d, excess] : worst) by_d.push_back(fmt::format("{} for d = {}", excess, d));
  return judge(cases, sizes_of(list), fmt::format("steps above Lemma 1 at most: {}", fmt::join(by_d, ", ")));
}

/// What each step of a schedule costs at zero load on the default machine, in cycles: L flits over the H
/// links of its longest path take 2 (H+1) + L - 1.
std::vector<std::uint64_t> zero_load_steps(const ExperimentConfig& config, std::uint64_t flits) {
  const auto schedule = make_schedule(config);
  std::vector<std::uint64_t> cycles;
  Step step;
  while (schedule->next(step)) {
    std::uint64_t links = 0;
    for (const Message& message : step.messages()) {
      links = std::max<std::uint64_t>(
          links, route_length(config.topology, message.source, message.destination, message.route));
    }
    cycles.push_back(2 * (links + 1) + flits - 1);
  }
  return cycles;
}

/// On flits, with barriers: every step of the broadcast costs what its longest path costs, and nobody waits.
Finding nobody_waits(Extent extent) {
  Cases cases;
  Tori list{{5, 2}, {7, 2}, {4, 3}, {7, 3}, {3, 4}};
  if (extent == Extent::full) list = tori(1, 4, 3'000);
  for (const Torus& torus : list) {
    for (const char* algorithm : {"tsay-wang", "tsay-wang-direct", "tsay-wang-dilated"}) {
      const ExperimentConfig config = broadcast(torus, fmt::format("{}, message: 512", algorithm));
      const auto result = run_on_flits(config);
      const std::string size = fmt::format("{}, {}", size_of(torus), algorithm);
      cases.equal(size, "stalled flit-cycles", std::uint64_t{0}, total_stalls(result));
      const auto measured = result.at("step_cycles").get<std::vector<std::uint64_t>>();
      cases.add(measured == zero_load_steps(config, 64), size, "a step takes longer than its longest path");
    }
  }
  return judge(cases, sizes_of(list) + "; tsay-wang, -direct, -dilated, 64 flits, barrier",
               fmt::format("{} of {} runs and their steps are as at zero load",
                           cases.tried() - cases.failed(), cases.tried()));
}

/// Not a claim of the paper, but what one would like to conclude from it: messages of different steps meet.
Finding overlap(Extent extent) {
  Cases cases;
  std::vector<std::string> examples;
  Tori list{{5, 2}, {7, 2}, {25, 2}, {7, 3}, {9, 3}, {15, 3}};
  if (extent == Extent::full) list = tori(1, 4, 4'000);
  for (const Torus& torus : list) {
    for (const char* algorithm : {"tsay-wang", "tsay-wang-direct", "tsay-wang-dilated"}) {
      const auto run = [&](const char* advance) {
        return run_on_flits(
            broadcast(torus, fmt::format("{}, message: 4096, advance: {}", algorithm, advance)));
      };
      const auto free = run("dataflow");
      const std::string size = fmt::format("{}, {}", size_of(torus), algorithm);
      cases.equal(size, "stalled flit-cycles", std::uint64_t{0}, total_stalls(free));
      const auto with_barrier = run("barrier").at("cycles").get<std::uint64_t>();
      const auto without = free.at("cycles").get<std::uint64_t>();
      if (without > with_barrier + with_barrier / 20) {
        examples.push_back(
            fmt::format("{}: {} cycles with barriers, {} without", size, with_barrier, without));
      }
    }
  }
  if (examples.size() > 3) examples.resize(3);
  return judge(
      cases, sizes_of(list) + "; tsay-wang, -direct, -dilated, 512 flits, dataflow",
      fmt::format("{} of {} runs have stalls; slower without barriers by more than 5 %: {}", cases.failed(),
                  cases.tried(), examples.empty() ? "none" : fmt::format("{}", fmt::join(examples, "; "))));
}

/// Cycles of the broadcast's costliest step over those of a message to a neighbour, on the same machine.
double distance_factor(const Torus& torus, std::uint64_t bytes) {
  const auto result = run_on_flits(broadcast(torus, fmt::format("tsay-wang, message: {}", bytes)));
  std::uint64_t most = 0;
  for (const auto& cycles : result.at("step_cycles")) most = std::max(most, cycles.get<std::uint64_t>());
  const std::uint64_t flits = bytes / 8;
  return static_cast<double>(most) / static_cast<double>(4 + flits - 1);  // two routers, one link: 4 cycles
}

Finding distance(Extent extent) {
  Cases printed;
  Cases repaired;
  Tori list{{7, 2}, {7, 3}};
  if (extent == Extent::full) list = {{7, 2}, {25, 2}, {7, 3}, {15, 3}, {5, 4}, {9, 4}};
  std::vector<std::string> factors;
  for (const Torus& torus : list) {
    for (const std::uint64_t bytes : {8U, 512U, 32'768U}) {
      const double factor = distance_factor(torus, bytes);
      const std::string size = fmt::format("{}, {} flits", size_of(torus), bytes / 8);
      printed.add(factor < 1.1, size,
                  fmt::format("the longest path makes a step {:.2f} times as long", factor));
      if (bytes > 10'000) repaired.add(factor < 1.1, size, fmt::format("{:.2f} times", factor));
      factors.push_back(fmt::format("{:.2f} at {}", factor, size));
    }
  }
  return judge(printed, repaired, "for messages of thousands of flits",
               sizes_of(list) + "; 1, 64 and 4096 flits, barrier",
               fmt::format("longest step over a message to a neighbour: {}", fmt::join(factors, "; ")));
}

const PaperRegistry::Entry entry{{
    .name = "tsay-wang",
    .citation = "Jyh-Jong Tsay and Wen-Tsong Wang: Nearly Optimal Algorithms for Broadcast on d-Dimensional "
                "All-Port and Wormhole-Routed Torus",
    .claims =
        {
            {"insensitive-to-distance", "Section 2",
             "Without congestion, latency hardly depends on path length (here: less than 10 %), so that "
             "steps "
             "are the cost.",
             distance},
            {"lower-bound", "Lemma 1", "Every broadcast takes at least ceil(d log_{2d+1} n) steps.",
             lower_bound},
            {"ring-growth", "Lemma 2, gaps",
             "Adding 2d classes to every gap, measured as index difference plus 1, informs a ring of n "
             "classes "
             "in K(n) steps.",
             lone_source},
            {"ring-offsets", "Lemma 2, offsets",
             "A gap is divided by 2d new classes at running sums of the two roundings of gap / (2d+1).",
             few_free_nodes},
            {"new-destinations", "Section 3",
             "In every step every source informs 2d new destinations: nobody receives twice.",
             new_destinations},
            {"all-nodes", "Section 3", "D_{r+1,0} is the set of all nodes.", all_nodes_at_the_end},
            {"phase-1", "Theorem 1", "Phase 1 takes r steps for n = (2d+1)^r, without congestion.",
             first_phase},
            {"one-per-subtorus", "Lemma 4, Corollary 1",
             "D_{h,0} has n^(h-1) nodes, one in each (d-h+1)-dimensional subtorus.", one_in_each_subtorus},
            {"diagonal-distance", "Lemma 5", "Two nodes of a diagonal differ in at least two dimensions.",
             same_diagonal},
            {"set-distance", "Lemma 6", "For odd n two nodes of D_{h,0} differ in at least two dimensions.",
             two_dimensions_apart},
            {"unique-look-up", "Lemma 7",
             "The coordinates of a node of D_{h+1,0} but for x_j determine x_j (no condition on n).",
             unique_look_up},
            {"distinct-targets", "Section 5.2",
             "N_1 to N_4 choose no node twice (the closed forms; the recursion before them shifts its "
             "indices).",
             distinct_targets},
            {"row-groups", "Section 5.2", "D_{h,k} falls into n^(h-1) (2d+1)^(k-1) row groups.", row_groups},
            {"two-edges", "Section 5.2", "The paths to N_3 and N_4 have exactly two edges.", two_edges},
            {"phases-2-to-d-1", "Lemma 8",
             "No two paths of a step share an edge in phases 2 to d-1 (printed with P_1 from s_1 to s_2, and "
             "a "
             "reference that is missing).",
             no_congestion},
            {"phase-h", "Theorem 2", "Phase h, 0 <= h <= d-1, takes r steps for n = (2d+1)^r.",
             middle_phases},
            {"alignment", "Section 6", "The last phase begins with a step that aligns D_{d,0}.", alignment},
            {"plane-diagonals", "Lemmas 9 and 10",
             "The nodes of S of one rank in a plane x_1 x_j form a diagonal of it.", diagonals_of_planes},
            {"final-sets", "Section 6", "S_{k+1} is made from S_k by steps of l_k.", sets_of_final_phase},
            {"final-phase", "Lemma 11, Theorem 3",
             "The last phase takes r+1 steps for n = (2d+1)^r, informs everybody once and shares no edge "
             "(printed for n = (2d+1)^k).",
             final_phase},
            {"powers-of-p", "Theorem 4", "Broadcast takes dr+1 steps for n = (2d+1)^r.", powers_of_p},
            {"selection-by-rank", "Section 7, odd n",
             "For other odd n the j-th target of a source is the j-th node by rank on that side.",
             selection_by_rank},
            {"odd-n", "Theorem 5", "Broadcast takes d K(n) + 1 steps for odd n.", odd_sides},
            {"subtorus-steps", "Section 7, even n",
             "The subtorus of side n-1 takes ceil(d log_{2d+1} (n-1)) + 1 steps.", subtorus_steps},
            {"extra-phase", "Section 7, even n",
             "Then ceil(d/2) steps without conflict: one new coordinate from n-2, two from 0 and 0.",
             extra_phase},
            {"extra-sources", "Section 7, even n",
             "Targets with k+1 or k+2 new coordinates are reached from nodes with k-1 or k.", extra_sources},
            {"even-n", "Theorem 6", "Broadcast takes d K(n) + ceil(d/2) + 1 steps for even n.", even_sides},
            {"even-n-abstract", "Abstract", "Broadcast takes d K(n-1) + ceil(d/2) + 1 steps for even n.",
             even_sides_of_the_abstract},
            {"two-and-three-d", "Abstract, Section 8", "For d = 2 and 3, d K(n) steps suffice for every n.",
             two_and_three_dimensions},
            {"no-extra-phase-3d", "Section 8", "For d = 3 even n needs no extra phase.",
             three_dimensions_without_extra},
            {"no-extra-phase", "Section 8", "The extra phase can be expected to go for every d.",
             no_extra_phase},
            {"nearly-optimal", "Title, Section 8", "The steps are optimal up to a constant, for fixed d.",
             nearly_optimal},
            {"no-stalls", "Section 2, on flits",
             "The steps are free of congestion: with a barrier between them no flit waits, and a step costs "
             "its "
             "longest path and the message's length.",
             nobody_waits},
            {"overlap", "not in the paper",
             "Edge-disjointness within each step would survive without barriers, when steps overlap.",
             overlap},
        },
}};

}  // namespace
}  // namespace flitscope::claims
