#include "sim/run/energy.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/error.h"
#include "model/text.h"
#include "sim/formats/strict_json.h"

namespace flitscope {

namespace {

using Value = ParameterValues::Value;

struct EnergySettings {
  std::optional<EnergyTable> table;
  /// As it was given: the name of a shipped table, or the absolute path of a file.
  std::string given;
};

EnergyTable table_of_file(const std::filesystem::path& file) {
  Diagnostics diagnostics;
  auto table = read_energy_table(file_text(file), file.string(), diagnostics);
  diagnostics.throw_if_any();
  return std::move(*table);
}

Row<EnergySettings> table_row() {
  return of_links(Row<EnergySettings>{
      {Parameter::text("table",
                       "energy of events: 45nm, 32nm, 22nm, 12nm, 11nm, or a file ending in "
                       ".yaml, as seen from the configuration's directory")
           .or_else("null")},
      [](EnergySettings& settings, const Value& value, const ReadContext& context) {
        const auto& name = std::get<std::string>(value);
        settings.given = name;
        const auto& shipped = shipped_energy_tables();
        const auto found = std::ranges::find(shipped, name, &EnergyTable::name);
        if (found != shipped.end()) {
          settings.table = *found;
        } else if (name.ends_with(".yaml")) {
          const auto file = std::filesystem::absolute(context.directory / name).lexically_normal();
          settings.table = table_of_file(file);
          settings.given = file.string();
        } else {
          std::vector<std::string> names = texts_of(shipped, &EnergyTable::name);
          throw InputError("must be one of {}, or a file ending in .yaml, not '{}'", fmt::join(names, ", "),
                           name);
        }
      },
      [](const EnergySettings& settings, const Topology&) -> std::optional<Value> {
        return settings.table ? std::optional<Value>(settings.given) : std::nullopt;
      }});
}

const SettingsRegistry::Entry energy_entry{RowSection<EnergySettings>{
    .name = "energy",
    .summary = "what the events of a run cost; no result but energy depends on it",
    .rows = {table_row()},
    .is_there = [](const EnergySettings& settings) { return settings.table.has_value(); }}};

/// Millimetres of every link; nothing without `link.mm`.
std::optional<double> flit_millimetres(const RunResult& result) {
  const std::vector<Decimal>& mm = link_mm(result.config);
  if (mm.empty()) return std::nullopt;
  const LinkKinds kinds(result.config.topology);
  double sum = 0;
  for (const ChannelRecord& channel : result.links()->channels) {
    const double unit = mm[mm.size() == 1 ? 0 : kinds.kind_of(channel.channel)].approximate();
    sum += static_cast<double>(channel.flits) * kinds.length_of(channel.channel) * unit;
  }
  return sum;
}

/// The shipped tables next to a technology.
std::vector<const EnergyTable*> neighbours_of(const EnergyTable& table) {
  std::vector<const EnergyTable*> result;
  const auto& shipped = shipped_energy_tables();
  const auto larger = std::ranges::upper_bound(shipped, table.nanometres, {}, &EnergyTable::nanometres);
  const auto smaller = std::ranges::lower_bound(shipped, table.nanometres, {}, &EnergyTable::nanometres);
  if (smaller != shipped.begin()) result.push_back(&*std::prev(smaller));
  if (larger != shipped.end()) result.push_back(&*larger);
  return result;
}

/// A buffer with r times the flits takes r to the power of this for an access: DSENT at 45 nm, of 4 VCs of 8
/// flits and of 2 VCs of 4 flits.
constexpr double kWriteGrowth = 0.61;
constexpr double kReadGrowth = 0.72;

/// How many times as many flits as in the table's router the buffers of a port hold; 1 if the table has none.
double buffer_ratio(const EnergyTable& table, const MachineConfig& machine) {
  const double measured = static_cast<double>(table.vcs) * table.buffer;
  return measured == 0 ? 1 : static_cast<double>(machine.virtual_channels) * machine.buffer / measured;
}

/// Joules of a flit in a router and on a link of mean length, without leakage.
double joules_of_hop(const Energy& energy, const EnergyEvents& events) {
  double in_routers = 0;
  double on_hops = 0;
  double on_links = 0;
  for (std::size_t i = 0; i < Energy::kNames.size(); ++i) {
    const std::string_view name = Energy::kNames[i];
    if (name == "leakage") continue;
    (name == "wire" ? on_links : name == "hop" ? on_hops : in_routers) += energy.joules[i];
  }
  const auto each = [](double joules, std::uint64_t flits) {
    return flits == 0 ? 0 : joules / static_cast<double>(flits);
  };
  return each(in_routers, events.router_flits) + each(on_hops, events.hops) +
         each(on_links, events.link_flits);
}

}  // namespace

bool has_energy_table(const Settings& settings) {
  return settings.get<EnergySettings>().table.has_value();
}

std::optional<std::filesystem::path> energy_table_file(const ExperimentConfig& config) {
  const auto& settings = config.settings.get<EnergySettings>();
  if (!settings.table || !settings.given.ends_with(".yaml")) return std::nullopt;
  return settings.given;
}

void set_energy_table_file(ExperimentConfig& config, const std::string& file) {
  config.settings.get<EnergySettings>().given = file;
}

EnergyEvents energy_events(const RunResult& result) {
  const LinkResult& links = *result.links();
  const Topology& topology = result.config.topology;
  const std::vector<bool> is_attached = attached_nodes(topology);
  EnergyEvents events;
  for (const RouterRecord& router : links.routers) {
    events.ejected_flits += router.ejected_flits;
    if (is_attached[router.router]) continue;
    events.routers += topology.networks();  // each has a router of its own
    events.router_flits += router.flits;
    events.flit_ports += router.flit_ports;
    events.vc_allocations += router.messages;
  }
  const unsigned ports = topology.link_ports();
  for (const ChannelRecord& channel : links.channels) {
    events.link_flits += channel.flits;
    const auto sender = static_cast<NodeId>(channel.channel / ports);
    const auto receiver = topology.neighbour(sender, static_cast<unsigned>(channel.channel % ports));
    if (!is_attached[sender] && receiver && !is_attached[*receiver]) events.hops += channel.flits;
  }
  events.flit_mm = flit_millimetres(result);
  return events;
}

double Energy::total() const {
  return std::accumulate(joules.begin(), joules.end(), 0.0);
}

Energy energy_of(const EnergyEvents& events, const EnergyTable& table, const ExperimentConfig& config,
                 Cycle cycles) {
  constexpr double kPico = 1e-12;
  constexpr double kMilli = 1e-3;
  const double width = 8.0 * config.machine.flit_bytes / table.flit_bits;
  const double flits = static_cast<double>(events.router_flits) * kPico;
  const double buffers = buffer_ratio(table, config.machine);
  const double crossbar_flits =
      table.ports == 0 ? flits : static_cast<double>(events.flit_ports) / table.ports * kPico;
  const double seconds = config.clock ? config.clock->seconds(static_cast<double>(cycles)) : 0;
  return {{flits * table.buffer_write * width * std::pow(buffers, kWriteGrowth),
           flits * table.buffer_read * width * std::pow(buffers, kReadGrowth),
           crossbar_flits * table.crossbar * width, flits * table.allocation,
           static_cast<double>(events.hops) * kPico * table.hop * width,
           events.flit_mm.value_or(0) * table.wire_mm * width * kPico,
           static_cast<double>(events.routers) * table.leakage_mw.value_or(0) * width * kMilli * seconds}};
}

std::optional<EnergyResult> energy_of(const RunResult& result) {
  const auto& settings = result.config.settings.get<EnergySettings>();
  if (!settings.table || result.links() == nullptr) return std::nullopt;
  const ExperimentConfig& config = result.config;
  const EnergyEvents events = energy_events(result);
  const Cycle cycles = result.counted_cycles();
  EnergyResult answer{.table = *settings.table,
                      .energy = energy_of(events, *settings.table, config, cycles),
                      .per_byte = {},
                      .per_bit_hop = {},
                      .detours = {},
                      .power = {},
                      .left_out = {"network interfaces"}};
  const double total = answer.energy.total();
  answer.low = answer.high = total;
  for (const EnergyTable* const table : neighbours_of(answer.table)) {
    Energy other = energy_of(events, *table, config, cycles);
    // What only one of the tables knows would be no difference of technologies.
    if (!table->leakage_mw || !answer.table.leakage_mw) other.leakage() = answer.energy.leakage();
    answer.low = std::min(answer.low, other.total());
    answer.high = std::max(answer.high, other.total());
  }
  const auto bytes = [&](std::uint64_t flits) {
    return static_cast<double>(flits) * config.machine.flit_bytes;
  };
  if (events.ejected_flits > 0) answer.per_byte = total / bytes(events.ejected_flits);
  if (events.link_flits > 0) answer.per_bit_hop = total / (8 * bytes(events.link_flits));
  if (const auto detours = result.links()->detour_flit_hops) {
    answer.detours = static_cast<double>(*detours) * joules_of_hop(answer.energy, events);
  }
  if (config.clock && cycles > 0) {
    answer.power = total / config.clock->seconds(static_cast<double>(cycles));
  }
  if (!events.flit_mm && answer.table.wire_mm > 0) answer.left_out.emplace_back("wires (no link.mm)");
  if (!answer.table.leakage_mw) answer.left_out.emplace_back("leakage (not in the table)");
  if (answer.table.leakage_mw && !config.clock) answer.left_out.emplace_back("leakage (no clock)");
  return answer;
}

namespace {

struct LayoutSettings {
  std::vector<Decimal> mm;
};

constexpr std::int64_t kMaxMillimetres = 10'000'000;

Row<LayoutSettings> mm_row() {
  return of_links(Row<LayoutSettings>{
      {Parameter::number("mm",
                         "length of a link on the layout, for the network's cost and energy; a list has a "
                         "number for each kind of link: dimensions, or the kinds that `flitscope cost` names",
                         {0, kMaxMillimetres}, "mm")
           .or_else("null"),
       /*is_list=*/false,
       /*or_list=*/true},
      [](LayoutSettings& layout, const Value& value, const ReadContext& context) {
        const auto* const list = std::get_if<std::vector<Decimal>>(&value);
        layout.mm = list == nullptr ? std::vector{std::get<Decimal>(value)} : *list;
        const auto kinds = LinkKinds(context.topology).names();
        if (layout.mm.size() == 1 || layout.mm.size() == kinds.size()) return;
        throw InputError(
            "the links of the {} are of the kinds {}; it must be a number, or a list with one for each kind, "
            "not with {}",
            context.topology.name(), fmt::join(kinds, ", "), layout.mm.size());
      },
      [](const LayoutSettings& layout, const Topology&) -> std::optional<Value> {
        if (layout.mm.empty()) return std::nullopt;
        return layout.mm.size() == 1 ? Value(layout.mm.front()) : Value(layout.mm);
      }});
}

const SettingsRegistry::Entry layout_entry{RowSection<LayoutSettings>{.name = "link", .rows = {mm_row()}}};

}  // namespace

const std::vector<Decimal>& link_mm(const ExperimentConfig& config) {
  return config.settings.get<LayoutSettings>().mm;
}

NetworkCost network_cost(const ExperimentConfig& config, double max_work) {
  return network_cost(config.topology, config.machine, link_mm(config), max_work);
}

}  // namespace flitscope
