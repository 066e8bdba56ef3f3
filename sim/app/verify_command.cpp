// flitscope verify: the schedule checker.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "model/error.h"
#include "sim/analysis/circuit_checker.h"
#include "sim/analysis/schedule_checker.h"
#include "sim/app/command.h"
#include "sim/config/config_source.h"
#include "sim/driver/circuit_schedule_driver.h"
#include "sim/report/check_output.h"
#include "sim/report/traffic_report.h"
#include "sim/run/workload.h"

namespace flitscope::app::verify_command {

namespace options = boost::program_options;

namespace {

/// A legal schedule may still be nothing for this machine. Throws Inadmissible then.
void require_carriable_schedule(const ExperimentConfig& config) {
  WatchedSchedule schedule(make_schedule(config), config.machine);
  Step step;
  while (schedule.next(step)) continue;
}

template <typename Report, typename Facts>
Exit tell(const Report& report, const Facts& facts, bool as_json) {
  print(as_json ? to_json(report, facts).dump(2) + "\n" : report_text(report, facts));
  return report.passed() ? Exit::done : Exit::not_correct;
}

/// Traffic has no schedule to check; its links' loads can be told all the same.
Exit verify_traffic(ExperimentConfig& config, bool as_json) {
  const auto pattern = make_traffic_pattern(config);
  complete_machine(config, traffic_facts(config));
  const auto load = traffic_load(config.topology, config.workload.traffic, *pattern);
  if (as_json) {
    nlohmann::ordered_json json{{"pattern", config.workload.traffic.pattern->name}};
    json.update(traffic_load_json(config, load));
    print(json.dump(2) + "\n");
  } else {
    print(fmt::format("{} on the {}\n{}", config.workload.traffic.pattern->name, config.topology.name(),
                      traffic_load_text(config, load)));
  }
  return Exit::done;
}

Exit verify_on_links(ExperimentConfig& config, bool as_json) {
  if (config.workload.traffic.pattern != nullptr) return verify_traffic(config, as_json);
  auto schedule = make_schedule(config);
  complete_machine(config, schedule->facts());
  CheckReport report = check_schedule(*schedule);
  add_places(report, config);
  if (report.legal) require_carriable_schedule(config);
  return tell(report, schedule->facts(), as_json);
}

Exit verify_on_circuits(const ExperimentConfig& config, bool as_json) {
  const auto schedule = make_circuit_schedule(config);
  const CircuitFacts& facts = schedule->facts();
  require_fitting(config, facts);
  CircuitReport report = check_events(*schedule);
  add_places(report, config);
  if (report.legal && report.longest_message > 0) {
    static_cast<void>(
        carriable_flits(config.machine, facts.collective.chunk_bytes.front(), report.longest_message));
  }
  return tell(report, facts, as_json);
}

Exit run(const Words& words) {
  options::options_description own;
  add_set_option(own);
  own.add_options()("json", "print the result as JSON");
  const Arguments arguments("verify", own, "CONFIG", words);
  if (arguments.helped()) return Exit::done;

  ExperimentConfig config = load_config(arguments.required("CONFIG"), arguments.texts("set"));
  try {
    const bool complete = !config.topology.has_links();
    return complete ? verify_on_circuits(config, arguments.has("json"))
                    : verify_on_links(config, arguments.has("json"));
  } catch (const std::exception&) {
    throw_located(config);
  }
}

const CommandRegistry::Entry entry{{
    .name = "verify",
    .arguments = "CONFIG",
    .summary = "Checks an experiment's schedule without simulating it.",
    .place = 20,
    .run = run,
}};

}  // namespace
}  // namespace flitscope::app::verify_command
