// The words of `flitscope results`: every line is an option and its value.
#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "sim/report/plot.h"
#include "sim/sweep/results.h"
#include "sim/sweep/table.h"
#include "tests/fuzz/target.h"

namespace flitscope::fuzz::query_target {
namespace {

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

void read(std::string_view bytes) {
  const auto file = std::filesystem::path(FLITSCOPE_SOURCE_DIR) / "tests/fuzz/corpus/results/small.sqlite";
  const Store store(file, Store::Access::read);
  std::vector<std::string> where;
  std::vector<std::string> columns;
  std::string baseline;
  std::vector<std::string> order;
  std::vector<std::string> cells;
  std::istringstream lines{std::string(bytes)};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t blank = std::min(line.find(' '), line.size());
    const std::string option = line.substr(0, blank);
    const std::string value = line.substr(std::min(blank + 1, line.size()));
    if (option == "where") where.push_back(value);
    if (option == "columns") columns = parts_of(value);
    if (option == "baseline") baseline = value;
    if (option == "sort") order.push_back(value);
    if (option == "pivot") cells = parts_of(value);
  }
  const Results results(store, where);
  Table table = results.runs(columns, baseline);
  if (cells.size() == 3) {
    table = results.pivot(cells[0], cells[1], cells[2]);
    static_cast<void>(results.best(cells[2], {cells[0], cells[1]}));
    static_cast<void>(plot_svg(results.pivot_plot(cells[0], cells[1], cells[2], false, false)));
  }
  sort_rows(table, order);
  static_cast<void>(to_csv(table) + to_markdown(table) + to_text(table));
}

const TargetRegistry::Entry entry{
    {.name = "query", .summary = "options of results, one a line", .read = read}};

}  // namespace
}  // namespace flitscope::fuzz::query_target
