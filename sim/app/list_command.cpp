// flitscope list: what a configuration can name.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "algorithms/algorithm.h"
#include "model/error.h"
#include "model/text.h"
#include "networks/network_family.h"
#include "routers/routing/routing.h"
#include "sim/app/command.h"
#include "sim/config/keys.h"
#include "sim/formats/foreign/format.h"
#include "sim/formats/strict_json.h"
#include "sim/observe/observer.h"
#include "sim/sweep/sweep_plan.h"
#include "traffic/traffic_pattern.h"

namespace flitscope::app::list_command {

namespace {

Json parameter_json(const Key& key) {
  return {{"name", key.name},
          {"type", info_of(key.type).name},
          {"list", key.is_list},
          {"accepts", expected(key)},
          {"required", key.fallback.empty()},
          {"default", key.fallback.empty() ? Json(nullptr) : Json(key.fallback)},
          {"unit", key.unit},
          {"networks", name_of(key.scope)},
          {"workloads", name_of(key.work)},
          {"summary", key.summary}};
}

Json parameters_json(const std::vector<Parameter>& parameters) {
  return json_list(parameters, [](const Parameter& parameter) { return parameter_json({parameter}); });
}

Json algorithms() {
  return json_list(AlgorithmRegistry::all(), [](const Algorithm& algorithm) -> Json {
    return {{"name", algorithm.name},
            {"summary", algorithm.summary},
            {"collective", name_of(algorithm.collective.kind)},
            {"source", algorithm.source},
            {"claim", algorithm.claim},
            {"admissible", algorithm.admissible},
            {"parameters", parameters_json(algorithm.parameters)}};
  });
}

Json traffic() {
  return json_list(TrafficRegistry::all(), [](const Traffic& pattern) -> Json {
    return {{"name", pattern.name},
            {"summary", pattern.summary},
            {"source", pattern.source},
            {"admissible", pattern.admissible},
            {"parameters", parameters_json(pattern.parameters)}};
  });
}

Json routings() {
  return json_list(RoutingRegistry::all(), [](const Routing& routing) -> Json {
    Json classes = Json::object();
    if (routing.any_network) classes["any network"] = "as the routes need";
    for (const std::string& family : routing.families) classes[family] = "see its summary";
    for (const TopologyKind kind : routing.topologies) {
      classes[std::string(name_of(kind))] = routing.make(Topology(kind, {4, 4}))->classes();
    }
    return {{"name", routing.name},
            {"summary", routing.summary},
            {"source", routing.source},
            {"virtual channels needed", classes}};
  });
}

Json families() {
  return json_list(FamilyRegistry::all(), [](const NetworkFamily& family) -> Json {
    return {{"name", family.name},       {"summary", family.summary},
            {"source", family.source},   {"coordinates", family.coordinates},
            {"routing", family.routing}, {"parameters", parameters_json(family.parameters)}};
  });
}

Json topologies() {
  Json list = Json::array(
      {{{"name", "torus"}, {"summary", "any number of dimensions, sides >= 2, wrap-around links"}},
       {{"name", "mesh"},
        {"summary",
         "any number of dimensions, sides >= 2; a linear array is a mesh of one dimension, a hypercube one "
         "of sides 2"}},
       {{"name", "complete"},
        {"summary",
         "any number of nodes >= 2 with k ports each, which are tuned to one target after the other; no "
         "links, no routers"}},
       {{"name", "graph"},
        {"summary", "any routers, nodes and links, from a file; docs/networks.md describes its formats"}}});
  for (const Json& family : families()) list.push_back(family);
  return list;
}

Json section_json(const std::string& name, const std::string& summary, const auto& keys) {
  return {{"name", name}, {"summary", summary}, {"parameters", json_list(keys, parameter_json)}};
}

Json keys() {
  Json list = Json::array();
  for (const ConfigSection& section : config_sections()) {
    list.push_back(
        section_json(section.name.empty() ? "(top level)" : section.name, section.summary, section.rows));
  }
  list.push_back({{"name", "sweep"},
                  {"summary",
                   "many runs: any key above with a list or a range of values, and 'zip', 'replicas', "
                   "'exclude', 'repeat'; docs/sweeps.md explains them"}});
  for (const BatchSection& section : batch_sections()) {
    list.push_back(section_json("sweep." + section.name, section.summary, section.keys));
  }
  return list;
}

Json observers() {
  return json_list(ObserverRegistry::all(), [](const ObserverKind& observer) -> Json {
    return {{"name", observer.name}, {"summary", observer.summary}, {"files", observer.files}};
  });
}

Json formats() {
  return json_list(FormatRegistry::all(), [](const Format& format) -> Json {
    return {{"name", format.name},
            {"summary", format.summary},
            {"source", format.source},
            {"use", format.write == nullptr ? "import" : "import, export"}};
  });
}

struct Column {
  std::string title;
  /// The name of the entry's field.
  std::string field;
};

struct Kind {
  std::string name;
  Json (*entries)();
  /// The table of the entries in Markdown.
  std::vector<Column> columns;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> list{
      {"algorithms",
       algorithms,
       {{"algorithm", "name"},
        {"does", "summary"},
        {"networks", "admissible"},
        {"source", "source"},
        {"parameters", "parameters"}}},
      {"traffic",
       traffic,
       {{"pattern", "name"},
        {"a message goes", "summary"},
        {"networks", "admissible"},
        {"parameters", "parameters"}}},
      {"routings",
       routings,
       {{"routing function", "name"},
        {"route", "summary"},
        {"VC classes", "virtual channels needed"},
        {"source", "source"}}},
      {"topologies",
       topologies,
       {{"network", "name"},
        {"structure", "summary"},
        {"parameters", "parameters"},
        {"default routing", "routing"},
        {"source", "source"}}},
      {"observers", observers, {{"observer", "name"}, {"writes", "summary"}, {"files", "files"}}},
      {"formats", formats, {{"format", "name"}, {"holds", "summary"}, {"use", "use"}, {"source", "source"}}},
      {"keys", keys, {}}};
  return list;
}

/// A field of an entry as a cell of a table in Markdown.
std::string cell(const Json& value) {
  std::vector<std::string> items;
  if (value.is_string()) return value.get<std::string>();
  if (value.is_object()) {  // VC classes
    for (const auto& [name, classes] : value.items()) {
      items.push_back(classes.is_number() ? fmt::format("{}: {}", name, classes.dump()) : name);
    }
  } else if (value.is_array()) {  // files, or parameters
    for (const Json& item : value) {
      const Json& name = item.is_object() ? item["name"] : item;
      items.push_back(fmt::format("`{}`", name.get<std::string>()));
    }
  }
  return fmt::format("{}", fmt::join(items, ", "));
}

std::string entry_table(const Kind& kind) {
  std::string table;
  std::string rule;
  for (const Column& column : kind.columns) {
    table += fmt::format("| {} ", column.title);
    rule += "|---";
  }
  table += "|\n" + rule + "|\n";
  for (const Json& entry : kind.entries()) {
    for (const Column& column : kind.columns) {
      const std::string text = entry.contains(column.field) ? cell(entry[column.field]) : "";
      table += column.field == "name" ? fmt::format("| `{}` ", text) : fmt::format("| {} ", text);
    }
    table += "|\n";
  }
  return table;
}

/// The parameters of all entries of a registry.
template <typename Registry>
std::string parameters_of(const char* section) {
  std::vector<OwnedParameters> all;
  for (const auto& entry : Registry::all()) all.push_back({entry.name, entry.parameters});
  return parameter_table(section, all);
}

std::string markdown(const Kind& kind, const std::string& table) {
  if (kind.name == "keys") {
    const auto network = enumerator_named<TopologyKind>(table == "entries" ? "torus" : table);
    if (network) return key_table(*network);
    throw InputError("flitscope list: --markdown of keys must be torus, mesh, graph or complete, not {}",
                     in_quotes(table));
  }
  if (table == "entries") return entry_table(kind);
  if (table == "parameters" && kind.name == "algorithms") return parameters_of<AlgorithmRegistry>("workload");
  if (table == "parameters" && kind.name == "traffic") return parameters_of<TrafficRegistry>("workload");
  if (table == "parameters" && kind.name == "topologies") return parameters_of<FamilyRegistry>("topology");
  throw InputError(
      "flitscope list: there is no table {} of {}; algorithms, traffic and topologies have 'parameters'",
      in_quotes(table), kind.name);
}

std::string parameter_text(const Json& parameter) {
  std::string text =
      fmt::format("      {}: {}; {}", parameter["name"].get<std::string>(),
                  parameter["summary"].get<std::string>(), parameter["accepts"].get<std::string>());
  if (const auto unit = parameter["unit"].get<std::string>(); !unit.empty())
    text += fmt::format(" ({})", unit);
  text += parameter["required"].get<bool>()
              ? "; required"
              : fmt::format("; default {}", parameter["default"].get<std::string>());
  if (const auto networks = parameter["networks"].get<std::string>(); networks != "all") {
    text += fmt::format("; of networks with {}", networks);
  }
  if (const auto workloads = parameter["workloads"].get<std::string>(); workloads != "all") {
    text += fmt::format("; with {}", workloads);
  }
  return text + "\n";
}

std::string entry_text(const Json& entry) {
  std::string text;
  for (const auto& [name, value] : entry.items()) {
    if (name == "name") {
      text += fmt::format("  {}\n", value.get<std::string>());
    } else if (name == "parameters") {
      for (const Json& parameter : value) text += parameter_text(parameter);
    } else if (value.is_string()) {
      text += fmt::format("    {}{}\n", name == "summary" ? "" : name + ": ", value.get<std::string>());
    } else {
      text += fmt::format("    {}: {}\n", name, value.dump());
    }
  }
  return text;
}

Exit run(const Arguments& arguments) {
  arguments.exclude("json", "markdown");
  const std::string wanted = arguments.text("KIND");
  std::vector<std::string> names = texts_of(kinds(), &Kind::name);
  if (!wanted.empty() && std::ranges::find(names, wanted) == names.end()) {
    throw InputError("flitscope list: there is no kind {}{} (kinds are {})", in_quotes(wanted),
                     did_you_mean(wanted, names), fmt::join(names, ", "));
  }
  if (arguments.has("markdown")) {
    if (wanted.empty())
      throw InputError("flitscope list: --markdown needs a kind, such as list algorithms --markdown");
    print(markdown(*std::ranges::find(kinds(), wanted, &Kind::name), arguments.text("markdown")));
    return Exit::done;
  }
  Json all = Json::object();
  std::string text;
  for (const Kind& kind : kinds()) {
    if (!wanted.empty() && kind.name != wanted) continue;
    all[kind.name] = kind.entries();
    text += kind.name + "\n";
    for (const Json& entry : all[kind.name]) text += entry_text(entry);
  }
  print(arguments.has("json") ? all.dump(2) + "\n" : text);
  return Exit::done;
}

const CommandRegistry::Entry entry{{
    .name = "list",
    .arguments = "[KIND]",
    .summary = "Lists what a configuration can name, with all parameters.",
    .place = 90,
    .options = {{"json", "", "print as JSON"},
                {"markdown", "TABLE",
                 "print a table for the pages in docs/: of KIND (entries, the default); its parameters "
                 "(parameters); the "
                 "keys of tori (torus), meshes (mesh), graphs (graph) or circuit networks (complete)",
                 false, "entries"}},
    .run = run,
}};

}  // namespace
}  // namespace flitscope::app::list_command
