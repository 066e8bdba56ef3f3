#include "sim/config/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <numeric>
#include <stdexcept>

#include "model/graph.h"
#include "model/text.h"
#include "model/topology.h"
#include "model/units.h"
#include "networks/network_family.h"
#include "routers/routing/routing.h"
#include "sim/config/router_presets.h"
#include "sim/config/workload_keys.h"

namespace flitscope {

/// Of an experiment on any network.
template <>
ExperimentConfig fresh() {
  return ExperimentConfig(Topology(TopologyKind::torus, {2}));
}

namespace {

using Rows = RowSection<ExperimentConfig>;
using Value = ParameterValues::Value;

constexpr std::int64_t kMaxSide = kMaxNodes;
constexpr std::int64_t kMaxBuffer = std::int64_t{1} << 24;
constexpr std::int64_t kMaxDelay = kMaxLinkDelay;
constexpr std::int64_t kMaxQueue = std::int64_t{1} << 24;
constexpr std::int64_t kMaxNodePorts = 2 * std::int64_t{kMaxDimensions};
constexpr std::int64_t kMaxStartup = 1'000'000'000'000;
constexpr std::int64_t kMaxInterval = 1024;
constexpr std::int64_t kMaxCopy = 1000;

/// `words`, then the names of entries.
template <typename T>
std::vector<std::string> names(std::vector<std::string> words, const std::vector<T>& entries) {
  for (const T& entry : entries) words.push_back(entry.name);
  return words;
}

std::vector<std::string> kind_choices() {
  std::vector<std::string> result;
  for (const TopologyKind kind : kTopologyKinds) result.emplace_back(name_of(kind));
  return names(std::move(result), FamilyRegistry::all());
}

/// A section of networks of some kinds.
Rows only(KeyScope scope, Rows section) {
  for (Row<ExperimentConfig>& row : section.rows) row.key.scope = scope;
  return section;
}

Row<ExperimentConfig> machine(Row<MachineConfig> row) {
  return within<ExperimentConfig>(
      [](auto& config) -> auto& { return config.machine; }, std::move(row));
}

Row<ExperimentConfig> parts(Row<RouterParts> row) {
  return machine(within<MachineConfig>(
      [](auto& machine) -> auto& { return machine.parts; }, std::move(row)));
}

/// A time of the machine.
template <typename T>
Row<ExperimentConfig> cycles_row(T MachineConfig::*field, const char* name, std::int64_t minimum,
                                 std::int64_t maximum, const char* summary) {
  return machine(row(field, {.name = name,
                             .type = ParameterType::cycles,
                             .summary = summary,
                             .unit = "cycles",
                             .minimum = minimum,
                             .maximum = maximum}));
}

/// A time of a node for each byte.
Row<ExperimentConfig> cycles_per_byte_row(Decimal MachineConfig::*field, const char* name,
                                          const char* summary) {
  return of_links(machine(row(field, {.name = name,
                                      .type = ParameterType::number,
                                      .summary = summary,
                                      .unit = "cycles/byte",
                                      .minimum = 0,
                                      .maximum = kMaxCopy})));
}

/// A key that a topology is made of, together with others.
Row<ExperimentConfig> topology(Key key, std::optional<Value> (*take)(const Topology&)) {
  return {std::move(key), {}, [take](const ExperimentConfig&, const Topology& topology) {
            return take(topology);
          }};
}

Row<ExperimentConfig> single_links() {
  const auto put = [](ExperimentConfig& config, const Value& value, const ReadContext& context) {
    const auto& settings = std::get<std::vector<LinkSetting>>(value);
    for (std::size_t item = 0; item < settings.size(); ++item) {
      if (settings[item].missing) continue;  // the topology is without it
      const std::string path = fmt::format("links[{}]", item);
      try {
        for (const ChannelId channel : links_of(settings[item], context.topology)) {
          const LinkTimes::Own own{settings[item].delay, settings[item].cycles_per_flit};
          if (config.machine.links.single.emplace(channel, own).second) continue;
          throw InputError(
              fmt::format("an earlier item has {} already", context.topology.channel_name(channel)));
        }
      } catch (const InputError& error) {
        throw Inadmissible(path, fmt::format("{}: {}", path, error.what()));
      }
    }
  };
  const auto take = [](const ExperimentConfig& config, const Topology& topology) -> std::optional<Value> {
    std::vector<LinkSetting> settings = missing_links(topology);
    for (const auto& [channel, own] : config.machine.links.single) {
      settings.push_back({topology.channel_name(channel), own.delay, own.cycles_per_flit});
    }
    return settings.empty() ? std::nullopt : std::optional<Value>(std::move(settings));
  };
  return of_links(Row<ExperimentConfig>{
      {{.name = "links",
        .type = ParameterType::links,
        .summary = "single links that differ from the others: `at` names one, `delay`, `cycles_per_flit` "
                   "and `bandwidth` are as in link; `missing: true`: the network is without it; `both: "
                   "true` for the link back as well",
        .fallback = "null"}},
      put,
      take});
}

/// The VCs of an item of `classes`. Counted ones follow `first`, which is behind them then.
std::uint64_t vcs_of(const ClassSetting& setting, unsigned& first) {
  std::vector<std::uint32_t> numbers = setting.vcs;
  if (setting.counted) {
    numbers.resize(setting.vcs.front());
    std::iota(numbers.begin(), numbers.end(), first);
    first += setting.vcs.front();
  }
  std::uint64_t vcs = 0;
  for (const std::uint32_t number : numbers) {
    if (number >= kMaxVirtualChannels) {
      throw InputError(fmt::format("a link has {} VCs at most, from 0 to {}, not VC {}", kMaxVirtualChannels,
                                   kMaxVirtualChannels - 1, number));
    }
    if ((vcs >> number & 1) != 0) throw InputError(fmt::format("VC {} is there twice", number));
    vcs |= std::uint64_t{1} << number;
  }
  return vcs;
}

std::vector<MessageClass> classes_of(const std::vector<ClassSetting>& settings) {
  if (settings.size() > kMaxMessageClasses) {
    throw InputError(fmt::format("at most {} are possible, not {}", kMaxMessageClasses, settings.size()));
  }
  std::vector<MessageClass> classes;
  std::map<std::uint32_t, unsigned> first;  // by network
  for (std::size_t item = 0; item < settings.size(); ++item) {
    const ClassSetting& setting = settings[item];
    const std::string path = fmt::format("classes[{}]", item);
    try {
      if (!is_class_name(setting.name)) {
        throw InputError(
            fmt::format("name must be a word of letters, digits, - and _, not {}", in_quotes(setting.name)));
      }
      if (std::ranges::count(classes, setting.name, &MessageClass::name) > 0) {
        throw InputError(fmt::format("an earlier item is called '{}' already", setting.name));
      }
      if (setting.counted != settings.front().counted) {
        throw InputError(
            "either all items say how many VCs they have, such as vcs: 2, or all list them, such as vcs: "
            "[0, 1]");
      }
      classes.push_back(
          {setting.name, vcs_of(setting, first[setting.network]), setting.priority, setting.network});
    } catch (const InputError& error) {
      throw Inadmissible(path, fmt::format("{}: {}", path, error.what()));
    }
  }
  return classes;
}

Row<ExperimentConfig> message_classes() {
  const auto put = [](ExperimentConfig& config, const Value& value, const ReadContext&) {
    config.machine.classes = classes_of(std::get<std::vector<ClassSetting>>(value));
  };
  const auto take = [](const ExperimentConfig& config, const Topology&) -> std::optional<Value> {
    std::vector<ClassSetting> settings;
    for (const MessageClass& each : config.machine.classes) {
      ClassSetting& setting = settings.emplace_back();
      setting.name = each.name;
      setting.priority = each.priority;
      setting.network = each.network;
      for (unsigned vc = 0; vc < kMaxVirtualChannels; ++vc) {
        if ((each.vcs >> vc & 1) != 0) setting.vcs.push_back(vc);
      }
    }
    return settings.empty() ? std::nullopt : std::optional<Value>(std::move(settings));
  };
  return of_links(Row<ExperimentConfig>{
      {{.name = "classes",
        .type = ParameterType::classes,
        .summary =
            "message classes (virtual networks): `vcs` of every link, a list or how many; "
            "`priority`, of which the highest goes first; and `network`, from 0, of several `networks`",
        .fallback = "null"}},
      put,
      take});
}

/// Of several networks each has classes, and each class goes by one of them.
void require_networks(const std::vector<MessageClass>& classes, unsigned networks) {
  for (std::size_t item = 0; item < classes.size(); ++item) {
    if (classes[item].network < networks) continue;
    const std::string path = fmt::format("classes[{}]", item);
    throw Inadmissible(path, fmt::format("{}: '{}' goes by network {}, but topology.networks is {}: they are "
                                         "numbered from 0",
                                         path, classes[item].name, classes[item].network, networks));
  }
  for (unsigned network = 0; network < networks && networks > 1; ++network) {
    if (std::ranges::count(classes, network, &MessageClass::network) > 0) continue;
    throw Inadmissible("topology.networks",
                       fmt::format("topology.networks: no message class goes by network {}; 'classes' say "
                                   "which: [{{name: request, vcs: 1}}, {{name: reply, vcs: 1, network: 1}}]",
                                   network));
  }
}

/// What no class can say alone.
void require_consistent_classes(const ExperimentConfig& config, const Topology&) {
  const std::vector<MessageClass>& classes = config.machine.classes;
  require_networks(classes, config.topology.networks());
  if (config.topology.networks() > 1 && config.machine.node_queues == NodeQueues::shared) {
    throw Inadmissible("node.queues",
                       "node.queues: networks share no queue; leave it out, and each class has its own");
  }
  if (classes.empty()) return;
  std::uint64_t all = 0;
  for (std::size_t item = 0; item < classes.size(); ++item) {
    const std::string path = fmt::format("classes[{}]", item);
    const std::uint64_t common = all & classes[item].vcs;
    for (std::size_t before = 0; before < item && common != 0; ++before) {
      const std::uint64_t both = classes[before].vcs & classes[item].vcs;
      if (classes[before].network != classes[item].network) continue;
      if (both == 0 || classes[before].vcs == classes[item].vcs) continue;
      throw Inadmissible(path,
                         fmt::format("{}: '{}' has VC {} together with '{}', but not all: classes have the "
                                     "same VCs, or none in common",
                                     path, classes[item].name, std::countr_zero(both), classes[before].name));
    }
    if (config.machine.has_priorities() && common != 0) {
      throw Inadmissible(path,
                         fmt::format("{}: '{}' has VC {} together with an earlier class: give them equal "
                                     "priorities, or VCs apart",
                                     path, classes[item].name, std::countr_zero(common)));
    }
    all |= classes[item].vcs;
  }
  if (!std::has_single_bit(all + 1) && all + 1 != 0) {
    throw Inadmissible("classes", fmt::format("classes: VC {} belongs to none", std::countr_one(all)));
  }
  if (config.machine.has_priorities() && config.machine.node_queues == NodeQueues::shared) {
    throw Inadmissible("node.queues",
                       "classes with different priorities need queues of their own: leave "
                       "'node.queues: shared' out, or the priorities");
  }
  const auto vcs = static_cast<unsigned>(std::popcount(all));
  if (config.virtual_channels && *config.virtual_channels != vcs) {
    throw Inadmissible(
        "router.virtual_channels",
        fmt::format("the classes have {} of every link, so router.virtual_channels must be {}, "
                    "or left out, not {}",
                    counted(vcs, "virtual channel", "virtual channels"), vcs, *config.virtual_channels));
  }
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
  return {
      .name = "",
      .summary = "the experiment",
      .rows =
          {{{{.name = "flitscope",
              .type = ParameterType::integer,
              .summary = "version of this schema",
              .minimum = 1,
              .maximum = 1}},
            {},
            version},
           row(&ExperimentConfig::name,
               {.name = "name", .type = ParameterType::text, .summary = "what the experiment is called"}),
           {{{.name = "clock",
              .type = ParameterType::text,
              .summary =
                  "length of a cycle, from 1ps to 1s, such as 1ns, or its frequency, such as 1GHz; with it "
                  "cycles can be written as times, and results have times and bandwidths",
              .fallback = "null",
              .unit = "time"}},
            put_clock,
            clock},
           single_links(),
           message_classes()},
      .check = require_consistent_classes};
}

/// A file that is named as seen from the configuration's directory, and held by its absolute path.
Row<ExperimentConfig> file_row(std::filesystem::path ExperimentConfig::*field, const char* summary) {
  return {
      {{.name = "file", .type = ParameterType::file, .summary = summary, .fallback = "null"}},
      [field](ExperimentConfig& config, const Value& value, const ReadContext& context) {
        config.*field =
            std::filesystem::absolute(context.directory / std::get<std::string>(value)).lexically_normal();
      },
      [field](const ExperimentConfig& config, const Topology&) {
        const std::filesystem::path& file = config.*field;
        return file.empty() ? std::nullopt : std::optional<Value>(file.string());
      }};
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
    return topology.is_one_way() ? std::optional<Value>(std::string(name_of(topology.directions())))
                                 : std::nullopt;
  };
  const auto networks = [](const Topology& topology) {
    std::vector<NetworkSetting> settings;
    for (const PhysicalNetwork& each : topology.physical_networks())
      settings.push_back({std::string(name_of(each.directions)), each.first_dimension});
    return settings.empty() ? std::nullopt : std::optional<Value>(std::move(settings));
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
          topology({.parameter = {.name = "kind",
                                  .type = ParameterType::choice,
                                  .summary = "with wrap-around links or without; complete: circuits "
                                             "instead of links; graph: any network, from a file; or a "
                                             "family of networks, with its parameters",
                                  .choices = kind_choices()}},
                   kind),
          of_scope(
              KeyScope::grids,
              topology({.parameter = {.name = "shape",
                                      .type = ParameterType::integer,
                                      .summary =
                                          "nodes along each dimension, such as [8, 8]; at most 16 dimensions",
                                      .unit = "nodes",
                                      .minimum = 2,
                                      .maximum = kMaxSide},
                        .is_list = true},
                       shape)),
          of_scope(
              KeyScope::grids,
              topology({.parameter = {.name = "directions",
                                      .type = ParameterType::choice,
                                      .summary = "the direction of every dimension in which the links "
                                                 "of a one-way torus lead; without it links lead in both",
                                      .fallback = "null",
                                      .choices = {"both", "plus", "minus"}}},
                       directions)),
          of_scope(
              KeyScope::grids,
              topology({.parameter = {.name = "missing_nodes",
                                      .type = ParameterType::node,
                                      .summary =
                                          "nodes that are missing with all their links, such as [[2, 2]]",
                                      .fallback = "null"},
                        .is_list = true},
                       missing_nodes)),
          of_scope(
              KeyScope::graphs,
              file_row(&ExperimentConfig::graph_file,
                       "file of a graph, as seen from the configuration's directory: YAML, or anynet text")),
          of_scope(KeyScope::graphs, row(&ExperimentConfig::graph_digest,
                                         {.name = "digest",
                                          .type = ParameterType::text,
                                          .summary = "what the graph in that file must have as its digest; "
                                                     "config.yaml of a run has it"})),
          of_links(
              topology({.parameter = {.name = "networks",
                                      .type = ParameterType::networks,
                                      .summary = "physical networks with the same nodes: every link is "
                                                 "there once in each, and a message class goes by one "
                                                 "of them; or the `directions` of the links of each, "
                                                 "and the `first_dimension` of its dimension-order routing",
                                      .fallback = "null",
                                      .minimum = 1,
                                      .maximum = 8}},
                       networks)),
          of_circuits(topology({.parameter = {.name = "nodes",
                                              .type = ParameterType::integer,
                                              .summary = "nodes of a complete network",
                                              .unit = "nodes",
                                              .minimum = 2,
                                              .maximum = kMaxSide}},
                               nodes))}};
}

