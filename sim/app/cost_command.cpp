// flitscope cost: what a network costs, without a simulation.

#include "model/error.h"
#include "sim/app/command.h"
#include "sim/config/config_source.h"
#include "sim/formats/strict_json.h"
#include "sim/report/rates.h"
#include "sim/report/report_parts.h"
#include "sim/run/workload.h"

namespace flitscope::app::cost_command {

namespace {

/// What `auto` settings go by: a schedule, which on graphs can need more memory than the costs; there
/// algorithms take the network's own routing function, as traffic does.
ScheduleFacts facts_of(const ExperimentConfig& config) {
  const bool is_made_for_graph = config.workload.algorithm != nullptr && !config.topology.is_grid();
  const bool needs_schedule = !config.workload.has_traffic() && !is_made_for_graph;
  return needs_schedule ? make_schedule(config)->facts() : traffic_facts(config);
}

Exit run(const Arguments& arguments) {
  ExperimentConfig config = load_config(arguments.required("CONFIG"), arguments.texts("set"));
  return with_places(config, [&] {
    refuse_if(!config.topology.has_links(), "topology.kind",
              "a complete network has circuits and no links to count");
    resolve_auto_routing(config, facts_of(config));
    Json json = network_json(config, kLongSearch);
    add_units(json, config);
    print(arguments.has("json") ? printable_json(json.dump(2)) + "\n" : network_text(config, kLongSearch));
    return Exit::done;
  });
}

const CommandRegistry::Entry entry{{
    .name = "cost",
    .arguments = "CONFIG",
    .summary = "Prints what an experiment's network costs: links, wires, bisection, distances, buffers.",
    .place = 25,
    .options = {kSetOption, {"json", "", "print the result as JSON"}},
    .run = run,
}};

}  // namespace
}  // namespace flitscope::app::cost_command
