// Chen, Chiang and Chen, Section 4.2: latencies with T_s = 30 and T_c = 1, on tori that h divides.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "sim/claims/evidence.h"
#include "sim/claims/measure.h"
#include "sim/claims/papers/chen_multinode.h"

namespace flitscope::claims::chen_multinode {

namespace {

constexpr std::uint64_t kStartup = 30;
constexpr std::uint64_t kPerByte = 1;

/// The tori of the sweeps: h = 2, 7, 14 as near to the paper's as can be, and the paper's n with its
/// divisors.
std::vector<int> divisors(int n) {
  return n == 14 ? std::vector{2, 7, 14} : n == 16 ? std::vector{2, 4, 8, 16} : std::vector{2, 4, 8};
}

/// From 1 % of the nodes to all.
std::vector<std::uint64_t> source_counts(int n) {
  const std::uint64_t nodes = nodes_of({n, 1});
  return {nodes / 100, nodes / 10, nodes / 2, nodes};
}

std::vector<std::uint64_t> lengths() {
  return {1, 10, 100, 1000, 10'000};
}

std::string point(int n, std::uint64_t sources, std::uint64_t m) {
  return fmt::format("n = {}, s = {}, m = {}", n, sources, m);
}

/// An algorithm with its parameters, and how its steps are filled.
struct Contender {
  std::string algorithm;
  Size size;
  std::string more;
  Volume volume;

  Contender(std::string name, Size on, std::uint64_t sources, std::string parameters)
      : algorithm(std::move(name)),
        size(on),
        more(std::move(parameters)),
        volume(multinode(on, sources, algorithm, more)) {}
};

using Contenders = std::vector<Contender>;

Contenders with_divisors(const std::string& algorithm, int n, std::uint64_t sources) {
  Contenders all;
  for (const int h : divisors(n)) all.emplace_back(algorithm, Size{n, h}, sources, "");
  return all;
}

Contenders trees(int n, std::uint64_t sources) {
  Contenders all;
  for (std::uint64_t batch = 1; batch == 1 || batch <= sources / 6; batch *= 4) {
    all.emplace_back("edge-disjoint-trees", Size{n, 1}, sources,
                     fmt::format(", packing: searched, batch: {}", batch));
  }
  return all;
}

std::uint64_t time(const Contender& contender, std::uint64_t m) {
  return contender.volume.time(kStartup, kPerByte, m);
}

const Contender& best(const Contenders& all, std::uint64_t m) {
  return *std::ranges::min_element(all, {}, [&](const Contender& each) { return time(each, m); });
}

/// 3 floor(n/2) (T_s + ceil(s/6) m T_c), Section 4.1: no gather, no pipelining.
std::uint64_t trees_formula(int n, std::uint64_t sources, std::uint64_t m) {
  return 3 * (static_cast<std::uint64_t>(n) / 2) * (kStartup + (sources + 5) / 6 * m * kPerByte);
}

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
      const std::uint64_t taken = time(ours, m);
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
      const auto largest = time(all.back(), m);
      const auto& fastest = best(all, m);
      cases.add(largest <= time(fastest, m), point(n, sources, m),
                fmt::format("h = {} takes {}, h = {} takes {}", all.back().size.h, largest, fastest.size.h,
                            time(fastest, m)));
      ++best_h[fastest.size.h];
    }
  });
  std::vector<std::string> counts;
  for (const auto& [h, count] : best_h) counts.push_back(fmt::format("h = {} in {}", h, count));
  return judge(cases, swept(extent), fmt::format("the best h: {} cases", fmt::join(counts, ", ")));
}

Finding better_than_formula(Extent extent) {
  Cases printed;
  Cases repaired;
  for_each_sources(extent, [&](int n, std::uint64_t sources, const Contenders& all) {
    for (const std::uint64_t m : lengths()) {
      const std::uint64_t ours = time(best(all, m), m);
      const std::uint64_t theirs = trees_formula(n, sources, m);
      const std::string seen = fmt::format("{} against {} by the trees' formula", ours, theirs);
      printed.add(ours < theirs, point(n, sources, m), seen);
      if (sources * m >= 1000) repaired.add(ours < theirs, point(n, sources, m), seen);
    }
  });
  return judge(printed, repaired, "for s m >= 1000, with the best h", swept(extent), true_in(printed));
}

Finding better_than_pipelined(Extent extent) {
  Cases cases;
  Cases fast_cases;
  std::optional<double> least;
  double most = 0;
  for_each_sources(extent, [&](int n, std::uint64_t sources, const Contenders& all) {
    const Contenders rivals = trees(n, sources);
    const Contenders fast = with_divisors("chen-multinode-fast", n, sources);
    for (const std::uint64_t m : lengths()) {
      const std::uint64_t ours = time(best(all, m), m);
      const std::uint64_t theirs = time(best(rivals, m), m);
      cases.add(ours < theirs, point(n, sources, m),
                fmt::format("{} against {} by pipelined trees", ours, theirs));
      fast_cases.add(time(best(fast, m), m) < theirs, point(n, sources, m), "slower");
      const double quotient = static_cast<double>(ours) / static_cast<double>(theirs);
      least = std::min(least.value_or(quotient), quotient);
      most = std::max(most, quotient);
    }
  });
  return judge(
      cases, swept(extent) + "; trees by search, best of batch 1, 4, 16, ..",
      fmt::format("{}; ours takes {:.2f} to {:.2f} times as long; chen-multinode-fast is faster than the "
                  "trees in {} of {}",
                  true_in(cases), *least, most, fast_cases.tried() - fast_cases.failed(),
                  fast_cases.tried()));
}

