// What a run has measured: plain data.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "model/schedule.h"
#include "routers/circuits/circuit_node.h"
#include "sim/analysis/channel_load.h"
#include "sim/config/config.h"
#include "sim/observe/deadlock/deadlock.h"
#include "sim/observe/flits/latency.h"
#include "sim/observe/flits/latency_parts.h"
#include "sim/observe/flits/waits.h"
#include "sim/run/traffic_result.h"

namespace flitscope {

enum class RunStatus : std::uint8_t {
  completed,    ///< the collective's goal is met
  deadlock,     ///< worms hold channels in a dependency cycle
  goal_missed,  ///< everything was delivered, but somebody lacks something
  limit,        ///< the cycle limit came first
};

/// "completed", "deadlock", "goal-missed", "limit": as in results.
[[nodiscard]] const char* name_of(RunStatus status);

/// What one link did in the whole run.
struct ChannelRecord {
  ChannelId channel = 0;
  std::uint64_t flits = 0;
  std::uint64_t messages = 0;
  std::uint64_t stalled = 0;  ///< flit-cycles that flits were stalled for want of this link
};

/// What one port of a complete network did. Cycles by CircuitPortState; they add up to those of the run.
struct CircuitPortRecord {
  NodeId node = 0;
  std::uint32_t port = 0;
  std::uint64_t tunings = 0;
  std::uint64_t messages = 0;
  std::uint64_t flits = 0;
  std::array<Cycle, kCircuitPortStates> cycles{};
};

/// What one node of a complete network received.
struct ReceptionRecord {
  NodeId node = 0;
  std::uint64_t messages = 0;
  std::uint64_t flits = 0;
  Cycle receiving = 0;             ///< cycles in which at least one message was arriving
  std::uint32_t max_arrivals = 0;  ///< at the same time
};

/// So many channels and messages are named in reports.
inline constexpr std::size_t kWorstShown = 5;

/// What only networks with links have.
struct LinkResult {
  std::vector<StepLoad> loads;          ///< one entry a step
  std::vector<ChannelRecord> channels;  ///< of links that exist, by number
  /// Of the links that flits were ever stalled for: causes, and the longest wait.
  std::unordered_map<ChannelId, ChannelWaits> waits;
  std::vector<DelayedMessage> most_delayed;  ///< at most kWorstShown
  std::array<std::uint64_t, kStallCauses> stalls{};
  std::optional<Deadlock> deadlock;
  /// Of synthetic traffic, which has no steps.
  std::optional<TrafficResult> traffic;
  /// Of traffic beside a schedule, if there is any. The links' flits, messages and stalls are of both.
  std::optional<BackgroundResult> background;
  /// Cycles that were counted and not run (FastForward). No result depends on it.
  Cycle skipped_cycles = 0;
  /// That stepped routers.
  unsigned threads = 1;
};

/// What only complete networks have.
struct CircuitResult {
  /// t_m, the cycles of a message of one chunk.
  Cycle unit_cycles = 1;
  /// What the schedule leaves for tuning, claims and can do at best, in units of t_m.
  std::uint64_t reconfiguration_units = 0;
  std::optional<std::uint64_t> claimed_units;
  std::optional<std::uint64_t> lower_bound_units;
  std::uint64_t circuits_at_start = 0;
  std::uint64_t tunings = 0;
  std::uint32_t max_arrivals = 0;
  std::vector<CircuitPortRecord> ports;
  std::vector<ReceptionRecord> receptions;
};

/// Everything that was measured. Times are cycles.
struct RunResult {
  RunResult(ExperimentConfig of, ScheduleFacts known) : config(std::move(of)), facts(std::move(known)) {}

  /// Complete: nothing is left to be chosen.
  ExperimentConfig config;
  ScheduleFacts facts;

  RunStatus status = RunStatus::completed;
  /// Last delivery; if the run did not complete, the last cycle looked at.
  Cycle cycles = 0;
  std::vector<StepRecord> steps;
  std::uint64_t messages = 0;
  std::uint64_t flits = 0;
  std::uint64_t flit_hops = 0;  ///< a circuit is one hop; those of traffic beside a schedule are among them
  std::uint64_t redundant_deliveries = 0;
  /// Largest number of messages of one step on one link; a circuit carries one at a time.
  std::uint32_t max_channel_load = 0;
  LatencySummary latency;
  /// Why the run is not verified; empty if it is.
  std::vector<std::string> failed_checks;
  /// What only networks of one kind have.
  std::variant<LinkResult, CircuitResult> network;

  double seconds = 0;
  std::uint64_t peak_memory_bytes = 0;

  /// nullptr if the network has circuits, and the other way round.
  [[nodiscard]] const LinkResult* links() const { return std::get_if<LinkResult>(&network); }
  [[nodiscard]] const CircuitResult* circuits() const { return std::get_if<CircuitResult>(&network); }

  /// Flits a cycle on a link, 0 to 1.
  [[nodiscard]] double utilisation(const ChannelRecord& channel) const {
    return cycles == 0 ? 0 : static_cast<double>(channel.flits) / static_cast<double>(cycles);
  }
  [[nodiscard]] bool verified() const { return status == RunStatus::completed && failed_checks.empty(); }

  /// From the first message of a stage to its last arrival so far; 0 if it had no messages.
  [[nodiscard]] Cycle stage_cycles(const Stage& stage) const;
};

/// The links that flits were stalled for longest, at most kWorstShown, the worst first.
[[nodiscard]] std::vector<ChannelRecord> worst_channels(const LinkResult& links);

}  // namespace flitscope
