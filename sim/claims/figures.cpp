#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "sim/claims/ledger.h"

namespace flitscope::claims {

std::vector<Table> measure_figures(const Paper& paper, Extent extent) {
  std::vector<Table> tables;
  for (const Figure& figure : paper.figures) {
    try {
      tables.push_back({&figure, figure.rows(extent)});
    } catch (const std::exception& error) {
      throw std::runtime_error(
          fmt::format("the figure {} of {} cannot be computed: {}", figure.id, paper.name, error.what()));
    }
  }
  return tables;
}

std::string text_of(const Table& table) {
  std::vector<std::size_t> widths;
  for (const std::string& column : table.figure->columns) widths.push_back(column.size());
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text = fmt::format("{}: {}\n", table.figure->id, table.figure->caption);
  const auto add = [&](const std::vector<std::string>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) text += fmt::format("  {:>{}}", row[i], widths[i]);
    text += '\n';
  };
  add(table.figure->columns);
  for (const auto& row : table.rows) add(row);
  return text;
}

std::string markdown(const Table& table) {
  std::string text = table.figure->caption + "\n\n";
  const auto add = [&](const std::vector<std::string>& row) {
    for (const std::string& each : row) text += "| " + each + " ";
    text += "|\n";
  };
  add(table.figure->columns);
  add(std::vector<std::string>(table.figure->columns.size(), "---"));
  for (const auto& row : table.rows) add(row);
  return text;
}

nlohmann::ordered_json to_json(const Table& table) {
  return {{"id", table.figure->id},
          {"caption", table.figure->caption},
          {"columns", table.figure->columns},
          {"rows", table.rows}};
}

}  // namespace flitscope::claims
