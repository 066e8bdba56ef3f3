// Measurements of a run: plain data.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "model/machine.h"
#include "model/schedule.h"
#include "model/text.h"
#include "model/topology.h"
#include "model/types.h"
#include "routers/circuits/circuit_node.h"
#include "sim/analysis/channel_load.h"
#include "sim/config/config.h"
#include "sim/observe/deadlock/deadlock.h"
#include "sim/observe/flits/latency.h"
#include "sim/run/barriers.h"
#include "sim/run/traffic_bounds.h"

namespace flitscope {

// Measurements of requests and replies: plain data.

/// One node of a protocol, over the measurement.
struct ProtocolNode {
  NodeId node = 0;
  bool requests = false;
  bool answers = false;
  std::uint64_t round_trips = 0;            ///< done, of its requests
  std::optional<double> round_trip_mean{};  ///< of those that were generated in the measurement, if any
  double outstanding_mean = 0;              ///< its requests without an answer, over time
  std::uint64_t served = 0;                 ///< services begun
  double queue_mean = 0;                    ///< requests that wait for their service, over time
  std::uint64_t queue_longest = 0;
};

/// Counts of a part of the measurement.
struct ProtocolPart {
  Cycle begin = 0;
  double outstanding_mean = 0;
  double round_trips = 0;  ///< done per cycle
};

/// Results of a protocol over the measurement. Latencies are those of the requests that were generated in it.
struct ProtocolResult {
  /// From the generation of a request to the delivery of its reply, and of reads and writes alone.
  LatencySummary round_trip;
  LatencySummary reads;
  LatencySummary writes;
  /// What round trips consist of, as means: their sum and the mean queueing are the mean round trip.
  double issue_mean = 0;    ///< until the request may be issued
  double request_mean = 0;  ///< the request's latency
  double service_mean = 0;  ///< until the reply is handed over
  double reply_mean = 0;    ///< the reply's latency
  /// At the targets, until the service begins.
  LatencySummary queueing;
  /// Done, per cycle, and their data.
  double round_trips_per_cycle = 0;
  double bytes_per_cycle = 0;
  double outstanding_mean = 0;
  /// Nodes that request or answer, by number.
  std::vector<ProtocolNode> nodes;
  /// The measurement in parts of equal length; the last one can be shorter.
  std::vector<ProtocolPart> parts;
  /// Measured round trips by their length.
  std::vector<std::pair<Cycle, std::uint64_t>> distribution;
};

/// Counters of one link.
struct ChannelRecord {
  ChannelId channel = 0;
  std::uint64_t flits = 0;
  std::uint64_t messages = 0;
  StallCounts stalls{};  ///< of flits that wanted it
};

enum class TrafficStatus : std::uint8_t {
  ok,
  saturated,   ///< the network accepts less than is offered, in the measurement or as the load is beyond the
               ///< bound: latencies grow without bound
  unfinished,  ///< a deadlock or the limit of cycles ended the run
};
template <>
inline constexpr std::array kNamesOf<TrafficStatus>{"ok", "saturated", "unfinished"};

/// Results of synthetic traffic, or of one of several classes of it, over the measurement.
struct TrafficClassResult {
  /// Flits per node and cycle.
  double offered = 0;
  double accepted = 0;
  /// Generated.
  std::uint64_t messages = 0;
  std::uint64_t flits = 0;
  /// Of those messages that have arrived, and how many have not.
  LatencySummary latency;
  LatencySummary network_latency;  ///< from the entry of the head
  std::uint64_t undelivered = 0;
  /// Half the width of the 95% confidence interval of the mean latency, by batch means; nothing if there are
  /// too few messages.
  std::optional<double> ci95;
  /// Messages generated and not arrived, over time.
  double messages_in_flight_mean = 0;
};

/// Results of synthetic traffic over the measurement, [begin, end). Times are cycles.
struct TrafficResult : TrafficClassResult {
  TrafficStatus status = TrafficStatus::unfinished;
  /// The load is beyond the bound (see is_beyond). False if the bound is not known.
  bool beyond_bound = false;
  /// Saturation in the measurement ended the run and dropped the messages in flight.
  bool halted = false;
  /// Latencies were steady before the measurement, or the length of the warm-up was given.
  bool steady = true;
  /// The confidence intervals are as narrow as `precision` requires; nothing without `precision`, or if the
  /// network is saturated.
  std::optional<bool> precise;
  Cycle begin = 0;
  Cycle end = 0;
  /// False if the run ended before the measurement did.
  [[nodiscard]] bool is_measured() const { return end > begin; }
  /// Links that a flit travels; nothing if none has arrived in the measurement.
  std::optional<double> hops_mean;
  /// Flits generated and not arrived: growth.
  std::int64_t waiting_flits_growth = 0;
  StallCounts stalls{};
  /// The links that flits were stalled for longest, the worst first, at most kWorstShown.
  std::vector<ChannelRecord> worst;
  /// The link that was busy for the most cycles; nothing if none has carried a flit.
  std::optional<ChannelRecord> busiest;
  /// Of each class, if there are several.
  std::vector<TrafficClassResult> classes;
  /// Computed without a run.
  TrafficBounds bounds;
};

/// Results of the traffic beside a schedule, from cycle 0 to the end of the schedule.
struct BackgroundResult : TrafficClassResult {
  /// First cycle of the schedule.
  Cycle schedule_begin = 0;
  std::uint64_t arrived_messages = 0;
  std::uint64_t arrived_flits = 0;
};

enum class RunStatus : std::uint8_t {
  completed,    ///< the collective's goal is met
  deadlock,     ///< worms hold channels in a dependency cycle
  goal_missed,  ///< everything was delivered, but a node lacks a chunk
  limit,        ///< the run reached the cycle limit
};
template <>
inline constexpr std::array kNamesOf<RunStatus>{"completed", "deadlock", "goal-missed", "limit"};

/// Counters of one router, over the whole run. A flit that leaves a router was written into one of its
/// buffers, read out of it, granted the switch and passed through the crossbar.
struct RouterRecord {
  NodeId router = 0;
  std::uint64_t flits = 0;          ///< that left, over links and ejection channels
  std::uint64_t messages = 0;       ///< whose tails left: VCs granted
  std::uint64_t ejected_flits = 0;  ///< that left over ejection channels
  /// Each flit with the ports of the router in its network: links in one direction, and ejection channels.
  std::uint64_t flit_ports = 0;
};

/// One node: over the measurement of traffic, or the whole run of a schedule without the traffic beside it.
struct NodeRecord {
  NodeId node = 0;
  std::uint64_t sent_messages = 0;
  std::uint64_t sent_flits = 0;
  /// Of the messages that it sent, those that arrived.
  std::uint64_t delivered_messages = 0;
  std::uint64_t delivered_flits = 0;
  std::uint64_t arrived_messages = 0;
  std::uint64_t arrived_flits = 0;
  /// Of the messages that it sent: cycles in its network interface beyond the startup, and stalls of heads.
  Cycle queueing = 0;
  std::array<Cycle, kStallCauses> head_stalls{};
  // Of a schedule. The cycles until it has finished are those of sending, waiting and computing.
  Cycle finished = 0;   ///< last arrival of a message that it sent or received
  Cycle sending = 0;    ///< some message that it sends has not arrived
  Cycle waiting = 0;    ///< none is on its way, and one that it sends or receives follows
  Cycle computing = 0;  ///< the same, but what the next one waits for has happened here
  /// The node whose messages ended most of the waiting, and how much.
  std::optional<NodeId> waits_most_for = {};
  Cycle waits_most = 0;
};

/// How evenly a quantity is spread: Jain's index, 1 if all are equal, 1 / n if one has all.
[[nodiscard]] double fairness(const std::vector<double>& values);

/// Messages of one message class, over the whole run.
struct MessageClassRecord {
  std::string name;
  std::uint32_t network = 0;   ///< by which it goes
  std::uint64_t messages = 0;  ///< delivered
  std::uint64_t flits = 0;     ///< of these
  double latency_mean = 0;     ///< meaningless without messages, as the next
  Cycle latency_max = 0;
  StallCounts stalls{};  ///< flit-cycles, of all its flits
};

/// Counters of one port of a complete network. Cycles by CircuitPortState; their sum is the length of the
/// run.
struct CircuitPortRecord {
  NodeId node = 0;
  std::uint32_t port = 0;
  std::uint64_t tunings = 0;
  std::uint64_t messages = 0;
  std::uint64_t flits = 0;
  std::array<Cycle, kCircuitPortStates> cycles{};
};

/// Receptions of one node of a complete network.
struct ReceptionRecord {
  NodeId node = 0;
  std::uint64_t messages = 0;
  std::uint64_t flits = 0;
  Cycle receiving = 0;             ///< cycles in which at least one message was arriving
  std::uint32_t max_arrivals = 0;  ///< at the same time
};

/// Channels and messages that reports name.
inline constexpr std::size_t kWorstShown = 5;

/// Results of networks with links.
struct LinkResult {
  /// Packets of messages.
  struct Packets {
    std::uint64_t count = 0;
    std::uint64_t head_flits = 0;
  };

