// waves: waveforms of some nodes and channels, for GTKWave.
#include <array>
#include <set>

#include "model/error.h"
#include "model/schedule.h"
#include "routers/circuits/circuit_network.h"
#include "sim/network/network.h"
#include "sim/observe/observers/waves.h"

namespace flitscope::waves_observer {

std::vector<NodeId> WaveScope::watched_nodes(const Topology& topology) const {
  std::set<NodeId> result(nodes.begin(), nodes.end());
  for (const ChannelId channel : channels) {
    const NodeId node = topology.channel_node(channel);
    result.insert({node, *topology.neighbour(node, topology.channel_port(channel))});
  }
  return {result.begin(), result.end()};
}

WaveDump::MessageSignals WaveDump::declare_message(const std::string& prefix) {
  const Signal step = vcd_.declare(prefix + "step", kNumberBits);
  return {step, vcd_.declare(prefix + "message", kNumberBits)};
}

void WaveDump::set_message(const MessageSignals& signals, std::optional<std::uint64_t> message) {
  const MessageName name = message ? message_name(*message) : MessageName();
  vcd_.set(signals.step, name.step);
  vcd_.set(signals.message, name.place);
}

WaveDump::Passing WaveDump::declare_passing(const std::string& kind, const std::string& prefix) {
  Passing passing;
  passing.kind = vcd_.declare(kind, kKindBits);
  passing.message = declare_message(prefix);
  passing.flit = vcd_.declare(prefix + "flit", kNumberBits);
  return passing;
}

void WaveDump::set_passing(const Passing& passing, std::uint64_t kind, std::optional<std::uint64_t> message,
                           std::uint64_t flit) {
  vcd_.set(passing.kind, kind);
  set_message(passing.message, message);
  vcd_.set(passing.flit, flit);
}

GtkwaveSave WaveDump::close_dump(Cycle end) {
  vcd_.close(time_of(end));
  GtkwaveSave save(file_);
  save.define("kind", kKindBits, {"-", "head", "body", "tail", "single"});
  return save;
}

namespace {

using Value = ParameterValues::Value;

enum class Format : std::uint8_t { none, vcd, fst };
constexpr std::array kFormats{"none", "vcd", "fst"};

/// A word says what is shown if nothing is listed; it is empty otherwise.
struct Keys {
  Format format = Format::none;
  std::string node_word = "deadlock";
  std::vector<NodeId> nodes;
  std::string channel_word = "busiest";
  std::vector<ChannelId> channels;
  Cycle from = 0;
  std::optional<Cycle> to;  ///< the last cycle; nothing: no end
};

// --- Keys ------------------------------------------------------------------------------------------------

/// The row of a list or, in its place, a word.
template <typename T>
Row<Keys> list_or_word(const Row<Keys>& listed, std::string Keys::*word, std::vector<T> Keys::*list) {
  const auto put = [word, listed](Keys& keys, const Value& value, const ReadContext& around) {
    listed.put(keys, value, around);
    const auto* const given = std::get_if<std::string>(&value);
    keys.*word = given == nullptr ? "" : *given;
  };
  const auto take = [word, list, listed](const Keys& keys, const Topology& topology) {
    return (keys.*list).empty() ? std::optional<Value>(keys.*word) : listed.take(keys, topology);
  };
  return {Key(listed), put, take};
}

Row<Keys> nodes() {
  Row<Keys> row = list_or_word(
      nodes_row(
          &Keys::nodes,
          {.name = "nodes",
           .summary =
               "nodes; deadlock: those of the dependency cycle, busiest: the one that sends most flits, both "
               "found by a run before this one; auto: deadlock, on a complete network busiest",
           .choices = {"auto", "deadlock", "busiest", "none"}}),
      &Keys::node_word, &Keys::nodes);
  row.put = [put = row.put](Keys& keys, const Value& value, const ReadContext& around) {
    put(keys, value, around);
    const bool complete = !around.topology.has_links();
    if (keys.node_word == "auto") keys.node_word = complete ? "busiest" : "deadlock";
    if (complete) keys.channel_word = "none";
    if (complete && keys.node_word == "deadlock") {
      throw InputError("a complete network has no deadlocks; name nodes, such as [0, 5], or 'busiest'");
    }
  };
  return row;
}

Row<Keys> channels() {
  return of_links(list_or_word(
      links_row(
          &Keys::channels,
          {.name = "channels",
           .summary = "links, such as '[1, 0]+0', with both ends; busiest: the one that moves most flits, "
                      "congested: the one that flits wait for most, found by a run before this one",
           .choices = {"busiest", "congested", "none"}}),
      &Keys::channel_word, &Keys::channels));
}

void check(const Keys& keys, const Topology& topology) {
  if (keys.to && keys.from > *keys.to) {
    throw Inadmissible("observe.waves", "observe.waves shows no cycle: it begins in cycle " +
                                            std::to_string(keys.from) + " and ends in cycle " +
                                            std::to_string(*keys.to));
  }
  const bool complete = !topology.has_links();
  const bool shows_channels = !complete && keys.channel_word != "none";
  if (keys.format == Format::none || keys.node_word != "none" || shows_channels) return;
  throw Inadmissible("observe.waves", complete ? "observe.waves has no nodes to show"
                                               : "observe.waves has neither nodes nor channels to show");
}

// --- The run ---------------------------------------------------------------------------------------------

/// What neither lists nor `none` say.
bool needs_first_run(const Keys& keys) {
  const auto is_found = [](const std::string& word) { return !word.empty() && word != "none"; };
  return is_found(keys.node_word) || is_found(keys.channel_word);
}

WaveScope scope_of(const Keys& keys, const ProfileRun& found) {
  WaveScope scope{keys.nodes, keys.channels, keys.from, keys.to};
  if (keys.node_word == "deadlock") scope.nodes = found.dependency_cycle;
  if (keys.node_word == "busiest") scope.nodes = found.busiest_node;
  if (keys.channel_word == "busiest") scope.channels = found.busiest_link;
  if (keys.channel_word == "congested") scope.channels = found.awaited_link;
  return scope;
}

/// Nothing to draw, such as the dependency cycle of a run without a deadlock: no file.
std::unique_ptr<Observer> make(const Keys& keys, ObservedRun& run) {
  const WaveScope scope = scope_of(keys, run.first_run);
  if (scope.empty()) return nullptr;
  const auto file = run.file(std::string("waves.") + kFormats[static_cast<std::size_t>(keys.format)]);
  return run.topology.has_links() ? waves_on_links(file, scope, run) : waves_on_circuits(file, scope, run);
}

const ObserverEntry<Keys> entry{
    {.name = "waves",
     .summary = "waveforms of some nodes and channels, with a save file for GTKWave",
     .files = {"waves.vcd", "waves.fst", "waves.gtkw"},
     .keys = {.name = "observe.waves",
              .summary = "waveforms of some nodes and channels, with a save file for GTKWave",
              .rows = {choice_row(&Keys::format, kFormats, "format", "waves.vcd or waves.fst"), nodes(),
                       channels(), from_row<Keys>(), to_row<Keys>()},
              .check = check},
     .order = -1,
     .wanted = [](const Keys& keys) { return keys.format != Format::none; },
     .needs_first_run = needs_first_run,
     .make = make}};

}  // namespace
}  // namespace flitscope::waves_observer
