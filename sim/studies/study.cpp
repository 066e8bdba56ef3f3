#include "sim/studies/studies.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <set>
#include <stdexcept>

#include "model/error.h"
#include "model/numbers.h"
#include "model/text.h"
#include "model/version.h"
#include "params/units_of_names.h"
#include "sim/formats/schedule_lines.h"
#include "sim/report/plot.h"
#include "sim/report/rates.h"
#include "sim/report/report_parts.h"

namespace flitscope {

namespace {

/// The record of a run that its input or the computer does not allow.
Json refused(const std::string& why) {
  return {{"error", why}, {"refused", true}};
}

Json no_memory() {
  return refused("takes more memory than there is");
}

/// The value of a column in a record; nullptr if the record has none.
const Json* value_in(const Json& record, const StudyColumn& column) {
  const Json::json_pointer place(column.place());
  return record.contains(place) ? &record.at(place) : nullptr;
}

std::string text_of(const Json& value, const StudyColumn& column) {
  if (value.is_null()) return "-";
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_number_float() || !column.decimals) return value.dump();
  return fmt::format("{:.{}f}", value.get<double>(), *column.decimals);
}

/// A number with twelve digits: 7.7 of 11 cycles of 0.7 ns, not 7.699999999999999.
Json rounded(const Json& value) {
  if (!value.is_number_float()) return value;
  return *number_in<double>(fmt::format("{:.12g}", value.get<double>()));
}

/// "2 of 12 runs, 25 s: NAME; NAME": the runs that are done, and those that run.
std::string progress_of(const std::vector<std::string>& names, const std::vector<bool>& is_done,
                        unsigned workers, std::chrono::steady_clock::duration time) {
  std::string running;
  unsigned count = 0;
  // Runs begin in their order.
  for (std::size_t i = 0; i < names.size() && count < workers; ++i) {
    if (!is_done[i]) running += (count++ == 0 ? ": " : "; ") + names[i];
  }
  return fmt::format("{} of {} runs, {} s{}", std::ranges::count(is_done, true), names.size(),
                     std::chrono::floor<std::chrono::seconds>(time).count(), running);
}

/// Whether all of them have a clock.
bool have_clock(const std::vector<StudyVariant>& variants) {
  return std::ranges::all_of(variants,
                             [](const StudyVariant& variant) { return variant.config.clock.has_value(); });
}

}  // namespace

std::vector<Json> records_of(const std::vector<std::string>& names, const StudyRuns& how,
                             const std::function<Json(std::size_t)>& run,
                             const std::function<void(std::size_t, const Json&)>& on_record,
                             const RunLimits& limits) {
  const auto answer = [&](std::size_t index) {
    Json record;
    try {
      record = run(index);
    } catch (const std::bad_alloc&) {
      record = no_memory();
    } catch (const InputError& error) {
      record = refused(error.what());
    } catch (const std::exception& error) {
      record = {{"error", error.what()}};
    }
    return dumped_line(record);
  };
  std::vector<Json> records(names.size());
  std::vector<bool> is_done(names.size());
  const auto start = std::chrono::steady_clock::now();
  WorkerPool pool(how.workers, limits);
  pool.run(
      names.size(), answer,
      [&](std::size_t index, const JobEnd& end) {
        const bool is_late = end.how == JobEnd::How::timed_out;
        records[index] =
            end.how == JobEnd::How::answered ? Json::parse(end.answer)
            : end.how == JobEnd::How::no_memory
                ? no_memory()
                : Json{{"error", is_late ? "took too long" : "ended without a result"}, {"died", true}};
        is_done[index] = true;
        if (on_record) on_record(index, records[index]);
      },
      [&] {
        const auto time = std::chrono::steady_clock::now() - start;
        if (how.on_progress) how.on_progress(progress_of(names, is_done, how.workers, time));
        return how.keep_going();
      });
  return records;
}

StudyColumn in_units(StudyColumn column) {
  column.needs_clock = true;
  return column;
}

std::vector<StudyColumn> with_units(const std::vector<StudyColumn>& columns) {
  std::vector<StudyColumn> result;
  for (const StudyColumn& column : columns) {
    result.push_back(column);
    const std::string place = column.place();
    const std::size_t slash = place.rfind('/') + 1;
    const std::string key = place.substr(slash);
    const auto other = name_in_units(key);
    if (!other || !column.header.ends_with(key)) continue;
    const std::string prefix = column.header.substr(0, column.header.size() - key.size());
    result.push_back(in_units({prefix + other->name, place.substr(0, slash) + other->name}));
  }
  return result;
}