  std::vector<StepLoad> loads;          ///< one entry a step
  std::vector<ChannelRecord> channels;  ///< of links that exist, by number
  std::vector<RouterRecord> routers;    ///< of routers that are not missing, by number
  std::vector<NodeRecord> nodes;        ///< that are not missing, by number; none if waits are not explained
  /// Of a schedule that was completed, in the order of time.
  std::vector<CriticalMessage> critical_path;
  /// Flits on links beyond the shortest paths of messages that have arrived, if energy is wanted.
  std::optional<std::uint64_t> detour_flit_hops;
  /// Of the links that flits were stalled for, if waits are explained.
  std::unordered_map<ChannelId, Wait> longest_waits;
  std::vector<DelayedMessage> most_delayed;  ///< at most kWorstShown
  StallCounts stalls{};
  std::vector<MessageClassRecord> message_classes;  ///< empty if the machine has none
  /// Of a recording that was completed.
  std::vector<BarrierRecord> barriers;
  std::optional<Deadlock> deadlock;
  /// Of synthetic traffic, which has no steps.
  std::optional<TrafficResult> traffic;
  /// Of a protocol, beside that of its messages as traffic.
  std::optional<ProtocolResult> protocol;
  /// Of traffic beside a schedule, if there is any. The links' flits, messages and stalls include it.
  std::optional<BackgroundResult> background;
  /// Given to the network; nothing if messages are not sent as packets.
  std::optional<Packets> packets;
  /// Cycles that were counted instead of run. No result depends on it.
  Cycle skipped_cycles = 0;
  /// Threads that stepped routers.
  unsigned threads = 1;
};

/// Results of complete networks.
struct CircuitResult {
  /// t_m, the cycles of a message of one chunk.
  Cycle unit_cycles = 1;
  /// The time that the schedule leaves for tuning, its claim and its lower bound, in units of t_m.
  std::uint64_t reconfiguration_units = 0;
  std::optional<std::uint64_t> claimed_units;
  std::optional<std::uint64_t> lower_bound_units;
  std::uint64_t circuits_at_start = 0;
  std::uint64_t tunings = 0;
  std::uint32_t max_arrivals = 0;
  std::vector<CircuitPortRecord> ports;
  std::vector<ReceptionRecord> receptions;
};

/// All results of a run. Times are cycles.
struct RunResult {
  RunResult(ExperimentConfig of, ScheduleFacts announced)
      : config(std::move(of)), facts(std::move(announced)) {}

