// The broadcasts on flits, and the data of figures.
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "sim/claims/papers/tsay_wang/cases.h"
#include "sim/run/workload.h"

namespace flitscope::claims::tsay_wang {

const Claims flit_claims{
    {"no-stalls", "Section 2, on flits",
     "The steps are free of congestion: with a barrier between them no flit waits, and a step costs "
     "its longest path and the message's length.",
     "no stalled flit-cycle; the cycles of every step equal",
     [](Trial& t) {
       const Tori list = t.quick() ? named({{5, 2}, {7, 2}, {4, 3}, {7, 3}, {3, 4}}) : tori(1, 4, 3'000);
       for (const Torus& torus : t.over(list, "; tsay-wang, -direct, -dilated, 64 flits, barrier")) {
         for (const char* algorithm : {"tsay-wang", "tsay-wang-direct", "tsay-wang-dilated"}) {
           const ExperimentConfig config = broadcast(torus, fmt::format("{}, message: 512", algorithm));
           const FlitRun result = run_on_flits(config);
           const std::string size = fmt::format("{}, {}", name_of(torus), algorithm);
           t.printed.equal(size, "stalled flit-cycles", 0, result.total_stalls());
           std::vector<Cycle> alone;
           for (const StepAlone& step : steps_alone(*make_schedule(config))) alone.push_back(step.cycles);
           t.printed.add(result.step_cycles == alone, size, "a step takes longer than its longest path");
         }
       }
       t.measured = fmt::format("{} runs and their steps are as at zero load", t.printed.share_held());
     }},
    {"overlap", "not in the paper",
     "Edge-disjointness within each step would survive without barriers, when steps overlap.",
     "no stalled flit-cycle",
     [](Trial& t) {
       // What one would like to conclude from the paper: messages of different steps meet.
       std::vector<std::string> examples;
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
             examples.push_back(
                 fmt::format("{}: {} cycles with barriers, {} without", size, with_barrier, free.cycles));
           }
         }
       }
       if (examples.size() > 3) examples.resize(3);
       t.measured = fmt::format("{} runs have stalls; slower without barriers by more than 5 %: {}",
                                t.printed.share_failed(),
                                examples.empty() ? "none" : fmt::format("{}", fmt::join(examples, "; ")));
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
     "Cycles (steps) of a broadcast with a barrier between steps, by torus, startup in cycles and message "
     "in bytes; all ports, flits of 8 bytes",
     columns({"torus", "startup", "bytes"}), by_message_length},
    {"overlap",
     "Cycles of a broadcast of 4096 bytes (512 flits) with and without barriers, and the stalls without, "
     "in flit-cycles by cause",
     {"torus", "algorithm", "barrier", "dataflow", "ratio", "stalls"},
     overlapped},
    {"one-port",
     "Cycles (steps of the schedule) of a broadcast without barriers on nodes with one port, by torus and "
     "message in bytes; startup 0",
     columns({"torus", "bytes"}), on_one_port},
};

}  // namespace flitscope::claims::tsay_wang
