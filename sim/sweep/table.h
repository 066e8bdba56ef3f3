// A table of cells, and how it is printed.
#pragma once

#include <string>
#include <vector>

#include "sim/formats/strict_json.h"

namespace flitscope {

struct Table {
  using Cell = Json;

  std::vector<std::string> columns;
  /// Each with a cell for every column; null: not known.
  std::vector<std::vector<Cell>> rows;
};

/// A cell that is text as it is, and others as JSON.
[[nodiscard]] std::string cell_text(const Table::Cell& cell);

/// For people: aligned columns, numbers to the right; without control characters.
[[nodiscard]] std::string to_text(const Table& table);
/// RFC 4180, with a header. Lists are JSON in quotes, null is empty. A text that a spreadsheet would take for
/// a formula, since it begins with = + - or @, has an apostrophe before it.
[[nodiscard]] std::string to_csv(const Table& table);
/// A table in Markdown, numbers as in to_text.
[[nodiscard]] std::string to_markdown(const Table& table);
/// A list of objects.
[[nodiscard]] std::string to_json_text(const Table& table);

}  // namespace flitscope