/// Read before all keys: router_presets.h.
Row<ExperimentConfig> preset_row() {
  std::vector<std::string> names;
  for (const RouterPreset& preset : router_presets()) names.emplace_back(preset.name);
  return {{{.name = "preset",
            .type = ParameterType::choice,
            .summary = "a router of another program or of published RTL: sets the keys of `router` that are "
                       "not given",
            .fallback = "null",
            .choices = names}},
          {},
          [](const ExperimentConfig&, const Topology&) { return std::optional<Value>(); }};
}

Rows router() {
  return only(
      KeyScope::links,
      {.name = "router",
       .summary = "what every router is like",
       .rows = {
           preset_row(),
           machine(choice_row(&MachineConfig::switching, kSwitchings,
                              {.name = "switching", .summary = "when a flit may move on"})),
           row(&ExperimentConfig::routing,
               {.name = "routing",
                .type = ParameterType::choice,
                .summary = "routing function; auto: the one the schedule is made for",
                .choices = names({"auto"}, RoutingRegistry::all())}),
           file_row(&ExperimentConfig::routes_file,
                    "file of the routes that `table` follows, as seen from the configuration\'s directory"),
           machine(choice_row(&MachineConfig::selection, kSelections,
                              {.name = "selection",
                               .summary = "which one a head asks for if the routing function names "
                                          "several candidates"})),
           row(&ExperimentConfig::virtual_channels,
               {.name = "virtual_channels",
                .type = ParameterType::integer,
                .summary = "virtual channels of every link; auto: as many as the routing has "
                           "classes",
                .minimum = 1,
                .maximum = kMaxVirtualChannels,
                .choices = {"auto"}}),

           machine(choice_row(&MachineConfig::vc_allocation, kVcAllocations,
                              {.name = "vc_allocation",
                               .summary = "when a virtual channel is granted again: non-atomic, after "
                                          "the tail; with-slot, if the buffer behind it has a free slot too; "
                                          "atomic, when that buffer is empty"})),
           parts(choice_row(
               &RouterParts::vc_allocator, kVcAllocators,
               {.name = "vc_allocator", .summary = "how heads are matched with virtual channels"})),
           parts(choice_row(
               &RouterParts::switch_allocator, kSwitchAllocators,
               {.name = "switch_allocator", .summary = "how input ports are matched with output ports"})),
           parts(row(&RouterParts::switch_iterations,
                     {.name = "switch_iterations",
                      .type = ParameterType::integer,
                      .summary = "iterations of the islip switch allocator in a cycle",
                      .minimum = 1,
                      .maximum = kMaxVirtualChannels})),
           parts(choice_row(&RouterParts::arbiter, kArbiters,
                            {.name = "arbiter",
                             .summary = "which of several requests wins in the allocators, circular and "
                                        "wavefront apart"})),
           parts(
               choice_row(&RouterParts::speculation, kSpeculations,
                          {.name = "speculation",
                           .summary = "whether heads ask for the switch before they have a virtual channel, "
                                      "and what others come first"})),
           parts(row(
               &RouterParts::bypass,
               {.name = "bypass",
                .type = ParameterType::boolean,
                .summary = "a flit that finds its buffer empty can leave at once if nothing else wants its "
                           "ports; for switch-winner"})),
           parts(row(&RouterParts::hold,
                     {.name = "hold",
                      .type = ParameterType::boolean,
                      .summary = "a virtual channel that has won the switch keeps it for its message as long "
                                 "as flits follow"})),
           parts(row(&RouterParts::input_speedup,
                     {.name = "input_speedup",
                      .type = ParameterType::integer,
                      .summary = "flits of different virtual channels that can leave an input port in a "
                                 "cycle",
                      .minimum = 1,
                      .maximum = kMaxVirtualChannels})),
           parts(row(&RouterParts::output_speedup,
                     {.name = "output_speedup",
                      .type = ParameterType::integer,
                      .summary = "flits of different input ports that can come to an output port in a cycle; "
                                 "with an output queue",
                      .minimum = 1,
                      .maximum = kMaxVirtualChannels})),
           parts(row(&RouterParts::output_queue,
                     {.name = "output_queue",
                      .type = ParameterType::integer,
                      .summary = "flits that the queue between the switch and a link or an ejection channel "
                                 "can hold; 0: there is none",
                      .unit = "flits",
                      .minimum = 0,
                      .maximum = kMaxBuffer})),
           parts(choice_row(&RouterParts::buffers, kBuffers,
                            {.name = "buffers",
                             .summary = "whether each virtual channel has a buffer of its own, or all of an "
                                        "input port of a link share one of the same size"})),
           parts(row(&RouterParts::buffer_reserve,
                     {.name = "buffer_reserve",
                      .type = ParameterType::integer,
                      .summary = "flits of a shared buffer that are for one virtual channel alone, for each",
                      .unit = "flits",
                      .minimum = 1,
                      .maximum = kMaxBuffer})),
           parts(choice_row(&RouterParts::credits, kCredits,
                            {.name = "credits",
                             .summary = "what a sender learns of a buffer: counts, every free slot; on-off, "
                                        "whether enough slots are free"})),
           parts(row(&RouterParts::stop_threshold,
                     {.name = "stop_threshold",
                      .type = ParameterType::integer,
                      .summary = "with on-off credits a sender stops if fewer slots are free; null: the "
                                 "fewest that lose no flit",
                      .unit = "flits",
                      .minimum = 1,
                      .maximum = kMaxBuffer})),
           parts(row(&RouterParts::routing_delay,
                     {.name = "routing_delay",
                      .type = ParameterType::cycles,
                      .summary = "cycles from when a head is at the front of its buffer until it requests a "
                                 "virtual channel; 0: look-ahead routing",
                      .unit = "cycles",
                      .minimum = 0,
                      .maximum = kMaxDelay})),
           parts(row(&RouterParts::injection_credit_delay,
                     {.name = "injection_credit_delay",
                      .type = ParameterType::cycles,
                      .summary = "cycles from when a slot of an injection buffer is free until the network "
                                 "interface knows of it",
                      .unit = "cycles",
                      .minimum = 0,
                      .maximum = kMaxDelay})),
           parts(row(&RouterParts::early_credits,
                     {.name = "early_credits",
                      .type = ParameterType::boolean,
                      .summary = "VC allocation learns of credits a cycle before the switch, as the Stanford "
                                 "router's"})),
           machine(choice_row(&MachineConfig::flow, kFlowControls,
                              {.name = "flow",
                               .summary = "flow control; bubble: on a torus a message enters a ring "
                                          "only if there is room for two of its length"})),
           machine(row(&MachineConfig::buffer, {.name = "buffer",
                                                .type = ParameterType::integer,
                                                .summary = "flits an input virtual channel can hold",
                                                .unit = "flits",
                                                .minimum = 1,
                                                .maximum = kMaxBuffer})),

           cycles_row(&MachineConfig::router_delay, "delay", 1, kMaxDelay,
                      "time a flit spends in a router at least"),

           cycles_row(&MachineConfig::vc_reallocation_delay, "vc_reallocation_delay", 1, kMaxDelay,
                      "time from when a tail leaves until its virtual channel of the link "
                      "can be granted again"),
           cycles_row(&MachineConfig::vc_delay, "vc_delay", 0, kMaxDelay,
                      "time from when a head is granted a virtual channel until it takes part "
                      "in switch allocation; 1: VC allocation is a stage of its own, which "
                      "the flits behind a head do without"),

           cycles_row(&MachineConfig::starvation_limit, "starvation_limit", 1, kMaxDelay,
                      "with priorities of classes: a flit that lost the switch for so long goes first"),
           cycles_row(&MachineConfig::credit_delay, "credit_delay", 0, kMaxDelay,
                      "time that a credit takes in the router that sends it, before its link"),
           machine(row(&MachineConfig::allow_deadlock,
                       {.name = "allow_deadlock",
                        .type = ParameterType::boolean,
                        .summary = "accept fewer virtual channels than the routing needs to be "
                                   "free of deadlock, and more open requests than queues hold"}))}});
}

