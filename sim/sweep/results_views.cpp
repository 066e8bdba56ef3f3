#include "sim/sweep/results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "model/error.h"
#include "model/text.h"

namespace flitscope {
namespace {

using Cell = Table::Cell;
using Cells = std::vector<Cell>;
using Names = std::vector<std::string>;

std::size_t place_of(const Table& runs, const std::string& column) {
  const std::size_t place = runs.index_of(column);
  if (place < runs.columns.size()) return place;
  throw InputError(fmt::format("flitscope results: there is no column {}{} ('--columns all' shows all)",
                               in_quotes(column), did_you_mean(column, runs.columns)));
}

/// True for a key that repeats an experiment with other random numbers.
bool is_chance(const std::string& key) {
  return key == "repeat" || key == "seed" || key.ends_with(".seed");
}

/// The swept keys, but for `apart`.
Names swept_keys(const Table& runs, const SweptAxes& swept, const Names& apart) {
  Names keys;
  for (const auto& axis : swept) {
    for (const std::string& key : axis) {
      if (std::ranges::count(apart, key) == 0 && runs.index_of(key) < runs.columns.size())
        keys.push_back(key);
    }
  }
  return keys;
}

/// Different values in the order of their first runs.
class Values {
 public:
  std::size_t number_of(const Cell& cell) {
    const auto [found, is_new] = numbers_.try_emplace(cell.dump(), cells_.size());
    if (is_new) cells_.push_back(cell);
    return found->second;
  }
  [[nodiscard]] const std::vector<Cell>& cells() const { return cells_; }

