#include "sim/report/verdict_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "model/schedule.h"
#include "sim/report/json_parts.h"
#include "sim/report/output_parts.h"

namespace flitscope {

namespace {

std::string graph_text(const DeadlockAnalysis& verdict) {
  return fmt::format("{} of {}", counted(verdict.arcs, "dependency", "dependencies"),
                     counted(verdict.vcs, "virtual channel", "virtual channels"));
}

std::string reason_text(const DeadlockCheck& check) {
  const std::string graph = graph_text(check.analysis);
  switch (check.analysis.argument) {
    case Argument::escape:
      return graph + " make dependency cycles, those of the escape classes none";
    case Argument::bubble:
      return graph + " make dependency cycles in rings, where bubbles stay, and no others";
    case Argument::acyclic:
    case Argument::none:
      break;
  }
  if (!check.steps.empty()) return graph + " make dependency cycles, those of a step none";
  return graph + " make no dependency cycle";
}

std::string member_text(const CycleMember& member, const Topology& topology) {
  const Flow& flow = member.flow;
  const std::string vcs = member.vcs == 1 ? fmt::format("VC {}", member.vc)
                                          : fmt::format("VC {} and {} like it", member.vc, member.vcs - 1);
  const std::string message =
      flow.message == 0 ? "a message" : fmt::format("message {}", message_label(flow.message));
  return fmt::format("  {} {}: held by {} from {} to {}, which waits for the next\n",
                     topology.channel_name(member.channel), vcs, message, topology.node_name(flow.source),
                     topology.node_name(flow.destination));
}

const char* name_of(Scope scope) {
  switch (scope) {
    case Scope::schedule:
      return "schedule";
    case Scope::traffic:
      return "traffic";
    case Scope::all_pairs:
      return "all-pairs";
  }
  return "?";
}

}  // namespace

std::string verdict_text(const DeadlockCheck& check, const Topology& topology) {
  const DeadlockAnalysis& verdict = check.analysis;
  const char* const scope = check.scope == Scope::all_pairs ? " between any nodes" : "";
  if (verdict.verdict == DeadlockVerdict::free) {
    return fmt::format("no deadlock{}: {}\n", scope, reason_text(check));
  }
  std::string text =
      fmt::format("DEADLOCK {}{}{}: {}, a dependency cycle of {}\n",
                  verdict.verdict == DeadlockVerdict::can_deadlock ? "CAN FORM" : "MAY FORM (not proven)", scope,
                  check.step ? fmt::format(" in step {}", *check.step) : "", graph_text(verdict),
                  verdict.dependency_cycle.size());
  for (const CycleMember& member : verdict.dependency_cycle) text += member_text(member, topology);
  return text;
}

std::string witness_text(const Witness& witness, const Topology& topology) {
  std::uint64_t longest = 0;
  for (const Flow& flow : witness.flows) longest = std::max(longest, flow.flits);
  std::string text =
      fmt::format("reproducer: {} of at most {} deadlock when they are run\n",
                  counted(witness.flows.size(), "message", "messages"), counted(longest, "flit", "flits"));
  for (const WitnessChannel& held : witness.dependency_cycle) {
    text += fmt::format("  {} VC {}: held by message {}\n", topology.channel_name(held.channel), held.vc,
                        message_label(held.message));
  }
  return text;
}

std::string fixes_text(const SuggestedFixes& fixes, const Topology& topology) {
  std::string text;
  for (const std::string& setting : fixes.settings) text += fmt::format("suggested fix: --set {}\n", setting);
  if (fixes.layers) {
    text += fmt::format("suggested fix: the paths in {} of virtual channels, each message in one of them\n",
                        counted(*fixes.layers, "layer", "layers"));
  }
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

nlohmann::ordered_json to_json(const SuggestedFixes& fixes, const Topology& topology) {
  using Json = nlohmann::ordered_json;
  Json json{
      {"settings", fixes.settings}, {"layers", or_null(fixes.layers)}, {"forbidden_turns", nullptr}};
  if (!fixes.turns) return json;
  json["forbidden_turns"] = Json::array();
  for (const Turn& turn : *fixes.turns) {
    json["forbidden_turns"].push_back({topology.port_name(turn.from), topology.port_name(turn.into)});
  }
  return json;
}

nlohmann::ordered_json to_json(const DeadlockCheck& check, const Topology& topology) {
  using Json = nlohmann::ordered_json;
  const DeadlockAnalysis& verdict = check.analysis;
  Json json{
      {"scope", name_of(check.scope)}, {"channels", verdict.channels},        {"vcs", verdict.vcs},
      {"arcs", verdict.arcs},          {"verdict", name_of(verdict.verdict)}, {"argument", nullptr},
      {"step", or_null(check.step)},   {"dependency_cycle", Json::array()},   {"seconds", check.seconds}};
  if (verdict.argument != Argument::none) json["argument"] = name_of(verdict.argument);
  for (const CycleMember& member : verdict.dependency_cycle) {
    const Flow& flow = member.flow;
    Json entry{{"channel", topology.channel_name(member.channel)},
               {"vc", member.vc},
               {"message", nullptr},
               {"src", topology.coordinates(flow.source)},
               {"dst", topology.coordinates(flow.destination)}};
    if (flow.message != 0) entry["message"] = message_label(flow.message);
    json["dependency_cycle"].push_back(std::move(entry));
  }
  return json;
}

}  // namespace flitscope