/// One number for all links, or one a dimension.
Row<MachineConfig> link_delay() {
  Row<MachineConfig> result =
      row(&MachineConfig::link_delay,
          {.name = "delay",
           .type = ParameterType::cycles,
           .summary = "time a flit spends on a link; a list has a number for each dimension",
           .unit = "cycles",
           .minimum = 1,
           .maximum = kMaxDelay});
  result.key.or_list = true;
  result.put = [one = result.put](MachineConfig& machine, const Value& value, const ReadContext& context) {
    const auto* const list = std::get_if<std::vector<std::uint32_t>>(&value);
    if (list == nullptr) return one(machine, value, context);
    const Topology& topology = context.topology;
    if (!topology.is_grid()) {
      throw InputError(
          fmt::format("a {} has no dimensions, so this must be a single number", topology.name()));
    }
    if (list->size() != topology.dimensions()) {
      throw InputError(fmt::format("a {} needs {} numbers, one a dimension, or a single one; here are {}",
                                   topology.name(), topology.dimensions(), list->size()));
    }
    machine.links.by_dimension = *list;
    machine.link_delay = list->front();
  };
  result.take = [one = result.take](const MachineConfig& machine, const Topology& topology) {
    const std::vector<std::uint32_t>& list = machine.links.by_dimension;
    return list.empty() ? one(machine, topology) : std::optional<Value>(list);
  };
  return result;
}

