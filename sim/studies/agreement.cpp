#include "sim/studies/agreement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "model/error.h"
#include "model/text.h"
#include "model/units.h"
#include "sim/config/config_source.h"

namespace flitscope {

namespace agreement_parts {
namespace {

std::vector<std::string> cells_of(std::string line) {
  if (!line.empty() && line.back() == '\r') line.pop_back();
  std::vector<std::string> cells;
  for (std::size_t from = 0; from <= line.size();) {
    const std::size_t comma = std::min(line.find(',', from), line.size());
    cells.push_back(line.substr(from, comma - from));
    from = comma + 1;
  }
  return cells;
}

/// One line of the reference file, by the names of its columns.
class Line {
 public:
  Line(std::string place, const std::vector<std::string>& columns, std::vector<std::string> cells)
      : place_(std::move(place)) {
    if (cells.size() != columns.size()) {
      throw InputError(
          fmt::format("{}: {} cells in a line; the header has {}", place_, cells.size(), columns.size()));
    }
    for (std::size_t i = 0; i < columns.size(); ++i) cells_[columns[i]] = std::move(cells[i]);
  }

  [[nodiscard]] const std::string& text(const char* column) const {
    const auto cell = cells_.find(column);
    if (cell == cells_.end()) throw InputError(fmt::format("{}: there is no column '{}'", place_, column));
    return cell->second;
  }
  [[nodiscard]] Decimal number(const char* column) const {
    const auto number = parse_decimal(text(column));
    if (!number.value) {
      throw InputError(fmt::format("{}: {} must be a number, not {}: {}", place_, column,
                                   in_quotes(text(column)), number.problem));
    }
    return *number.value;
  }
  [[nodiscard]] std::uint32_t count(const char* column) const {
    return static_cast<std::uint32_t>(number(column).approximate());
  }
  [[nodiscard]] std::optional<double> optional_number(const char* column) const {
    if (text(column).empty()) return std::nullopt;
    return number(column).approximate();
  }

 private:
  std::string place_;
  std::map<std::string, std::string> cells_;
};

/// Our name of a pattern.
std::string pattern_of(const std::string& theirs) {
  static const std::map<std::string, std::string> names{
      {"bitcomp", "bit-complement"}, {"bitrev", "bit-reverse"}, {"neighbor", "neighbour"}};
  const auto ours = names.find(theirs);
  return ours == names.end() ? theirs : ours->second;
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
      "workload.itself=" + std::string(pattern == "uniform" ? "true" : "null"),
  };
  return settings;
}

void judge(ComparedPoint& point, double saturation, const Agreement& agreement) {
  const double offered = point.reference.offered.approximate();
  const bool ok = point.ours.traffic.status == TrafficStatus::ok;
  if (point.reference.latency && ok) {
    point.latency_difference =
        (point.ours.traffic.latency.mean + agreement.ends) / *point.reference.latency - 1;
  }
  if (point.reference.accepted) {
    point.accepted_difference = point.ours.traffic.accepted / *point.reference.accepted - 1;
  }
  const auto within = [](const std::optional<double>& difference, double tolerance) {
    return difference && std::abs(*difference) <= tolerance ? Judgement::agrees : Judgement::outside;
  };
  if (!point.reference.accepted) return;
  point.verdict = offered <= agreement.judged_below * saturation
                      ? within(point.latency_difference, agreement.latency_tolerance)
                      : within(point.accepted_difference, agreement.accepted_tolerance);
}

std::string percent(const std::optional<double>& difference) {
  return difference ? fmt::format("{:+.1f}%", 100 * *difference) : "-";
}

std::string number(const std::optional<double>& value, int places) {
  return value ? fmt::format("{:.{}f}", *value, places) : "-";
}

const char* text_of(Judgement verdict) {
  switch (verdict) {
    case Judgement::agrees:
      return "agrees";
    case Judgement::outside:
      return "**outside**";
    case Judgement::not_judged:
      return "not judged";
  }
  return "?";
}

}  // namespace
}  // namespace agreement_parts

using namespace agreement_parts;

std::string ReferencePoint::machine() const {
  std::vector<std::uint32_t> shape(dimensions, side);
  return fmt::format("{} {}, {} VCs of {} flits, {}-flit messages, {}", fmt::join(shape, "x"), topology,
                     virtual_channels, buffer, flits, traffic);
}

