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
      for (const Contender& each : families.of_paper()) {
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

/// The cycles of each finalist, who is fastest, and how many times as long the next one takes.
void add_comparison(std::vector<std::string>& row, const std::vector<const Contender*>& finalists,
                    const std::vector<std::uint64_t>& cycles) {
  for (std::size_t i = 0; i < cycles.size(); ++i) row.push_back(with_choice(cycles[i], *finalists[i]));
  auto by_rank = cycles;
  std::ranges::sort(by_rank);
  const auto& fastest = finalists[std::ranges::find(cycles, by_rank[0]) - cycles.begin()]->algorithm;
  row.push_back(
      fmt::format("{}; {:.2f}", fastest, static_cast<double>(by_rank[1]) / static_cast<double>(by_rank[0])));
}

/// Flits are moved for what takes seconds a run: up to so many bytes of all sources. What takes longer is
/// known with a barrier, since no message waits for another.
constexpr std::uint64_t kMostBytesQuick = 300;
constexpr std::uint64_t kMostBytes = 150'000;

Rows on_flits(Extent extent) {
  Rows rows;
  const bool quick = extent == Extent::quick;
  for (const int n : quick ? std::vector{6} : std::vector{14, 16}) {
    for_each_point(n, [&](std::uint64_t sources, std::uint64_t m, const Families& families) {
      const auto finalists = families.finalists(m, &Contender::cycles_with_barrier);
      auto row = start_of_row(n, sources, m);
      std::vector<std::uint64_t> barrier;
      for (const Contender* one : finalists) barrier.push_back(one->cycles_with_barrier(m));
      add_comparison(row, finalists, barrier);
      if (sources * m > (quick ? kMostBytesQuick : kMostBytes)) {
        row.resize(row.size() + finalists.size() + 1);
      } else {
        std::vector<std::uint64_t> dataflow;
        for (std::size_t i = 0; i < finalists.size(); ++i) {
          if (cycles_on_flits(*finalists[i], sources, m, Advance::barrier) != barrier[i]) {
            throw std::runtime_error("flits take other than the sum of the steps: " + point(n, sources, m));
          }
          dataflow.push_back(cycles_on_flits(*finalists[i], sources, m, Advance::dataflow));
        }
        add_comparison(row, finalists, dataflow);
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
       "Cycles on flits of a byte, startup 30, each algorithm with the h or batch that is best with a "
       "barrier "
       "between steps; and the fastest, with how many times as long the next one takes. First with a "
       "barrier, "
       "then the same choices with dataflow. Rows without dataflow were not moved on flits: there a step "
       "takes "
       "what its slowest message takes alone, as in all other rows",
       {"torus", "s", "m", "chen-multinode", "chen-multinode-fast", "edge-disjoint-trees", "fastest",
        "chen-multinode, dataflow", "chen-multinode-fast, dataflow", "edge-disjoint-trees, dataflow",
        "fastest, dataflow"},
       on_flits},
  };
}

}  // namespace flitscope::claims::chen_multinode
