// Tables of the energy of events: what a flit costs in a router and on a link, for one technology.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "params/diagnostics.h"

namespace flitscope {

/// Of one router, whose flits have `flit_bits` bits. Picojoules a flit, but for the leakage. What a table
/// does not say is 0.
struct EnergyTable {
  std::string name;
  std::string technology;
  std::string activity;
  std::string source;
  double nanometres = 0;
  double voltage = 0;
  unsigned ports = 0;
  unsigned vcs = 0;
  unsigned buffer = 0;
  unsigned flit_bits = 0;
  double buffer_write = 0;
  double buffer_read = 0;
  double crossbar = 0;
  /// The only one that does not grow with the bits of a flit.
  double allocation = 0;
  /// A router and the link behind it together, of tables that do not part them.
  double hop = 0;
  /// A millimetre of a link.
  double wire_mm = 0;
  /// Of a router; nothing if the table has none.
  std::optional<double> leakage_mw = {};
};

/// Reads YAML; nothing, and diagnostics, for what is no table. `name`: the file, as messages call it.
[[nodiscard]] std::optional<EnergyTable> read_energy_table(std::string_view yaml, const std::string& name,
                                                           Diagnostics& diagnostics);

/// The tables of sim/formats/energy_tables, by rising size of the technology.
[[nodiscard]] const std::vector<EnergyTable>& shipped_energy_tables();

namespace energy_tables {

/// A shipped file.
struct File {
  std::string_view name;
  std::string_view text;
};
/// Defined in a source that the build makes of the files.
[[nodiscard]] const std::vector<File>& files();

}  // namespace energy_tables
}  // namespace flitscope
