#include "sim/config/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
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
  std::vector<std::string> result = texts_of(kTopologyKinds, [](TopologyKind each) { return name_of(each); });
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
  return machine(row(field, Parameter::cycles(name, summary, {minimum, maximum})));
}

/// A time of a node for each byte.
Row<ExperimentConfig> cycles_per_byte_row(Decimal MachineConfig::*field, const char* name,
                                          const char* summary) {
  return of_links(machine(row(field, name, summary, {0, kMaxCopy}, "cycles/byte")));
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
          throw InputError("an earlier item has {} already", context.topology.channel_name(channel));
        }
      } catch (const InputError& error) {
        throw Inadmissible(path, "{}: {}", path, error.what());
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
      {Parameter::of(ParameterType::links, "links",
                     "single links that differ from the others: `at` names one, `delay`, `cycles_per_flit` "
                     "and `bandwidth` are as in link; `missing: true`: the network is without it; `both: "
                     "true` for the link back as well")
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
                   single_links(),
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
          topology({.parameter = Parameter::choice(
                        "kind",
                        "with wrap-around links or without; complete: circuits instead of links; graph: any "
                        "network, from a file; or a family of networks, with its parameters",
                        kind_choices())},
                   kind),
          of_scope(KeyScope::grids,
                   topology({.parameter = Parameter::integer(
                                 "shape", "nodes along each dimension, such as [8, 8]; at most 16 dimensions",
                                 {2, kMaxSide}, "nodes"),
                             .is_list = true},
                            shape)),
          of_scope(KeyScope::grids,
                   topology({.parameter =
                                 Parameter::choice("directions",
                                                   "the direction of every dimension in which the links of a "
                                                   "one-way torus lead; without it links lead in both",
                                                   {"both", "plus", "minus"})
                                     .or_else("null")},
                            directions)),
          of_scope(KeyScope::grids,
                   topology({.parameter = Parameter::of(
                                              ParameterType::node, "missing_nodes",
                                              "nodes that are missing with all their links, such as [[2, 2]]")
                                              .or_else("null"),
                             .is_list = true},
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
              {.parameter =
                   Parameter::of(ParameterType::networks, "networks",
                                 "physical networks with the same nodes: every link is there once in each, "
                                 "and a message class goes by one of them; or the `directions` of the links "
                                 "of each, and the `first_dimension` of its dimension-order routing",
                                 {1, 8})
                       .or_else("null")},
              networks)),
          of_circuits(topology({.parameter = Parameter::integer("nodes", "nodes of a complete network",
                                                                {2, kMaxSide}, "nodes")},
                               nodes))}};
}

