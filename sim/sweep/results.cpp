#include "sim/sweep/results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <map>
#include <ranges>
#include <set>

#include "model/error.h"
#include "model/numbers.h"
#include "model/text.h"
#include "model/units.h"
#include "sim/formats/strict_json.h"
#include "sim/report/rates.h"

namespace flitscope {

namespace {

using Cell = Table::Cell;
using Names = std::vector<std::string>;

bool has(const Names& names, const std::string& name) {
  return std::ranges::count(names, name) > 0;
}

Names joined(std::initializer_list<Names> parts) {
  Names all;
  std::ranges::copy(parts | std::views::join, std::back_inserter(all));
  return all;
}

/// Those of the names for which `is_wanted` holds.
Names filtered(const Names& names, const std::function<bool(const std::string&)>& is_wanted) {
  Names wanted;
  std::ranges::copy_if(names, std::back_inserter(wanted), is_wanted);
  return wanted;
}

std::string is_number(const std::string& expression) {
  return fmt::format("typeof({}) IN ('integer', 'real')", expression);
}

/// Whether a run has numbers that are results: those of a failed one tell how far it came.
std::string has_results(const std::string& run = "") {
  return run + "status IN ('completed', 'saturated')";
}

/// The value of a run: a number of a failed one is none.
std::string measured(const std::string& name) {
  return fmt::format("CASE WHEN {} OR NOT {} THEN {} END", has_results(), is_number(name), name);
}

/// The status of a run that has no value as it failed, or saturated.
std::string lacking(const std::string& name) {
  return fmt::format("CASE WHEN {} IS NULL AND status <> 'completed' THEN status END", measured(name));
}

/// Of a group of runs: the mean of the numbers, or the value if it is no number; null if one run lacks it.
std::string mean(const std::string& name) {
  const std::string is_counted = is_number(measured(name));
  return fmt::format(
      "CASE WHEN count({0}) > 0 THEN NULL WHEN sum({1}) > 1 THEN avg({2}) FILTER (WHERE {1}) ELSE min({2}) "
      "END",
      lacking(name), is_counted, measured(name));
}

Names sql_names(const Names& columns) {
  return texts_of(columns, sql_name);
}

/// The same as columns of a result, with their names.
Names titled(const Names& columns, const std::string& prefix, const std::string& title = "") {
  return texts_of(columns, [&](const std::string& column) {
    return fmt::format("{}{} AS {}", prefix, sql_name(column), sql_name(title + column));
  });
}

/// A name with _ for its dots, and without the unit of an energy: "energy_per_byte" of "energy.per_byte_pJ".
std::string plain_name(std::string name) {
  std::ranges::replace(name, '.', '_');
  for (const std::string_view unit : {"_pJ", "_J", "_W"}) {
    if (name.ends_with(unit)) name.resize(name.size() - unit.size());
  }
  return name;
}

}  // namespace

std::string column_of(const std::string& key, const Names& columns, const Names& preferred) {
  if (has(columns, key)) return key;
  Names fitting = filtered(columns, [&](const std::string& column) { return column.ends_with("." + key); });
  if (fitting.empty())
    fitting = filtered(columns, [&](const std::string& column) { return plain_name(column) == key; });
  if (fitting.size() > 1) {
    const Names swept = filtered(fitting, [&](const std::string& column) { return has(preferred, column); });
    if (swept.size() == 1) return swept.front();
    throw InputError("{} may be {}; write it out", in_quotes(key), fmt::join(fitting, " or "));
  }
  if (!fitting.empty()) return fitting.front();
  throw InputError("there is no column {}{}", in_quotes(key), did_you_mean(key, columns));
}

// --- Conditions --------------------------------------------------------------------------------------------

namespace {

/// A database takes about twice as many.
constexpr std::size_t kMaxParts = 500;

void require_few(std::size_t parts, const char* what) {
  if (parts > kMaxParts) throw InputError("{} {} are more than {}", parts, what, kMaxParts);
}

Cell value_of(const std::string& text) {
  auto parsed = parse_json(text);
  if (parsed && !parsed->is_object() && !parsed->is_string()) return std::move(*parsed);
  if (const auto bytes = parse_bytes(text); bytes.value) return *bytes.value;
  const std::size_t line = std::min(text.find('/'), text.size());
  const auto above = number_in<std::int64_t>(text.substr(0, line));
  const auto below = number_in<std::int64_t>(text.substr(std::min(line + 1, text.size())));
  if (above && below && *below > 0) return static_cast<double>(*above) / static_cast<double>(*below);
  return text;
}

}  // namespace

Results::Results(const Store& store, const Names& where)
    : store_(store), columns_(store.columns()), axes_(store.swept()) {
  std::ranges::copy(axes_ | std::views::join, std::back_inserter(swept_));
  try {
    require_few(where.size(), "conditions");
    for (const std::string& text : where) conditions_.push_back(read_condition(text, columns_));
  } catch (const InputError& error) {
    throw InputError("flitscope results: {} ('--columns all' shows all)", error.what());
  }
}

Results::Condition Results::read_condition(const std::string& text, const Names& columns) const {
  const std::size_t at = text.find_first_of("=!<>");
  if (at == std::string::npos || at == 0) {
    throw InputError("{} is no condition; write KEY=VALUE, KEY<VALUE and so on", in_quotes(text));
  }
  const bool two = at + 1 < text.size() && text[at + 1] == '=';
  const std::string relation = text.substr(at, two && text[at] != '=' ? 2 : 1);
  if (relation == "!") throw InputError("{}: '!' is no relation; write != ", in_quotes(text));
  const std::size_t begin = at + (two ? 2 : 1);
  const auto trimmed = [](const std::string& part) {
    return boost::algorithm::trim_copy_if(part, boost::algorithm::is_any_of(" "));
  };
  const std::string value = trimmed(text.substr(begin));
  Condition condition{column_of(trimmed(text.substr(0, at)), columns, swept_), relation, value_of(value),
                      value};
  require_comparable(condition, text, std::min(text.find_first_not_of(' ', begin), text.size()) + 1);
  if (condition.value.is_null()) condition.relation = relation == "=" ? "IS" : "IS NOT";
  return condition;
}

/// Refuses a value that no value of the column equals, precedes or follows by what it is.
void Results::require_comparable(const Condition& condition, const std::string& text,
                                 std::size_t place) const {
  const std::string name = sql_name(condition.column);
  const Table counts =
      store_.query(fmt::format("SELECT count(*) FILTER (WHERE {}), count(*) FILTER (WHERE typeof({}) = "
                               "'text') FROM runs WHERE number IS NOT NULL",
                               is_number(name), name));
  const bool has_numbers = counts.rows[0][0] > 0;
  const bool has_texts = counts.rows[0][1] > 0;
  const bool orders = condition.relation.find_first_of("<>") != std::string::npos;
  const auto refuse = [&](const std::string& what) {
    throw InputError("{}: character {}: {}", in_quotes(text), place, what);
  };
  const bool is_empty = condition.value.is_string() && condition.value.get_ref<const std::string&>().empty();
  if (is_empty && (orders || !has_texts)) refuse("a value is missing");
  if (orders && !condition.value.is_number() && !condition.value.is_string()) {
    refuse(in_quotes(condition.value.dump()) + " is neither a number nor a text, which have an order");
  }
  const bool is_text = condition.value.is_string();
  if (is_text && has_numbers && (orders || !has_texts)) {
    refuse(fmt::format("{} is no number, and {} has numbers", in_quotes(cell_text(condition.value)),
                       condition.column));
  }
  if (orders && !is_text && has_texts && !has_numbers) {
    refuse(fmt::format("{} is a number, and {} has none", condition.value.dump(), condition.column));
  }
}

Results::Sql Results::where(const std::vector<Condition>& conditions) {
  Sql where{"number IS NOT NULL", {}};
  for (const auto& [column, relation, value, text] : conditions) {
    const std::string name = sql_name(column);
    where.values.push_back(value);
    if (relation == "=" || relation == "!=") {
      // Earlier versions stored texts that begin as JSON does in quotes.
      where.text += fmt::format(" AND {} {} (?, ?, json_quote(?))", name, relation == "=" ? "IN" : "NOT IN");
      where.values.insert(where.values.end(), 2, text);
      continue;
    }
    where.text += fmt::format(" AND {} {} ?", name, relation);
    // SQLite has all texts, such as "all", above all numbers.
    if (value.is_number()) where.text += " AND " + is_number(name);
  }
  return where;
}

Table Results::select(const std::string& query, const std::vector<Cell>& values) const {
  Sql chosen = where(conditions_);
  chosen.values.insert(chosen.values.end(), values.begin(), values.end());
  return store_.query(fmt::format("WITH chosen AS (SELECT * FROM runs WHERE {}) {}", chosen.text, query),
                      chosen.values);
}

std::string Results::column(const std::string& key) const {
  try {
    // The configuration has many lines: it is in no list of columns, but it can be named.
    return key == "config" ? key : column_of(key, columns_, swept_);
  } catch (const InputError& error) {
    throw InputError("flitscope results: {} ('--columns all' shows all)", error.what());
  }
}

// --- Runs and a baseline -----------------------------------------------------------------------------------

Table Results::runs(const Names& keys, const std::string& baseline) const {
  require_few(keys.size(), "columns");
  Names chosen;
  for (const std::string& key : keys) chosen = joined({chosen, key == "all" ? columns_ : Names{column(key)}});
  if (keys.empty()) {
    chosen = joined({{"number"}, swept_});
    for (const char* const name : {"status", "steps", "cycles", "messages", "latency.mean", "latency.max",
                                   "traffic.accepted", "background.accepted"}) {
      if (has(columns_, name) && !has(chosen, name)) chosen.emplace_back(name);
    }
  }
  if (!baseline.empty()) return with_baseline(chosen, baseline);
  return select(
      fmt::format("SELECT {} FROM chosen AS run ORDER BY number", fmt::join(titled(chosen, "run."), ", ")));
}

/// The name of a replica, or conditions separated by commas, of which those within a list or a map do not
/// count.
std::vector<Results::Condition> Results::read_baseline(const std::string& text) const {
  const bool is_name = text.find('=') == std::string::npos;
  std::vector<Condition> conditions;
  try {
    if (is_name && !has(swept_, "replica"))
      throw InputError("{} is the name of a replica, and the sweep has none; write KEY=VALUE",
                       in_quotes(text));
    for (const std::string& part : is_name ? Names{"replica=" + text} : parts_between_commas(text)) {
      conditions.push_back(read_condition(part, swept_));
    }
    require_few(conditions.size(), "conditions");
    return conditions;
  } catch (const InputError& error) {
    throw InputError("flitscope results: --baseline: {}; swept are {}", error.what(),
                     fmt::join(swept_, ", "));
  }
}

Table Results::with_baseline(const Names& columns, const std::string& text) const {
  const auto conditions = read_baseline(text);
  const auto [bases, values] = where(conditions);
  Names free;  // keys of the axes that the baseline leaves free
  for (const auto& axis : axes_) {
    const bool is_fixed =
        std::ranges::any_of(conditions, [&](const Condition& each) { return has(axis, each.column); });
    if (!is_fixed) free = joined({free, axis});
  }
  const Names group = joined({sql_names(free), {"NULL"}});  // a group is not of nothing
  const Table found = store_.query(
      fmt::format(
          "SELECT count(*), min(number), max(number) FROM runs WHERE {} GROUP BY {} ORDER BY 1 DESC LIMIT 1",
          bases, fmt::join(group, ", ")),
      values);
  if (found.rows.empty()) {
    throw InputError("flitscope results: --baseline: there is no run with {}", in_quotes(text));
  }
  if (found.rows[0][0] > 1) {
    throw InputError(
        "flitscope results: --baseline: {} is more than one run to compare with, such as runs {} and {}; "
        "name more keys, separated by commas",
        in_quotes(text), found.rows[0][1].dump(), found.rows[0][2].dump());
  }
  std::string same = "TRUE";
  for (const std::string& key : sql_names(free)) same += fmt::format(" AND run.{0} IS base.{0}", key);
  Names shown;
  for (const std::string& column : columns) {
    const std::string name = sql_name(column);
    shown.push_back(fmt::format("run.{0} AS {0}", name));
    if (has(swept_, column) || column == "number") continue;
    const Table numbers = select(fmt::format("SELECT 1 FROM chosen WHERE {} LIMIT 1", is_number(name)));
    if (numbers.rows.empty()) continue;
    std::string comparable = fmt::format("base.{} <> 0", name);
    for (const char* const run : {"run.", "base."}) {
      comparable += fmt::format(" AND {} AND {}", has_results(run), is_number(run + name));
    }
    shown.push_back(fmt::format("CASE WHEN {1} THEN CAST(run.{0} AS REAL) / base.{0} END AS {2}", name,
                                comparable, sql_name(column + "/baseline")));
  }
  return select(fmt::format("SELECT {} FROM chosen AS run LEFT JOIN (SELECT * FROM runs WHERE {}) AS base ON "
                            "{} ORDER BY run.number",
                            fmt::join(shown, ", "), bases, same),
                values);
}

// --- Two keys against each other ---------------------------------------------------------------------------

namespace {

/// True for a key that repeats an experiment with other random numbers.
bool is_chance(const std::string& key) {
  return key == "repeat" || key == "seed" || key.ends_with(".seed");
}

/// Different values in the order in which they come.
class Values {
 public:
  std::size_t place_of(const Cell& cell) {
    const auto [found, is_new] = places_.try_emplace(cell.dump(), cells_.size());
    if (is_new) cells_.push_back(cell);
    return found->second;
  }
  [[nodiscard]] const std::vector<Cell>& cells() const { return cells_; }