/// A number of the machine that follows from bandwidths unless it is given (link_rates.h).
Row<ExperimentConfig> or_by_bandwidth(Row<ExperimentConfig> row) {
  row.key.parameter.choices = {"auto"};
  row.key.parameter.fallback = "auto";
  row.put = [put = row.put](ExperimentConfig& config, const Value& value, const ReadContext& context) {
    if (!std::holds_alternative<std::string>(value)) put(config, value, context);
  };
  return row;
}

Rows link() {
  return only(KeyScope::links,
              {.name = "link",
               .summary = "what every link is like; `links` has those that differ",
               .rows = {machine(link_delay()),
                        or_by_bandwidth(
                            machine(row(&MachineConfig::link_cycles_per_flit,
                                        {.name = "cycles_per_flit",
                                         .type = ParameterType::ratio,
                                         .summary = "a link takes one flit every so many cycles, 3/2: two "
                                                    "in three; auto: as link.bandwidth says, or 1",
                                         .unit = "cycles",
                                         .minimum = 1,
                                         .maximum = kMaxCyclesPerFlit}))),
                        row(&ExperimentConfig::link_bandwidth,
                            {.name = "bandwidth",
                             .type = ParameterType::bandwidth,
                             .summary = "data a link carries in a second, such as 25GB/s: "
                                        "flits and cycles_per_flit follow; needs a clock",
                             .unit = "bytes/s",
                             .minimum = 1})}});
}

