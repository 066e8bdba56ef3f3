#include "sim/sweep/sweep_page.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/error.h"
#include "model/text.h"
#include "sim/sweep/store.h"
#include "sim/sweep/sweep_directory.h"

namespace flitscope {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

nlohmann::ordered_json sweep_page_data(const std::filesystem::path& directory) {
  const std::filesystem::path file = SweepDirectory::store_in(directory);
  if (!std::filesystem::exists(file)) {
    throw InputError(printable(directory.string()) + ": the sweep has no results yet");
  }
  const Store store(file, Store::Access::read);
  const SweptAxes swept = store.swept();
  const Table table = store.select(store.columns());

  // A column of which nothing is known, or of lists that are no swept values, is left out.
  std::vector<std::size_t> shown;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    const std::string& name = table.columns[column];
    const auto has_name = [&](const auto& axis) { return std::ranges::count(axis, name) > 0; };
    const bool is_swept = std::ranges::any_of(swept, has_name);
    const auto is_plain = [&](const auto& row) {
      return row[column].is_number() || row[column].is_boolean() ||
             (row[column].is_string() && !row[column].template get_ref<const std::string&>().empty());
    };
    if (is_swept || std::ranges::any_of(table.rows, is_plain)) shown.push_back(column);
  }
  Json columns = Json::array();
  for (const std::size_t column : shown) columns.push_back(table.columns[column]);
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    Json cells = Json::array();
    for (const std::size_t column : shown) {
      const Json& cell = row[column];
      const bool is_structure = cell.is_array() || cell.is_object();
      cells.push_back(is_structure ? Json(cell.dump()) : cell);
    }
    rows.push_back(std::move(cells));
  }
  return {{"kind", "sweep"}, {"swept", swept}, {"columns", columns}, {"rows", rows}};
}

}  // namespace flitscope
