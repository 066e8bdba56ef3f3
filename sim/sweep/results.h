// Views of a sweep's results, each a query of its store: chosen runs and columns, ratios to a baseline, two
// keys against each other, the best runs.
#pragma once

#include <string>
#include <vector>

#include "sim/report/plot.h"
#include "sim/sweep/store.h"
#include "sim/sweep/table.h"

namespace flitscope {

/// The column of a key: the key itself or, if that is none, the one column that ends with "." and the key
/// ("workload.message" of "message"), or that is the key with dots and the unit of an energy
/// ("energy.per_byte_pJ" of "energy_per_byte"); of several, the one that is among `preferred`. Throws
/// InputError, with the nearest name.
[[nodiscard]] std::string column_of(const std::string& key, const std::vector<std::string>& columns,
                                    const std::vector<std::string>& preferred = {});

/// The runs of a store for which conditions hold. Keys name columns as in column_of, where swept keys are
/// preferred. All functions throw InputError for a column that is not there.
class Results {
 public:
  /// Conditions are "KEY=VALUE", "KEY!=VALUE", <, <=, > or >=; all must hold. Values may have units of bytes
  /// or be fractions, and null is no value. Throws InputError, with the place, for a value that the column
  /// cannot be compared with, such as a text if it has numbers.
  Results(const Store& store, const std::vector<std::string>& where);

  /// The swept keys.
  [[nodiscard]] const std::vector<std::string>& swept() const { return swept_; }

  /// A row for each run. `keys` are the columns, "all" every one but "config", the resolved configuration;
  /// empty: what was swept, the status and the main results. `baseline` is the name of a replica, with
  /// its commas, or "KEY=VALUE" with further ones behind commas, each KEY swept; empty: no comparison. With
  /// it each column of numbers is followed by "KEY/baseline": the ratio to that of the baseline's run that
  /// agrees in all other axes; null if there is none, one of the two failed, or the value there is 0. Throws
  /// InputError for a baseline of more than one run.
  [[nodiscard]] Table runs(const std::vector<std::string>& keys, const std::string& baseline) const;

  /// A row for each value of one key, a column for each value of another, and the values of a third in the
  /// cells; null where there is no such run, the status where one failed, or saturated and has no value.
  /// Values have the order of their first runs. Of runs that differ in "repeat" or a seed only, a cell has
  /// the mean of the numbers. Throws InputError if runs of one cell differ in anything else that was swept.
  [[nodiscard]] Table pivot(const std::string& row, const std::string& column,
                            const std::string& value) const;

  /// The same as a plot: a curve for each value of `column` over the values of `row`, which are numbers or,
  /// if one is not, are drawn side by side in their order. Runs that differ by chance alone make an interval.
  /// Axes have their units.
  /// Curves that change places have rings. Throws InputError also if `value` has something other than
  /// numbers.
  [[nodiscard]] Plot pivot_plot(const std::string& row, const std::string& column, const std::string& value,
                                bool log_x, bool log_y) const;

  /// For each combination of the keys `by`: what else was swept of the first design with the least value, or,
  /// of "KEY:max", the greatest, that value, how many other designs have it ("equal"), what was swept of the
  /// first of these ("as does KEY"), the next value ("next"), its ratio ("next/best"), and what was swept of
  /// its design ("next KEY"). A design is one run, or those that differ in "repeat" or a seed only, which is
  /// not among `by`: it has the mean of their values, and how many they are ("runs", where such a key was
  /// swept). Designs with a run that failed, or saturated and has no value, do not count. Throws InputError
  /// for a value that is no number.
  [[nodiscard]] Table best(const std::string& value, const std::vector<std::string>& by) const;

  /// The designs, as in best(), that none other is better than: none has every objective at least as good and
  /// one better. Objectives are "KEY", the less the better, or "KEY:max"; at least two. Columns: the number
  /// of the first run, what was swept, then the objectives; rows by rising first objective. Designs without
  /// one of the values, or with a run that has not completed, do not count. Throws InputError for a value
  /// that is no number.
  [[nodiscard]] Table pareto(const std::vector<std::string>& objectives) const;

  /// Why no run has all of these objectives: "no run has a value of network.wire_mm".
  [[nodiscard]] std::string reason_for_none(const std::vector<std::string>& objectives) const;

 private:
  struct Condition {
    std::string column;
    std::string relation;  ///< of SQL
    Table::Cell value;
    std::string text;  ///< as written: 5 may be the name of a replica
  };
  struct Sql {
    std::string text;
    std::vector<Table::Cell> values;  ///< of its question marks
  };
  struct Grid;

  [[nodiscard]] std::string column(const std::string& key) const;
  [[nodiscard]] Condition read_condition(const std::string& text,
                                         const std::vector<std::string>& columns) const;
  void require_comparable(const Condition& condition, const std::string& text, std::size_t place) const;
  [[nodiscard]] std::vector<Condition> read_baseline(const std::string& text) const;
  [[nodiscard]] Table with_baseline(const std::vector<std::string>& columns, const std::string& text) const;
  [[nodiscard]] static Sql where(const std::vector<Condition>& conditions);
  /// A query of `chosen`, the runs for which the conditions hold; `values` are those of its further marks.
  [[nodiscard]] Table select(const std::string& query, const std::vector<Table::Cell>& values = {}) const;
  /// What was swept but for these keys, and for those that repeat an experiment.
  [[nodiscard]] std::vector<std::string> swept_without(const std::vector<std::string>& keys) const;
  [[nodiscard]] std::string designs(const std::vector<std::string>& keys,
                                    const std::vector<std::string>& values) const;
  [[nodiscard]] std::vector<std::string> number_of_runs(const std::string& prefix) const;
  /// Refuses a column that has something else than numbers in a chosen run.
  void require_numbers(const char* option, const std::string& column) const;
  /// "KEY", the less the better, or "KEY:max".
  struct Objective {
    std::string column;
    bool is_max = false;
  };
  [[nodiscard]] Objective objective(const std::string& text) const;
  void require_alike(const std::string& row, const std::string& column) const;
  [[nodiscard]] Grid grid(const std::string& row, const std::string& column, const std::string& value) const;

  const Store& store_;
  std::vector<std::string> columns_;
  SweptAxes axes_;
  std::vector<std::string> swept_;  ///< their keys
  std::vector<Condition> conditions_;
};

/// Orders the rows by "KEY", "KEY:asc" or "KEY:desc", the first key counting most. Keys are columns of the
/// table, shortened as in column_of. Numbers are ordered as numbers and before texts, rows without a value
/// are last either way, and equal rows keep their order. Throws InputError for a wrong column or order.
void sort_rows(Table& table, const std::vector<std::string>& keys,
               const std::vector<std::string>& preferred = {});

}  // namespace flitscope
