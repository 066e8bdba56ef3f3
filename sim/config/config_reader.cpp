#include "sim/config/config_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "model/text.h"
#include "model/units.h"
#include "networks/network_family.h"
#include "params/key_names.h"
#include "sim/config/keys.h"
#include "sim/config/section_reader.h"
#include "sim/config/topology_reader.h"

namespace flitscope {

namespace {

using Kind = YamlNode::Kind;

/// False if the file is of another schema version, which makes all else it says meaningless.
bool has_our_version(const YamlNode& root, Diagnostics& diagnostics) {
  const YamlNode* const version = root.find("flitscope");
  if (version == nullptr || version->quoted || !is_whole_number(version->text) || version->text == "1")
    return true;
  diagnostics.add(version->place,
                  fmt::format("this flitscope reads schema version 1, not {}", version->text));
  return false;
}

/// Other commands would run one experiment and ignore the rest.
void refuse_sweep(const YamlNode& root, Diagnostics& diagnostics) {
  const YamlNode* const sweep = root.find("sweep");
  if (sweep == nullptr) return;
  diagnostics.add(
      sweep->key_place,
      "'sweep' describes many runs, which 'flitscope sweep CONFIG' runs; for a single one leave it out "
      "(--set sweep=null takes it away)");
}

bool is_given(const YamlNode& map, std::string_view key) {
  const YamlNode* const node = map.find(key);
  return node != nullptr && node->kind != Kind::null;
}

/// What kind of workload is described, as far as it can be told.
KeyWork work_of(const YamlNode& root) {
  const YamlNode* const workload = find_section(root, "workload");
  if (workload == nullptr) return KeyWork::schedules;
  return is_given(*workload, "traffic")   ? KeyWork::one_class
         : is_given(*workload, "classes") ? KeyWork::traffic
                                          : KeyWork::schedules;
}

/// The keys of a section that this network and this workload have. If its kind is not known: all that any
/// has, but for those that only some must have and that are not there.
Keys keys_here(const Section& section, const ReadingContext& context) {
  const YamlNode* const map = find_section(context.root, section.name);
  const KeyWork work = work_of(context.root);
  const auto is_wanted = [&](const Key& key) {
    if (!applies(key, work)) return false;
    if (context.kind) return applies(key, *context.kind);
    const bool may_be_missed = key.scope != KeyScope::all && key.parameter.fallback.empty();
    return !may_be_missed || (map != nullptr && is_given(*map, key.parameter.name));
  };
  Keys keys;
  for (const Key& key : section.keys) {
    if (is_wanted(key)) keys.push_back(&key);
  }
  return keys;
}

/// The networks that have a key.
const char* networks_of(const Section& section, const std::string& name) {
  const auto key = std::ranges::find(section.keys, name, [](const Key& each) { return each.parameter.name; });
  switch (key->scope) {
    case KeyScope::circuits:
      return "complete networks";
    case KeyScope::grids:
      return "tori and meshes";
    case KeyScope::graphs:
      return "graphs";
    case KeyScope::links:
    case KeyScope::all:
      break;
  }
  return "networks with links";
}

/// Keys that other networks have.
void refuse_keys_elsewhere(const Section& section, const YamlNode& map, const ReadingContext& context,
                           const std::vector<Parameter>& more = {}) {
  if (!context.kind) return;
  const auto is_of = [&](const std::string& name, auto... what) {
    return std::ranges::any_of(section.keys, [&](const Key& key) {
      return key.parameter.name == name && (applies(key, what) && ...);
    });
  };
  const KeyWork work = work_of(context.root);
  for (const std::string& name : names_of(section.keys)) {
    if (!is_given(map, name) || !is_of(name, work) || is_of(name, work, *context.kind)) continue;
    if (std::ranges::count(more, name, &Parameter::name) > 0) continue;
    context.diagnostics.add(
        map.find(name)->key_place,
        fmt::format("{} is for {}, not for a {} one; leave it out", path_of(section.name, name),
                    networks_of(section, name), name_of(*context.kind)));
  }
}

/// The values of one section that is not the workload. Keys that `more` declares are read elsewhere.
ParameterValues read_section(const Section& section, const ReadingContext& context,
                             const std::vector<Parameter>& more = {}) {
  if (!is_readable(section.name, context)) return {};
  const YamlNode* const map = find_section(context.root, section.name);
  if (map != nullptr) {
    auto known = names_in(section.name);
    if (section.name.empty()) known.emplace_back("sweep");
    for (const Parameter& parameter : more) known.push_back(parameter.name);
    refuse_unknown_keys(section.name, *map, known, context.diagnostics);
    refuse_keys_elsewhere(section, *map, context, more);
  }
  auto keys = keys_here(section, context);
  std::erase_if(keys, [&](const Key* key) {
    return std::ranges::count(more, key->parameter.name, &Parameter::name) > 0;
  });
  return read_keys(section.name, keys, context);
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
  context.diagnostics.add(
      node->place,
      fmt::format("clock must be a time from 1ps to 1s, such as 1ns, not {}{}",
                  in_quotes(top_level.text("clock")), length.value ? "" : ": " + length.problem));
  return {CycleLength::State::broken, 0};
}

/// Keys of the other kind of workload. A parameter of the algorithm may have the name of one.
void refuse_keys_of_other_work(const YamlNode& map, const std::vector<Parameter>& parameters,
                               const ReadingContext& context) {
  const KeyWork work = work_of(context.root);
  for (const Key& key : config_section("workload").keys) {
    const std::string& name = key.parameter.name;
    if (applies(key, work) || !is_given(map, name)) continue;
    if (std::ranges::count(parameters, name, &Parameter::name) > 0) continue;
    const std::string path = path_of("workload", name);
    context.diagnostics.add(
        map.find(name)->key_place,
        work == KeyWork::schedules
            ? fmt::format("{} goes with traffic, not with a schedule; leave it out", path)
        : key.work == KeyWork::one_class
            ? fmt::format("{} belongs to each class for itself; write it in the items of workload.classes",
                          path)
            : fmt::format("{} goes with an algorithm or a schedule, not with traffic; leave it out", path));
  }
}

/// Without an algorithm any algorithm's parameter may be meant.
void refuse_unknown_workload_keys(const YamlNode& map, const Algorithm* algorithm, const Traffic* pattern,
                                  Diagnostics& diagnostics) {
  auto known = names_in("workload");
  if (pattern != nullptr) {
    std::ranges::move(names_of(parameter_keys(pattern->parameters)), std::back_inserter(known));
    return refuse_unknown_keys("workload", map, known, diagnostics);
  }
  const bool any = algorithm == nullptr && !is_given(map, "schedule") && !is_given(map, "traffic") &&
                   !is_given(map, "classes");
  for (const Algorithm& each : AlgorithmRegistry::all()) {
    if (&each != algorithm && !any) continue;
    std::ranges::move(names_of(parameter_keys(each.parameters)), std::back_inserter(known));
  }
  if (!any) return refuse_unknown_keys("workload", map, known, diagnostics);
  for (const YamlNode& item : map.items) {
    if (std::ranges::count(known, item.key) > 0) continue;
    const std::string path = path_of("workload", item.key);
    const auto other = other_name_of_key(path);
    const std::string near = other ? "; " + *other : did_you_mean(item.key, known);
    diagnostics.add(item.key_place, fmt::format("unknown key {}{}", in_quotes(path),
                                                near.empty() ? "; no algorithm has such a parameter" : near));
  }
}

void require_one_kind_of_work(const YamlNode& map, const ReadingContext& context) {
  std::vector<std::string> given;
  for (const char* const key : {"algorithm", "schedule", "traffic", "classes"}) {
    if (is_given(map, key)) given.emplace_back(key);
  }
  if (given.size() > 1) {
    context.diagnostics.add(
        map.find(given[1])->place,
        fmt::format("workload has both '{}' and '{}'; leave one out (--set workload.{}=null "
                    "takes a key away)",
                    given[0], given[1], given[0]));
  } else if (given.empty()) {
    context.diagnostics.add(context.place_of_section("workload"),
                            "workload must have 'algorithm: NAME' with its parameters, 'schedule: FILE', "
                            "'traffic: PATTERN', or 'classes: [..]', a list of such traffic");
  }
}

/// The values of the workload's own keys; those of the parameters of its algorithm or pattern go to
/// `parameters`.
ParameterValues read_workload(const ReadingContext& context, const std::filesystem::path& directory,
                              ParameterValues& parameters) {
  const Section& section = config_section("workload");
  const YamlNode* const map = context.root.find(section.name);
  if (map == nullptr) {
    context.diagnostics.add(context.root.place,
                            "section 'workload' is missing; it must have algorithm, schedule or traffic");
    return {};
  }
  if (!is_readable(section.name, context)) return {};
  require_one_kind_of_work(*map, context);
  refuse_keys_elsewhere(section, *map, context);
  ParameterValues values = read_keys(section.name, keys_here(section, context), context);
  const Algorithm* const algorithm =
      values.has("algorithm") ? AlgorithmRegistry::find(values.text("algorithm")) : nullptr;
  const Traffic* const pattern =
      values.has("traffic") ? TrafficRegistry::find(values.text("traffic")) : nullptr;
  refuse_unknown_workload_keys(*map, algorithm, pattern, context.diagnostics);
  std::vector<Parameter> declared;
  if (pattern != nullptr) {
    declared = pattern->parameters;
  } else if (algorithm != nullptr) {
    declared = algorithm->parameters;
  }
  // Of an unknown algorithm any key may be a parameter.
  if (algorithm != nullptr || pattern != nullptr || is_given(*map, "schedule") || is_given(*map, "classes")) {
    refuse_keys_of_other_work(*map, declared, context);
  }
  parameters = read_parameters(section.name, declared, context, directory);
  if (values.has("schedule") && values.text("schedule").empty()) {
    context.diagnostics.add(map->find("schedule")->place, "workload.schedule must name a file, not be empty");
  }
  return values;
}

/// A section with traffic and its values; those of the parameters of its pattern are apart.
struct TrafficSection {
  std::string name;
  ParameterValues values = {};
  ParameterValues parameters = {};
};

/// The values of a section with traffic that is not alone, which is there.
ParameterValues read_traffic(const std::string& name, const ReadingContext& context,
                             const std::filesystem::path& directory, ParameterValues& parameters) {
  if (!is_readable(name, context)) return {};
  const YamlNode* const map = find_section(context.root, name);
  Section section = config_section(name);
  section.name = name;
  refuse_keys_elsewhere(section, *map, context);
  ParameterValues values = read_keys(section.name, keys_here(section, context), context);
  const Traffic* const pattern =
      values.has("traffic") ? TrafficRegistry::find(values.text("traffic")) : nullptr;
  if (pattern == nullptr) return values;
  auto known = names_of(section.keys);
  std::ranges::move(names_of(parameter_keys(pattern->parameters)), std::back_inserter(known));
  refuse_unknown_keys(section.name, *map, known, context.diagnostics);
  parameters = read_parameters(section.name, pattern->parameters, context, directory);
  return values;
}

/// The section `workload.background`, which need not be there.
TrafficSection read_background(const ReadingContext& context, const std::filesystem::path& directory) {
  TrafficSection section{"workload.background"};
  const YamlNode* const map = find_section(context.root, section.name);
  if (map == nullptr || map->kind == Kind::null) return section;
  if (work_of(context.root) != KeyWork::schedules) {
    context.diagnostics.add(
        map->key_place,
        "workload.background goes with an algorithm or a schedule, not with traffic; leave "
        "it out");
    return section;
  }
  section.values = read_traffic(section.name, context, directory, section.parameters);
  return section;
}

/// The items of `workload.classes`, which need not be there.
std::vector<TrafficSection> read_classes(const ReadingContext& context,
                                         const std::filesystem::path& directory) {
  const YamlNode* const list = find_section(context.root, std::string(kClasses));
  if (list == nullptr || list->kind == Kind::null || list->kind == Kind::refused) return {};
  if (list->kind != Kind::sequence || list->items.empty()) {
    context.diagnostics.add(list->place,
                            "workload.classes must be a list with a map for each class, such as "
                            "[{traffic: uniform, load: 0.1}, {traffic: hotspot, load: 0.01}]");
    return {};
  }
  std::vector<TrafficSection> classes;
  for (std::size_t item = 0; item < list->items.size(); ++item) {
    TrafficSection& section = classes.emplace_back(TrafficSection{class_section_name(item)});
    section.values = read_traffic(section.name, context, directory, section.parameters);
  }
  return classes;
}

/// Puts values into the fields they are bound to.
void fill(ExperimentConfig& config, const RowSection<ExperimentConfig>& section,
          const ParameterValues& values, const ReadContext& surroundings, const ReadingContext& context) {
  const KeyWork work = work_of(context.root);
  for (const Row<ExperimentConfig>& row : section.rows) {
    const std::string& name = row.key.parameter.name;
    const bool is_here = applies(row.key, *context.kind) && applies(row.key, work);
    if (!row.put || !is_here || !values.has(name)) continue;
    try {
      row.put(config, values.all().at(name), surroundings);
    } catch (const Inadmissible& reason) {  // of a part of the value
      context.diagnostics.add(context.place_of(reason.key()), reason.what());
    } catch (const InputError& error) {
      const std::string path = path_of(section.name, name);
      context.diagnostics.add(context.place_of(path), fmt::format("{}: {}", path, error.what()));
    }
  }
}

void check(const ExperimentConfig& config, const RowSection<ExperimentConfig>& section,
           const ReadingContext& context) {
  if (!section.check) return;
  try {
    section.check(config, config.topology);
  } catch (const Inadmissible& reason) {
    context.diagnostics.add(context.place_of(reason.key()), reason.what());
  }
}

}  // namespace

std::optional<ExperimentConfig> read_config(const YamlNode& root, const std::filesystem::path& base_directory,
                                            Diagnostics& diagnostics, KnownNetworks* networks) {
  if (!has_our_version(root, diagnostics)) return std::nullopt;
  refuse_sweep(root, diagnostics);
  ReadingContext context{root, {}, named_kind(root), diagnostics, networks};
  std::map<std::string, ParameterValues> values;
  ParameterValues parameters;
  TrafficSection background;
  std::vector<TrafficSection> classes;
  for (const Section& section : config_sections()) {
    const NetworkFamily* const family = section.name == "topology" ? named_family(root) : nullptr;
    if (section.name == "workload") {
      values[section.name] = read_workload(context, base_directory, parameters);
    } else if (section.name == "workload.background") {
      background = read_background(context, base_directory);
      values[section.name] = background.values;
    } else if (section.name == kClasses) {
      classes = read_classes(context, base_directory);
      for (const TrafficSection& each : classes) values[each.name] = each.values;
    } else if (family != nullptr) {
      values[section.name] = read_section(section, context, family->parameters);
    } else {
      values[section.name] = read_section(section, context);
    }
    if (section.name.empty()) context.clock = read_clock(values[""], context);
  }
  auto topology = read_topology(values, context, base_directory);
  if (!topology || !diagnostics.none()) return std::nullopt;

  ExperimentConfig config(std::move(*topology));
  const bool has_traffic = work_of(root) == KeyWork::one_class;
  (has_traffic ? config.workload.traffic.parameters : config.workload.parameters) = std::move(parameters);
  if (values["workload.background"].has("traffic")) {
    config.workload.background.emplace().parameters = std::move(background.parameters);
  }
  for (TrafficSection& each : classes) {
    config.workload.classes.emplace_back().parameters = std::move(each.parameters);
  }
  const ReadContext surroundings{config.topology, base_directory};
  for_each_section(config, [&](const RowSection<ExperimentConfig>& section) {
    fill(config, section, values[section.name], surroundings, context);
  });
  if (!diagnostics.none()) return std::nullopt;
  take_link_times(config);
  for_each_section(config,
                   [&](const RowSection<ExperimentConfig>& section) { check(config, section, context); });
  return diagnostics.none() ? std::optional(std::move(config)) : std::nullopt;
}

}  // namespace flitscope
