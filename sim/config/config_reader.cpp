#include "sim/config/config_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "model/graph.h"
#include "model/network_family.h"
#include "model/place_names.h"
#include "model/text.h"
#include "model/units.h"
#include "sim/config/faults.h"
#include "sim/config/graph_file.h"
#include "sim/config/keys.h"
#include "sim/config/routes_file.h"
#include "sim/config/section_reader.h"

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

bool is_given(const YamlNode& map, std::string_view key) {
  const YamlNode* const node = map.find(key);
  return node != nullptr && node->kind != Kind::null;
}

/// The kind of network, as far as it can be told before all is read.
std::optional<TopologyKind> kind_of(const YamlNode& root) {
  const YamlNode* const kind = find_section(root, "topology.kind");
  if (kind == nullptr || kind->kind != Kind::scalar) return std::nullopt;
  return FamilyRegistry::find(kind->text) != nullptr ? TopologyKind::graph : topology_kind(kind->text);
}

/// The family of networks that is named, if one is.
const NetworkFamily* family_of(const YamlNode& root) {
  const YamlNode* const kind = find_section(root, "topology.kind");
  return kind == nullptr || kind->kind != Kind::scalar ? nullptr : FamilyRegistry::find(kind->text);
}

/// What kind of workload is described, as far as it can be told.
KeyWork work_of(const YamlNode& root) {
  const YamlNode* const traffic = find_section(root, "workload.traffic");
  return traffic == nullptr || traffic->kind == Kind::null ? KeyWork::schedules : KeyWork::traffic;
}