std::vector<ReferencePoint> read_reference(std::istream& in, const std::string& file) {
  std::vector<ReferencePoint> points;
  std::vector<std::string> columns;
  std::string text;
  for (std::size_t line = 1; std::getline(in, text); ++line) {
    if (text.empty()) continue;
    if (columns.empty()) {
      columns = cells_of(text);
      continue;
    }
    const Line cells(fmt::format("{}:{}", printable(file), line), columns, cells_of(text));
    points.push_back({cells.text("topology"), cells.count("k"), cells.count("n"), cells.count("vcs"),
                      cells.count("buffer_flits"), cells.count("message_flits"), cells.text("traffic"),
                      cells.number("offered_flits_per_node_cycle"),
                      cells.optional_number("packet_latency_mean_cycles"),
                      cells.optional_number("accepted_flits_per_node_cycle")});
  }
  if (points.empty()) throw InputError(printable(file) + ": it has no points to compare with");
  return points;
}

std::vector<ComparedPoint> compare(const std::string& file, const std::vector<std::string>& settings,
                                   const std::vector<ReferencePoint>& points, const Agreement& agreement,
                                   unsigned workers, const std::function<void(const std::string&)>& told) {
  std::vector<std::string> machines;
  for (const ReferencePoint& point : points) {
    if (std::ranges::count(machines, point.machine()) == 0) machines.push_back(point.machine());
  }
  const std::uint32_t flit_bytes = load_config(file, settings).machine.flit_bytes;
  std::vector<ComparedPoint> compared;
  for (const std::string& machine : machines) {
    std::vector<ReferencePoint> group;
    std::ranges::copy_if(points, std::back_inserter(group),
                         [&](const ReferencePoint& point) { return point.machine() == machine; });
    LoadPlan plan;
    plan.workers = workers;
    double saturation = 0;
    for (const ReferencePoint& point : group) {
      plan.loads.push_back(point.offered);
      saturation = std::max(saturation, point.accepted.value_or(0));
    }
    std::vector<std::string> changes = settings_of(group.front(), flit_bytes);
    changes.insert(changes.end(), settings.begin(), settings.end());
    const LoadCurve curve = run_load_curve(load_config(file, changes), plan);
    for (const ReferencePoint& point : group) {
      ComparedPoint both;
      both.reference = point;
      both.ours = *std::ranges::find(curve.points, point.offered, &LoadPoint::load);
      judge(both, saturation, agreement);
      compared.push_back(std::move(both));
    }
    if (told) told(machine);
  }
  return compared;
}

std::string agreement_markdown(const std::vector<ComparedPoint>& points, const Agreement& agreement) {
  std::string text;
  std::map<Judgement, int> counts;
  std::string machine;
  for (const ComparedPoint& point : points) {
    if (point.reference.machine() != machine) {
      machine = point.reference.machine();
      text += fmt::format("\n### {}\n\n", machine);
      text += fmt::format(
          "| offered | latency: BookSim2 | ours + {} | difference | accepted: BookSim2 | ours | "
          "difference | ours is | |\n|---|---|---|---|---|---|---|---|---|\n",
          agreement.ends);
    }
    const bool ok = point.ours.traffic.status == TrafficStatus::ok;
    const std::string latency =
        ok ? fmt::format("{:.2f}", point.ours.traffic.latency.mean + agreement.ends) : std::string("-");
    text +=
        fmt::format("| {} | {} | {} | {} | {} | {:.4f} | {} | {} | {} |\n", point.reference.offered.text(),
                    number(point.reference.latency, 2), latency, percent(point.latency_difference),
                    point.reference.accepted ? number(point.reference.accepted, 4) : "unstable",
                    point.ours.traffic.accepted, percent(point.accepted_difference),
                    name_of(point.ours.traffic.status), text_of(point.verdict));
    ++counts[point.verdict];
  }
  return fmt::format(
             "{} points agree, {} are outside, {} cannot be judged (BookSim2 calls them unstable and gives "
             "no "
             "figures).\n",
             counts[Judgement::agrees], counts[Judgement::outside], counts[Judgement::not_judged]) +
         text;
}

}  // namespace flitscope
