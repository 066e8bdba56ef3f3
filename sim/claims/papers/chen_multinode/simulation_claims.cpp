// Chen, Chiang and Chen, Section 4.2: the scheme against the trees by the paper's cost model, and on flits.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <stdexcept>

#include "sim/claims/measure.h"
#include "sim/claims/papers/chen_multinode/cases.h"

namespace flitscope::claims::chen_multinode {

namespace {

constexpr std::uint64_t kStartup = 30;
constexpr std::uint64_t kPerByte = 1;
/// Lengths of a source's message in bytes.
constexpr std::array<std::uint64_t, 5> kLengths{1, 10, 100, 1000, 10'000};

/// Sources from 1 % of the nodes to all of them.
std::vector<std::uint64_t> source_counts(int n) {
  const std::uint64_t nodes = Size{n, 1}.nodes();
  return {nodes / 100, nodes / 10, nodes / 2, nodes};
}

/// Sources with messages of m bytes on a torus of n^3 nodes.
struct Point {
  int n = 0;
  std::uint64_t sources = 0;
  std::uint64_t m = 0;

  [[nodiscard]] std::uint64_t bytes() const { return sources * m; }
};

/// "n = 14, s = 27, m = 1"
std::string name_of(const Point& at) {
  return fmt::format("n = {}, s = {}, m = {}", at.n, at.sources, at.m);
}

/// 3 floor(n/2) (T_s + ceil(s/6) m T_c), the trees as Section 4.1 counts them: no gather, no pipelining.
std::uint64_t trees_formula(const Point& at) {
  return 3 * (static_cast<std::uint64_t>(at.n) / 2) * (kStartup + (at.sources + 5) / 6 * at.m * kPerByte);
}

/// An algorithm with its parameters, and how its steps are filled.
struct Contender {
  std::string algorithm;
  Size size;
  std::uint64_t sources;
  std::string more;  ///< parameters, such as ", packing: searched, batch: 4"
  Volume volume = Volume(multinode(size, sources, algorithm, more));

  /// By the cost model, with messages of m bytes.
  [[nodiscard]] std::uint64_t time(std::uint64_t m) const { return volume.time(kStartup, kPerByte, m); }
  /// On flits, see Volume.
  [[nodiscard]] std::uint64_t cycles_with_barrier(std::uint64_t m) const {
    return volume.cycles_with_barrier(kStartup, m);
  }
  /// Cycles on flits of one byte. Throws std::runtime_error if the run is not verified.
  [[nodiscard]] std::uint64_t cycles_on_flits(std::uint64_t m, Advance advance) const {
    ExperimentConfig config = multinode(size, sources, algorithm, more);
    config.workload.parameters.set("message", static_cast<std::int64_t>(m));
    config.workload.advance = advance;
    config.machine.startup = kStartup;
    config.machine.flit_bytes = 1;
    return verified_run(config, algorithm).cycles;
  }
  /// "h = 7", "batch = 4"
  [[nodiscard]] std::string choice() const {
    return more.empty() ? fmt::format("h = {}", size.h)
                        : fmt::format("batch = {}", more.substr(more.rfind(' ') + 1));
  }
};

using Contenders = std::vector<Contender>;
/// Cost by which contenders are compared, for messages of m bytes.
using Cost = std::uint64_t (Contender::*)(std::uint64_t m) const;

const Contender& best(const Contenders& all, std::uint64_t m, Cost cost = &Contender::time) {
  return *std::ranges::min_element(all, {}, [&](const Contender& each) { return (each.*cost)(m); });
}

/// The scheme, its faster form, both with every h >= 2 that divides n, and the trees found by search,
/// pipelined, in batches of 1, 4, 16, .. A family is made when it is asked for.
enum Family : std::uint8_t { kScheme, kFast, kTrees, kFamilies };

class Families {
 public:
  Families(int n, std::uint64_t sources) : n_(n), sources_(sources) {}

  [[nodiscard]] const Contenders& of(Family family) {
    Contenders& all = families_.at(family);
    if (!all.empty()) return all;
    if (family == kTrees) {
      for (std::uint64_t batch = 1; batch == 1 || batch <= sources_ / 6; batch *= 4) {
        all.push_back(
            {"edge-disjoint-trees", {n_, 1}, sources_, fmt::format(", packing: searched, batch: {}", batch)});
      }
    } else {
      for (const Size size : sizes_between(n_, n_)) {
        if (size.h > 1)
          all.push_back({family == kScheme ? "chen-multinode" : "chen-multinode-fast", size, sources_, ""});
      }
    }
    return all;
  }
  /// The best of each by the model.
  [[nodiscard]] std::vector<const Contender*> finalists(std::uint64_t m) {
    return {&best(of(kScheme), m), &best(of(kFast), m), &best(of(kTrees), m)};
  }

 private:
  int n_;
  std::uint64_t sources_;
  std::array<Contenders, kFamilies> families_;
};

/// Calls visit(point, families) for all numbers of sources and all lengths.
template <typename Visit>
void for_each_point(const std::vector<int>& sides, const Visit& visit) {
  for (const int n : sides) {
    for (const std::uint64_t sources : source_counts(n)) {
      Families families(n, sources);
      for (const std::uint64_t m : kLengths) visit(Point{n, sources, m}, families);
    }
  }
}

/// Goes through all points of 14^3, and of 16^3, which the ledger names.
template <typename Visit>
void sweep(Trial& t, const Visit& visit) {
  const std::vector<int> sides = t.quick() ? std::vector{14} : std::vector{14, 16};
  for_each_point(sides, visit);
  for (const int n : sides)
    append(t.sizes, "; ", fmt::format("n = {} with s = {}", n, fmt::join(source_counts(n), ", ")));
  t.sizes += fmt::format("; m = {} bytes; T_s = {}, T_c = {}", fmt::join(kLengths, ", "), kStartup, kPerByte);
}

std::string true_in(const Cases& cases) {
  return fmt::format("true in {} cases", cases.share_held());
}

/// The measurement of a claim on Figures 7 and 8, on 14^3: faster than the trees with one h, slower with
/// another.
Measure against_formula(int h, bool faster) {
  return [=](Trial& t) {
    Trial of_14{Extent::quick};
    sweep(of_14, [&](const Point& at, Families& families) {
      const Contender& ours = *std::ranges::find(families.of(kScheme), Size{14, h}, &Contender::size);
      const std::uint64_t theirs = trees_formula(at);
      const std::uint64_t taken = ours.time(at.m);
      t.printed.add(faster ? taken < theirs : taken > theirs, at, "{} against {} by the trees' formula",
                    taken, theirs);
    });
    t.sizes = fmt::format("h = {}; {}", h, of_14.sizes);
    t.measured = true_in(t.printed);
  };
}

/// "has better performance as more messages are generated": the trees' formula over ours rises with s, to
/// within such a part.
constexpr double kNoLess = 0.99;

/// Not in the paper, which counts steps: do flits agree on the fastest family, and is the path all that they
/// add?
void same_winner(Trial& t) {
  std::uint64_t runs = 0;
  std::uint64_t exact = 0;
  double least = 1e9;
  double most = 0;
  const std::vector<int> on = t.quick() ? std::vector{8} : std::vector{8, 14};
  constexpr std::uint64_t kMaxBytes = 5'000;
  for_each_point(on, [&](const Point& at, Families& families) {
    if (at.bytes() > kMaxBytes) return;
    const auto finalists = families.finalists(at.m);
    const auto by_model = std::ranges::min_element(finalists, {}, [&](auto one) { return one->time(at.m); });
    std::vector<std::uint64_t> cycles;
    for (const Contender* one : finalists) {
      cycles.push_back(one->cycles_on_flits(at.m, Advance::barrier));
      const double times = quotient(cycles.back(), one->time(at.m));
      least = std::min(least, times);
      most = std::max(most, times);
      ++runs;
      if (cycles.back() == one->cycles_with_barrier(at.m)) ++exact;
    }
    const auto by_flits = finalists.begin() + (std::ranges::min_element(cycles) - cycles.begin());
    t.printed.add(by_model == by_flits, at, "{} wins on flits, {} by the model", (*by_flits)->algorithm,
                  (*by_model)->algorithm);
  });
  t.sizes = fmt::format(
      "n = {}; s = 1 %, 10 %, half and all of the nodes; m = 1, 10, .. as long as s m <= {}; flits of a "
      "byte, startup 30, barrier",
      fmt::join(on, ", "), kMaxBytes);
  t.measured = fmt::format(
      "{}; cycles over the model's time {:.2f} to {:.2f}; in {} of {} runs exactly the sum over the steps of "
      "T_s + L T_c - 1 and 2 cycles for every router on the path of the slowest message",
      true_in(t.printed), least, most, exact, runs);
}

}  // namespace

const Claims simulation_claims{
    {"figures-larger-h", "Section 4.2 (A), (B)",
     "With the larger h (there 14) the scheme is faster than the trees for every number of sources and "
     "length.",
     "faster in every case", against_formula(14, true)},
    {"figures-smaller-h", "Section 4.2 (A), (B)",
     "With the smaller h (there 7) the scheme is slower than the trees.", "slower in every case",
     against_formula(7, false)},
    {"more-messages", "Section 4.2 (B)", "The gain rises as more messages are generated.",
     fmt::format("the gain at least {} times that with fewer sources", kNoLess),
     [](Trial& t) {
       std::map<std::pair<int, std::uint64_t>, double> before;  // by n and m
       sweep(t, [&](const Point& at, Families& families) {
         const double gain = quotient(trees_formula(at), best(families.of(kScheme), at.m).time(at.m));
         double& last = before[{at.n, at.m}];
         t.printed.add(gain >= kNoLess * last, at, "gain {:.2f}, after {:.2f} with fewer sources", gain,
                       last);
         last = gain;
       });
       t.measured = true_in(t.printed) + ", for the gain over the trees' formula (1 % allowed)";
     }},
    {"effect-of-h", "Section 4.2 (C)", "The larger h, the better.",
     "the largest h as fast as any in every case",
     [](Trial& t) {
       std::map<int, std::uint64_t> best_h;
       sweep(t, [&](const Point& at, Families& families) {
         const Contender& largest = families.of(kScheme).back();
         const Contender& fastest = best(families.of(kScheme), at.m);
         t.printed.add(largest.time(at.m) <= fastest.time(at.m), at, "h = {} takes {}, h = {} takes {}",
                       largest.size.h, largest.time(at.m), fastest.size.h, fastest.time(at.m));
         ++best_h[fastest.size.h];
       });
       for (const auto& [h, count] : best_h) append(t.measured, ", ", fmt::format("h = {} in {}", h, count));
       t.measured = fmt::format("the best h: {} cases", t.measured);
     }},
    {"better-than-trees", "Section 5",
     "The scheme is faster than the trees (as the paper counts them: no pipelining, no gather).",
     "faster in every case, with the best h",
     [](Trial& t) {
       sweep(t, [&](const Point& at, Families& families) {
         const std::uint64_t ours = best(families.of(kScheme), at.m).time(at.m);
         const std::uint64_t theirs = trees_formula(at);
         const std::string seen = fmt::format("{} against {} by the trees' formula", ours, theirs);
         t.add(ours < theirs, at, seen, at.bytes() >= 1000);
       });
       t.repair = "for s m >= 1000, with the best h";
       t.measured = true_in(t.printed);
     }},
    {"better-than-pipelined-trees", "Section 5", "The scheme is faster than trees that pipeline.",
     "faster in every case, each with its best h or batch",
     [](Trial& t) {
       Cases fast;
       std::optional<double> least;
       double most = 0;
       sweep(t, [&](const Point& at, Families& families) {
         const auto finalists = families.finalists(at.m);
         const std::uint64_t ours = finalists[kScheme]->time(at.m);
         const std::uint64_t theirs = finalists[kTrees]->time(at.m);
         t.printed.add(ours < theirs, at, "{} against {} by pipelined trees", ours, theirs);
         fast.add(finalists[kFast]->time(at.m) < theirs, at, "slower");
         const double times = quotient(ours, theirs);
         least = std::min(least.value_or(times), times);
         most = std::max(most, times);
       });
       t.sizes += "; trees by search, best of batch 1, 4, 16, ..";
       t.measured = fmt::format(
           "{}; ours takes {:.2f} to {:.2f} times as long; chen-multinode-fast is faster than the trees in "
           "{}",
           true_in(t.printed), *least, most, fast.share_held());
     },
     Origin::ours},
    {"model-and-flits", "Section 2.1",
     "Steps and bytes decide, distance does not: who is fastest by T_s + L T_c a step is fastest on flits.",
     "the same algorithm in every case", same_winner, Origin::ours},
};

namespace {

std::vector<std::string> start_of_row(const Point& at) {
  return {fmt::format("{}^3", at.n), fmt::format("{}", at.sources), fmt::format("{}", at.m)};
}

std::string with_choice(std::uint64_t time, const Contender& contender) {
  return fmt::format("{} ({})", time, contender.choice());
}

Rows by_model(Extent extent) {
  Rows rows;
  const std::vector<int> sides = extent == Extent::quick ? std::vector{8} : std::vector{14, 16};
  for_each_point(sides, [&](const Point& at, Families& families) {
    const auto time = [&](const Contender* one) { return one->time(at.m); };
    const auto finalists = families.finalists(at.m);
    std::string times;
    for (const Contender& each : families.of(kScheme))
      append(times, ", ", fmt::format("{}: {}", each.size.h, time(&each)));
    auto& row = rows.emplace_back(start_of_row(at));
    row.push_back(times);
    row.push_back(with_choice(time(finalists[kFast]), *finalists[kFast]));
    row.push_back(fmt::format("{}", trees_formula(at)));
    row.push_back(with_choice(time(finalists[kTrees]), *finalists[kTrees]));
    row.push_back((*std::ranges::min_element(finalists, {}, time))->algorithm);
  });
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
  row.push_back(fmt::format("{}; {:.2f}", finalists[0].contender->algorithm,
                            quotient(finalists[1].cycles, finalists[0].cycles)));
}

/// With dataflow every h and batch is tried for so many bytes of all sources; beyond, what is best with a
/// barrier.
constexpr std::uint64_t kMaxBytesForAll = 5'000;

/// No message waits for another, so the cycles are known without flits; these are moved all the same if the
/// run is to be `checked`.
Taken with_barrier(const Contenders& family, const Point& at, bool checked) {
  const Contender& one = best(family, at.m, &Contender::cycles_with_barrier);
  const std::uint64_t cycles = one.cycles_with_barrier(at.m);
  if (checked && one.cycles_on_flits(at.m, Advance::barrier) != cycles)
    throw std::runtime_error("flits do not take the sum of the steps: " + name_of(at));
  return {&one, cycles};
}

Taken with_dataflow(const Contenders& family, const Contender& with_barrier, const Point& at) {
  Taken least{&with_barrier, with_barrier.cycles_on_flits(at.m, Advance::dataflow)};
  if (at.bytes() > kMaxBytesForAll) return least;
  for (const Contender& one : family) {
    if (&one == &with_barrier) continue;
    const std::uint64_t cycles = one.cycles_on_flits(at.m, Advance::dataflow);
    if (cycles < least.cycles) least = {&one, cycles};
  }
  return least;
}

Rows on_flits(Extent extent) {
  Rows rows;
  const bool quick = extent == Extent::quick;
  const std::uint64_t most_bytes = quick ? 5'000 : 150'000;  // seconds a run
  for_each_point(quick ? std::vector{6} : std::vector{14, 16}, [&](const Point& at, Families& families) {
    const bool is_run = at.bytes() <= most_bytes;
    std::vector<Taken> barrier;
    std::vector<Taken> dataflow;
    for (const Family family : {kScheme, kFast, kTrees}) {
      barrier.push_back(with_barrier(families.of(family), at, is_run));
      if (is_run) dataflow.push_back(with_dataflow(families.of(family), *barrier.back().contender, at));
    }
    auto& row = rows.emplace_back(start_of_row(at));
    add_comparison(row, barrier);
    if (is_run) {
      add_comparison(row, dataflow);
    } else {
      row.resize(row.size() + barrier.size() + 1);
    }
  });
  return rows;
}

}  // namespace

const Figures figures{
    {"latency-by-model",
     "Figures 7 and 8 by the paper's cost model, T_s = 30, T_c = 1 a byte: s sources of m bytes each. Times "
     "of chen-multinode for every h, of chen-multinode-fast with the best h, of the trees by the paper's "
     "formula, and of trees that gather and pipeline with the best batch",
     {"torus", "s", "m", "chen-multinode, by h", "chen-multinode-fast", "trees, formula", "trees, pipelined",
      "fastest"},
     by_model},
    {"latency-on-flits",
     fmt::format("Cycles on flits of a byte, startup {}, of each algorithm with its best h or batch; and the "
                 "fastest, with how many times as long the next takes. First with a barrier between steps, "
                 "then with dataflow, where every h and batch was tried for s m <= {}, and beyond that those "
                 "that are best with a barrier. Rows without dataflow were not run: with a barrier a step "
                 "takes what its slowest message takes alone, as it does in all rows that were",
                 kStartup, kMaxBytesForAll),
     {"torus", "s", "m", "chen-multinode", "chen-multinode-fast", "edge-disjoint-trees", "fastest",
      "chen-multinode, dataflow", "chen-multinode-fast, dataflow", "edge-disjoint-trees, dataflow",
      "fastest, dataflow"},
     on_flits},
};

}  // namespace flitscope::claims::chen_multinode
