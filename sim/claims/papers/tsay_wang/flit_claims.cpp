// The broadcasts on flits, and the data of figures.
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "model/route.h"
#include "sim/claims/claim.h"
#include "sim/claims/papers/tsay_wang/cases.h"
#include "sim/run/workload.h"

namespace flitscope::claims::tsay_wang {

namespace {

/// Cost of each step of a schedule at zero load on the default machine, in cycles: L flits over the H
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

/// Cycles of the broadcast's costliest step over those of a message to a neighbour, on the same machine.
double distance_factor(const Torus& torus, std::uint64_t bytes) {
  const FlitRun result = run_on_flits(broadcast(torus, fmt::format("tsay-wang, message: {}", bytes)));
  const Cycle most = std::ranges::max(result.step_cycles);
  const std::uint64_t flits = bytes / 8;
  return static_cast<double>(most) / static_cast<double>(4 + flits - 1);  // two routers, one link: 4 cycles
}

}  // namespace

/// On flits, with barriers: every step of the broadcast costs what its longest path costs, and no flit waits.
Finding nobody_waits(Extent extent) {
  Cases cases;
  Tori list{{5, 2}, {7, 2}, {4, 3}, {7, 3}, {3, 4}};
  if (extent == Extent::full) list = tori(1, 4, 3'000);
  for (const Torus& torus : list) {
    for (const char* algorithm : {"tsay-wang", "tsay-wang-direct", "tsay-wang-dilated"}) {
      const ExperimentConfig config = broadcast(torus, fmt::format("{}, message: 512", algorithm));
      const FlitRun result = run_on_flits(config);
      const std::string size = fmt::format("{}, {}", size_of(torus), algorithm);
      cases.equal(size, "stalled flit-cycles", 0, result.total_stalls());
      cases.add(result.step_cycles == zero_load_steps(config, 64), size,
                "a step takes longer than its longest path");
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
      const FlitRun free = run("dataflow");
      const std::string size = fmt::format("{}, {}", size_of(torus), algorithm);
      cases.equal(size, "stalled flit-cycles", 0, free.total_stalls());
      const Cycle with_barrier = run("barrier").cycles;
      const Cycle without = free.cycles;
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

Finding distance(Extent extent) {
  Cases printed, repaired;
  Tori list{{7, 2}, {7, 3}};
  if (extent == Extent::full) list = {{7, 2}, {25, 2}, {7, 3}, {15, 3}, {5, 4}, {9, 4}};
  std::vector<std::string> factors;
  for (const Torus& torus : list) {
    for (const std::uint64_t bytes : {8U, 512U, 32'768U}) {
      const double factor = distance_factor(torus, bytes);
      const std::string size = fmt::format("{}, {} flits", size_of(torus), bytes / 8);
      printed.add(factor < 1 + kHardly, size,
                  fmt::format("the longest path makes a step {:.2f} times as long", factor));
      if (bytes > 10'000) repaired.add(factor < 1 + kHardly, size, fmt::format("{:.2f} times", factor));
      factors.push_back(fmt::format("{:.2f} at {}", factor, size));
    }
  }
  return judge(printed, repaired, "for messages of thousands of flits",
               sizes_of(list) + "; 1, 64 and 4096 flits, barrier",
               fmt::format("longest step over a message to a neighbour: {}", fmt::join(factors, "; ")));
}

namespace {

using Rows = std::vector<std::vector<std::string>>;

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

Tori figure_tori(Extent extent) {
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
  Tori list{{7, 2}};
  if (extent == Extent::full) list = {{7, 2}, {10, 2}, {25, 2}, {29, 2}, {7, 3}, {9, 3}, {15, 3}, {5, 4}};
  for (const Torus& torus : list) {
    for (const char* const algorithm : kAlgorithms) {
      const FlitRun barrier = run(torus, algorithm, 4096, {"workload.advance=barrier"});
      const FlitRun dataflow = run(torus, algorithm, 4096, {"workload.advance=dataflow"});
      std::string stalls;
      for (unsigned cause = 0; cause < kStallCauses; ++cause) {
        if (dataflow.stalls[cause] == 0) continue;
        stalls += fmt::format("{}{} {}", stalls.empty() ? "" : ", ", name_of(static_cast<StallCause>(cause)),
                              dataflow.stalls[cause]);
      }
      rows.push_back(
          {torus_name(torus), algorithm, fmt::format("{}", barrier.cycles),
           fmt::format("{}", dataflow.cycles),
           fmt::format("{:.3f}", static_cast<double>(dataflow.cycles) / static_cast<double>(barrier.cycles)),
           stalls.empty() ? "none" : stalls});
    }
  }
  return rows;
}

}  // namespace

std::vector<Figure> figures() {
  return {
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
}

}  // namespace flitscope::claims::tsay_wang
