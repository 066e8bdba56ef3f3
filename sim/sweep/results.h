// Views of a sweep's results: chosen runs and columns, ratios to a baseline, two keys against each other, the
// best runs.
#pragma once

#include <string>
#include <vector>

#include "sim/report/plot.h"
#include "sim/sweep/store.h"
#include "sim/sweep/table.h"

namespace flitscope {

struct ResultsQuery {
  /// "KEY=VALUE", "KEY!=VALUE", <, <=, >, >=; all must hold. Values may have units of bytes.
  std::vector<std::string> where;
  /// Empty: what was swept, the status and the main results. "all": every column but "config", the resolved
  /// configuration.
  std::vector<std::string> columns;
  /// The name of a replica, or "KEY=VALUE" with further ones behind commas, each KEY swept; empty: no
  /// comparison.
  std::string baseline;
};

/// The column of a key, which may be shortened as in a query. Throws InputError.
[[nodiscard]] std::string column_of(const std::string& key, const std::vector<std::string>& columns);

/// Keys may be shortened to what is behind their dot, if that is not ambiguous ("message" for
/// "workload.message"). With a baseline each numeric result is followed by a column "KEY/baseline": its ratio
/// to that of the baseline's run that agrees in all other axes; null if there is none, or the value there is
/// 0. Throws InputError for a column that is not there, with the nearest one, and for a baseline of more
/// than one run.
[[nodiscard]] Table query(const Store& store, const ResultsQuery& what);

/// Orders the rows by "KEY", "KEY:asc" or "KEY:desc", the first key counting most. Keys are columns of the
/// table, shortened as in a query. Numbers are ordered as numbers and before texts, rows without a value are
/// last either way, and equal rows keep their order. Throws InputError for a wrong column or order.
void sort_rows(Table& table, const std::vector<std::string>& keys);

/// A row for each value of one column, a column for each value of another, and the values of a third in the
/// cells; null where there is no such run. Values have the order of their first runs. Of runs that
/// differ in "repeat" or a seed only, a cell has the mean. Throws InputError for a column that is not there,
/// and if runs of one cell differ in anything else that was swept.
[[nodiscard]] Table pivot(const Table& runs, const SweptAxes& swept, const std::string& row,
                          const std::string& column, const std::string& value);

/// The same as a plot: a curve for each value of `column` over the values of `row`, which are numbers or, if
/// one is not, are drawn side by side in their order. Runs that differ by chance alone make an interval.
/// Curves that change places have rings. Throws InputError also if `value` has something other than numbers.
[[nodiscard]] Plot pivot_plot(const Table& runs, const SweptAxes& swept, const std::string& row,
                              const std::string& column, const std::string& value, bool log_x, bool log_y);

/// For each combination of the columns `by`: what else was swept of the run with the least `value`, that
/// value, the next larger one ("next"), how much larger it is ("next/best"), and what was swept of its run
/// ("next KEY"). Runs without the value, which did not complete, do not count. Throws InputError for a column
/// that is not there or has something other than numbers.
[[nodiscard]] Table best(const Table& runs, const SweptAxes& swept, const std::string& value,
                         const std::vector<std::string>& by);

}  // namespace flitscope
