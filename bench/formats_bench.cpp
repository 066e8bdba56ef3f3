// How long schedules of others take to import: a million operations, and an algorithm of 128 ranks.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <iterator>
#include <string>
#include <vector>

#include "sim/formats/foreign/format.h"
#include "sim/host/processes.h"

namespace flitscope::bench {
namespace {

void import(benchmark::State& state, const std::string& format, const std::string& text,
            const Topology& topology) {
  std::uint64_t messages = 0;
  for (auto _ : state) {
    state.PauseTiming();
    std::vector<ImportFile> files{{"bench", text}};
    state.ResumeTiming();
    const auto schedule = FormatRegistry::find(format)->read(files, ImportOptions(topology));
    messages = schedule->facts().messages;
  }
  state.counters["peak_resident_bytes"] = static_cast<double>(peak_memory());
  state.counters["messages"] = static_cast<double>(messages);
}

/// 1,000 ranks pass data round a ring 333 times, with a calculation between a receive and the next send:
/// 999,000 operations.
void goal(benchmark::State& state) {
  constexpr int kRanks = 1000;
  constexpr int kRounds = 333;
  std::string text = fmt::format("num_ranks {}\n", kRanks);
  const auto out = std::back_inserter(text);
  for (int rank = 0; rank < kRanks; ++rank) {
    fmt::format_to(out, "rank {} {{\n", rank);
    for (int round = 0; round < kRounds; ++round) {
      fmt::format_to(out,
                     "s{0}: send 64b to {1} tag {0}\nr{0}: recv 64b from {2} tag {0}\nc{0}: calc 10\nc{0} "
                     "requires r{0}\n",
                     round, (rank + 1) % kRanks, (rank + kRanks - 1) % kRanks);
      if (round > 0) fmt::format_to(out, "s{} requires c{}\n", round, round - 1);
    }
    text += "}\n";
  }
  import(state, "goal", text, {TopologyKind::torus, { kRanks }});
}

/// A ring all-reduce: 128 ranks with 255 steps in each channel.
void msccl_xml(benchmark::State& state) {
  constexpr int kRanks = 128;
  const auto channels = static_cast<int>(state.range(0));
  std::string text =
      fmt::format("<algo name=\"ring\" nchannels=\"{}\" ngpus=\"{}\" coll=\"allreduce\" inplace=\"1\">\n",
                  channels, kRanks);
  const auto out = std::back_inserter(text);
  for (int rank = 0; rank < kRanks; ++rank) {
    fmt::format_to(out, "<gpu id=\"{}\" i_chunks=\"{}\" o_chunks=\"0\" s_chunks=\"0\">\n", rank,
                   channels * kRanks);
    for (int channel = 0; channel < channels; ++channel) {
      fmt::format_to(out, "<tb id=\"{0}\" send=\"{1}\" recv=\"{2}\" chan=\"{0}\">\n", channel,
                     (rank + 1) % kRanks, (rank + kRanks - 1) % kRanks);
      for (int step = 0; step < 2 * kRanks - 1; ++step) {
        const char* const type = step == 0               ? "s"
                                 : step < kRanks - 1     ? "rrs"
                                 : step == kRanks - 1    ? "rrcs"
                                 : step < 2 * kRanks - 2 ? "rcs"
                                                         : "r";
        fmt::format_to(
            out,
            "<step s=\"{0}\" type=\"{1}\" srcbuf=\"i\" srcoff=\"{2}\" dstbuf=\"i\" dstoff=\"{2}\" cnt=\"1\" "
            "depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>\n",
            step, type, (rank + 2 * kRanks - step) % kRanks * channels + channel);
      }
      text += "</tb>\n";
    }
    text += "</gpu>\n";
  }
  text += "</algo>\n";
  import(state, "msccl-xml", text, {TopologyKind::torus, { kRanks }});
}

BENCHMARK(msccl_xml)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond);
BENCHMARK(goal)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace flitscope::bench

BENCHMARK_MAIN();
