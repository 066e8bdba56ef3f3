#include "sim/sweep/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/text.h"
#include "params/csv_reader.h"

namespace flitscope {

namespace {

std::string plain(const Table::Cell& cell) {
  return cell.is_null() ? "" : cell_text(cell);
}

/// The text of a cell for people, with six digits.
std::string readable(const Table::Cell& cell) {
  if (cell.is_null()) return "-";
  return cell.is_number_float() ? fmt::format("{:.6g}", cell.get<double>()) : printable(plain(cell));
}

/// A text that a spreadsheet does not take for a formula, without control characters.
std::string harmless(const std::string& text) {
  const bool is_formula = text.find_first_of("=+-@\t\r") == 0;
  return (is_formula ? "'" : "") + printable_lines(text);
}

/// A text that Markdown shows as it is; of "[name](link)" the bracket suffices.
std::string without_markup(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char character = text[i];
    const bool begins_link = character == '(' && i > 0 && text[i - 1] == ']';
    if (begins_link || std::string_view("|*`~\\").find(character) != std::string_view::npos) plain += '\\';
    plain += character == '<' ? "&lt;" : character == '&' ? "&amp;" : std::string(1, character);
  }
  return plain;
}

}  // namespace

std::string cell_text(const Table::Cell& cell) {
  return cell.is_string() ? cell.get<std::string>()
                          : cell.dump(-1, ' ', false, Table::Cell::error_handler_t::replace);
}

std::string to_text(const Table& table) {
  const std::vector<std::string> columns = texts_of(table.columns, printable);
  std::vector<std::size_t> widths;
  std::vector<bool> is_numeric(columns.size(), true);
  for (const std::string& column : columns) widths.push_back(column.size());
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], readable(row[i]).size());
      is_numeric[i] = is_numeric[i] && (row[i].is_number() || row[i].is_null());
    }
  }
  std::string text;
  const auto add_line = [&](const auto& cell_at) {
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      line += i == 0 ? "" : "  ";
      line += is_numeric[i] ? fmt::format("{:>{}}", cell_at(i), widths[i])
                            : fmt::format("{:<{}}", cell_at(i), widths[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  add_line([&](std::size_t i) { return columns[i]; });
  for (const auto& row : table.rows) {
    add_line([&](std::size_t i) { return readable(row[i]); });
  }
  return text;
}

std::string to_csv(const Table& table) {
  const auto line = [](const std::vector<std::string>& cells) {
    return fmt::format("{}\n", fmt::join(texts_of(cells, csv_cell), ","));
  };
  const auto safe = [](const Table::Cell& cell) {
    return cell.is_string() ? harmless(plain(cell)) : plain(cell);
  };
  std::string text = line(texts_of(table.columns, harmless));
  for (const auto& row : table.rows) text += line(texts_of(row, safe));
  return text;
}

std::string to_markdown(const Table& table) {
  const auto line = [](const std::vector<std::string>& cells) {
    std::string text = "|";
    for (const std::string& cell : cells) text += " " + without_markup(cell) + " |";
    return text + "\n";
  };
  std::string text =
      line(texts_of(table.columns, printable)) + line(std::vector<std::string>(table.columns.size(), "---"));
  const auto shown = [](const Table::Cell& cell) { return cell.is_null() ? "" : readable(cell); };
  for (const auto& row : table.rows) text += line(texts_of(row, shown));
  return text;
}

std::string to_json_text(const Table& table) {
  Table::Cell list = Table::Cell::array();
  for (const auto& row : table.rows) {
    Table::Cell object = Table::Cell::object();
    for (std::size_t i = 0; i < row.size(); ++i) object[table.columns[i]] = row[i];
    list.push_back(std::move(object));
  }
  // In JSON \u009b is the same text as the character itself.
  return printable_json(list.dump(2, ' ', false, Table::Cell::error_handler_t::replace)) + "\n";
}

}  // namespace flitscope