/// Read before all keys: router_presets.h.
Row<ExperimentConfig> preset_row() {
  std::vector<std::string> names = texts_of(router_presets(), &RouterPreset::name);
  return {
      {Parameter::choice(
           "preset",
           "a router of another program or of published RTL: sets the keys of `router` that are not given",
           names)
           .or_else("null")},
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
           machine(
               choice_row(&MachineConfig::switching, kSwitchings, "switching", "when a flit may move on")),
           row(&ExperimentConfig::routing,
               Parameter::choice("routing", "routing function; auto: the one the schedule is made for",
                                 names({"auto"}, RoutingRegistry::all()))),
           file_row(
               &ExperimentConfig::routes_file,
               Parameter::of(
                   ParameterType::file, "file",
                   "file of the routes that `table` follows, as seen from the configuration\'s directory")),
           machine(choice_row(&MachineConfig::selection, kSelections, "selection",
                              "which one a head asks for if the routing function names several candidates")),
           row(&ExperimentConfig::virtual_channels,
               Parameter::integer("virtual_channels",
                                  "virtual channels of every link; auto: as many as the routing has classes",
                                  {1, kMaxVirtualChannels})
                   .or_words({"auto"})),

           machine(
               choice_row(&MachineConfig::vc_allocation, kVcAllocations, "vc_allocation",
                          "when a virtual channel is granted again: non-atomic, after the tail; with-slot, "
                          "if the buffer behind it has a free slot too; atomic, when that buffer is empty")),
           parts(choice_row(&RouterParts::vc_allocator, kVcAllocators, "vc_allocator",
                            "how heads are matched with virtual channels")),
           parts(choice_row(&RouterParts::switch_allocator, kSwitchAllocators, "switch_allocator",
                            "how input ports are matched with output ports")),
           parts(row(&RouterParts::switch_iterations, "switch_iterations",
                     "iterations of the islip switch allocator in a cycle", {1, kMaxVirtualChannels})),
           parts(
               choice_row(&RouterParts::arbiter, kArbiters, "arbiter",
                          "which of several requests wins in the allocators, circular and wavefront apart")),
           parts(choice_row(&RouterParts::speculation, kSpeculations, "speculation",
                            "whether heads ask for the switch before they have a virtual channel, and what "
                            "others come first")),
           parts(row(&RouterParts::bypass, "bypass",
                     "a flit that finds its buffer empty can leave at once if nothing else wants its ports; "
                     "for switch-winner")),
           parts(row(
               &RouterParts::hold, "hold",
               "a virtual channel that has won the switch keeps it for its message as long as flits follow")),
           parts(row(&RouterParts::input_speedup, "input_speedup",
                     "flits of different virtual channels that can leave an input port in a cycle",
                     {1, kMaxVirtualChannels})),
           parts(row(&RouterParts::output_speedup, "output_speedup",
                     "flits of different input ports that can come to an output port in a cycle; with an "
                     "output queue",
                     {1, kMaxVirtualChannels})),
           parts(row(&RouterParts::output_queue, "output_queue",
                     "flits that the queue between the switch and a link or an ejection channel can hold; 0: "
                     "there is none",
                     {0, kMaxBuffer}, "flits")),
           parts(choice_row(&RouterParts::buffers, kBuffers, "buffers",
                            "whether each virtual channel has a buffer of its own, or all of an input port "
                            "of a link share one of the same size")),
           parts(row(&RouterParts::buffer_reserve, "buffer_reserve",
                     "flits of a shared buffer that are for one virtual channel alone, for each",
                     {1, kMaxBuffer}, "flits")),
           parts(choice_row(&RouterParts::credits, kCredits, "credits",
                            "what a sender learns of a buffer: counts, every free slot; on-off, whether "
                            "enough slots are free")),
           parts(row(&RouterParts::stop_threshold, "stop_threshold",
                     "with on-off credits a sender stops if fewer slots are free; null: the fewest that lose "
                     "no flit",
                     {1, kMaxBuffer}, "flits")),
           parts(row(&RouterParts::routing_delay,
                     Parameter::cycles("routing_delay",
                                       "cycles from when a head is at the front of its buffer until it "
                                       "requests a virtual channel; 0: look-ahead routing",
                                       {0, kMaxDelay}))),
           parts(row(&RouterParts::injection_credit_delay,
                     Parameter::cycles("injection_credit_delay",
                                       "cycles from when a slot of an injection buffer is free until the "
                                       "network interface knows of it",
                                       {0, kMaxDelay}))),
           parts(row(&RouterParts::early_credits, "early_credits",
                     "VC allocation learns of credits a cycle before the switch, as the Stanford router's")),
           machine(choice_row(&MachineConfig::flow, kFlowControls, "flow",
                              "flow control; bubble: on a torus a message enters a ring only if there is "
                              "room for two of its length")),
           machine(row(&MachineConfig::buffer, "buffer", "flits an input virtual channel can hold",
                       {1, kMaxBuffer}, "flits")),

           cycles_row(&MachineConfig::router_delay, "delay", 1, kMaxDelay,
                      "time a flit spends in a router at least"),

           cycles_row(
               &MachineConfig::vc_reallocation_delay, "vc_reallocation_delay", 1, kMaxDelay,
               "time from when a tail leaves until its virtual channel of the link can be granted again"),
           cycles_row(
               &MachineConfig::vc_delay, "vc_delay", 0, kMaxDelay,
               "time from when a head is granted a virtual channel until it takes part in switch allocation; "
               "1: VC allocation is a stage of its own, which the flits behind a head do without"),

           cycles_row(&MachineConfig::starvation_limit, "starvation_limit", 1, kMaxDelay,
                      "with priorities of classes: a flit that lost the switch for so long goes first"),
           cycles_row(&MachineConfig::credit_delay, "credit_delay", 0, kMaxDelay,
                      "time that a credit takes in the router that sends it, before its link"),
           machine(row(&MachineConfig::allow_deadlock, "allow_deadlock",
                       "accept fewer virtual channels than the routing needs to be free of deadlock, and "
                       "more open requests than queues hold"))}});
}

