// Energy of a run: its events times the energy that a table has for each, and the lengths of links on the
// layout. Keys of the section `energy`, and link.mm.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "params/settings.h"
#include "sim/analysis/network_cost.h"
#include "sim/config/config.h"
#include "sim/formats/energy_table.h"
#include "sim/run/result.h"

namespace flitscope {

/// Whether the configuration names a table of energy.
[[nodiscard]] bool has_energy_table(const Settings& settings);
/// The file of the configuration's own energy table; nothing without one, and of a shipped table.
[[nodiscard]] std::optional<std::filesystem::path> energy_table_file(const ExperimentConfig& config);
/// Names another file with the same table.
void set_energy_table_file(ExperimentConfig& config, const std::string& file);

/// What happened in routers and on links over a run. Nodes that are attached to a router are network
/// interfaces here: their events are left out, their links are not.
struct EnergyEvents {
  std::uint64_t routers = 0;
  /// Each is a buffer write, a buffer read, a switch allocation and a crossbar traversal.
  std::uint64_t router_flits = 0;
  /// Flits, each times the ports of its router.
  std::uint64_t flit_ports = 0;
  std::uint64_t vc_allocations = 0;
  std::uint64_t link_flits = 0;
  std::uint64_t hops = 0;  ///< of flits, from router to router
  std::uint64_t ejected_flits = 0;
  /// Flits on links, each times the millimetres of its link; nothing without `link.mm`.
  std::optional<double> flit_mm;
};
[[nodiscard]] EnergyEvents energy_events(const RunResult& result);

/// Joules, by component.
struct Energy {
  static constexpr std::array kNames{"buffer_write", "buffer_read", "crossbar", "allocation",
                                     "hop",          "wire",        "leakage"};
  std::array<double, kNames.size()> joules{};

  [[nodiscard]] double total() const;
  /// The last of these names.
  [[nodiscard]] double& leakage() { return joules.back(); }
};
/// By the bits of the machine's flits, the flits that the buffers of a port hold, and the ports of routers,
/// as docs/energy.md has it; without a clock no leakage.
[[nodiscard]] Energy energy_of(const EnergyEvents& events, const EnergyTable& table,
                               const ExperimentConfig& config, Cycle cycles);

/// The energy of a run by the table of its configuration.
struct EnergyResult {
  EnergyTable table;
  Energy energy;
  /// Least and largest total by this table and the shipped ones of the next smaller and the next larger
  /// technology.
  double low = 0;
  double high = 0;
  /// Of a byte of the flits delivered, and of a bit of a flit on a link; nothing if there are none.
  std::optional<double> per_byte;
  std::optional<double> per_bit_hop;
  /// Of the hops that messages took beyond a shortest path, which the total has; nothing if they were not
  /// counted.
  std::optional<double> detours;
  /// Mean power in watts, with a clock.
  std::optional<double> power;
  /// What the table, or the configuration, says nothing about.
  std::vector<std::string> left_out;
};
/// Nothing without a table, and of complete networks.
[[nodiscard]] std::optional<EnergyResult> energy_of(const RunResult& result);

// Lengths of links on the layout: the key link.mm.

/// The length of a link of each kind (LinkKinds), or one for all; empty: not known.
[[nodiscard]] const std::vector<Decimal>& link_mm(const ExperimentConfig& config);

/// Of the configuration's network, which must have links, and its machine, which must be complete.
[[nodiscard]] NetworkCost network_cost(const ExperimentConfig& config, double max_work);

}  // namespace flitscope
