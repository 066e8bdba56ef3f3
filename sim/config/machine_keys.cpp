// The keys of machines: `router`, with its presets, `link`, `node` and `circuits`.
#include <fmt/format.h>

#include <algorithm>

#include "model/topology.h"
#include "routers/routing/routing.h"
#include "sim/config/keys.h"
#include "sim/config/workload_keys.h"

namespace flitscope {

namespace {

using Rows = RowSection<ExperimentConfig>;
using Value = ParameterValues::Value;

constexpr std::int64_t kMaxBuffer = std::int64_t{1} << 24;
constexpr std::int64_t kMaxDelay = kMaxLinkDelay;
constexpr std::int64_t kMaxQueue = std::int64_t{1} << 24;
constexpr std::int64_t kMaxNodePorts = 2 * std::int64_t{kMaxDimensions};
constexpr std::int64_t kMaxStartup = 1'000'000'000'000;
constexpr std::int64_t kMaxInterval = 1024;
constexpr std::int64_t kMaxCopy = 1000;

/// A section of networks of some kinds.
Rows only(KeyScope scope, Rows section) {
  for (Row<ExperimentConfig>& row : section.rows) row.scope = scope;
  return section;
}

Row<ExperimentConfig> machine(Row<MachineConfig> row) {
  return within<ExperimentConfig>(&ExperimentConfig::machine, std::move(row));
}

Row<ExperimentConfig> parts(Row<RouterParts> row) {
  return machine(within<MachineConfig>(&MachineConfig::parts, std::move(row)));
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

// Routers of other programs and of published RTL, as settings of `router`.

/// A value of `router.preset`.
struct RouterPreset {
  std::string name;
  std::string settings;  ///< keys of `router` as YAML
};

/// Heads get a VC as they win the switch, one whose buffer is empty.
std::string garnet(unsigned delay) {
  return fmt::format(
      "{{delay: {}, credit_delay: 1, vc_allocator: switch-winner, switch_allocator: separable-input-first, "
      "arbiter: round-robin, speculation: none, vc_allocation: atomic}}",
      delay);
}

const std::vector<RouterPreset>& router_presets() {
  static const std::vector<RouterPreset> presets{
      // What the parameters of the RTL (Becker, 2012) are in its own parameters.v.
      {"stanford-vc",
       "{delay: 2, credit_delay: 3, vc_allocator: separable-input-first, switch_allocator: "
       "separable-input-first, arbiter: round-robin-binary, speculation: prioritised, vc_allocation: "
       "with-slot, early_credits: true}"},
      // The input-queued router with separable allocators.
      {"booksim2-iq",
       "{delay: 2, credit_delay: 1, injection_credit_delay: 1, vc_allocator: separable-input-first-flat, "
       "switch_allocator: separable-input-first-ports, arbiter: round-robin, speculation: none, "
       "vc_allocation: non-atomic}"},
      {"garnet", garnet(1)},
      {"garnet-4-stage", garnet(4)},
      // The router of SST's Merlin, with flits instead of whole packets.
      {"merlin",
       "{delay: 1, credit_delay: 0, vc_allocator: switch-winner, switch_allocator: separable-input-first, "
       "arbiter: matrix, speculation: none, vc_allocation: with-slot, hold: true}"}};
  return presets;
}

/// Read before all keys: with_router_preset.
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

std::vector<std::string> routing_choices() {
  std::vector<std::string> choices = texts_of(RoutingRegistry::all(), &Routing::name);
  choices.insert(choices.begin(), "auto");
  return choices;
}

/// One number for all links, or one a dimension.
Row<MachineConfig> link_delay() {
  Row<MachineConfig> result =
      row(&MachineConfig::link_delay,
          Parameter::cycles("delay", "time a flit spends on a link; a list has a number for each dimension",
                            {1, kMaxDelay}));
  result.or_list = true;
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
  row.choices = {"auto"};
  row.fallback = "auto";
  row.put = [put = row.put](ExperimentConfig& config, const Value& value, const ReadContext& context) {
    if (!std::holds_alternative<std::string>(value)) put(config, value, context);
  };
  return row;
}

Row<ExperimentConfig> interval_of_ends(std::uint32_t MachineConfig::*field, const char* name,
                                       const char* summary) {
  return of_links(or_by_bandwidth(machine(row(field, name, summary, {1, kMaxInterval}, "cycles"))));
}

}  // namespace

RowSection<ExperimentConfig> router_section() {
  return only(
      KeyScope::links,
      {.name = "router",
       .summary = "what every router is like",
       .rows = {
           preset_row(),
           machine(choice_row(&MachineConfig::switching, "switching", "when a flit may move on")),
           row(&ExperimentConfig::routing,
               Parameter::choice("routing", "routing function; auto: the one the schedule is made for",
                                 routing_choices())),
           file_row(
               &ExperimentConfig::routes_file,
               Parameter::of(
                   ParameterType::file, "file",
                   "file of the routes that `table` follows, as seen from the configuration\'s directory")),
           machine(choice_row(&MachineConfig::selection, "selection",
                              "which one a head asks for if the routing function names several candidates")),
           row(&ExperimentConfig::virtual_channels,
               Parameter::integer("virtual_channels",
                                  "virtual channels of every link; auto: as many as the routing has classes",
                                  {1, kMaxVirtualChannels})
                   .or_words({"auto"})),

           machine(
               choice_row(&MachineConfig::vc_allocation, "vc_allocation",
                          "when a virtual channel is granted again: non-atomic, after the tail; with-slot, "
                          "if the buffer behind it has a free slot too; atomic, when that buffer is empty")),
           parts(choice_row(&RouterParts::vc_allocator, "vc_allocator",
                            "how heads are matched with virtual channels")),
           parts(choice_row(&RouterParts::switch_allocator, "switch_allocator",
                            "how input ports are matched with output ports")),
           parts(row(&RouterParts::switch_iterations, "switch_iterations",
                     "iterations of the islip switch allocator in a cycle", {1, kMaxVirtualChannels})),
           parts(
               choice_row(&RouterParts::arbiter, "arbiter",
                          "which of several requests wins in the allocators, circular and wavefront apart")),
           parts(choice_row(&RouterParts::speculation, "speculation",
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
           parts(choice_row(&RouterParts::buffers, "buffers",
                            "whether each virtual channel has a buffer of its own, or all of an input port "
                            "of a link share one of the same size")),
           parts(row(&RouterParts::buffer_reserve, "buffer_reserve",
                     "flits of a shared buffer that are for one virtual channel alone, for each",
                     {1, kMaxBuffer}, "flits")),
           parts(choice_row(&RouterParts::credits, "credits",
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
           machine(choice_row(&MachineConfig::flow, "flow",
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

RowSection<ExperimentConfig> link_section() {
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

RowSection<ExperimentConfig> node_section() {
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
          of_links(machine(choice_row(&MachineConfig::node_queues, "queues",
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
                               "a flit of a message from the bank of which that of another network has one, "
                               "or to which one that arrives is written; "
                               "0: they do not disturb each other",
                               {0, kMaxBanks}))),
          of_links(machine(row(&MachineConfig::bank_hold, "bank_hold",
                               "a flit that is read keeps its bank until it is put into the router, at most "
                               "so long",
                               {1, 1 << 24}, "cycles"))),
          of_scope(KeyScope::circuits,
                   required(machine(row(&MachineConfig::ports, "ports",
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

RowSection<ExperimentConfig> circuits_section() {
  return only(
      KeyScope::circuits,
      {.name = "circuits",
       .summary = "what the circuits of a complete network are like",
       .rows = {required(cycles_row(&MachineConfig::reconfiguration, "reconfiguration", 0, kMaxStartup,
                                    "time that tuning a port to another target takes"))}});
}

std::optional<YamlNode> with_router_preset(const YamlNode& root) {
  const YamlNode* const given = root.find("router");
  if (given == nullptr || given->kind != YamlNode::Kind::map) return std::nullopt;
  const YamlNode* const name = given->find("preset");
  if (name == nullptr || name->kind != YamlNode::Kind::scalar) return std::nullopt;
  const auto preset = std::ranges::find(router_presets(), name->text, &RouterPreset::name);
  if (preset == router_presets().end()) return std::nullopt;
  YamlNode result = root;
  YamlNode& router = *result.find("router");
  const auto add = [&](const std::string& settings) {
    Diagnostics none;
    std::optional<YamlNode> map = parse_yaml(settings, {}, none);
    for (YamlNode& setting : map->items) {
      const YamlNode* const old = router.find(setting.key);
      if (old != nullptr && old->kind != YamlNode::Kind::null) continue;
      std::erase_if(router.items, [&](const YamlNode& item) { return item.key == setting.key; });
      setting.place = name->place;
      setting.key_place = name->key_place;
      router.items.push_back(std::move(setting));
    }
  };
  add(preset->settings);
  // VC allocation is a stage of its own if no head asks for the switch without a VC.
  const bool late = router.find("vc_allocator")->text == "switch-winner";
  add(fmt::format("{{vc_delay: {}}}", router.find("speculation")->text == "none" && !late ? 1 : 0));
  return result;
}

}  // namespace flitscope