 private:
  std::map<std::string, std::size_t> numbers_;
  std::vector<Cell> cells_;
};

/// The runs of one cell.
struct Group {
  std::vector<const Cells*> runs;
};

std::string cell_text(const Cell& cell) {
  return cell.is_string() ? cell.get<std::string>() : cell.dump();
}

/// Throws InputError for runs of one cell that are not the same experiment.
void require_alike(const Table& table, const Group& group, const Names& keys, const std::string& where) {
  Names differing;
  for (const std::string& key : keys) {
    const std::size_t place = table.index_of(key);
    const auto differs = [&](const Cells* run) { return (*run)[place] != (*group.runs.front())[place]; };
    if (!is_chance(key) && std::ranges::any_of(group.runs, differs)) differing.push_back(key);
  }
  if (differing.empty()) return;
  throw InputError(fmt::format(
      "flitscope results: {} runs have {}: they differ in {}; choose with --where, such as --where {}={}",
      group.runs.size(), where, fmt::join(differing, ", "), differing.front(),
      printable(cell_text((*group.runs.front())[table.index_of(differing.front())]))));
}

/// The mean of the numbers; otherwise the first value.
Cell mean(const Group& group, std::size_t place) {
  double sum = 0;
  std::size_t count = 0;
  for (const Cells* const run : group.runs) {
    const Cell& cell = (*run)[place];
    if (!cell.is_number()) continue;
    sum += cell.get<double>();
    ++count;
  }
  if (count < 2) {
    const auto known =
        std::ranges::find_if(group.runs, [&](const Cells* run) { return !(*run)[place].is_null(); });
    return known == group.runs.end() ? Cell() : (**known)[place];
  }
  return sum / static_cast<double>(count);
}

/// The runs by two of their columns.
struct Grid {
  Values rows;
  Values columns;
  std::size_t value_place = 0;
  std::map<std::pair<std::size_t, std::size_t>, Group> groups;
};

Grid grid_of(const Table& runs, const SweptAxes& swept, const std::string& row, const std::string& column,
             const std::string& value) {
  const std::size_t row_place = place_of(runs, row);
  const std::size_t column_place = place_of(runs, column);
  Grid grid;
  grid.value_place = place_of(runs, value);
  for (const Cells& run : runs.rows) {
    grid.groups[{grid.rows.number_of(run[row_place]), grid.columns.number_of(run[column_place])}]
        .runs.push_back(&run);
  }
  const Names others = swept_keys(runs, swept, {row, column});
  for (const auto& [place, group] : grid.groups) {
    require_alike(
        runs, group, others,
        fmt::format("{} = {} and {} = {}", row, printable(cell_text(grid.rows.cells()[place.first])), column,
                    printable(cell_text(grid.columns.cells()[place.second]))));
  }
  return grid;
}

/// The least and the largest number of a group's runs.
PlotInterval interval_of(const Group& group, std::size_t place) {
  PlotInterval interval{std::numeric_limits<double>::infinity(), 0};
  for (const Cells* const run : group.runs) {
    if (!(*run)[place].is_number()) continue;
    interval.low = std::min(interval.low, (*run)[place].get<double>());
    interval.high = std::max(interval.high, (*run)[place].get<double>());
  }
  return interval;
}

}  // namespace

Table pivot(const Table& runs, const SweptAxes& swept, const std::string& row, const std::string& column,
            const std::string& value) {
  const Grid grid = grid_of(runs, swept, row, column, value);
  Table table;
  table.columns.push_back(fmt::format("{} \\ {}", row, column));
  for (const Cell& cell : grid.columns.cells()) table.columns.push_back(cell_text(cell));
  for (const Cell& cell : grid.rows.cells()) {
    table.rows.emplace_back(table.columns.size()).front() = cell;
  }
  for (const auto& [place, group] : grid.groups) {
    table.rows[place.first][place.second + 1] = mean(group, grid.value_place);
  }
  return table;
}

Plot pivot_plot(const Table& runs, const SweptAxes& swept, const std::string& row, const std::string& column,
                const std::string& value, bool log_x, bool log_y) {
  const Grid grid = grid_of(runs, swept, row, column, value);
  Plot plot{.title = fmt::format("{} by {}", value, column),
            .x_label = row,
            .y_label = value,
            .series = {},
            .marks = {},
            .y_max = {},
            .log_x = log_x,
            .log_y = log_y};
  const auto& rows = grid.rows.cells();
  const bool has_numbers = std::ranges::all_of(rows, [](const Cell& cell) { return cell.is_number(); });
  if (!has_numbers) {
    if (log_x) throw InputError(fmt::format("flitscope results: {} is no number; it has no logarithm", row));
    for (const Cell& cell : rows) plot.x_names.push_back(cell_text(cell));
  }
  for (const Cell& cell : grid.columns.cells()) plot.series.push_back({cell_text(cell), {}});
  for (const auto& [place, group] : grid.groups) {
    const Cell y = mean(group, grid.value_place);
    if (y.is_null()) continue;
    if (!y.is_number()) {
      throw InputError(fmt::format("flitscope results: {} is {}, which is no number, and cannot be drawn",
                                   value, in_quotes(cell_text(y))));
    }
    const double x = has_numbers ? rows[place.first].get<double>() : static_cast<double>(place.first + 1);
    PlotPoint point{x, y.get<double>()};
    if (group.runs.size() > 1) point.interval = interval_of(group, grid.value_place);
    plot.series[place.second].points.push_back(point);
  }
  for (PlotSeries& series : plot.series) std::ranges::sort(series.points, {}, &PlotPoint::x);
  plot.rings = crossovers(plot);
  return plot;
}

Table best(const Table& runs, const SweptAxes& swept, const std::string& value, const Names& by) {
  const std::size_t value_place = place_of(runs, value);
  std::vector<std::size_t> by_places;
  for (const std::string& key : by) by_places.push_back(place_of(runs, key));
  Names apart = by;
  apart.push_back(value);
  const Names choice = swept_keys(runs, swept, apart);

  Values combinations;
  std::map<std::size_t, Group> groups;
  for (const Cells& run : runs.rows) {
    if (run[value_place].is_null()) continue;
    if (!run[value_place].is_number()) {
      throw InputError(fmt::format("flitscope results: --best: {} is no number in run {}", value,
                                   run[place_of(runs, "number")].dump()));
    }
    Cell key = Cell::array();
    for (const std::size_t place : by_places) key.push_back(run[place]);
    groups[combinations.number_of(key)].runs.push_back(&run);
  }
  Table table;
  table.columns = by;
  table.columns.insert(table.columns.end(), choice.begin(), choice.end());
  table.columns.insert(table.columns.end(), {value, "next", "next/best"});
  for (const std::string& key : choice) table.columns.push_back("next " + key);
  for (auto& [number, group] : groups) {
    const auto of = [&](const Cells* run) { return (*run)[value_place].get<double>(); };
    std::ranges::stable_sort(group.runs, {}, of);
    const Cells& first = *group.runs.front();
    const auto next =
        std::ranges::find_if(group.runs, [&](const Cells* run) { return of(run) > of(group.runs.front()); });
    Cells& cells = table.rows.emplace_back();
    for (const std::size_t place : by_places) cells.push_back(first[place]);
    for (const std::string& key : choice) cells.push_back(first[runs.index_of(key)]);
    cells.push_back(first[value_place]);
    cells.push_back(next == group.runs.end() ? Cell() : (**next)[value_place]);
    const bool has_ratio = next != group.runs.end() && of(&first) != 0;
    cells.push_back(has_ratio ? Cell(of(*next) / of(&first)) : Cell());
    for (const std::string& key : choice) {
      cells.push_back(next == group.runs.end() ? Cell() : (**next)[runs.index_of(key)]);
    }
  }
  return table;
}

}  // namespace flitscope
