// Tables as the program writes them: a header, then rows with as many cells.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/program.h"

namespace flitscope::test {

/// The cells of a line; a cell in double quotes may contain commas.
inline std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char character : line) {
    if (character == '"') {
      quoted = !quoted;
    } else if (character == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += character;
    }
  }
  return cells;
}

/// A row by the names of the columns.
class Row {
 public:
  Row(const std::vector<std::string>& names, const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < names.size(); ++i) cells_[names[i]] = cells[i];
  }
  [[nodiscard]] const std::string& text(const std::string& name) const { return cells_.at(name); }
  /// Signed, so that a difference that went below zero and wrapped is seen for what it is.
  [[nodiscard]] std::int64_t number(const std::string& name) const {
    std::size_t end = 0;
    const auto value = static_cast<std::int64_t>(std::stoull(text(name), &end));
    if (end != text(name).size()) throw std::runtime_error(name + " is no number: " + text(name));
    return value;
  }

 private:
  std::map<std::string, std::string> cells_;
};

struct Table {
  std::vector<std::string> names;
  std::vector<Row> rows;

  [[nodiscard]] std::int64_t sum(const std::string& name) const {
    std::int64_t total = 0;
    for (const Row& row : rows) total += row.number(name);
    return total;
  }
};

/// Throws if a row has another number of cells than the header, or two columns have one name.
inline Table read_csv(const std::filesystem::path& file) {
  std::istringstream stream(text_of(file));
  Table table;
  std::string line;
  std::getline(stream, line);
  table.names = cells_of(line);
  std::map<std::string, int> times;
  for (const std::string& name : table.names) {
    if (name.empty() || ++times[name] > 1) throw std::runtime_error("bad header: " + line);
  }
  while (std::getline(stream, line)) {
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() != table.names.size()) throw std::runtime_error(file.string() + ": bad row: " + line);
    table.rows.emplace_back(table.names, cells);
  }
  return table;
}

}  // namespace flitscope::test