 private:
  std::map<std::string, std::size_t> places_;
  std::vector<Cell> cells_;
};

}  // namespace

/// The runs by two of their columns.
struct Results::Grid {
  struct Place {
    std::size_t row;
    std::size_t column;
    Cell value;   ///< null if a run failed, or has none as it is saturated
    Cell status;  ///< of such a run; else null
    std::uint64_t runs;
    Cell low;  ///< the least number of these runs
    Cell high;
  };
  std::vector<Cell> rows;  ///< in the order of their first runs
  std::vector<Cell> columns;
  std::vector<Place> places;
};

Names Results::swept_without(const Names& keys) const {
  return filtered(swept_, [&](const std::string& key) {
    return !has(keys, key) && has(columns_, key) && !is_chance(key);
  });
}

/// Throws InputError for runs of one cell that are not the same experiment.
void Results::require_alike(const std::string& row, const std::string& column) const {
  const Names keys = swept_without({row, column});
  if (keys.empty()) return;
  const Names differs = texts_of(sql_names(keys), [](const std::string& key) {
    return fmt::format("count(DISTINCT quote({})) > 1", key);
  });
  const Table found =
      select(fmt::format("SELECT min(number), count(*), {0}, {1}, {2}, {3} FROM chosen GROUP BY {0}, {1} "
                         "HAVING {4} ORDER BY 1 LIMIT 1",
                         sql_name(row), sql_name(column), fmt::join(sql_names(keys), ", "),
                         fmt::join(differs, ", "), fmt::join(differs, " OR ")));
  if (found.rows.empty()) return;
  const auto& cells = found.rows[0];
  Names differing;
  std::string example;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (cells[4 + keys.size() + i] == 0) continue;
    if (differing.empty()) example = fmt::format("{}={}", keys[i], printable(cell_text(cells[4 + i])));
    differing.push_back(keys[i]);
  }
  throw InputError(
      "flitscope results: {} runs have {} = {} and {} = {}: they differ in {}; choose with --where, such as "
      "--where {}",
      cells[1].dump(), row, printable(cell_text(cells[2])), column, printable(cell_text(cells[3])),
      fmt::join(differing, ", "), example);
}

