// flitscope trace: a binary flit trace as CSV.
#include <fstream>
#include <iostream>

#include "model/error.h"
#include "model/text.h"
#include "sim/app/command.h"
#include "sim/observe/flits/flit_trace.h"

namespace flitscope::app::trace_command {

namespace options = boost::program_options;

namespace {

constexpr const char* kKinds = "inject, route, vc, hop, stall, eject";

FlitEventKind parse_event(const std::string& text) {
  if (const auto kind = flit_event_kind(text)) return *kind;
  throw InputError("--event must be one of " + std::string(kKinds) + ", not " + in_quotes(text));
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

Exit run(const Strings& words) {
  const auto many = [](const char* name) { return options::value<Strings>()->value_name(name); };
  const auto one = [](const char* name) { return options::value<std::string>()->value_name(name); };
  options::options_description own;
  own.add_options()("node", many("NODE"),
                    "only at this node, such as '[1, 0]'; this and the next four may be "
                    "repeated, and one of each suffices")("channel", many("CHANNEL"),
                                                          "only about this link, such as '[1, 0]+0'")(
      "message", many("MESSAGE"), "only of this message, such as 3.5: message 5 of step 3")(
      "step", many("STEP"), "only of messages of this step")("event", many("KIND"),
                                                             (std::string("only ") + kKinds).c_str())(
      "from", one("CYCLE"), "only from this cycle on")("to", one("CYCLE"), "only up to this cycle");
  const Arguments arguments("trace", own, "FILE", words);
  if (arguments.helped()) return Exit::done;

  const std::string name = arguments.required("FILE");
  std::ifstream file(name, std::ios::binary);
  if (!file) throw InputError(printable(name) + ": cannot be opened");
  FlitTraceReader reader(file, printable(name));
  const FlitFilter filter = filter_of(arguments, reader.topology());
  std::cout << flit_trace_header();
  FlitTraceLines lines(reader.topology());
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
    .run = run,
}};

}  // namespace
}  // namespace flitscope::app::trace_command