Row<ExperimentConfig> interval_of_ends(std::uint32_t MachineConfig::*field, const char* name,
                                       const char* summary) {
  return of_links(or_by_bandwidth(machine(row(field, {.name = name,
                                                      .type = ParameterType::integer,
                                                      .summary = summary,
                                                      .unit = "cycles",
                                                      .minimum = 1,
                                                      .maximum = kMaxInterval}))));
}

Rows node() {
  return {
      .name = "node",
      .summary = "what every network interface is like",
      .rows = {
          of_links(machine(row(&MachineConfig::ports,
                               {.name = "ports",
                                .type = ParameterType::integer,
                                .summary = "injection channels of a node, and as many ejection channels; "
                                           "all: one each for every link",
                                .minimum = 1,
                                .maximum = kMaxNodePorts,
                                .choices = {"all"}}))),
          of_links(machine(row(&MachineConfig::node_vcs,
                               {.name = "vcs",
                                .type = ParameterType::integer,
                                .summary = "virtual channels of every injection and every ejection channel, "
                                           "which share its one flit a cycle",
                                .minimum = 1,
                                .maximum = kMaxVirtualChannels}))),
          of_links(machine(choice_row(&MachineConfig::node_queues, kNodeQueues,
                                      {.name = "queues",
                                       .summary = "of the message classes at a node: separate, each with VCs "
                                                  "of its own; or one that is shared"}))),
          of_links(machine(row(&MachineConfig::injection_queue,
                               {.name = "injection_queue",
                                .type = ParameterType::integer,
                                .summary = "messages that can wait in a queue of a node for an injection "
                                           "channel; null: no limit",
                                .unit = "messages",
                                .minimum = 1,
                                .maximum = kMaxQueue}))),
          of_links(machine(row(&MachineConfig::ejection_buffer,
                               {.name = "ejection_buffer",
                                .type = ParameterType::integer,
                                .summary = "flits that the buffer behind a VC of an ejection channel can "
                                           "hold; null: no limit",
                                .unit = "flits",
                                .minimum = 1,
                                .maximum = kMaxBuffer}))),
          of_links(machine(row(&MachineConfig::requests,
                               {.name = "requests",
                                .type = ParameterType::integer,
                                .summary = "requests of a schedule that a node works on at once, for each VC "
                                           "of an ejection channel, until their replies have left it; others "
                                           "wait in the network; null: no limit",
                                .unit = "messages",
                                .minimum = 1,
                                .maximum = kMaxQueue}))),
          of_circuits(required(machine(
              row(&MachineConfig::ports,
                  {.name = "ports",
                   .type = ParameterType::integer,
                   .summary = "k: ports of a node, and the messages that can arrive at one at the same "
                              "time; more than nodes - 1 stay unused",
                   .minimum = 1,
                   .maximum = kMaxNodePorts})))),
          cycles_row(&MachineConfig::startup, "startup", 0, kMaxStartup,
                     "preparation of a message before its head may enter the network"),
          interval_of_ends(
              &MachineConfig::injection_interval, "injection_interval",
              "an injection channel takes one flit every so many cycles; auto: as node.bandwidth says, "
              "or 1"),
          interval_of_ends(
              &MachineConfig::ejection_interval, "ejection_interval",
              "an ejection channel takes one flit every so many cycles; auto: as node.bandwidth says, "
              "or 1"),
          of_links(row(&ExperimentConfig::node_bandwidth,
                       {.name = "bandwidth",
                        .type = ParameterType::bandwidth,
                        .summary = "data that each injection and each ejection channel carries in a second: "
                                   "their intervals follow; needs a clock",
                        .unit = "bytes/s",
                        .minimum = 1})),
          or_by_bandwidth(machine(row(
              &MachineConfig::flit_bytes,
              {.name = "flit_bytes",
               .type = ParameterType::bytes,
               .summary = "bytes of data a flit carries; auto: what link.bandwidth brings in the cycles of a "
                          "flit, or 8",
               .unit = "bytes",
               .minimum = 1,
               .maximum = kMaxFlitBytes}))),
          cycles_per_byte_row(&MachineConfig::copy_cycles_per_byte, "copy_cycles_per_byte",
                              "time in which a node rearranges a byte of data in its memory"),
          cycles_per_byte_row(&MachineConfig::reduce_cycles_per_byte, "reduce_cycles_per_byte",
                              "time in which a node combines a byte that arrives with its own")}};
}

