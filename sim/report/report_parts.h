// The parts of the report of a run as text, JSON and CSV, and what they are made of.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/link_programs.h"
#include "model/stall_cause.h"
#include "model/text.h"
#include "sim/config/config.h"
#include "sim/formats/strict_json.h"
#include "sim/observe/flits/latency.h"
#include "sim/run/energy.h"
#include "sim/run/result.h"

namespace flitscope {

/// ", claimed 4, lower bound 3", of which either may be unknown.
[[nodiscard]] inline std::string bounds_text(const std::optional<std::uint64_t>& claimed,
                                             const std::optional<std::uint64_t>& lower_bound) {
  std::string text;
  if (claimed) text += fmt::format(", claimed {}", *claimed);
  if (lower_bound) text += fmt::format(", lower bound {}", *lower_bound);
  return text;
}

/// "64 bytes (8 flits)"
[[nodiscard]] std::string size_text(const ExperimentConfig& config, std::uint64_t bytes);

/// "+12.5%", of 0.125. A change that rounds to zero has no minus.
[[nodiscard]] std::string percent_text(double change, int digits = 1);

/// A text in SVG or HTML.
[[nodiscard]] std::string escaped(std::string_view text);

/// A value that may be missing: a flag, a number or a text.
template <typename T>
[[nodiscard]] Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// "mean 12.345, min 9, median 12, ..., max 30 cycles"; `of_mean` follows the mean.
[[nodiscard]] std::string latency_text(const LatencySummary& latency, const std::string& of_mean = {});
/// {"messages": .., "min": .., "mean": .., "p50": .., "p99": .., "p999": .., "max": ..}; all but the first
/// are null without a message.
[[nodiscard]] Json latency_json(const LatencySummary& latency);

/// Parts of a time, by their names.
using CyclesByName = std::vector<std::pair<const char*, Cycle>>;
/// Those by cause between others.
[[nodiscard]] CyclesByName by_name(CyclesByName first, const StallCounts& counts,
                                   const CyclesByName& last = {});
/// The terms of a latency, in the order of time.
[[nodiscard]] CyclesByName terms_of(const LatencyParts& parts);
/// {"startup_cycles": .., ..}
[[nodiscard]] Json terms_json(const LatencyParts& parts);
/// "queueing 3, no_credit 2": those that are not 0. Empty if all are.
[[nodiscard]] std::string parts_text(const CyclesByName& cycles, std::string_view separator = ", ");
/// "vc_taken 3, no_credit 2": the counts by cause that are not 0. Empty if all are.
[[nodiscard]] std::string causes_text(const StallCounts& counts, std::string_view separator = ", ");
/// {"vc_taken": .., ..}: counts by cause.
[[nodiscard]] Json causes_json(const StallCounts& counts);
/// A number of traffic over its measurement; null if the run ended before that did.
[[nodiscard]] inline Json measured(const TrafficResult& traffic, const Json& number) {
  return traffic.is_measured() ? number : Json(nullptr);
}

/// The least and the most of what nodes have; of several equal ones the first.
struct Spread {
  NodeId least_at = 0;
  NodeId most_at = 0;
  double least = 0;
  double most = 0;
  double fairness = 1;
};

/// `nodes` are records with a `node` each; at least one.
template <typename Record, typename Value>
[[nodiscard]] Spread spread_of(const std::vector<Record>& nodes, const Value& value) {
  std::vector<double> values;
  for (const Record& node : nodes) values.push_back(value(node));
  const auto least = std::ranges::min_element(values);
  const auto most = std::ranges::max_element(values);
  return {nodes[static_cast<std::size_t>(least - values.begin())].node,
          nodes[static_cast<std::size_t>(most - values.begin())].node, *least, *most, fairness(values)};
}

// Events and energy of a run, as text and as JSON.

/// Lines about the energy; empty without a table.
[[nodiscard]] std::string energy_text(const RunResult& result);
/// Counts of events. The network must have links.
[[nodiscard]] Json events_json(const RunResult& result);
/// docs/results.md has the keys.
[[nodiscard]] Json energy_json(const EnergyResult& energy);
/// A line for each router.
[[nodiscard]] std::string routers_csv(const RunResult& result, const LinkResult& links);

// The cost of a configuration's network, as text and as JSON.

/// Steps along links that searches take at most: in the report of a run a tenth of a second, or some ten.
inline constexpr double kQuickSearch = 1e7;
inline constexpr double kLongSearch = 1e9;

/// Lines about the network, which must have links; the machine must be complete.
[[nodiscard]] std::string network_text(const ExperimentConfig& config, double max_work);
/// The same: docs/results.md has the keys.
[[nodiscard]] Json network_json(const ExperimentConfig& config, double max_work);

// What nodes do in a run, for whom they wait, and the critical path.

/// Which nodes of a schedule wait, for whom, and what decides the end; empty if that is not recorded.
[[nodiscard]] std::string waits_text(const RunResult& result);
/// The nodes that accept least and most of the traffic; empty if that is not recorded.
[[nodiscard]] std::string accepted_text(const RunResult& result);

// docs/results.md has the keys and columns.
[[nodiscard]] Json per_node_json(const RunResult& result);
[[nodiscard]] Json critical_path_json(const RunResult& result);
[[nodiscard]] std::string nodes_csv(const RunResult& result);
[[nodiscard]] std::string critical_path_csv(const RunResult& result);

// Requests and replies as text, JSON and CSV.

/// What a protocol does, as the configuration has it.
[[nodiscard]] std::string protocol_config_text(const ExperimentConfig& config);
/// What was measured.
[[nodiscard]] std::string protocol_text(const RunResult& result, const ProtocolResult& protocol);
/// The object `protocol` of result.json.
[[nodiscard]] Json protocol_json(const RunResult& result, const ProtocolResult& protocol);

/// Files of a run directory: nodes, the course of the measurement, and how long round trips took.
[[nodiscard]] std::string protocol_nodes_csv(const RunResult& result, const ProtocolResult& protocol);
[[nodiscard]] std::string protocol_course_csv(const ProtocolResult& protocol);
[[nodiscard]] std::string round_trips_csv(const ProtocolResult& protocol);

// Synthetic traffic for people and programs.

/// The parts of the report that are about traffic: what was offered and what became of it.
[[nodiscard]] std::string traffic_text(const RunResult& result, const TrafficResult& traffic);

/// The object `traffic` of result.json.
[[nodiscard]] Json traffic_json(const RunResult& result, const TrafficResult& traffic);

/// Traffic beside a schedule: a line of the report, and the object `background` of result.json.
[[nodiscard]] std::string background_text(const RunResult& result, const BackgroundResult& background);
[[nodiscard]] Json background_json(const RunResult& result, const BackgroundResult& background);

/// What is known without a run: the load of the links, and what no router can exceed.
[[nodiscard]] std::string traffic_bounds_text(const ExperimentConfig& config, const TrafficBounds& bounds);
[[nodiscard]] Json traffic_bounds_json(const ExperimentConfig& config, const TrafficBounds& bounds);

/// classes.csv of a run directory: a row for each of several classes.
[[nodiscard]] std::string classes_csv(const RunResult& result, const TrafficResult& traffic);

// Routing tables for people and programs.

/// Node by node, link by link, what is sent: "to +1: own 0; then 3 from -0; then all from +0 (21 packets)".
[[nodiscard]] std::string table_text(const LinkPrograms& table);

/// {"flitscope": "routing-table", "version": 1, "algorithm", "topology", "steps", "packets", "chunks",
/// "cycles":
/// [{"name", "nodes"}], "nodes": [{"node", "links": [{"to", "neighbour", "packets", "rules": [{"own": [chunk,
/// ..]} | {"list": [chunk, ..]} | {"relay": port, "skip", "count"}]}]}]}; a count of null is all.
[[nodiscard]] Json table_json(const LinkPrograms& table);

// Barriers of a recording beside their replay.

/// How far barriers are from the recording, and what the worst wait for; empty without barriers.
[[nodiscard]] std::string barriers_text(const RunResult& result);
/// docs/results.md has the columns.
[[nodiscard]] std::string barriers_csv(const std::vector<BarrierRecord>& barriers);

}  // namespace flitscope