/// The keys of a section that this network and this workload have. If its kind is not known: all that any
/// has, but for those that only some must have and that are not there.
std::vector<Key> keys_here(const Section& section, const ReadingContext& context) {
  const YamlNode* const map = find_section(context.root, section.name);
  const KeyWork work = work_of(context.root);
  const auto is_wanted = [&](const Key& key) {
    if (!applies(key, work)) return false;
    if (context.kind) return applies(key, *context.kind);
    const bool may_be_missed = key.scope != KeyScope::all && key.parameter.fallback.empty();
    return !may_be_missed || (map != nullptr && is_given(*map, key.parameter.name));
  };
  std::vector<Key> keys;
  std::ranges::copy_if(section.keys, std::back_inserter(keys), is_wanted);
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
    context.mistakes.add(
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
    refuse_unknown_keys(section.name, *map, known, context.mistakes);
    refuse_keys_elsewhere(section, *map, context, more);
  }
  auto keys = keys_here(section, context);
  std::erase_if(keys, [&](const Key& key) {
    return std::ranges::count(more, key.parameter.name, &Parameter::name) > 0;
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
  context.mistakes.add(node->place, fmt::format("clock must be a time from 1ps to 1s, such as 1ns, not {}{}",
                                                in_quotes(top_level.text("clock")),
                                                length.value ? "" : ": " + length.problem));
  return {CycleLength::State::broken, 0};
}

/// The keys of the workload that only an algorithm, or a traffic pattern, declares.
std::vector<Key> parameter_keys(const std::vector<Parameter>& parameters) {
  std::vector<Key> keys;
  for (const Parameter& parameter : parameters) keys.push_back({parameter});
  return keys;
}

/// Keys of the other kind of workload. A parameter of the algorithm may have the name of one.
void refuse_keys_of_other_work(const YamlNode& map, const std::vector<Parameter>& parameters,
                               const ReadingContext& context) {
  const KeyWork work = work_of(context.root);
  for (const Key& key : config_section("workload").keys) {
    const std::string& name = key.parameter.name;
    if (applies(key, work) || !is_given(map, name)) continue;
    if (std::ranges::count(parameters, name, &Parameter::name) > 0) continue;
    context.mistakes.add(map.find(name)->key_place,
                         fmt::format("{} goes with {}; leave it out", path_of("workload", name),
                                     work == KeyWork::traffic ? "an algorithm or a schedule, not with traffic"
                                                              : "traffic, not with a schedule"));
  }
}

/// Relative files are seen from the configuration's directory.
void make_absolute(ParameterValues& values, const std::vector<Parameter>& parameters,
                   const std::filesystem::path& directory) {
  for (const Parameter& parameter : parameters) {
    if (parameter.type != ParameterType::file || !values.has(parameter.name)) continue;
    const auto file = std::filesystem::absolute(directory / values.text(parameter.name)).lexically_normal();
    values.set(parameter.name, file.string());
  }
}

/// Without an algorithm any algorithm's parameter may be meant.
void refuse_unknown_workload_keys(const YamlNode& map, const Algorithm* algorithm, const Traffic* pattern,
                                  Mistakes& mistakes) {
  auto known = names_in("workload");
  if (pattern != nullptr) {
    std::ranges::move(names_of(parameter_keys(pattern->parameters)), std::back_inserter(known));
    return refuse_unknown_keys("workload", map, known, mistakes);
  }
  const bool any = algorithm == nullptr && !is_given(map, "schedule") && !is_given(map, "traffic");
  for (const Algorithm& each : AlgorithmRegistry::all()) {
    if (&each != algorithm && !any) continue;
    std::ranges::move(names_of(parameter_keys(each.parameters)), std::back_inserter(known));
  }
  if (!any) return refuse_unknown_keys("workload", map, known, mistakes);
  for (const YamlNode& item : map.items) {
    if (std::ranges::count(known, item.key) > 0) continue;
    const std::string near = did_you_mean(item.key, known);
    mistakes.add(item.key_place, fmt::format("unknown key {}{}", in_quotes(path_of("workload", item.key)),
                                             near.empty() ? "; no algorithm has such a parameter" : near));
  }
}

void require_one_kind_of_work(const YamlNode& map, const ReadingContext& context) {
  std::vector<std::string> given;
  for (const char* const key : {"algorithm", "schedule", "traffic"}) {
    if (is_given(map, key)) given.emplace_back(key);
  }
  if (given.size() > 1) {
    context.mistakes.add(map.find(given[1])->place,
                         fmt::format("workload has both '{}' and '{}'; leave one out (--set workload.{}=null "
                                     "takes a key away)",
                                     given[0], given[1], given[0]));
  } else if (given.empty()) {
    context.mistakes.add(context.place_of_section("workload"),
                         "workload must have 'algorithm: NAME' with its parameters, 'schedule: FILE', or "
                         "'traffic: PATTERN'");
  }
}

/// The values of the workload's own keys; those of the parameters of its algorithm or pattern go to
/// `parameters`.
ParameterValues read_workload(const ReadingContext& context, const std::filesystem::path& directory,
                              ParameterValues& parameters) {
  const Section& section = config_section("workload");
  const YamlNode* const map = context.root.find(section.name);
  if (map == nullptr) {
    context.mistakes.add(context.root.place,
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
  refuse_unknown_workload_keys(*map, algorithm, pattern, context.mistakes);
  std::vector<Parameter> declared;
  if (pattern != nullptr) {
    declared = pattern->parameters;
  } else if (algorithm != nullptr) {
    declared = algorithm->parameters;
  }
  // Of an unknown algorithm any key may be a parameter.
  if (algorithm != nullptr || pattern != nullptr || is_given(*map, "schedule")) {
    refuse_keys_of_other_work(*map, declared, context);
  }
  parameters = read_keys(section.name, parameter_keys(declared), context);
  make_absolute(parameters, declared, directory);
  if (values.has("schedule") && values.text("schedule").empty()) {
    context.mistakes.add(map->find("schedule")->place, "workload.schedule must name a file, not be empty");
  }
  return values;
}

/// The values of the section `workload.background`, which need not be there; those of the parameters of its
/// pattern go to `parameters`.
ParameterValues read_background(const ReadingContext& context, const std::filesystem::path& directory,
                                ParameterValues& parameters) {
  const Section& section = config_section("workload.background");
  const YamlNode* const map = find_section(context.root, section.name);
  if (map == nullptr || map->kind == Kind::null || !is_readable(section.name, context)) return {};
  if (work_of(context.root) == KeyWork::traffic) {
    context.mistakes.add(map->key_place,
                         "workload.background goes with an algorithm or a schedule, not with traffic; leave "
                         "it out");
    return {};
  }
  refuse_keys_elsewhere(section, *map, context);
  ParameterValues values = read_keys(section.name, keys_here(section, context), context);
  const Traffic* const pattern =
      values.has("traffic") ? TrafficRegistry::find(values.text("traffic")) : nullptr;
  if (pattern == nullptr) return values;
  const auto declared = parameter_keys(pattern->parameters);
  auto known = names_of(section.keys);
  std::ranges::move(names_of(declared), std::back_inserter(known));
  refuse_unknown_keys(section.name, *map, known, context.mistakes);
  parameters = read_keys(section.name, declared, context);
  make_absolute(parameters, pattern->parameters, directory);
  return values;
}

/// The key that a path names if it is given, otherwise the section it is in.
const Place& place_of(const std::string& path, const ReadingContext& context) {
  const YamlNode* const given = find_section(context.root, path);
  const bool has_key = given != nullptr && given->kind == Kind::map && !given->key.empty();
  if (given != nullptr) return has_key ? given->key_place : given->place;
  const std::size_t dot = path.rfind('.');
  return context.place_of_section(dot == std::string::npos ? "" : path.substr(0, dot));
}

/// The values of the parameters of the network's family, if it has one.
ParameterValues read_family(const ReadingContext& context, const std::filesystem::path& directory) {
  const NetworkFamily* const family = family_of(context.root);
  if (family == nullptr || !is_readable("topology", context)) return {};
  ParameterValues values = read_keys("topology", parameter_keys(family->parameters), context);
  make_absolute(values, family->parameters, directory);
  return values;
}

/// A graph, of a family or from its file.
std::optional<Topology> make_graph_topology(const ParameterValues& values, const ParameterValues& parameters,
                                            const ReadingContext& context,
                                            const std::filesystem::path& directory) {
  if (const NetworkFamily* const family = family_of(context.root)) {
    if (parameters.all().size() != family->parameters.size()) return std::nullopt;
    return Topology::of(make_graph(*family, parameters));
  }
  if (!values.has("file")) {
    context.mistakes.add(
        context.place_of_section("topology"),
        "topology.file is missing; a graph comes from a file: {kind: graph, file: net.yaml}");
    return std::nullopt;
  }
  auto plan = read_graph(directory / values.text("file"), context.mistakes);
  if (!plan) return std::nullopt;
  auto graph = std::make_shared<const Graph>(std::move(*plan));
  if (values.has("digest") && values.text("digest") != graph->digest()) {
    context.mistakes.add(
        place_of("topology.digest", context),
        fmt::format("{} is not the network it was: its digest is {}, not {}", printable(values.text("file")),
                    graph->digest(), printable(values.text("digest"))));
    return std::nullopt;
  }
  return Topology::of(std::move(graph));
}

/// What is missing of a torus or mesh; nothing if that is not described well.
std::optional<Faults> read_faults(const ParameterValues& top_level, const ParameterValues& values,
                                  const Topology& whole, const ReadingContext& context) {
  Faults faults;
  bool sound = true;
  const auto read = [&](const std::string& key, std::size_t item, auto take) {
    try {
      take();
    } catch (const InputError& error) {
      const Place& place = find_section(context.root, key)->items[item].place;
      context.mistakes.add(place, fmt::format("{}[{}]: {}", key, item, error.what()));
      sound = false;
    }
  };
  const auto links = top_level.has("links") ? std::get<std::vector<LinkSetting>>(top_level.all().at("links"))
                                            : std::vector<LinkSetting>();
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (links[i].missing)
      read("links", i,
           [&] { std::ranges::copy(links_of(links[i], whole), std::back_inserter(faults.links)); });
  }
  const auto nodes = values.has("missing_nodes") ? values.texts("missing_nodes") : std::vector<std::string>();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    read("topology.missing_nodes", i, [&] { faults.nodes.push_back(parse_node(nodes[i], whole)); });
  }
  return sound ? std::optional(std::move(faults)) : std::nullopt;
}

/// Only of tori and meshes single links can be missing: a graph has the links that it lists.
void refuse_missing_links(const ParameterValues& top_level, const ReadingContext& context) {
  if (!top_level.has("links")) return;
  const auto& links = std::get<std::vector<LinkSetting>>(top_level.all().at("links"));
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (!links[i].missing) continue;
    context.mistakes.add(find_section(context.root, "links")->items[i].place,
                         fmt::format("links[{}]: links can be missing of tori and meshes only; a graph has "
                                     "those that it lists",
                                     i));
  }
}

std::optional<Topology> make_topology(const ParameterValues& top_level, const ParameterValues& values,
                                      const ParameterValues& parameters, const ReadingContext& context,
                                      const std::filesystem::path& directory) {
  if (!context.kind) return std::nullopt;
  try {
    if (*context.kind == TopologyKind::graph) {
      refuse_missing_links(top_level, context);
      return make_graph_topology(values, parameters, context, directory);
    }
    if (!has_links(*context.kind)) {
      return values.has("nodes") ? std::optional(Topology::complete(values.bytes("nodes"))) : std::nullopt;
    }
    if (!values.has("shape")) return std::nullopt;
    const Topology whole(*context.kind, values.coordinates("shape"));
    const auto faults = read_faults(top_level, values, whole, context);
    return faults ? std::optional(whole.without(*faults)) : std::nullopt;
  } catch (const Inadmissible& reason) {
    context.mistakes.add(place_of(reason.key(), context), reason.what());
    return std::nullopt;
  }
}

/// The network with the routes that are given for it, if any.
std::optional<Topology> with_routes(Topology topology, const ParameterValues& router,
                                    const ReadingContext& context, const std::filesystem::path& directory) {
  const bool wanted = router.has("routing") && router.text("routing") == "table";
  if (!router.has("file")) return topology;
  if (!wanted) {
    context.mistakes.add(place_of("router.file", context),
                         "router.file goes with 'routing: table'; leave it out");
    return std::nullopt;
  }
  auto routes = read_routes(directory / router.text("file"), topology, context.mistakes);
  if (routes == nullptr) return std::nullopt;
  return topology.with_routes(std::move(routes));
}

/// Puts values into the fields they are bound to.
void fill(ExperimentConfig& config, const RowSection<ExperimentConfig>& section,
          const ParameterValues& values, const Surroundings& surroundings, const ReadingContext& context) {
  for (const Row<ExperimentConfig>& row : section.rows) {
    const std::string& name = row.key.parameter.name;
    const bool is_here = applies(row.key, *context.kind) && applies(row.key, work_of(context.root));
    if (!row.put || !is_here || !values.has(name)) continue;
    try {
      row.put(config, values.all().at(name), surroundings);
    } catch (const Inadmissible& reason) {  // of a part of the value
      context.mistakes.add(place_of(reason.key(), context), reason.what());
    } catch (const InputError& error) {
      const std::string path = path_of(section.name, name);
      context.mistakes.add(place_of(path, context), fmt::format("{}: {}", path, error.what()));
    }
  }
}

void check(const ExperimentConfig& config, const RowSection<ExperimentConfig>& section,
           const ReadingContext& context) {
  if (!section.check) return;
  try {
    section.check(config, config.topology);
  } catch (const Inadmissible& reason) {
    context.mistakes.add(place_of(reason.key(), context), reason.what());
  }
}

/// Links of a graph have times of their own if it says so.
void take_link_times(ExperimentConfig& config) {
  const Topology& topology = config.topology;
  const Graph* const graph = topology.graph();
  const auto says_something = [](const GraphPlan::Link& link) { return link.delay || link.rate; };
  if (graph == nullptr || std::ranges::none_of(graph->plan().links, says_something)) return;
  MachineConfig& machine = config.machine;
  machine.links.by_channel.assign(topology.channel_ids(), {machine.link_delay, machine.link_rate});
  for (ChannelId channel = 0; channel < topology.channel_ids(); ++channel) {
    const NodeId router = topology.channel_node(channel);
    const unsigned port = topology.channel_port(channel);
    if (!topology.has_link(router, port)) continue;
    const GraphPlan::Link& link = graph->link(router, port);
    machine.links.by_channel[channel] = {link.delay.value_or(machine.link_delay),
                                         link.rate.value_or(machine.link_rate)};
  }
}

}  // namespace