/// "has better performance as more messages are generated": the trees' formula over ours rises with s.
Finding more_messages(Extent extent) {
  Cases cases;
  for (const int n : sides(extent)) {
    for (const std::uint64_t m : lengths()) {
      double before = 0;
      for (const std::uint64_t sources : source_counts(n)) {
        const double gain =
            static_cast<double>(trees_formula(n, sources, m)) /
            static_cast<double>(time(best(with_divisors("chen-multinode", n, sources), m), m));
        cases.add(gain >= 0.99 * before, point(n, sources, m),
                  fmt::format("gain {:.2f}, after {:.2f} with fewer sources", gain, before));
        before = gain;
      }
    }
  }
  return judge(cases, swept(extent), true_in(cases) + ", for the gain over the trees' formula (1 % allowed)");
}

/// "chen-multinode h = 7", "edge-disjoint-trees batch = 4".
std::string name_of(const Contender& contender) {
  const bool by_h = contender.algorithm != "edge-disjoint-trees";
  const std::string batch = contender.more.substr(contender.more.rfind(' ') + 1);
  return fmt::format("{} {}", contender.algorithm,
                     by_h ? fmt::format("h = {}", contender.size.h) : "batch = " + batch);
}

/// Cycles on flits of one byte.
std::uint64_t cycles_on_flits(const Contender& contender, std::uint64_t sources, std::uint64_t m,
                              Advance advance) {
  ExperimentConfig config = multinode(contender.size, sources, contender.algorithm, contender.more);
  config.workload.parameters.set("message", static_cast<std::int64_t>(m));
  config.machine.startup = kStartup;
  config.machine.flit_bytes = 1;
  config.workload.advance = advance;
  const auto result = run_on_flits(config);
  if (!result.at("verified").get<bool>()) throw std::runtime_error("a run on flits is not verified");
  return result.at("cycles").get<std::uint64_t>();
}

/// The best of each family by the model: chen-multinode, chen-multinode-fast, trees.
struct Finalists {
  std::vector<Contenders> families;

  Finalists(int n, std::uint64_t sources)
      : families{with_divisors("chen-multinode", n, sources),
                 with_divisors("chen-multinode-fast", n, sources), trees(n, sources)} {}

  [[nodiscard]] std::vector<const Contender*> of(std::uint64_t m) const {
    std::vector<const Contender*> finalists;
    for (const Contenders& family : families) finalists.push_back(&best(family, m));
    return finalists;
  }
};

/// The sources and lengths that flits can be moved for in seconds a run.
template <typename Visit>
void for_each_point_on_flits(int n, std::uint64_t most_bytes, const Visit& visit) {
  const auto counts = source_counts(n);
  for (const std::uint64_t sources : {counts[0], counts[1], counts[3]}) {
    const Finalists finalists(n, sources);
    for (const std::uint64_t m : lengths()) {
      if (sources * m <= most_bytes) visit(sources, m, finalists.of(m));
    }
  }
}

/// Not in the paper, which counts steps: do flits agree on who is fastest?
Finding same_winner(Extent extent) {
  Cases cases;
  double least = 1e9;
  double most = 0;
  const std::vector<int> on = extent == Extent::quick ? std::vector{8} : std::vector{8, 14};
  constexpr std::uint64_t kMostBytes = 5'000;
  for (const int n : on) {
    for_each_point_on_flits(
        n, kMostBytes, [&](std::uint64_t sources, std::uint64_t m, const auto& finalists) {
          const auto by_model =
              std::ranges::min_element(finalists, {}, [&](auto one) { return time(*one, m); });
          std::vector<std::uint64_t> cycles;
          for (const Contender* one : finalists) {
            cycles.push_back(cycles_on_flits(*one, sources, m, Advance::barrier));
            const double quotient = static_cast<double>(cycles.back()) / static_cast<double>(time(*one, m));
            least = std::min(least, quotient);
            most = std::max(most, quotient);
          }
          const auto by_flits = finalists.begin() + (std::ranges::min_element(cycles) - cycles.begin());
          cases.add(
              by_model == by_flits, point(n, sources, m),
              fmt::format("{} wins on flits, {} by the model", name_of(**by_flits), name_of(**by_model)));
        });
  }
  return judge(cases,
               fmt::format("n = {}; s = 1 %, 10 % and all of the nodes; m = 1, 10, .. as long as s m <= {}; "
                           "flits of a byte, startup 30, barrier",
                           fmt::join(on, ", "), kMostBytes),
               fmt::format("{}; cycles over the model's time {:.2f} to {:.2f}", true_in(cases), least, most));
}

}  // namespace

std::vector<Claim> simulation_claims() {
  return {
      {"figures-larger-h", "Section 4.2 (A), (B)",
       "With the larger h (there 14) the scheme is faster than the trees for every number of sources and "
       "length.",
       [](Extent extent) { return against_formula(extent, 14, true); }},
      {"figures-smaller-h", "Section 4.2 (A), (B)",
       "With the smaller h (there 7) the scheme is slower than the trees.",
       [](Extent extent) { return against_formula(extent, 7, false); }},
      {"more-messages", "Section 4.2 (B)", "The gain rises as more messages are generated.", more_messages},
      {"effect-of-h", "Section 4.2 (C)", "The larger h, the better.", larger_h},
      {"better-than-trees", "Section 5",
       "The scheme is faster than the trees (as the paper counts them: no pipelining, no gather).",
       better_than_formula},
      {"better-than-pipelined-trees", "Section 5", "The scheme is faster than trees that pipeline.",
       better_than_pipelined},
      {"model-and-flits", "Section 2.1",
       "Steps and bytes decide, distance does not: who is fastest by T_s + L T_c a step is fastest on flits.",
       same_winner},
  };
}

}  // namespace flitscope::claims::chen_multinode