Results::Grid Results::grid(const std::string& row, const std::string& column,
                            const std::string& value) const {
  if (row == column) {
    throw InputError("flitscope results: --pivot: {} is both ROW and COLUMN; name two keys", row);
  }
  require_alike(row, column);
  const std::string name = sql_name(value);
  const Table table = select(fmt::format(
      "SELECT {0}, {1}, {2}, min({3}), count(*), min({4}) FILTER (WHERE {5}), max({4}) FILTER (WHERE {5}) "
      "FROM chosen GROUP BY {0}, {1} ORDER BY min(number)",
      sql_name(row), sql_name(column), mean(name), lacking(name), measured(name), is_number(measured(name))));
  Values rows;
  Values columns;
  std::vector<Grid::Place> places;
  for (const auto& cells : table.rows) {
    places.push_back({rows.place_of(cells[0]), columns.place_of(cells[1]), cells[2], cells[3],
                      cells[4].get<std::uint64_t>(), cells[5], cells[6]});
  }
  return {rows.cells(), columns.cells(), std::move(places)};
}

Table Results::pivot(const std::string& row, const std::string& column, const std::string& value) const {
  const std::string row_column = this->column(row);
  const std::string column_column = this->column(column);
  const Grid grid = this->grid(row_column, column_column, this->column(value));
  Table table;
  table.columns.push_back(fmt::format("{} \\ {}", row_column, column_column));
  for (const Cell& cell : grid.columns) table.columns.push_back(cell_text(cell));
  for (const Cell& cell : grid.rows) {
    table.rows.emplace_back(table.columns.size()).front() = cell;
  }
  for (const Grid::Place& place : grid.places) {
    table.rows[place.row][place.column + 1] = place.status.is_null() ? place.value : place.status;
  }
  return table;
}

