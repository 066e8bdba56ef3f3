#include "sim/config/keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <stdexcept>

#include "model/algorithm.h"
#include "model/topology.h"
#include "routers/machine.h"
#include "routers/routing/routing.h"
#include "sim/config/observe_config.h"

namespace flitscope {

namespace {

constexpr std::int64_t kMaxNodes = std::int64_t{1} << 31;
constexpr std::int64_t kMaxVirtualChannels = 64;
constexpr std::int64_t kMaxBuffer = std::int64_t{1} << 24;
constexpr std::int64_t kMaxDelay = 65'535;
constexpr std::int64_t kMaxPorts = 32;
constexpr std::int64_t kMaxStartup = 1'000'000'000'000;
constexpr std::int64_t kMaxSlowdown = 1024;
constexpr std::int64_t kMaxFlitBytes = 65'536;
constexpr std::int64_t kMaxCopy = 1000;
constexpr std::int64_t kMaxLookahead = 1'000'000'000;
constexpr std::int64_t kMaxCycles = 1'000'000'000'000'000;

template <typename T>
std::vector<std::string> names(const std::vector<T>& entries) {
  std::vector<std::string> result;
  for (const T& entry : entries) result.push_back(entry.name);
  return result;
}

std::vector<std::string> kind_choices() {
  std::vector<std::string> result;
  for (const TopologyKind kind : kTopologyKinds) result.emplace_back(name_of(kind));
  return result;
}

/// A section of which only some networks have any key.
Section only(KeyScope scope, Section section) {
  for (Key& key : section.keys) key.scope = scope;
  return section;
}

std::vector<std::string> routing_choices() {
  std::vector<std::string> result{"auto"};
  std::ranges::move(names(RoutingRegistry::all()), std::back_inserter(result));
  return result;
}

Section top_level() {
  return {.name = "",
          .summary = "the experiment",
          .keys = {
              {{.name = "flitscope",
                .type = ParameterType::integer,
                .summary = "version of this schema",
                .minimum = 1,
                .maximum = 1}},
              {{.name = "name",
                .type = ParameterType::text,
                .summary = "what the experiment is called",
                .fallback = "unnamed"}},
              {{.name = "clock",
                .type = ParameterType::text,
                .summary = "length of a cycle, such as 1ns; with it cycles can be written as times",
                .fallback = "null"}},
          }};
}

Section topology() {
  return {.name = "topology",
          .summary = "which nodes there are and how links join them",
          .keys = {
              {{.name = "kind",
                .type = ParameterType::choice,
                .summary = "with wrap-around links or without; complete: circuits instead of links",
                .choices = kind_choices()}},
              {.parameter = {.name = "shape",
                             .type = ParameterType::integer,
                             .summary = "nodes along each dimension, such as [8, 8]; required with links",
                             .fallback = "null",
                             .unit = "nodes",
                             .minimum = 2,
                             .maximum = kMaxNodes},
               .is_list = true,
               .scope = KeyScope::links},
              {.parameter = {.name = "nodes",
                             .type = ParameterType::integer,
                             .summary = "nodes of a complete network; required there",
                             .fallback = "null",
                             .unit = "nodes",
                             .minimum = 2,
                             .maximum = kMaxNodes},
               .scope = KeyScope::circuits},
          }};
}

Section router() {
  return {.name = "router",
          .summary = "what every router is like",
          .keys = {
              {{.name = "switching",
                .type = ParameterType::choice,
                .summary = "when a flit may move on",
                .fallback = name_of(Switching::wormhole),
                .choices = {name_of(Switching::wormhole), name_of(Switching::virtual_cut_through),
                            name_of(Switching::store_and_forward)}}},
              {{.name = "routing",
                .type = ParameterType::choice,
                .summary = "routing function; auto: the one the schedule is made for",
                .fallback = "auto",
                .choices = routing_choices()}},
              {{.name = "virtual_channels",
                .type = ParameterType::integer,
                .summary = "virtual channels of every link; auto: as many as the routing has classes",
                .fallback = "auto",
                .minimum = 1,
                .maximum = kMaxVirtualChannels,
                .choices = {"auto"}}},
              {{.name = "buffer",
                .type = ParameterType::integer,
                .summary = "flits an input virtual channel can hold",
                .fallback = "8",
                .unit = "flits",
                .minimum = 1,
                .maximum = kMaxBuffer}},
              {{.name = "delay",
                .type = ParameterType::cycles,
                .summary = "time a flit spends in a router at least",
                .fallback = "1",
                .unit = "cycles",
                .minimum = 1,
                .maximum = kMaxDelay}},
              {{.name = "allow_deadlock",
                .type = ParameterType::boolean,
                .summary = "accept fewer virtual channels than the routing needs to be free of deadlock",
                .fallback = "false"}},
          }};
}

Section link() {
  return {.name = "link",
          .summary = "what every link is like",
          .keys = {{{.name = "delay",
                     .type = ParameterType::cycles,
                     .summary = "time a flit spends on a link",
                     .fallback = "1",
                     .unit = "cycles",
                     .minimum = 1,
                     .maximum = kMaxDelay}}}};
}

Section node() {
  return {
      .name = "node",
      .summary = "what every network interface is like",
      .keys = {
          {{.name = "ports",
            .type = ParameterType::integer,
            .summary =
                "injection channels of a node, and as many ejection channels; all: one each for every link; "
                "on a complete network k, required there",
            .fallback = "all",
            .minimum = 1,
            .maximum = kMaxPorts,
            .choices = {"all"}}},
          {{.name = "startup",
            .type = ParameterType::cycles,
            .summary = "preparation of a message before its head may enter the network",
            .fallback = "0",
            .unit = "cycles",
            .minimum = 0,
            .maximum = kMaxStartup}},
          {.parameter = {.name = "slowdown",
                         .type = ParameterType::integer,
                         .summary = "cycles between two flits on a node's own channels",
                         .fallback = "1",
                         .unit = "cycles",
                         .minimum = 1,
                         .maximum = kMaxSlowdown},
           .scope = KeyScope::links},
          {{.name = "flit_bytes",
            .type = ParameterType::bytes,
            .summary = "bytes of data a flit carries",
            .fallback = "8",
            .unit = "bytes",
            .minimum = 1,
            .maximum = kMaxFlitBytes}},
          {.parameter = {.name = "copy",
                         .type = ParameterType::number,
                         .summary = "time in which a node rearranges a byte of data in its memory",
                         .fallback = "0",
                         .unit = "cycles/byte",
                         .minimum = 0,
                         .maximum = kMaxCopy},
           .scope = KeyScope::links},
      }};
}

Section workload() {
  return {
      .name = "workload",
      .summary = "what the network has to do: an algorithm with its parameters, or a schedule from a file",
      .keys = {
          {{.name = "algorithm",
            .type = ParameterType::choice,
            .summary = "algorithm that makes the schedule",
            .fallback = "null",
            .choices = names(AlgorithmRegistry::all())}},
          {{.name = "schedule",
            .type = ParameterType::text,
            .summary = "file that holds the schedule, as seen from the configuration's directory",
            .fallback = "null"}},
          {{.name = "schedule_digest",
            .type = ParameterType::text,
            .summary = "sha256: and the digits of that file's SHA-256; a file that differs is refused",
            .fallback = "null"}},
          {.parameter = {.name = "advance",
                         .type = ParameterType::choice,
                         .summary = "when a step starts: barrier, all of the last has arrived; dataflow, a "
                                    "node has the data; "
                                    "table: no steps, links send by the algorithm's routing table",
                         .fallback = "barrier",
                         .choices = {"barrier", "dataflow", "table"}},
           .scope = KeyScope::links},
          {.parameter = {.name = "lookahead",
                         .type = ParameterType::integer,
                         .summary = "messages a dataflow driver reads ahead",
                         .fallback = "1000000",
                         .unit = "messages",
                         .minimum = 1,
                         .maximum = kMaxLookahead},
           .scope = KeyScope::links},
      }};
}

Section circuits() {
  return {
      .name = "circuits",
      .summary = "what the circuits of a complete network are like",
      .keys = {{{.name = "reconfiguration",
                 .type = ParameterType::cycles,
                 .summary = "time that tuning a port to another target takes; required on a complete network",
                 .fallback = "null",
                 .unit = "cycles",
                 .minimum = 0,
                 .maximum = kMaxStartup}}}};
}

Key list_or_word(const char* name, ParameterType type, const char* summary, const char* fallback,
                 std::vector<std::string> words) {
  return {.parameter = {.name = name,
                        .type = type,
                        .summary = summary,
                        .fallback = fallback,
                        .choices = std::move(words)},
          .is_list = true};
}

Key of_links(Key key) {
  key.scope = KeyScope::links;
  return key;
}

Key cycle(const char* name, const char* summary, const char* fallback) {
  return {{.name = name,
           .type = ParameterType::cycles,
           .summary = summary,
           .fallback = fallback,
           .unit = "cycles",
           .minimum = 0,
           .maximum = kMaxCycles,
           .choices = {}}};
}

Section observe() {
  return {
      .name = "observe",
      .summary = "what a run writes down beyond its result, into the directory of --out",
      .keys = {
          {{.name = "messages",
            .type = ParameterType::boolean,
            .summary = "messages.csv: a line for every message, with its time split",
            .fallback = "false"}},
          {.parameter = {.name = "trace",
                         .type = ParameterType::choice,
                         .summary = "trace.csv or trace.bin: every event of every flit, see observe.filter",
                         .fallback = name_of(TraceFormat::none),
                         .choices = {name_of(TraceFormat::none), name_of(TraceFormat::csv),
                                     name_of(TraceFormat::binary)}},
           .scope = KeyScope::links},
          {{.name = "timeline",
            .type = ParameterType::boolean,
            .summary = "trace.json for Perfetto: worms on channels or messages on circuits, stalls, tunings; "
                       "see observe.filter",
            .fallback = "false"}},
          {.parameter = {.name = "map",
                         .type = ParameterType::boolean,
                         .summary =
                             "channels.svg: a map of a network of one or two dimensions, where flits waited",
                         .fallback = "false"},
           .scope = KeyScope::links}}};
}

Section filter() {
  return {.name = "observe.filter",
          .summary = "which events the flit trace and the timeline show: those that meet every key",
          .keys = {
              list_or_word("nodes", ParameterType::node, "nodes at which they happen", "all", {"all"}),
              of_links(list_or_word("channels", ParameterType::text,
                                    "links they are about, such as '[1, 0]+0' (not of the timeline)", "all",
                                    {"all"})),
              list_or_word("messages", ParameterType::text, "messages, such as '3.5': step 3, message 5",
                           "all", {"all"}),
              list_or_word("steps", ParameterType::text, "steps, from 1 on", "all", {"all"}),
              cycle("from", "first cycle", "0"),
              cycle("to", "last cycle", "1000000000000000"),
          }};
}

Section waves() {
  return {
      .name = "observe.waves",
      .summary = "waveforms of some nodes and channels, with a save file for GTKWave",
      .keys = {
          {{.name = "format",
            .type = ParameterType::choice,
            .summary = "waves.vcd or waves.fst",
            .fallback = name_of(WaveFormat::none),
            .choices = {name_of(WaveFormat::none), name_of(WaveFormat::vcd), name_of(WaveFormat::fst)}}},
          list_or_word("nodes", ParameterType::node,
                       "nodes; deadlock: those of the circle, busiest: the one that sends most flits, both "
                       "found by a run before this one; auto: deadlock, on a complete network busiest",
                       "auto", {"auto", "deadlock", "busiest", "none"}),
          of_links(list_or_word(
              "channels", ParameterType::text,
              "links, such as '[1, 0]+0', with both ends; busiest: the one that moves most flits, "
              "congested: the one that flits wait for most, found by a run before this one",
              "busiest", {"busiest", "congested", "none"})),
          cycle("from", "first cycle", "0"),
          cycle("to", "last cycle", "1000000000000000"),
      }};
}

Section limits() {
  return {.name = "limits",
          .summary = "what ends a run early",
          .keys = {{{.name = "cycles",
                     .type = ParameterType::cycles,
                     .summary = "longest time the network may take",
                     .fallback = "1000000000",
                     .unit = "cycles",
                     .minimum = 1,
                     .maximum = kMaxCycles}}}};
}

/// "from 1 to 64", "of at least 1", by what the range excludes.
std::string range_text(const Parameter& parameter) {
  if (parameter.maximum == std::numeric_limits<std::int64_t>::max()) {
    return fmt::format("of at least {}", parameter.minimum);
  }
  if (parameter.minimum == parameter.maximum) return fmt::format("equal to {}", parameter.minimum);
  return fmt::format("from {} to {}", parameter.minimum, parameter.maximum);
}

std::string quoted_list(const std::vector<std::string>& words) {
  return fmt::format("'{}'", fmt::join(words, "', '"));
}

/// "one of 'torus', 'mesh'"; of long lists the beginning.
std::string one_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMaxListed = 12;
  constexpr std::ptrdiff_t kShown = 3;
  if (names.size() <= kMaxListed) return "one of " + quoted_list(names);
  return fmt::format("one of {}, ... ('flitscope list' has all {})",
                     quoted_list({names.begin(), names.begin() + kShown}), names.size());
}

}  // namespace

