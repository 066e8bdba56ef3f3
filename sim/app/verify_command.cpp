// flitscope verify: the schedule checker.
#include <limits>

#include "model/error.h"
#include "routers/router_pool.h"
#include "sim/analysis/schedule_checker.h"
#include "sim/app/command.h"
#include "sim/experiment/report_text.h"
#include "sim/experiment/result_json.h"
#include "sim/experiment/workload.h"

namespace flitscope::app {

namespace options = boost::program_options;

namespace {

/// A legal schedule may still be nothing for this machine. Throws Inadmissible then.
void require_carriable_schedule(const ExperimentConfig& config) {
  WatchedSchedule schedule(make_schedule(config), config.machine);
  Step step;
  while (schedule.next(step)) continue;
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
    auto schedule = make_schedule(config);
    require_same_network(schedule->facts(), config.topology);
    complete_machine(config, schedule->facts());
    require_buildable(config.topology, config.machine, std::numeric_limits<std::uint64_t>::max());
    const CheckReport report = check_schedule(*schedule);
    if (report.legal) require_carriable_schedule(config);
    print(arguments.has("json") ? to_json(report, schedule->facts()).dump(2) + "\n"
                                : report_text(report, schedule->facts()));
    return report.legal && report.claim_kept.value_or(true) ? Exit::done : Exit::not_correct;
  } catch (const Inadmissible& reason) {
    throw located(config, reason);
  }
}

}  // namespace flitscope::app