Table table_of(const std::vector<StudyColumn>& columns, const std::vector<Json>& records) {
  Table table;
  for (const StudyColumn& column : columns) table.columns.push_back(column.header);
  for (const Json& record : records) {
    auto& row = table.rows.emplace_back();
    for (const StudyColumn& column : columns) {
      const Json* const value = value_in(record, column);
      if (value == nullptr || value->is_null()) {
        row.emplace_back(nullptr);
      } else {
        row.push_back(column.decimals ? Json(text_of(*value, column)) : rounded(*value));
      }
    }
  }
  return table;
}

Table table_of(const std::vector<Json>& records) {
  std::vector<StudyColumn> columns;
  for (const auto& [key, value] : records.front().items()) columns.push_back({key});
  return table_of(columns, records);
}

std::string lines_of(const std::vector<StudyColumn>& columns, const std::vector<Json>& records) {
  std::string text;
  const auto add_line = [&](const auto& cell_of) {
    std::string line;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const StudyColumn& column = columns[i];
      const bool changes_side = i > 0 && columns[i - 1].to_the_right && !column.to_the_right;
      line += i == 0 ? "" : changes_side ? "  " : " ";
      line += column.to_the_right ? fmt::format("{:>{}}", cell_of(column), column.width)
                                  : fmt::format("{:<{}}", cell_of(column), column.width);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  add_line([](const StudyColumn& column) { return column.header; });
  for (const Json& record : records) {
    add_line([&](const StudyColumn& column) {
      const Json* const value = value_in(record, column);
      return value == nullptr ? std::string() : text_of(*value, column);
    });
  }
  return text;
}

std::string change_text(const std::optional<double>& value, const std::optional<double>& base,
                        const std::string& missing) {
  if (!value || !base || *base == 0) return missing;
  return percent_text(*value / *base - 1);
}

std::string main_stall_cause(const Json& stalls) {
  std::uint64_t all = 0;
  std::uint64_t most = 0;
  std::string name;
  for (const auto& [cause, count] : stalls.items()) {
    all += count.get<std::uint64_t>();
    if (count.get<std::uint64_t>() <= most) continue;
    most = count.get<std::uint64_t>();
    name = cause;
  }
  if (all == 0) return "-";
  return fmt::format("{} {:.0f}%", name, 100 * static_cast<double>(most) / static_cast<double>(all));
}

std::string joined_texts(const std::vector<StudyVariant>& variants,
                         const std::function<std::string(const ExperimentConfig&)>& text_of) {
  std::vector<std::string> texts;
  for (const StudyVariant& variant : variants) {
    const std::string text = text_of(variant.config);
    if (std::ranges::count(texts, text) == 0) texts.push_back(text);
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

Json left_out_json(const std::vector<LeftOutVariant>& left_out) {
  Json list = Json::array();
  for (const auto& [name, refusal] : left_out) list.push_back({{"curve", name}, {"error", refusal}});
  return list;
}

std::vector<StudyColumn> columns_of_curves(std::vector<StudyColumn> columns,
                                           const std::vector<StudyVariant>& variants) {
  if (!have_clock(variants)) std::erase_if(columns, [](const auto& column) { return column.needs_clock; });
  if (variants.size() == 1 && variants.front().name.empty()) return columns;
  std::size_t width = 5;
  for (const StudyVariant& variant : variants) width = std::max(width, printable(variant.name).size());
  columns.insert(columns.begin(), {"curve", "/curve", {}, static_cast<int>(width), false});
  return columns;
}

std::string axis_bandwidth(const std::vector<StudyVariant>& variants,
                           const std::function<double(const ExperimentConfig&)>& unit_bandwidth) {
  if (!have_clock(variants)) return {};
  const double unit = unit_bandwidth(variants.front().config);
  const bool is_same = std::ranges::all_of(
      variants, [&](const StudyVariant& each) { return unit_bandwidth(each.config) == unit; });
  return is_same ? fmt::format("; 1 is {:.5g} GB/s", unit) : std::string();
}

namespace {

std::string curves_text(const CurveForm& form, const std::string& title,
                        const std::vector<StudyVariant>& variants, const std::vector<Json>& records) {
  std::string text = fmt::format(
      "{}\n\n{}\n{}\n", title, lines_of(columns_of_curves(form.text_columns, variants), records), form.note);
  for (const Json& record : records) {
    const std::string place = form.objects_at(record);
    if (place.empty()) continue;
    const std::string curve = record.at("curve").get<std::string>();
    text += fmt::format("\n  NOT VERIFIED at {}{}{}: {}\n", curve, curve.empty() ? "" : ", ", place,
                        printable(record.at("print").at("objection").get<std::string>()));
  }
  return text;
}

/// One object for each variant: that of the only one, or {"curves": [all of them]}, with the version.
Json curves_json(const CurveForm& form, const std::vector<StudyVariant>& variants,
                 const std::vector<std::vector<Json>>& curves, const std::vector<LeftOutVariant>& left_out) {
  Json all = Json::array();
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const ExperimentConfig& config = variants[i].config;
    Json curve;
    if (!variants[i].name.empty()) curve["curve"] = variants[i].name;
    curve.update(Json{{"name", config.name},
                      {"topology", config.topology.name()},
                      {form.key, form.workload(config)},
                      {"points", without_print(curves[i])}});
    if (config.clock) curve[form.unit_key] = form.unit_bandwidth(config);
    all.push_back(std::move(curve));
  }
  Json json = variants.size() == 1 ? all.front() : Json{{"curves", all}};
  if (!left_out.empty()) json["left_out"] = left_out_json(left_out);
  json["version"] = FLITSCOPE_VERSION;
  return json;
}

std::string curves_svg(const CurveForm& form, const std::string& title,
                       const std::vector<StudyVariant>& variants,
                       const std::vector<std::vector<Json>>& curves) {
  const std::string bandwidth = axis_bandwidth(variants, form.unit_bandwidth);
  Plot plot{.title = title,
            .x_label = fmt::format(fmt::runtime(form.x_label), bandwidth),
            .y_label = fmt::format(fmt::runtime(form.y_label), bandwidth)};
  for (std::size_t i = 0; i < variants.size(); ++i) {
    PlotSeries& series = plot.series.emplace_back(
        PlotSeries{variants.size() == 1 ? form.series : printable(variants[i].name), {}});
    for (const Json& record : curves[i]) {
      if (record.at(form.y).is_null()) continue;
      series.points.push_back({record.at(form.x).get<double>(), record.at(form.y).get<double>()});
    }
  }
  return plot_svg(plot);
}

}  // namespace

StudyReport curves_report(const CurveForm& form, const std::vector<StudyVariant>& variants,
                          std::vector<std::vector<Json>> curves,
                          const std::vector<LeftOutVariant>& left_out) {
  std::vector<Json> records;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    for (Json& record : curves[i]) {
      add_units(record, variants[i].config);
      records.push_back(record);
      records.back()["curve"] = printable(variants[i].name);
    }
  }
  const std::string title = joined_texts(variants, [&](const ExperimentConfig& config) {
    return fmt::format(fmt::runtime(form.title), printable(config.name), form.workload(config),
                       config.topology.name());
  });
  return {.text = curves_text(form, title, variants, records),
          .json = curves_json(form, variants, curves, left_out).dump(2) + "\n",
          .csv = to_csv(table_of(columns_of_curves(with_units(form.csv_columns), variants), records)),
          .svg = curves_svg(form, title, variants, curves)};
}

Decimal rounded_load(double load) {
  return *parse_decimal(fmt::format("{:.4g}", load)).value;
}

std::vector<Decimal> sorted_loads(const std::vector<Decimal>& loads) {
  const std::set<Decimal> sorted(loads.begin(), loads.end());
  return {sorted.begin(), sorted.end()};
}

void check_load(const LoadPlan& plan, const Decimal& load, const std::function<void()>& check) {
  try {
    check();
  } catch (const Inadmissible& reason) {
    const std::string& key = reason.key();
    if (!key.ends_with(".load")) throw;
    const std::string what = reason.what();
    throw InputError("{} {}: {}{}", plan.source, load.text(), what.starts_with(key) ? "" : key + ": ", what);
  }
}

std::vector<Json> run_loads(const std::vector<Decimal>& loads, const StudyRuns& how,
                            const std::function<Json(const Decimal&)>& run) {
  const auto names = texts_of(loads, [](const Decimal& load) { return "load " + load.text(); });
  std::vector<Json> records = records_of(names, how, [&](std::size_t i) { return run(loads[i]); });
  require_answers(texts_of(names, [](const std::string& name) { return "the run with " + name; }), records);
  return records;
}

void require_answers(const std::vector<std::string>& names, const std::vector<Json>& records) {
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (!records[i].contains("error")) continue;
    const std::string error = fmt::format("{}: {}", names[i], records[i].at("error").get<std::string>());
    if (records[i].contains("refused")) throw InputError(error);
    throw std::runtime_error(error);
  }
}

StudyStatus status_of_points(const std::vector<Json>& points) {
  StudyStatus gravest = StudyStatus::correct;
  for (const Json& point : points) {
    const StudyStatus own = point.at("print").at("deadlock").get<bool>()               ? StudyStatus::deadlock
                            : point.at("status") == name_of(TrafficStatus::unfinished) ? StudyStatus::limit
                            : !point.at("verified").get<bool>() ? StudyStatus::not_verified
                                                                : StudyStatus::correct;
    gravest = std::max(gravest, own);
  }
  return gravest;
}

std::vector<Json> without_print(std::vector<Json> records) {
  for (Json& record : records) record.erase("print");
  return records;
}

}  // namespace flitscope