Rows circuits() {
  return only(
      KeyScope::circuits,
      {.name = "circuits",
       .summary = "what the circuits of a complete network are like",
       .rows = {required(cycles_row(&MachineConfig::reconfiguration, "reconfiguration", 0, kMaxStartup,
                                    "time that tuning a port to another target takes"))}});
}

Rows limits() {
  return {.name = "limits",
          .summary = "what ends a run early",
          .rows = {row(&ExperimentConfig::cycle_limit, {.name = "cycles",
                                                        .type = ParameterType::cycles,
                                                        .summary = "longest time the network may take",
                                                        .unit = "cycles",
                                                        .minimum = 1,
                                                        .maximum = kMaxCycles})}};
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
  if (!part.check) return;
  old->check = [first = std::move(old->check), second = std::move(part.check)](const ExperimentConfig& config,
                                                                               const Topology& topology) {
    if (first) first(config, topology);
    second(config, topology);
  };
}

std::vector<Rows> all_sections() {
  Rows classes = class_section(0);
  classes.name = kClasses;
  std::vector<Rows> sections{top_level(),
                             topology(),
                             router(),
                             link(),
                             node(),
                             workload_section(),
                             std::move(classes),
                             background_section(),
                             requests_section(),
                             service_section(),
                             circuits()};
  for (const SettingsRegistry::Part& part : SettingsRegistry::all()) {
    const auto settings = [](auto& config) -> auto& {
      return config.settings;
    };
    add(within<ExperimentConfig>(settings, part.section), sections);
  }
  sections.push_back(limits());
  return sections;
}

