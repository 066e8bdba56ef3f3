#include "sim/report/verify_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <ranges>
#include <sstream>
#include <utility>

#include "model/text.h"
#include "sim/report/report_parts.h"

namespace flitscope {

namespace {

std::string legality_text(const Legality& legality, const char* praise) {
  if (legality.legal) return fmt::format("\nlegal: {}\n", praise);
  std::string text = fmt::format("\nNOT LEGAL: {}\n", counted(legality.violation_count, "violation"));
  for (const Violation& violation : legality.violations) {
    text += fmt::format("  {}{}{}\n", violation.place, violation.place.empty() ? "" : ": ",
                        printable(violation.text));
  }
  if (legality.violation_count > legality.violations.size()) {
    text += fmt::format("  ... and {} more\n", legality.violation_count - legality.violations.size());
  }
  return text;
}

/// Whether it is legal first, then what was found, then what is wrong.
Json with_legality(const Legality& legality, const Json& found) {
  Json json{{"legal", legality.legal}};
  json.update(found);
  json["violations"] = Json::array();
  for (const Violation& violation : legality.violations) {
    json["violations"].push_back({{"kind", name_of(violation.kind)},
                                  {"step", violation.step},
                                  {"message", violation.message},
                                  {"text", violation.text}});
    if (!violation.place.empty()) json["violations"].back()["place"] = violation.place;
  }
  json["violation_count"] = legality.violation_count;
  return json;
}

const char* kept_text(bool kept) {
  return kept ? "kept" : "BROKEN";
}

const char* proof_text(CheckReport::Proof proof) {
  return proof == CheckReport::Proof::sets ? "counted one by one"
                                           : "counted by 128-bit sums of random keys, to save memory";
}

// The checks of a schedule, by the violations that break them.
constexpr std::initializer_list<ViolationKind> kOfGoal{ViolationKind::goal, ViolationKind::collective};
constexpr std::initializer_list<ViolationKind> kOfPossession{
    ViolationKind::not_held, ViolationKind::no_such_chunk, ViolationKind::repeated_chunk,
    ViolationKind::empty_message};
constexpr std::initializer_list<ViolationKind> kOfOperands{
    ViolationKind::counted_twice, ViolationKind::unfinished, ViolationKind::not_combined};
constexpr std::initializer_list<ViolationKind> kOfPaths{ViolationKind::no_such_node,
                                                        ViolationKind::self_message, ViolationKind::no_route,
                                                        ViolationKind::routing};
constexpr std::initializer_list<ViolationKind> kOfPorts{ViolationKind::send_ports,
                                                        ViolationKind::receive_ports};

std::string paths_text(const CheckReport& report) {
  if (!report.without(kOfPaths)) return "NOT ALL VALID";
  if (report.messages_of_many_links == 0) return "every message travels one link";
  return fmt::format("{} of {} travel more than one link, up to {}", report.messages_of_many_links,
                     counted(report.messages, "message"), report.longest_message_links);
}

std::string bound_text(const LowerBound& bound, const ScheduleFacts& facts) {
  const std::string least =
      bound.in_steps() ? counted(bound.least, "step") : counted(bound.least, "byte") + " on some link";
  std::string verdict = fmt::format("respected with {}", bound.found);
  if (!bound.respected()) {
    verdict = bound.kind == LowerBound::Kind::pace
                  ? fmt::format("not with {}: links carry several messages in a step", bound.found)
                  : fmt::format("CANNOT BE with {}", bound.found);
  }
  if (bound.in_steps() && facts.claimed_steps && *facts.claimed_steps < bound.least) {
    verdict += fmt::format(", and not with the {} that it claims", *facts.claimed_steps);
  }
  return fmt::format("{:<10}at least {}, {}; {}", name_of(bound.kind), least, verdict, bound.reason);
}

std::string graph_text(const DeadlockAnalysis& verdict) {
  std::string text = fmt::format("{} of {}", counted(verdict.arcs, "dependency", "dependencies"),
                                 counted(verdict.vcs, "virtual channel"));
  if (verdict.ends > 0) text += fmt::format(" and those of the ends of {}", counted(verdict.ends, "node"));
  return text;
}

std::string reason_text(const DeadlockCheck& check) {
  const std::string graph = graph_text(check.analysis);
  switch (check.argument()) {
    case Argument::escape:
      return graph + " make dependency cycles, those of the escape classes none";
    case Argument::bubble:
      return graph + " make dependency cycles in rings, where bubbles stay, and no others";
    case Argument::acyclic:
    case Argument::none:
      break;
  }
  if (check.is_by_steps()) return graph + " make dependency cycles, those of a step none";
  return graph + " make no dependency cycle";
}

std::string end_text(const NodeEnd& end, const Topology& topology) {
  return fmt::format("{} of {}", end.kind == NodeEnd::Kind::ejection ? "ejection" : "injection",
                     topology.node_name(end.node));
}

std::string member_text(const CycleMember& member, const Topology& topology) {
  const Flow& flow = member.flow;
  if (member.end && member.end->kind == NodeEnd::Kind::ejection) {
    return fmt::format("  {}: a request from {} waits in its buffer until a reply has room in the next\n",
                       end_text(*member.end, topology), topology.node_name(flow.source));
  }
  if (member.end) {
    return fmt::format("  {}: full of messages such as one from {} to {}, which waits for the next\n",
                       end_text(*member.end, topology), topology.node_name(flow.source),
                       topology.node_name(flow.destination));
  }
  const std::string vcs = member.vcs == 1 ? fmt::format("VC {}", member.vc)
                                          : fmt::format("VC {} and {} like it", member.vc, member.vcs - 1);
  const std::string message =
      flow.message == 0 ? "a message" : fmt::format("message {}", message_label(flow.message));
  return fmt::format("  {} {}: held by {} from {} to {}, which waits for the next\n",
                     topology.channel_name(member.channel), vcs, message, topology.node_name(flow.source),
                     topology.node_name(flow.destination));
}

/// What the verdict assumes about the ends.
std::string assumption_of(const DeadlockCheck& check, const Topology& topology) {
  if (!check.ends) {
    const bool one_length = check.scope == Scope::all_pairs && check.argument() == Argument::bubble;
    return std::string("every node takes the messages that arrive") +
           (one_length ? ", and all messages, or their packets, have one length" : "");
  }
  const ProtocolEnds& ends = *check.ends;
  if (!ends.unlimited.empty())
    return fmt::format("targets take every request, as {} has no limit", ends.unlimited);
  const std::string open = ends.open ? counted(*ends.open, "request") : "any number of requests";
  const std::string held = fmt::format("can be open at {}, and up to {} fit its queues",
                                       topology.node_name(ends.target), ends.held);
  if (ends.filling.empty()) return fmt::format("targets take every request: at most {} {}", open, held);
  return fmt::format("a target takes a request only if a reply has room: {} {}", open, held);
}

}  // namespace

std::string report_text(const CheckReport& report, const ScheduleFacts& facts, const std::string& more) {
  std::string text =
      fmt::format("{}, {}\n  steps       {}{}\n", printable(facts.algorithm), facts.topology.name(),
                  report.steps, bounds_text(facts.claimed_steps, facts.lower_bound_steps));
  text += fmt::format("  messages    {} over {}\n  deliveries  {} redundant\n", report.messages,
                      counted(report.hops, "link"), report.redundant_deliveries);
  text +=
      fmt::format("  links       at most {} a step on one link", counted(report.max_channel_load, "message"));
  if (report.max_load_channel) {
    text += fmt::format(" (step {}, {})", report.max_load_step,
                        facts.topology.channel_name(*report.max_load_channel));
  }
  text += "\n";
  if (report.shared_links > 0) {
    text += fmt::format("  congestion  {} shared by messages of one step; most of them, {}, in step {}\n",
                        counted(report.shared_links, "link is", "links are"), report.most_shared_links,
                        report.most_shared_step);
  }
  if (report.proof) text += fmt::format("  operands    {}\n", proof_text(*report.proof));
  if (report.claim_kept) {
    text += fmt::format("  claim       at most {} a link and step: {}\n",
                        counted(*facts.claimed_channel_load, "message"), kept_text(*report.claim_kept));
  }
  return text + more +
         legality_text(report, "every sender holds what it sends, ports suffice, the goal is met");
}

std::string report_text(const CircuitReport& report, const CircuitFacts& facts) {
  std::string text =
      fmt::format("{}, {}, {}, tuning takes {} t_m\n", printable(facts.algorithm), facts.topology.name(),
                  counted(facts.send_ports, "port"), facts.reconfiguration);
  text += fmt::format("  time        {} t_m{}\n", report.units,
                      bounds_text(facts.claimed_units, facts.lower_bound_units));
  text += fmt::format("  messages    {} of {} in all, at most {} in one, at {}\n", report.messages,
                      counted(report.chunks_sent, "chunk"), report.longest_message,
                      counted(report.steps, "time", "different times"));
  text += fmt::format("  circuits    {}, {} there at the start\n", counted(report.tunings, "tuning"),
                      counted(facts.circuits.size(), "circuit"));
  text += fmt::format("  deliveries  {} redundant; at most {} at the same time at one node\n",
                      report.redundant_deliveries, report.max_arrivals);
  if (report.claim_kept) {
    text += fmt::format("  claim       done by {} t_m: {}\n", *facts.claimed_units,
                        kept_text(*report.claim_kept));
  }
  return text +
         legality_text(
             report,
             "every circuit is ready, every sender holds what it sends, ports suffice, the goal is met");
}

Json to_json(const CheckReport& report, const ScheduleFacts& facts) {
  Json found{{"algorithm", facts.algorithm},
             {"topology", facts.topology.name()},
             {"nodes", Participants(facts.topology).count()},
             {"steps", report.steps},
             {"claimed_steps", or_null(facts.claimed_steps)},
             {"lower_bound_steps", or_null(facts.lower_bound_steps)},
             {"messages", report.messages},
             {"hops", report.hops},
             {"redundant_deliveries", report.redundant_deliveries},
             {"max_channel_load", report.max_channel_load},
             {"claimed_channel_load", or_null(facts.claimed_channel_load)},
             {"claim_kept", or_null(report.claim_kept)},
             {"shared_links", report.shared_links}};
  if (report.proof) found["operands"] = *report.proof == CheckReport::Proof::sets ? "sets" : "sums";
  return with_legality(report, found);
}

Json to_json(const CircuitReport& report, const CircuitFacts& facts) {
  return with_legality(report, {{"algorithm", facts.algorithm},
                                {"topology", facts.topology.name()},
                                {"nodes", Participants(facts.topology).count()},
                                {"ports", facts.send_ports},
                                {"reconfiguration_units", facts.reconfiguration},
                                {"steps", report.steps},
                                {"messages", report.messages},
                                {"tunings", report.tunings},
                                {"chunks_sent", report.chunks_sent},
                                {"longest_message", report.longest_message},
                                {"units", report.units},
                                {"claimed_units", or_null(facts.claimed_units)},
                                {"lower_bound_units", or_null(facts.lower_bound_units)},
                                {"claim_kept", or_null(report.claim_kept)},
                                {"max_arrivals", report.max_arrivals},
                                {"redundant_deliveries", report.redundant_deliveries}});
}

std::string scrutiny_text(const CheckReport& report, const ScheduleFacts& facts,
                          std::span<const LowerBound> bounds) {
  std::string text;
  const auto add = [&](const char* name, const std::string& value) {
    text += fmt::format("  {:<12}{}\n", name, value);
  };
  add("goal", report.without(kOfGoal) ? "met" : "NOT MET");
  add("possession", report.without(kOfPossession) ? "every sender holds what it sends" : "NOT HELD");
  if (report.proof) {
    add("values", report.without(kOfOperands) ? "no operand counts twice, none is lost" : "WRONG");
  }
  add("paths", paths_text(report));
  add("ports", fmt::format("{}a node sends at most {} in a step and receives {}; {} and {} are allowed",
                           report.without(kOfPorts) ? "" : "TOO FEW: ", counted(report.max_sends, "message"),
                           report.max_receives, facts.send_ports, facts.receive_ports));
  if (report.busiest_link) {
    add("volume", fmt::format("at most {} bytes over one link ({}), {} over all", report.busiest_link_bytes,
                              facts.topology.channel_name(*report.busiest_link), report.link_bytes));
  }
  const char* name = "bounds";
  for (const LowerBound& bound : bounds) {
    add(name, bound_text(bound, facts));
    name = "";
  }
  return text;
}

void add_scrutiny(const CheckReport& report, const ScheduleFacts& facts, std::span<const LowerBound> bounds,
                  Json& json) {
  json["checks"] = {{"goal", report.without(kOfGoal)},
                    {"possession", report.without(kOfPossession)},
                    {"operands", report.proof ? Json(report.without(kOfOperands)) : Json()},
                    {"paths", report.without(kOfPaths)},
                    {"ports", report.without(kOfPorts)},
                    {"waits", report.without({ViolationKind::waits})}};
  json["messages_of_many_links"] = report.messages_of_many_links;
  json["longest_message_links"] = report.longest_message_links;
  json["max_sends"] = report.max_sends;
  json["max_receives"] = report.max_receives;
  json["send_ports"] = facts.send_ports;
  json["receive_ports"] = facts.receive_ports;
  json["link_bytes"] = report.link_bytes;
  json["busiest_link_bytes"] = report.busiest_link_bytes;
  json["busiest_link"] =
      report.busiest_link ? Json(facts.topology.channel_name(*report.busiest_link)) : Json();
  json["bounds"] = Json::array();
  for (const LowerBound& bound : bounds) {
    Json one{{"bound", name_of(bound.kind)},
             {"unit", bound.in_steps() ? "steps" : "bytes"},
             {"least", bound.least},
             {"found", bound.found},
             {"respected", bound.respected()}};
    if (bound.in_steps() && facts.claimed_steps) {
      one["claim_respected"] = *facts.claimed_steps >= bound.least;
    }
    one["reason"] = bound.reason;
    json["bounds"].push_back(std::move(one));
  }
}

// --- Deadlock ----------------------------------------------------------------------------------------------

std::string verdict_text(const DeadlockCheck& check, const Topology& topology) {
  const DeadlockAnalysis& verdict = check.analysis;
  const char* const scope = check.scope == Scope::all_pairs ? " between any nodes" : "";
  const std::string assumed = fmt::format("assumed: {}\n", assumption_of(check, topology));
  if (verdict.verdict == DeadlockVerdict::free) {
    return fmt::format("no deadlock{}: {}\n", scope, reason_text(check)) + assumed;
  }
  std::string text =
      fmt::format("DEADLOCK {}{}{}: {}, a dependency cycle of {}\n",
                  verdict.verdict == DeadlockVerdict::can_deadlock ? "CAN FORM" : "MAY FORM (not proven)",
                  scope, check.step ? fmt::format(" in step {}", *check.step) : "", graph_text(verdict),
                  verdict.dependency_cycle.size());
  for (const CycleMember& member : verdict.dependency_cycle) text += member_text(member, topology);
  return text + assumed;
}

std::string witness_text(const ProtocolWitness& witness) {
  const ProtocolConfig& protocol = *witness.config.workload.protocol;
  std::string text = "reproducer: the configuration deadlocks when it is run";
  if (protocol.batch) text += fmt::format(", with {} of each source", counted(*protocol.batch, "request"));
  text += "\n";
  for (const std::string& worm : witness.worms) text += "  " + worm + "\n";
  return text;
}

std::string witness_text(const Witness& witness, const Topology& topology) {
  std::uint64_t longest = 0;
  for (const Flow& flow : witness.flows) longest = std::max(longest, flow.flits);
  std::string text = fmt::format("reproducer: {} of at most {} deadlock when they are run\n",
                                 counted(witness.flows.size(), "message"), counted(longest, "flit"));
  for (const WitnessChannel& held : witness.dependency_cycle) {
    text += fmt::format("  {} VC {}: held by message {}\n", topology.channel_name(held.channel), held.vc,
                        message_label(held.message));
  }
  return text;
}

namespace {

std::string layers_text(const PathLayers& layers, const Topology& topology) {
  constexpr std::size_t kMaxShown = 8;
  std::string text = fmt::format(
      "suggested fix, by hand: the paths in {} of virtual channels, each message in one of them\n",
      counted(layers.count, "layer"));
  for (const auto& [layer, flow, channels] : layers.above | std::views::take(kMaxShown)) {
    const auto name = [&](ChannelId channel) { return topology.channel_name(channel); };
    text += fmt::format("  layer {}: {} from {} to {} by {}\n", layer,
                        flow.message == 0 ? "messages" : "message " + message_label(flow.message),
                        topology.node_name(flow.source), topology.node_name(flow.destination),
                        fmt::join(texts_of(channels, name), " "));
  }
  if (layers.above.size() > kMaxShown)
    text +=
        fmt::format("  ... and {} more above layer 0, which --json has\n", layers.above.size() - kMaxShown);
  return text + "  layer 0: all others\n";
}

Json to_json(const LayeredPath& path, const Topology& topology) {
  const auto name = [&](ChannelId channel) { return topology.channel_name(channel); };
  return {{"layer", path.layer},
          {"message", path.flow.message == 0 ? Json() : Json(message_label(path.flow.message))},
          {"src", node_json(topology, path.flow.source)},
          {"dst", node_json(topology, path.flow.destination)},
          {"channels", texts_of(path.channels, name)}};
}

}  // namespace

std::string fixes_text(const SuggestedFixes& fixes, const Topology& topology) {
  std::string text;
  for (const std::string& settings : fixes.settings) {
    text += "suggested fix:";
    std::istringstream lines(settings);
    for (std::string setting; std::getline(lines, setting);) {
      const char* const quote = setting.find(' ') == std::string::npos ? "" : "'";
      text += fmt::format(" --set {}{}{}", quote, setting, quote);
    }
    text += "\n";
  }
  if (fixes.layers) text += layers_text(*fixes.layers, topology);
  if (fixes.turns) {
    text += "suggested fix: no turn";
    const char* separator = " ";
    for (const Turn& turn : *fixes.turns) {
      text += fmt::format("{}from {} into {}", std::exchange(separator, ", nor "),
                          topology.port_name(turn.from), topology.port_name(turn.into));
    }
    text += "; every message still has a path\n";
  }
  return text;
}

Json to_json(const SuggestedFixes& fixes, const Topology& topology) {
  Json json{{"settings", fixes.settings},
            {"layers", nullptr},
            {"paths_above_layer_0", nullptr},
            {"forbidden_turns", nullptr}};
  if (fixes.layers) {
    json["layers"] = fixes.layers->count;
    json["paths_above_layer_0"] =
        json_list(fixes.layers->above, [&](const LayeredPath& path) { return to_json(path, topology); });
  }
  const auto of_turn = [&](const Turn& turn) {
    return Json::array({topology.port_name(turn.from), topology.port_name(turn.into)});
  };
  if (fixes.turns) json["forbidden_turns"] = json_list(*fixes.turns, of_turn);
  return json;
}

Json to_json(const DeadlockCheck& check, const Topology& topology) {
  const DeadlockAnalysis& verdict = check.analysis;
  Json json{{"scope", name_of(check.scope)},
            {"channels", verdict.channels},
            {"vcs", verdict.vcs},
            {"arcs", verdict.arcs},
            {"verdict", name_of(verdict.verdict)},
            {"argument", nullptr},
            {"step", or_null(check.step)},
            {"dependency_cycle", Json::array()},
            {"assumed", assumption_of(check, topology)},
            {"seconds", check.seconds}};
  if (const Argument argument = check.argument(); argument != Argument::none)
    json["argument"] = name_of(argument);
  for (const CycleMember& member : verdict.dependency_cycle) {
    const Flow& flow = member.flow;
    Json entry{{"channel", topology.channel_name(member.channel)},
               {"vc", member.vc},
               {"message", nullptr},
               {"src", node_json(topology, flow.source)},
               {"dst", node_json(topology, flow.destination)}};
    if (flow.message != 0) entry["message"] = message_label(flow.message);
    if (member.end) {
      entry["channel"] = end_text(*member.end, topology);
      entry["vc"] = nullptr;
    }
    json["dependency_cycle"].push_back(std::move(entry));
  }
  return json;
}

}  // namespace flitscope