  /// Complete (see resolve_auto_settings).
  ExperimentConfig config;
  ScheduleFacts facts;

  RunStatus status = RunStatus::completed;
  /// Last delivery; if the run did not complete, its last cycle.
  Cycle cycles = 0;
  std::vector<StepRecord> steps;
  std::uint64_t messages = 0;
  std::uint64_t flits = 0;
  std::uint64_t flit_hops = 0;  ///< a circuit is one hop; those of traffic beside a schedule are among them
  std::uint64_t redundant_deliveries = 0;
  /// Largest number of messages of one step on one link; a circuit carries one at a time.
  std::uint32_t max_channel_load = 0;
  LatencySummary latency;
  /// Of the same messages.
  std::vector<LatencyBin> latency_distribution;
  /// Why the run is not verified; empty if it is.
  std::vector<std::string> failed_checks;
  std::variant<LinkResult, CircuitResult> network;

  double seconds = 0;
  std::uint64_t peak_memory_bytes = 0;

  /// Of networks with links; nullptr of complete ones.
  [[nodiscard]] const LinkResult* links() const { return std::get_if<LinkResult>(&network); }
  /// Of complete networks; nullptr of others.
  [[nodiscard]] const CircuitResult* circuits() const { return std::get_if<CircuitResult>(&network); }

  /// Cycles that the counters of links cover. A run is complete at the beginning of cycle `cycles`; one that
  /// is ended before, or drops the messages in flight (saturation, a background), has that cycle, too.
  [[nodiscard]] Cycle counted_cycles() const;
  /// Share of a link's capacity that it carried over the run, 0 to 1.
  [[nodiscard]] double utilisation(const ChannelRecord& channel) const;
  /// The same over the measurement of traffic.
  [[nodiscard]] double utilisation(const TrafficResult& traffic, const ChannelRecord& channel) const;
  [[nodiscard]] bool verified() const { return status == RunStatus::completed && failed_checks.empty(); }
  /// The first failed check; empty if there is none.
  [[nodiscard]] std::string objection() const { return failed_checks.empty() ? "" : failed_checks.front(); }

  /// Cycles of the schedule, without the warm-up of traffic beside it.
  [[nodiscard]] Cycle schedule_cycles() const;
  /// From the first message of a stage to its last arrival so far; 0 if it had no messages.
  [[nodiscard]] Cycle stage_cycles(const Stage& stage) const;
};

/// The links that flits were stalled for longest, at most kWorstShown, the worst first.
[[nodiscard]] std::vector<ChannelRecord> worst_channels(const std::vector<ChannelRecord>& channels);

}  // namespace flitscope
