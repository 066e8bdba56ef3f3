// flitscope verify: the schedule checker, and whether a deadlock can form.
#include <fmt/format.h>

#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "model/error.h"
#include "model/graph.h"
#include "model/text.h"
#include "routers/circuits/circuit_schedule_driver.h"
#include "sim/analysis/channel_load.h"
#include "sim/analysis/circuit_checker.h"
#include "sim/analysis/legality.h"
#include "sim/analysis/lower_bounds.h"
#include "sim/analysis/schedule_checker.h"
#include "sim/app/command.h"
#include "sim/app/signals.h"
#include "sim/config/config_source.h"
#include "sim/driver/collective_driver.h"
#include "sim/formats/schedule_file.h"
#include "sim/formats/strict_json.h"
#include "sim/report/output_file.h"
#include "sim/report/progress.h"
#include "sim/report/report_parts.h"
#include "sim/report/verify_report.h"
#include "sim/run/packets.h"
#include "sim/run/workload.h"
#include "sim/verify/deadlock_check.h"
#include "sim/verify/witness.h"

namespace flitscope::app::verify_command {

namespace {

/// Throws Inadmissible for a legal schedule that this machine cannot carry.
void require_carriable_schedule(const ExperimentConfig& config) {
  CheckedSchedule schedule(make_schedule(config), config.topology, machine_of_messages(config));
  Step step;
  while (schedule.next(step)) continue;
}

/// The files that a verdict can be checked by.
struct CheckFiles {
  std::string order;
  std::string routes;
  std::string witness;
  Existing existing = Existing::keep;

