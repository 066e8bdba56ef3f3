#include "sim/config/topology_reader.h"

#include <iterator>
#include <memory>
#include <new>
#include <vector>

#include "model/error.h"
#include "model/text.h"
#include "model/units.h"
#include "networks/network_family.h"
#include "sim/formats/graph_file.h"
#include "sim/formats/routes_file.h"
#include "sim/host/processes.h"

namespace flitscope {

namespace {

/// A graph, of a family or from its file.
std::optional<Topology> make_graph_topology(const ParameterValues& values, const ParameterValues& parameters,
                                            const ReadingContext& context) {
  const YamlNode& kind = *find_section(context.root, "topology.kind");
  if (const NetworkFamily* const family = FamilyRegistry::find(kind.text)) {
    const bool is_read = std::ranges::all_of(family->parameters, [&](const Parameter& parameter) {
      return parameter.fallback == "null" || parameters.has(parameter.name);
    });
    if (!is_read) return std::nullopt;
    return Topology::of(make_graph(*family, parameters));
  }
  if (!values.has("file")) {
    return context.diagnostics.add(
        context.place_of_section("topology"),
        "topology.file is missing; a graph is read from a file: {kind: graph, file: net.yaml}");
  }
  auto plan = read_graph(context.directory / values.text("file"), context.clock, context.diagnostics);
  if (!plan) return std::nullopt;
  auto graph = std::make_shared<const Graph>(std::move(*plan));
  if (values.has("digest") && values.text("digest") != graph->digest()) {
    return context.diagnostics.add(
        context.place_of("topology.digest"), "{} is not the network it was: its digest is {}, not {}",
        printable(values.text("file")), graph->digest(), printable(values.text("digest")));
  }
  return Topology::of(std::move(graph));
}

/// The network without what is missing of it; nothing if that is not described well.
std::optional<Topology> with_faults(const ParameterValues& top_level, const ParameterValues& values,
                                    const Topology& whole, const ReadingContext& context) {
  Faults faults;
  bool sound = true;
  const auto read = [&](const std::string& key, std::size_t item, auto take) {
    try {
      take();
    } catch (const InputError& error) {
      const SourceLocation& place = find_section(context.root, key)->items[item].place;
      context.diagnostics.add(place, "{}[{}]: {}", key, item, error.what());
      sound = false;
    }
  };
  const auto links =
      top_level.has("links") ? top_level.get<std::vector<LinkSetting>>("links") : std::vector<LinkSetting>();
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (links[i].missing)
      read("links", i,
           [&] { std::ranges::copy(links_of(links[i], whole), std::back_inserter(faults.links)); });
  }
  const auto nodes = values.has("missing_nodes") ? values.texts("missing_nodes") : std::vector<std::string>();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    read("topology.missing_nodes", i, [&] { faults.nodes.push_back(parse_node(nodes[i], whole)); });
  }
  if (!sound) return std::nullopt;
  return faults.any() ? whole.without(faults) : whole;
}

std::optional<Topology> make_topology(const ParameterValues& top_level, const ParameterValues& values,
                                      const ParameterValues& parameters, const ReadingContext& context) {
  if (!context.kind) return std::nullopt;
  if (*context.kind == TopologyKind::graph) {
    const auto whole = make_graph_topology(values, parameters, context);
    return whole ? with_faults(top_level, values, *whole, context) : std::nullopt;
  }
  if (!has_links(*context.kind)) {
    return values.has("nodes") ? std::optional(Topology::complete(values.bytes("nodes"))) : std::nullopt;
  }
  if (!values.has("shape")) return std::nullopt;
  const auto directions =
      enumerator_named<LinkDirections>(values.has("directions") ? values.text("directions") : "both");
  const Topology whole(*context.kind, values.integers("shape"), directions.value());
  return with_faults(top_level, values, whole, context);
}

/// The network with the routes that are given for it, if any.
std::optional<Topology> with_routes(Topology topology, const ParameterValues& router,
                                    const ReadingContext& context) {
  const bool wanted = router.has("routing") && router.text("routing") == "table";
  if (!router.has("file")) return topology;
  if (!wanted) {
    return context.diagnostics.add(context.place_of("router.file"),
                                   "router.file goes with 'routing: table'; leave it out");
  }
  auto routes = read_routes(context.directory / router.text("file"), topology, context.diagnostics);
  if (routes == nullptr) return std::nullopt;
  return topology.with_routes(std::move(routes));
}

std::optional<Topology> make_network(std::map<std::string, ParameterValues>& values,
                                     const ParameterValues& of_family, const ReadingContext& context) {
  std::optional<Topology> topology;
  try {
    topology = make_topology(values[""], values["topology"], of_family, context);
    if (!topology || !context.diagnostics.none()) return std::nullopt;
    if (values["topology"].has("networks") && has_links(topology->kind()))
      topology = topology->in_networks(values["topology"].get<std::vector<PhysicalNetwork>>("networks"));
  } catch (const Inadmissible& reason) {
    return context.diagnostics.add(context.place_of(reason.key()), reason.what());
  } catch (const std::bad_alloc&) {
    return context.diagnostics.add(context.place_of_section("topology"),
                                   "not enough memory to make the network: {} available",
                                   bytes_text(memory_limit()));
  }
  return with_routes(std::move(*topology), values["router"], context);
}

/// What a network and its routes are made from.
KnownNetworks::Description description_of(std::map<std::string, ParameterValues>& values,
                                          const ParameterValues& of_family) {
  KnownNetworks::Description description;
  const auto add = [&](const std::string& section, const ParameterValues& from, const std::string& key) {
    if (from.has(key)) description.emplace(path_of(section, key), from.all().at(key));
  };
  for (const auto& [key, value] : values["topology"].all()) add("topology", values["topology"], key);
  for (const auto& [key, value] : of_family.all()) add("topology", of_family, key);
  add("", values[""], "links");
  if (values["topology"].has("file")) add("", values[""], "clock");  // delays can be times
  if (!values["router"].has("file")) return description;
  add("router", values["router"], "file");
  add("router", values["router"], "routing");
  return description;
}

}  // namespace

std::optional<TopologyKind> named_kind(const YamlNode& root) {
  const YamlNode* const kind = find_section(root, "topology.kind");
  if (kind == nullptr || kind->kind != YamlNode::Kind::scalar) return std::nullopt;
  return FamilyRegistry::find(kind->text) != nullptr ? TopologyKind::graph
                                                     : enumerator_named<TopologyKind>(kind->text);
}

std::optional<Topology> read_topology(std::map<std::string, ParameterValues>& values,
                                      const ParameterValues& of_family, const ReadingContext& context) {
  const bool is_quick = context.kind && *context.kind != TopologyKind::graph && !values[""].has("links") &&
                        !values["topology"].has("missing_nodes") && !values["router"].has("file");
  if (context.networks == nullptr || is_quick) return make_network(values, of_family, context);
  auto description = description_of(values, of_family);
  if (const Topology* const known = context.networks->find(description)) return *known;
  auto network = make_network(values, of_family, context);
  if (network) context.networks->add(std::move(description), *network);
  return network;
}

}  // namespace flitscope