Plot Results::pivot_plot(const std::string& row, const std::string& column, const std::string& value,
                         bool log_x, bool log_y) const {
  Plot plot{.title = fmt::format("{} by {}", this->column(value), this->column(column)),
            .x_label = this->column(row),
            .y_label = this->column(value),
            .log_x = log_x,
            .log_y = log_y};
  const Grid grid = this->grid(plot.x_label, this->column(column), plot.y_label);
  const auto& rows = grid.rows;
  const bool has_numbers = std::ranges::all_of(rows, [](const Cell& cell) { return cell.is_number(); });
  if (!has_numbers) {
    if (log_x) {
      throw InputError("flitscope results: {} is no number; it has no logarithm", plot.x_label);
    }
    for (const Cell& cell : rows) plot.x_names.push_back(cell_text(cell));
  }
  for (const Cell& cell : grid.columns) plot.series.push_back({cell_text(cell), {}});
  for (const Grid::Place& place : grid.places) {
    if (place.value.is_null()) continue;
    if (!place.value.is_number()) {
      throw InputError("flitscope results: {} is {}, which is no number, and cannot be drawn", plot.y_label,
                       in_quotes(cell_text(place.value)));
    }
    const double x = has_numbers ? rows[place.row].get<double>() : static_cast<double>(place.row + 1);
    PlotPoint point{x, place.value.get<double>()};
    if (place.runs > 1) point.interval = {place.low.get<double>(), place.high.get<double>()};
    plot.series[place.column].points.push_back(point);
  }
  for (PlotSeries& series : plot.series) std::ranges::sort(series.points, {}, &PlotPoint::x);
  for (std::string* const label : {&plot.x_label, &plot.y_label}) {
    if (const std::string unit = unit_of(*label); !unit.empty()) *label += fmt::format(" ({})", unit);
  }
  plot.rings = crossovers(plot);
  return plot;
}

