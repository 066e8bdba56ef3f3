#include "sim/config/workload_keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "model/error.h"
#include "model/text.h"

namespace flitscope {

namespace {

using Value = ParameterValues::Value;

constexpr std::int64_t kMaxLoad = 2 * std::int64_t{kMaxDimensions};
constexpr std::int64_t kMaxDrawnPaths = 256;  // Route::draw
constexpr std::int64_t kMaxSize = std::int64_t{1} << 40;
constexpr std::int64_t kMaxTime = 1'000'000'000'000;

Row<TrafficConfig> of_traffic(Row<TrafficConfig> row) {
  return of_work(KeyWork::one_class, std::move(row));
}

/// A key that several classes have together.
Row<TrafficConfig> of_all_classes(Row<TrafficConfig> row) {
  return of_work(KeyWork::traffic, std::move(row));
}

Row<TrafficConfig> time_row(Cycle TrafficConfig::*field, const char* name, const char* summary) {
  return of_traffic(row(field, Parameter::cycles(name, summary, {1, kMaxTime})));
}

/// Of traffic that is not alone: without phases, but with a beginning and an end.
std::vector<Row<TrafficConfig>> rows_beside(KeyWork work) {
  constexpr std::array kPhases{"warmup", "window", "measure", "precision"};
  std::vector<Row<TrafficConfig>> rows = traffic_rows();
  std::erase_if(rows,
                [&](const Row<TrafficConfig>& row) { return std::ranges::count(kPhases, row.name) > 0; });
  rows.front() = required(std::move(rows.front()));
  rows.push_back(
      row(&TrafficConfig::start,
          Parameter::cycles("start", "cycle from which on messages are generated", {0, kMaxTime})));
  rows.push_back(
      row(&TrafficConfig::end,
          Parameter::cycles("end", "cycle from which on none are generated any more", {1, kMaxTime})));
  for (Row<TrafficConfig>& row : rows) row.work = work;
  return rows;
}

/// Here nothing is none.
Row<TrafficConfig> warmup_beside() {
  return {
      {Parameter::cycles("warmup", "cycles in which it has the network for itself before the schedule starts",
                         {0, kMaxTime})
           .or_else("0")},
      [](TrafficConfig& traffic, const Value& value, const ReadContext&) {
        traffic.warmup = static_cast<Cycle>(std::get<std::int64_t>(value));
      },
      [](const TrafficConfig& traffic, const Topology&) {
        return std::optional<Value>(static_cast<std::int64_t>(traffic.warmup.value_or(0)));
      }};
}

/// `key` names the class of the messages.
void require_message_class(const TrafficConfig& traffic, const MachineConfig& machine,
                           const std::string& key) {
  if (!traffic.message_class || class_number(machine, *traffic.message_class)) return;
  std::vector<std::string> names = texts_of(machine.classes, &MessageClass::name);
  throw Inadmissible(
      key, "{}: there is no message class {}; {}", key, in_quotes(*traffic.message_class),
      names.empty() ? "'classes' has none" : fmt::format("'classes' has {}", fmt::join(names, ", ")));
}

/// Messages that a node can generate in a cycle, on average.
double message_rate(const TrafficConfig& traffic) {
  if (traffic.process != Injection::on_off) return 1;
  return static_cast<double>(traffic.burst) / static_cast<double>(traffic.burst + traffic.pause);
}

/// "each of a node's injection channels, 4, takes one every 2 cycles"
std::string channels_text(const MachineConfig& machine, const Topology& topology) {
  return fmt::format(
      "each of a node's injection channels, {}, takes one{}", node_channels(topology, machine),
      machine.injection_interval == 1 ? "" : fmt::format(" every {} cycles", machine.injection_interval));
}

}  // namespace

std::vector<Row<TrafficConfig>> traffic_rows() {
  using T = TrafficConfig;
  return {
      entry_row(&T::pattern, "traffic", "pattern of synthetic traffic: the destinations of each source"),
      of_traffic(row(&T::load, "load", "what a node offers, at least 10^-9", {0, kMaxLoad}, "flits/cycle")),
      of_traffic(row(&T::message, "message", "data of a message; several sizes with their weights are drawn",
                     {1, kMaxSize}, "bytes")),
      of_traffic(choice_row(
          &T::process, "process",
          "when a node injects: in every cycle with the same probability, at equal intervals, or in bursts")),
      time_row(&T::burst, "burst", "mean length of a burst of on-off"),
      time_row(&T::pause, "pause", "mean length of the pause between two bursts"),
      of_all_classes(row(&T::seed, "seed", "draws all random numbers", {0, kMaxSeed})),
      of_all_classes(
          row(&T::warmup,
              Parameter::cycles("warmup", "time before the measurement; auto: until latencies are steady",
                                {0, kMaxTime})
                  .or_words({"auto"}))),
      of_all_classes(time_row(&T::window, "window", "time over which the warm-up takes means")),
      of_all_classes(row(&T::measure, Parameter::cycles("measure", "length of the measurement, at least 20",
                                                        {20, kMaxTime}))),
      of_all_classes(row(&T::precision, "precision",
                         "the measurement is prolonged, to 50 times its length at most, until the half width "
                         "of the 95% confidence "
                         "interval of the mean latency, and of each class's, is at most this part of it",
                         {0, 1})),
      of_traffic(row(&T::self, "self",
                     "whether a node may send to itself, through its router: `uniform` then draws the source "
                     "too; otherwise such messages are not sent")),
      of_traffic(row(&T::message_class, "message_class",
                     "one of `classes`, by its name, that its messages are of; null: the first")),
      of_traffic(
          choice_row(&T::ties, "ties", "which way a message goes around a ring if both are equally long")),
      of_traffic(
          row(&T::drawn_paths, "drawn_paths",
              "paths that valiant and other routing functions draw for two nodes, of which each message "
              "draws one",
              {1, kMaxDrawnPaths})),
  };
}

std::vector<Row<TrafficConfig>> background_rows() {
  std::vector<Row<TrafficConfig>> rows = rows_beside(KeyWork::schedules);
  rows.push_back(of_work(KeyWork::schedules, warmup_beside()));
  return rows;
}

std::vector<Row<TrafficConfig>> class_rows() {
  std::vector<Row<TrafficConfig>> rows = rows_beside(KeyWork::traffic);
  std::erase_if(rows, [](const Row<TrafficConfig>& row) { return row.name == "seed"; });
  return rows;
}

std::vector<Row<TrafficConfig>> request_rows() {
  std::vector<Row<TrafficConfig>> rows = traffic_rows();
  constexpr std::array kElsewhere{"load", "message", "seed", "warmup", "window", "measure", "precision"};
  std::erase_if(rows,
                [&](const Row<TrafficConfig>& row) { return std::ranges::count(kElsewhere, row.name) > 0; });
  rows.front().fallback = "uniform";
  for (Row<TrafficConfig>& row : rows) row.work = KeyWork::protocol;
  return rows;
}

double mean_flits(const TrafficConfig& traffic, const MachineConfig& machine) {
  return mean_of(traffic.message, [&](std::uint64_t bytes) { return flits_of(bytes, machine.flit_bytes); });
}

double injection_channel_rate(const MachineConfig& machine, const Topology& topology) {
  return static_cast<double>(node_channels(topology, machine)) / machine.injection_interval;
}

double least_load(const TrafficConfig& traffic, const MachineConfig& machine) {
  return 1e-9 * mean_flits(traffic, machine);
}

double possible_load(const TrafficConfig& traffic, const MachineConfig& machine, const Topology& topology) {
  return std::min(injection_channel_rate(machine, topology),
                  mean_flits(traffic, machine) * message_rate(traffic));
}

void require_possible(const TrafficConfig& traffic, const MachineConfig& machine, const Topology& topology,
                      const std::string& section) {
  const std::string key = section + ".load";
  const double load = traffic.load.approximate();
  const double possible = injection_channel_rate(machine, topology);
  if (load > possible) {
    throw Inadmissible(key, "{} must be at most {} flits/cycle, not {}: {}", key, possible,
                       traffic.load.text(), channels_text(machine, topology));
  }
  const double flits = mean_flits(traffic, machine);
  const double least = least_load(traffic, machine);
  if (possible < least) {
    throw Inadmissible(section + ".message",
                       "{}.message must have at most {:.4g} flits on average, not {:.12g}: a node sends {} "
                       "flits/cycle at most, and a message in 10^9 cycles at least",
                       section, possible / least * flits, flits, possible);
  }
  if (load < least) {
    throw Inadmissible(key, "{} must be at least {}, a message in 10^9 cycles, not {}", key,
                       parse_decimal(fmt::format("{:.15f}", least)).value->text(), traffic.load.text());
  }
  const double rate = message_rate(traffic);
  if (load > flits * rate) {
    throw Inadmissible(key,
                       "{} must be at most {} flits/cycle, not {}: a node generates one message a cycle at "
                       "most, of {} on average{}",
                       key, flits * rate, traffic.load.text(),
                       flits == 1 ? "1 flit" : fmt::format("{} flits", flits),
                       rate < 1 ? ", and in bursts only" : "");
  }
  require_message_class(traffic, machine, section + ".message_class");
  if (traffic.end && *traffic.end <= traffic.start) {
    throw Inadmissible(section + ".end", "{}.end must be above {}.start, {}, not {}", section, section,
                       traffic.start, *traffic.end);
  }
}

void require_possible(const WorkloadConfig& workload, const MachineConfig& machine,
                      const Topology& topology) {
  if (const auto& protocol = workload.protocol) {
    if (!protocol->closed_loop)
      require_possible(protocol->offered.front(), machine, topology, "workload.requests");
    require_message_class(protocol->offered.front(), machine, "workload.requests.message_class");
    require_message_class(protocol->offered.back(), machine, "workload.reply_class");
    return;
  }
  const double possible = injection_channel_rate(machine, topology);
  double together = 0;
  for (std::size_t item = 0; item < workload.offered().size(); ++item) {
    const TrafficConfig& traffic = workload.offered()[item];
    const std::string section = offered_section(workload, item);
    require_possible(traffic, machine, topology, section);
    together += traffic.load.approximate();
    constexpr double kRounding = 1e-12;
    if (together <= possible * (1 + kRounding)) continue;
    throw Inadmissible(section + ".load",
                       "the loads of the classes up to this one are {:.6g} flits/cycle, more than {}: {}",
                       together, possible, channels_text(machine, topology));
  }
}

}  // namespace flitscope
