#include "sim/config/observe_keys.h"

#include <array>
#include <optional>
#include <string>

#include "model/error.h"
#include "model/schedule.h"
#include "sim/observe/flits/channel_map.h"

namespace flitscope {

namespace {

using Value = ParameterValues::Value;

constexpr std::array kTraceFormats{TraceFormat::none, TraceFormat::csv, TraceFormat::binary};
constexpr std::array kWaveFormats{WaveFormat::none, WaveFormat::vcd, WaveFormat::fst};

NodeId read_node(const std::string& text, const Topology& topology) {
  return text == "origin" ? NodeId{0} : parse_node(text, topology);
}
std::string write_node(const NodeId& node, const Topology& topology) {
  return node_text(node, topology);
}
std::string write_channel(const ChannelId& channel, const Topology& topology) {
  return topology.channel_name(channel);
}
std::uint64_t read_message(const std::string& text, const Topology& /*topology*/) {
  return parse_message(text);
}
std::string write_message(const std::uint64_t& id, const Topology& /*topology*/) {
  return message_label(id);
}
std::uint64_t read_step(const std::string& text, const Topology& /*topology*/) {
  return parse_step(text);
}
std::string write_step(const std::uint64_t& step, const Topology& /*topology*/) {
  return std::to_string(step);
}

template <typename Object>
Row<Object> from_row() {
  return row(&Object::from, {.name = "from",
                             .type = ParameterType::cycles,
                             .summary = "first cycle",
                             .unit = "cycles",
                             .minimum = 0,
                             .maximum = kMaxCycles});
}

template <typename Object>
Row<Object> to_row() {
  return row(&Object::to, {.name = "to",
                           .type = ParameterType::cycles,
                           .summary = "last cycle; end: that of the run",
                           .unit = "cycles",
                           .minimum = 0,
                           .maximum = kMaxCycles,
                           .choices = {"end"}});
}

void check_observe(const ObserveConfig& observe, const Topology& topology) {
  if (!observe.map || can_be_drawn(topology)) return;
  throw Inadmissible("observe.map",
                     "observe.map draws networks of one or two dimensions with at most 1024 nodes, not a " +
                         topology.name());
}

RowSection<ObserveConfig> observe() {
  return {
      .name = "observe",
      .summary = "what a run writes down beyond its result, into the directory of --out",
      .rows = {row(&ObserveConfig::messages,
                   {.name = "messages",
                    .type = ParameterType::boolean,
                    .summary = "messages.csv: a line for every message, with its time split"}),
               of_links(choice_row(
                   &ObserveConfig::trace, kTraceFormats,
                   {.name = "trace",
                    .summary = "trace.csv or trace.bin: every event of every flit, see observe.filter"})),
               row(&ObserveConfig::timeline,
                   {.name = "timeline",
                    .type = ParameterType::boolean,
                    .summary = "trace.json for Perfetto: worms on channels or messages on circuits, stalls, "
                               "tunings; see observe.filter"}),
               of_links(
                   row(&ObserveConfig::map,
                       {.name = "map",
                        .type = ParameterType::boolean,
                        .summary = "channels.svg: a map of a network of one or two dimensions with at most "
                                   "1024 nodes, where flits waited"}))},
      .check = check_observe};
}

void check_filter(const FlitFilter& filter, const Topology& topology) {
  if (const auto why = filter.contradiction(topology)) {
    throw Inadmissible("observe.filter", "no event can pass observe.filter: " + *why);
  }
}

RowSection<FlitFilter> filter() {
  return {
      .name = "observe.filter",
      .summary = "which events the flit trace and the timeline show: those that meet every key",
      .rows = {list_row(&FlitFilter::nodes, read_node, write_node,
                        {.name = "nodes",
                         .type = ParameterType::node,
                         .summary = "nodes at which they happen",
                         .choices = {"all"}}),
               of_links(list_row(&FlitFilter::channels, parse_channel, write_channel,
                                 {.name = "channels",
                                  .type = ParameterType::text,
                                  .summary = "links they are about, such as '[1, 0]+0' (not of the timeline)",
                                  .choices = {"all"}})),
               list_row(&FlitFilter::messages, read_message, write_message,
                        {.name = "messages",
                         .type = ParameterType::text,
                         .summary = "messages, such as '3.5': step 3, message 5",
                         .choices = {"all"}}),
               list_row(&FlitFilter::steps, read_step, write_step,
                        {.name = "steps",
                         .type = ParameterType::text,
                         .summary = "steps, from 1 on",
                         .choices = {"all"}}),
               from_row<FlitFilter>(), to_row<FlitFilter>()},
      .check = check_filter};
}

/// Words of observe.waves, by the number of the choice; `listed` has none.
constexpr std::array kNodeWords{"", "none", "deadlock", "busiest"};
constexpr std::array kChannelWords{"", "none", "busiest", "congested"};

/// A row of waves: a list of things, or a word for which of them.
template <typename Choice, typename T, std::size_t N>
Row<WavesConfig> list_or_choice(Row<WavesConfig> listed, Choice WavesConfig::*choice,
                                std::vector<T> WavesConfig::*list, const std::array<const char*, N>& words) {
  const auto put = [choice, words, listed](WavesConfig& waves, const Value& value,
                                           const Surroundings& around) {
    listed.put(waves, value, around);
    waves.*choice = Choice::listed;
    const auto* const word = std::get_if<std::string>(&value);
    for (std::size_t i = 1; word != nullptr && i < N; ++i) {
      if (*word == words[i]) waves.*choice = static_cast<Choice>(i);
    }
  };
  const auto take = [choice, list, words, listed](const WavesConfig& waves, const Topology& topology) {
    if (!(waves.*list).empty()) return listed.take(waves, topology);
    return std::optional<Value>(std::string(words[static_cast<std::size_t>(waves.*choice)]));
  };
  return {listed.key, put, take};
}

Row<WavesConfig> wave_nodes() {
  Row<WavesConfig> row = list_or_choice(
      list_row(
          &WavesConfig::nodes, read_node, write_node,
          {.name = "nodes",
           .type = ParameterType::node,
           .summary = "nodes; deadlock: those of the circle, busiest: the one that sends most flits, both "
                      "found by a run before this one; auto: deadlock, on a complete network busiest",
           .choices = {"auto", "deadlock", "busiest", "none"}}),
      &WavesConfig::node_choice, &WavesConfig::nodes, kNodeWords);
  row.put = [put = row.put](WavesConfig& waves, const Value& value, const Surroundings& around) {
    put(waves, value, around);
    const bool complete = around.topology.kind() == TopologyKind::complete;
    if (value == Value(std::string("auto"))) {
      waves.node_choice = complete ? NodeChoice::busiest : NodeChoice::deadlock;
    }
    if (complete) waves.channel_choice = ChannelChoice::none;
    if (complete && waves.node_choice == NodeChoice::deadlock) {
      throw InputError("a complete network has no deadlocks; name nodes, such as [0, 5], or 'busiest'");
    }
  };
  return row;
}

void check_waves(const WavesConfig& waves, const Topology& topology) {
  if (waves.to && waves.from > *waves.to) {
    throw Inadmissible("observe.waves", "observe.waves shows no cycle: it begins in cycle " +
                                            std::to_string(waves.from) + " and ends in cycle " +
                                            std::to_string(*waves.to));
  }
  const bool complete = topology.kind() == TopologyKind::complete;
  const bool channels = !complete && waves.channel_choice != ChannelChoice::none;
  if (waves.format == WaveFormat::none || waves.node_choice != NodeChoice::none || channels) return;
  throw Inadmissible("observe.waves", complete ? "observe.waves has no nodes to show"
                                               : "observe.waves has neither nodes nor channels to show");
}

RowSection<WavesConfig> waves() {
  return {.name = "observe.waves",
          .summary = "waveforms of some nodes and channels, with a save file for GTKWave",
          .rows = {choice_row(&WavesConfig::format, kWaveFormats,
                              {.name = "format", .summary = "waves.vcd or waves.fst"}),
                   wave_nodes(),
                   of_links(list_or_choice(
                       list_row(&WavesConfig::channels, parse_channel, write_channel,
                                {.name = "channels",
                                 .type = ParameterType::text,
                                 .summary =
                                     "links, such as '[1, 0]+0', with both ends; busiest: the one that moves "
                                     "most flits, congested: the one that flits wait for most, found by a "
                                     "run before this one",
                                 .choices = {"busiest", "congested", "none"}}),
                       &WavesConfig::channel_choice, &WavesConfig::channels, kChannelWords)),
                   from_row<WavesConfig>(), to_row<WavesConfig>()},
          .check = check_waves};
}

}  // namespace

const char* name_of(TraceFormat format) {
  switch (format) {
    case TraceFormat::none:
      return "none";
    case TraceFormat::csv:
      return "csv";
    case TraceFormat::binary:
      return "binary";
  }
  return "?";
}

const char* name_of(WaveFormat format) {
  switch (format) {
    case WaveFormat::none:
      return "none";
    case WaveFormat::vcd:
      return "vcd";
    case WaveFormat::fst:
      return "fst";
  }
  return "?";
}

std::vector<RowSection<ExperimentConfig>> observe_sections() {
  const auto observed = [](auto& config) -> auto& {
    return config.observe;
  };
  const auto filtered = [](auto& config) -> auto& {
    return config.observe.filter;
  };
  const auto waved = [](auto& config) -> auto& {
    return config.observe.waves;
  };
  return {within<ExperimentConfig>(observed, observe()), within<ExperimentConfig>(filtered, filter()),
          within<ExperimentConfig>(waved, waves())};
}

}  // namespace flitscope