const std::vector<Section>& config_sections() {
  static const std::vector<Section> sections{top_level(),
                                             topology(),
                                             only(KeyScope::links, router()),
                                             only(KeyScope::links, link()),
                                             node(),
                                             workload(),
                                             only(KeyScope::circuits, circuits()),
                                             observe(),
                                             filter(),
                                             waves(),
                                             limits()};
  return sections;
}

const Section& config_section(std::string_view name) {
  const auto& sections = config_sections();
  const auto at = std::ranges::find(sections, name, &Section::name);
  if (at == sections.end()) throw std::out_of_range(fmt::format("no section '{}'", name));
  return *at;
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

std::string path_of(std::string_view section, std::string_view key) {
  return section.empty() ? std::string(key) : fmt::format("{}.{}", section, key);
}

bool applies(const Key& key, TopologyKind kind) {
  return key.scope == KeyScope::all || (key.scope == KeyScope::circuits) == (kind == TopologyKind::complete);
}

std::string expected(const Key& key) {
  const Parameter& parameter = key.parameter;
  const std::string word =
      parameter.choices.empty() ? "" : fmt::format(", or {}", quoted_list(parameter.choices));
  if (key.is_list) {
    Key element = key;
    element.is_list = false;
    element.parameter.choices.clear();
    const char* const example = parameter.type == ParameterType::integer ? "[8, 8]"
                                : parameter.type == ParameterType::node  ? "[[0, 0], [1, 2]]"
                                                                         : "['a', 'b']";
    return fmt::format("a list, such as {}, each {}{}", example, expected(element), word);
  }
  switch (parameter.type) {
    case ParameterType::integer:
      return fmt::format("a whole number {}{}", range_text(parameter), word);
    case ParameterType::number:
      return fmt::format("a number {}{}", range_text(parameter), word);
    case ParameterType::bytes:
      return fmt::format("a size {} bytes, such as 512 or 4KiB{}", range_text(parameter), word);
    case ParameterType::cycles:
      return fmt::format("a time {} cycles, such as 100, or 30us if there is a clock{}",
                         range_text(parameter), word);
    case ParameterType::boolean:
      return "true or false";
    case ParameterType::choice:
      return one_of(parameter.choices);
    case ParameterType::text:
      return "text";
    case ParameterType::node:
      return "a node, such as [0, 1, 2], or 'origin'";
    case ParameterType::node_set:
      return "nodes: 'all', a list such as [[0, 1, 2], [3, 0, 0]], {count: 20, seed: 1} or "
             "{fraction: 0.1, seed: 1}";
  }
  return "?";
}

}  // namespace flitscope
