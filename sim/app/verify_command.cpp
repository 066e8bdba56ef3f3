// flitscope verify: the schedule checker.
#include <limits>

#include "model/error.h"
#include "routers/engine/router_pool.h"
#include "routers/modules/limits.h"
#include "sim/analysis/circuit_checker.h"
#include "sim/analysis/schedule_checker.h"
#include "sim/app/command.h"
#include "sim/driver/circuit_schedule_driver.h"
#include "sim/report/check_output.h"
#include "sim/run/workload.h"

namespace flitscope::app {

namespace options = boost::program_options;

namespace {

/// A legal schedule may still be nothing for this machine. Throws Inadmissible then.
void require_carriable_schedule(const ExperimentConfig& config) {
  WatchedSchedule schedule(make_schedule(config), config.machine);
  Step step;
  while (schedule.next(step)) continue;
}

Exit verify_schedule(ExperimentConfig& config, bool as_json) {
  auto schedule = make_schedule(config);
  require_same_network(schedule->facts(), config.topology);
  complete_machine(config, schedule->facts());
  require_buildable(config.topology, config.machine, std::numeric_limits<std::uint64_t>::max());
  const CheckReport report = check_schedule(*schedule);
  if (report.legal) require_carriable_schedule(config);
  print(as_json ? to_json(report, schedule->facts()).dump(2) + "\n" : report_text(report, schedule->facts()));
  return report.legal && report.claim_kept.value_or(true) ? Exit::done : Exit::not_correct;
}

Exit verify_events(const ExperimentConfig& config, bool as_json) {
  const auto schedule = make_circuit_schedule(config);
  require_same_network(schedule->facts(), config.topology);
  require_carriable(schedule->facts(), config.machine);
  const CircuitReport report = check_events(*schedule);
  if (report.legal && report.longest_message > 0) {
    const std::uint64_t chunk_bytes = schedule->facts().collective.chunk_bytes.front();
    static_cast<void>(carriable_flits(config.machine, chunk_bytes, report.longest_message));
  }
  print(as_json ? to_json(report, schedule->facts()).dump(2) + "\n" : report_text(report, schedule->facts()));
  return report.legal && report.claim_kept.value_or(true) ? Exit::done : Exit::not_correct;
}

}  // namespace

Exit verify_command(const Words& words) {
  options::options_description own;
  add_set_option(own);
  own.add_options()("json", "print the result as JSON");
  const Arguments arguments("verify", own, "CONFIG", words);
  if (arguments.helped()) return Exit::done;

  ExperimentConfig config = load_config(arguments.required("CONFIG"), arguments.texts("set"));
  try {
    const bool complete = !config.topology.has_links();
    return complete ? verify_events(config, arguments.has("json"))
                    : verify_schedule(config, arguments.has("json"));
  } catch (const Inadmissible& reason) {
    throw located(config, reason);
  }
}

}  // namespace flitscope::app