// --- The best runs -----------------------------------------------------------------------------------------

void Results::require_numbers(const char* option, const std::string& column) const {
  const std::string name = sql_name(column);
  const Table other = select(
      fmt::format("SELECT number FROM chosen WHERE {0} IS NOT NULL AND NOT {1} ORDER BY number LIMIT 1", name,
                  is_number(name)));
  if (other.rows.empty()) return;
  throw InputError("flitscope results: {}: {} is no number in run {}", option, column,
                   other.rows[0][0].dump());
}

Results::Objective Results::objective(const std::string& text) const {
  constexpr std::string_view kMax = ":max";
  const bool is_max = text.ends_with(kMax);
  return {column(is_max ? text.substr(0, text.size() - kMax.size()) : text), is_max};
}

std::string Results::reason_for_none(const Names& objectives) const {
  const auto has_run = [&](const std::string& condition) {
    return !select(fmt::format("SELECT number FROM chosen WHERE {} LIMIT 1", condition)).rows.empty();
  };
  if (!has_run("TRUE")) return "there is no such run";
  for (const std::string& each : objectives) {
    const std::string name = objective(each).column;
    if (!has_run(sql_name(name) + " IS NOT NULL")) return fmt::format("no run has a value of {}", name);
  }
  return fmt::format("no run with a result has {}", fmt::join(objectives, " and "));
}

