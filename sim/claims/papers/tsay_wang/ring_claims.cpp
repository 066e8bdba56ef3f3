// Sections 2 to 5 up to the first phase: distance, the lower bound, and how classes of a ring are informed;
// and what is measured on flits.
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "algorithms/common/ring_schedule.h"
#include "sim/claims/papers/tsay_wang/cases.h"
#include "sim/run/workload.h"

namespace flitscope::claims::tsay_wang {

namespace {

using flitscope::common::RingSchedule;

/// "Hardly depends": less than such a part more.
constexpr double kHardly = 0.1;

/// Cycles of the broadcast's costliest step over those of a message to a neighbour, on the same machine.
double distance_factor(const Torus& torus, std::uint64_t bytes) {
  const FlitRun result = run_on_flits(broadcast(torus, fmt::format("tsay-wang, message: {}", bytes)));
  return quotient(std::ranges::max(result.step_cycles),
                  4 + bytes / 8 - 1);  // two routers, one link: 4 cycles
}

/// Distances from an informed class at which Lemma 2 puts its 2d new ones, the next informed class being
/// `gap` classes on; as printed, without regard to how many classes there are.
std::vector<std::uint64_t> printed_offsets(std::uint64_t gap, unsigned d) {
  const std::uint64_t parts = 2 * std::uint64_t{d} + 1;
  std::vector<std::uint64_t> offsets;
  std::uint64_t at = 0;
  for (std::uint64_t j = 0; j < parts - 1; ++j) {
    at += j < gap % parts ? (gap + parts - 1) / parts : gap / parts;
    offsets.push_back(at);
  }
  return offsets;
}

/// Classes of the ring that are informed after each step, by Lemma 2 as printed: the gap of two consecutive
/// informed classes is their index difference plus 1, mod n. Until nothing changes.
std::vector<std::uint64_t> printed_growth(std::uint64_t n, unsigned d) {
  std::set<std::uint64_t> informed{0};
  std::vector<std::uint64_t> sizes;
  do {
    sizes.push_back(informed.size());
    const std::vector<std::uint64_t> before(informed.begin(), informed.end());
    for (std::size_t i = 0; i < before.size(); ++i) {
      const std::uint64_t next = before[(i + 1) % before.size()];
      const std::uint64_t gap = (next + n - before[i] + 1) % n;
      for (const std::uint64_t offset : printed_offsets(gap, d)) informed.insert((before[i] + offset) % n);
    }
  } while (informed.size() > sizes.back());
  return sizes;
}

}  // namespace

const Claims ring_claims{
    {"insensitive-to-distance", "Section 2",
     "Without congestion, latency hardly depends on path length, so that steps are the cost.",
     fmt::format("the longest step less than {:.0f} % longer than a message to a neighbour", 100 * kHardly),
     [](Trial& t) {
       const Tori list =
           t.quick() ? named({{7, 2}, {7, 3}}) : named({{7, 2}, {25, 2}, {7, 3}, {15, 3}, {5, 4}, {9, 4}});
       for (const Torus& torus : t.over(list, "; 1, 64 and 4096 flits, barrier")) {
         for (const std::uint64_t bytes : {8U, 512U, 32'768U}) {
           const double factor = distance_factor(torus, bytes);
           const std::string size = fmt::format("{}, {} flits", name_of(torus), bytes / 8);
           const bool is_long = bytes > 10'000;
           t.add(factor < 1 + kHardly, size,
                 fmt::format("the longest path makes a step {:.2f} times as long", factor), is_long);
           t.note("{:.2f} at {}", factor, size);
         }
       }
       t.repair = "for messages of thousands of flits";
       t.measured = fmt::format("longest step over a message to a neighbour: {}", fmt::join(t.seen, "; "));
     }},
    {"lower-bound", "Lemma 1", "Every broadcast takes at least ceil(d log_{2d+1} n) steps.",
     "no fewer steps; no more than 2d new nodes for each informed one in a step",
     [](const Trial& t) { return checked_tori(t, 1, 5); },
     [](Trial& t, const Torus& torus) {
       const Played played = play(torus, "tsay-wang-dilated");
       std::uint64_t informed = 1;
       bool multiplied = true;
       for (const StepSummary& step : played.steps) {
         multiplied = multiplied && step.messages <= 2 * std::uint64_t{torus.d} * informed;
         informed += step.messages;
       }
       const std::uint64_t bound = *played.facts.lower_bound_steps;
       t.printed.add(multiplied && played.report.steps >= bound, torus, "{} steps, fewer than {}",
                     played.report.steps, bound);
       if (played.report.steps == bound) ++t.count;
     },
     "no step informs more than 2d new nodes for each informed one; tsay-wang-dilated meets the bound on "
     "{count} of {tried} tori"},
    {"ring-growth", "Lemma 2, gaps",
     "Adding 2d classes to every gap, measured as index difference plus 1, informs a ring of n classes in "
     "K(n) steps.",
     "all n classes informed after K(n) steps",
     [](Trial& t) {
       const std::uint64_t most = t.up_to(60, 199);
       for (unsigned d = 1; d <= 5; ++d) {
         for (std::uint64_t n = 3; n <= most; ++n) {
           const Torus torus{n, d};
           const auto growth = printed_growth(n, d);
           const std::uint64_t steps = k_of(torus);
           const std::uint64_t after = growth[std::min<std::size_t>(steps, growth.size() - 1)];
           t.printed.add(after == n, torus, "{} of {} classes informed after {} steps ({} at most, ever)",
                         after, n, steps, growth.back());
           const RingSchedule ring(static_cast<std::uint32_t>(n), d);
           t.repaired.equal(torus, "steps", steps, ring.steps());
         }
       }
       t.repair = "the gap is the index difference, n for a class that is alone; without the \"+1\"";
       t.sizes = fmt::format("d = 1..5: n = 3..{}", most);
       t.measured = fmt::format("informed in K(n) steps: {} rings as printed, {} repaired",
                                t.printed.share_held(), t.repaired.share_held());
     }},
    {"ring-offsets", "Lemma 2, offsets",
     "A gap is divided by 2d new classes at running sums of the two roundings of gap / (2d+1).",
     "2d different offsets, all less than the gap",
     [](Trial& t) {
       std::uint64_t few = 0;
       std::uint64_t few_and_failed = 0;
       const std::uint64_t most = t.up_to(100, 1000);
       for (unsigned d = 1; d <= 5; ++d) {
         for (std::uint64_t gap = 2; gap <= most; ++gap) {
           const auto offsets = printed_offsets(gap, d);
           const std::set<std::uint64_t> different(offsets.begin(), offsets.end());
           const bool fits = *different.rbegin() < gap && different.size() == offsets.size();
           if (gap - 1 < 2 * std::uint64_t{d}) {
             ++few;
             few_and_failed += fits ? 0 : 1;
           }
           t.printed.add(fits, fmt::format("d = {}, gap {}", d, gap),
                         "offsets {} are no {} classes between the two", fmt::join(offsets, ", "), 2 * d);
           // The first class of a ring of `gap` classes is the only one informed: its gap is the ring.
           const RingSchedule ring(static_cast<std::uint32_t>(gap), d);
           const auto& sender = ring.senders(1).front();
           t.repaired.equal(fmt::format("d = {}, gap {}", d, gap), "new classes",
                            std::min(2 * std::uint64_t{d}, gap - 1),
                            sender.right.size() + sender.left.size());
         }
       }
       t.repair = "a gap of at most 2d free classes is filled, not divided";
       t.sizes = fmt::format("d = 1..5, gaps 2..{}", most);
       t.measured =
           fmt::format("as printed {} gaps fail, {} of them among the {} with fewer than 2d free classes",
                       t.printed.share_failed(), few_and_failed, few);
     }},
    {"new-destinations", "Section 3",
     "In every step every source informs 2d new destinations: no node receives twice.",
     "no redundant message", [](const Trial& t) { return checked_tori(t, 1, 5, is_odd); },
     [](Trial& t, const Torus& torus) {
       t.printed.equal(torus, "redundant messages", 0,
                       check(broadcast(torus, "tsay-wang")).redundant_deliveries);
       t.repaired.equal(torus, "redundant messages", 0,
                        check(broadcast(torus, "tsay-wang-direct")).redundant_deliveries);
     },
     "with the alignment {failed} tori have redundant messages",
     "tsay-wang-direct: diagonals that need no alignment"},
    {"all-nodes", "Section 3", "D_{r+1,0} is the set of all nodes.", "equal numbers of nodes", powers,
     [](Trial& t, const Torus& torus) {
       // D_{h,0} has n^(h-1) nodes for h <= d+1.
       const auto nodes = [&](std::uint64_t h) {
         return power(torus.n, static_cast<unsigned>(std::min<std::uint64_t>(h - 1, torus.d)));
       };
       const std::uint64_t all = power(torus.n, torus.d);
       t.printed.equal(torus, "nodes in D_{r+1,0}", all, nodes(k_of(torus) + 1));
       t.repaired.add(play(torus, "tsay-wang").report.legal && nodes(torus.d + 1) == all, torus,
                      "not all nodes");
     },
     "all nodes are informed after phase d", "D_{d+1,0}"},
    {"phase-1", "Theorem 1", "Phase 1 takes r steps for n = (2d+1)^r, without congestion.",
     "at most r steps, n - 1 messages, no shared link", powers,
     [](Trial& t, const Torus& torus) {
       const Played played = play(torus, "tsay-wang");
       add_phase(t.printed, torus, played, "phase 1", k_of(torus));
       t.printed.equal(torus, "messages", torus.n - 1, played.phase("phase 1").messages);
     },
     "r steps, each node of the diagonal informed once, no shared link"},
};

// The broadcasts on flits, and the data of figures.

const Claims flit_claims{
    {"no-stalls", "Section 2, on flits",
     "The steps are free of congestion: with a barrier between them no flit waits, and a step costs its "
     "longest path and the message's length.",
     "no stalled flit-cycle; the cycles of every step equal",
     [](const Trial& t) {
       return t.quick() ? named({{5, 2}, {7, 2}, {4, 3}, {7, 3}, {3, 4}}) : tori(1, 4, 3'000);
     },
     [](Trial& t, const Torus& torus) {
       for (const char* algorithm : {"tsay-wang", "tsay-wang-direct", "tsay-wang-dilated"}) {
         const ExperimentConfig config = broadcast(torus, fmt::format("{}, message: 512", algorithm));
         const FlitRun result = run_on_flits(config);
         const std::string size = fmt::format("{}, {}", name_of(torus), algorithm);
         t.printed.equal(size, "stalled flit-cycles", 0, result.total_stalls());
         std::vector<Cycle> alone;
         for (const StepAlone& step : steps_alone(*make_schedule(config))) alone.push_back(step.cycles);
         t.printed.add(result.step_cycles == alone, size, "a step takes longer than its longest path");
       }
     },
     "{held} runs and their steps are as at zero load", "",
     "; tsay-wang, -direct, -dilated, 64 flits, barrier"},
    {"overlap", "not in the paper",
     "Edge-disjointness within each step would survive without barriers, when steps overlap.",
     "no stalled flit-cycle",
     [](Trial& t) {
       // What one would like to conclude from the paper: messages of different steps meet.
       const Tori list =
           t.quick() ? named({{5, 2}, {7, 2}, {25, 2}, {7, 3}, {9, 3}, {15, 3}}) : tori(1, 4, 4'000);
       for (const Torus& torus : t.over(list, "; tsay-wang, -direct, -dilated, 512 flits, dataflow")) {
         for (const char* algorithm : {"tsay-wang", "tsay-wang-direct", "tsay-wang-dilated"}) {
           const auto run = [&](const char* advance) {
             return run_on_flits(
                 broadcast(torus, fmt::format("{}, message: 4096, advance: {}", algorithm, advance)));
           };
           const FlitRun free = run("dataflow");
           const std::string size = fmt::format("{}, {}", name_of(torus), algorithm);
           t.printed.equal(size, "stalled flit-cycles", 0, free.total_stalls());
           const Cycle with_barrier = run("barrier").cycles;
           if (free.cycles > with_barrier + with_barrier / 20) {
             t.note("{}: {} cycles with barriers, {} without", size, with_barrier, free.cycles);
           }
         }
       }
       if (t.seen.size() > 3) t.seen.resize(3);
       t.measured = fmt::format("{} runs have stalls; slower without barriers by more than 5 %: {}",
                                t.printed.share_failed(),
                                t.seen.empty() ? "none" : fmt::format("{}", fmt::join(t.seen, "; ")));
     },
     Origin::ours},
};

namespace {

constexpr std::array<const char*, 5> kAlgorithms{"tsay-wang", "tsay-wang-direct", "tsay-wang-dilated",
                                                 "two-port-torus", "binomial-torus"};

std::vector<std::string> columns(std::vector<std::string> first) {
  first.insert(first.end(), kAlgorithms.begin(), kAlgorithms.end());
  first.emplace_back("fastest");
  return first;
}

std::string torus_name(const Torus& torus) {
  return fmt::format("{}^{}", torus.n, torus.d);
}

std::vector<Torus> figure_tori(Extent extent) {
  if (extent == Extent::quick) return {{7, 2}};
  return {{7, 2}, {25, 2}, {7, 3}, {15, 3}, {5, 4}};
}

std::vector<std::uint64_t> figure_bytes(Extent extent) {
  if (extent == Extent::quick) return {8, 512};
  return {8, 64, 512, 4096};
}

FlitRun run(const Torus& torus, const std::string& algorithm, std::uint64_t bytes,
            const std::vector<std::string>& settings) {
  return run_on_flits(broadcast(torus, fmt::format("{}, message: {}", algorithm, bytes), settings));
}

/// One row: the cycles and steps of every algorithm, and the fastest.
std::vector<std::string> compared(std::vector<std::string> row, const Torus& torus, std::uint64_t bytes,
                                  const std::vector<std::string>& settings) {
  std::uint64_t least = 0;
  std::string fastest;
  for (const char* const algorithm : kAlgorithms) {
    const FlitRun result = run(torus, algorithm, bytes, settings);
    const Cycle cycles = result.cycles;
    row.push_back(fmt::format("{} ({})", cycles, result.step_cycles.size()));
    if (fastest.empty() || cycles < least) {
      least = cycles;
      fastest = algorithm;
    } else if (cycles == least) {
      fastest += ", " + std::string(algorithm);
    }
  }
  row.push_back(fastest);
  return row;
}

Rows by_message_length(Extent extent) {
  Rows rows;
  for (const Torus& torus : figure_tori(extent)) {
    for (const std::uint64_t startup : {0U, 500U}) {
      for (const std::uint64_t bytes : figure_bytes(extent)) {
        rows.push_back(compared({torus_name(torus), fmt::format("{}", startup), fmt::format("{}", bytes)},
                                torus, bytes, {fmt::format("node.startup={}", startup)}));
      }
    }
  }
  return rows;
}

Rows on_one_port(Extent extent) {
  Rows rows;
  for (const Torus& torus : figure_tori(extent)) {
    for (const std::uint64_t bytes : figure_bytes(extent)) {
      rows.push_back(compared({torus_name(torus), fmt::format("{}", bytes)}, torus, bytes,
                              {"node.ports=1", "workload.advance=dataflow"}));
    }
  }
  return rows;
}

Rows overlapped(Extent extent) {
  Rows rows;
  std::vector<Torus> list{{7, 2}};
  if (extent == Extent::full) list = {{7, 2}, {10, 2}, {25, 2}, {29, 2}, {7, 3}, {9, 3}, {15, 3}, {5, 4}};
  for (const Torus& torus : list) {
    for (const char* const algorithm : kAlgorithms) {
      const FlitRun barrier = run(torus, algorithm, 4096, {"workload.advance=barrier"});
      const FlitRun dataflow = run(torus, algorithm, 4096, {"workload.advance=dataflow"});
      std::string stalls;
      for (unsigned cause = 0; cause < kStallCauses; ++cause) {
        if (dataflow.stalls[cause] == 0) continue;
        append(
            stalls, ", ",
            fmt::format("{} {}", flitscope::name_of(static_cast<StallCause>(cause)), dataflow.stalls[cause]));
      }
      rows.push_back({torus_name(torus), algorithm, fmt::format("{}", barrier.cycles),
                      fmt::format("{}", dataflow.cycles),
                      fmt::format("{:.3f}", quotient(dataflow.cycles, barrier.cycles)),
                      stalls.empty() ? "none" : stalls});
    }
  }
  return rows;
}

}  // namespace

const Figures figures{
    {"message-length",
     "Cycles (steps) of a broadcast with a barrier between steps, by torus, startup in cycles and message in "
     "bytes; all ports, flits of 8 bytes",
     columns({"torus", "startup", "bytes"}), by_message_length},
    {"overlap",
     "Cycles of a broadcast of 4096 bytes (512 flits) with and without barriers, and the stalls without, in "
     "flit-cycles by cause",
     {"torus", "algorithm", "barrier", "dataflow", "ratio", "stalls"},
     overlapped},
    {"one-port",
     "Cycles (steps of the schedule) of a broadcast without barriers on nodes with one port, by torus and "
     "message in bytes; startup 0",
     columns({"torus", "bytes"}), on_one_port},
};

}  // namespace flitscope::claims::tsay_wang
