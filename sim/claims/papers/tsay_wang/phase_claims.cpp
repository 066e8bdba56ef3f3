// Theorems on the phases, for n = (2d+1)^r and in general.
#include <algorithm>
#include <set>

#include "model/route.h"
#include "sim/claims/claim.h"
#include "sim/claims/papers/tsay_wang/cases.h"
#include "sim/run/workload.h"

namespace flitscope::claims::tsay_wang {

namespace {

/// Adds a case for each stage of that name: at most `steps` steps, no shared link, every node informed once.
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

}  // namespace

Finding lower_bound(Extent extent) {
  Cases cases;
  std::uint64_t met = 0;
  const Tori list = tori(1, 5, most_nodes(extent));
  for (const Torus& torus : list) {
    const Played played = play(torus, "tsay-wang-dilated");
    std::uint64_t informed = 1;
    bool multiplied = true;
    for (const StepSummary& step : played.steps) {
      multiplied = multiplied && step.messages <= 2 * std::uint64_t{torus.d} * informed;
      informed += step.messages;
    }
    const std::uint64_t bound = *played.facts.lower_bound_steps;
    cases.add(multiplied && played.report.steps >= bound, size_of(torus),
              fmt::format("{} steps, fewer than {}", played.report.steps, bound));
    met += played.report.steps == bound ? 1 : 0;
  }
  return judge(cases, sizes_of(list),
               fmt::format("no step informs more than 2d new nodes for each informed one; tsay-wang-dilated "
                           "meets the bound on {} of {} tori",
                           met, cases.tried()));
}

Finding first_phase(Extent extent) {
  Cases cases;
  for (const Torus& torus : powers(extent)) {
    const Played played = play(torus, "tsay-wang");
    add_stage(cases, torus, played, "phase 1", k_of(torus));
    const Stage* const stage = played.stage("phase 1");
    cases.equal(size_of(torus), "messages", torus.n - 1, played.messages(*stage));
  }
  return judge(cases, sizes_of(powers(extent)),
               "r steps, each node of the diagonal informed once, no shared link");
}

Finding middle_phases(Extent extent) {
  Cases printed, repaired;
  for (const Torus& torus : powers(extent)) {
    if (torus.d < 3) continue;
    const Played played = play(torus, "tsay-wang");
    for (unsigned h = 0; h + 1 <= torus.d; ++h) {
      add_stage(printed, torus, played, fmt::format("phase {}", h), k_of(torus));
      if (h >= 2) add_stage(repaired, torus, played, fmt::format("phase {}", h), k_of(torus));
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
    cases.equal(size_of(torus), "different destinations", chosen, informed.size() - 1);
    cases.equal(size_of(torus), "nodes in D_{d,0}", power(torus.n, torus.d - 1), informed.size());
  }
  return judge(cases, sizes_of(list),
               "the destinations of phases 1 to d-1 are all different, and are D_{d,0}");
}

Finding two_edges(Extent extent) {
  Cases printed, repaired;
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

Finding all_nodes_at_the_end(Extent extent) {
  Cases printed, repaired;
  for (const Torus& torus : powers(extent)) {
    // D_{h,0} has n^(h-1) nodes for h <= d+1.
    const auto nodes = [&](std::uint64_t h) {
      return power(torus.n, static_cast<unsigned>(std::min<std::uint64_t>(h - 1, torus.d)));
    };
    const std::uint64_t all = power(torus.n, torus.d);
    printed.equal(size_of(torus), "nodes in D_{r+1,0}", all, nodes(k_of(torus) + 1));
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
    cases.at_most(size_of(torus), "steps", k_of(torus) + 1, steps);
    cases.equal(size_of(torus), "messages", power(torus.n, torus.d) - power(torus.n, torus.d - 1),
                played.messages(*stage));
    cases.equal(size_of(torus), "shared links", 0, played.shared_links(*stage));
  }
  return judge(cases, sizes_of(powers(extent)),
               "r+1 steps (r for d <= 2, where nothing has to be aligned), each node outside S informed once "
               "in it, no shared link");
}

Finding alignment(Extent extent) {
  Cases printed, repaired;
  const Tori list = tori(1, 4, most_nodes(extent), is_odd);
  for (const Torus& torus : list) {
    const bool there = play(torus, "tsay-wang").stage("alignment") != nullptr;
    const auto informed = informed_before(torus, torus.d);
    const auto s = aligned(torus);
    const std::uint64_t misplaced = static_cast<std::uint64_t>(
        std::ranges::count_if(informed, [&](const Node& node) { return !s.contains(node); }));
    printed.add(misplaced > 0, size_of(torus), "all nodes of D_{d,0} are in S already, the step is empty");
    repaired.equal(size_of(torus), "alignment steps", misplaced > 0, there);
  }
  return judge(printed, repaired, "for d >= 3; one step less in Theorems 3 to 6 for d <= 2", sizes_of(list),
               "nodes of D_{d,0} outside S counted");
}

Finding new_destinations(Extent extent) {
  Cases printed, repaired;
  const Tori list = tori(1, 5, most_nodes(extent), is_odd);
  for (const Torus& torus : list) {
    printed.equal(size_of(torus), "redundant messages", 0,
                  check(broadcast(torus, "tsay-wang")).redundant_deliveries);
    repaired.equal(size_of(torus), "redundant messages", 0,
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
    add_broadcast(cases, torus, "tsay-wang", torus.d * k_of(torus) + 1);
    const CheckReport direct = check(broadcast(torus, "tsay-wang-direct"));
    better += fault(direct).empty() && direct.steps == torus.d * k_of(torus) ? 1 : 0;
  }
  return judge(cases, sizes_of(powers(extent)),
               fmt::format("legal, no shared link, at most dr+1 steps; tsay-wang-direct does it in dr, the "
                           "lower bound, on {} of {} tori",
                           better, cases.tried()));
}

}  // namespace flitscope::claims::tsay_wang