std::vector<Section> declarations(const std::vector<Rows>& sections) {
  std::vector<Section> result;
  for (const Rows& section : sections) {
    result.push_back({section.name, section.summary, {}});
    for (const Row<ExperimentConfig>& row : section.rows) result.back().keys.push_back(row.key);
  }
  return result;
}

template <typename T>
const T& named(const std::vector<T>& sections, std::string_view name) {
  const auto at = std::ranges::find(sections, name, &T::name);
  if (at == sections.end()) throw std::out_of_range(fmt::format("no section '{}'", name));
  return *at;
}

}  // namespace

const std::vector<RowSection<ExperimentConfig>>& config_rows() {
  static const std::vector<Rows> sections = all_sections();
  return sections;
}

void for_each_section(const ExperimentConfig& config,
                      const std::function<void(const RowSection<ExperimentConfig>&)>& visit) {
  for (const Rows& section : config_rows()) {
    if (section.name != kClasses) {
      visit(section);
      continue;
    }
    for (std::size_t item = 0; item < config.workload.classes.size(); ++item) visit(class_section(item));
  }
}

const RowSection<ExperimentConfig>& rows_of(std::string_view section) {
  return named(config_rows(), section);
}

const std::vector<Section>& config_sections() {
  static const std::vector<Section> sections = declarations(config_rows());
  return sections;
}