/// A row for each design: runs that differ by chance alone are one, with the means of `values`.
std::string Results::designs(const Names& keys, const Names& values) const {
  const Names group = joined({keys, swept_without(keys)});
  Names shown{"min(number) AS \"(first)\"", "count(*) AS \"(runs)\"",
              fmt::format("min({}) AS \"(results)\"", has_results()),
              "min(status = 'completed') AS \"(completed)\""};
  shown = joined({shown, sql_names(group)});
  for (const std::string& value : values) {
    if (!has(group, value)) shown.push_back(fmt::format("{} AS {}", mean(sql_name(value)), sql_name(value)));
  }
  return fmt::format("designs AS (SELECT {} FROM chosen GROUP BY {})", fmt::join(shown, ", "),
                     fmt::join(joined({sql_names(group), {"NULL"}}), ", "));
}

/// The number of runs of a design, of a sweep that has several.
Names Results::number_of_runs(const std::string& prefix) const {
  return std::ranges::any_of(swept_, is_chance) ? Names{prefix + "\"(runs)\" AS runs"} : Names();
}

Table Results::best(const std::string& value, const Names& by) const {
  require_few(by.size(), "keys");
  const auto [column, is_max] = objective(value);
  const Names keys = texts_of(by, [&](const std::string& key) { return this->column(key); });
  const Names choice = swept_without(joined({keys, {column}}));

  const std::string name = sql_name(column);
  require_numbers("--best", column);
  const char* const behind = is_max ? "<" : ">";
  // A combination of the keys is a group; its designs are ordered by the value, and by their first runs.
  const Names group = joined({sql_names(keys), {"NULL"}});
  const std::string next = fmt::format(
      "second.{0} AS next, CASE WHEN winner.{0} <> 0 THEN CAST(second.{0} AS REAL) / winner.{0} END AS "
      "\"next/best\"",
      name);
  const Names shown = joined({titled(joined({keys, choice, {column}}), "winner."),
                              number_of_runs("winner."),
                              {"winner.\"(equal)\" - 1 AS equal"},
                              titled(choice, "twin.", "as does "),
                              {next},
                              titled(choice, "second.", "next ")});
  const auto in_group_of_winner = [&](const char* run) {
    std::string same = "TRUE";
    for (const std::string& key : sql_names(keys))
      same += fmt::format(" AND {1}.{0} IS winner.{0}", key, run);
    return same;
  };
  const Names used = sql_names(joined({{"(first)", "(runs)", column}, keys, choice}));
  const std::set<std::string> needed(used.begin(), used.end());
  return select(fmt::format(
      ", {5}, grouped AS (SELECT {4}, {8}({0}) OVER (PARTITION BY {1}) AS \"(best)\", min(\"(first)\") "
      "OVER (PARTITION BY {1}) AS \"(group)\" FROM designs WHERE {0} IS NOT NULL AND \"(results)\"), "
      "ranked AS (SELECT *, row_number() OVER (PARTITION BY {1}, {0} {7} \"(best)\" ORDER BY {0} {9}, "
      "\"(first)\") "
      "AS \"(rank)\", count(*) OVER (PARTITION BY {1}, {0} {7} \"(best)\") AS \"(equal)\" FROM grouped) "
      "SELECT {2} FROM ranked AS winner LEFT JOIN ranked AS twin "
      "ON {6} AND twin.\"(rank)\" = 2 AND twin.{0} = twin.\"(best)\" LEFT JOIN ranked AS second "
      "ON {3} AND second.\"(rank)\" = 1 AND second.{0} {7} second.\"(best)\" WHERE "
      "winner.\"(rank)\" = 1 AND winner.{0} = winner.\"(best)\" ORDER BY winner.\"(group)\"",
      name, fmt::join(group, ", "), fmt::join(shown, ", "), in_group_of_winner("second"),
      fmt::join(needed, ", "), designs(keys, {column}), in_group_of_winner("twin"), behind,
      is_max ? "max" : "min", is_max ? "DESC" : "ASC"));
}