  [[nodiscard]] bool wanted() const { return !order.empty() || !routes.empty() || !witness.empty(); }
};

template <typename Write>
void write_to(const std::string& name, Existing existing, Write write) {
  if (name.empty()) return;
  OutputFile file(name, existing);
  file.write(write);
  file.commit();
}

/// Runs what it takes to show the verdict, which is proven then, and writes it down.
std::string show(DeadlockCheck& check, const ExperimentConfig& config, const CheckFiles& files) {
  if (check.analysis.verdict == DeadlockVerdict::free) {
    throw InputError("flitscope verify: --witness: no deadlock can form, so there is none to show");
  }
  const auto not_found = [&] {
    std::cerr
        << "flitscope: note: no messages were found that deadlock; the search has a bound, so there may "
           "be some. "
        << files.witness << " is not written\n";
    return "";
  };
  if (check.ends) {
    const auto witness = find_protocol_witness(config);
    if (!witness) return not_found();
    write_to(files.witness, files.existing, [&](std::ostream& out) { out << resolve(witness->config); });
    check.analysis.verdict = DeadlockVerdict::can_deadlock;
    return witness_text(*witness);
  }
  const auto witness = find_witness(check, config);
  if (!witness) return not_found();
  write_to(files.witness, files.existing,
           [&](std::ostream& out) { write_schedule(*witness_schedule(*witness, check, config), out); });
  check.analysis.verdict = DeadlockVerdict::can_deadlock;
  return witness_text(*witness, config.topology);
}

/// What is missing, and what the paths around it cost. Not of networks that take long to walk.
void add_fault_cost(const ExperimentConfig& config, Json& json, std::string& text) {
  constexpr NodeId kMaxNodes = 4096;
  const Topology& topology = config.topology;
  if (!topology.has_faults() || topology.nodes() > kMaxNodes) return;
  const FaultCost cost = fault_cost(topology, config.machine.routing);
  const auto side = [](const PathsOfPairs& paths) {
    return Json{{"links_mean", paths.links_mean}, {"busiest_link_pairs", paths.busiest_link}};
  };
  json["missing"] = {{"nodes", topology.graph()->faults().nodes.size()},
                     {"directed_links", topology.graph()->faults().links.size()},
                     {"paths", side(cost.with_faults)},
                     {"paths_of_the_whole", cost.whole ? side(*cost.whole) : Json()}};
  text += fmt::format("missing: paths between all pairs of nodes have {:.3f} links on average",
                      cost.with_faults.links_mean);
  if (cost.whole) text += fmt::format(", {:.3f} on the whole network", cost.whole->links_mean);
  text += fmt::format("; the busiest link carries {} of them", cost.with_faults.busiest_link);
  text += cost.whole ? fmt::format(", {} there\n", cost.whole->busiest_link)
                     : "; the table has no routes for the whole network\n";
}

/// Judges what the machine can do with some messages, writes the files wanted, and adds what is to be said to
/// `json` and `text`.
Exit judge(const ExperimentConfig& config, Scope scope, const CheckFiles& files, Json& json,
           std::string& text) {
  DeadlockCheck check = check_deadlock(config, scope);
  std::string shown;
  if (!files.witness.empty()) shown = show(check, config, files);
  const bool free = check.analysis.verdict == DeadlockVerdict::free;
  if (free) {
    write_to(files.order, files.existing, [&](std::ostream& out) { write_order(check, config, out); });
  } else if (!files.order.empty()) {
    std::cerr << "flitscope: note: there is no order without a dependency cycle; " << files.order
              << " is not written\n";
  }
  write_to(files.routes, files.existing, [&](std::ostream& out) { write_routes(check, config, out); });
  json["dependency_graph"] = to_json(check, config.topology);
  text += verdict_text(check, config.topology) + shown;
  add_fault_cost(config, json, text);
  if (free) return Exit::done;
  const SuggestedFixes fixes = suggest_fixes(check, config);
  json["dependency_graph"]["suggested_fixes"] = to_json(fixes, config.topology);
  text += fixes_text(fixes, config.topology);
  return Exit::deadlock;
}

/// Traffic has no schedule to check, but loads of links and channel dependencies.
Exit verify_traffic(ExperimentConfig& config, const Arguments& arguments, const CheckFiles& files) {
  const OfferedPatterns patterns = make_traffic_patterns(config);
  resolve_auto_settings(config, traffic_facts(config));
  const TrafficBounds bounds = traffic_bounds(config, patterns);
  Json json{{"pattern", pattern_names(config.workload)}};
  json.update(traffic_bounds_json(config, bounds));
  std::string text = fmt::format("{} on the {}\n{}\n", pattern_names(config.workload), config.topology.name(),
                                 traffic_bounds_text(config, bounds));
  const Exit exit =
      judge(config, arguments.has("all-pairs") ? Scope::all_pairs : Scope::traffic, files, json, text);
  print(arguments.has("json") ? printable_json(json.dump(2)) + "\n" : text);
  return exit;
}

/// The network by which messages go, by class of the schedule (CheckOptions::networks). Schedules of
/// algorithms are for the one that carries them.
std::vector<unsigned> networks_of_classes(const ScheduleFacts& facts, const MachineConfig& machine) {
  std::vector<unsigned> networks;
  if (facts.topology.networks() == 1) return networks;
  for (const std::uint32_t number : class_numbers(facts, machine))
    networks.push_back(machine.network_of(number));
  return networks;
}

Exit verify_on_links(ExperimentConfig& config, const Arguments& arguments, const CheckFiles& files) {
  if (config.workload.has_traffic()) return verify_traffic(config, arguments, files);
  auto schedule = make_schedule(config);
  resolve_auto_settings(config, schedule->facts());
  // An algorithm declares its bounds; a schedule from a file has none.
  const bool from_file = !config.workload.schedule_file.empty();
  CheckReport report =
      check_schedule(*schedule, {.routing = config.machine.routing,
                                 .networks = networks_of_classes(schedule->facts(), config.machine),
                                 .volumes = from_file});
  add_places(report, config);
  const ScheduleFacts& facts = schedule->facts();
  const auto bounds = from_file ? lower_bounds(facts, report) : std::vector<LowerBound>{};
  ViolationLog log(report, report.violations.size() + 1);
  check_claims(bounds, facts, report, log);
  if (report.legal) require_carriable_schedule(config);
  Json json = to_json(report, facts);
  if (from_file) add_scrutiny(report, facts, bounds, json);
  std::string text = report_text(report, facts, from_file ? scrutiny_text(report, facts, bounds) : "");
  const Scope scope = arguments.has("all-pairs") ? Scope::all_pairs : Scope::schedule;
  const Exit exit = report.legal ? judge(config, scope, files, json, text) : Exit::done;
  print(arguments.has("json") ? printable_json(json.dump(2)) + "\n" : text);
  return report.passed() ? exit : Exit::verification_failed;
}

Exit verify_on_circuits(const ExperimentConfig& config, const Arguments& arguments, const CheckFiles& files) {
  if (files.wanted() || arguments.has("all-pairs")) {
    throw InputError(
        "flitscope verify: a complete network has no channels that messages wait for one another in; "
        "--all-pairs, --order, --routes and --witness are for networks of links");
  }
  const auto schedule = make_circuit_schedule(config);
  const CircuitFacts& facts = schedule->facts();
  require_fitting(config, facts);
  CircuitReport report = check_events(*schedule);
  add_places(report, config);
  if (report.legal && report.longest_message > 0) {
    static_cast<void>(
        carriable_flits(config.machine, facts.collective.chunk_bytes.front(), report.longest_message));
  }
  print(arguments.has("json") ? printable_json(to_json(report, facts).dump(2)) + "\n"
                              : report_text(report, facts));
  return report.passed() ? Exit::done : Exit::verification_failed;
}

Exit run(const Arguments& arguments) {
  const Heartbeat heartbeat("flitscope verify", std::cerr);
  ExperimentConfig config = load_config(arguments.required("CONFIG"), arguments.texts("set"));
  const CheckFiles files{arguments.path("order"), arguments.path("routes"), arguments.path("witness"),
                         existing_of(arguments)};
  std::optional<SignalCleanup> cleanup;
  if (files.wanted()) cleanup.emplace("verify");
  return with_places(config, [&] {
    require_rereadable_schedule(config.workload);
    const bool complete = !config.topology.has_links();
    return complete ? verify_on_circuits(config, arguments, files)
                    : verify_on_links(config, arguments, files);
  });
}

const CommandRegistry::Entry entry{{
    .name = "verify",
    .arguments = "CONFIG",
    .summary = "Checks an experiment's schedule, and whether it can deadlock, without simulating it.",
    .place = 20,
    .options = {kSetOption,
                {"json", "", "print the result as JSON"},
                {"all-pairs", "",
                 "judge deadlock for messages between all pairs of nodes, not for those of the schedule"},
                {"order", "FILE",
                 "write an order of virtual channels in which all dependencies go up: no deadlock"},
                {"routes", "FILE", "write the paths of all messages, to check that order against"},
                {"witness", "FILE",
                 "write a schedule that deadlocks when it is run; of a protocol, without --all-pairs, a "
                 "configuration"},
                {"force", "", "replace files that exist"}},
    .run = run,
}};

}  // namespace
}  // namespace flitscope::app::verify_command
