#include "sim/config/config_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "model/text.h"
#include "model/units.h"
#include "sim/config/observe_reader.h"

namespace flitscope {

namespace {

using Kind = YamlNode::Kind;

/// False if the file is of another schema version, which makes all else it says meaningless.
bool has_our_version(const YamlNode& root, Mistakes& mistakes) {
  const YamlNode* const version = root.find("flitscope");
  if (version == nullptr || version->quoted || !is_whole_number(version->text) || version->text == "1")
    return true;
  mistakes.add(version->place, fmt::format("this flitscope reads schema version 1, not {}", version->text));
  return false;
}

/// Other commands would run one experiment and ignore the rest.
void refuse_sweep(const YamlNode& root, Mistakes& mistakes) {
  const YamlNode* const sweep = root.find("sweep");
  if (sweep == nullptr) return;
  mistakes.add(
      sweep->key_place,
      "'sweep' describes many runs, which 'flitscope sweep CONFIG' runs; for a single one leave it out "
      "(--set sweep=null takes it away)");
}

/// One section that is not the workload.
ParameterValues read_section(const Section& section, const ReadingContext& context) {
  if (!is_readable(section.name, context)) return {};
  const YamlNode* const map = find_section(context.root, section.name);
  if (map != nullptr) {
    auto known = names_in(section.name);
    if (section.name.empty()) known.emplace_back("sweep");
    refuse_unknown_keys(section.name, *map, known, context.mistakes);
  }
  return read_keys(section.name, section.keys, context);
}

CycleLength read_clock(const ParameterValues& top_level, const ReadingContext& context) {
  const YamlNode* const node = context.root.find("clock");
  if (!top_level.has("clock")) {
    const bool is_absent = node == nullptr || node->kind == Kind::null;
    return {is_absent ? CycleLength::State::absent : CycleLength::State::broken, 0};
  }
  constexpr std::uint64_t kOneSecond = 1'000'000'000'000;
  const auto length = parse_time(top_level.text("clock"));
  if (length.value && *length.value > 0 && *length.value <= kOneSecond) {
    return {CycleLength::State::known, *length.value};
  }
  context.mistakes.add(node->place, fmt::format("clock must be a time from 1ps to 1s, such as 1ns, not {}{}",
                                                in_quotes(top_level.text("clock")),
                                                length.value ? "" : ": " + length.problem));
  return {CycleLength::State::broken, 0};
}

bool is_given(const YamlNode& map, std::string_view key) {
  const YamlNode* const node = map.find(key);
  return node != nullptr && node->kind != Kind::null;
}

/// The keys of the workload that only the algorithm declares.
std::vector<Key> parameter_keys(const Algorithm& algorithm) {
  std::vector<Key> keys;
  for (const Parameter& parameter : algorithm.parameters) keys.push_back({parameter});
  return keys;
}

void refuse_unknown_workload_keys(const YamlNode& map, const Algorithm* algorithm, Mistakes& mistakes) {
  auto known = names_of(config_section("workload").keys);
  if (algorithm != nullptr)
    std::ranges::move(names_of(parameter_keys(*algorithm)), std::back_inserter(known));
  if (algorithm != nullptr || is_given(map, "schedule")) {
    refuse_unknown_keys("workload", map, known, mistakes);
    return;
  }
  // Without an algorithm any key may be a parameter; only what looks like one of ours is surely wrong.
  YamlNode misspelt = map;
  std::erase_if(misspelt.items, [&](const YamlNode& item) { return !nearest_name(item.key, known); });
  refuse_unknown_keys("workload", misspelt, known, mistakes);
}

WorkloadConfig read_workload(const ReadingContext& context, const std::filesystem::path& base_directory) {
  const std::string section = "workload";
  const YamlNode* const map = context.root.find(section);
  if (map == nullptr) {
    context.mistakes.add(context.root.place,
                         "section 'workload' is missing; it must have algorithm or schedule");
    return {};
  }
  if (!is_readable(section, context)) return {};
  const bool has_algorithm = is_given(*map, "algorithm");
  const bool has_schedule = is_given(*map, "schedule");
  if (has_algorithm && has_schedule) {
    context.mistakes.add(map->find("schedule")->place,
                         "workload has both 'algorithm' and 'schedule'; leave one out "
                         "(--set workload.algorithm=null takes a key away)");
  } else if (!has_algorithm && !has_schedule) {
    context.mistakes.add(context.place_of_section(section),
                         "workload must have 'algorithm: NAME' with its parameters, or 'schedule: FILE'");
  }

  const ParameterValues values = read_keys(section, config_section(section).keys, context);
  WorkloadConfig workload;
  if (values.has("algorithm")) workload.algorithm = AlgorithmRegistry::find(values.text("algorithm"));
  refuse_unknown_workload_keys(*map, workload.algorithm, context.mistakes);
  if (workload.algorithm != nullptr) {
    workload.parameters = read_keys(section, parameter_keys(*workload.algorithm), context);
  }
  if (values.has("schedule")) {
    if (values.text("schedule").empty()) {
      context.mistakes.add(map->find("schedule")->place, "workload.schedule must name a file, not be empty");
    }
    workload.schedule_file =
        std::filesystem::absolute(base_directory / values.text("schedule")).lexically_normal();
  }
  if (values.has("schedule_digest")) workload.schedule_digest = values.text("schedule_digest");
  for (const Advance advance : {Advance::dataflow, Advance::table}) {
    if (values.has("advance") && values.text("advance") == name_of(advance)) workload.advance = advance;
  }
  if (values.has("lookahead")) workload.lookahead = values.bytes("lookahead");
  return workload;
}

/// A key of a section that is there, with a value.
const YamlNode* find_given(const std::string& section, const std::string& key,
                           const ReadingContext& context) {
  const YamlNode* const map = find_section(context.root, section);
  if (map == nullptr || map->kind != Kind::map || !is_given(*map, key)) return nullptr;
  return map->find(key);
}

/// A key without a default that a network of this kind cannot do without.
void require_given(const std::string& section, const std::string& name, const ReadingContext& context) {
  if (find_given(section, name, context) != nullptr) return;
  const auto& keys = config_section(section).keys;
  const auto key = std::ranges::find(keys, name, [](const Key& each) { return each.parameter.name; });
  context.mistakes.add(
      context.place_of_section(section),
      fmt::format("key '{}' is missing; it must be {}", path_of(section, name), expected(*key)));
}

/// Keys that a network of this kind does not have, and those it needs.
void check_scopes(TopologyKind kind, const ParameterValues& node, const ReadingContext& context) {
  const bool complete = kind == TopologyKind::complete;
  for (const Section& section : config_sections()) {
    for (const Key& key : section.keys) {
      if (applies(key, kind)) continue;
      const YamlNode* const given = find_given(section.name, key.parameter.name, context);
      if (given == nullptr) continue;
      context.mistakes.add(
          given->key_place,
          fmt::format("{} is for {}, not for a {} one; leave it out",
                      path_of(section.name, key.parameter.name),
                      complete ? "networks with links" : "complete networks", name_of(kind)));
    }
  }
  require_given("topology", complete ? "nodes" : "shape", context);
  if (!complete) return;
  require_given("circuits", "reconfiguration", context);
  if (!node.has("ports") || !std::holds_alternative<std::string>(node.all().at("ports"))) return;
  const YamlNode* const ports = find_given("node", "ports", context);
  context.mistakes.add(ports == nullptr ? context.place_of_section("node") : ports->place,
                       "node.ports must be a number on a complete network: the k ports of every node");
}

std::optional<Topology> make_topology(const ParameterValues& values, const ReadingContext& context) {
  if (!values.has("kind")) return std::nullopt;
  const TopologyKind kind = *topology_kind(values.text("kind"));
  const std::string size = kind == TopologyKind::complete ? "nodes" : "shape";
  if (!values.has(size)) return std::nullopt;
  try {
    return kind == TopologyKind::complete ? Topology::complete(values.bytes(size))
                                          : Topology(kind, values.coordinates(size));
  } catch (const Inadmissible& reason) {
    context.mistakes.add(context.root.find("topology")->find(size)->place, reason.what());
    return std::nullopt;
  }
}

Switching switching_of(const std::string& name) {
  for (const auto switching : {Switching::virtual_cut_through, Switching::store_and_forward}) {
    if (name == name_of(switching)) return switching;
  }
  return Switching::wormhole;
}

/// A number in place of which a word may stand, which then means 0.
unsigned number_or_word(const ParameterValues& values, const std::string& name) {
  const auto* const number = std::get_if<std::int64_t>(&values.all().at(name));
  return number == nullptr ? 0 : static_cast<unsigned>(*number);
}

/// Requires that all values are there.
MachineConfig make_machine(const ParameterValues& router, const ParameterValues& link,
                           const ParameterValues& node, const ParameterValues& circuits) {
  MachineConfig machine;
  machine.switching = switching_of(router.text("switching"));
  machine.routing = router.text("routing") == "auto" ? "" : router.text("routing");
  machine.virtual_channels = number_or_word(router, "virtual_channels");
  machine.buffer = static_cast<std::uint32_t>(router.integer("buffer"));
  machine.router_delay = static_cast<std::uint32_t>(router.integer("delay"));
  machine.link_delay = static_cast<std::uint32_t>(link.integer("delay"));
  machine.allow_deadlock = router.boolean("allow_deadlock");
  machine.ports = number_or_word(node, "ports");
  machine.startup = static_cast<std::uint64_t>(node.integer("startup"));
  machine.slowdown = static_cast<std::uint32_t>(node.integer("slowdown"));
  machine.flit_bytes = static_cast<std::uint32_t>(node.bytes("flit_bytes"));
  if (circuits.has("reconfiguration")) machine.reconfiguration = circuits.bytes("reconfiguration");
  machine.copy = node.number("copy");
  return machine;
}

}  // namespace

std::optional<ExperimentConfig> read_config(const YamlNode& root, const std::filesystem::path& base_directory,
                                            Mistakes& mistakes) {
  if (!has_our_version(root, mistakes)) return std::nullopt;
  refuse_sweep(root, mistakes);
  ReadingContext context{root, {}, mistakes};
  std::map<std::string, ParameterValues> values;
  WorkloadConfig workload;
  for (const Section& section : config_sections()) {
    if (section.name == "workload") {
      workload = read_workload(context, base_directory);
    } else {
      values[section.name] = read_section(section, context);
    }
    if (section.name.empty()) context.clock = read_clock(values[""], context);
  }
  auto topology = make_topology(values["topology"], context);
  if (values["topology"].has("kind")) {
    check_scopes(*topology_kind(values["topology"].text("kind")), values["node"], context);
  }
  if (!topology || !mistakes.none()) return std::nullopt;
  ObserveConfig observe =
      read_observe(values["observe"], values["observe.filter"], values["observe.waves"], *topology, context);
  if (!mistakes.none()) return std::nullopt;

  ExperimentConfig config(std::move(*topology));
  config.name = values[""].text("name");
  if (context.clock.state == CycleLength::State::known) config.clock = context.clock.picoseconds;
  config.machine = make_machine(values["router"], values["link"], values["node"], values["circuits"]);
  config.workload = std::move(workload);
  config.observe = std::move(observe);
  config.cycle_limit = static_cast<std::uint64_t>(values["limits"].integer("cycles"));
  return config;
}

}  // namespace flitscope
