#include "sim/config/keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <stdexcept>

#include "model/graph.h"
#include "model/link_kinds.h"
#include "model/text.h"
#include "model/units.h"
#include "networks/network_family.h"
#include "routers/routing/routing.h"
#include "sim/config/workload_keys.h"

namespace flitscope {

template <>
ExperimentConfig fresh() {
  return ExperimentConfig(Topology(TopologyKind::torus, {2}));
}

namespace {

using Rows = ConfigSection;
using Value = ParameterValues::Value;

constexpr std::int64_t kMaxSide = kMaxNodes;

std::vector<std::string> kind_choices() {
  std::vector<std::string> result = texts_of(kNamesOf<TopologyKind>);
  std::ranges::move(texts_of(FamilyRegistry::all(), &NetworkFamily::name), std::back_inserter(result));
  return result;
}

/// A key that a topology is made of, together with others.
Row<ExperimentConfig> topology(Key key, std::optional<Value> (*take)(const Topology&)) {
  return {std::move(key), {}, [take](const ExperimentConfig&, const Topology& topology) {
            return take(topology);
          }};
}

/// Links that are missing, as items of `links`.
std::vector<LinkSetting> missing_links(const Topology& topology) {
  std::vector<LinkSetting> settings;
  if (!topology.has_faults()) return settings;
  for (const ChannelId link : topology.graph()->faults().links) {
    settings.push_back({.at = topology.channel_name(link), .missing = true});
  }
  return settings;
}

/// The same link of the first network that has it.
ChannelId first_alike(const Topology& topology, ChannelId channel) {
  const NodeId node = topology.channel_node(channel);
  unsigned port = topology.port_alone(topology.channel_port(channel));
  while (!topology.has_link(node, port)) port += topology.ports_of_network();
  return topology.channel(node, port);
}

/// All links of a kind, of several networks in the first one that has them.
std::vector<ChannelId> links_of_kind(const std::string& name, const Topology& topology) {
  const LinkKinds kinds(topology);
  const auto kind = std::ranges::find(kinds.names(), name);
  if (kind == kinds.names().end()) {
    throw InputError("there are no links of the kind {}, but of: {}", in_quotes(name),
                     fmt::join(kinds.names(), ", "));
  }
  const auto number = static_cast<std::size_t>(kind - kinds.names().begin());
  std::set<ChannelId> links;
  topology.for_each_link([&](NodeId node, unsigned port, NodeId) {
    const ChannelId link = topology.channel(node, topology.port_alone(port));
    if (kinds.kind_of(link) == number) links.insert(link);
  });
  return {links.begin(), links.end()};
}

/// Sets what the items of `links` say of delays, of kinds or of single links; take_bandwidths() does their
/// rates.
void put_links(ExperimentConfig& config, std::span<const LinkSetting> settings, bool by_kind,
               const Topology& topology) {
  std::set<ChannelId> named;
  for (std::size_t item = 0; item < settings.size(); ++item) {
    const LinkSetting& setting = settings[item];
    // The topology is without the missing ones already.
    if (setting.missing || setting.kind.empty() == by_kind) continue;
    const std::string path = fmt::format("links[{}]", item);
    try {
      for (const ChannelId channel : links_of(setting, topology)) {
        if (!named.insert(channel).second) {
          throw InputError("an earlier item has {} already", topology.channel_name(channel));
        }
        LinkTimes::Own& own = config.machine.links.single[channel];
        if (setting.delay) own.delay = setting.delay;
      }
    } catch (const InputError& error) {
      throw Inadmissible(path, "{}: {}", path, error.what());
    }
  }
}

/// Items for the links with settings: one for all of a kind that are alike.
std::vector<LinkSetting> settings_of(LinkTimes::Singles single, const Topology& topology) {
  std::vector<LinkSetting> settings;
  if (single.empty()) return settings;
  const LinkKinds kinds(topology);
  for (const std::string& kind : kinds.names()) {
    const std::vector<ChannelId> links = links_of({.kind = kind}, topology);
    const auto first = links.size() < 2 ? single.end() : single.find(links.front());
    if (first == single.end()) continue;
    const LinkTimes::Own own = first->second;
    const auto is_alike = [&](ChannelId link) {
      const auto found = single.find(link);
      return found != single.end() && found->second == own;
    };
    if (!std::ranges::all_of(links, is_alike)) continue;
    settings.push_back({.kind = kind, .delay = own.delay, .cycles_per_flit = own.cycles_per_flit});
    for (const ChannelId link : links) single.erase(link);
  }
  for (const auto& [channel, own] : single) {
    settings.push_back({.at = topology.channel_name(first_alike(topology, channel)),
                        .delay = own.delay,
                        .cycles_per_flit = own.cycles_per_flit});
  }
  return settings;
}

Row<ExperimentConfig> differing_links() {
  const auto put = [](ExperimentConfig& config, const Value& value, const ReadContext& context) {
    // What is said of a link goes before what is said of its kind.
    for (const bool by_kind : {true, false}) {
      put_links(config, std::get<std::vector<LinkSetting>>(value), by_kind, context.topology);
    }
  };
  const auto take = [](const ExperimentConfig& config, const Topology& topology) -> std::optional<Value> {
    std::vector<LinkSetting> settings = missing_links(topology);
    std::ranges::move(settings_of(config.machine.links.single, topology), std::back_inserter(settings));
    return settings.empty() ? std::nullopt : std::optional<Value>(std::move(settings));
  };
  return of_links(Row<ExperimentConfig>{
      {Parameter::of(
           ParameterType::links, "links",
           "links that differ from the others: `at` names one, `kind` all of a kind that `flitscope "
           "cost` names; `delay`, `cycles_per_flit` and `bandwidth` are as in link; of a link also "
           "`missing: true`: the network is without it; `both: true`: so is the link back")
           .or_else("null")},
      put,
      take});
}

Rows top_level() {
  const auto version = [](const ExperimentConfig&, const Topology&) {
    return std::optional<Value>(std::int64_t{1});
  };
  const auto put_clock = [](ExperimentConfig& config, const Value& value, const ReadContext&) {
    config.clock = ClockPeriod::parse(std::get<std::string>(value)).value;
  };
  const auto clock = [](const ExperimentConfig& config, const Topology&) {
    return config.clock ? std::optional<Value>(config.clock->text()) : std::nullopt;
  };
  return {.name = "",
          .summary = "the experiment",
          .rows = {{{Parameter::integer("flitscope", "version of this schema", {1, 1})}, {}, version},
                   row(&ExperimentConfig::name, "name", "what the experiment is called"),
                   {{Parameter::of(
                         ParameterType::text, "clock",
                         "length of a cycle, from 1ps to 1s, such as 1ns, or its frequency, such as 1GHz; "
                         "with it cycles can be written as times, and results have times and bandwidths",
                         {}, "time")
                         .or_else("null")},
                    put_clock,
                    clock},
                   differing_links(),
                   message_classes()},
          .check = require_consistent_classes};
}

Rows topology() {
  const auto kind = [](const Topology& topology) {
    const bool of_family = topology.kind() == TopologyKind::graph && !topology.graph()->family().empty();
    return std::optional<Value>(of_family ? topology.graph()->family()
                                          : std::string(name_of(topology.kind())));
  };
  const auto shape = [](const Topology& topology) {
    if (!topology.is_grid()) return std::optional<Value>();
    return std::optional<Value>(std::vector(topology.sides().begin(), topology.sides().end()));
  };
  const auto directions = [](const Topology& topology) {
    const LinkDirections all = topology.directions();  // those of networks that do not say another
    const bool fits = std::ranges::none_of(
        topology.physical_networks(), [all](const PhysicalNetwork& each) { return each.directions != all; });
    return topology.is_one_way() && fits ? std::optional<Value>(std::string(name_of(all))) : std::nullopt;
  };
  const auto networks = [](const Topology& topology) {
    const auto all = topology.physical_networks();
    return all.empty() ? std::nullopt : std::optional<Value>(std::vector(all.begin(), all.end()));
  };
  const auto missing_nodes = [](const Topology& topology) -> std::optional<Value> {
    if (!topology.is_grid() || topology.graph() == nullptr) return std::nullopt;
    std::vector<std::string> texts;
    for (const NodeId node : topology.graph()->faults().nodes) texts.push_back(topology.node_name(node));
    return texts.empty() ? std::nullopt : std::optional<Value>(std::move(texts));
  };
  const auto nodes = [](const Topology& topology) {
    if (topology.has_links()) return std::optional<Value>();
    return std::optional<Value>(std::int64_t{topology.nodes()});
  };
  return {
      .name = "topology",
      .summary = "which nodes there are and how links join them",
      .rows = {
          topology({Parameter::choice(
                       "kind",
                       "with wrap-around links or without; complete: circuits instead of links; graph: any "
                       "network, from a file; or a family of networks, with its parameters",
                       kind_choices())},
                   kind),
          of_scope(KeyScope::grids,
                   topology({Parameter::integer(
                                 "shape", "nodes along each dimension, such as [8, 8]; at most 16 dimensions",
                                 {2, kMaxSide}, "nodes"),
                             /*is_list=*/true},
                            shape)),
          of_scope(KeyScope::grids,
                   topology({Parameter::choice("directions",
                                               "the direction of every dimension in which the links of a "
                                               "one-way torus lead; without it links lead in both",
                                               {"both", "plus", "minus"})
                                 .or_else("null")},
                            directions)),
          of_scope(KeyScope::grids,
                   topology({Parameter::of(ParameterType::node, "missing_nodes",
                                           "nodes that are missing with all their links, such as [[2, 2]]")
                                 .or_else("null"),
                             /*is_list=*/true},
                            missing_nodes)),
          of_scope(
              KeyScope::graphs,
              file_row(
                  &ExperimentConfig::graph_file,
                  Parameter::of(
                      ParameterType::file, "file",
                      "file of a graph, as seen from the configuration's directory: YAML, or anynet text"))),
          of_scope(KeyScope::graphs,
                   row(&ExperimentConfig::graph_digest, "digest",
                       "what the graph in that file must have as its digest; config.yaml of a run has it")),
          of_links(topology(
              {Parameter::of(ParameterType::networks, "networks",
                             "physical networks with the same nodes: every link is there once in each, "
                             "and a message class goes by one of them; or the `directions` of the links "
                             "of each, and the `first_dimension` of its dimension-order routing",
                             {1, 8})
                   .or_else("null")},
              networks)),
          of_scope(KeyScope::circuits, topology({Parameter::integer("nodes", "nodes of a complete network",
                                                                    {2, kMaxSide}, "nodes")},
                                                nodes))}};
}

Rows limits() {
  return {.name = "limits",
          .summary = "what ends a run early",
          .rows = {row(&ExperimentConfig::cycle_limit,
                       Parameter::cycles("cycles", "longest time the network may take", {1, kMaxCycles}))}};
}

/// Adds a section, or rows and a check to one that is there. A new one follows the last that begins with
/// the same word.
void add(Rows part, std::vector<Rows>& sections) {
  const auto old = std::ranges::find(sections, part.name, &Rows::name);
  if (old == sections.end()) {
    const std::string word = part.name.substr(0, part.name.find('.'));
    const auto sibling = std::find_if(sections.rbegin(), sections.rend(), [&](const Rows& each) {
      return each.name == word || each.name.starts_with(word + ".");
    });
    sections.insert(sibling == sections.rend() ? sections.end() : sibling.base(), std::move(part));
    return;
  }
  std::ranges::move(part.rows, std::back_inserter(old->rows));
  old->check = [first = std::move(old->check), second = std::move(part.check)](const ExperimentConfig& config,
                                                                               const Topology& topology) {
    first(config, topology);
    second(config, topology);
  };
}

std::vector<Rows> all_sections() {
  Rows classes = class_section(0);
  classes.name = kClasses;
  std::vector<Rows> sections{top_level(),        topology(),         router_section(),   link_section(),
                             node_section(),     workload_section(), std::move(classes), background_section(),
                             requests_section(), service_section(),  circuits_section()};
  for (const SettingsRegistry::Part& part : SettingsRegistry::all()) {
    add(within<ExperimentConfig>(&ExperimentConfig::settings, part.section), sections);
  }
  sections.push_back(limits());
  return sections;
}

}  // namespace

const std::vector<ConfigSection>& config_sections() {
  static const std::vector<Rows> sections = all_sections();
  return sections;
}

void for_each_section(const ExperimentConfig& config,
                      const std::function<void(const ConfigSection&)>& visit) {
  for (const Rows& section : config_sections()) {
    if (section.name != kClasses) {
      visit(section);
      continue;
    }
    for (std::size_t item = 0; item < config.workload.classes.size(); ++item) visit(class_section(item));
  }
}

bool is_section(std::string_view name) {
  return std::ranges::count(config_sections(), name, &Rows::name) > 0;
}

const ConfigSection& config_section(std::string_view name) {
  const auto at = std::ranges::find(config_sections(), name.substr(0, name.find('[')), &Rows::name);
  if (at == config_sections().end()) throw std::out_of_range(fmt::format("no section '{}'", name));
  return *at;
}

std::vector<std::string> sections_in(std::string_view section) {
  const std::string prefix = section.empty() ? "" : std::string(section) + ".";
  std::vector<std::string> names;
  for (const Rows& each : config_sections()) {
    if (each.name.size() <= prefix.size() || !each.name.starts_with(prefix)) continue;
    const std::string rest = each.name.substr(prefix.size());
    if (rest.find('.') == std::string::npos) names.push_back(rest);
  }
  return names;
}

std::vector<ChannelId> links_of(const LinkSetting& setting, const Topology& topology) {
  if (!setting.kind.empty()) return links_of_kind(setting.kind, topology);
  const ChannelId channel = parse_channel(setting.at, topology);
  const unsigned port = topology.channel_port(channel);
  const NodeId here = topology.channel_node(channel);
  const auto in_all = [&](NodeId node, unsigned of_one) {
    return topology.channel(node, topology.port_alone(of_one));
  };
  if (const ChannelId first = first_alike(topology, channel); first != channel) {
    throw InputError("{}: links are alike in all networks; name {}", topology.channel_name(channel),
                     in_quotes(topology.channel_name(first)));
  }
  if (!setting.both) return {in_all(here, port)};
  const NodeId there = topology.neighbour(here, port).value();
  if (topology.is_grid() && !topology.is_one_way()) {
    return {in_all(here, port), in_all(there, topology.opposite_port(port))};
  }
  const auto back = topology.is_grid() ? std::nullopt : topology.port_to(there, here);
  if (back) return {in_all(here, port), in_all(there, *back)};
  throw InputError("no link leads back from {} to {}", topology.node_name(there), topology.node_name(here));
}

}  // namespace flitscope
