// flitscope trace: a binary flit trace as CSV.
#include <fmt/ranges.h>

#include <iostream>

#include "model/error.h"
#include "model/text.h"
#include "sim/app/command.h"
#include "sim/observe/flits/flit_trace.h"

namespace flitscope::app::trace_command {

namespace {

std::string kinds() {
  return fmt::format("{}", fmt::join(kNamesOf<FlitEventKind>, ", "));
}

FlitEventKind parse_event(const std::string& text) {
  if (const auto kind = enumerator_named<FlitEventKind>(text)) return *kind;
  throw InputError("--event must be one of {}, not {}", kinds(), in_quotes(text));
}

FlitFilter filter_of(const Arguments& arguments, const Topology& topology) {
  FlitFilter filter;
  for (const auto& text : arguments.texts("node")) filter.nodes.push_back(parse_node(text, topology));
  for (const auto& text : arguments.texts("channel"))
    filter.channels.push_back(parse_channel(text, topology));
  for (const auto& text : arguments.texts("message")) filter.messages.push_back(parse_message(text));
  for (const auto& text : arguments.texts("step")) filter.steps.push_back(parse_step(text));
  for (const auto& text : arguments.texts("event")) filter.events.push_back(parse_event(text));
  if (arguments.has("from")) filter.from = parse_number(arguments.text("from"), "--from");
  if (arguments.has("to")) filter.to = parse_number(arguments.text("to"), "--to");
  if (const auto why = filter.contradiction(topology)) {
    throw InputError("flitscope trace: no event can pass the filter: " + *why);
  }
  return filter;
}

Exit run(const Arguments& arguments) {
  FlitTraceReader reader(arguments.required("FILE"));
  const FlitFilter filter = filter_of(arguments, reader.topology());
  std::cout << flit_trace_header(reader.clock());
  FlitTraceLines lines(reader.topology(), reader.clock());
  std::string line;
  while (const auto event = reader.next()) {
    if (!filter.passes(*event, reader.topology())) continue;
    line.clear();
    lines.append(line, *event);
    std::cout << line;
  }
  print("");
  return Exit::done;
}

const CommandRegistry::Entry entry{{
    .name = "trace",
    .arguments = "FILE",
    .summary = "Prints a binary flit trace as CSV, filtered.",
    .place = 80,
    .options = {{.name = "node",
                 .value = "NODE",
                 .summary =
                     "only at this node, such as '[1, 0]'; this and the next four may be repeated, and one "
                     "of each suffices",
                 .repeats = true},
                {.name = "channel",
                 .value = "CHANNEL",
                 .summary = "only about this link, such as '[1, 0]+0'",
                 .repeats = true},
                {.name = "message",
                 .value = "MESSAGE",
                 .summary = "only of this message, such as 3.5: message 5 of step 3",
                 .repeats = true},
                {.name = "step",
                 .value = "STEP",
                 .summary = "only of messages of this step; 0: of background traffic",
                 .repeats = true},
                {.name = "event", .value = "KIND", .summary = "only " + kinds(), .repeats = true},
                {"from", "CYCLE", "only from this cycle on, and stalls that last into it"},
                {"to", "CYCLE", "only up to this cycle"}},
    .run = run,
}};

}  // namespace
}  // namespace flitscope::app::trace_command