std::optional<ExperimentConfig> read_config(const YamlNode& root, const std::filesystem::path& base_directory,
                                            Mistakes& mistakes) {
  if (!has_our_version(root, mistakes)) return std::nullopt;
  refuse_sweep(root, mistakes);
  ReadingContext context{root, {}, kind_of(root), mistakes};
  std::map<std::string, ParameterValues> values;
  ParameterValues parameters;
  ParameterValues background;
  for (const Section& section : config_sections()) {
    const NetworkFamily* const family = section.name == "topology" ? family_of(root) : nullptr;
    if (section.name == "workload") {
      values[section.name] = read_workload(context, base_directory, parameters);
    } else if (section.name == "workload.background") {
      values[section.name] = read_background(context, base_directory, background);
    } else if (family != nullptr) {
      values[section.name] = read_section(section, context, family->parameters);
    } else {
      values[section.name] = read_section(section, context);
    }
    if (section.name.empty()) context.clock = read_clock(values[""], context);
  }
  const ParameterValues of_family = read_family(context, base_directory);
  auto topology = make_topology(values[""], values["topology"], of_family, context, base_directory);
  if (!topology || !mistakes.none()) return std::nullopt;

  topology = with_routes(std::move(*topology), values["router"], context, base_directory);
  if (!topology) return std::nullopt;
  ExperimentConfig config(std::move(*topology));
  const bool has_traffic = work_of(root) == KeyWork::traffic;
  (has_traffic ? config.workload.traffic.parameters : config.workload.parameters) = std::move(parameters);
  if (values["workload.background"].has("traffic")) {
    config.workload.background.emplace().parameters = std::move(background);
  }
  const Surroundings surroundings{config.topology, base_directory};
  for (const auto& section : config_rows())
    fill(config, section, values[section.name], surroundings, context);
  if (!mistakes.none()) return std::nullopt;
  take_link_times(config);
  for (const auto& section : config_rows()) check(config, section, context);
  return mistakes.none() ? std::optional(std::move(config)) : std::nullopt;
}

}  // namespace flitscope
