#include "params/units_of_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "model/numbers.h"
#include "params/csv_reader.h"

namespace flitscope {

namespace {

/// The same name with another ending.
std::string with_ending(const std::string& name, std::string_view ending, std::string_view other) {
  return name.substr(0, name.size() - ending.size()).append(other);
}

}  // namespace

std::optional<NamedUnit> name_in_units(const std::string& name) {
  for (const auto& [ending, factor] : {std::pair("flits_per_node_cycle", &ClockUnits::flit_GBps),
                                       {"flits_per_cycle", &ClockUnits::flit_GBps},
                                       {"bytes_per_cycle", &ClockUnits::byte_GBps}}) {
    if (name.ends_with(ending)) return NamedUnit{with_ending(name, ending, "GBps"), factor};
  }
  constexpr std::array kLoads{"offered",      "offered_min",  "offered_max",   "accepted",
                              "accepted_min", "accepted_max", "delivered_min", "delivered_max"};
  if (std::ranges::count(kLoads, name) > 0) return NamedUnit{name + "_GBps", &ClockUnits::flit_GBps};
  if (name == "cycles") return NamedUnit{"ns", &ClockUnits::cycle_ns};
  // Flit-cycles count waiting flits, and skipped cycles belong to the simulator.
  if (name.find("per_") != std::string::npos || name.ends_with("flit_cycles") || name == "skipped_cycles")
    return std::nullopt;
  for (const std::string_view ending : {"_cycles", "_cycle"}) {
    if (name.ends_with(ending)) return NamedUnit{with_ending(name, ending, "_ns"), &ClockUnits::cycle_ns};
  }
  return std::nullopt;
}

std::string csv_in_units(const std::string& csv, const ClockUnits& units) {
  std::istringstream in(csv);
  CsvReader reader(in, "table");
  std::vector<std::optional<NamedUnit>> names;
  std::string text;
  const auto add = [&](const auto& cell_of, const auto& unit_of) {
    for (std::size_t column = 0; column < names.size(); ++column) {
      text += (column == 0 ? "" : ",") + csv_cell(cell_of(column));
      if (names[column]) text += "," + unit_of(column);
    }
    text += "\n";
  };
  for (const std::string& column : reader.columns()) names.push_back(name_in_units(column));
  add([&](std::size_t column) -> const std::string& { return reader.columns()[column]; },
      [&](std::size_t column) { return names[column]->name; });
  while (reader.next()) {
    add([&](std::size_t column) -> const std::string& { return reader.text(column); },
        [&](std::size_t column) {
          const auto value = number_in<double>(reader.text(column));
          return value ? fmt::format("{:.12g}", *value * (units.*names[column]->factor)) : std::string();
        });
  }
  return text;
}

}  // namespace flitscope
