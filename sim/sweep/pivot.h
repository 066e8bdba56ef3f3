// The runs of a sweep set side by side: a table with two of its keys as rows and columns, and who is best.
#pragma once

#include <string>
#include <vector>

#include "sim/report/plot.h"
#include "sim/sweep/sweep.h"
#include "sim/sweep/table.h"

namespace flitscope {

/// A row for each value of one column, a column for each value of another, and the values of a third in the
/// cells; null where there is no such run. Values stand in the order in which they come first. Of runs that
/// differ in "repeat" or a seed only, a cell has the mean. Throws InputError for a column that is not there,
/// and if runs of one cell differ in anything else that was swept.
[[nodiscard]] Table pivot(const Table& runs, const SweptAxes& swept, const std::string& row,
                          const std::string& column, const std::string& value);

/// The same as a plot: a curve for each value of `column` over the values of `row`, which are numbers or, if
/// one is not, stand side by side in their order. Runs that differ by chance alone make an interval. Curves
/// that change places have rings. Throws InputError also if `value` has something other than numbers.
[[nodiscard]] Plot pivot_plot(const Table& runs, const SweptAxes& swept, const std::string& row,
                              const std::string& column, const std::string& value, bool log_x, bool log_y);

/// For each combination of the columns `by`: what else was swept of the run with the least `value`, that
/// value, the next larger one ("next"), how much larger it is ("next/best"), and what was swept of its run
/// ("next KEY"). Runs without the value, which did not complete, do not count. Throws InputError for a column
/// that is not there or has something other than numbers.
[[nodiscard]] Table best(const Table& runs, const SweptAxes& swept, const std::string& value,
                         const std::vector<std::string>& by);

}  // namespace flitscope
