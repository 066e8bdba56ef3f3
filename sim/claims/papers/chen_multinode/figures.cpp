// Figures 7 and 8 on tori that h divides, by the paper's cost model, and who is fastest on flits.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "sim/claims/papers/chen_multinode/claims.h"
#include "sim/claims/papers/chen_multinode/contenders.h"

namespace flitscope::claims::chen_multinode {

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

/// The cycles of the best of each family, who is fastest, and how many times as long the next family takes.
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
           "fastest, "
           "with how many times as long the next takes. First with a barrier between steps, then with "
           "dataflow, "
           "where every h and batch was tried for s m <= {}, and beyond that those that are best with a "
           "barrier. "
           "Rows without dataflow were not run: with a barrier a step takes what its slowest message takes "
           "alone, as it does in all rows that were",
           kStartup, kMaxBytesForAll),
       {"torus", "s", "m", "chen-multinode", "chen-multinode-fast", "edge-disjoint-trees", "fastest",
        "chen-multinode, dataflow", "chen-multinode-fast, dataflow", "edge-disjoint-trees, dataflow",
        "fastest, dataflow"},
       on_flits},
  };
}

}  // namespace flitscope::claims::chen_multinode
