// observe.filter: what flit traces and timelines show.
#include <string>

#include "model/error.h"
#include "model/schedule.h"
#include "params/settings.h"
#include "sim/observe/flits/flit_filter.h"
#include "sim/observe/key_rows.h"

namespace flitscope::flit_filter_keys {
namespace {

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

void check(const FlitFilter& filter, const Topology& topology) {
  if (const auto why = filter.contradiction(topology)) {
    throw Inadmissible("observe.filter", "no event can pass observe.filter: " + *why);
  }
}

const SettingsRegistry::Entry entry{
    RowSection<FlitFilter>{
        .name = "observe.filter",
        .summary = "which events the flit trace and the timeline show: those that meet every key",
        .rows = {nodes_row(&FlitFilter::nodes,
                           {.name = "nodes", .summary = "nodes at which they happen", .choices = {"all"}}),
                 links_row(&FlitFilter::channels,
                           {.name = "channels",
                            .summary = "links they are about, such as '[1, 0]+0' (not of the timeline)",
                            .choices = {"all"}}),
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
        .check = check},
    -2};

}  // namespace
}  // namespace flitscope::flit_filter_keys
