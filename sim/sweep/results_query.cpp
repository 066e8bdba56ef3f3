#include "sim/sweep/results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "model/error.h"
#include "model/text.h"
#include "model/units.h"
#include "sim/formats/strict_json.h"

namespace flitscope {

namespace {

using Cell = Table::Cell;
using Names = std::vector<std::string>;

bool has(const Names& names, const std::string& name) {
  return std::ranges::count(names, name) > 0;
}

}  // namespace

std::string column_of(const std::string& key, const std::vector<std::string>& columns) {
  if (has(columns, key)) return key;
  Names fitting;
  for (const std::string& column : columns) {
    if (column.ends_with("." + key)) fitting.push_back(column);
  }
  if (fitting.size() == 1) return fitting.front();
  if (fitting.size() > 1) {
    throw InputError(fmt::format("{} may be {}; write it out", in_quotes(key), fmt::join(fitting, " or ")));
  }
  throw InputError(fmt::format("there is no column {}{}", in_quotes(key), did_you_mean(key, columns)));
}

namespace {

Cell value_of(const std::string& text) {
  auto parsed = parse_json(text);
  if (parsed && !parsed->is_object() && !parsed->is_string()) return std::move(*parsed);
  if (const auto bytes = parse_bytes(text); bytes.value) return *bytes.value;
  return text;
}

Filter filter_of(const std::string& text, const Names& columns) {
  const std::size_t at = text.find_first_of("=!<>");
  if (at == std::string::npos || at == 0) {
    throw InputError(
        fmt::format("{} is no condition; write KEY=VALUE, KEY<VALUE and so on", in_quotes(text)));
  }
  const bool two = at + 1 < text.size() && text[at + 1] == '=';
  const std::string relation = text.substr(at, two && text[at] != '=' ? 2 : 1);
  if (relation == "!") throw InputError(fmt::format("{}: '!' is no relation; write != ", in_quotes(text)));
  const auto trimmed = [](const std::string& part) {
    const std::size_t first = part.find_first_not_of(' ');
    return first == std::string::npos ? "" : part.substr(first, part.find_last_not_of(' ') - first + 1);
  };
  return {column_of(trimmed(text.substr(0, at)), columns), relation,
          value_of(trimmed(text.substr(at + (two ? 2 : 1))))};
}

/// A database takes about twice as many.
constexpr std::size_t kMaxParts = 500;

void require_few(std::size_t parts, const char* what) {
  if (parts > kMaxParts) throw InputError(fmt::format("{} {} are more than {}", parts, what, kMaxParts));
}

Names default_columns(const SweptAxes& swept, const Names& columns) {
  Names chosen{"number"};
  for (const auto& axis : swept) std::ranges::copy(axis, std::back_inserter(chosen));
  for (const char* const name : {"status", "steps", "cycles", "messages", "latency.mean", "latency.max",
                                 "traffic.accepted", "background.accepted"}) {
    if (has(columns, name) && !has(chosen, name)) chosen.emplace_back(name);
  }
  return chosen;
}

/// The runs that ratios are taken to.
class Baseline {
 public:
  Baseline(const Store& store, const std::string& text) : swept_(store.swept()) {
    const Names keys = all_keys();
    std::vector<Filter> filters;
    const std::string conditions = text.find('=') == std::string::npos ? "replica=" + text : text;
    try {
      for (std::size_t begin = 0; begin <= conditions.size();) {
        const std::size_t end = end_of_condition(conditions, begin);
        filters.push_back(filter_of(conditions.substr(begin, end - begin), keys));
        begin = end + 1;
      }
      require_few(filters.size(), "conditions");
    } catch (const InputError& error) {
      throw InputError(fmt::format("flitscope results: --baseline: {}; swept are {}", error.what(),
                                   fmt::join(keys, ", ")));
    }
    for (const auto& axis : swept_) {
      const bool is_fixed =
          std::ranges::any_of(filters, [&](const Filter& each) { return has(axis, each.column); });
      if (!is_fixed) std::ranges::copy(axis, std::back_inserter(free_keys_));
    }
    table_ = store.select(store.columns(), filters);
    if (table_.rows.empty())
      throw InputError(
          fmt::format("flitscope results: --baseline: there is no run with {}", in_quotes(text)));
    for (const auto& row : table_.rows) {
      const auto [first, is_new] = rows_.try_emplace(position(table_, row), &row);
      if (is_new) continue;
      const std::size_t number = table_.index_of("number");
      throw InputError(
          fmt::format("flitscope results: --baseline: {} is more than one run to compare with, such as runs "
                      "{} and {}; name "
                      "more keys, separated by commas",
                      in_quotes(text), (*first->second)[number].dump(), row[number].dump()));
    }
  }

