// Results beside those of BookSim2, point by point.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "model/error.h"
#include "model/text.h"
#include "model/units.h"
#include "params/csv_reader.h"
#include "sim/config/config_source.h"
#include "sim/formats/strict_json.h"
#include "sim/studies/studies.h"

namespace flitscope {

namespace {

/// Cycles that a message of BookSim2 does not spend at the ends, beyond our pipeline.
constexpr double kEnds = 2;
constexpr double kLatencyTolerance = 0.03;
constexpr double kAcceptedTolerance = 0.05;
/// The latency is judged up to this part of the highest rate that the reference accepts.
constexpr double kJudgedBelow = 0.8;
/// A reference that accepts less than this part of what is offered, or takes so many times its least latency,
/// is near saturation.
constexpr double kAcceptedBelow = 0.95;
constexpr double kLatencyAbove = 3;

/// The name here of a pattern of BookSim2.
std::string pattern_of(const std::string& name) {
  static const std::map<std::string, std::string> names{
      {"bitcomp", "bit-complement"}, {"bitrev", "bit-reverse"}, {"neighbor", "neighbour"}};
  const auto found = names.find(name);
  return found == names.end() ? name : found->second;
}

std::vector<std::string> settings_of(const ReferencePoint& point, std::uint32_t flit_bytes) {
  const std::vector<std::uint32_t> shape(point.dimensions, point.side);
  const std::string pattern = pattern_of(point.traffic);
  std::vector<std::string> settings{
      "topology.kind=" + point.topology,
      fmt::format("topology.shape=[{}]", fmt::join(shape, ", ")),
      fmt::format("router.virtual_channels={}", point.virtual_channels),
      fmt::format("router.buffer={}", point.buffer),
      // The one channel of a node has as many as a link.
      fmt::format("node.vcs={}", point.virtual_channels),
      fmt::format("workload.message={}", std::uint64_t{point.flits} * flit_bytes),
      "workload.traffic=" + pattern,
      "workload.load=" + point.offered.text(),
  };
  if (pattern == "uniform") settings.emplace_back("workload.self=true");
  return settings;
}

/// What `get` gives, with the place of a row before its refusal.
auto at_place(const std::string& place, const auto& get) {
  try {
    return get();
  } catch (const InputError& error) {
    throw InputError("{}: {}", place, error.what());
  }
}

std::string number(const std::optional<double>& value, int places) {
  return value ? fmt::format("{:.{}f}", *value, places) : "-";
}

/// The highest rate that the reference accepts; nothing if none of the points is near saturation.
std::optional<double> saturation_of(const std::vector<ReferencePoint>& points) {
  double highest = 0;
  double least_latency = std::numeric_limits<double>::infinity();
  for (const ReferencePoint& point : points) {
    highest = std::max(highest, point.accepted.value_or(0));
    least_latency = std::min(least_latency, point.latency.value_or(least_latency));
  }
  const bool is_reached = std::ranges::any_of(points, [&](const ReferencePoint& point) {
    return !point.accepted || *point.accepted < kAcceptedBelow * point.offered.approximate() ||
           point.latency.value_or(0) > kLatencyAbove * least_latency;
  });
  return is_reached ? std::optional(highest) : std::nullopt;
}

/// A point of the curve beside its reference, as a row of the table.
Json compared(const ReferencePoint& reference, const Json& point, const std::optional<double>& saturation) {
  const bool ok = point.at("status") == name_of(TrafficStatus::ok);
  const auto accepted = point.at("accepted").get<double>();
  std::optional<double> latency;
  if (ok && !point.at("print").at("mean").is_null())
    latency = point.at("print").at("mean").get<double>() + kEnds;
  const auto agrees = [](const std::optional<double>& value, const std::optional<double>& base,
                         double tolerance) {
    return value && base && std::abs(*value / *base - 1) <= tolerance;
  };
  std::string verdict = "not judged";
  if (reference.accepted) {
    const bool is_low = !saturation || reference.offered.approximate() <= kJudgedBelow * *saturation;
    const bool is_right = is_low ? agrees(latency, reference.latency, kLatencyTolerance)
                                 : agrees(accepted, reference.accepted, kAcceptedTolerance);
    verdict = is_right ? "agrees" : "outside";
  }
  return {{"offered", reference.offered.text()},
          {"reference_latency", number(reference.latency, 2)},
          {"latency", number(latency, 2)},
          {"latency_difference", change_text(latency, reference.latency, "-")},
          {"reference_accepted", reference.accepted ? number(reference.accepted, 4) : "unstable"},
          {"accepted", number(accepted, 4)},
          {"accepted_difference", change_text(accepted, reference.accepted, "-")},
          {"status", point.at("status")},
          {"verdict", verdict}};
}

/// The rows of one machine: its points on one curve.
std::vector<Json> rows_of(const std::string& config, std::span<const std::string> settings,
                          const std::vector<ReferencePoint>& points, const StudyRuns& how) {
  LoadPlan plan{.source = "offered_flits_per_node_cycle"};
  for (const ReferencePoint& point : points) plan.loads.push_back(point.offered);
  const std::optional<double> saturation = saturation_of(points);
  const std::uint32_t flit_bytes = load_config(config, settings).machine.flit_bytes;
  const auto config_of = [&](const ReferencePoint& point) {
    std::vector<std::string> changes = settings_of(point, flit_bytes);
    changes.insert(changes.end(), settings.begin(), settings.end());
    return load_config(config, changes);
  };
  for (const ReferencePoint& point : points) at_place(point.place, [&] { return config_of(point); });
  const LoadCurve curve = at_place(points.front().place, [&] {
    return run_load_curves({{"", config_of(points.front())}}, plan, how).front();
  });
  std::vector<Json> rows;
  for (const ReferencePoint& point : points) {
    const auto at = std::ranges::find_if(curve.points, [&](const Json& each) {
      return each.at("load").get<double>() == point.offered.approximate();
    });
    rows.push_back(compared(point, *at, saturation));
  }
  return rows;
}

}  // namespace

std::string ReferencePoint::machine() const {
  const std::vector<std::uint32_t> shape(dimensions, side);
  return fmt::format("{} {}, {} VCs of {} flits, {}-flit messages, {}", fmt::join(shape, "x"), topology,
                     virtual_channels, buffer, flits, traffic);
}

std::vector<ReferencePoint> read_reference(std::istream& in, const std::string& file) {
  CsvReader csv(in, file);
  const auto text = [&](const char* column) { return csv.text(csv.column(column)); };
  const auto count = [&](const char* column, std::uint32_t most = std::numeric_limits<std::uint32_t>::max()) {
    return static_cast<std::uint32_t>(csv.number(csv.column(column), most));
  };
  const auto figure = [&](const char* column) -> std::optional<double> {
    if (text(column).empty()) return std::nullopt;
    return csv.decimal(csv.column(column)).approximate();
  };
  if (!csv.find("topology")) {
    throw InputError(
        "{}: has neither a column time_us, of measured times, nor topology, of points of BookSim2",
        printable(file));
  }
  const std::optional<std::size_t> status = csv.find("status");
  std::vector<ReferencePoint> points;
  while (csv.next()) {
    points.push_back({csv.place(), text("topology"), count("k"), count("n", kMaxDimensions), count("vcs"),
                      count("buffer_flits"), count("message_flits"), text("traffic"),
                      csv.decimal(csv.column("offered_flits_per_node_cycle")),
                      figure("packet_latency_mean_cycles"), figure("accepted_flits_per_node_cycle")});
    const ReferencePoint& point = points.back();
    if (point.latency.has_value() != point.accepted.has_value())
      csv.fail("a row has both or none of packet_latency_mean_cycles and accepted_flits_per_node_cycle");
    const std::string right = point.accepted ? "ok" : "unstable";
    if (status && csv.text(*status) != right)
      csv.fail(fmt::format("status must be {}, not {}: the row has {}", in_quotes(right),
                           in_quotes(csv.text(*status)), point.accepted ? "figures" : "no figures"));
  }
  if (points.empty()) throw InputError(printable(file) + ": it has no points to compare with");
  return points;
}

StudyReport validation_study(const std::string& config, std::span<const std::string> settings,
                             std::span<const ReferencePoint> points, const StudyRuns& how) {
  static const std::vector<StudyColumn> columns{{"offered"},
                                                {"latency: BookSim2", "/reference_latency"},
                                                {fmt::format("ours + {}", kEnds), "/latency"},
                                                {"difference", "/latency_difference"},
                                                {"accepted: BookSim2", "/reference_accepted"},
                                                {"ours", "/accepted"},
                                                {"difference", "/accepted_difference"},
                                                {"ours is", "/status"},
                                                {"", "/verdict"}};
  std::vector<std::string> machines;
  std::map<std::string, std::vector<ReferencePoint>> groups;
  for (const ReferencePoint& point : points) {
    const std::string machine = point.machine();
    if (!groups.contains(machine)) machines.push_back(machine);
    groups[machine].push_back(point);
  }
  std::string tables;
  std::map<std::string, int> verdicts;
  for (const std::string& machine : machines) {
    StudyRuns runs = how;
    if (how.on_progress) {
      runs.on_progress = [&](const std::string& line) {
        how.on_progress(fmt::format("{}: {}", machine, line));
      };
    }
    const std::vector<Json> rows = rows_of(config, settings, groups.at(machine), runs);
    for (const Json& row : rows) ++verdicts[row.at("verdict").get<std::string>()];
    tables += fmt::format("\n### {}\n\n{}", machine, to_markdown(table_of(columns, rows)));
  }
  const std::string brief = fmt::format(
      "{} points agree, {} are outside, {} cannot be judged (BookSim2 calls them unstable and gives no "
      "figures).\n",
      verdicts["agrees"], verdicts["outside"], verdicts["not judged"]);
  return {.markdown = brief + tables, .brief = brief};
}

}  // namespace flitscope
