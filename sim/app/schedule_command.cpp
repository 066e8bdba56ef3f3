// flitscope schedule: the schedule as JSON Lines, or the routing table behind it.

#include <functional>
#include <iostream>
#include <memory>
#include <optional>

#include "model/error.h"
#include "sim/app/command.h"
#include "sim/app/signals.h"
#include "sim/config/config_source.h"
#include "sim/formats/circuit_schedule_file.h"
#include "sim/formats/routes_file.h"
#include "sim/formats/schedule_file.h"
#include "sim/report/progress.h"
#include "sim/report/report_parts.h"
#include "sim/run/workload.h"

namespace flitscope::app::schedule_command {

namespace {

using Writer = std::function<void(std::ostream&)>;

template <typename AnySchedule>
Writer schedule_writer(std::unique_ptr<AnySchedule> made, const ExperimentConfig& config) {
  return [schedule = std::shared_ptr(std::move(made)), &config](std::ostream& out) {
    require_same_network(schedule->facts(), config.topology);
    write_schedule(*schedule, out);
  };
}

/// The routes that the machine's routing function takes, as `routing: table` reads them.
Writer routes_writer(const Arguments& arguments, const ExperimentConfig& given) {
  arguments.exclude("routes", "table");
  return [&given](std::ostream& out) {
    refuse_if(!given.topology.has_links(), "topology.kind",
              "a complete network has circuits; it needs no routes");
    write_routes(given.topology, given.routing.value_or(given.topology.default_routing()), out);
  };
}

/// What is asked for: the schedule, or the table behind it in one of its forms.
Writer writer_of(const Arguments& arguments, const ExperimentConfig& config) {
  if (arguments.has("routes")) return routes_writer(arguments, config);
  if (!arguments.has("table")) {
    if (!config.topology.has_links()) return schedule_writer(make_circuit_schedule(config), config);
    return schedule_writer(make_schedule(config), config);
  }
  const bool is_json = arguments.choice("table", {"text", "json"}) == "json";
  const LinkPrograms table = make_table(config);
  const std::string text = is_json ? table_json(table).dump() + "\n" : table_text(table);
  return [text](std::ostream& out) { out << text; };
}

Exit run(const Arguments& arguments) {
  const std::string out = arguments.path("out");
  const Heartbeat heartbeat("flitscope schedule", std::cerr);
  const ExperimentConfig config = load_config(arguments.required("CONFIG"), arguments.texts("set"));
  std::optional<SignalCleanup> cleanup;
  std::optional<OutputFile> file;
  if (!out.empty()) {
    cleanup.emplace("schedule");
    file.emplace(out, existing_of(arguments));
  }
  return with_places(config, [&] {
    const Writer write = writer_of(arguments, config);
    if (file) {
      file->write(write);
      file->commit();
    } else {
      write(std::cout);
      print("");
    }
    return Exit::done;
  });
}

const CommandRegistry::Entry entry{{
    .name = "schedule",
    .arguments = "CONFIG",
    .summary = "Prints an experiment's schedule as JSON Lines, or its routing table.",
    .place = 30,
    .options = {kSetOption,
                {.name = "table",
                 .value = "text|json",
                 .summary = "print the routing table instead, of an algorithm that has one (default: text)",
                 .implied = "text"},
                {"routes", "",
                 "print the routes of the routing function instead, as `routing: table` reads them"},
                out_option("write to a file, or into a device or FIFO"),
                kForceOption},
    .run = run,
}};

}  // namespace
}  // namespace flitscope::app::schedule_command