const Section& config_section(std::string_view name) {
  return named(config_sections(), name.substr(0, name.find('[')));
}

std::vector<std::string> sections_in(std::string_view section) {
  const std::string prefix = section.empty() ? "" : std::string(section) + ".";
  std::vector<std::string> names;
  for (const Section& each : config_sections()) {
    if (each.name.size() <= prefix.size() || !each.name.starts_with(prefix)) continue;
    const std::string rest = each.name.substr(prefix.size());
    if (rest.find('.') == std::string::npos) names.push_back(rest);
  }
  return names;
}

std::vector<ChannelId> links_of(const LinkSetting& setting, const Topology& topology) {
  const ChannelId channel = parse_channel(setting.at, topology);
  if (const unsigned port = topology.channel_port(channel); port != topology.port_alone(port)) {
    throw InputError(fmt::format("{}: links are alike in all networks; name the one of the first network",
                                 topology.channel_name(channel)));
  }
  if (!setting.both) return {channel};
  const unsigned port = topology.channel_port(channel);
  const NodeId here = topology.channel_node(channel);
  const NodeId there = topology.neighbour(here, port).value();
  if (topology.is_grid() && !topology.is_one_way()) {
    return {channel, topology.channel(there, topology.opposite_port(port))};
  }
  const auto back = topology.is_grid() ? std::nullopt : topology.graph()->port_to(there, here);
  if (back) return {channel, topology.channel(there, *back)};
  throw InputError(
      fmt::format("no link leads back from {} to {}", topology.node_name(there), topology.node_name(here)));
}

std::vector<LinkSetting> missing_links(const Topology& topology) {
  std::vector<LinkSetting> settings;
  if (!topology.has_faults()) return settings;
  for (const ChannelId link : topology.graph()->faults().links) {
    settings.push_back({.at = topology.channel_name(link), .missing = true});
  }
  return settings;
}

}  // namespace flitscope
