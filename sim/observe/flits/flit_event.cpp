#include "sim/observe/flits/flit_event.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/error.h"
#include "model/numbers.h"
#include "model/schedule.h"
#include "params/settings.h"
#include "sim/observe/observer.h"

namespace flitscope {

namespace {

template <typename T>
bool allows(const std::vector<T>& list, const T& value) {
  return list.empty() || std::ranges::find(list, value) != list.end();
}

}  // namespace

std::optional<ChannelId> link_of(const FlitEvent& event, const Topology& topology) {
  if (event.port >= topology.link_ports() || event.kind == FlitEventKind::inject) return std::nullopt;
  return topology.channel(event.node, event.port);
}

std::string channel_text(const FlitEvent& event, const Topology& topology) {
  if (const auto link = link_of(event, topology)) return topology.channel_name(*link);
  const std::string number = std::to_string(event.port - topology.link_ports());
  if (event.kind == FlitEventKind::inject) return "injection " + number;
  return event.kind == FlitEventKind::eject || event.vc ? "ejection " + number : "ejection";
}

bool FlitFilter::passes_message(std::uint64_t id) const {
  return allows(messages, id) && allows(steps, message_name(id).step);
}

bool FlitFilter::passes(const FlitEvent& event, const Topology& topology) const {
  if (!passes_time(event.cycle, event.end()) || !allows(nodes, event.node)) return false;
  if (!passes_message(event.message) || !allows(events, event.kind)) return false;
  if (channels.empty()) return true;
  const auto link = link_of(event, topology);
  return link && allows(channels, *link);
}

std::optional<std::string> FlitFilter::contradiction(const Topology& topology) const {
  if (to && from > *to) return fmt::format("it begins in cycle {} and ends in cycle {}", from, *to);
  const auto of_steps = [&](std::uint64_t id) { return allows(steps, message_name(id).step); };
  if (!messages.empty() && std::ranges::none_of(messages, of_steps)) {
    return "none of its messages belongs to one of its steps";
  }
  const auto of_nodes = [&](ChannelId channel) { return allows(nodes, topology.channel_node(channel)); };
  if (!channels.empty() && std::ranges::none_of(channels, of_nodes)) {
    return "none of its links leaves one of its nodes";
  }
  return std::nullopt;
}

std::vector<NodeId> FlitFilter::watched_nodes(const Topology& topology) const {
  if (!nodes.empty()) return nodes;
  std::vector<NodeId> result;
  for (const ChannelId channel : channels) result.push_back(topology.channel_node(channel));
  return result;
}

std::uint64_t parse_message(const std::string& text) {
  const std::size_t dot = text.find('.');
  const auto step = number_in<std::uint64_t>(std::string_view(text).substr(0, dot));
  const auto place = dot == std::string::npos
                         ? std::nullopt
                         : number_in<std::uint64_t>(std::string_view(text).substr(dot + 1));
  if (step && place && *place >= 1 && *step < kMessageNumbers && *place < kMessageNumbers) {
    return message_id(*step, *place - 1);
  }
  throw InputError(
      "{} is no message; message 5 of step 3 is '3.5', both count from 1; step 0 is background traffic",
      in_quotes(text));
}

std::uint64_t parse_step(const std::string& text) {
  if (const auto step = number_in<std::uint64_t>(text)) return *step;
  throw InputError("{} is no step; steps count from 1, and step 0 is background traffic", in_quotes(text));
}

std::uint64_t parse_number(const std::string& text, const char* what) {
  if (const auto number = number_in<std::uint64_t>(text)) return *number;
  throw InputError("{} must be a whole number, not {}", what, in_quotes(text));
}

// --- Keys ------------------------------------------------------------------------------------------------

namespace {

/// For a row whose things do not depend on the topology: a function of their text or number.
template <typename Function>
auto anywhere(Function function) {
  return [function](const auto& each, const Topology& /*topology*/) { return function(each); };
}

void check(const FlitFilter& filter, const Topology& topology) {
  if (const auto why = filter.contradiction(topology)) {
    throw Inadmissible("observe.filter", "no event can pass observe.filter: " + *why);
  }
}

const SettingsRegistry::Entry entry{
    RowSection<FlitFilter>{
        .name = "observe.filter",
        .summary = "which events the flit trace and the timeline show: those that meet every key",
        .rows =
            {nodes_row(&FlitFilter::nodes,
                       {.name = "nodes", .summary = "nodes at which they happen", .choices = {"all"}}),
             links_row(&FlitFilter::channels,
                       {.name = "channels",
                        .summary = "links they are about, such as '[1, 0]+0' (not of the timeline)",
                        .choices = {"all"}}),
             list_row(
                 &FlitFilter::messages, anywhere(parse_message), anywhere(message_label),
                 Parameter::text("messages", "messages, such as '3.5': step 3, message 5").or_words({"all"})),
             list_row(&FlitFilter::steps, anywhere(parse_step),
                      anywhere([](std::uint64_t step) { return std::to_string(step); }),
                      Parameter::text("steps", "steps, from 1 on; 0: background traffic").or_words({"all"})),
             from_row<FlitFilter>("first cycle; what lasts into it, such as a stall, is shown, too"),
             to_row<FlitFilter>()},
        .check = check},
    -2};

}  // namespace

}  // namespace flitscope
