// Figures 7 and 8 on tori that h divides, by the paper's cost model, and who is fastest on flits.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

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
    for (const std::uint64_t sources : source_counts(n)) {
      const Families families(n, sources);
      const Contenders every_h = with_divisors("chen-multinode", n, sources);
      for (const std::uint64_t m : lengths()) {
        auto row = start_of_row(n, sources, m);
        std::vector<std::string> times;
        for (const Contender& each : every_h)
          times.push_back(fmt::format("{}: {}", each.size.h, each.time(m)));
        row.push_back(fmt::format("{}", fmt::join(times, ", ")));
        const auto finalists = families.finalists(m);
        row.push_back(with_choice(finalists[1]->time(m), *finalists[1]));
        row.push_back(fmt::format("{}", trees_formula(n, sources, m)));
        row.push_back(with_choice(finalists[2]->time(m), *finalists[2]));
        row.push_back(
            (*std::ranges::min_element(finalists, {}, [&](auto one) { return one->time(m); }))->algorithm);
        rows.push_back(std::move(row));
      }
    }
  }
  return rows;
}

Rows on_flits(Extent extent) {
  Rows rows;
  const bool quick = extent == Extent::quick;
  for (const int n : quick ? std::vector{6} : std::vector{14, 16}) {
    for_each_point_on_flits(
        n, quick ? 300 : 50'000, [&](std::uint64_t sources, std::uint64_t m, const auto& finalists) {
          auto row = start_of_row(n, sources, m);
          for (const Advance advance : {Advance::barrier, Advance::dataflow}) {
            std::vector<std::uint64_t> cycles;
            for (const Contender* one : finalists) {
              cycles.push_back(cycles_on_flits(*one, sources, m, advance));
              row.push_back(with_choice(cycles.back(), *one));
            }
            row.push_back(finalists[std::ranges::min_element(cycles) - cycles.begin()]->algorithm);
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
       "Times "
       "of chen-multinode for every h, of chen-multinode-fast with the best h, of the trees by the paper's "
       "formula, and of trees that gather and pipeline with the best batch",
       {"torus", "s", "m", "chen-multinode, by h", "chen-multinode-fast", "trees, formula",
        "trees, pipelined", "fastest"},
       by_model},
      {"latency-on-flits",
       "Cycles on flits of a byte, startup 30, by the choices that are best by the model; first with a "
       "barrier "
       "between steps, then with dataflow",
       {"torus", "s", "m", "chen-multinode", "chen-multinode-fast", "edge-disjoint-trees", "fastest",
        "chen-multinode, dataflow", "chen-multinode-fast, dataflow", "edge-disjoint-trees, dataflow",
        "fastest, dataflow"},
       on_flits},
  };
}

}  // namespace flitscope::claims::chen_multinode