  /// All swept keys.
  [[nodiscard]] Names all_keys() const {
    Names keys;
    for (const auto& axis : swept_) std::ranges::copy(axis, std::back_inserter(keys));
    return keys;
  }

  /// The value of a column in the baseline's run for this row, which has all swept keys.
  [[nodiscard]] Cell value_for(const Table& table, const std::vector<Cell>& row,
                               const std::string& column) const {
    const auto found = rows_.find(position(table, row));
    return found == rows_.end() ? Cell(nullptr) : (*found->second)[table_.index_of(column)];
  }

 private:
  /// A comma within a list or a map does not end a condition.
  static std::size_t end_of_condition(const std::string& text, std::size_t begin) {
    int depth = 0;
    for (std::size_t at = begin; at < text.size(); ++at) {
      if (text[at] == '[' || text[at] == '{') ++depth;
      if (text[at] == ']' || text[at] == '}') --depth;
      if (text[at] == ',' && depth == 0) return at;
    }
    return text.size();
  }

  /// The values of a row on the axes that the baseline leaves free.
  [[nodiscard]] std::string position(const Table& table, const std::vector<Cell>& row) const {
    Cell cells = Cell::array();
    for (const std::string& key : free_keys_) cells.push_back(row[table.index_of(key)]);
    return cells.dump();
  }

  SweptAxes swept_;
  Names free_keys_;
  Table table_;
  std::map<std::string, const std::vector<Cell>*> rows_;
};

Cell ratio(const Cell& value, const Cell& base) {
  if (!value.is_number() || !base.is_number() || base.get<double>() == 0) return nullptr;
  return value.get<double>() / base.get<double>();
}

Table compared(const Table& full, const Names& chosen, const Baseline& baseline) {
  const Names keys = baseline.all_keys();
  const auto is_compared = [&](const std::string& column) {
    if (has(keys, column) || column == "number") return false;
    const std::size_t at = full.index_of(column);
    return std::ranges::any_of(full.rows, [&](const auto& row) { return row[at].is_number(); });
  };
  Table result;
  std::vector<bool> compares;
  for (const std::string& column : chosen) {
    compares.push_back(is_compared(column));
    result.columns.push_back(column);
    if (compares.back()) result.columns.push_back(column + "/baseline");
  }
  for (const auto& row : full.rows) {
    auto& cells = result.rows.emplace_back();
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const Cell& value = row[full.index_of(chosen[i])];
      cells.push_back(value);
      if (compares[i]) cells.push_back(ratio(value, baseline.value_for(full, row, chosen[i])));
    }
  }
  return result;
}

}  // namespace

Table query(const Store& store, const ResultsQuery& what) {
  const Names columns = store.columns();
  std::vector<Filter> filters;
  Names chosen;
  if (what.columns.empty()) {
    chosen = default_columns(store.swept(), columns);
  } else if (what.columns == Names{"all"}) {
    chosen = columns;
  }
  try {
    require_few(what.where.size(), "conditions");
    require_few(what.columns.size(), "columns");
    for (const std::string& text : what.where) filters.push_back(filter_of(text, columns));
    // The configuration has many lines: it is in no list of columns, but it can be named.
    for (const std::string& key : what.columns) {
      if (key != "all") chosen.push_back(key == "config" ? key : column_of(key, columns));
    }
  } catch (const InputError& error) {
    throw InputError(fmt::format("flitscope results: {} ('--columns all' shows all)", error.what()));
  }
  if (what.baseline.empty()) return store.select(chosen, filters);

  const Baseline baseline(store, what.baseline);
  Names needed = chosen;
  for (const std::string& key : baseline.all_keys()) {
    if (!has(needed, key)) needed.push_back(key);
  }
  return compared(store.select(needed, filters), chosen, baseline);
}

namespace {

struct SortKey {
  std::size_t column = 0;
  bool descends = false;
};

SortKey sort_key_of(const std::string& text, const Table& table) {
  const std::size_t colon = has(table.columns, text) ? std::string::npos : text.rfind(':');
  const std::string order = colon == std::string::npos ? "asc" : text.substr(colon + 1);
  const Names orders{"asc", "desc"};
  try {
    const std::string column = column_of(text.substr(0, colon), table.columns);
    if (has(orders, order)) return {table.index_of(column), order == "desc"};
  } catch (const InputError& error) {
    throw InputError(fmt::format(
        "flitscope results: --sort: {}; rows are ordered by columns that are printed", error.what()));
  }
  throw InputError(fmt::format("flitscope results: --sort: the order of {} must be asc or desc, not {}{}",
                               in_quotes(text.substr(0, colon)), in_quotes(order),
                               did_you_mean(order, orders)));
}

}  // namespace

void sort_rows(Table& table, const std::vector<std::string>& keys) {
  std::vector<SortKey> by;
  for (const std::string& key : keys) by.push_back(sort_key_of(key, table));
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