/// One number for all links, or one a dimension.
Row<MachineConfig> link_delay() {
  Row<MachineConfig> result =
      row(&MachineConfig::link_delay,
          Parameter::cycles("delay", "time a flit spends on a link; a list has a number for each dimension",
                            {1, kMaxDelay}));
  result.key.or_list = true;
  result.put = [one = result.put](MachineConfig& machine, const Value& value, const ReadContext& context) {
    const auto* const list = std::get_if<std::vector<std::uint32_t>>(&value);
    if (list == nullptr) return one(machine, value, context);
    const Topology& topology = context.topology;
    if (!topology.is_grid()) {
      throw InputError("a {} has no dimensions, so this must be a single number", topology.name());
    }
    if (list->size() != topology.dimensions()) {
      throw InputError("a {} needs {} numbers, one a dimension, or a single one; here are {}",
                       topology.name(), topology.dimensions(), list->size());
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

/// A number of the machine that follows from bandwidths unless it is given (link_rates.cpp).
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
                        or_by_bandwidth(machine(row(&MachineConfig::link_cycles_per_flit, "cycles_per_flit",
                                                    "a link takes one flit every so many cycles, 3/2: two in "
                                                    "three; auto: as link.bandwidth says, or 1",
                                                    {1, kMaxCyclesPerFlit}, "cycles"))),
                        row(&ExperimentConfig::link_bandwidth,
                            Parameter::of(ParameterType::bandwidth, "bandwidth",
                                          "data a link carries in a second, such as 25GB/s: flits and "
                                          "cycles_per_flit follow; needs a clock",
                                          {1}, "bytes/s"))}});
}

Row<ExperimentConfig> interval_of_ends(std::uint32_t MachineConfig::*field, const char* name,
                                       const char* summary) {
  return of_links(or_by_bandwidth(machine(row(field, name, summary, {1, kMaxInterval}, "cycles"))));
}

Rows node() {
  return {
      .name = "node",
      .summary = "what every network interface is like",
      .rows = {
          of_links(machine(row(
              &MachineConfig::ports,
              Parameter::integer(
                  "ports",
                  "injection channels of a node, and as many ejection channels; all: one each for every link",
                  {1, kMaxNodePorts})
                  .or_words({"all"})))),
          of_links(machine(row(&MachineConfig::node_vcs, "vcs",
                               "virtual channels of every injection and every ejection channel, which share "
                               "its one flit a cycle",
                               {1, kMaxVirtualChannels}))),
          of_links(machine(choice_row(&MachineConfig::node_queues, kNodeQueues, "queues",
                                      "of the message classes at a node: separate, each with VCs of its own; "
                                      "or one that is shared"))),
          of_links(machine(
              row(&MachineConfig::injection_queue, "injection_queue",
                  "messages that can wait in a queue of a node for an injection channel; null: no limit",
                  {1, kMaxQueue}, "messages"))),
          of_links(
              machine(row(&MachineConfig::ejection_buffer, "ejection_buffer",
                          "flits that the buffer behind a VC of an ejection channel can hold; null: no limit",
                          {1, kMaxBuffer}, "flits"))),
          of_links(machine(
              row(&MachineConfig::requests, "requests",
                  "requests of a schedule that a node works on at once, for each VC of an ejection channel, "
                  "until their replies have left it; others wait in the network; null: no limit",
                  {1, kMaxQueue}, "messages"))),
          of_links(machine(row(&MachineConfig::banks, "banks",
                               "banks of a node's memory, a power of two: a network interface does not read "
                               "a flit of a message from the bank of which that of another network has one; "
                               "0: they do not disturb each other",
                               {0, kMaxBanks}))),
          of_links(machine(row(&MachineConfig::bank_hold, "bank_hold",
                               "a flit that is read keeps its bank until it is put into the router, at most "
                               "so long",
                               {1, 1 << 24}, "cycles"))),
          of_circuits(required(machine(row(&MachineConfig::ports, "ports",
                                           "k: ports of a node, and the messages that can arrive at one at "
                                           "the same time; more than nodes - 1 stay unused",
                                           {1, kMaxNodePorts})))),
          cycles_row(&MachineConfig::startup, "startup", 0, kMaxStartup,
                     "preparation of a message before its head may enter the network"),
          interval_of_ends(
              &MachineConfig::injection_interval, "injection_interval",
              "an injection channel takes one flit every so many cycles; auto: as node.bandwidth says, or 1"),
          interval_of_ends(
              &MachineConfig::ejection_interval, "ejection_interval",
              "an ejection channel takes one flit every so many cycles; auto: as node.bandwidth says, or 1"),
          of_links(row(&ExperimentConfig::node_bandwidth,
                       Parameter::of(ParameterType::bandwidth, "bandwidth",
                                     "data that each injection and each ejection channel carries in a "
                                     "second: their intervals follow; needs a clock",
                                     {1}, "bytes/s"))),
          or_by_bandwidth(machine(row(&MachineConfig::flit_bytes,
                                      Parameter::bytes("flit_bytes",
                                                       "bytes of data a flit carries; auto: what "
                                                       "link.bandwidth brings in the cycles of a flit, or 8",
                                                       {1, kMaxFlitBytes})))),
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
    throw InputError("{}: links are alike in all networks; name the one of the first network",
                     topology.channel_name(channel));
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
  throw InputError("no link leads back from {} to {}", topology.node_name(there), topology.node_name(here));
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
