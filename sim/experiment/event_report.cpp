#include "sim/experiment/event_report.h"

#include <fmt/format.h>

#include <iterator>

namespace flitscope {

namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<std::uint64_t>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace

std::string report_text(const EventReport& report, const EventFacts& facts) {
  std::string text =
      fmt::format("{}, {}, {} {}, tuning takes {} t_m\n", facts.algorithm, facts.topology.name(),
                  facts.send_ports, facts.send_ports == 1 ? "port" : "ports", facts.reconfiguration);
  text += fmt::format("  time        {} t_m", report.units);
  if (facts.claimed_units) text += fmt::format(", claimed {}", *facts.claimed_units);
  if (facts.lower_bound_units) text += fmt::format(", lower bound {}", *facts.lower_bound_units);
  text += fmt::format("\n  messages    {} of {} chunks in all, at most {} in one, at {} different times\n",
                      report.messages, report.chunks_sent, report.longest_message, report.steps);
  text += fmt::format("  circuits    {} tunings, {} circuits there at the start\n", report.tunings,
                      facts.circuits.size());
  text += fmt::format("  deliveries  {} redundant; at most {} at the same time at one node\n",
                      report.redundant_deliveries, report.most_arrivals);
  if (report.claim_kept) {
    text += fmt::format("  claim       done by {} t_m: {}\n", *facts.claimed_units,
                        *report.claim_kept ? "kept" : "BROKEN");
  }
  if (report.legal) {
    return text +
           "\nlegal: every circuit is ready, every sender holds what it sends, ports suffice, the goal is "
           "met\n";
  }
  text += fmt::format("\nNOT LEGAL: {} {}\n", report.violation_count,
                      report.violation_count == 1 ? "violation" : "violations");
  for (const Violation& violation : report.violations) text += fmt::format("  {}\n", violation.text);
  if (report.violation_count > report.violations.size()) {
    text += fmt::format("  ... and {} more\n", report.violation_count - report.violations.size());
  }
  return text;
}

Json to_json(const EventReport& report, const EventFacts& facts) {
  Json violations = Json::array();
  for (const Violation& violation : report.violations) {
    violations.push_back({{"kind", name_of(violation.kind)},
                          {"step", violation.step},
                          {"message", violation.message},
                          {"text", violation.text}});
  }
  return {{"legal", report.legal},
          {"algorithm", facts.algorithm},
          {"topology", facts.topology.name()},
          {"nodes", facts.topology.nodes()},
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
          {"claim_kept", report.claim_kept ? Json(*report.claim_kept) : Json(nullptr)},
          {"most_arrivals", report.most_arrivals},
          {"redundant_deliveries", report.redundant_deliveries},
          {"violations", violations},
          {"violation_count", report.violation_count}};
}

}  // namespace flitscope
