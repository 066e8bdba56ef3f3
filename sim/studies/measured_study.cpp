// Runs beside measured times, row by row, and errors of such times in one summary.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <utility>

#include "model/error.h"
#include "model/text.h"
#include "params/csv_reader.h"
#include "sim/config/config_source.h"
#include "sim/formats/strict_json.h"
#include "sim/observe/flits/latency.h"
#include "sim/run/experiment.h"
#include "sim/studies/studies.h"

namespace flitscope {

namespace {

constexpr const char* kTime = "time_us";
constexpr const char* kSeries = "series";

/// A measured time and what it was measured of.
struct MeasuredRow {
  std::string place;  ///< "file:line"
  std::string series;
  std::vector<std::string> settings;  ///< "KEY=VALUE"
  std::string time;                   ///< as the file writes it
  double microseconds = 0;
};

std::vector<MeasuredRow> read_rows(std::istream& in, const std::string& file) {
  CsvReader csv(in, file);
  const std::size_t time = csv.column(kTime);
  const auto series = csv.find(kSeries);
  std::vector<MeasuredRow> rows;
  while (csv.next()) {
    MeasuredRow& row = rows.emplace_back();
    row.place = csv.place();
    if (series) row.series = csv.text(*series);
    row.time = csv.text(time);
    row.microseconds = csv.decimal(time).approximate();
    if (row.microseconds == 0) csv.fail(fmt::format("{} must be above 0", kTime));
    for (std::size_t column = 0; column < csv.columns().size(); ++column) {
      if (column == time || column == series || csv.text(column).empty()) continue;
      row.settings.push_back(csv.columns()[column] + "=" + csv.text(column));
    }
  }
  if (rows.empty()) throw InputError(printable(file) + ": it has no rows to compare with");
  return rows;
}

/// What the rows of a series do not have in common, as a name of each.
std::vector<std::string> names_of_rows(std::span<const MeasuredRow> rows) {
  std::vector<std::string> names;
  for (const MeasuredRow& row : rows) {
    std::vector<std::string> own;
    for (const std::string& setting : row.settings) {
      const bool common = std::ranges::all_of(
          rows, [&](const MeasuredRow& other) { return std::ranges::count(other.settings, setting) != 0; });
      if (!common) own.push_back(setting);
    }
    names.push_back(fmt::format("{}", fmt::join(own, " ")));
  }
  return names;
}

/// A time with as many significant digits as a measured one, at least 3.
std::string with_digits_of(const std::string& measured, double time) {
  const auto digits = std::ranges::count_if(measured.substr(measured.find_first_of("123456789")),
                                            [](char letter) { return letter >= '0' && letter <= '9'; });
  const double magnitude = time > 0 ? std::floor(std::log10(time)) : 0;
  const double behind_point = static_cast<double>(std::max<std::ptrdiff_t>(3, digits)) - 1 - magnitude;
  return fmt::format("{:.{}f}", time, std::max(0, static_cast<int>(behind_point)));
}

Json measured_record(const std::string& config_file, std::vector<std::string> changes,
                     std::span<const std::string> settings) {
  changes.insert(changes.end(), settings.begin(), settings.end());
  ExperimentConfig config = load_config(config_file, changes);
  if (!config.clock)
    throw InputError(printable(config_file) +
                     ": a run is compared with measured times only if 'clock' says how long a cycle is");
  const RunResult result = run_experiment(std::move(config), {.explains_waits = false});
  if (!result.verified()) throw InputError(result.failed_checks.front());
  return {{"microseconds", result.config.clock->seconds(static_cast<double>(result.cycles)) * 1e6}};
}

}  // namespace

double rounded_error(double error) {
  return std::round(error * 1e4) / 1e4 + 0.0;  // 0 without a sign
}

void ErrorSummary::add(double error) {
  sizes_.push_back(std::abs(error));
}

std::string ErrorSummary::quantile(double share) const {
  return fmt::format("{:.1f}%", 100 * flitscope::quantile(sizes_, share));
}

void ErrorSummary::describe(Json& record) const {
  record["median error"] = quantile(0.5);
  record["90%"] = quantile(0.9);
  record["worst"] = quantile(1);
}

bool is_measured(const std::string& file) {
  std::ifstream in(file);
  return in && CsvReader(in, file).find(kTime).has_value();
}

StudyReport measured_study(const std::string& config, std::span<const std::string> settings,
                           const std::string& file, const StudyRuns& how) {
  std::ifstream in(file);
  const std::vector<MeasuredRow> rows = read_rows(in, file);
  const std::vector<std::string> places = texts_of(rows, &MeasuredRow::place);
  const std::vector<Json> records = records_of(
      places, how, [&](std::size_t i) { return measured_record(config, rows[i].settings, settings); });
  if (std::ranges::any_of(records, &Json::is_null))
    throw InputError("flitscope validate: it was ended before all rows were run");
  require_answers(places, records);
  std::string tables;
  std::vector<Json> summary;
  for (std::size_t first = 0; first < rows.size();) {
    std::size_t end = first;
    while (end < rows.size() && rows[end].series == rows[first].series) ++end;
    const auto names_here = names_of_rows(std::span(rows).subspan(first, end - first));
    std::vector<Json> shown;
    ErrorSummary errors;
    for (std::size_t i = first; i < end; ++i) {
      const auto here = records[i].at("microseconds").get<double>();
      errors.add(here / rows[i].microseconds - 1);
      shown.push_back({{"", names_here[i - first]},
                       {"measured, us", rows[i].time},
                       {"here, us", with_digits_of(rows[i].time, here)},
                       {"difference", change_text(here, rows[i].microseconds, "-")}});
    }
    errors.describe(summary.emplace_back(Json{{"series", rows[first].series}, {"rows", errors.count()}}));
    if (!rows[first].series.empty()) tables += fmt::format("\n### {}\n", printable(rows[first].series));
    tables += "\n" + to_markdown(table_of(shown));
    first = end;
  }
  const std::string brief = to_markdown(table_of(summary));
  return {.markdown = brief + tables, .brief = brief};
}

}  // namespace flitscope