// --- Runs that none other is better than -------------------------------------------------------------------

Table Results::pareto(const Names& objectives) const {
  if (objectives.size() < 2) {
    throw InputError(
        "flitscope results: --pareto needs two objectives or more, such as latency.mean,network.links");
  }
  require_few(objectives.size(), "objectives");
  Names columns;
  std::vector<bool> descends;
  Names order;
  std::string counts = "\"(completed)\"";
  for (const std::string& each : objectives) {
    const auto [column, is_max] = objective(each);
    require_numbers("--pareto", column);
    columns.push_back(column);
    const std::string name = sql_name(column);
    counts += fmt::format(" AND {} IS NOT NULL", name);
    descends.push_back(is_max);
    order.push_back(name + (is_max ? " DESC" : ""));
  }
  const Names shown = joined({{"\"(first)\" AS number"},
                              number_of_runs("run."),
                              titled(joined({swept_without(columns), columns}), "run.")});
  Table table =
      select(fmt::format(", {} SELECT {} FROM designs AS run WHERE {} ORDER BY {}, \"(first)\"",
                         designs({}, columns), fmt::join(shown, ", "), counts, fmt::join(order, ", ")));
  // A run that is better than another one comes before it.
  const std::size_t first = table.columns.size() - columns.size();
  const auto is_better = [&](const std::vector<Cell>& other, const std::vector<Cell>& run) {
    bool differs = false;
    for (std::size_t i = 0; i < descends.size(); ++i) {
      const Cell& theirs = other[first + i];
      const Cell& own = run[first + i];
      if (descends[i] ? theirs < own : own < theirs) return false;
      differs = differs || theirs != own;
    }
    return differs;
  };
  std::vector<std::vector<Cell>> front;
  for (std::vector<Cell>& run : table.rows) {
    const auto beats = [&](const std::vector<Cell>& other) { return is_better(other, run); };
    if (std::ranges::none_of(front, beats)) front.push_back(std::move(run));
  }
  table.rows = std::move(front);
  return table;
}

// --- The order of rows -------------------------------------------------------------------------------------

namespace {

struct SortKey {
  std::size_t column = 0;
  bool descends = false;
};

SortKey sort_key_of(const std::string& text, const Table& table, const Names& preferred) {
  const std::size_t colon = has(table.columns, text) ? std::string::npos : text.rfind(':');
  const std::string order = colon == std::string::npos ? "asc" : text.substr(colon + 1);
  const Names orders{"asc", "desc"};
  try {
    const auto column =
        std::ranges::find(table.columns, column_of(text.substr(0, colon), table.columns, preferred));
    if (has(orders, order)) {
      return {static_cast<std::size_t>(column - table.columns.begin()), order == "desc"};
    }
  } catch (const InputError& error) {
    throw InputError("flitscope results: --sort: {}; rows are ordered by columns that are printed",
                     error.what());
  }
  throw InputError("flitscope results: --sort: the order of {} must be asc or desc, not {}{}",
                   in_quotes(text.substr(0, colon)), in_quotes(order), did_you_mean(order, orders));
}

}  // namespace

void sort_rows(Table& table, const Names& keys, const Names& preferred) {
  std::vector<SortKey> by;
  for (const std::string& key : keys) by.push_back(sort_key_of(key, table, preferred));
  std::ranges::stable_sort(table.rows, [&](const auto& a, const auto& b) {
    for (const auto& [column, descends] : by) {
      const Cell& x = a[column];
      const Cell& y = b[column];
      if (x == y) continue;
      if (x.is_null() || y.is_null()) return y.is_null();
      return descends ? y < x : x < y;
    }
    return false;
  });
}

}  // namespace flitscope
