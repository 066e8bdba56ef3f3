// What watches a run: the observers that its configuration asks for.
#pragma once

#include <filesystem>
#include <optional>

#include "sim/network/network.h"
#include "sim/observe/flits/flit_trace.h"
#include "sim/observe/flits/latency.h"
#include "sim/observe/flits/latency_parts.h"
#include "sim/observe/flits/message_log.h"
#include "sim/observe/flits/observers.h"
#include "sim/observe/flits/tail_lag.h"
#include "sim/observe/flits/timeline.h"
#include "sim/observe/flits/waits.h"
#include "sim/observe/flits/waves.h"
#include "sim/run/result.h"

namespace flitscope {

/// Made before the run, asked after it. Stalls are always watched; flits only if a file is wanted that needs
/// them, and only where it needs them.
class Observation {
 public:
  /// Files go into `directory`, none if it is empty. Throws OutputError if one cannot be opened.
  /// Configuration and network must outlive it.
  Observation(const ExperimentConfig& config, const WaveScope& waves, const std::filesystem::path& directory,
              Network& network);
  Observation(const Observation&) = delete;
  Observation& operator=(const Observation&) = delete;

  void arrived(const ArrivedMessage& message);
  /// Whether after_cycle() must be called after every cycle.
  [[nodiscard]] bool looks_at_cycles() const { return waves_.has_value(); }
  void after_cycle(Cycle now) { waves_->sample(now); }
  /// The run is over and its stalls are settled: fills in latencies, waits and delays, closes the files.
  /// Throws OutputError if one could not be written completely.
  void conclude(RunResult& result, LinkResult& links, Cycle last);

 private:
  void open_files(const ObserveConfig& observe, const std::filesystem::path& directory);
  void watch_flits(const ObserveConfig& observe, const WaveScope& scope);

  Network& network_;
  Observers observers_;
  LatencyCounter latencies_;
  Waits waits_;
  MostDelayed most_delayed_{kWorstShown};
  std::optional<MessageLog> log_;
  std::optional<TailLag> tail_lag_;
  std::optional<FlitTraceCsv> csv_;
  std::optional<FlitTraceBinary> binary_;
  std::optional<Timeline> timeline_;
  std::optional<Waves> waves_;
};

}  // namespace flitscope
