#include "sim/config/observe_reader.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "model/error.h"
#include "model/schedule.h"
#include "sim/observe/flits/channel_map.h"

namespace flitscope {

namespace {

constexpr std::array kTraceFormats{"none", "csv", "binary"};
constexpr std::array kWaveFormats{"none", "vcd", "fst"};
constexpr std::array kNodeChoices{"", "none", "deadlock", "busiest"};
constexpr std::array kChannelChoices{"", "none", "busiest", "congested"};

/// The last cycle there can be is written as the greatest that limits.cycles can have.
constexpr Cycle kLastCycle = 1'000'000'000'000'000;

template <typename Enum, std::size_t N>
Enum named(const std::array<const char*, N>& names, const std::string& name) {
  std::size_t index = 0;
  while (names[index] != name) ++index;
  return static_cast<Enum>(index);
}

/// A word that stands for a choice, or `listed`.
template <typename Enum, std::size_t N>
Enum choice(const std::array<const char*, N>& names, const ParameterValues& values, const std::string& key) {
  const auto* const word = std::get_if<std::string>(&values.all().at(key));
  return word == nullptr ? Enum::listed : named<Enum>(names, *word);
}

const YamlNode& given(const std::string& section, const std::string& key, const ReadingContext& context) {
  return *find_section(context.root, section)->find(key);
}

/// Circuits do not wait for each other.
NodeChoice node_choice(const ParameterValues& waves, bool complete, const ReadingContext& context) {
  const auto* const word = std::get_if<std::string>(&waves.all().at("nodes"));
  if (word != nullptr && *word == "auto") return complete ? NodeChoice::busiest : NodeChoice::deadlock;
  const auto chosen = choice<NodeChoice>(kNodeChoices, waves, "nodes");
  if (complete && chosen == NodeChoice::deadlock) {
    context.mistakes.add(
        given("observe.waves", "nodes", context).place,
        "observe.waves.nodes: a complete network has no deadlocks; name nodes, such as [0, 5], "
        "or 'busiest'");
  }
  return chosen;
}

/// Reads every text of a list; what cannot be read is a mistake at the place of the key.
template <typename Read>
auto read_all(const ParameterValues& values, const std::string& section, const std::string& key,
              const ReadingContext& context, const Read& read) {
  std::vector<decltype(read(std::string()))> result;
  for (const std::string& text : values.texts(key)) {
    try {
      result.push_back(read(text));
    } catch (const InputError& error) {
      context.mistakes.add(given(section, key, context).place,
                           fmt::format("{}.{}: {}", section, key, error.what()));
    }
  }
  return result;
}

Cycle last_cycle(const ParameterValues& values) {
  const Cycle cycle = values.bytes("to");
  return cycle == kLastCycle ? kNever : cycle;
}

using Value = ParameterValues::Value;

Value texts_or(std::vector<std::string> texts, const char* word) {
  return texts.empty() ? Value(std::string(word)) : Value(std::move(texts));
}

template <typename T, typename Name>
std::vector<std::string> names(const std::vector<T>& list, const Name& name) {
  std::vector<std::string> result;
  for (const T& each : list) result.push_back(name(each));
  return result;
}

void set_times(ParameterValues& values, Cycle from, Cycle to) {
  values.set("from", static_cast<std::int64_t>(from));
  values.set("to", static_cast<std::int64_t>(std::min(to, kLastCycle)));
}

}  // namespace

const char* name_of(TraceFormat format) {
  return kTraceFormats[static_cast<std::size_t>(format)];
}

const char* name_of(WaveFormat format) {
  return kWaveFormats[static_cast<std::size_t>(format)];
}

ObserveConfig read_observe(const ParameterValues& observe, const ParameterValues& filter,
                           const ParameterValues& waves, const Topology& topology,
                           const ReadingContext& context) {
  const auto node = [&](const std::string& text) {
    return text == "origin" ? NodeId{0} : parse_node(text, topology);
  };
  const auto channel = [&](const std::string& text) { return parse_channel(text, topology); };
  const auto step = [](const std::string& text) { return parse_number(text, "a step"); };
  ObserveConfig config;
  const bool complete = topology.kind() == TopologyKind::complete;
  config.messages = observe.boolean("messages");
  config.trace = named<TraceFormat>(kTraceFormats, observe.text("trace"));
  config.timeline = observe.boolean("timeline");
  config.map = observe.boolean("map");
  if (config.map && !can_be_drawn(topology)) {
    context.mistakes.add(
        given("observe", "map", context).place,
        "observe.map draws networks of one or two dimensions with at most 1024 nodes, not a " +
            topology.name());
  }
  const std::string in_filter = "observe.filter";
  config.filter.nodes = read_all(filter, in_filter, "nodes", context, node);
  config.filter.channels = read_all(filter, in_filter, "channels", context, channel);
  config.filter.messages = read_all(filter, in_filter, "messages", context, parse_message);
  config.filter.steps = read_all(filter, in_filter, "steps", context, step);
  config.filter.from = filter.bytes("from");
  config.filter.to = last_cycle(filter);
  config.waves.format = named<WaveFormat>(kWaveFormats, waves.text("format"));
  config.waves.node_choice = node_choice(waves, complete, context);
  config.waves.nodes = read_all(waves, "observe.waves", "nodes", context, node);
  config.waves.channel_choice =
      complete ? ChannelChoice::none : choice<ChannelChoice>(kChannelChoices, waves, "channels");
  config.waves.channels = read_all(waves, "observe.waves", "channels", context, channel);
  config.waves.from = waves.bytes("from");
  config.waves.to = last_cycle(waves);
  if (config.waves.format != WaveFormat::none && config.waves.node_choice == NodeChoice::none &&
      config.waves.channel_choice == ChannelChoice::none) {
    context.mistakes.add(context.place_of_section("observe.waves"),
                         complete ? "observe.waves has no nodes to show"
                                  : "observe.waves has neither nodes nor channels to show");
  }
  return config;
}

ParameterValues observe_values(const ObserveConfig& observe) {
  ParameterValues values;
  values.set("messages", observe.messages);
  values.set("trace", std::string(name_of(observe.trace)));
  values.set("timeline", observe.timeline);
  values.set("map", observe.map);
  return values;
}

ParameterValues filter_values(const FlitFilter& filter, const Topology& topology) {
  const auto node_name = [&](NodeId node) { return node_text(node, topology); };
  const auto channel_name = [&](ChannelId channel) { return topology.channel_name(channel); };
  const auto step_name = [](std::uint64_t step) { return std::to_string(step); };
  ParameterValues values;
  values.set("nodes", texts_or(names(filter.nodes, node_name), "all"));
  values.set("channels", texts_or(names(filter.channels, channel_name), "all"));
  values.set("messages", texts_or(names(filter.messages, message_label), "all"));
  values.set("steps", texts_or(names(filter.steps, step_name), "all"));
  set_times(values, filter.from, filter.to);
  return values;
}

ParameterValues waves_values(const WavesConfig& waves, const Topology& topology) {
  const auto node_name = [&](NodeId node) { return node_text(node, topology); };
  const auto channel_name = [&](ChannelId channel) { return topology.channel_name(channel); };
  ParameterValues values;
  values.set("format", std::string(name_of(waves.format)));
  values.set("nodes", texts_or(names(waves.nodes, node_name),
                               kNodeChoices[static_cast<std::size_t>(waves.node_choice)]));
  values.set("channels", texts_or(names(waves.channels, channel_name),
                                  kChannelChoices[static_cast<std::size_t>(waves.channel_choice)]));
  set_times(values, waves.from, waves.to);
  return values;
}

}  // namespace flitscope
