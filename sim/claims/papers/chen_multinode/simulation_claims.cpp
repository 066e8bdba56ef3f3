// The simulations of the paper, and the data of figures.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>

#include "sim/claims/claim.h"
#include "sim/claims/measure.h"
#include "sim/claims/papers/chen_multinode/cases.h"

namespace flitscope::claims::chen_multinode {

namespace {

std::vector<int> sides(Extent extent) {
  return extent == Extent::quick ? std::vector{14} : std::vector{14, 16};
}

std::string swept(Extent extent) {
  std::vector<std::string> tori;
  for (const int n : sides(extent)) {
    tori.push_back(fmt::format("n = {} with s = {}", n, fmt::join(source_counts(n), ", ")));
  }
  return fmt::format("{}; m = {} bytes; T_s = {}, T_c = {}", fmt::join(tori, "; "),
                     fmt::join(lengths(), ", "), kStartup, kPerByte);
}

/// Calls visit(n, s, contenders with every h) for all numbers of sources.
template <typename Visit>
void for_each_sources(Extent extent, const Visit& visit) {
  for (const int n : sides(extent)) {
    for (const std::uint64_t sources : source_counts(n)) {
      visit(n, sources, with_divisors("chen-multinode", n, sources));
    }
  }
}

std::string true_in(const Cases& cases) {
  return fmt::format("true in {} of {} cases", cases.tried() - cases.failed(), cases.tried());
}

/// The latency with the smaller or the greater h of Figures 7 and 8, on 14^3 with 7 and 14.
Finding against_formula(Extent /*extent*/, int h, bool lower) {
  Cases cases;
  for (const std::uint64_t sources : source_counts(14)) {
    const Contender ours("chen-multinode", Size{14, h}, sources, "");
    for (const std::uint64_t m : lengths()) {
      const std::uint64_t theirs = trees_formula(14, sources, m);
      const std::uint64_t taken = ours.time(m);
      cases.add(lower ? taken < theirs : taken > theirs, point(14, sources, m),
                fmt::format("{} against {} by the trees' formula", taken, theirs));
    }
  }
  return judge(cases, fmt::format("h = {}; {}", h, swept(Extent::quick)), true_in(cases));
}

Finding larger_h(Extent extent) {
  Cases cases;
  std::map<int, std::uint64_t> best_h;
  for_each_sources(extent, [&](int n, std::uint64_t sources, const Contenders& all) {
    for (const std::uint64_t m : lengths()) {
      const auto largest = all.back().time(m);
      const auto& fastest = best(all, m);
      cases.add(largest <= fastest.time(m), point(n, sources, m),
                fmt::format("h = {} takes {}, h = {} takes {}", all.back().size.h, largest, fastest.size.h,
                            fastest.time(m)));
      ++best_h[fastest.size.h];
    }
  });
  std::vector<std::string> counts;
  for (const auto& [h, count] : best_h) counts.push_back(fmt::format("h = {} in {}", h, count));
  return judge(cases, swept(extent), fmt::format("the best h: {} cases", fmt::join(counts, ", ")));
}

Finding better_than_formula(Extent extent) {
  Cases printed, repaired;
  for_each_sources(extent, [&](int n, std::uint64_t sources, const Contenders& all) {
    for (const std::uint64_t m : lengths()) {
      const std::uint64_t ours = best(all, m).time(m);
      const std::uint64_t theirs = trees_formula(n, sources, m);
      const std::string seen = fmt::format("{} against {} by the trees' formula", ours, theirs);
      printed.add(ours < theirs, point(n, sources, m), seen);
      if (sources * m >= 1000) repaired.add(ours < theirs, point(n, sources, m), seen);
    }
  });
  return judge(printed, repaired, "for s m >= 1000, with the best h", swept(extent), true_in(printed));
}

Finding better_than_pipelined(Extent extent) {
  Cases cases, fast_cases;
  std::optional<double> least;
  double most = 0;
  for_each_sources(extent, [&](int n, std::uint64_t sources, const Contenders& all) {
    const Contenders rivals = trees(n, sources);
    const Contenders fast = with_divisors("chen-multinode-fast", n, sources);
    for (const std::uint64_t m : lengths()) {
      const std::uint64_t ours = best(all, m).time(m);
      const std::uint64_t theirs = best(rivals, m).time(m);
      cases.add(ours < theirs, point(n, sources, m),
                fmt::format("{} against {} by pipelined trees", ours, theirs));
      fast_cases.add(best(fast, m).time(m) < theirs, point(n, sources, m), "slower");
      const double quotient = static_cast<double>(ours) / static_cast<double>(theirs);
      least = std::min(least.value_or(quotient), quotient);
      most = std::max(most, quotient);
    }
  });
  return judge(cases, swept(extent) + "; trees by search, best of batch 1, 4, 16, ..",
               fmt::format("{}; ours takes {:.2f} to {:.2f} times as long; chen-multinode-fast is faster "
                           "than the trees in {} of {}",
                           true_in(cases), *least, most, fast_cases.tried() - fast_cases.failed(),
                           fast_cases.tried()));
}

/// "has better performance as more messages are generated": the trees' formula over ours rises with s, to
/// within such a part.
constexpr double kNoLess = 0.99;

Finding more_messages(Extent extent) {
  Cases cases;
  std::map<std::pair<int, std::uint64_t>, double> before;  // by n and m
  for_each_sources(extent, [&](int n, std::uint64_t sources, const Contenders& all) {
    for (const std::uint64_t m : lengths()) {
      const double gain =
          static_cast<double>(trees_formula(n, sources, m)) / static_cast<double>(best(all, m).time(m));
      double& last = before[{n, m}];
      cases.add(gain >= kNoLess * last, point(n, sources, m),
                fmt::format("gain {:.2f}, after {:.2f} with fewer sources", gain, last));
      last = gain;
    }
  });
  return judge(cases, swept(extent), true_in(cases) + ", for the gain over the trees' formula (1 % allowed)");
}

/// Not in the paper, which counts steps: do flits agree on the fastest family, and is the path all that they
/// add?
Finding same_winner(Extent extent) {
  Cases cases;
  std::uint64_t runs = 0;
  std::uint64_t exact = 0;
  double least = 1e9;
  double most = 0;
  const std::vector<int> on = extent == Extent::quick ? std::vector{8} : std::vector{8, 14};
  constexpr std::uint64_t kMaxBytes = 5'000;
  for (const int n : on) {
    for_each_point(n, [&](std::uint64_t sources, std::uint64_t m, const Families& families) {
      if (sources * m > kMaxBytes) return;
      const auto finalists = families.finalists(m);
      const auto by_model = std::ranges::min_element(finalists, {}, [&](auto one) { return one->time(m); });
      std::vector<std::uint64_t> cycles;
      for (const Contender* one : finalists) {
        cycles.push_back(cycles_on_flits(*one, sources, m, Advance::barrier));
        const double quotient = static_cast<double>(cycles.back()) / static_cast<double>(one->time(m));
        least = std::min(least, quotient);
        most = std::max(most, quotient);
        ++runs;
        if (cycles.back() == one->cycles_with_barrier(m)) ++exact;
      }
      const auto by_flits = finalists.begin() + (std::ranges::min_element(cycles) - cycles.begin());
      cases.add(
          by_model == by_flits, point(n, sources, m),
          fmt::format("{} wins on flits, {} by the model", (*by_flits)->algorithm, (*by_model)->algorithm));
    });
  }
  return judge(
      cases,
      fmt::format("n = {}; s = 1 %, 10 %, half and all of the nodes; m = 1, 10, .. as long as s m <= {}; "
                  "flits of a byte, startup 30, barrier",
                  fmt::join(on, ", "), kMaxBytes),
      fmt::format(
          "{}; cycles over the model's time {:.2f} to {:.2f}; in {} of {} runs exactly the sum over the "
          "steps of T_s + L T_c - 1 and 2 cycles for every router on the way of the slowest message",
          true_in(cases), least, most, exact, runs));
}

}  // namespace

std::vector<Claim> simulation_claims() {
  return {
      {"figures-larger-h", "Section 4.2 (A), (B)",
       "With the larger h (there 14) the scheme is faster than the trees for every number of sources and "
       "length.",
       "faster in every case", [](Extent extent) { return against_formula(extent, 14, true); }},
      {"figures-smaller-h", "Section 4.2 (A), (B)",
       "With the smaller h (there 7) the scheme is slower than the trees.", "slower in every case",
       [](Extent extent) { return against_formula(extent, 7, false); }},
      {"more-messages", "Section 4.2 (B)", "The gain rises as more messages are generated.",
       fmt::format("the gain at least {} times that with fewer sources", kNoLess), more_messages},
      {"effect-of-h", "Section 4.2 (C)", "The larger h, the better.",
       "the largest h as fast as any in every case", larger_h},
      {"better-than-trees", "Section 5",
       "The scheme is faster than the trees (as the paper counts them: no pipelining, no gather).",
       "faster in every case, with the best h", better_than_formula},
      {"better-than-pipelined-trees", "Section 5", "The scheme is faster than trees that pipeline.",
       "faster in every case, each with its best h or batch", better_than_pipelined, Origin::ours},
      {"model-and-flits", "Section 2.1",
       "Steps and bytes decide, distance does not: who is fastest by T_s + L T_c a step is fastest on flits.",
       "the same algorithm in every case", same_winner, Origin::ours},
  };
}

namespace {

using Rows = std::vector<std::vector<std::string>>;

std::vector<std::string> start_of_row(int n, std::uint64_t sources, std::uint64_t m) {
  return {fmt::format("{}^3", n), fmt::format("{}", sources), fmt::format("{}", m)};
}

std::string with_choice(std::uint64_t time, const Contender& contender) {
  return fmt::format("{} ({})", time, contender.choice());
}

Rows by_model(Extent extent) {
  Rows rows;
  for (const int n : extent == Extent::quick ? std::vector{8} : std::vector{14, 16}) {
    for_each_point(n, [&](std::uint64_t sources, std::uint64_t m, const Families& families) {
      auto row = start_of_row(n, sources, m);
      std::vector<std::string> times;
      for (const Contender& each : families.all().front()) {
        times.push_back(fmt::format("{}: {}", each.size.h, each.time(m)));
      }
      row.push_back(fmt::format("{}", fmt::join(times, ", ")));
      const auto finalists = families.finalists(m);
      row.push_back(with_choice(finalists[1]->time(m), *finalists[1]));
      row.push_back(fmt::format("{}", trees_formula(n, sources, m)));
      row.push_back(with_choice(finalists[2]->time(m), *finalists[2]));
      row.push_back(
          (*std::ranges::min_element(finalists, {}, [&](auto one) { return one->time(m); }))->algorithm);
      rows.push_back(std::move(row));
    });
  }
  return rows;
}

/// A contender and the cycles that it takes.
struct Taken {
  const Contender* contender = nullptr;
  std::uint64_t cycles = 0;
};

/// The cycles of the best of each family, the fastest, and how many times as long the next family takes.
void add_comparison(std::vector<std::string>& row, std::vector<Taken> finalists) {
  for (const auto& [contender, cycles] : finalists) row.push_back(with_choice(cycles, *contender));
  std::ranges::stable_sort(finalists, {}, &Taken::cycles);
  row.push_back(
      fmt::format("{}; {:.2f}", finalists[0].contender->algorithm,
                  static_cast<double>(finalists[1].cycles) / static_cast<double>(finalists[0].cycles)));
}

/// With dataflow every h and batch is tried for so many bytes of all sources; beyond, what is best with a
/// barrier.
constexpr std::uint64_t kMaxBytesForAll = 5'000;

/// No message waits for another, so the cycles are known without flits; these are moved all the same if the
/// run is to be `checked`.
Taken with_barrier(const Contenders& family, std::uint64_t sources, std::uint64_t m, bool checked) {
  const Contender& one = best(family, m, &Contender::cycles_with_barrier);
  const std::uint64_t cycles = one.cycles_with_barrier(m);
  if (checked && cycles_on_flits(one, sources, m, Advance::barrier) != cycles) {
    throw std::runtime_error("flits do not take the sum of the steps: " + point(one.size.n, sources, m));
  }
  return {&one, cycles};
}

Taken with_dataflow(const Contenders& family, const Contender& with_barrier, std::uint64_t sources,
                    std::uint64_t m) {
  Taken least{&with_barrier, cycles_on_flits(with_barrier, sources, m, Advance::dataflow)};
  if (sources * m > kMaxBytesForAll) return least;
  for (const Contender& one : family) {
    if (&one == &with_barrier) continue;
    const std::uint64_t cycles = cycles_on_flits(one, sources, m, Advance::dataflow);
    if (cycles < least.cycles) least = {&one, cycles};
  }
  return least;
}

Rows on_flits(Extent extent) {
  Rows rows;
  const bool quick = extent == Extent::quick;
  const std::uint64_t most_bytes = quick ? 5'000 : 150'000;  // seconds a run
  for (const int n : quick ? std::vector{6} : std::vector{14, 16}) {
    for_each_point(n, [&](std::uint64_t sources, std::uint64_t m, const Families& families) {
      const bool is_run = sources * m <= most_bytes;
      std::vector<Taken> barrier;
      std::vector<Taken> dataflow;
      for (const Contenders& family : families.all()) {
        barrier.push_back(with_barrier(family, sources, m, is_run));
        if (!is_run) continue;
        dataflow.push_back(with_dataflow(family, *barrier.back().contender, sources, m));
      }
      auto row = start_of_row(n, sources, m);
      add_comparison(row, barrier);
      if (is_run) {
        add_comparison(row, dataflow);
      } else {
        row.resize(row.size() + barrier.size() + 1);
      }
      rows.push_back(std::move(row));
    });
  }
  return rows;
}

}  // namespace

std::vector<Figure> figures() {
  return {
      {"latency-by-model",
       "Figures 7 and 8 by the paper's cost model, T_s = 30, T_c = 1 a byte: s sources of m bytes each. "
       "Times of chen-multinode for every h, of chen-multinode-fast with the best h, of the trees by the "
       "paper's formula, and of trees that gather and pipeline with the best batch",
       {"torus", "s", "m", "chen-multinode, by h", "chen-multinode-fast", "trees, formula",
        "trees, pipelined", "fastest"},
       by_model},
      {"latency-on-flits",
       fmt::format(
           "Cycles on flits of a byte, startup {}, of each algorithm with its best h or batch; and the "
           "fastest, with how many times as long the next takes. First with a barrier between steps, then "
           "with dataflow, where every h and batch was tried for s m <= {}, and beyond that those that are "
           "best with a barrier. Rows without dataflow were not run: with a barrier a step takes what its "
           "slowest message takes alone, as it does in all rows that were",
           kStartup, kMaxBytesForAll),
       {"torus", "s", "m", "chen-multinode", "chen-multinode-fast", "edge-disjoint-trees", "fastest",
        "chen-multinode, dataflow", "chen-multinode-fast, dataflow", "edge-disjoint-trees, dataflow",
        "fastest, dataflow"},
       on_flits},
  };
}

}  // namespace flitscope::claims::chen_multinode
