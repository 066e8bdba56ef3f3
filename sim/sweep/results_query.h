// Reading a sweep's results: which runs, which columns, and against what.
#pragma once

#include <string>
#include <vector>

#include "sim/sweep/store.h"

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

/// The column that a key means, which may be shortened as in a query. Throws InputError.
[[nodiscard]] std::string column_of(const std::string& key, const std::vector<std::string>& columns);

/// Keys may be shortened to what is behind their dot, if that is not ambiguous ("message" for
/// "workload.message"). With a baseline each numeric result is followed by a column "KEY/baseline": its ratio
/// to that of the baseline's run that agrees in all other axes; null if there is none, or the value there is
/// 0. Throws InputError for what there is not, with the nearest there is, and for a baseline that is more
/// than one run.
[[nodiscard]] Table query(const Store& store, const ResultsQuery& what);

/// Orders the rows by "KEY", "KEY:asc" or "KEY:desc", the first key counting most. Keys are columns of the
/// table, shortened as in a query. Numbers are ordered as numbers and come before texts, rows without a value
/// come last either way, and what is equal stays in its order. Throws InputError for what is no column or no
/// order.
void sort_rows(Table& table, const std::vector<std::string>& keys);

}  // namespace flitscope
